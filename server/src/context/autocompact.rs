//! The sixth step: when a conversation has grown so long that a summary must take its place.

use super::pipeline::PipelineInput;
use crate::config::{ContextNumber, ContextSettings};
use crate::models::Window;

/// What is to be done with a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    Send,
    /// First a summary, then the request anew.
    Compact,
    /// It is not sent: why, and what to do, for the person.
    Blocked(String),
}

/// How compaction has gone so far in a session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CompactState {
    /// Rounds since the last summary; `None`: there was none in this task.
    pub rounds_since: Option<u32>,
    /// Failed attempts in a row.
    pub consecutive_failures: u32,
    /// Summaries in a row after each of which the conversation was full again within a few rounds.
    pub rapid_refills: u32,
}

/// Whether a request of `tokens` is made shorter by a summary first. Where summaries keep failing, none is asked for any
/// more; where they do not help, the task ends rather than spend more on them.
pub(super) fn autocompact(tokens: u64, input: &PipelineInput<'_>) -> Verdict {
    let settings = input.settings;
    let thresholds = Thresholds::of(input.window, settings);
    if !input.state.may_compact(settings) || tokens < thresholds.compact {
        Verdict::Send
    } else if input.state.rounds_since == Some(0) {
        Verdict::Blocked(format!(
            "Even summarised, the conversation takes {tokens} tokens, and the model has room for {}. Start a new one, with \
             less in it.",
            thresholds.compact
        ))
    } else if u64::from(input.state.rapid_refills) >= settings.number(ContextNumber::RefillsAllowed) {
        Verdict::Blocked(
            "The conversation was summarised several times and was full again each time after a few steps. Give the task \
             in smaller parts, or start a new conversation."
                .to_owned(),
        )
    } else {
        Verdict::Compact
    }
}

/// Token counts at which something happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Thresholds {
    /// The window without the room that is kept for the answer.
    pub effective: u64,
    pub warning: u64,
    /// From here on a summary is made.
    pub compact: u64,
    /// From here on nothing is sent.
    pub blocking: u64,
}

impl CompactState {
    /// Whether summaries are made without asking, and have not failed too often.
    pub(super) fn may_compact(self, settings: &ContextSettings) -> bool {
        settings.auto_compact.value
            && u64::from(self.consecutive_failures) < settings.number(ContextNumber::CompactFailures)
    }

    /// After a round of calls.
    #[must_use]
    pub fn next_round(self) -> Self {
        Self { rounds_since: self.rounds_since.map(|rounds| rounds.saturating_add(1)), ..self }
    }

    /// After a failed attempt.
    #[must_use]
    pub fn failed(self) -> Self {
        Self { consecutive_failures: self.consecutive_failures.saturating_add(1), ..self }
    }

    /// After a summary.
    #[must_use]
    pub fn succeeded(self, settings: &ContextSettings) -> Self {
        let soon = u32::try_from(settings.number(ContextNumber::RefillRounds)).unwrap_or(u32::MAX);
        let was_rapid = self.rounds_since.is_some_and(|rounds| rounds <= soon);
        Self {
            rounds_since: Some(0),
            consecutive_failures: 0,
            rapid_refills: if was_rapid { self.rapid_refills.saturating_add(1) } else { 0 },
        }
    }

    /// With the user's next prompt a new task begins.
    #[must_use]
    pub fn next_task(self) -> Self {
        Self { rounds_since: None, rapid_refills: 0, ..self }
    }
}

impl Thresholds {
    /// Of a model with `window`. The margins are a fifth of what they are taken from, at most: small windows have little
    /// to spare.
    pub fn of(window: Window, settings: &ContextSettings) -> Self {
        let number = |which| settings.number(which);
        let below = |from: u64, margin: u64| from - margin.min(from / 5);
        let reserved =
            number(ContextNumber::ReservedOutput).min(u64::from(window.max_output)).min(window.context / 2);
        let effective = window.context - reserved;
        let at_percent = effective / 100 * number(ContextNumber::CompactAtPercent)
            + effective % 100 * number(ContextNumber::CompactAtPercent) / 100;
        let compact = below(effective, number(ContextNumber::CompactMargin)).min(at_percent);
        Self {
            effective,
            warning: below(compact, number(ContextNumber::WarningMargin)),
            compact,
            blocking: below(effective, number(ContextNumber::BlockingMargin)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(window: (u64, u32), settings: &ContextSettings, want: [u64; 4]) {
        let window = Window { context: window.0, max_output: window.1 };
        let Thresholds { effective, warning, compact, blocking } = Thresholds::of(window, settings);
        assert_eq!([effective, warning, compact, blocking], want);
    }

    #[test]
    fn thresholds_of_usual_and_of_small_windows() {
        let usual = ContextSettings::default();
        check((200_000, 64_000), &usual, [180_000, 147_000, 167_000, 177_000]);
        check((100_000, 64_000), &usual, [80_000, 53_600, 67_000, 77_000]);
        check((1_000_000, 64_000), &usual, [980_000, 947_000, 967_000, 977_000]);
        check((8_192, 4_096), &usual, [4_096, 2_622, 3_277, 3_277]);
    }

    #[test]
    fn settings_move_them() {
        let with = |which, value| ContextSettings::default().with(which, value);
        let window = (200_000, 64_000);
        check(window, &with(ContextNumber::CompactAtPercent, 50), [180_000, 72_000, 90_000, 177_000]);
        check(window, &with(ContextNumber::CompactAtPercent, 99), [180_000, 147_000, 167_000, 177_000]);
    }

    #[test]
    fn a_conversation_that_is_full_again_at_once_is_counted() {
        let settings = ContextSettings::default();
        let mut state = CompactState::default().succeeded(&settings);
        assert_eq!(state.rapid_refills, 0);
        for refills in 1..=3 {
            state = state.next_round().next_round().succeeded(&settings);
            assert_eq!(state.rapid_refills, refills);
        }
        for _ in 0..4 {
            state = state.next_round();
        }
        assert_eq!(state.succeeded(&settings).rapid_refills, 0);
    }
}
