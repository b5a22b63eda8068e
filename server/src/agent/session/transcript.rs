//! The stored history of a conversation, kept from the loop's own events: whatever way a task ends, what was said is there.

use super::super::LoopEvent;
use super::super::query::patch;
use crate::conversation::Message;
use crate::models::ProviderEvent;

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Transcript {
    messages: Vec<Message>,
}

impl Transcript {
    pub(super) fn messages(&self) -> Vec<Message> {
        self.messages.clone()
    }

    pub(super) fn push(&mut self, message: Message) {
        self.messages.push(message);
    }

    /// Takes in what an event says about the history. Progress is not history; what is void goes.
    pub(super) fn record(&mut self, event: &LoopEvent) {
        match event {
            LoopEvent::Message(Message::Progress(_)) => {}
            LoopEvent::Message(message) => self.push(message.clone()),
            LoopEvent::Tombstone { message_id } => self.messages.retain(|message| message.id() != message_id),
            LoopEvent::Stream(ProviderEvent::MessageDelta { stop_reason, usage }) => {
                if let Some(Message::Assistant(record)) = self.messages.last_mut() {
                    patch(Some(record), stop_reason.as_ref(), *usage);
                }
            }
            LoopEvent::Stream(_)
            | LoopEvent::RequestStart { .. }
            | LoopEvent::ToolUseSummary { .. }
            | LoopEvent::Done(_) => {}
        }
    }
}
