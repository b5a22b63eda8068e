//! The settings under `[context]`: how much of a conversation a model is sent, and when it is made shorter.

use std::collections::BTreeMap;

use super::{Origin, Setting, Value};

/// What the context pipeline goes by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContextSettings {
    /// A conversation that outgrows the model's window is summarised without asking.
    pub auto_compact: Setting<bool>,
    /// Old results that something later replaces are left out.
    pub snip: Setting<bool>,
    /// Under pressure, repeated calls, superseded reads and small talk are folded.
    pub collapse: Setting<bool>,
    changed: BTreeMap<ContextNumber, Setting<u64>>,
}

/// One number of the pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ContextNumber {
    /// Characters of one tool result, above which it is saved to a file.
    ResultChars,
    /// The same for all results of one round.
    RoundResultChars,
    /// Bytes shown of a result that was saved.
    PreviewBytes,
    /// Characters shown of a result that failed, or that can't be saved.
    FailedResultChars,
    /// Newest rounds whose results are never left out.
    RecentRounds,
    /// Tokens that leaving results out must save, so that it is worth a broken cache.
    SnipAtLeast,
    /// Minutes of silence, after which the provider's cache is cold anyway.
    IdleMinutes,
    /// Newest results that are never cleared.
    KeptResults,
    /// Results, from which on old ones are cleared.
    ClearResultsAt,
    /// Tokens of the request, from which on the provider clears old results.
    ServerClearAt,
    /// Tokens that clearing must save.
    ClearAtLeast,
    /// Tokens of the request, from which on the provider summarises the conversation itself; 0: never.
    ServerCompactAt,
    /// Characters of a message that counts as small talk.
    SmallTalkChars,
    /// Percent of the usable window, from which on folds are made.
    CollapseAtPercent,
    /// Tokens of the window kept free for an answer, at most.
    ReservedOutput,
    /// Tokens below the usable window at which a conversation is summarised.
    CompactMargin,
    /// Percent of the usable window at which it is summarised, if that is earlier.
    CompactAtPercent,
    /// Tokens below that at which the user is warned.
    WarningMargin,
    /// Tokens below the usable window at which nothing is sent any more.
    BlockingMargin,
    /// Failed summaries in a row, after which no more is tried in a session.
    CompactFailures,
    /// Rounds within which a conversation that is full again after a summary has refilled too fast.
    RefillRounds,
    /// Fast refills in a row, after which the task stops.
    RefillsAllowed,
    /// Tokens of a summary.
    SummaryTokens,
    /// Requests for one summary, each after the oldest rounds were dropped.
    SummaryRetries,
    /// Tokens of the newest messages that stay beside a summary.
    KeptTokens,
    /// Files shown again after a summary.
    ReattachedFiles,
    /// Tokens of each.
    ReattachedFileTokens,
    /// Tokens of all.
    ReattachedTokens,
    /// Bytes of the input of one call.
    InputBytes,
    /// Files of which it is remembered what was shown; beyond that, those that were shown longest ago are to be read again.
    SeenFiles,
    /// Bytes of their texts.
    SeenBytes,
    /// Characters of one memory file (`CLAUDE.md`, `AGENTS.md`).
    MemoryFileChars,
    /// Milliseconds for what is told between rounds.
    AttachmentsMs,
    /// Milliseconds for the look at the repository when a session begins.
    GitMs,
}

/// Anthropic's service summarises no shorter conversation (Messages API, `compact_20260112`).
const LEAST_SERVER_COMPACT: u64 = 50_000;

impl ContextSettings {
    pub fn number(&self, which: ContextNumber) -> u64 {
        self.changed.get(&which).map_or(which.usual(), |setting| setting.value)
    }

    /// A number as a length.
    pub fn size(&self, which: ContextNumber) -> usize {
        usize::try_from(self.number(which)).unwrap_or(usize::MAX)
    }

    /// The same with one number changed.
    #[must_use]
    pub fn with(mut self, which: ContextNumber, value: u64) -> Self {
        self.changed.insert(which, Setting { value, origin: Origin::Default });
        self
    }

    pub(super) fn set(&mut self, which: ContextNumber, value: &Value, origin: Origin) -> Result<(), String> {
        let number = value.whole(which.least())?;
        if number > which.most() {
            return Err(format!("{number} is too large: the most is {}", which.most()));
        }
        if which == ContextNumber::ServerCompactAt && (1..LEAST_SERVER_COMPACT).contains(&number) {
            return Err(format!("expected 0, for never, or {LEAST_SERVER_COMPACT} or more, got {number}"));
        }
        self.changed.insert(which, Setting { value: number, origin });
        Ok(())
    }

    pub(super) fn origin(&self, which: ContextNumber) -> &Origin {
        self.changed.get(&which).map_or(&Origin::Default, |setting| &setting.origin)
    }
}

impl Default for ContextSettings {
    fn default() -> Self {
        let on = || Setting { value: true, origin: Origin::Default };
        Self { auto_compact: on(), snip: on(), collapse: on(), changed: BTreeMap::new() }
    }
}

