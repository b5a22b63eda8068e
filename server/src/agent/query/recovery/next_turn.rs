//! The calls were run: the model is told what came of them, unless this was the last turn.

use std::time::SystemTime;

use super::{End, Step, with};
use crate::agent::background::PendingToolUseSummary;
use crate::agent::outbox::attachment;
use crate::agent::params::Limits;
use crate::agent::state::State;
use crate::agent::{Continue, TerminalReason};
use crate::conversation::{AttachmentKind, Message};

/// How often in a row a paused answer goes back: each time is a request to be paid for, with nothing done in between.
const PAUSES: u32 = 5;

/// Whether no further turn is allowed. It is asked after the calls were run, so that their results are kept.
pub(in crate::agent::query) fn is_last_turn(state: &State, limits: &Limits) -> bool {
    state.turn_count + 1 > limits.max_turns
}

/// The next turn. `said`: the answer, the results of its calls, then what came up meanwhile. `summary`: what is being made of
/// the calls; it takes the place of one that was not made in time.
pub(in crate::agent::query) fn next_turn(
    state: State,
    said: Vec<Message>,
    summary: Option<PendingToolUseSummary>,
) -> Step {
    let State {
        messages,
        tool_use_context,
        auto_compact_tracking,
        max_output_tokens_recovery_count: _,
        has_attempted_reactive_compact: _,
        max_output_tokens_override: _,
        pending_tool_use_summary,
        stop_hook_active,
        turn_count,
        transition: _,
    } = state;
    Step::go_on(State {
        messages: with(&messages, said),
        tool_use_context,
        auto_compact_tracking: auto_compact_tracking.next_round(),
        max_output_tokens_recovery_count: 0,
        has_attempted_reactive_compact: false,
        max_output_tokens_override: None,
        pending_tool_use_summary: summary.or(pending_tool_use_summary),
        stop_hook_active,
        turn_count: turn_count + 1,
        transition: Some(Continue::NextTurn),
    })
}

/// The provider paused in the middle of its own tools (`pause_turn`): its answer goes back as it is. `pauses`: how many
/// came in a row before this one.
pub(in crate::agent::query) fn paused(
    state: State,
    answer: Vec<Message>,
    pauses: u32,
    limits: &Limits,
    at: SystemTime,
) -> Step {
    if pauses >= PAUSES {
        let error = "The provider paused its answer again and again without coming to an end. Send \"go on\", or ask for less at a time.";
        return Step::Terminal(End::failing(TerminalReason::ModelError, error));
    }
    if is_last_turn(&state, limits) { max_turns_reached(&state, at) } else { next_turn(state, answer, None) }
}

/// The end after the most turns.
pub(in crate::agent::query) fn max_turns_reached(state: &State, at: SystemTime) -> Step {
    let turns = state.turn_count;
    let rounds = if turns == 1 { "1 round".to_owned() } else { format!("{turns} rounds") };
    let text = format!("The task was stopped after {rounds} of tool calls, the most allowed.");
    let told = attachment(at, AttachmentKind::MaxTurnsReached, text.clone());
    // In an editor, and where the task was all there was.
    let way =
        "`max_turns` allows more (`--max-turns` at a terminal); in an editor the next message goes on, too.";
    let end = End::saying(TerminalReason::MaxTurns, format!("{text} {way}"));
    Step::Terminal(End { told: vec![told], ..end })
}
