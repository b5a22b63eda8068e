//! What a model call came to, as the loop tells its ways on apart.

use super::answer::Answer;
use crate::conversation::{StopReason, raw_of_unparsed};
use crate::models::{ModelError, ModelErrorKind};

/// How the stream of an answer ended.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Streamed {
    Whole,
    /// It broke off after finished blocks, which stand. Why, for the person.
    Incomplete(String),
    Failed(ModelError),
    /// By the user.
    Cancelled,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Outcome {
    /// There are calls to run, whatever the stop reason says.
    Calls,
    /// Nothing is left to do. A word for the person, if the answer is not all that was to come.
    Done(Option<String>),
    /// Stopped at the most tokens of an answer.
    Cut,
    /// The conversation is more than the model takes, or holds what it can't take.
    TooLong(ModelError),
    Empty,
    /// The provider paused in its own tools.
    Paused,
    Refused,
    Failed(ModelError),
    Cancelled,
}

pub(super) fn outcome(answer: &Answer, streamed: Streamed) -> Outcome {
    match streamed {
        Streamed::Cancelled => Outcome::Cancelled,
        Streamed::Failed(error) => match error.kind {
            ModelErrorKind::PromptTooLong
            | ModelErrorKind::RequestTooLarge
            | ModelErrorKind::MediaRefused => Outcome::TooLong(error),
            ModelErrorKind::Unreachable
            | ModelErrorKind::Authentication
            | ModelErrorKind::Permission
            | ModelErrorKind::Billing
            | ModelErrorKind::UnknownModel
            | ModelErrorKind::RateLimit
            | ModelErrorKind::Overloaded
            | ModelErrorKind::Server
            | ModelErrorKind::InvalidRequest
            | ModelErrorKind::StreamCut
            | ModelErrorKind::Stalled
            | ModelErrorKind::Malformed => Outcome::Failed(error),
        },
        Streamed::Incomplete(_) if !answer.calls.is_empty() => Outcome::Calls,
        Streamed::Incomplete(why) => Outcome::Done(Some(why)),
        Streamed::Whole => of_whole(answer),
    }
}

fn of_whole(answer: &Answer) -> Outcome {
    match &answer.stop_reason {
        Some(StopReason::Refusal) => Outcome::Refused,
        Some(StopReason::MaxTokens) if only_cut_calls(answer) => Outcome::Cut,
        Some(StopReason::ContextWindowExceeded) if only_cut_calls(answer) => {
            let message =
                "The conversation fills the model's window. Start a new session, or ask about less.";
            Outcome::TooLong(ModelError::new(ModelErrorKind::PromptTooLong, message))
        }
        _ if !answer.calls.is_empty() => Outcome::Calls,
        Some(StopReason::PauseTurn | StopReason::Compaction) => Outcome::Paused,
        _ if !answer.has_substance() => Outcome::Empty,
        _ => Outcome::Done(None),
    }
}

/// Whether no call of a cut answer is whole: only the last one can be cut, and then its input breaks off or is missing.
fn only_cut_calls(answer: &Answer) -> bool {
    match answer.calls.as_slice() {
        [] => true,
        [call] => {
            answer.ends_with_a_call()
                && (raw_of_unparsed(&call.input).is_some()
                    || call.input.as_object().is_some_and(serde_json::Map::is_empty))
        }
        _ => false,
    }
}
