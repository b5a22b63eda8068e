//! One call of the model, from the request to an answer, or to why there is none. Its calls begin while it comes in.

use futures::StreamExt as _;

use super::answer::Answer;
use super::compacting::Request;
use super::outcome::Streamed;
use super::recovery::{Facts, Verdict, after_stream};
use super::{Executor, Task};
use crate::agent::LoopEvent;
use crate::agent::outbox::{fallback, notice};
use crate::agent::state::State;
use crate::config::ContextNumber;
use crate::conversation::{ContentBlock, Message};
use crate::models::{ModelError, ModelErrorKind, ModelRequest, OnOverload, ProviderEvent};

/// What came of asking, with the calls of the answer as far as they are.
pub(super) struct Call {
    pub(super) answer: Answer,
    pub(super) streamed: Streamed,
    pub(super) executor: Executor,
}

impl Task<'_> {
    /// Asks the model; every event and every finished block goes out as it comes. An answer that is void is asked for again
    /// here, of this model or the next: that is no transition, since nothing of it is left.
    pub(super) async fn ask(&mut self, state: &State, request: Request) -> Call {
        let mut tries = 0;
        loop {
            let mut executor = self.executor(&state.tool_use_context);
            let model = self.params.provider.info().model;
            let asked = self.request(state, &request, &model);
            let begun = (self.params.clock)();
            let attempt = self.attempt(asked, &model, &mut executor).await;
            self.account.waited += (self.params.clock)().duration_since(begun).unwrap_or_default();
            let Attempt { answer, error } = match attempt {
                Ok(attempt) => attempt,
                Err(answer) => {
                    self.spend(&model, answer.paid());
                    return self.call(answer, Streamed::Cancelled, executor);
                }
            };
            self.spend(&model, answer.paid());
            self.account.stop_reason = answer.stop_reason.clone().or(self.account.stop_reason.take());
            let facts = Facts {
                answer: &answer,
                error: error.as_ref(),
                effects: executor.has_effects(),
                tries,
                another_model: !self.params.fallbacks.is_empty(),
            };
            let verdict = after_stream(&facts);
            let error = error.unwrap_or_else(broken_off);
            match verdict {
                Verdict::Whole => return self.call(answer, Streamed::Whole, executor),
                Verdict::Incomplete => {
                    let why = format!("The answer may be incomplete: {}", error.message);
                    self.outbox.message(notice((self.params.clock)(), &why));
                    self.account.errors.push(why.clone());
                    return self.call(answer, Streamed::Incomplete(why), executor);
                }
                Verdict::Failed => {
                    self.void(&answer, executor);
                    let executor = self.executor(&state.tool_use_context);
                    return self.call(Answer::default(), Streamed::Failed(error), executor);
                }
                Verdict::Again => {
                    tries += 1;
                    tracing::warn!(
                        tries,
                        error = error.message,
                        "the answer broke off and is asked for again"
                    );
                    self.void(&answer, executor);
                }
                Verdict::OtherModel => {
                    tries = 0;
                    self.void(&answer, executor);
                    self.next_model(&answer, &error);
                    self.request_starts(state.turn_count);
                }
            }
        }
    }

    pub(super) fn request(&mut self, state: &State, request: &Request, model: &str) -> ModelRequest {
        let limits = &self.params.limits;
        let largest = self.params.provider.info().window.max_output;
        let usual = limits.max_output_tokens.unwrap_or_else(|| limits.first_output_tokens.min(largest));
        let max_tokens = state.max_output_tokens_override.unwrap_or(usual);
        let messages = self.sent.normalize_for(&state.messages, model);
        let tools = self.params.tools.definitions();
        ModelRequest {
            longest_input: self.params.context.settings.size(ContextNumber::InputBytes),
            context_edits: request.context_edits.clone(),
            on_overload: if self.params.fallbacks.is_empty() { OnOverload::Wait } else { OnOverload::Yield },
            ..ModelRequest::new(request.system.clone(), tools, messages, max_tokens)
        }
    }

    /// Streams one answer. `Err`: the user cancelled.
    async fn attempt(
        &mut self,
        request: ModelRequest,
        model: &str,
        executor: &mut Executor,
    ) -> Result<Attempt, Answer> {
        let mut answer = Answer::default();
        let mut events = self.params.provider.stream(request);
        loop {
            let next = tokio::select! {
                biased;
                () = self.params.tool_use_context.cancel.cancelled() => return Err(answer),
                next = events.next() => next,
                () = executor.advance() => continue,
            };
            match next {
                Some(Ok(event)) => {
                    let event = self.known.told_apart(event);
                    self.outbox.emit(LoopEvent::Stream(event.clone()));
                    if is_summary(&event) {
                        // The provider passes over all before it: no file that was read there is visible any more.
                        self.params.tool_use_context.seen.hide_all();
                    }
                    let (calls, now) = (answer.calls.len(), (self.params.clock)());
                    let is_known = |id: &_| self.known.has_call(id);
                    if let Some(record) = answer.take(event, model, is_known, now) {
                        self.outbox.message(Message::from(record));
                    }
                    for call in answer.calls.iter().skip(calls) {
                        executor.add(call.clone());
                    }
                }
                Some(Err(error)) => return Ok(Attempt { answer, error: Some(error) }),
                None => return Ok(Attempt { answer, error: None }),
            }
        }
    }

    fn call(&mut self, answer: Answer, streamed: Streamed, executor: Executor) -> Call {
        self.remember_ids(&answer);
        Call { answer, streamed, executor }
    }

    fn remember_ids(&mut self, answer: &Answer) {
        self.known.add_calls(answer.calls.iter().map(|call| call.id.clone()));
    }

    /// Takes back what was shown of an answer, and what its calls gave. Who looks on knows those calls by their ids: no
    /// later one has the same.
    fn void(&mut self, answer: &Answer, executor: Executor) {
        self.remember_ids(answer);
        self.outbox.void(answer.record_ids());
        self.outbox.void(executor.discard());
    }

    fn next_model(&mut self, answer: &Answer, error: &ModelError) {
        let Some(next) = self.params.fallbacks.pop_front() else { return };
        let (from, to) = (self.params.provider.info().label, next.info().label);
        let why =
            if answer.is_whole() { "The model declined to answer this." } else { error.message.as_str() };
        let text = format!("{why} For the rest of this task, {to} answers instead of {from}.");
        self.outbox.message(fallback((self.params.clock)(), &text));
        self.params.provider = next;
    }
}

/// An answer, as far as it came.
struct Attempt {
    answer: Answer,
    /// What ended the stream, if not its own end.
    error: Option<ModelError>,
}

/// Whether it ends a summary that the provider made of the conversation so far.
fn is_summary(event: &ProviderEvent) -> bool {
    matches!(event, ProviderEvent::BlockStop { block: ContentBlock::Compaction { .. }, .. })
}

fn broken_off() -> ModelError {
    ModelError::new(
        ModelErrorKind::StreamCut,
        "The connection to the model ended before its answer did. Try again.",
    )
}
