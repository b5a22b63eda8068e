//! How the summaries of a session have gone, which says whether another one is worth it.

use crate::config::{ContextNumber, ContextSettings};

/// Of one session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CompactState {
    /// Answers since the last summary that the conversation has grown by; `None`: there was none in this task.
    pub rounds_since: Option<u32>,
    /// Failed attempts in a row.
    pub consecutive_failures: u32,
    /// Summaries in a row after each of which the conversation was full again within a few rounds.
    pub rapid_refills: u32,
    /// The service counted so much in the first request behind the last summary that another one would be due.
    pub still_full: bool,
}

impl CompactState {
    /// Whether summaries are made without asking, and have not failed too often.
    pub(super) fn may_compact(self, settings: &ContextSettings) -> bool {
        settings.auto_compact.value
            && u64::from(self.consecutive_failures) < settings.number(ContextNumber::CompactFailures)
    }

    /// After an answer behind which the conversation goes on.
    #[must_use]
    pub fn next_round(self) -> Self {
        Self { rounds_since: self.rounds_since.map(|rounds| rounds.saturating_add(1)), ..self }
    }

    /// After an answer to a request that took `tokens`, as the service counted it. `compact`: from how many on a summary
    /// is made.
    #[must_use]
    pub fn counted(self, tokens: u64, compact: u64) -> Self {
        let first = self.rounds_since == Some(0);
        Self { still_full: self.still_full || (first && tokens >= compact), ..self }
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
            still_full: false,
        }
    }

    /// With the user's next prompt a new task begins.
    #[must_use]
    pub fn next_task(self) -> Self {
        Self { rounds_since: None, rapid_refills: 0, still_full: false, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn what_the_service_counts_behind_a_summary_says_whether_it_helped() {
        let settings = ContextSettings::default();
        let begun = CompactState::default().counted(170_000, 167_000);
        assert!(!begun.still_full, "there was none yet");
        let summed = begun.succeeded(&settings);
        assert!(!summed.counted(166_999, 167_000).still_full);
        assert!(!summed.next_round().counted(167_000, 167_000).still_full, "the round has filled it");
        let full = summed.counted(167_000, 167_000).next_round();
        assert!(full.still_full && !full.next_task().still_full && !full.succeeded(&settings).still_full);
    }
}
