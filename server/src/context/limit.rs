//! The seventh step: what can't fit is not sent.

use super::autocompact::Verdict;
use super::step::PipelineInput;
use super::thresholds::Thresholds;

/// Blocks a request that is too long where no summary will be made of it. Where one can be, a refusal of the provider
/// leads to it.
pub(super) fn limit(verdict: Verdict, tokens: u64, input: &PipelineInput<'_>) -> Verdict {
    let thresholds = Thresholds::of(input.window, input.settings);
    let is_hopeless = tokens >= thresholds.blocking && !input.state.may_compact(input.settings);
    match verdict {
        Verdict::Send if is_hopeless => Verdict::Blocked(too_long(tokens, thresholds)),
        Verdict::Send | Verdict::Compact | Verdict::Blocked(_) => verdict,
    }
}

/// What a person is told of a request that is not sent.
pub fn too_long(tokens: u64, thresholds: Thresholds) -> String {
    format!(
        "The conversation takes {tokens} tokens, and the model has room for {}. Have it summarised (/compact), or start a \
         new one.",
        thresholds.blocking
    )
}

#[cfg(test)]
mod tests {
    use super::super::compact_state::CompactState;
    use super::super::fixture::Setting;
    use super::*;

    #[track_caller]
    fn check(tokens: u64, auto_compact: bool, failures: u32, blocked: bool) {
        let mut setting = Setting::new();
        setting.settings.auto_compact.value = auto_compact;
        setting.state = CompactState { consecutive_failures: failures, ..CompactState::default() };
        let verdict = limit(Verdict::Send, tokens, &setting.input());
        assert_eq!(matches!(verdict, Verdict::Blocked(_)), blocked, "{verdict:?}");
    }

    #[test]
    fn only_what_nothing_will_shorten_is_blocked() {
        check(176_999, false, 0, false);
        check(177_000, false, 0, true);
        check(177_000, true, 0, false);
        check(177_000, true, 3, true);
    }

    #[test]
    fn another_verdict_stands() {
        let setting = Setting::new();
        assert_eq!(limit(Verdict::Compact, 999_999, &setting.input()), Verdict::Compact);
    }
}
