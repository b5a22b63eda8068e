//! A Stop hook's word on an end: it stands, the model goes on with the hook's errors, or nothing goes on at all.

use std::ops::ControlFlow;
use std::time::SystemTime;

use super::{End, Step, meta, with};
use crate::agent::params::Limits;
use crate::agent::state::State;
use crate::agent::{Continue, StopVerdict, TerminalReason};
use crate::conversation::Message;

/// `Continue`: the end stands, and the state is handed back. `answer`: what the model ended with; `blocks`: how often in a row its end was blocked before.
pub(in crate::agent::query) fn stop_hooks(
    state: State,
    answer: Vec<Message>,
    verdict: StopVerdict,
    blocks: u32,
    limits: &Limits,
    at: SystemTime,
) -> ControlFlow<Step, State> {
    match verdict {
        StopVerdict::Pass => ControlFlow::Continue(state),
        StopVerdict::Prevent(why) => {
            ControlFlow::Break(Step::Terminal(End::saying(TerminalReason::StopHookPrevented, why)))
        }
        StopVerdict::Blocking(_) if limits.stop_hook_blocks > 0 && blocks >= limits.stop_hook_blocks => {
            let why =
                format!("A Stop hook blocked the end {blocks} times in a row, so it was not asked again.");
            ControlFlow::Break(Step::Terminal(End::saying(TerminalReason::Completed, why)))
        }
        StopVerdict::Blocking(errors) => ControlFlow::Break(blocked(state, answer, &errors, at)),
    }
}

/// That a conversation was compacted before is kept: else too long, compacted, blocked and too long again would never end.
fn blocked(state: State, answer: Vec<Message>, errors: &[String], at: SystemTime) -> Step {
    let State {
        messages,
        tool_use_context,
        auto_compact_tracking,
        max_output_tokens_recovery_count: _,
        has_attempted_reactive_compact,
        max_output_tokens_override: _,
        pending_tool_use_summary,
        stop_hook_active: _,
        turn_count,
        transition: _,
    } = state;
    let told = meta(at, format!("A Stop hook found the work not done yet:\n{}", errors.join("\n")));
    let state = State {
        messages: with(&messages, answer.into_iter().chain([told.clone()])),
        tool_use_context,
        auto_compact_tracking: auto_compact_tracking.next_round(),
        max_output_tokens_recovery_count: 0,
        has_attempted_reactive_compact,
        max_output_tokens_override: None,
        pending_tool_use_summary,
        stop_hook_active: true,
        turn_count,
        transition: Some(Continue::StopHookBlocking),
    };
    Step::go_on_with(state, told)
}
