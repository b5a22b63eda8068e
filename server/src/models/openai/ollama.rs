//! Ollama's own wire, `/api/chat`: only there does a request say how long its window is, and a longer prompt than that is
//! cut without a word.

use serde_json::{Map, Value, json};

use super::answer::{Answer, DONE};
use crate::models::ProviderEvent;
use crate::models::failure::Asked;
use crate::models::follow::{Accumulate, Framing};
use crate::models::lone_surrogates::Halves;
use crate::models::retry::Failure;

/// A chat-completions body as `/api/chat` has it, with a window of that many tokens.
pub(super) fn body(chat: Map<String, Value>, window: Option<u64>) -> Map<String, Value> {
    let mut options = Map::new();
    let mut native = Map::new();
    for (name, value) in chat {
        match name.as_str() {
            "max_tokens" => {
                options.insert("num_predict".to_owned(), value);
            }
            "messages" => {
                let messages = value.as_array().map_or(&[][..], Vec::as_slice);
                native.insert(name, messages.iter().map(message).collect());
            }
            // No such thing there: tools that may not be called are not shown.
            "tool_choice" if value == "none" => {
                native.remove("tools");
            }
            "tool_choice" | "stream_options" => {}
            _ => {
                native.insert(name, value);
            }
        }
    }
    if let Some(window) = window {
        options.insert("num_ctx".to_owned(), json!(window));
    }
    native.insert("options".to_owned(), Value::Object(options));
    native
}

/// Arguments are objects there, results name their tool's call, and images stand beside the text.
fn message(chat: &Value) -> Value {
    let mut native = chat.as_object().cloned().unwrap_or_default();
    let calls = native.get_mut("tool_calls").and_then(Value::as_array_mut);
    for function in calls.into_iter().flatten().filter_map(|call| call.get_mut("function")) {
        let arguments = function.get("arguments").and_then(Value::as_str).unwrap_or_default();
        let object: Value = serde_json::from_str(arguments).unwrap_or_else(|_| json!({}));
        if let Some(function) = function.as_object_mut() {
            function.insert("arguments".to_owned(), object);
        }
    }
    if let Some(Value::Array(parts)) = native.get("content").cloned() {
        let texts: Vec<&str> = parts.iter().filter_map(|part| part.get("text")?.as_str()).collect();
        let images: Vec<Value> = parts
            .iter()
            .filter_map(|part| part.pointer("/image_url/url")?.as_str()?.split_once(";base64,"))
            .map(|(_, data)| json!(data))
            .collect();
        native.insert("content".to_owned(), json!(texts.join("\n")));
        native.insert("images".to_owned(), Value::Array(images));
    }
    if let Some(thinking) = native.remove("reasoning_content") {
        native.insert("thinking".to_owned(), thinking);
    }
    Value::Object(native)
}

/// An answer of which each line is a JSON object.
#[derive(Debug)]
pub(super) struct NativeAnswer {
    answer: Answer,
    id: String,
    /// Characters that are cut between two lines.
    halves: Halves,
}

impl NativeAnswer {
    pub(super) fn new(answer: Answer) -> Self {
        let id = format!("ollama-{}", uuid::Uuid::new_v4().simple());
        Self { answer, id, halves: Halves::default() }
    }

    /// The chat-completions chunk that a line stands for.
    fn chunk(&self, line: &Value) -> Value {
        let mut chunk = json!({ "id": self.id, "choices": [{
            "delta": line.get("message").cloned().unwrap_or_else(|| json!({})),
            "finish_reason": null,
        }]});
        if is_done(line) {
            let reason = line.get("done_reason").cloned().unwrap_or_else(|| json!("stop"));
            if let Some(field) = chunk.pointer_mut("/choices/0/finish_reason") {
                *field = reason;
            }
            let figure = |name: &str| line.get(name).and_then(Value::as_u64).unwrap_or_default();
            let usage = json!({
                "prompt_tokens": figure("prompt_eval_count"),
                "completion_tokens": figure("eval_count"),
            });
            if let Some(fields) = chunk.as_object_mut() {
                fields.insert("usage".to_owned(), usage);
            }
        }
        chunk
    }
}

impl Accumulate for NativeAnswer {
    fn framing(&self) -> Framing {
        Framing::Lines
    }

