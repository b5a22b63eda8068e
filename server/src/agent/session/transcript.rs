//! The stored history of a conversation, kept from the loop's own events: whatever way a task ends, what was said is there.

use std::collections::HashSet;
use std::sync::Arc;

use super::super::LoopEvent;
use super::super::query::patch;
use crate::context::without_images;
use crate::conversation::{AssistantMessage, CompactMetadata, Message, MessageId};
use crate::models::ProviderEvent;

/// From the last summary on: what it summarises is gone, so that a long conversation takes no more memory than a model's
/// window.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Transcript {
    messages: Vec<Message>,
    /// The answer that comes in now, by the provider's id.
    answering: String,
    /// What stands again behind the summary that is to come.
    kept: Vec<Message>,
}

impl Transcript {
    pub(super) fn messages(&self) -> Vec<Message> {
        self.messages.clone()
    }

    pub(super) fn push(&mut self, message: Message) {
        match &message {
            Message::System(system) => {
                if let Some(compaction) = &system.compaction {
                    self.begin_anew(compaction);
                }
                self.messages.push(message);
            }
            Message::User(user) if user.is_compact_summary => {
                self.messages.push(message);
                self.messages.append(&mut self.kept);
            }
            Message::User(_) | Message::Assistant(_) | Message::Attachment(_) | Message::Progress(_) => {
                self.messages.push(message);
            }
        }
    }

    /// Takes in what an event says about the history. Progress is not history; what is void goes.
    pub(super) fn record(&mut self, event: &LoopEvent) {
        match event {
            LoopEvent::Message(Message::Progress(_)) => {}
            LoopEvent::Message(message) => self.push(message.clone()),
            LoopEvent::Tombstone { message_id } => self.messages.retain(|message| message.id() != message_id),
            LoopEvent::Stream(ProviderEvent::MessageStart { response_id, .. }) => {
                response_id.clone_into(&mut self.answering);
            }
            LoopEvent::Stream(ProviderEvent::MessageDelta { stop_reason, usage }) => {
                patch(self.last_record(), stop_reason.as_ref(), *usage);
            }
            LoopEvent::Stream(_)
            | LoopEvent::RequestStart { .. }
            | LoopEvent::ToolUseSummary { .. }
            | LoopEvent::Done(_) => {}
        }
    }

    /// The last record of the answer that comes in: results of its first calls may lie behind it.
    fn last_record(&mut self) -> Option<&mut AssistantMessage> {
        let last = self.messages.iter_mut().rev().find_map(|message| match message {
            Message::Assistant(record) => Some(record),
            Message::User(_) | Message::System(_) | Message::Attachment(_) | Message::Progress(_) => None,
        });
        last.filter(|record| record.response_id == self.answering).map(Arc::make_mut)
    }

    fn begin_anew(&mut self, compaction: &CompactMetadata) {
        let kept: HashSet<&MessageId> = compaction.kept.iter().collect();
        self.kept = std::mem::take(&mut self.messages)
            .into_iter()
            .filter(|message| kept.contains(message.id()))
            .map(|message| if compaction.without_images { without_images(&message) } else { message })
            .map(Message::uncounted)
            .collect();
    }
}

#[cfg(test)]
mod tests {
    use std::time::UNIX_EPOCH;

    use super::*;
    use crate::agent::outbox::user;
    use crate::conversation::{
        CompactTrigger, ContentBlock, ImageSource, SystemKind, SystemMessage, Usage, UserMessage,
    };

    fn said(text: &str) -> UserMessage {
        UserMessage { id: MessageId(text.into()), ..user(UNIX_EPOCH, vec![ContentBlock::text(text)]) }
    }

    #[test]
    fn after_a_summary_only_that_and_what_was_kept_is_held() {
        let boundary = Message::from(SystemMessage {
            id: MessageId("boundary".into()),
            at: UNIX_EPOCH,
            kind: SystemKind::CompactBoundary,
            text: "Summarised.".into(),
            compaction: Some(CompactMetadata {
                trigger: CompactTrigger::Auto,
                tokens_before: 9,
                kept: vec![MessageId("newest".into())],
                without_images: true,
            }),
        });
        let summary = Message::from(UserMessage { is_compact_summary: true, ..said("summary") });
        let mut transcript = Transcript::default();
        let mut newest = said("newest");
        let image = ImageSource { media_type: "image/png".into(), data: "AAAA".into() };
        newest.content.push(ContentBlock::Image(image));
        for message in [
            Message::from(said("old")),
            Message::from(newest),
            boundary,
            summary,
            Message::from(said("next")),
        ] {
            transcript.record(&LoopEvent::Message(message));
        }
        let ids: Vec<_> = transcript.messages().iter().map(|message| message.id().to_string()).collect();
        assert_eq!(ids, ["boundary", "summary", "newest", "next"]);
        assert!(!crate::context::has_images(&transcript.messages()), "they were refused");
    }

    #[test]
    fn what_was_taken_back_is_not_in_the_history_of_the_next_task() {
        let mut transcript = Transcript::default();
        for text in ["prompt", "void", "result"] {
            transcript.record(&LoopEvent::Message(Message::from(said(text))));
        }
        transcript.record(&LoopEvent::Tombstone { message_id: MessageId("void".into()) });
        let ids: Vec<_> = transcript.messages().iter().map(|message| message.id().to_string()).collect();
        assert_eq!(ids, ["prompt", "result"]);
    }

    #[test]
    fn the_figures_go_into_the_answer_they_are_of_and_nowhere_else() {
        let usage = |output_tokens| Usage { output_tokens, ..Usage::default() };
        let record = |response: &str| {
            Message::from(AssistantMessage {
                id: MessageId(response.into()),
                at: UNIX_EPOCH,
                response_id: response.into(),
                request_id: None,
                model: "m".into(),
                content: vec![ContentBlock::text("x")],
                stop_reason: None,
                usage: Usage::default(),
                is_api_error: false,
                is_virtual: false,
            })
        };
        let start = |response: &str| {
            LoopEvent::Stream(ProviderEvent::MessageStart {
                response_id: response.into(),
                request_id: None,
                model: "m".into(),
                usage: Usage::default(),
            })
        };
        let delta = |tokens| {
            LoopEvent::Stream(ProviderEvent::MessageDelta { stop_reason: None, usage: usage(tokens) })
        };
        let mut transcript = Transcript::default();
        for event in [
            start("r1"),
            LoopEvent::Message(record("r1")),
            LoopEvent::Message(Message::from(said("a result that came meanwhile"))),
            delta(7),
            start("r2"),
            delta(9),
        ] {
            transcript.record(&event);
        }
        let counted: Vec<u64> = transcript
            .messages()
            .iter()
            .filter_map(|message| match message {
                Message::Assistant(answer) => Some(answer.usage.output_tokens),
                _ => None,
            })
            .collect();
        assert_eq!(counted, [7]);
    }
}
