//! A content block that is still coming in, piece by piece.

use serde_json::{Map, Value};

use super::text;
use crate::conversation::{ContentBlock, ToolUseId, unparsed_input};
use crate::models::call_input::{CallInput, LongestInput};
use crate::models::{BlockDelta, lone_surrogates};

/// What has come of it.
#[derive(Debug)]
pub(super) enum Open {
    Text(String),
    Thinking { thinking: String, signature: String },
    Redacted(String),
    Call { id: ToolUseId, name: String, at_start: Value, input: CallInput, by: CallBy },
    Result { tool_use_id: ToolUseId, raw: Value },
    Compaction(String),
}

/// Who runs a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CallBy {
    Us,
    Provider,
}

impl Open {
    /// What a `content_block_start` announces; `None`: a kind that is not known. `stand_in` is the id of a call that has
    /// none.
    pub(super) fn of(
        block: &Value,
        stand_in: impl FnOnce() -> String,
        longest_input: LongestInput,
    ) -> Option<Self> {
        let call = |by| Self::Call {
            id: ToolUseId(Some(text(block, "id")).filter(|id| !id.is_empty()).unwrap_or_else(stand_in)),
            name: text(block, "name"),
            at_start: block.get("input").cloned().unwrap_or_default(),
            input: CallInput::up_to(longest_input),
            by,
        };
        Some(match block.get("type").and_then(Value::as_str)? {
            "text" => Self::Text(text(block, "text")),
            "thinking" => {
                Self::Thinking { thinking: text(block, "thinking"), signature: text(block, "signature") }
            }
            "redacted_thinking" => Self::Redacted(text(block, "data")),
            "compaction" => Self::Compaction(text(block, "content")),
            "tool_use" => call(CallBy::Us),
            "server_tool_use" => call(CallBy::Provider),
            other if other.ends_with("_tool_result") => {
                Self::Result { tool_use_id: ToolUseId(text(block, "tool_use_id")), raw: block.clone() }
            }
            _ => return None,
        })
    }

    /// The block as it is announced: deltas fill it.
    pub(super) fn empty(&self) -> ContentBlock {
        match self {
            Self::Text(_) => ContentBlock::text(""),
            Self::Thinking { .. } => {
                ContentBlock::Thinking { thinking: String::new(), signature: String::new() }
            }
            Self::Redacted(data) => ContentBlock::RedactedThinking { data: data.clone() },
            Self::Compaction(_) => ContentBlock::Compaction { content: String::new() },
            Self::Call { id, name, by, .. } => call(*by, id.clone(), name.clone(), Value::Object(Map::new())),
            Self::Result { tool_use_id, raw } => {
                ContentBlock::ServerToolResult { tool_use_id: tool_use_id.clone(), raw: raw.clone() }
            }
        }
    }

    /// What the announcement already held.
    pub(super) fn begun(&self) -> Option<BlockDelta> {
        match self {
            Self::Text(text) if !text.is_empty() => Some(BlockDelta::Text(text.clone())),
            Self::Thinking { thinking, .. } if !thinking.is_empty() => {
                Some(BlockDelta::Thinking(thinking.clone()))
            }
            Self::Compaction(content) if !content.is_empty() => Some(BlockDelta::Compaction(content.clone())),
            Self::Text(_)
            | Self::Thinking { .. }
            | Self::Compaction(_)
            | Self::Redacted(_)
            | Self::Call { .. }
            | Self::Result { .. } => None,
        }
    }

    /// Adds a piece; `false` if such a piece does not belong to such a block, or the block takes no more.
    pub(super) fn add(&mut self, delta: &BlockDelta) -> bool {
        match (self, delta) {
            (Self::Text(text), BlockDelta::Text(piece)) => text.push_str(piece),
            (Self::Thinking { thinking, .. }, BlockDelta::Thinking(piece)) => thinking.push_str(piece),
            (Self::Thinking { signature, .. }, BlockDelta::Signature(piece)) => signature.push_str(piece),
            (Self::Call { input, .. }, BlockDelta::InputJson(piece)) => return input.push(piece),
            (Self::Compaction(content), BlockDelta::Compaction(piece)) => content.push_str(piece),
            // For the eye only: the text goes back without it.
            (Self::Text(_), BlockDelta::Citation(_)) => {}
            _ => return false,
        }
        true
    }

    pub(super) fn whole(self) -> ContentBlock {
        match self {
            Self::Text(text) => ContentBlock::Text { text },
            Self::Thinking { thinking, signature } => ContentBlock::Thinking { thinking, signature },
            Self::Redacted(data) => ContentBlock::RedactedThinking { data },
            Self::Compaction(content) => ContentBlock::Compaction { content },
            Self::Call { id, name, at_start, input: written, by } => {
                call(by, id, name, input(at_start, written))
            }
            Self::Result { tool_use_id, raw } => ContentBlock::ServerToolResult { tool_use_id, raw },
        }
    }
}

fn call(by: CallBy, id: ToolUseId, name: String, input: Value) -> ContentBlock {
    match by {
        CallBy::Us => ContentBlock::ToolUse { id, name, input },
        CallBy::Provider => ContentBlock::ServerToolUse { id, name, input },
    }
}

/// The input of a call: its joined pieces, else what it was announced with. What is no JSON object is kept as text in
/// one, so that no tool takes it for an input and the model sees what it sent.
fn input(at_start: Value, written: CallInput) -> Value {
    let json = match written.whole() {
        Ok(json) => json,
        Err(stand_in) => return stand_in,
    };
    let parsed = if json.trim().is_empty() { Ok(at_start) } else { lone_surrogates::parsed(&json) };
    match parsed {
        Ok(input @ Value::Object(_)) => input,
        Ok(Value::Null) => Value::Object(Map::new()),
        Ok(_) | Err(_) => unparsed_input(&json),
    }
}
