//! A streamed answer put together: the Messages API's events in, ours out.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::failure::faulty;
use crate::conversation::{ContentBlock, StopReason, ToolUseId, Usage};
use crate::models::failure::Asked;
use crate::models::follow::Accumulate;
use crate::models::retry::Failure;
use crate::models::{BlockDelta, ProviderEvent};

/// What has come of one answer.
#[derive(Debug, Default)]
pub(super) struct Answer {
    open: BTreeMap<usize, Open>,
    usage: Usage,
    stop_reason: Option<StopReason>,
    finished_blocks: usize,
    stopped: bool,
}

/// What the stream itself says went wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// An `error` event: the vendor's error type and message.
    Reported { error_type: String, message: String },
    /// No JSON, or an event without what it must have.
    Malformed(String),
}

impl Answer {
    /// Takes the data of one event. Unknown events, blocks and deltas give nothing, since the API may add some.
    fn take(&mut self, data: &str) -> Result<Vec<ProviderEvent>, Fault> {
        let event: Value = serde_json::from_str(data).map_err(|error| Fault::Malformed(error.to_string()))?;
        match event.get("type").and_then(Value::as_str).unwrap_or_default() {
            "message_start" => {
                let message = event.get("message").unwrap_or(&Value::Null);
                self.count(message.get("usage"));
                Ok(vec![ProviderEvent::MessageStart {
                    response_id: text(message, "id"),
                    request_id: None,
                    model: text(message, "model"),
                    usage: self.usage,
                }])
            }
            "content_block_start" => Ok(self.open_block(index(&event)?, event.get("content_block"))),
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

    fn open_block(&mut self, index: usize, block: Option<&Value>) -> Vec<ProviderEvent> {
        let Some(open) = block.and_then(Open::of) else { return Vec::new() };
        let mut events = vec![ProviderEvent::BlockStart { index, block: open.empty() }];
        events.extend(open.begun().map(|delta| ProviderEvent::BlockDelta { index, delta }));
        self.open.insert(index, open);
        events
    }

    fn grow(&mut self, index: usize, delta: Option<&Value>) -> Vec<ProviderEvent> {
        let (Some(open), Some(delta)) = (self.open.get_mut(&index), delta) else { return Vec::new() };
        let delta = match delta.get("type").and_then(Value::as_str).unwrap_or_default() {
            "text_delta" => BlockDelta::Text(text(delta, "text")),
            "thinking_delta" => BlockDelta::Thinking(text(delta, "thinking")),
            "signature_delta" => BlockDelta::Signature(text(delta, "signature")),
            "input_json_delta" => BlockDelta::InputJson(text(delta, "partial_json")),
            _ => return Vec::new(),
        };
        if open.add(&delta) { vec![ProviderEvent::BlockDelta { index, delta }] } else { Vec::new() }
    }

    fn close_block(&mut self, index: usize) -> Vec<ProviderEvent> {
        let Some(open) = self.open.remove(&index) else { return Vec::new() };
        self.finished_blocks += 1;
        vec![ProviderEvent::BlockStop { index, block: open.whole() }]
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
        self.finished_blocks > 0
    }

    fn is_stopped(&self) -> bool {
        self.stopped
    }
}

/// A block that is still coming in.
#[derive(Debug)]
enum Open {
    Text(String),
    Thinking { thinking: String, signature: String },
    Redacted(String),
    Call { id: ToolUseId, name: String, at_start: Value, json: String, by: CallBy },
    Result { tool_use_id: ToolUseId, raw: Value },
}

/// Who runs a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CallBy {
    Us,
    Provider,
}

impl Open {
    fn of(block: &Value) -> Option<Self> {
        let call = |by| Self::Call {
            id: ToolUseId(text(block, "id")),
            name: text(block, "name"),
            at_start: block.get("input").cloned().unwrap_or_default(),
            json: String::new(),
            by,
        };
        Some(match block.get("type").and_then(Value::as_str)? {
            "text" => Self::Text(text(block, "text")),
            "thinking" => {
                Self::Thinking { thinking: text(block, "thinking"), signature: text(block, "signature") }
            }
            "redacted_thinking" => Self::Redacted(text(block, "data")),
            "tool_use" => call(CallBy::Us),
            "server_tool_use" => call(CallBy::Provider),
            other if other.ends_with("_tool_result") => {
                Self::Result { tool_use_id: ToolUseId(text(block, "tool_use_id")), raw: block.clone() }
            }
            _ => return None,
        })
    }

