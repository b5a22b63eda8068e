//! What a model streams, after the Messages API's own events, whatever the vendor.

use std::time::Duration;

use crate::conversation::{ContentBlock, StopReason, Usage};

/// One event of a streamed answer, in order.
#[derive(Clone, Debug, PartialEq)]
pub enum ProviderEvent {
    MessageStart {
        response_id: String,
        /// The service's name for the request, for its support.
        request_id: Option<String>,
        model: String,
        usage: Usage,
    },
    /// `block` is empty yet: deltas fill it.
    BlockStart {
        index: usize,
        block: ContentBlock,
    },
    BlockDelta {
        index: usize,
        delta: BlockDelta,
    },
    /// `block` is whole: the provider has joined the deltas and parsed a call's input.
    BlockStop {
        index: usize,
        block: ContentBlock,
    },
    /// Usage figures are cumulative.
    MessageDelta {
        stop_reason: Option<StopReason>,
        usage: Usage,
    },
    MessageStop,
    /// Nothing has come for that long. The request goes on; whatever comes next ends the silence.
    Silence {
        lasted: Duration,
    },
    /// The request failed in a way worth trying again, and will be after `delay`. Whatever came before it is void: the
    /// next event is another `Retry` or the `MessageStart` of a new answer. No block of the void one was finished.
    Retry {
        attempt: u32,
        max: u32,
        delay: Duration,
        reason: String,
    },
}

#[derive(Clone, Debug, PartialEq)]
pub enum BlockDelta {
    Text(String),
    Thinking(String),
    Signature(String),
    /// A piece of a call's input, JSON cut anywhere.
    InputJson(String),
    /// Where a text's words come from, as the provider writes it. For people: the text block goes back without it.
    Citation(serde_json::Value),
    /// A piece of a summary that the provider made of the conversation so far.
    Compaction(String),
}
