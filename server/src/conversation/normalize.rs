//! From the local records of a conversation to the messages a model is sent, which are legal whatever the records hold.
//!
//! Architecture Invariant: every request goes through here, so nobody upstream has to keep a history legal: not after a
//! cancel, a crash, a resume or a change of model. No call is left unanswered and no local field gets out.

mod answers;
mod attachments;
mod blocks;
mod growing;
mod images;
mod pairs;
mod turns;

#[cfg(test)]
mod tests;

use std::sync::Arc;

pub use self::growing::Growing;
use self::pairs::Ids;
use super::{ApiMessage, ContentBlock, Message, Role};

/// The messages of the next request: roles alternate and the user begins, every call is answered exactly once at the
/// head of the very next message, ids are unique, and no block is blank (Messages API, "Input messages").
///
/// Its own output normalises to itself.
pub fn normalize(messages: &[Message]) -> Vec<ApiMessage> {
    legal(messages, None)
}

/// The same for one model: thinking that another model signed is left out, since only its own model accepts it back.
///
/// `model` is compared with `AssistantMessage::model`.
pub fn normalize_for(messages: &[Message], model: &str) -> Vec<ApiMessage> {
    legal(messages, Some(model))
}

fn legal(messages: &[Message], model: Option<&str>) -> Vec<ApiMessage> {
    let messages = legal_behind(&mut Ids::default(), messages, model);
    let messages = images::within_limits(messages);
    turns::begun_by_the_user(messages)
}

/// What can be said of a part of a history whose calls before it had those `ids`.
fn legal_behind(ids: &mut Ids<'_>, messages: &[Message], model: Option<&str>) -> Vec<ApiMessage> {
    let ordered = attachments::moved_up(messages);
    let turns = turns::of(&ordered, model);
    let turns = answers::joined(turns);
    let turns = pairs::repaired(turns, ids);
    let messages = turns::alternating(turns);
    answers::tidied(messages)
}

/// Normalised messages without any thinking, for a model that refuses the signatures it is shown.
pub fn without_thinking(messages: &[Arc<ApiMessage>]) -> Vec<Arc<ApiMessage>> {
    without_blocks(messages, is_thinking)
}

/// Normalised messages without the blocks of which `goes` holds: such as no call and no result waits for. What has none of
/// them stays the same in memory.
pub fn without_blocks(
    messages: &[Arc<ApiMessage>],
    goes: impl Fn(&ContentBlock) -> bool,
) -> Vec<Arc<ApiMessage>> {
    let left = |message: &Arc<ApiMessage>| {
        if !message.content.iter().any(&goes) {
            return message.clone();
        }
        let content = message.content.iter().filter(|block| !goes(block)).cloned().collect();
        Arc::new(ApiMessage { role: message.role, content })
    };
    let messages: Vec<Arc<ApiMessage>> = messages.iter().map(left).collect();
    if messages.iter().all(|message| !message.content.is_empty()) {
        return messages;
    }
    let turns = messages
        .into_iter()
        .map(Arc::unwrap_or_clone)
        .map(|message| turns::Turn { role: message.role, response_id: None, content: message.content })
        .collect();
    turns::alternating(turns).into_iter().map(Arc::new).collect()
}

fn is_thinking(block: &ContentBlock) -> bool {
    matches!(block, ContentBlock::Thinking { .. } | ContentBlock::RedactedThinking { .. })
}
