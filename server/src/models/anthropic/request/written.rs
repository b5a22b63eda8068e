//! What was written of the last requests, since most of the next one is the same: known by being the same in memory, where
//! nothing ever changes.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

use super::{Marker, message, tools};
use crate::conversation::ApiMessage;
use crate::models::ToolDefinition;

/// Conversations that are kept: sessions that run at the same time share a provider.
const KEPT: usize = 4;

/// Bytes of a last message that there is room for at once.
const USUAL_LAST: usize = 16 * 1024;

/// Messages and tools as JSON, without the marker that moves.
#[derive(Debug, Default)]
pub(in crate::models::anthropic) struct Written {
    /// The one that was asked for last comes first.
    conversations: Mutex<VecDeque<Conversation>>,
    tools: Mutex<Option<WrittenTools>>,
}

/// The messages of one conversation.
#[derive(Debug, Default)]
struct Conversation {
    /// Each with the place in `json` where it ends.
    messages: Vec<(Arc<ApiMessage>, usize)>,
    /// All of them in one piece, each with a comma behind it.
    json: Vec<u8>,
}

#[derive(Debug)]
struct WrittenTools {
    definitions: Arc<[ToolDefinition]>,
    json: Option<Arc<RawValue>>,
}

impl Written {
    /// Puts `messages` behind `body`, each with a comma behind it.
    pub(super) fn put_behind(&self, body: &mut Vec<u8>, messages: &[Arc<ApiMessage>]) {
        let Some(first) = messages.first() else { return };
        let mut kept = self.conversations.lock().unwrap_or_else(PoisonError::into_inner);
        let begins_so =
            |one: &Conversation| one.messages.first().is_some_and(|(one, _)| Arc::ptr_eq(one, first));
        let same = kept.iter().position(begins_so).and_then(|at| kept.remove(at));
        let mut conversation = same.unwrap_or_default();
        conversation.become_those(messages);
        body.reserve(conversation.json.len() + USUAL_LAST);
        body.extend_from_slice(&conversation.json);
        kept.push_front(conversation);
        kept.truncate(KEPT);
    }

    /// How many messages are kept of each conversation, the one that was asked for last first.
    #[cfg(test)]
    pub(super) fn kept(&self) -> Vec<usize> {
        let kept = self.conversations.lock().unwrap_or_else(PoisonError::into_inner);
        kept.iter().map(|conversation| conversation.messages.len()).collect()
    }

    /// `None`: there are none that can be sent.
    pub(super) fn tools(&self, definitions: &Arc<[ToolDefinition]>) -> Option<Arc<RawValue>> {
        let mut written = self.tools.lock().unwrap_or_else(PoisonError::into_inner);
        let same = written.take().filter(|written| Arc::ptr_eq(&written.definitions, definitions));
        let now = same.unwrap_or_else(|| {
            let tools = tools(definitions);
            let json = (!tools.is_empty()).then(|| raw(&tools));
            WrittenTools { definitions: definitions.clone(), json }
        });
        written.insert(now).json.clone()
    }
}

impl Conversation {
    /// Writes what is new; what is the same in memory stays.
    fn become_those(&mut self, messages: &[Arc<ApiMessage>]) {
        let both = messages.iter().zip(&self.messages);
        let same = both.take_while(|(one, (other, _))| Arc::ptr_eq(one, other)).count();
        self.messages.truncate(same);
        self.json.truncate(self.messages.last().map_or(0, |(_, end)| *end));
        for new in messages.iter().skip(same) {
            write(&mut self.json, &message(new, Marker::No));
            self.json.push(b',');
            self.messages.push((new.clone(), self.json.len()));
        }
    }
}

/// Puts `value` behind `json`. Nothing that is sent fails to be written: every key is a text, and no number is infinite.
pub(super) fn write(json: &mut Vec<u8>, value: &impl Serialize) {
    let begin = json.len();
    if serde_json::to_writer(&mut *json, value).is_err() {
        json.truncate(begin);
        json.extend_from_slice(b"null");
    }
}

/// The same as a value by itself.
pub(super) fn raw(value: &impl Serialize) -> Arc<RawValue> {
    to_raw_value(value).unwrap_or_else(|_| RawValue::NULL.to_owned()).into()
}
