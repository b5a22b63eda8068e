//! The model declined to answer: what it said is not sent back, and the person learns it.

use super::{End, Step};
use crate::agent::TerminalReason;
use crate::agent::query::answer::Answer;

/// The end after a refusal. What calls of it have done stays in the conversation; words alone are void.
pub(in crate::agent::query) fn refused(answer: &Answer) -> Step {
    let end = End::failing(
        TerminalReason::ModelError,
        "The model declined to answer this. Say it in other words, or choose another model.",
    );
    let void = if answer.calls.is_empty() { answer.record_ids() } else { Vec::new() };
    Step::Terminal(End { void, ..end })
}
