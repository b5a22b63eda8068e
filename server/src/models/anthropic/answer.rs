//! A streamed answer put together: the Messages API's events in, ours out.

mod open;

use std::collections::BTreeMap;

use serde_json::Value;

use self::open::Open;
use super::failure::{Fault, faulty};
use crate::conversation::{ContentBlock, StopReason, ToolUseId, Usage};
use crate::models::call_input::LongestInput;
use crate::models::failure::Asked;
use crate::models::follow::Accumulate;
use crate::models::lone_surrogates::Halves;
use crate::models::retry::Failure;
use crate::models::{BlockDelta, ProviderEvent};

/// Bytes of one answer, far more than any model writes: a service that repeats itself without end is stopped there.
const LONGEST_ANSWER: usize = 64 * 1024 * 1024;

/// What has come of one answer.
#[derive(Debug, Default)]
pub(super) struct Answer {
    /// The model that was asked. The service may answer with the longer name behind an alias, but what a model signed is
    /// found again by the name it was asked by.
    model: String,
    request_id: Option<String>,
    response_id: Option<String>,
    /// Characters that are cut between two events.
    halves: Halves,
    open: BTreeMap<usize, Open>,
    /// Blocks of known kinds that were finished, by index; of a call, its id.
    finished: BTreeMap<usize, Option<ToolUseId>>,
    /// Finished calls that came without an id.
    without_id: Vec<ContentBlock>,
    usage: Usage,
    stop_reason: Option<StopReason>,
    stopped: bool,
    longest_input: LongestInput,
    /// Bytes taken so far.
    taken: usize,
}

impl Answer {
    /// Of `model`; `request_id` is the service's name for the request.
    pub(super) fn of(model: &str, request_id: Option<&str>) -> Self {
        Self { model: model.to_owned(), request_id: request_id.map(str::to_owned), ..Self::default() }
    }

    /// With calls whose inputs are no longer than that.
    pub(super) fn taking_up_to(self, longest_input: LongestInput) -> Self {
        Self { longest_input, ..self }
    }

    /// As far as the service has said.
    pub(super) fn usage(&self) -> Usage {
        self.usage
    }

    /// Takes the data of one event. Unknown events, blocks and deltas give nothing, since the API may add some.
    fn take(&mut self, data: &str) -> Result<Vec<ProviderEvent>, Fault> {
        self.taken += data.len();
        if self.taken > LONGEST_ANSWER {
            return Err(Fault::Malformed("it does not end".to_owned()));
        }
        let event = self.halves.parsed(data).map_err(|error| Fault::Malformed(error.to_string()))?;
        match event.get("type").and_then(Value::as_str).unwrap_or_default() {
            "message_start" => {
                if self.response_id.is_some() {
                    return Err(Fault::Malformed(
                        "a second message begins in the middle of the first".to_owned(),
                    ));
                }
                let message = event.get("message").unwrap_or(&Value::Null);
                self.count(message.get("usage"));
                let response_id = text(message, "id");
                self.response_id = Some(response_id.clone());
                Ok(vec![ProviderEvent::MessageStart {
                    response_id,
                    request_id: self.request_id.clone(),
                    model: self.model.clone(),
                    usage: self.usage,
                }])
            }
            "content_block_start" => self.open_block(index(&event)?, event.get("content_block")),
            "content_block_delta" => Ok(self.grow(index(&event)?, event.get("delta"))),
            "content_block_stop" => Ok(self.close_block(index(&event)?)),
            "message_delta" => {
                self.count(event.get("usage"));
                let reason = event.pointer("/delta/stop_reason").and_then(Value::as_str);
                self.stop_reason = reason.map(stop_reason).or(self.stop_reason.take());
                Ok(vec![ProviderEvent::MessageDelta {
                    stop_reason: self.stop_reason.clone(),
                    usage: self.usage,
                }])
            }
            "message_stop" => Ok(self.stop()),
            "error" => Err(Fault::Reported {
                error_type: event
                    .pointer("/error/type")
                    .and_then(Value::as_str)
                    .unwrap_or_default()
                    .to_owned(),
                message: event
                    .pointer("/error/message")
                    .and_then(Value::as_str)
                    .unwrap_or_default()
                    .to_owned(),
            }),
            _ => Ok(Vec::new()),
        }
    }

    fn stop(&mut self) -> Vec<ProviderEvent> {
        self.stopped = true;
        // Without a stop reason this is no answer, and the caller says so.
        if self.is_whole() { vec![ProviderEvent::MessageStop] } else { Vec::new() }
    }

    /// Figures are cumulative; a missing or zero one keeps what was said before.
    fn count(&mut self, usage: Option<&Value>) {
        let take = |name: &str, figure: &mut u64| {
            let said = usage.and_then(|usage| usage.get(name)).and_then(Value::as_u64);
            *figure = said.filter(|&said| said > 0).unwrap_or(*figure);
        };
        take("input_tokens", &mut self.usage.input_tokens);
        take("output_tokens", &mut self.usage.output_tokens);
        take("cache_creation_input_tokens", &mut self.usage.cache_creation_input_tokens);
        take("cache_read_input_tokens", &mut self.usage.cache_read_input_tokens);
    }