    fn accept(&mut self, data: &str, asked: Asked<'_>) -> Result<Vec<ProviderEvent>, Failure> {
        let Ok(line) = self.halves.parsed(data) else { return self.answer.accept(data, asked) };
        if line.get("message").is_none() && !is_done(&line) {
            // An error, or something foreign: the answer says which.
            return self.answer.accept(data, asked);
        }
        let mut events = self.answer.accept(&self.chunk(&line).to_string(), asked)?;
        if is_done(&line) {
            events.extend(self.answer.accept(DONE, asked)?);
        }
        Ok(events)
    }

    fn end(&mut self) -> Vec<ProviderEvent> {
        self.answer.end()
    }

    fn is_whole(&self) -> bool {
        self.answer.is_whole()
    }

    fn has_finished_blocks(&self) -> bool {
        self.answer.has_finished_blocks()
    }

    fn is_stopped(&self) -> bool {
        self.answer.is_stopped()
    }
}

fn is_done(line: &Value) -> bool {
    line.get("done").and_then(Value::as_bool) == Some(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::ToolCallFormat;
    use crate::conversation::{ContentBlock, StopReason, Usage};
    use crate::models::failure::Api;

    #[test]
    fn a_body_says_how_long_its_window_is() {
        let chat = json!({
            "model": "qwen3",
            "max_tokens": 500,
            "stream": true,
            "tools": [{ "type": "function", "function": { "name": "Read" } }],
            "messages": [
                { "role": "user", "content": [{ "type": "text", "text": "see" }, { "type": "image_url", "image_url": { "url": "data:image/png;base64,AAAA" } }] },
                { "role": "assistant", "content": "", "tool_calls": [{ "id": "a", "type": "function", "function": { "name": "Read", "arguments": "{\"f\":1}" } }] },
                { "role": "tool", "tool_call_id": "a", "content": "x" },
            ],
        });
        let native = body(chat.as_object().expect("an object").clone(), Some(8_192));
        assert_eq!(
            Value::Object(native),
            json!({
                "model": "qwen3",
                "stream": true,
                "tools": [{ "type": "function", "function": { "name": "Read" } }],
                "messages": [
                    { "role": "user", "content": "see", "images": ["AAAA"] },
                    { "role": "assistant", "content": "", "tool_calls": [{ "id": "a", "type": "function", "function": { "name": "Read", "arguments": { "f": 1 } } }] },
                    { "role": "tool", "tool_call_id": "a", "content": "x" },
                ],
                "options": { "num_predict": 500, "num_ctx": 8_192 },
            })
        );
    }

    #[test]
    fn tools_that_may_not_be_called_are_not_shown() {
        let chat = json!({ "tools": [1], "tool_choice": "none", "messages": [] });
        let native = body(chat.as_object().expect("an object").clone(), None);
        assert_eq!(Value::Object(native), json!({ "messages": [], "options": {} }));
    }

    #[test]
    fn lines_are_an_answer() {
        let mut answer = NativeAnswer::new(Answer::new("qwen3", ToolCallFormat::Native));
        let asked = Asked { model: "qwen3", url: "http://h", api: Api { name: "API", key: "KEY" } };
        let lines = [
            json!({ "model": "qwen3", "message": { "role": "assistant", "content": "", "thinking": "hm" }, "done": false }),
            json!({ "message": { "role": "assistant", "content": "I look." }, "done": false }),
            json!({ "message": { "content": "", "tool_calls": [{ "function": { "name": "Read", "arguments": { "f": 1 } } }] }, "done": false }),
            json!({ "message": { "content": "", "tool_calls": [{ "function": { "name": "Read", "arguments": { "f": 2 } } }] }, "done": false }),
            json!({ "message": { "role": "assistant", "content": "" }, "done": true, "done_reason": "stop", "prompt_eval_count": 26, "eval_count": 9 }),
        ];
        let events: Vec<ProviderEvent> =
            lines.iter().flat_map(|line| answer.accept(&line.to_string(), asked).expect("legal")).collect();
        let inputs: Vec<Value> = events
            .iter()
            .filter_map(|event| match event {
                ProviderEvent::BlockStop { block: ContentBlock::ToolUse { input, .. }, .. } => {
                    Some(input.clone())
                }
                _ => None,
            })
            .collect();
        assert_eq!(inputs, [json!({ "f": 1 }), json!({ "f": 2 })]);
        let usage = Usage { input_tokens: 26, output_tokens: 9, ..Usage::default() };
        let delta = ProviderEvent::MessageDelta { stop_reason: Some(StopReason::ToolUse), usage };
        assert!(events.contains(&delta) && events.last() == Some(&ProviderEvent::MessageStop), "{events:?}");
        assert!(answer.accept(r#"{"error":"model runner crashed"}"#, asked).is_err());
    }
}
