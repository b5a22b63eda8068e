//! A streamed answer put together: chat-completion chunks in, our events out.

use serde_json::Value;

use super::calls::Calls;
use super::failure::{Fault, faulty};
use super::reasoning::{Spoken, ThinkTags, thinking};
use super::speech::{Kind, Speech};
use super::text_calls::{CallTags, Written};
use crate::config::ToolCallFormat;
use crate::conversation::{StopReason, Usage};
use crate::models::ProviderEvent;
use crate::models::call_input::LongestInput;
use crate::models::failure::Asked;
use crate::models::follow::Accumulate;
use crate::models::lone_surrogates::Halves;
use crate::models::retry::Failure;

/// The data that ends a stream.
pub(super) const DONE: &str = "[DONE]";

/// What has come of one answer.
#[derive(Debug)]
pub(super) struct Answer {
    /// As we asked for it: a server may call the same model otherwise.
    model: String,
    /// Characters that are cut between two chunks.
    halves: Halves,
    tags: ThinkTags,
    /// With calls in the text: what tells them apart.
    written_calls: Option<CallTags>,
    speech: Speech,
    calls: Calls,
    /// Blocks that were begun.
    blocks: usize,
    finished_blocks: usize,
    called: bool,
    refused: bool,
    usage: Usage,
    reason: Option<String>,
    started: bool,
    stopped: bool,
}

impl Answer {
    pub(super) fn new(model: &str, format: ToolCallFormat) -> Self {
        Self {
            model: model.to_owned(),
            halves: Halves::default(),
            tags: ThinkTags::default(),
            written_calls: match format {
                ToolCallFormat::Native => None,
                ToolCallFormat::Prompt => Some(CallTags::default()),
            },
            speech: Speech::default(),
            calls: Calls::default(),
            blocks: 0,
            finished_blocks: 0,
            called: false,
            refused: false,
            usage: Usage::default(),
            reason: None,
            started: false,
            stopped: false,
        }
    }

    /// With calls whose inputs are no longer than that.
    pub(super) fn taking_up_to(self, longest_input: LongestInput) -> Self {
        Self { calls: Calls::taking_up_to(longest_input), ..self }
    }

    /// Takes the data of one event.
    pub(super) fn take(&mut self, data: &str) -> Result<Vec<ProviderEvent>, Fault> {
        let data = data.trim();
        if data == DONE {
            // Some servers give no other sign of the end.
            if self.started {
                self.reason.get_or_insert_default();
            }
            return Ok(self.end());
        }
        if data.is_empty() {
            return Ok(Vec::new());
        }
        let chunk = self.halves.parsed(data).map_err(|error| Fault::Malformed(error.to_string()))?;
        if let Some(fault) = Fault::in_chunk(&chunk) {
            return Err(fault);
        }
        self.count(&chunk);
        let choice = chunk.get("choices").and_then(Value::as_array).and_then(|choices| choices.first());
        let Some(choice) = choice else {
            // Usage figures come without choices, and what keeps a connection awake does. Events of another wire have a type.
            let has = |field: &str| chunk.get(field).is_some();
            let known = has("choices") || has("usage") || (self.started && !has("type"));
            return if known {
                Ok(Vec::new())
            } else {
                Err(Fault::Malformed("a chunk has no `choices`".to_owned()))
            };
        };
        let mut events = self.start(&chunk);
        // A server that does not stream sends a whole message instead.
        let delta = choice.get("delta").or_else(|| choice.get("message"));
        // A server that says its answer again says nothing new. Some say "" in every chunk.
        let is_over = self.reason.as_ref().is_some_and(|reason| !reason.is_empty());
        if let Some(delta) = delta.filter(|_| !is_over) {
            self.grow(delta, &mut events);
        }
        let reason = choice.get("finish_reason").and_then(Value::as_str);
        if let Some(reason) = reason.filter(|_| !is_over) {
            if let Some(fault) = Fault::in_finish_reason(reason) {
                return Err(fault);
            }
            self.reason = Some(reason.to_owned());
            events.extend(self.finish());
        }
        Ok(events)
    }

    fn start(&mut self, chunk: &Value) -> Vec<ProviderEvent> {
        if std::mem::replace(&mut self.started, true) {
            return Vec::new();
        }
        let id = chunk.get("id").and_then(Value::as_str).filter(|id| !id.is_empty());
        // Records of one answer are known by its id, so it needs one of its own.
        let response_id =
            id.map_or_else(|| format!("chatcmpl-{}", uuid::Uuid::new_v4().simple()), str::to_owned);
        vec![ProviderEvent::MessageStart {
            response_id,
            request_id: None,
            model: self.model.clone(),
            usage: self.usage,
        }]
    }

    fn grow(&mut self, delta: &Value, events: &mut Vec<ProviderEvent>) {
        let thought = thinking(delta);
        self.speak(Kind::Thinking, &thought, events);
        for (kind, text) in parts(delta.get("content")) {
            match kind {
                Kind::Thinking => self.speak(kind, &text, events),
                Kind::Text => self.hear(&text, events),
            }
        }
        if let Some(refusal) = delta.get("refusal").and_then(Value::as_str).filter(|text| !text.is_empty()) {
            self.refused = true;
            self.speak(Kind::Text, refusal, events);
        }
        if let Some(list) =
            delta.get("tool_calls").filter(|list| list.as_array().is_some_and(|list| !list.is_empty()))
        {
            self.begin_calls(events);
            events.extend(self.calls.take(list, &mut self.blocks));
        } else if let Some(call) = delta.get("function_call").filter(|call| call.is_object()) {
            self.begin_calls(events);
            events.extend(self.calls.take(&Value::Array(vec![call.clone()]), &mut self.blocks));
        }
    }

