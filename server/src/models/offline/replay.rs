//! A finished turn as the events a language model would have streamed it in.

use serde_json::Value;

use super::turn::{Call, Turn};
use crate::conversation::{ContentBlock, MessageId, StopReason, ToolUseId, Usage};
use crate::models::{BlockDelta, ModelRequest, ProviderEvent};

/// Characters of a call's input in one piece.
const INPUT_PIECE: usize = 24;

/// The whole answer, in order: text word by word, each call's input cut into pieces.
pub(super) fn events(turn: &Turn, request: &ModelRequest) -> Vec<ProviderEvent> {
    let response_id = format!("offline_{}", MessageId::fresh());
    let start = ProviderEvent::MessageStart {
        response_id,
        request_id: None,
        model: "offline".to_owned(),
        usage: Usage::default(),
    };
    let mut events = vec![start];
    let mut index = 0;
    if !turn.text.is_empty() {
        push_text(&mut events, index, &turn.text);
        index += 1;
    }
    let earlier = calls_in(request);
    for (number, call) in turn.calls.iter().enumerate() {
        push_call(&mut events, index, ToolUseId(format!("call_{}", earlier + number + 1)), call);
        index += 1;
    }
    let stop_reason = if turn.calls.is_empty() { StopReason::EndTurn } else { StopReason::ToolUse };
    events.push(ProviderEvent::MessageDelta { stop_reason: Some(stop_reason), usage: Usage::default() });
    events.push(ProviderEvent::MessageStop);
    events
}

fn push_text(events: &mut Vec<ProviderEvent>, index: usize, text: &str) {
    events.push(ProviderEvent::BlockStart { index, block: ContentBlock::text("") });
    for word in text.split_inclusive([' ', '\n']) {
        let delta = BlockDelta::Text(word.to_owned());
        events.push(ProviderEvent::BlockDelta { index, delta });
    }
    events.push(ProviderEvent::BlockStop { index, block: ContentBlock::text(text) });
}

fn push_call(events: &mut Vec<ProviderEvent>, index: usize, id: ToolUseId, call: &Call) {
    let block = |input: Value| ContentBlock::ToolUse { id: id.clone(), name: call.tool.to_owned(), input };
    events.push(ProviderEvent::BlockStart { index, block: block(Value::Object(serde_json::Map::new())) });
    let json: Vec<char> = call.input.to_string().chars().collect();
    for piece in json.chunks(INPUT_PIECE) {
        let delta = BlockDelta::InputJson(piece.iter().collect());
        events.push(ProviderEvent::BlockDelta { index, delta });
    }
    events.push(ProviderEvent::BlockStop { index, block: block(call.input.clone()) });
}

/// How many calls the conversation holds already, so that ids stay unique in it.
fn calls_in(request: &ModelRequest) -> usize {
    request
        .messages
        .iter()
        .flat_map(|message| &message.content)
        .filter(|block| matches!(block, ContentBlock::ToolUse { .. }))
        .count()
}
