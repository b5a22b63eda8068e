//! The one way out of a running task: whatever is put in comes out in the same order.

use std::time::SystemTime;

use tokio::sync::mpsc;

use super::{Continue, LoopEvent, SessionEvent, ToolCallUpdate};
use crate::conversation::{
    Attachment, AttachmentKind, ContentBlock, Message, MessageId, SystemKind, SystemMessage, UserMessage,
};

/// Where a task's events go in. Nobody listening any more is no error: the task is being dropped then.
#[derive(Clone)]
pub(super) struct Outbox {
    events: mpsc::UnboundedSender<SessionEvent>,
}

impl Outbox {
    pub(super) fn new() -> (Self, mpsc::UnboundedReceiver<SessionEvent>) {
        let (events, received) = mpsc::unbounded_channel();
        (Self { events }, received)
    }

    pub(super) fn send(&self, event: SessionEvent) {
        let _ = self.events.send(event);
    }

    pub(super) fn emit(&self, event: LoopEvent) {
        self.send(SessionEvent::Loop(event));
    }

    pub(super) fn message(&self, message: Message) {
        self.emit(LoopEvent::Message(message));
    }

    /// Takes back messages that were shown.
    pub(super) fn void(&self, messages: Vec<MessageId>) {
        for message_id in messages {
            self.emit(LoopEvent::Tombstone { message_id });
        }
    }

    pub(super) fn transition(&self, reason: Continue) {
        tracing::info!(reason = reason.as_str(), "the loop goes on");
        self.send(SessionEvent::Transition(reason));
    }

    pub(super) fn tool_call(&self, update: ToolCallUpdate) {
        self.send(SessionEvent::ToolCall(update));
    }
}

/// A warning for people only.
pub(super) fn notice(at: SystemTime, text: &str) -> Message {
    system(at, SystemKind::Warning, text)
}

/// That another model answers from here on, for people only.
pub(super) fn fallback(at: SystemTime, text: &str) -> Message {
    system(at, SystemKind::ModelFallback, text)
}

fn system(at: SystemTime, kind: SystemKind, text: &str) -> Message {
    Message::from(SystemMessage { id: MessageId::fresh(), at, kind, text: text.to_owned(), compaction: None })
}

/// Something that came up beside the conversation.
pub(super) fn attachment(at: SystemTime, kind: AttachmentKind, text: String) -> Message {
    Message::from(Attachment { id: MessageId::fresh(), at, kind, text })
}

/// What the user wrote.
pub(super) fn user(at: SystemTime, content: Vec<ContentBlock>) -> UserMessage {
    UserMessage {
        id: MessageId::fresh(),
        at,
        content,
        is_meta: false,
        is_virtual: false,
        is_compact_summary: false,
        tool_use_result: None,
        source_tool_assistant: None,
        mcp_meta: None,
    }
}