impl ContextNumber {
    pub const ALL: [Self; 34] = [
        Self::ResultChars,
        Self::RoundResultChars,
        Self::PreviewBytes,
        Self::FailedResultChars,
        Self::RecentRounds,
        Self::SnipAtLeast,
        Self::IdleMinutes,
        Self::KeptResults,
        Self::ClearResultsAt,
        Self::ServerClearAt,
        Self::ClearAtLeast,
        Self::ServerCompactAt,
        Self::SmallTalkChars,
        Self::CollapseAtPercent,
        Self::ReservedOutput,
        Self::CompactMargin,
        Self::CompactAtPercent,
        Self::WarningMargin,
        Self::BlockingMargin,
        Self::CompactFailures,
        Self::RefillRounds,
        Self::RefillsAllowed,
        Self::SummaryTokens,
        Self::SummaryRetries,
        Self::KeptTokens,
        Self::ReattachedFiles,
        Self::ReattachedFileTokens,
        Self::ReattachedTokens,
        Self::InputBytes,
        Self::SeenFiles,
        Self::SeenBytes,
        Self::MemoryFileChars,
        Self::AttachmentsMs,
        Self::GitMs,
    ];

    /// What it is, for a person.
    pub const fn about(self) -> &'static str {
        match self {
            Self::ResultChars => "characters of one tool result, above which it is saved to a file",
            Self::RoundResultChars => {
                "characters of all tool results of one round, above which the longest are saved to files"
            }
            Self::PreviewBytes => "bytes shown of a tool result that was saved to a file",
            Self::FailedResultChars => {
                "characters shown of a tool result that failed, or that can't be saved"
            }
            Self::RecentRounds => "newest rounds whose tool results are never left out",
            Self::SnipAtLeast => {
                "tokens that leaving old results out must save, so that it is worth a broken cache"
            }
            Self::IdleMinutes => "minutes of silence, after which the provider's cache is cold anyway",
            Self::KeptResults => "newest tool results that are never cleared",
            Self::ClearResultsAt => "number of tool results, from which on old ones are cleared",
            Self::ServerClearAt => "tokens of the request, from which on the provider clears old results",
            Self::ClearAtLeast => "tokens that clearing old results must save, so that the provider does it",
            Self::ServerCompactAt => {
                "tokens of the request, from which on the provider summarises the conversation itself, if it can; 0: never"
            }
            Self::SmallTalkChars => "characters of a message that counts as small talk",
            Self::CollapseAtPercent => "percent of the usable window, from which on old rounds are folded",
            Self::ReservedOutput => "tokens of the window kept free for an answer, at most",
            Self::CompactMargin => "tokens below the usable window at which a conversation is summarised",
            Self::CompactAtPercent => {
                "percent of the usable window at which a conversation is summarised, if that is earlier"
            }
            Self::WarningMargin => "tokens before a conversation is summarised at which the user is warned",
            Self::BlockingMargin => "tokens below the usable window at which nothing is sent any more",
            Self::CompactFailures => "failed summaries in a row, after which no more is tried in a session",
            Self::RefillRounds => {
                "rounds within which a conversation that is full again after a summary has refilled too fast"
            }
            Self::RefillsAllowed => {
                "times in a row that a conversation may refill too fast, after which the task stops"
            }
            Self::SummaryTokens => "tokens of a summary, at most",
            Self::SummaryRetries => "requests for one summary, each after the oldest rounds were dropped",
            Self::KeptTokens => "tokens of the newest messages that stay beside a summary",
            Self::ReattachedFiles => "files shown again after a summary",
            Self::ReattachedFileTokens => "tokens of each file that is shown again after a summary",
            Self::ReattachedTokens => "tokens of all files together that are shown again after a summary",
            Self::InputBytes => "bytes of the input of one call, above which it is not run",
            Self::SeenFiles => {
                "files of which it is remembered what was shown, at most; the oldest are to be read again"
            }
            Self::SeenBytes => "bytes of the texts of these files, at most",
            Self::MemoryFileChars => "characters of one memory file (`CLAUDE.md`, `AGENTS.md`)",
            Self::AttachmentsMs => "milliseconds that looking for changes between two rounds may take",
            Self::GitMs => "milliseconds for the look at the repository when a session begins",
        }
    }

    /// As `config.toml` has it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ResultChars => "context.result_chars",
            Self::RoundResultChars => "context.round_result_chars",
            Self::PreviewBytes => "context.preview_bytes",
            Self::FailedResultChars => "context.failed_result_chars",
            Self::RecentRounds => "context.recent_rounds",
            Self::SnipAtLeast => "context.snip_at_least",
            Self::IdleMinutes => "context.idle_minutes",
            Self::KeptResults => "context.kept_results",
            Self::ClearResultsAt => "context.clear_results_at",
            Self::ServerClearAt => "context.server_clear_at",
            Self::ClearAtLeast => "context.clear_at_least",
            Self::ServerCompactAt => "context.server_compact_at",
            Self::SmallTalkChars => "context.small_talk_chars",
            Self::CollapseAtPercent => "context.collapse_at_percent",
            Self::ReservedOutput => "context.reserved_output",
            Self::CompactMargin => "context.compact_margin",
            Self::CompactAtPercent => "context.compact_at_percent",
            Self::WarningMargin => "context.warning_margin",
            Self::BlockingMargin => "context.blocking_margin",
            Self::CompactFailures => "context.compact_failures",
            Self::RefillRounds => "context.refill_rounds",
            Self::RefillsAllowed => "context.refills_allowed",
            Self::SummaryTokens => "context.summary_tokens",
            Self::SummaryRetries => "context.summary_retries",
            Self::KeptTokens => "context.kept_tokens",
            Self::ReattachedFiles => "context.reattached_files",
            Self::ReattachedFileTokens => "context.reattached_file_tokens",
            Self::ReattachedTokens => "context.reattached_tokens",
            Self::InputBytes => "context.input_bytes",
            Self::SeenFiles => "context.seen_files",
            Self::SeenBytes => "context.seen_bytes",
            Self::MemoryFileChars => "context.memory_file_chars",
            Self::AttachmentsMs => "context.attachments_ms",
            Self::GitMs => "context.git_ms",
        }
    }

    /// What it is unless it is set.
    pub const fn usual(self) -> u64 {
        match self {
            Self::ResultChars | Self::ReattachedTokens => 50_000,
            Self::RoundResultChars => 200_000,
            Self::PreviewBytes | Self::SnipAtLeast => 2_000,
            Self::RecentRounds => 10,
            Self::IdleMinutes => 60,
            Self::KeptResults | Self::ReattachedFiles => 5,
            Self::ClearResultsAt => 12,
            Self::ServerClearAt => 100_000,
            Self::ClearAtLeast | Self::ReservedOutput | Self::WarningMargin | Self::SummaryTokens => 20_000,
            Self::SmallTalkChars => 80,
            Self::CollapseAtPercent => 90,
            Self::CompactMargin => 13_000,
            Self::CompactAtPercent | Self::SeenFiles => 100,
            Self::SeenBytes => 25 * 1024 * 1024,
            Self::BlockingMargin => 3_000,
            Self::CompactFailures | Self::RefillRounds | Self::RefillsAllowed | Self::SummaryRetries => 3,
            Self::FailedResultChars | Self::KeptTokens => 10_000,
            Self::ReattachedFileTokens => 5_000,
            // A service takes 32 MB in a request, and the input goes back with every one that follows.
            Self::InputBytes => 8 * 1024 * 1024,
            Self::ServerCompactAt => 0,
            Self::MemoryFileChars => 40_000,
            Self::AttachmentsMs => 1_000,
            Self::GitMs => 500,
        }
    }

    const fn least(self) -> u64 {
        match self {
            Self::SnipAtLeast
            | Self::ClearAtLeast
            | Self::CompactMargin
            | Self::WarningMargin
            | Self::BlockingMargin
            | Self::RefillsAllowed
            | Self::SummaryRetries
            | Self::KeptTokens
            | Self::ReattachedFiles
            | Self::SmallTalkChars
            | Self::ServerCompactAt
            | Self::GitMs => 0,
            _ => 1,
        }
    }

    const fn most(self) -> u64 {
        match self {
            Self::CollapseAtPercent | Self::CompactAtPercent => 100,
            _ => u64::MAX,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_its_usual_one_until_it_is_set() {
        let mut settings = ContextSettings::default();
        assert_eq!(settings.number(ContextNumber::ResultChars), 50_000);
        settings.set(ContextNumber::ResultChars, &Value::Whole(7), Origin::Editor).unwrap();
        assert_eq!(settings.number(ContextNumber::ResultChars), 7);
        assert_eq!(settings.origin(ContextNumber::ResultChars), &Origin::Editor);
        assert_eq!(settings.origin(ContextNumber::PreviewBytes), &Origin::Default);
    }

    #[test]
    fn a_percentage_is_none_above_a_hundred() {
        let mut settings = ContextSettings::default();
        let error = settings.set(ContextNumber::CompactAtPercent, &Value::Whole(101), Origin::Editor);
        assert_eq!(error, Err("101 is too large: the most is 100".to_owned()));
        assert!(settings.set(ContextNumber::KeptResults, &Value::Whole(0), Origin::Editor).is_err());
    }

    #[test]
    fn a_service_that_summarises_does_so_from_where_it_can() {
        let mut settings = ContextSettings::default();
        let at = ContextNumber::ServerCompactAt;
        let error = settings.set(at, &Value::Whole(49_999), Origin::Editor);
        assert_eq!(error, Err("expected 0, for never, or 50000 or more, got 49999".to_owned()));
        for number in [0, 50_000] {
            assert_eq!(settings.set(at, &Value::Whole(number), Origin::Editor), Ok(()));
        }
    }

    #[test]
    fn every_number_has_a_name_of_its_own() {
        let names: std::collections::BTreeSet<_> = ContextNumber::ALL.map(ContextNumber::name).into();
        assert_eq!(names.len(), ContextNumber::ALL.len());
    }
}
