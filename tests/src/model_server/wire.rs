//! The words in which a vendor's API says an answer.

use serde_json::{Value, json};

use super::{Answer, Request};

/// Characters of a call's input in one piece.
const INPUT_PIECE: usize = 10;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wire {
    /// Anthropic's Messages API.
    Messages,
    /// OpenAI's chat completions.
    ChatCompletions,
    /// Ollama's own: a line of JSON at a time, and each call whole.
    Ollama,
}

/// Whether a block is finished.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Close {
    Yes,
    No,
}

/// What an answer says, piece by piece. Each function gives events as they are written.
#[derive(Debug)]
pub(super) struct Voice {
    wire: Wire,
    /// Makes the ids unique.
    number: usize,
    blocks: usize,
    calls: usize,
}

impl Wire {
    /// Answers to what is no request of the script: which models there are.
    pub(super) fn about_itself(self, request: &Request) -> Option<Answer> {
        match (self, request.method.as_str(), request.path.as_str()) {
            (Self::ChatCompletions, "GET", "/v1/models") => {
                let models =
                    json!({ "object": "list", "data": [{ "id": "scripted", "max_model_len": 100_000 }] });
                Some(Answer::response(200, models.to_string()))
            }
            // The real one refuses what is about an answer.
            (Self::Messages, "POST", "/v1/messages/count_tokens") => {
                let is_legal = ["max_tokens", "stream"].iter().all(|field| request.body.get(field).is_none());
                Some(if is_legal {
                    Answer::response(200, json!({ "input_tokens": 2_095 }).to_string())
                } else {
                    Answer::refusal(400, "invalid_request_error", "Extra inputs are not permitted")
                })
            }
            (Self::Ollama, "GET", "/v1/models") => {
                let models =
                    json!({ "object": "list", "data": [{ "id": "scripted", "owned_by": "library" }] });
                Some(Answer::response(200, models.to_string()))
            }
            (Self::Ollama, "POST", "/api/show") => {
                let info = json!({ "general.architecture": "scripted", "scripted.context_length": 131_072 });
                Some(Answer::response(200, json!({ "model_info": info }).to_string()))
            }
            (Self::ChatCompletions | Self::Ollama, "GET", _) => Some(Answer::response(404, "{}")),
            (Self::ChatCompletions | Self::Ollama | Self::Messages, _, _) => None,
        }
    }
}

impl Wire {
    /// Of an answer that streams.
    pub(super) const fn content_type(self) -> &'static str {
        match self {
            Self::Messages | Self::ChatCompletions => "text/event-stream",
            Self::Ollama => "application/x-ndjson",
        }
    }
}

impl Voice {
    pub(super) fn new(wire: Wire, number: usize) -> Self {
        Self { wire, number, blocks: 0, calls: 0 }
    }

    pub(super) fn begin(&self) -> Vec<String> {
        match self.wire {
            Wire::Messages => vec![event(&json!({ "type": "message_start", "message": {
                "id": format!("msg_{}", self.number), "type": "message", "role": "assistant", "model": "scripted",
                "content": [], "stop_reason": null, "stop_sequence": null,
                "usage": { "input_tokens": 100, "output_tokens": 1 },
            }}))],
            Wire::ChatCompletions => {
                vec![self.chunk(json!({ "role": "assistant", "content": "" }), Value::Null)]
            }
            Wire::Ollama => Vec::new(),
        }
    }

    pub(super) fn text(&mut self, text: &str, close: Close) -> Vec<String> {
        let words = text.split_inclusive(' ');
        match self.wire {
            Wire::Messages => {
                let deltas = words.map(|word| json!({ "type": "text_delta", "text": word })).collect();
                self.block(json!({ "type": "text", "text": "" }), deltas, close)
            }
            Wire::ChatCompletions => {
                words.map(|word| self.chunk(json!({ "content": word }), Value::Null)).collect()
            }
            Wire::Ollama => words.map(|word| said(&json!({ "content": word }))).collect(),
        }
    }

    pub(super) fn thinking(&mut self, thought: &str) -> Vec<String> {
        match self.wire {
            Wire::Messages => {
                let signature = format!("signed-{}-{}", self.number, self.blocks);
                let deltas = vec![
                    json!({ "type": "thinking_delta", "thinking": thought }),
                    json!({ "type": "signature_delta", "signature": signature }),
                ];
                self.block(json!({ "type": "thinking", "thinking": "" }), deltas, Close::Yes)
            }
            Wire::ChatCompletions => vec![self.chunk(json!({ "reasoning_content": thought }), Value::Null)],
            Wire::Ollama => vec![said(&json!({ "content": "", "thinking": thought }))],
        }
    }

