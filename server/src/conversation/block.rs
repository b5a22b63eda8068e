//! Content blocks, after the Messages API's own kinds.

use super::{ImageSource, ToolUseId};

/// One piece of a message's content.
#[derive(Clone, Debug, PartialEq)]
pub enum ContentBlock {
    Text {
        text: String,
    },
    /// Signed by the model; must go back unmodified within a tool loop.
    Thinking {
        thinking: String,
        signature: String,
    },
    RedactedThinking {
        data: String,
    },
    /// A call. `input` is always a JSON object once the block is complete.
    ToolUse {
        id: ToolUseId,
        name: String,
        input: serde_json::Value,
    },
    ToolResult {
        tool_use_id: ToolUseId,
        content: Vec<ToolResultContent>,
        is_error: bool,
    },
    Image(ImageSource),
    /// A tool that ran at the provider (`server_tool_use`), kept whole.
    ServerToolUse {
        id: ToolUseId,
        name: String,
        input: serde_json::Value,
    },
    /// The answer to a `ServerToolUse`, kept whole.
    ServerToolResult {
        tool_use_id: ToolUseId,
        raw: serde_json::Value,
    },
    /// The provider's own summary (`compaction`): it passes over everything before it.
    Compaction {
        content: String,
    },
}

/// What a tool result may carry.
#[derive(Clone, Debug, PartialEq)]
pub enum ToolResultContent {
    Text(String),
    Image(ImageSource),
    /// A tool found by search (`tool_reference`).
    ToolReference(String),
}

impl ContentBlock {
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text { text: text.into() }
    }
}
