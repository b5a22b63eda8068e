//! What the pipeline's steps look at: the messages of a round, and the calls in them, found once for all steps.

use std::collections::HashMap;
use std::sync::Arc;

use super::calls::{Call, CallResult, Place, Rounds};
use super::log::{ContextLog, Fate};
use crate::conversation::{ContentBlock, Message, ToolResultContent, ToolUseId};

/// Cheap to clone.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct View {
    pub(super) messages: Arc<[Message]>,
    answered: Arc<[Answered]>,
    /// Answers of the model.
    pub(super) rounds: usize,
}

/// Where a call stands, and its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Answered {
    call: Place,
    result: Place,
    round: usize,
}

impl View {
    pub(super) fn of(messages: Arc<[Message]>) -> Self {
        let mut open: HashMap<&ToolUseId, (Place, usize)> = HashMap::new();
        let mut answered = Vec::new();
        let mut rounds = Rounds::default();
        for (at, message) in messages.iter().enumerate() {
            let place = |block| Place { message: at, block };
            match message {
                Message::Assistant(answer) => {
                    let round = rounds.of(&answer.response_id);
                    for (block, content) in answer.content.iter().enumerate() {
                        if let ContentBlock::ToolUse { id, .. } = content {
                            open.insert(id, (place(block), round));
                        }
                    }
                }
                Message::User(user) => {
                    for (block, content) in user.content.iter().enumerate() {
                        let ContentBlock::ToolResult { tool_use_id, .. } = content else { continue };
                        let Some((call, round)) = open.remove(tool_use_id) else { continue };
                        answered.push(Answered { call, result: place(block), round });
                    }
                }
                Message::System(_) | Message::Attachment(_) | Message::Progress(_) => {}
            }
        }
        let rounds = rounds.count();
        Self { answered: answered.into(), rounds, messages }
    }

    /// Every call that is answered, in the order of the results.
    pub(super) fn calls(&self) -> Vec<Call<'_>> {
        self.answered.iter().filter_map(|answered| self.call(answered)).collect()
    }

    /// The same with every result in the words that were decided on before.
    pub(super) fn replayed(self, log: &ContextLog) -> Self {
        let mut replaced = HashMap::new();
        for (at, message) in self.messages.iter().enumerate() {
            let Message::User(user) = message else { continue };
            for (block, content) in user.content.iter().enumerate() {
                let ContentBlock::ToolResult { tool_use_id, content, .. } = content else { continue };
                if let Some(Fate::Replaced(text) | Fate::Cleared(text)) = log.fate(tool_use_id)
                    && !matches!(content.as_slice(), [ToolResultContent::Text(now)] if **now == **text)
                {
                    replaced.insert(Place { message: at, block }, text.clone());
                }
            }
        }
        self.with_results(&replaced)
    }

    /// The same with those results in other words; the very same if there are none.
    pub(super) fn with_results(self, results: &HashMap<Place, Arc<str>>) -> Self {
        if results.is_empty() {
            return self;
        }
        let mut changed: Vec<Message> = self.messages.to_vec();
        for (place, text) in results {
            let Some(Message::User(user)) = changed.get_mut(place.message) else { continue };
            let user = Arc::make_mut(user);
            if let Some(ContentBlock::ToolResult { content, .. }) = user.content.get_mut(place.block) {
                *content = vec![ToolResultContent::Text(text.to_string())];
                user.tool_use_result = None;
            }
        }
        // Every call and result stands where it stood.
        Self { messages: changed.into(), ..self }
    }

    fn call(&self, answered: &Answered) -> Option<Call<'_>> {
        let Message::Assistant(answer) = self.messages.get(answered.call.message)? else { return None };
        let ContentBlock::ToolUse { id, name, input } = answer.content.get(answered.call.block)? else {
            return None;
        };
        let Message::User(user) = self.messages.get(answered.result.message)? else { return None };
        let ContentBlock::ToolResult { content, is_error, .. } = user.content.get(answered.result.block)?
        else {
            return None;
        };
        let data = user.tool_use_result.as_ref();
        let result = CallResult { place: answered.result, content, is_error: *is_error, data };
        Some(Call { id, name, input, result, round: answered.round })
    }
}
