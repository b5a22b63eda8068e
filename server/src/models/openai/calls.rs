//! The calls of an answer, put together from pieces that servers cut and number in their own ways.

mod repetition;

use std::collections::BTreeMap;

use serde_json::Value;

use self::repetition::said_once;
use super::arguments;
use crate::conversation::{ContentBlock, ToolUseId};
use crate::models::call_input::{CallInput, LongestInput};
use crate::models::{BlockDelta, ProviderEvent};

/// What a call without a name is called, so that the answer to it says that there is no such tool.
const NAMELESS: &str = "unnamed";

/// The calls of one answer, in the order in which they began.
#[derive(Debug, Default)]
pub(super) struct Calls {
    calls: Vec<Call>,
    /// The call that each number of the wire stands for just now.
    by_number: BTreeMap<u64, usize>,
    longest_input: LongestInput,
}

#[derive(Debug)]
struct Call {
    /// As the server says it, first.
    id: Option<String>,
    /// In the stead of an id that never came, or that another call has.
    stand_in: Option<String>,
    name: Option<String>,
    arguments: CallInput,
    /// The number of its block, once it was announced.
    block: Option<usize>,
}

/// One element of a `tool_calls` list.
struct Piece<'a> {
    number: Option<u64>,
    id: Option<&'a str>,
    name: Option<&'a str>,
    arguments: Arguments<'a>,
}

enum Arguments<'a> {
    None,
    Text(&'a str),
    Whole(String),
}

impl Calls {
    /// Whose inputs are no longer than that.
    pub(super) fn taking_up_to(longest_input: LongestInput) -> Self {
        Self { longest_input, ..Self::default() }
    }

    /// Takes a `tool_calls` list. `blocks` numbers the blocks of the answer.
    pub(super) fn take(&mut self, list: &Value, blocks: &mut usize) -> Vec<ProviderEvent> {
        let pieces = list.as_array().map_or(&[][..], Vec::as_slice);
        let mut events = Vec::new();
        for (position, piece) in pieces.iter().enumerate() {
            let piece = Piece::of(piece);
            if self.has_whole(&piece) {
                continue;
            }
            let call = self.call_of(&piece, position as u64);
            self.grow(call, &piece, blocks, &mut events);
        }
        events
    }

    /// A whole call without a number or an id of its own.
    pub(super) fn add(&mut self, name: &str, arguments: &str, blocks: &mut usize) -> Vec<ProviderEvent> {
        let name = Some(name).filter(|name| !name.is_empty());
        let arguments = Arguments::Text(arguments);
        let mut events = Vec::new();
        let call = self.begin();
        self.grow(call, &Piece { number: None, id: None, name, arguments }, blocks, &mut events);
        events
    }

    /// The answer is over: every call is whole. With `cut_short`, one that breaks off is left out.
    pub(super) fn finish(&mut self, cut_short: bool, blocks: &mut usize) -> Vec<ProviderEvent> {
        let mut events = Vec::new();
        let mut calls = std::mem::take(&mut self.calls);
        if cut_short {
            calls.pop_if(|last| !arguments::is_whole(last.arguments.as_str()));
        }
        for mut call in said_once(calls) {
            call.name.get_or_insert_with(|| NAMELESS.to_owned());
            call.announce(blocks, &mut events);
            if let (Some(index), Some(block)) = (call.block, call.whole()) {
                events.push(ProviderEvent::BlockStop { index, block });
            }
        }
        events
    }

    /// The call that `piece` belongs to. It is a new one if its number is new, if it has a name and an id other than
    /// the call of that number has, or if that call is whole and this one begins anew.
    fn call_of(&mut self, piece: &Piece<'_>, position: u64) -> usize {
        if let (None, Some(id)) = (piece.number, piece.id) {
            let last = self.calls.len().checked_sub(1).filter(|_| piece.name.is_none());
            let continued = match self.latest_of(id) {
                Some(known) => self.continued(known, piece),
                None => last,
            };
            return continued.unwrap_or_else(|| self.begin());
        }
        let number = piece.number.unwrap_or(position);
        let current = self.by_number.get(&number).copied().and_then(|at| self.continued(at, piece));
        // Without a name it goes on with something, under whatever number.
        let elsewhere = || {
            let id = piece.id.filter(|_| piece.name.is_none())?;
            self.continued(self.latest_of(id)?, piece)
        };
        let continued = current.or_else(elsewhere);
        let call = continued.unwrap_or_else(|| self.begin());
        self.by_number.insert(number, call);
        call
    }

    fn latest_of(&self, id: &str) -> Option<usize> {
        self.calls.iter().rposition(|call| call.id.as_deref() == Some(id))
    }

    fn continued(&self, at: usize, piece: &Piece<'_>) -> Option<usize> {
        self.calls.get(at).filter(|call| call.is_continued_by(piece)).map(|_| at)
    }

