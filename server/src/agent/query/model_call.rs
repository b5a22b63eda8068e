//! One call of the model, from the request to a whole answer, or to why there is none.

use std::collections::BTreeSet;

use futures::StreamExt as _;

use super::super::LoopEvent;
use super::super::outbox::{Outbox, notice};
use super::{Answer, QueryParams};
use crate::conversation::{Message, ToolUseId, Usage};
use crate::models::{ModelError, ModelErrorKind, ModelRequest};

/// How a model call ended.
pub(super) enum Answered {
    Whole(Answer),
    /// The stream broke off after finished blocks: they stand, what was cut is dropped. Why, for the person.
    Incomplete(Answer, String),
    Failed(ModelError),
    /// By the user, with the blocks that were finished.
    Cancelled(Answer),
}

impl Answered {
    /// What it cost, as far as the provider has said.
    pub(super) fn usage(&self) -> Usage {
        match self {
            Self::Whole(answer) | Self::Incomplete(answer, _) | Self::Cancelled(answer) => answer.usage,
            Self::Failed(_) => Usage::default(),
        }
    }
}

/// How often an answer that broke off after nothing but thoughts is asked for again. (Before any block is finished the
/// provider itself tries again.)
const RETRIES: u32 = 2;

/// Asks the model; every event and every finished block goes out as it comes.
pub(super) async fn ask(
    params: &QueryParams,
    request: ModelRequest,
    known: &BTreeSet<ToolUseId>,
    outbox: &Outbox,
) -> Answered {
    let mut retries = 0;
    loop {
        let (answer, error) = match attempt(params, request.clone(), known, outbox).await {
            Attempt::Cancelled(answer) => return Answered::Cancelled(answer),
            Attempt::Ended(answer, error) => (answer, error),
        };
        if answer.is_whole() && !answer.records.is_empty() {
            return Answered::Whole(answer);
        }
        if answer.has_substance() {
            let why = format!("The answer may be incomplete: {}", error.message);
            outbox.message(notice((params.clock)(), &why));
            return Answered::Incomplete(answer, why);
        }
        // What was thought can't be sent back without what was to follow.
        for record in &answer.records {
            outbox.emit(LoopEvent::Tombstone { message_id: record.id.clone() });
        }
        let only_thoughts = !answer.records.is_empty();
        let empty = error.kind == ModelErrorKind::Malformed && answer.is_whole();
        if !(only_thoughts || empty) || retries == RETRIES {
            return Answered::Failed(error);
        }
        retries += 1;
        tracing::warn!(retries, error = error.message, "the answer broke off and is asked for again");
    }
}

enum Attempt {
    /// With the error that ended it; after a whole answer it has no meaning.
    Ended(Answer, ModelError),
    Cancelled(Answer),
}

async fn attempt(
    params: &QueryParams,
    request: ModelRequest,
    known: &BTreeSet<ToolUseId>,
    outbox: &Outbox,
) -> Attempt {
    let mut answer = Answer::default();
    let mut events = params.provider.stream(request);
    loop {
        let next = tokio::select! {
            biased;
            () = params.tool_use_context.cancel.cancelled() => return Attempt::Cancelled(answer),
            next = events.next() => next,
        };
        match next {
            Some(Ok(event)) => {
                outbox.emit(LoopEvent::Stream(event.clone()));
                if let Some(record) = answer.take(event, known, (params.clock)()) {
                    outbox.message(Message::Assistant(record));
                }
            }
            Some(Err(error)) => return Attempt::Ended(answer, error),
            None => {
                let error = if answer.is_whole() {
                    ModelError::new(
                        ModelErrorKind::Malformed,
                        "The model's answer was empty. Try again, or say it in other words.",
                    )
                } else {
                    ModelError::new(
                        ModelErrorKind::StreamCut,
                        "The connection to the model ended before its answer did. Try again.",
                    )
                };
                return Attempt::Ended(answer, error);
            }
        }
    }
}