    pub(super) fn call(&mut self, name: &str, input: &Value) -> Vec<String> {
        let characters: Vec<char> = input.to_string().chars().collect();
        let pieces = characters.chunks(INPUT_PIECE).map(|piece| piece.iter().collect::<String>());
        match self.wire {
            Wire::Messages => {
                let id = format!("toolu_{}_{}", self.number, self.blocks);
                let first = json!({ "type": "input_json_delta", "partial_json": "" });
                let more = pieces.map(|piece| json!({ "type": "input_json_delta", "partial_json": piece }));
                let deltas = std::iter::once(first).chain(more).collect();
                self.block(
                    json!({ "type": "tool_use", "id": id, "name": name, "input": {} }),
                    deltas,
                    Close::Yes,
                )
            }
            Wire::ChatCompletions => {
                let index = self.calls;
                self.calls += 1;
                let id = format!("call_{}_{index}", self.number);
                let first = json!([{ "index": index, "id": id, "type": "function", "function": { "name": name, "arguments": "" } }]);
                let more =
                    pieces.map(|piece| json!([{ "index": index, "function": { "arguments": piece } }]));
                std::iter::once(first)
                    .chain(more)
                    .map(|calls| self.chunk(json!({ "tool_calls": calls }), Value::Null))
                    .collect()
            }
            Wire::Ollama => {
                let call = json!({ "function": { "name": name, "arguments": input } });
                vec![said(&json!({ "content": "", "tool_calls": [call] }))]
            }
        }
    }

    /// An error in the middle.
    pub(super) fn error(&self, error_type: &str, message: &str) -> Vec<String> {
        let error = json!({ "type": error_type, "message": message });
        match self.wire {
            Wire::Messages => vec![event(&json!({ "type": "error", "error": error }))],
            Wire::ChatCompletions => vec![data(&json!({ "error": error }))],
            Wire::Ollama => vec![line(&json!({ "error": message }))],
        }
    }

    /// The end, for `reason` in the words of the Messages API.
    pub(super) fn end(&self, reason: &str) -> Vec<String> {
        match self.wire {
            Wire::Messages => vec![
                event(&json!({
                    "type": "message_delta",
                    "delta": { "stop_reason": reason, "stop_sequence": null },
                    "usage": { "output_tokens": 10 },
                })),
                event(&json!({ "type": "message_stop" })),
            ],
            Wire::ChatCompletions => {
                let reason = match reason {
                    "end_turn" => "stop",
                    "tool_use" => "tool_calls",
                    "max_tokens" => "length",
                    "refusal" => "content_filter",
                    other => other,
                };
                let usage = json!({ "prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110 });
                let figures = json!({ "id": self.id(), "choices": [], "usage": usage });
                vec![self.chunk(json!({}), json!(reason)), data(&figures), "data: [DONE]\n\n".to_owned()]
            }
            Wire::Ollama => {
                // It calls an end with calls a stop too.
                let reason = if reason == "max_tokens" { "length" } else { "stop" };
                vec![line(&json!({
                    "model": "scripted", "message": { "role": "assistant", "content": "" }, "done": true,
                    "done_reason": reason, "prompt_eval_count": 100, "eval_count": 10,
                }))]
            }
        }
    }

    fn block(&mut self, block: Value, deltas: Vec<Value>, close: Close) -> Vec<String> {
        let index = self.blocks;
        self.blocks += 1;
        let start = json!({ "type": "content_block_start", "index": index, "content_block": block });
        let deltas = deltas
            .into_iter()
            .map(|delta| json!({ "type": "content_block_delta", "index": index, "delta": delta }));
        let stop = (close == Close::Yes).then(|| json!({ "type": "content_block_stop", "index": index }));
        std::iter::once(start).chain(deltas).chain(stop).map(|data| event(&data)).collect()
    }

    fn chunk(&self, delta: Value, finish_reason: Value) -> String {
        data(&json!({
            "id": self.id(), "object": "chat.completion.chunk", "created": 1, "model": "scripted-1",
            "choices": [{ "index": 0, "delta": delta, "finish_reason": finish_reason }],
        }))
    }

    fn id(&self) -> String {
        format!("chatcmpl-{}", self.number)
    }
}

/// An event whose name stands in its data too.
fn event(data: &Value) -> String {
    format!("event: {}\ndata: {data}\n\n", data["type"].as_str().unwrap_or_default())
}

fn said(message: &Value) -> String {
    line(&json!({ "model": "scripted", "message": message, "done": false }))
}

fn line(line: &Value) -> String {
    format!("{line}\n")
}

fn data(data: &Value) -> String {
    format!("data: {data}\n\n")
}
