//! A conversation that grows from request to request: what of it is settled is normalised once.
//!
//! Invariant: what is given is what `normalize_for` makes of the same records.

use std::collections::HashSet;
use std::sync::Arc;

use super::pairs::Ids;
use super::turns::begun_by_the_user;
use super::{ApiMessage, ContentBlock, Message, images, legal_behind, normalize_for};
use crate::conversation::{AssistantMessage, UserMessage};

/// The settled beginning of a conversation, as its model is sent it. Messages that stay the same are the same in memory.
#[derive(Debug, Default)]
pub struct Growing {
    model: String,
    /// The records that are settled, and the answer behind them by which they are.
    records: Vec<Message>,
    settled: usize,
    images: usize,
    /// What was made of them.
    messages: Vec<Arc<ApiMessage>>,
    ids: Ids<'static>,
}

impl Growing {
    /// `normalize_for(records, model)`. Where `records` begin with those of the last time, only what is new is looked at.
    pub fn normalize_for(&mut self, records: &[Message], model: &str) -> Vec<Arc<ApiMessage>> {
        if self.model != model || !begin_with(records, &self.records) {
            *self = Self { model: model.to_owned(), ..Self::default() };
        }
        let new = records.get(self.settled..).unwrap_or_default();
        if images::are_many(self.images + images::number_in(new)) {
            // Which of them can be sent depends on all of them.
            return normalize_for(records, model).into_iter().map(Arc::new).collect();
        }
        if let Some(Settled { end, proof }) = settled(new) {
            let proven = self.settled + proof;
            self.settle(new.get(..end).unwrap_or_default());
            self.records.extend(records.iter().take(proven).skip(self.records.len()).cloned());
        }
        let open = records.get(self.settled..).unwrap_or_default();
        let open = legal_behind(&mut Ids::behind(&self.ids), open, Some(model));
        let mut messages = self.messages.clone();
        messages.extend(self.placed(open));
        messages
    }

    fn settle(&mut self, records: &[Message]) {
        let messages = legal_behind(&mut self.ids, records, Some(&self.model));
        self.messages.extend(self.placed(messages));
        self.images += images::number_in(records);
        self.settled += records.len();
    }

    /// The messages as they stand behind those that are settled.
    fn placed(&self, messages: Vec<ApiMessage>) -> impl Iterator<Item = Arc<ApiMessage>> + use<> {
        let messages = if self.messages.is_empty() { begun_by_the_user(messages) } else { messages };
        messages.into_iter().map(Arc::new)
    }
}

fn begin_with(records: &[Message], beginning: &[Message]) -> bool {
    let head = records.get(..beginning.len());
    head.is_some_and(|head| head.iter().zip(beginning).all(|(one, other)| one.is(other)))
}

/// Numbers of records.
struct Settled {
    /// The first that nothing behind them can change, nor be changed by.
    end: usize,
    /// The first by which that is so.
    proof: usize,
}

/// Records are settled up to an answer that says something, where every call before it has its result and the answer before
/// it ended in calls. Then the user's message with their results stands between the two, so neither side runs into the
/// other.
fn settled(records: &[Message]) -> Option<Settled> {
    let mut settled = None;
    let mut open = HashSet::new();
    let mut last: Option<&AssistantMessage> = None;
    // Where the answer begins that is looked at, if all before it is settled as soon as it says something.
    let mut begins = None;
    for (at, record) in records.iter().enumerate() {
        match record {
            Message::Assistant(answer) if answer.is_virtual || answer.is_api_error => {}
            Message::Assistant(answer) => {
                if last.is_none_or(|last| !is_part_of(answer, last)) {
                    let is_between = open.is_empty() && last.is_some_and(|last| calls(last).next().is_some());
                    begins = is_between.then_some(at);
                }
                if says_something(answer) {
                    settled = begins.take().map(|end| Settled { end, proof: at + 1 }).or(settled);
                }
                open.extend(calls(answer));
                last = Some(answer);
            }
            Message::User(user) if user.is_virtual => {}
            Message::User(user) => {
                for block in &user.content {
                    if let ContentBlock::ToolResult { tool_use_id, .. } = block {
                        open.remove(tool_use_id.as_str());
                    }
                }
                begins = begins.filter(|_| is_only_results(user));
            }
            // A part of the answer behind it would be a message of its own.
            Message::System(_) | Message::Attachment(_) => begins = None,
            Message::Progress(_) => {}
        }
    }
    settled
}

fn is_part_of(answer: &AssistantMessage, last: &AssistantMessage) -> bool {
    answer.response_id == last.response_id && !answer.response_id.is_empty()
}

fn calls(answer: &AssistantMessage) -> impl Iterator<Item = &str> {
    answer.content.iter().filter_map(|block| match block {
        ContentBlock::ToolUse { id, .. } => Some(id.as_str()),
        _ => None,
    })
}

/// Whether something of it is sent, whatever stands around it and whoever is asked.
fn says_something(answer: &AssistantMessage) -> bool {
    answer.content.iter().any(|block| match block {
        ContentBlock::ToolUse { .. } => true,
        ContentBlock::Text { text } => !text.trim().is_empty(),
        _ => false,
    })
}

fn is_only_results(user: &UserMessage) -> bool {
    user.content.iter().all(|block| matches!(block, ContentBlock::ToolResult { .. }))
}
