//! The answer was cut at its most tokens: first the same request with more room, then the model goes on from the cut, a
//! few times.

use std::time::SystemTime;

use super::{Continuation, End, Step, meta, with};
use crate::agent::params::Limits;
use crate::agent::query::answer::Answer;
use crate::agent::state::State;
use crate::agent::{Continue, TerminalReason};

/// How often the model is asked to go on from a cut, until the next turn.
pub(in crate::agent::query) const RECOVERIES: u32 = 3;

const GO_ON: &str = "Your answer was cut off at the limit of its length. Go on exactly where it was cut: no apology, no recap. \
    Do what is left in smaller pieces.";

/// What is done about a cut `answer`. `largest`: the most tokens that the model gives in one answer.
pub(in crate::agent::query) fn output_cut(
    state: State,
    answer: &Answer,
    limits: &Limits,
    largest: u32,
    at: SystemTime,
) -> Step {
    if let Some(room) = more_room(&state, limits, largest) {
        escalate(state, answer, room)
    } else if state.max_output_tokens_recovery_count < RECOVERIES {
        resume(state, answer, at)
    } else {
        let error = "The answer was cut off at the most tokens allowed, again and again: send \"go on\", or ask for less at a time.";
        Step::Terminal(End::failing(TerminalReason::ModelError, error))
    }
}

/// Once, and only where the user has set no limit of their own.
fn more_room(state: &State, limits: &Limits, largest: u32) -> Option<u32> {
    let first_cut = state.max_output_tokens_override.is_none()
        && state.max_output_tokens_recovery_count == 0
        && state.transition != Some(Continue::MaxOutputTokensEscalate);
    let room = limits.escalated_output_tokens.min(largest);
    (first_cut && limits.max_output_tokens.is_none() && room > limits.first_output_tokens).then_some(room)
}

/// The same request with `room`; the cut answer is void.
fn escalate(state: State, answer: &Answer, room: u32) -> Step {
    let State {
        messages,
        tool_use_context,
        auto_compact_tracking,
        max_output_tokens_recovery_count,
        has_attempted_reactive_compact,
        max_output_tokens_override: _,
        pending_tool_use_summary,
        stop_hook_active,
        turn_count,
        transition: _,
    } = state;
    let state = State {
        messages,
        tool_use_context,
        auto_compact_tracking,
        max_output_tokens_recovery_count,
        has_attempted_reactive_compact,
        max_output_tokens_override: Some(room),
        pending_tool_use_summary,
        stop_hook_active,
        turn_count,
        transition: Some(Continue::MaxOutputTokensEscalate),
    };
    Step::Continue(Continuation { state, void: answer.record_ids(), told: Vec::new() })
}

/// The cut answer stands and the model goes on behind it. A call that was cut off in it is void.
fn resume(state: State, answer: &Answer, at: SystemTime) -> Step {
    let State {
        messages,
        tool_use_context,
        auto_compact_tracking,
        max_output_tokens_recovery_count,
        has_attempted_reactive_compact,
        max_output_tokens_override: _,
        pending_tool_use_summary,
        stop_hook_active,
        turn_count,
        transition: _,
    } = state;
    let (kept, void) = answer.without_calls();
    let go_on = meta(at, GO_ON);
    let state = State {
        messages: with(&messages, kept.into_iter().chain([go_on.clone()])),
        tool_use_context,
        auto_compact_tracking: auto_compact_tracking.next_round(),
        max_output_tokens_recovery_count: max_output_tokens_recovery_count + 1,
        has_attempted_reactive_compact,
        max_output_tokens_override: None,
        pending_tool_use_summary,
        stop_hook_active,
        turn_count,
        transition: Some(Continue::MaxOutputTokensRecovery),
    };
    Step::Continue(Continuation { state, void, told: vec![go_on] })
}