    /// Whether `piece` is a whole call that was made already, and is only said again.
    fn has_whole(&self, piece: &Piece<'_>) -> bool {
        let arguments = match &piece.arguments {
            Arguments::None => return false,
            Arguments::Text(text) => text,
            Arguments::Whole(text) => text.as_str(),
        };
        let is_same = |call: &Call| {
            (call.id.as_deref(), call.name.as_deref(), call.arguments.as_str())
                == (piece.id, piece.name, arguments)
        };
        piece.id.is_some() && arguments::is_whole(arguments) && self.calls.iter().any(is_same)
    }

    fn begin(&mut self) -> usize {
        let arguments = CallInput::up_to(self.longest_input);
        self.calls.push(Call { id: None, stand_in: None, name: None, arguments, block: None });
        self.calls.len() - 1
    }

    fn grow(&mut self, at: usize, piece: &Piece<'_>, blocks: &mut usize, events: &mut Vec<ProviderEvent>) {
        let earlier = self.calls.get(..at).unwrap_or_default();
        let is_said_again =
            piece.id.is_some_and(|id| earlier.iter().any(|call| call.id.as_deref() == Some(id)));
        let Some(call) = self.calls.get_mut(at) else { return };
        if let Some(id) = piece.id.filter(|_| call.id.is_none()) {
            call.id = Some(id.to_owned());
        }
        if let Some(name) = piece.name.filter(|_| call.name.is_none()) {
            call.name = Some(name.to_owned());
        }
        let announced = call.block.is_some();
        let more = match &piece.arguments {
            Arguments::None => "",
            Arguments::Text(text) => text,
            // A whole object replaces whatever began before it.
            Arguments::Whole(_) if announced && !call.arguments.as_str().is_empty() => "",
            Arguments::Whole(whole) => whole,
        };
        if !call.arguments.push(more) {
            return;
        }
        if announced {
            call.tell(more, events);
        } else if call.name.is_some() && !is_said_again {
            call.announce(blocks, events);
        }
    }
}

impl Call {
    fn is_continued_by(&self, piece: &Piece<'_>) -> bool {
        match (piece.id, self.id.as_deref()) {
            (Some(id), Some(known)) if id != known => piece.name.is_none(),
            // Without ids only a second beginning tells two calls apart.
            (None, _) if piece.name.is_none() => true,
            // Behind its end a call does not go on: it is said again, or another one begins.
            _ => !(piece.begins() && arguments::is_whole(self.arguments.as_str())),
        }
    }

    /// Tells of the call once, with the input that has come so far.
    fn announce(&mut self, blocks: &mut usize, events: &mut Vec<ProviderEvent>) {
        if self.block.is_some() {
            return;
        }
        let index = *blocks;
        *blocks += 1;
        self.block = Some(index);
        if self.id.is_none() {
            self.stand_in.get_or_insert_with(fresh_id);
        }
        let id = self.block_id().unwrap_or_default();
        let name = self.name.clone().unwrap_or_default();
        let block =
            ContentBlock::ToolUse { id: ToolUseId(id), name, input: Value::Object(serde_json::Map::new()) };
        events.push(ProviderEvent::BlockStart { index, block });
        let so_far = self.arguments.as_str().to_owned();
        self.tell(&so_far, events);
    }

    fn tell(&self, more: &str, events: &mut Vec<ProviderEvent>) {
        if let (Some(index), false) = (self.block, more.is_empty()) {
            let delta = BlockDelta::InputJson(more.to_owned());
            events.push(ProviderEvent::BlockDelta { index, delta });
        }
    }

    fn block_id(&self) -> Option<String> {
        self.stand_in.clone().or_else(|| self.id.clone())
    }

    fn whole(self) -> Option<ContentBlock> {
        let id = ToolUseId(self.block_id()?);
        let input = self.arguments.whole().map_or_else(|stand_in| stand_in, |whole| arguments::input(&whole));
        Some(ContentBlock::ToolUse { id, name: self.name?, input })
    }
}

impl<'a> Piece<'a> {
    fn of(piece: &'a Value) -> Self {
        let filled = |value: Option<&'a Value>| value.and_then(Value::as_str).filter(|text| !text.is_empty());
        let function = piece.get("function").unwrap_or(piece);
        let arguments = match function.get("arguments") {
            None | Some(Value::Null) => Arguments::None,
            Some(Value::String(text)) => Arguments::Text(text),
            Some(other) => Arguments::Whole(other.to_string()),
        };
        Self {
            number: piece.get("index").and_then(Value::as_u64),
            id: filled(piece.get("id")),
            name: filled(function.get("name")),
            arguments,
        }
    }

    /// Whether its arguments are the beginning of some.
    fn begins(&self) -> bool {
        match &self.arguments {
            Arguments::None => false,
            Arguments::Text(text) => !text.trim().is_empty() && !arguments::goes_on(text),
            Arguments::Whole(_) => true,
        }
    }
}

fn fresh_id() -> String {
    format!("call_{}", uuid::Uuid::new_v4().simple())
}
