//! What a model thinks aloud: in fields of half a dozen names, or between tags in its text.

use serde_json::Value;

/// Whether thinking goes back to the model that did it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SentBack {
    Never,
    /// In messages that call tools, as `reasoning_content`; never an empty one.
    WithCalls,
}

/// The thinking in a piece of an answer. Servers that fill several fields say the same in each.
pub(super) fn thinking(delta: &Value) -> String {
    let field = |name| delta.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
    // DeepSeek and llama.cpp; vLLM and OpenRouter; Ollama.
    if let Some(text) =
        field("reasoning_content").or_else(|| field("reasoning")).or_else(|| field("thinking"))
    {
        return text.to_owned();
    }
    let details = delta.get("reasoning_details").and_then(Value::as_array);
    let text = |detail: &Value| {
        let text = detail.get("text").or_else(|| detail.get("summary"));
        text.and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    details.map(|details| details.iter().map(text).collect()).unwrap_or_default()
}

/// A piece of text, told apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Spoken {
    Thought(String),
    Said(String),
}

/// Tells thinking between tags from what is said. Only an answer's very beginning opens it, so that tags in code stay.
#[derive(Debug, Default)]
pub(super) struct ThinkTags {
    state: Stage,
    /// What may be the beginning of a tag.
    held: String,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Stage {
    #[default]
    Beginning,
    Thinking,
    /// Behind the closing tag: line breaks there belong to neither.
    Between,
    Saying,
}

const OPEN: &str = "<think>";
const CLOSE: &str = "</think>";

impl ThinkTags {
    pub(super) fn tell_apart(&mut self, piece: &str) -> Vec<Spoken> {
        self.held.push_str(piece);
        let mut told = Vec::new();
        if self.state == Stage::Beginning {
            let begun = self.held.trim_start();
            if let Some(rest) = begun.strip_prefix(OPEN) {
                self.held = rest.to_owned();
                self.state = Stage::Thinking;
            } else if OPEN.starts_with(begun) {
                return told;
            } else {
                self.state = Stage::Saying;
            }
        }
        if self.state == Stage::Thinking {
            if let Some((thought, said)) = self.held.split_once(CLOSE) {
                told.extend(filled(thought).map(Spoken::Thought));
                self.held = said.to_owned();
                self.state = Stage::Between;
            } else {
                let safe = self.held.len() - overlap(&self.held, CLOSE);
                let rest = self.held.split_off(safe);
                let thought = std::mem::replace(&mut self.held, rest);
                told.extend(filled(&thought).map(Spoken::Thought));
            }
        }
        if self.state == Stage::Between {
            self.held = self.held.trim_start().to_owned();
            if !self.held.is_empty() {
                self.state = Stage::Saying;
            }
        }
        if self.state == Stage::Saying {
            told.extend(filled(&std::mem::take(&mut self.held)).map(Spoken::Said));
        }
        told
    }

    /// What was held back when the answer ended.
    pub(super) fn rest(&mut self) -> Option<Spoken> {
        let held = std::mem::take(&mut self.held);
        match self.state {
            Stage::Thinking => filled(&held).map(Spoken::Thought),
            Stage::Beginning | Stage::Between | Stage::Saying => filled(&held).map(Spoken::Said),
        }
    }
}

/// How many bytes at the end of `text` may be the beginning of `tag`.
pub(super) fn overlap(text: &str, tag: &str) -> usize {
    let most = tag.len().saturating_sub(1).min(text.len());
    (1..=most).rev().find(|&length| tag.get(..length).is_some_and(|begun| text.ends_with(begun))).unwrap_or(0)
}

fn filled(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_field_that_thinking_comes_in() {
        let check = |delta: Value, wanted: &str| assert_eq!(thinking(&delta), wanted, "{delta}");
        check(json!({ "reasoning_content": "a" }), "a");
        check(json!({ "reasoning": "a" }), "a");
        check(json!({ "thinking": "a" }), "a");
        check(
            json!({ "reasoning": "a", "reasoning_details": [{ "type": "reasoning.text", "text": "a" }] }),
            "a",
        );
        check(json!({ "reasoning_content": "a", "reasoning": "a" }), "a");
        check(
            json!({ "reasoning_details": [{ "text": "a" }, { "summary": "b" }, { "type": "reasoning.encrypted", "data": "x" }] }),
            "ab",
        );
        check(json!({ "reasoning_content": null, "content": "b" }), "");
    }

    /// Compares what is told apart, however the text is cut.
    #[track_caller]
    fn check(text: &str, thought: &str, said: &str) {
        for cut in (0..=text.len()).filter(|&cut| text.is_char_boundary(cut)) {
            let (first, second) = text.split_at(cut);
            let mut tags = ThinkTags::default();
            let mut spoken = tags.tell_apart(first);
            spoken.extend(tags.tell_apart(second));
            spoken.extend(tags.rest());
            let mut told = (String::new(), String::new());
            for piece in spoken {
                match piece {
                    Spoken::Thought(text) => told.0.push_str(&text),
                    Spoken::Said(text) => told.1.push_str(&text),
                }
            }
            assert_eq!((told.0.as_str(), told.1.as_str()), (thought, said), "cut at {cut}");
        }
    }

    #[test]
    fn tags_at_the_beginning_hold_thinking() {
        check("<think>hm 世</think>\n\nYes.", "hm 世", "Yes.");
        check("\n<think>\nhm</think>Yes.", "\nhm", "Yes.");
        check("<think></think>Yes.", "", "Yes.");
        check("<think>cut </thi", "cut </thi", "");
        check("<thin", "", "<thin");
        check("Yes <think>no</think>", "", "Yes <think>no</think>");
        check("<thinking>", "", "<thinking>");
        check("  plain", "", "  plain");
    }
}