    fn open_block(&mut self, index: usize, block: Option<&Value>) -> Result<Vec<ProviderEvent>, Fault> {
        if let Some(Some(call)) = self.finished.get(&index)
            && block.is_some_and(|block| text(block, "id") == call.as_str())
        {
            // It is only said again: what follows of it belongs to no open block.
            return Ok(Vec::new());
        }
        if self.open.contains_key(&index) || self.finished.contains_key(&index) {
            return Err(Fault::Malformed(format!("block {index} begins twice")));
        }
        let stand_in = || self.stand_in(index);
        let Some(open) = block.and_then(|block| Open::of(block, stand_in, self.longest_input)) else {
            return Ok(Vec::new());
        };
        let mut events = vec![ProviderEvent::BlockStart { index, block: open.empty() }];
        events.extend(open.begun().map(|delta| ProviderEvent::BlockDelta { index, delta }));
        self.open.insert(index, open);
        Ok(events)
    }

    fn grow(&mut self, index: usize, delta: Option<&Value>) -> Vec<ProviderEvent> {
        let (Some(open), Some(delta)) = (self.open.get_mut(&index), delta) else { return Vec::new() };
        let delta = match delta.get("type").and_then(Value::as_str).unwrap_or_default() {
            "text_delta" => BlockDelta::Text(text(delta, "text")),
            "thinking_delta" => BlockDelta::Thinking(text(delta, "thinking")),
            "signature_delta" => BlockDelta::Signature(text(delta, "signature")),
            "input_json_delta" => BlockDelta::InputJson(text(delta, "partial_json")),
            "citations_delta" => BlockDelta::Citation(delta.get("citation").cloned().unwrap_or_default()),
            "compaction_delta" => BlockDelta::Compaction(text(delta, "content")),
            _ => return Vec::new(),
        };
        if open.add(&delta) { vec![ProviderEvent::BlockDelta { index, delta }] } else { Vec::new() }
    }

    fn close_block(&mut self, index: usize) -> Vec<ProviderEvent> {
        let Some(open) = self.open.remove(&index) else { return Vec::new() };
        let block = self.known_again(index, open.whole());
        let call = match &block {
            ContentBlock::ToolUse { id, .. } => Some(id.clone()),
            _ => None,
        };
        self.finished.insert(index, call);
        vec![ProviderEvent::BlockStop { index, block }]
    }

    /// `block`, which under the id of an earlier call is that call, said again. Without ids the same words are the same call.
    fn known_again(&mut self, index: usize, block: ContentBlock) -> ContentBlock {
        let ContentBlock::ToolUse { id, name, input } = &block else { return block };
        if id.as_str() != self.stand_in(index) {
            return block;
        }
        let is_same = |other: &&ContentBlock| matches!(other, ContentBlock::ToolUse { name: same, input: words, .. } if same == name && words == input);
        if let Some(earlier) = self.without_id.iter().find(is_same) {
            return earlier.clone();
        }
        self.without_id.push(block.clone());
        block
    }

    /// The id of a call that came without one. Unique in the conversation, as far as the ids of answers are.
    fn stand_in(&self, index: usize) -> String {
        format!("call_{}_{index}", self.response_id.as_deref().unwrap_or_default())
    }
}

impl Accumulate for Answer {
    fn accept(&mut self, data: &str, asked: Asked<'_>) -> Result<Vec<ProviderEvent>, Failure> {
        let early = !self.has_finished_blocks();
        self.take(data).map_err(|fault| faulty(fault, asked, early))
    }

    fn end(&mut self) -> Vec<ProviderEvent> {
        if self.stopped || !self.is_whole() { Vec::new() } else { self.stop() }
    }

    /// The answer has a stop reason and no block is open.
    fn is_whole(&self) -> bool {
        self.stop_reason.is_some() && self.open.is_empty()
    }

    fn has_finished_blocks(&self) -> bool {
        !self.finished.is_empty()
    }

    fn is_stopped(&self) -> bool {
        self.stopped
    }
}

fn index(event: &Value) -> Result<usize, Fault> {
    let index = event.get("index").and_then(Value::as_u64);
    index
        .map(|index| index as usize)
        .ok_or_else(|| Fault::Malformed("an event of a block has no `index`".to_owned()))
}

fn text(value: &Value, field: &str) -> String {
    value.get(field).and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn stop_reason(reason: &str) -> StopReason {
    match reason {
        "end_turn" => StopReason::EndTurn,
        "tool_use" => StopReason::ToolUse,
        "max_tokens" => StopReason::MaxTokens,
        "stop_sequence" => StopReason::StopSequence,
        "pause_turn" => StopReason::PauseTurn,
        "refusal" => StopReason::Refusal,
        "model_context_window_exceeded" => StopReason::ContextWindowExceeded,
        "compaction" => StopReason::Compaction,
        other => StopReason::Other(other.to_owned()),
    }
}

#[cfg(test)]
mod tests;
