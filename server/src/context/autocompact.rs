//! The sixth step: when a conversation has grown so long that a summary must take its place.

use super::step::PipelineInput;
use super::thresholds::Thresholds;
use crate::config::ContextNumber;

/// What is to be done with a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    Send,
    /// First a summary, then the request anew.
    Compact,
    /// It is not sent: why, and what to do, for the person.
    Blocked(String),
}

/// Whether a request of `tokens` is made shorter by a summary first. Where summaries keep failing, none is asked for any
/// more; where they do not help, the task ends rather than spend more on them.
pub(super) fn autocompact(tokens: u64, input: &PipelineInput<'_>) -> Verdict {
    let settings = input.settings;
    let thresholds = Thresholds::of(input.window, settings);
    if !input.state.may_compact(settings) || tokens < thresholds.compact {
        Verdict::Send
    } else if input.state.rounds_since == Some(0) || input.state.still_full {
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
