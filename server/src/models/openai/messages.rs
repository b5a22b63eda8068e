//! A conversation as chat-completions messages: calls and results apart, roles as strict templates want them.

use serde_json::{Map, Value, json};

use super::call_id;
use super::quirks::{AfterResults, BesideCalls, Quirks};
use super::reasoning::SentBack;
use super::text_calls;
use crate::config::ToolCallFormat;
use crate::conversation::{ApiMessage, ContentBlock, ImageSource, Role, ToolResultContent};

/// Stands where a result says nothing, since some servers refuse an empty one.
const NOTHING: &str = "(no output)";
/// Tells a failed result, for which the wire has no field.
const FAILED: &str = "Error: ";
/// Stands before images of results, which a tool's message can't hold.
const IMAGES: &str = "Images of the results above:";

/// The messages, `system` first. Each result is a message behind the one with its call, in the order of the calls.
pub(super) fn messages<'a>(
    system: &[String],
    conversation: impl IntoIterator<Item = &'a ApiMessage>,
    quirks: &Quirks,
    format: ToolCallFormat,
) -> Vec<Value> {
    let mut written = Vec::new();
    if !system.is_empty() {
        written.push(json!({ "role": quirks.system, "content": system.join("\n\n") }));
    }
    let mut writer = Writer { written, quirks, format };
    for message in conversation {
        match message.role {
            Role::User => writer.user(&message.content),
            Role::Assistant => writer.assistant(&message.content),
        }
    }
    writer.written
}

struct Writer<'a> {
    written: Vec<Value>,
    quirks: &'a Quirks,
    format: ToolCallFormat,
}

/// What a user's message holds besides results.
#[derive(Default)]
struct Said {
    texts: Vec<String>,
    images: Vec<Value>,
}

impl Writer<'_> {
    fn user(&mut self, content: &[ContentBlock]) {
        let mut said = Said::default();
        let mut of_results = Vec::new();
        for block in content {
            match block {
                ContentBlock::ToolResult { tool_use_id, content, is_error } => {
                    let text = result_text(content, *is_error);
                    of_results.extend(content.iter().filter_map(result_image));
                    match self.format {
                        ToolCallFormat::Native => self.written.push(json!({
                            "role": "tool",
                            "tool_call_id": call_id::of(tool_use_id, self.quirks.call_ids),
                            "content": text,
                        })),
                        ToolCallFormat::Prompt => said.texts.push(text_calls::result(&text)),
                    }
                }
                ContentBlock::Image(source) => said.images.push(image(source)),
                ContentBlock::Text { text } => said.texts.push(text.clone()),
                ContentBlock::Compaction { content } => said.texts.push(content.clone()),
                // Of another provider, or no part of a user's message.
                ContentBlock::Thinking { .. }
                | ContentBlock::RedactedThinking { .. }
                | ContentBlock::ToolUse { .. }
                | ContentBlock::ServerToolUse { .. }
                | ContentBlock::ServerToolResult { .. } => {}
            }
        }
        if !of_results.is_empty() {
            said.texts.insert(0, IMAGES.to_owned());
            said.images.splice(0..0, of_results);
        }
        self.say(said);
    }

    fn say(&mut self, said: Said) {
        if said.texts.is_empty() && said.images.is_empty() {
            return;
        }
        let text = said.texts.join("\n\n");
        if said.images.is_empty()
            && self.folds()
            && let Some(Value::String(result)) =
                self.written.last_mut().and_then(|last| last.get_mut("content"))
        {
            result.push_str("\n\n");
            result.push_str(&text);
            return;
        }
        let content = if said.images.is_empty() {
            Value::String(text)
        } else {
            let text = (!text.is_empty()).then(|| json!({ "type": "text", "text": text }));
            Value::Array(text.into_iter().chain(said.images).collect())
        };
        self.written.push(json!({ "role": "user", "content": content }));
    }

    /// The user speaks behind a result, or behind another message of the user's, and may not.
    fn folds(&self) -> bool {
        let role = self.written.last().and_then(|last| last.get("role")).and_then(Value::as_str);
        match role {
            Some("user") => true,
            Some("tool") => self.quirks.after_results == AfterResults::Folded,
            Some(_) | None => false,
        }
    }

    fn assistant(&mut self, content: &[ContentBlock]) {
        let mut texts = Vec::new();
        let mut thoughts = String::new();
        let mut calls = Vec::new();
        for block in content {
            match block {
                ContentBlock::Text { text } => texts.push(text.clone()),
                ContentBlock::Compaction { content } => texts.push(content.clone()),
                ContentBlock::Thinking { thinking, .. } => thoughts.push_str(thinking),
                ContentBlock::ToolUse { id, name, input } => match self.format {
                    ToolCallFormat::Native => calls.push(json!({
                        "id": call_id::of(id, self.quirks.call_ids),
                        "type": "function",
                        "function": { "name": name, "arguments": input.to_string() },
                    })),
                    ToolCallFormat::Prompt => texts.push(text_calls::written(name, input)),
                },
                // Of another provider, or no part of an assistant's message.
                ContentBlock::RedactedThinking { .. }
                | ContentBlock::ToolResult { .. }
                | ContentBlock::Image(_)
                | ContentBlock::ServerToolUse { .. }
                | ContentBlock::ServerToolResult { .. } => {}
            }
        }
        if texts.is_empty() && calls.is_empty() {
            return;
        }
        let content = match (texts.is_empty(), self.quirks.beside_calls) {
            (false, _) => Value::String(texts.join("\n\n")),
            (true, BesideCalls::Null) => Value::Null,
            (true, BesideCalls::Empty) => Value::String(String::new()),
        };
        let mut message =
            Map::from_iter([("role".to_owned(), json!("assistant")), ("content".to_owned(), content)]);
        if !calls.is_empty() {
            if self.quirks.reasoning == SentBack::WithCalls && !thoughts.trim().is_empty() {
                message.insert("reasoning_content".to_owned(), Value::String(thoughts));
            }
            message.insert("tool_calls".to_owned(), Value::Array(calls));
        }
        self.written.push(Value::Object(message));
    }
}

fn result_text(content: &[ToolResultContent], is_error: bool) -> String {
    let texts: Vec<&str> = content
        .iter()
        .filter_map(|part| match part {
            ToolResultContent::Text(text) | ToolResultContent::ToolReference(text) => Some(text.as_str()),
            ToolResultContent::Image(_) => None,
        })
        .collect();
    let text = texts.join("\n");
    let text = if text.trim().is_empty() { NOTHING.to_owned() } else { text };
    if is_error && !text.starts_with(FAILED) { format!("{FAILED}{text}") } else { text }
}

fn result_image(part: &ToolResultContent) -> Option<Value> {
    match part {
        ToolResultContent::Image(source) => Some(image(source)),
        ToolResultContent::Text(_) | ToolResultContent::ToolReference(_) => None,
    }
}

fn image(source: &ImageSource) -> Value {
    let url = format!("data:{};base64,{}", source.media_type, source.data);
    json!({ "type": "image_url", "image_url": { "url": url } })
}

#[cfg(test)]
mod tests;
