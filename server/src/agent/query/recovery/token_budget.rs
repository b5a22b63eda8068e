//! A task with a budget of tokens goes on until it is nearly used, or until going on brings nothing more.

use std::ops::ControlFlow;
use std::time::SystemTime;

use super::{Step, meta, with};
use crate::agent::Continue;
use crate::agent::state::State;
use crate::conversation::Message;

/// The part of the budget, in percent, from which on the task may end.
const ENOUGH: u64 = 90;
/// A continuation that gives fewer tokens than this gained little.
const LITTLE: u64 = 500;
/// Continuations before little gains count.
const AT_LEAST: u32 = 3;

/// How a task has used its budget so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::agent::query) struct BudgetTracker {
    continuations: u32,
    /// At the last check.
    used: u64,
    last_gain: Option<u64>,
}

/// `Continue`: the task may end, and the state is handed back. `used`: tokens the model has given in this task; `answer`: what it ended with.
pub(in crate::agent::query) fn token_budget(
    state: State,
    answer: Vec<Message>,
    tracker: &mut BudgetTracker,
    used: u64,
    budget: Option<u64>,
    at: SystemTime,
) -> ControlFlow<Step, State> {
    let Some(budget) = budget.filter(|budget| *budget > 0) else { return ControlFlow::Continue(state) };
    let percent = used.saturating_mul(100) / budget;
    if percent >= ENOUGH || tracker.gains_little(used) {
        return ControlFlow::Continue(state);
    }
    *tracker = tracker.went_on_at(used);
    let text = format!(
        "{percent} % of the budget for this task is used: {used} of {budget} tokens. Go on working; do not sum up yet."
    );
    ControlFlow::Break(nudged(state, answer, meta(at, text)))
}

impl BudgetTracker {
    /// Whether this gain and the one before were both little.
    fn gains_little(&self, used: u64) -> bool {
        let gain = used.saturating_sub(self.used);
        self.continuations >= AT_LEAST && gain < LITTLE && self.last_gain.is_some_and(|last| last < LITTLE)
    }

    fn went_on_at(&self, used: u64) -> Self {
        let gain = used.saturating_sub(self.used);
        Self { continuations: self.continuations + 1, used, last_gain: Some(gain) }
    }
}

fn nudged(state: State, answer: Vec<Message>, nudge: Message) -> Step {
    let State {
        messages,
        tool_use_context,
        auto_compact_tracking,
        max_output_tokens_recovery_count: _,
        has_attempted_reactive_compact: _,
        max_output_tokens_override: _,
        pending_tool_use_summary,
        stop_hook_active: _,
        turn_count,
        transition: _,
    } = state;
    let state = State {
        messages: with(&messages, answer.into_iter().chain([nudge.clone()])),
        tool_use_context,
        auto_compact_tracking: auto_compact_tracking.next_round(),
        max_output_tokens_recovery_count: 0,
        has_attempted_reactive_compact: false,
        max_output_tokens_override: None,
        pending_tool_use_summary,
        stop_hook_active: false,
        turn_count,
        transition: Some(Continue::TokenBudgetContinuation),
    };
    Step::go_on_with(state, nudge)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The checks at which a task that gives `gain` tokens a time, within `budget`, goes on.
    #[track_caller]
    fn check(gain: u64, budget: u64, want: &[u64]) {
        let mut tracker = BudgetTracker::default();
        let mut went_on = Vec::new();
        let mut used = gain;
        while used * 100 / budget < ENOUGH && !tracker.gains_little(used) {
            tracker = tracker.went_on_at(used);
            went_on.push(used);
            used += gain;
        }
        assert_eq!(went_on, want);
    }

    #[test]
    fn a_task_goes_on_to_nine_tenths_or_until_it_brings_little() {
        check(2_000, 10_000, &[2_000, 4_000, 6_000, 8_000]);
        check(9_000, 10_000, &[]);
        check(8_999, 10_000, &[8_999]);
        check(100, 10_000, &[100, 200, 300]);
    }
}
