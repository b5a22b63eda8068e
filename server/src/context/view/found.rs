//! What was found in the messages of a view. It grows with them: each is looked at once.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::answered::{Answered, Fated};
use super::numbers::{Numbers, rough_call, rough_result};
use super::parts::{Part, is_prompt, only_call, only_result, parts};
use crate::context::calls::{Call, CallResult, Place, Rounds};
use crate::context::log::{Bookmark, ContextLog, Fold};
use crate::conversation::{AssistantMessage, ContentBlock, Message, MessageId, ToolUseId, UserMessage};

#[derive(Clone, Debug, Default)]
pub(super) struct Found {
    /// In the order of the results.
    pub(super) answered: Vec<Answered>,
    pub(super) parts: Vec<Part>,
    /// Where each answer of the model begins.
    pub(super) rounds: Vec<usize>,
    /// Where the last thing stands that the user wrote.
    pub(super) last_prompt: Option<usize>,
    /// The first messages of the spans that are folded, or may be when there is need of it.
    pub(super) spans: HashSet<MessageId>,
    /// Of the folds that are made, how many are made in these messages.
    pub(super) projected: usize,
    counted: Rounds,
    open: HashMap<ToolUseId, (Place, usize)>,
    by_id: HashMap<ToolUseId, Vec<usize>>,
    kinds: Numbers<(Arc<AssistantMessage>, usize)>,
    pairs: Numbers<(usize, Arc<UserMessage>)>,
    files: HashMap<String, usize>,
    /// How far the log was read.
    read: Bookmark,
}

impl Found {
    /// Looks at the messages from the one at `begin` on; all before it were looked at. Gives the calls, by number, of which
    /// something new is known.
    pub(super) fn grow(&mut self, messages: &[Message], begin: usize, log: &ContextLog) -> Vec<usize> {
        let known = self.answered.len();
        for (at, message) in messages.iter().enumerate().skip(begin) {
            let place = |block| Place { message: at, block };
            match message {
                Message::Assistant(answer) => {
                    let round = self.counted.of(&answer.response_id);
                    if round == self.rounds.len() {
                        self.rounds.push(at);
                    }
                    for (block, content) in answer.content.iter().enumerate() {
                        if let ContentBlock::ToolUse { id, .. } = content {
                            self.open.insert(id.clone(), (place(block), round));
                        }
                    }
                }
                Message::User(user) => {
                    self.counted.close();
                    if is_prompt(user) {
                        self.last_prompt = Some(at);
                    }
                    for (block, content) in user.content.iter().enumerate() {
                        let ContentBlock::ToolResult { tool_use_id, .. } = content else { continue };
                        let Some((call, round)) = self.open.remove(tool_use_id) else { continue };
                        self.answer(messages, call, place(block), round, log);
                    }
                }
                Message::System(_) | Message::Attachment(_) | Message::Progress(_) => {}
            }
        }
        self.grow_parts(messages);
        let mut news = self.read_on(log);
        news.extend(known..self.answered.len());
        news
    }

    /// Results have other words now.
    pub(super) fn change(
        &mut self,
        messages: &[Message],
        results: impl Iterator<Item = Place>,
        log: &ContextLog,
    ) {
        for place in results {
            let Ok(at) = self.answered.binary_search_by_key(&place, |answered| answered.result) else {
                continue;
            };
            let Some(Answered { call, round, folded, .. }) = self.answered.get(at).copied() else { continue };
            if let Some(now) = self.looked_at(messages, call, place, round, log)
                && let Some(answered) = self.answered.get_mut(at)
            {
                *answered = Answered { folded, ..now };
            }
            let part = self.parts.partition_point(|part| part.end() <= place.message);
            for part in part.saturating_sub(1)..=part {
                self.find_pair(messages, part);
            }
        }
    }

    /// Whether the log is the one that was read so far.
    pub(super) fn has_read(&self, log: &ContextLog) -> bool {
        self.read.is_in(log)
    }

    /// The calls with that id, which is one where the history is legal.
    pub(super) fn of_id(&self, id: &ToolUseId) -> impl Iterator<Item = &Answered> {
        let numbers = self.by_id.get(id).map(Vec::as_slice).unwrap_or_default();
        numbers.iter().filter_map(|number| self.answered.get(*number))
    }

    fn answer(&mut self, messages: &[Message], call: Place, result: Place, round: usize, log: &ContextLog) {
        let Some(answered) = self.looked_at(messages, call, result, round, log) else { return };
        if let Some(call) = call_at(messages, call, result, round) {
            self.by_id.entry(call.id.clone()).or_default().push(self.answered.len());
            self.answered.push(answered);
        }
    }