    /// Text as it comes, in which thinking and calls may hide.
    fn hear(&mut self, text: &str, events: &mut Vec<ProviderEvent>) {
        for spoken in self.tags.tell_apart(text) {
            self.sort(spoken, events);
        }
    }

    fn sort(&mut self, spoken: Spoken, events: &mut Vec<ProviderEvent>) {
        match spoken {
            Spoken::Thought(text) => self.speak(Kind::Thinking, &text, events),
            Spoken::Said(text) => match self.written_calls.as_mut().map(|tags| tags.tell_apart(&text)) {
                Some(written) => written.into_iter().for_each(|written| self.write(written, events)),
                None => self.speak(Kind::Text, &text, events),
            },
        }
    }

    fn write(&mut self, written: Written, events: &mut Vec<ProviderEvent>) {
        match written {
            Written::Said(text) => self.speak(Kind::Text, &text, events),
            Written::Call(call) => {
                self.begin_calls(events);
                events.extend(self.calls.add(&call.name, &call.arguments, &mut self.blocks));
            }
        }
    }

    fn speak(&mut self, kind: Kind, text: &str, events: &mut Vec<ProviderEvent>) {
        let before = events.len();
        self.speech.speak(kind, text, &mut self.blocks, events);
        self.count_finished(events.get(before..).unwrap_or_default());
    }

    fn begin_calls(&mut self, events: &mut Vec<ProviderEvent>) {
        self.called = true;
        let closed = self.speech.close();
        self.count_finished(closed.as_slice());
        events.extend(closed);
    }

    /// Every block is whole.
    fn finish(&mut self) -> Vec<ProviderEvent> {
        let mut events = Vec::new();
        if let Some(spoken) = self.tags.rest() {
            self.sort(spoken, &mut events);
        }
        if let Some(written) = self.written_calls.as_mut().and_then(CallTags::rest) {
            self.write(written, &mut events);
        }
        let counted = events.len();
        events.extend(self.speech.close());
        let cut_short = self.stop_reason() == StopReason::MaxTokens;
        events.extend(self.calls.finish(cut_short, &mut self.blocks));
        self.count_finished(events.get(counted..).unwrap_or_default());
        events
    }

    fn count_finished(&mut self, events: &[ProviderEvent]) {
        self.finished_blocks +=
            events.iter().filter(|event| matches!(event, ProviderEvent::BlockStop { .. })).count();
    }

    /// Why the answer ended. Servers that run out of calls say `stop` as often as `tool_calls`, so the calls decide.
    fn stop_reason(&self) -> StopReason {
        match self.reason.as_deref().unwrap_or_default() {
            _ if self.refused => StopReason::Refusal,
            "length" | "max_tokens" => StopReason::MaxTokens,
            "content_filter" => StopReason::Refusal,
            _ if self.called => StopReason::ToolUse,
            "" | "stop" | "eos" | "end_turn" | "tool_calls" | "function_call" | "load" | "unload" => {
                StopReason::EndTurn
            }
            other => StopReason::Other(other.to_owned()),
        }
    }

    /// Figures come in the last chunk, in every one, or never: the last ones count.
    fn count(&mut self, chunk: &Value) {
        let Some(usage) = chunk.get("usage").filter(|usage| usage.is_object()) else { return };
        let figure = |pointer: &str| usage.pointer(pointer).and_then(Value::as_u64);
        let cached = figure("/prompt_tokens_details/cached_tokens").or(figure("/prompt_cache_hit_tokens"));
        let cached = cached.unwrap_or_default();
        if let Some(prompt) = figure("/prompt_tokens").filter(|&tokens| tokens > 0) {
            self.usage.input_tokens = prompt.saturating_sub(cached);
            self.usage.cache_read_input_tokens = cached;
        }
        if let Some(answer) = figure("/completion_tokens").filter(|&tokens| tokens > 0) {
            self.usage.output_tokens = answer;
        }
    }
}

impl Accumulate for Answer {
    fn accept(&mut self, data: &str, asked: Asked<'_>) -> Result<Vec<ProviderEvent>, Failure> {
        let early = !self.has_finished_blocks();
        self.take(data).map_err(|fault| faulty(fault, asked, early))
    }

    fn end(&mut self) -> Vec<ProviderEvent> {
        if self.stopped || !self.is_whole() {
            return Vec::new();
        }
        self.stopped = true;
        let mut events = self.finish();
        events.push(ProviderEvent::MessageDelta { stop_reason: Some(self.stop_reason()), usage: self.usage });
        events.push(ProviderEvent::MessageStop);
        events
    }

    /// A reason has come. What follows it, if anything, are usage figures.
    fn is_whole(&self) -> bool {
        self.reason.is_some()
    }

    fn has_finished_blocks(&self) -> bool {
        self.finished_blocks > 0
    }

    fn is_stopped(&self) -> bool {
        self.stopped
    }
}

/// The texts in a `content`, which is a string or a list of parts.
fn parts(content: Option<&Value>) -> Vec<(Kind, String)> {
    let text = |value: Option<&Value>| match value {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => {
            parts.iter().filter_map(|part| part.get("text").and_then(Value::as_str)).collect()
        }
        _ => String::new(),
    };
    match content {
        Some(Value::Array(parts)) => parts
            .iter()
            .map(|part| match part.get("thinking") {
                Some(thinking) => (Kind::Thinking, text(Some(thinking))),
                None => (Kind::Text, text(part.get("text"))),
            })
            .collect(),
        other => vec![(Kind::Text, text(other))],
    }
}

#[cfg(test)]
mod tests;
