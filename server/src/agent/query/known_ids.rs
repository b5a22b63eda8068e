//! The ids that a conversation has used so far, so that what a server names twice is told apart.

use std::collections::HashSet;

use crate::conversation::{ContentBlock, Message, MessageId, ToolUseId};
use crate::models::ProviderEvent;

/// Of calls and of answers, also of those that are void.
#[derive(Debug, Default)]
pub(super) struct KnownIds {
    calls: HashSet<ToolUseId>,
    answers: HashSet<String>,
}

impl KnownIds {
    pub(super) fn of(messages: &[Message]) -> Self {
        let mut known = Self::default();
        for message in messages {
            if let Message::Assistant(answer) = message {
                known.answers.insert(answer.response_id.clone());
                known.calls.extend(answer.content.iter().filter_map(|block| match block {
                    ContentBlock::ToolUse { id, .. } => Some(id.clone()),
                    _ => None,
                }));
            }
        }
        known
    }

    pub(super) fn has_call(&self, id: &ToolUseId) -> bool {
        self.calls.contains(id)
    }

    pub(super) fn add_calls(&mut self, calls: impl IntoIterator<Item = ToolUseId>) {
        self.calls.extend(calls);
    }

    /// The event, with an id of its own for an answer that begins: its records are known by it, and some servers give each
    /// answer the same.
    pub(super) fn told_apart(&mut self, event: ProviderEvent) -> ProviderEvent {
        match event {
            ProviderEvent::MessageStart { response_id, request_id, model, usage } => {
                let is_new = !response_id.is_empty() && !self.answers.contains(&response_id);
                let response_id =
                    if is_new { response_id } else { format!("{response_id}_{}", MessageId::fresh()) };
                self.answers.insert(response_id.clone());
                ProviderEvent::MessageStart { response_id, request_id, model, usage }
            }
            event => event,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::Usage;

    #[test]
    fn answers_of_one_id_get_ids_of_their_own() {
        let mut known = KnownIds::default();
        let mut id = |wanted: &str| {
            let event = ProviderEvent::MessageStart {
                response_id: wanted.to_owned(),
                request_id: None,
                model: "m".to_owned(),
                usage: Usage::default(),
            };
            match known.told_apart(event) {
                ProviderEvent::MessageStart { response_id, .. } => response_id,
                event => panic!("{event:?}"),
            }
        };
        let ids = ["chatcmpl", "chatcmpl", "chatcmpl", "", ""].map(&mut id);
        assert_eq!(ids[0], "chatcmpl");
        assert_eq!(HashSet::from(ids.clone()).len(), 5, "{ids:?}");
        assert!(!ids.contains(&String::new()), "{ids:?}");
    }
}