    /// The block as it is announced: deltas fill it.
    fn empty(&self) -> ContentBlock {
        match self {
            Self::Text(_) => ContentBlock::text(""),
            Self::Thinking { .. } => {
                ContentBlock::Thinking { thinking: String::new(), signature: String::new() }
            }
            Self::Redacted(data) => ContentBlock::RedactedThinking { data: data.clone() },
            Self::Call { id, name, by, .. } => call(*by, id.clone(), name.clone(), Map::new()),
            Self::Result { tool_use_id, raw } => {
                ContentBlock::ServerToolResult { tool_use_id: tool_use_id.clone(), raw: raw.clone() }
            }
        }
    }

    /// What the announcement already held.
    fn begun(&self) -> Option<BlockDelta> {
        match self {
            Self::Text(text) if !text.is_empty() => Some(BlockDelta::Text(text.clone())),
            Self::Thinking { thinking, .. } if !thinking.is_empty() => {
                Some(BlockDelta::Thinking(thinking.clone()))
            }
            Self::Text(_)
            | Self::Thinking { .. }
            | Self::Redacted(_)
            | Self::Call { .. }
            | Self::Result { .. } => None,
        }
    }

    /// Adds a piece; `false` if such a piece does not belong to such a block.
    fn add(&mut self, delta: &BlockDelta) -> bool {
        match (self, delta) {
            (Self::Text(text), BlockDelta::Text(piece)) => text.push_str(piece),
            (Self::Thinking { thinking, .. }, BlockDelta::Thinking(piece)) => thinking.push_str(piece),
            (Self::Thinking { signature, .. }, BlockDelta::Signature(piece)) => signature.push_str(piece),
            (Self::Call { json, .. }, BlockDelta::InputJson(piece)) => json.push_str(piece),
            _ => return false,
        }
        true
    }

    fn whole(self) -> ContentBlock {
        match self {
            Self::Text(text) => ContentBlock::Text { text },
            Self::Thinking { thinking, signature } => ContentBlock::Thinking { thinking, signature },
            Self::Redacted(data) => ContentBlock::RedactedThinking { data },
            Self::Call { id, name, at_start, json, by } => call(by, id, name, input(at_start, json)),
            Self::Result { tool_use_id, raw } => ContentBlock::ServerToolResult { tool_use_id, raw },
        }
    }
}

fn call(by: CallBy, id: ToolUseId, name: String, input: Map<String, Value>) -> ContentBlock {
    let input = Value::Object(input);
    match by {
        CallBy::Us => ContentBlock::ToolUse { id, name, input },
        CallBy::Provider => ContentBlock::ServerToolUse { id, name, input },
    }
}

/// The input of a call: its joined pieces, else what it was announced with. What is no JSON object is kept as text in
/// one, so that the tool refuses it by name and the model sees what it sent.
fn input(at_start: Value, json: String) -> Map<String, Value> {
    let parsed = if json.trim().is_empty() { Ok(at_start) } else { serde_json::from_str(&json) };
    match parsed {
        Ok(Value::Object(input)) => input,
        Ok(Value::Null) => Map::new(),
        Ok(_) | Err(_) => Map::from_iter([("unparsed_input".to_owned(), json!(json))]),
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
        other => StopReason::Other(other.to_owned()),
    }
}

#[cfg(test)]
mod tests;
