//! Single blocks: which of them each side may send, and in what shape the Messages API takes them.

use serde_json::{Map, Value};

use super::{ContentBlock, images, is_thinking};
use crate::conversation::ToolResultContent;

/// Longest tool name the API takes.
const LONGEST_NAME: usize = 64;

/// What a failed call says when it left no word: the API refuses an empty error.
const NO_MESSAGE: &str = "The call failed without a message.";

/// A user's blocks: text, images and tool results; blank text is left out.
pub(super) fn of_user(content: &[ContentBlock]) -> Vec<ContentBlock> {
    content.iter().filter_map(user_block).collect()
}

/// An assistant's blocks: text, calls, and thinking that is signed. Unsigned thinking was cut off in mid-stream.
pub(super) fn of_assistant(content: &[ContentBlock]) -> Vec<ContentBlock> {
    content.iter().filter_map(assistant_block).collect()
}

/// The same of an answer by another model than the one that is asked: without its thinking, which only that one reads.
pub(super) fn of_other_model(content: &[ContentBlock]) -> Vec<ContentBlock> {
    content.iter().filter(|block| !is_thinking(block)).filter_map(assistant_block).collect()
}

fn user_block(block: &ContentBlock) -> Option<ContentBlock> {
    match block {
        ContentBlock::Text { text } => (!is_blank(text)).then(|| block.clone()),
        ContentBlock::Image(image) => Some(match images::refusal(image) {
            None => block.clone(),
            Some(reason) => ContentBlock::text(reason),
        }),
        ContentBlock::ToolResult { tool_use_id, content, is_error } => Some(ContentBlock::ToolResult {
            tool_use_id: tool_use_id.clone(),
            content: if *is_error { error_content(content) } else { result_content(content) },
            is_error: *is_error,
        }),
        ContentBlock::Thinking { .. }
        | ContentBlock::RedactedThinking { .. }
        | ContentBlock::ToolUse { .. }
        | ContentBlock::ServerToolUse { .. }
        | ContentBlock::ServerToolResult { .. }
        | ContentBlock::Compaction { .. } => None,
    }
}

fn assistant_block(block: &ContentBlock) -> Option<ContentBlock> {
    match block {
        ContentBlock::Text { text } => (!is_blank(text)).then(|| block.clone()),
        ContentBlock::Thinking { signature, .. } => (!signature.is_empty()).then(|| block.clone()),
        ContentBlock::RedactedThinking { data } => (!data.is_empty()).then(|| block.clone()),
        ContentBlock::ToolUse { id, name, input } => {
            Some(ContentBlock::ToolUse { id: id.clone(), name: legal_name(name), input: object(input) })
        }
        ContentBlock::ServerToolUse { .. } | ContentBlock::ServerToolResult { .. } => Some(block.clone()),
        ContentBlock::Compaction { content } => (!is_blank(content)).then(|| block.clone()),
        ContentBlock::ToolResult { .. } | ContentBlock::Image(_) => None,
    }
}

fn result_content(content: &[ToolResultContent]) -> Vec<ToolResultContent> {
    content
        .iter()
        .filter_map(|part| match part {
            ToolResultContent::Text(text) => (!is_blank(text)).then(|| part.clone()),
            ToolResultContent::Image(image) => Some(match images::refusal(image) {
                None => part.clone(),
                Some(reason) => ToolResultContent::Text(reason),
            }),
            ToolResultContent::ToolReference(_) => Some(part.clone()),
        })
        .collect()
}

/// An error carries text only, and some of it.
fn error_content(content: &[ToolResultContent]) -> Vec<ToolResultContent> {
    let mut text: Vec<ToolResultContent> = content
        .iter()
        .filter(|part| match part {
            ToolResultContent::Text(text) => !is_blank(text),
            ToolResultContent::Image(_) | ToolResultContent::ToolReference(_) => false,
        })
        .cloned()
        .collect();
    if text.is_empty() {
        text.push(ToolResultContent::Text(NO_MESSAGE.to_owned()));
    }
    text
}

/// The API refuses text without a visible character.
fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}

/// A call's input is an object; what a model sent instead is kept inside one, so that it can see its own mistake.
fn object(input: &Value) -> Value {
    match input {
        Value::Object(_) => input.clone(),
        Value::Null => Value::Object(Map::new()),
        Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            Value::Object(Map::from_iter([("input".to_owned(), input.clone())]))
        }
    }
}

/// Tool names match `^[a-zA-Z0-9_-]{1,64}$`.
fn legal_name(name: &str) -> String {
    let end = name.char_indices().nth(LONGEST_NAME).map(|(end, _)| end);
    let legal = in_alphabet(end.and_then(|end| name.get(..end)).unwrap_or(name).to_owned());
    if legal.is_empty() { "unknown".to_owned() } else { legal }
}

/// `name` with `_` for each character that is not of the API's alphabet (`[a-zA-Z0-9_-]`).
pub(super) fn in_alphabet(name: String) -> String {
    let is_legal = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if name.chars().all(is_legal) {
        return name;
    }
    name.chars().map(|c| if is_legal(c) { c } else { '_' }).collect()
}
