//! Answers: their records joined again, and what can't be sent back of them left out.

use std::collections::HashSet;

use super::turns::{Turn, alternating};
use super::{ApiMessage, ContentBlock, Role, is_thinking};
use crate::conversation::ToolUseId;

/// Records of one answer (the same response id) as one turn, also where results of its first calls lie in between,
/// because a tool runs while the answer is still coming in.
pub(super) fn joined(turns: Vec<Turn>) -> Vec<Turn> {
    let mut joined: Vec<Turn> = Vec::with_capacity(turns.len());
    for turn in turns {
        match open_part(&mut joined, &turn) {
            Some(part) => part.content.extend(turn.content),
            None => joined.push(turn),
        }
    }
    joined
}

/// Messages whose answers have nothing that the API refuses at their end or on its own: calls to a provider's own tools
/// without their result, thinking that nothing follows.
pub(super) fn tidied(messages: Vec<ApiMessage>) -> Vec<ApiMessage> {
    let turns = messages
        .into_iter()
        .map(|message| {
            let content = match message.role {
                Role::User => message.content,
                Role::Assistant => ended_properly(server_pairs(message.content)),
            };
            Turn { role: message.role, response_id: None, content }
        })
        .collect();
    alternating(turns)
}

/// The turn that `turn` goes on, if nothing but tool results came since.
fn open_part<'a>(turns: &'a mut [Turn], turn: &Turn) -> Option<&'a mut Turn> {
    let response_id = turn.response_id.as_ref()?;
    turns
        .iter_mut()
        .rev()
        .find(|earlier| earlier.role == Role::Assistant || !only_results(&earlier.content))
        .filter(|earlier| earlier.response_id.as_ref() == Some(response_id))
}

fn only_results(content: &[ContentBlock]) -> bool {
    content.iter().all(|block| matches!(block, ContentBlock::ToolResult { .. }))
}

fn server_pairs(content: Vec<ContentBlock>) -> Vec<ContentBlock> {
    let mut called = HashSet::new();
    let mut answered: HashSet<ToolUseId> = HashSet::new();
    for block in &content {
        match block {
            ContentBlock::ServerToolUse { id, .. } => {
                called.insert(id.clone());
            }
            ContentBlock::ServerToolResult { tool_use_id, .. } if called.contains(tool_use_id) => {
                answered.insert(tool_use_id.clone());
            }
            _ => {}
        }
    }
    let mut calls_kept = HashSet::new();
    let mut results_kept = HashSet::new();
    content
        .into_iter()
        .filter(|block| match block {
            ContentBlock::ServerToolUse { id, .. } => answered.contains(id) && calls_kept.insert(id.clone()),
            ContentBlock::ServerToolResult { tool_use_id, .. } => {
                calls_kept.contains(tool_use_id) && results_kept.insert(tool_use_id.clone())
            }
            _ => true,
        })
        .collect()
}

fn ended_properly(mut content: Vec<ContentBlock>) -> Vec<ContentBlock> {
    while content.last().is_some_and(is_thinking) {
        content.pop();
    }
    content
}
