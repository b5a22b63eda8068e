//! The conversation is longer than the model takes: what is folded already is committed first, then all of it is summed
//! up, once; after that the error stands.

use std::sync::Arc;

use super::{Continuation, End, Step};
use crate::agent::state::State;
use crate::agent::{Continue, TerminalReason};
use crate::context::CompactState;
use crate::conversation::{Message, MessageId};
use crate::models::{ModelError, ModelErrorKind};

/// Not twice in a row: the second time there is nothing left that it would free.
pub(in crate::agent::query) fn may_drain(state: &State) -> bool {
    state.transition != Some(Continue::CollapseDrainRetry)
}

/// Once until the next turn; and not for more tokens right behind a summary, of which a second one would leave as much.
pub(in crate::agent::query) fn may_compact(state: &State, error: &ModelError) -> bool {
    let frees_nothing =
        error.kind == ModelErrorKind::PromptTooLong && state.auto_compact_tracking.rounds_since == Some(0);
    !state.has_attempted_reactive_compact && !frees_nothing
}

/// Folds were committed: the same again, shorter. `void`: what of a partial answer was shown.
pub(in crate::agent::query) fn drained(state: State, void: Vec<MessageId>) -> Step {
    let State {
        messages,
        tool_use_context,
        auto_compact_tracking,
        max_output_tokens_recovery_count,
        has_attempted_reactive_compact,
        max_output_tokens_override,
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
        max_output_tokens_override,
        pending_tool_use_summary,
        stop_hook_active,
        turn_count,
        transition: Some(Continue::CollapseDrainRetry),
    };
    Step::Continue(Continuation { state, void, told: Vec::new() })
}

/// The conversation was summed up: `messages` stand for all of it.
pub(in crate::agent::query) fn compacted(
    state: State,
    messages: Arc<[Message]>,
    tracking: CompactState,
) -> Step {
    let State {
        messages: _,
        tool_use_context,
        auto_compact_tracking: _,
        max_output_tokens_recovery_count,
        has_attempted_reactive_compact: _,
        max_output_tokens_override,
        pending_tool_use_summary,
        stop_hook_active,
        turn_count,
        transition: _,
    } = state;
    let state = State {
        messages,
        tool_use_context,
        auto_compact_tracking: tracking,
        max_output_tokens_recovery_count,
        has_attempted_reactive_compact: true,
        max_output_tokens_override,
        pending_tool_use_summary,
        stop_hook_active,
        turn_count,
        transition: Some(Continue::ReactiveCompactRetry),
    };
    Step::go_on(state)
}

/// Nothing helped: the error that was held back is the end.
pub(in crate::agent::query) fn given_up(error: &ModelError, void: Vec<MessageId>) -> Step {
    let reason = match error.kind {
        ModelErrorKind::MediaRefused => TerminalReason::ImageError,
        _ => TerminalReason::PromptTooLong,
    };
    Step::Terminal(End { void, ..End::failing(reason, error.message.as_str()) })
}
