//! What the pipeline's steps look at: the messages of a round, and what is known of the calls in them.
//!
//! Invariant: what is known is what a look at all messages would show, and each of them is looked at once, however often the
//! conversation is prepared.

mod answered;
mod found;
mod numbers;
mod parts;

use std::collections::HashMap;
use std::sync::Arc;

pub(super) use self::answered::{Answered, Fated, ToolClass};
use self::found::{Found, call_at};
pub(super) use self::parts::{Part, said};
use super::calls::{Call, Place};
use super::log::{ContextLog, Fate};
use crate::conversation::{ContentBlock, Message, MessageId, ToolResultContent, ToolUseId};

/// Cheap to clone.
#[derive(Clone, Debug)]
pub(super) struct View {
    pub(super) messages: Arc<[Message]>,
    found: Arc<Found>,
}

/// The view of the round before, from which the next one grows.
#[derive(Debug, Default)]
pub struct Known(Option<View>);

impl Known {
    /// The view of `messages` with every result in the words that were decided on before. Where they begin with those of the
    /// round before, only what is new is looked at.
    pub(super) fn grown(&mut self, messages: Arc<[Message]>, log: &ContextLog) -> View {
        let before =
            self.0.take().filter(|view| view.found.has_read(log) && begin_with(&messages, &view.messages));
        let (mut found, begin) = match before {
            Some(View { messages, found }) => (found, messages.len()),
            None => (Arc::default(), 0),
        };
        let news = Arc::make_mut(&mut found).grow(&messages, begin, log);
        View { messages, found }.replayed(&news, log)
    }

    pub(super) fn keep(&mut self, view: View) {
        self.0 = Some(view);
    }
}

impl View {
    /// The view of these messages as they are.
    pub(super) fn of(messages: Arc<[Message]>, log: &ContextLog) -> Self {
        let mut found = Found::default();
        found.grow(&messages, 0, log);
        Self { messages, found: Arc::new(found) }
    }

    /// Every call that is answered, in the order of the results.
    pub(super) fn answered(&self) -> &[Answered] {
        &self.found.answered
    }

    pub(super) fn call(&self, answered: &Answered) -> Option<Call<'_>> {
        call_at(&self.messages, answered.call, answered.result, answered.round)
    }

    /// Where the results of the calls with that id stand.
    pub(super) fn results_of(&self, id: &ToolUseId) -> impl Iterator<Item = &Answered> {
        self.found.of_id(id)
    }

    /// What one side said at a time, in order.
    pub(super) fn parts(&self) -> &[Part] {
        &self.found.parts
    }

    /// Answers of the model.
    pub(super) fn rounds(&self) -> usize {
        self.found.rounds.len()
    }

    /// Where the round with that number begins.
    pub(super) fn round_at(&self, round: usize) -> Option<usize> {
        self.found.rounds.get(round).copied()
    }

    /// Where the last thing stands that the user wrote.
    pub(super) fn last_prompt(&self) -> Option<usize> {
        self.found.last_prompt
    }

    /// Whether a span that begins with this message is folded, or waits for the need of it.
    pub(super) fn has_span_at(&self, first: &MessageId) -> bool {
        self.found.spans.contains(first)
    }

    /// How many of the folds that are made are made in this view.
    pub(super) fn projected(&self) -> usize {
        self.found.projected
    }

    pub(super) fn set_projected(&mut self, folds: usize) {
        Arc::make_mut(&mut self.found).projected = folds;
    }

    /// The same with those results in other words; the very same if there are none.
    pub(super) fn with_results(self, results: &HashMap<Place, Arc<str>>, log: &ContextLog) -> Self {
        if results.is_empty() {
            return self;
        }
        let Self { messages, mut found } = self;
        let mut changed: Vec<Message> = messages.to_vec();
        for (place, text) in results {
            let Some(Message::User(user)) = changed.get_mut(place.message) else { continue };
            let user = Arc::make_mut(user);
            if let Some(ContentBlock::ToolResult { content, .. }) = user.content.get_mut(place.block) {
                *content = vec![ToolResultContent::Text(text.to_string())];
                user.tool_use_result = None;
            }
        }
        // Every call and result stands where it stood. Of the results in other words, some may have been folded.
        let known = Arc::make_mut(&mut found);
        known.change(&changed, results.keys().copied(), log);
        known.projected = 0;
        Self { messages: changed.into(), found }
    }

    /// The same with the results of these calls in the words that were decided on.
    fn replayed(self, calls: &[usize], log: &ContextLog) -> Self {
        let mut replaced = HashMap::new();
        for answered in calls.iter().filter_map(|number| self.answered().get(*number)) {
            let Some(call) = self.call(answered) else { continue };
            if let Some(Fate::Replaced(text) | Fate::Cleared(text)) = log.fate(call.id)
                && !call.result.is(text)
            {
                replaced.insert(answered.result, text.clone());
            }
        }
        self.with_results(&replaced, log)
    }
}

/// Whether `messages` begin with the very ones of `beginning`.
fn begin_with(messages: &[Message], beginning: &[Message]) -> bool {
    let head = messages.get(..beginning.len());
    head.is_some_and(|head| head.iter().zip(beginning).all(|(one, other)| one.is(other)))
}

#[cfg(test)]
mod tests;