    fn looked_at(
        &mut self,
        messages: &[Message],
        call: Place,
        result: Place,
        round: usize,
        log: &ContextLog,
    ) -> Option<Answered> {
        let of = call_at(messages, call, result, round)?;
        let kind = self.kind(messages, call)?;
        let next = self.files.len();
        let file = of.file().map(|file| match self.files.get(file) {
            Some(number) => *number,
            None => *self.files.entry(file.to_owned()).or_insert(next),
        });
        Some(Answered::new(&of, call, kind, file, log))
    }

    /// The number of the calls that are made in the same words as the one at `place`.
    fn kind(&mut self, messages: &[Message], place: Place) -> Option<usize> {
        let Message::Assistant(answer) = messages.get(place.message)? else { return None };
        let (name, input) = words(answer, place.block)?;
        let rough = rough_call(name, input);
        Some(self.kinds.of(rough, (answer.clone(), place.block), |(one, at), (other, there)| {
            words(one, *at) == words(other, *there)
        }))
    }

    /// The last parts may go on in what is new, and their pairs depend on what is behind them.
    fn grow_parts(&mut self, messages: &[Message]) {
        self.parts.truncate(self.parts.len().saturating_sub(2));
        let begin = self.parts.last().map_or(0, Part::end);
        let new = self.parts.len();
        self.parts.extend(parts(messages, begin));
        for part in new..self.parts.len() {
            self.find_pair(messages, part);
        }
    }

    /// Looks at the part with that number, and the one behind it.
    fn find_pair(&mut self, messages: &[Message], number: usize) {
        let pair = self.pair(messages, number);
        if let Some(part) = self.parts.get_mut(number) {
            part.pair = pair;
        }
    }

    fn pair(&mut self, messages: &[Message], number: usize) -> Option<usize> {
        let (one, next) = (self.parts.get(number)?, self.parts.get(number + 1)?);
        let (id, place) = only_call(messages, one)?;
        let (result, content, is_error) = only_result(messages, next, id)?;
        let kind = self.kind(messages, place)?;
        let rough = rough_result(kind, content, is_error);
        Some(self.pairs.of(rough, (kind, result.clone()), |(kind, one), (same_kind, other)| {
            kind == same_kind && is_same_result(one, other)
        }))
    }

    /// Takes in what was decided since the log was read last; gives the calls on which it was, by number.
    fn read_on(&mut self, log: &ContextLog) -> Vec<usize> {
        let news = self.read.read_on(log);
        let mut decided = Vec::new();
        for id in news.decided {
            for number in self.by_id.get(id).map(Vec::as_slice).unwrap_or_default() {
                if let Some(answered) = self.answered.get_mut(*number) {
                    answered.fate = Fated::of(id, log);
                    decided.push(*number);
                }
            }
        }
        for fold in news.folds {
            match fold {
                Fold::Span { messages, .. } => self.spans.extend(messages.first().cloned()),
                Fold::Result { call, .. } => {
                    for number in self.by_id.get(call).map(Vec::as_slice).unwrap_or_default() {
                        if let Some(answered) = self.answered.get_mut(*number) {
                            answered.folded = true;
                        }
                    }
                }
            }
        }
        decided
    }
}

/// The call at one place with its result at another.
pub(super) fn call_at(messages: &[Message], call: Place, result: Place, round: usize) -> Option<Call<'_>> {
    let Message::Assistant(answer) = messages.get(call.message)? else { return None };
    let ContentBlock::ToolUse { id, name, input } = answer.content.get(call.block)? else { return None };
    let Message::User(user) = messages.get(result.message)? else { return None };
    let ContentBlock::ToolResult { content, is_error, .. } = user.content.get(result.block)? else {
        return None;
    };
    let data = user.tool_use_result.as_ref();
    let result = CallResult { place: result, content, is_error: *is_error, data };
    Some(Call { id, name, input, result, round })
}

/// What a call is made in.
fn words(answer: &AssistantMessage, block: usize) -> Option<(&str, &serde_json::Value)> {
    match answer.content.get(block)? {
        ContentBlock::ToolUse { name, input, .. } => Some((name, input)),
        _ => None,
    }
}

fn is_same_result(one: &UserMessage, other: &UserMessage) -> bool {
    use ContentBlock::ToolResult;
    match (one.content.as_slice(), other.content.as_slice()) {
        (
            [ToolResult { content: one, is_error, .. }],
            [ToolResult { content: other, is_error: is_error_too, .. }],
        ) => is_error == is_error_too && one == other,
        _ => false,
    }
}
