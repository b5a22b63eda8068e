//! Calls that a model writes into its text, for servers that have no field for them (the form of Hermes and Qwen).

use serde_json::{Value, json};

use super::reasoning::overlap;
use crate::models::ToolDefinition;

const OPEN: &str = "<tool_call>";
const CLOSE: &str = "</tool_call>";

/// A piece of text, told apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Written {
    Said(String),
    Call(TextCall),
}

/// A call as it was written; what is no call at all has no name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TextCall {
    pub(super) name: String,
    pub(super) arguments: String,
}

/// Tells calls from what is said.
#[derive(Debug, Default)]
pub(super) struct CallTags {
    held: String,
}

impl CallTags {
    pub(super) fn tell_apart(&mut self, piece: &str) -> Vec<Written> {
        self.held.push_str(piece);
        let mut told = Vec::new();
        loop {
            let Some((said, rest)) = self.held.split_once(OPEN) else {
                let safe = self.held.len() - overlap(&self.held, OPEN);
                let rest = self.held.split_off(safe);
                said_in(&std::mem::replace(&mut self.held, rest), &mut told);
                return told;
            };
            let Some((call, behind)) = rest.split_once(CLOSE) else {
                let rest = format!("{OPEN}{rest}");
                said_in(said, &mut told);
                self.held = rest;
                return told;
            };
            said_in(said, &mut told);
            told.push(Written::Call(read(call)));
            self.held = behind.to_owned();
        }
    }

    /// What was held back when the answer ended: a call is whole without its closing tag if its JSON is.
    pub(super) fn rest(&mut self) -> Option<Written> {
        let held = std::mem::take(&mut self.held);
        match held.strip_prefix(OPEN) {
            Some(call) if serde_json::from_str::<Value>(call).is_ok() => Some(Written::Call(read(call))),
            _ if held.is_empty() => None,
            _ => Some(Written::Said(held)),
        }
    }
}

/// A call as it stands in the text of an earlier answer.
pub(super) fn written(name: &str, input: &Value) -> String {
    format!("{OPEN}\n{}\n{CLOSE}", json!({ "name": name, "arguments": input }))
}

/// A result as the model reads it.
pub(super) fn result(text: &str) -> String {
    format!("<tool_response>\n{text}\n</tool_response>")
}

/// What a model that is told of its tools in text has to know.
pub(super) fn instructions(tools: &[ToolDefinition]) -> String {
    let tools: Vec<String> = tools
        .iter()
        .map(|tool| {
            let parameters = &tool.input_schema;
            json!({ "name": tool.name, "description": tool.description, "parameters": parameters })
                .to_string()
        })
        .collect();
    format!(
        "# Tools\n\nYou may call these tools, each described by a line of JSON:\n<tools>\n{}\n</tools>\n\n\
         To call one, write a JSON object with its name and its arguments between these tags, and nothing behind it:\n\
         {OPEN}\n{{\"name\": \"…\", \"arguments\": {{…}}}}\n{CLOSE}\n\
         The result comes to you between <tool_response> tags. Several calls stand one behind the other.",
        tools.join("\n")
    )
}

fn said_in(text: &str, told: &mut Vec<Written>) {
    if !text.is_empty() {
        told.push(Written::Said(text.to_owned()));
    }
}

fn read(call: &str) -> TextCall {
    let parsed: Value = serde_json::from_str(call.trim()).unwrap_or_default();
    let name = parsed.get("name").and_then(Value::as_str);
    let arguments = parsed.get("arguments").or_else(|| parsed.get("parameters"));
    match name {
        Some(name) => TextCall {
            name: name.to_owned(),
            arguments: arguments
                .map(|arguments| arguments.as_str().map_or_else(|| arguments.to_string(), str::to_owned))
                .unwrap_or_default(),
        },
        None => TextCall { name: String::new(), arguments: call.trim().to_owned() },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str) -> Written {
        Written::Said(text.to_owned())
    }

    fn call(name: &str, arguments: &str) -> Written {
        Written::Call(TextCall { name: name.to_owned(), arguments: arguments.to_owned() })
    }

    /// Compares what is told apart, however the text is cut.
    #[track_caller]
    fn check(text: &str, wanted: &[Written]) {
        for cut in (0..=text.len()).filter(|&cut| text.is_char_boundary(cut)) {
            let (first, second) = text.split_at(cut);
            let mut tags = CallTags::default();
            let mut told = tags.tell_apart(first);
            told.extend(tags.tell_apart(second));
            told.extend(tags.rest());
            let mut joined: Vec<Written> = Vec::new();
            for piece in told {
                match (joined.last_mut(), piece) {
                    (Some(Written::Said(before)), Written::Said(more)) => before.push_str(&more),
                    (_, piece) => joined.push(piece),
                }
            }
            assert_eq!(joined, wanted, "cut at {cut}");
        }
    }

    #[test]
    fn calls_are_told_from_text() {
        check("plain < text", &[said("plain < text")]);
        check(
            "I look. <tool_call>\n{\"name\": \"Read\", \"arguments\": {\"a\": 1}}\n</tool_call>",
            &[said("I look. "), call("Read", "{\"a\":1}")],
        );
        check(
            "<tool_call>{\"name\":\"A\",\"arguments\":{}}</tool_call><tool_call>{\"name\":\"B\",\"parameters\":\"{}\"}</tool_call>",
            &[call("A", "{}"), call("B", "{}")],
        );
    }

    #[test]
    fn what_is_not_whole_is_no_call_and_nonsense_has_no_name() {
        check("<tool_call>{\"name\":\"A\",\"arguments\":{}}", &[call("A", "{}")]);
        check("<tool_call>{\"name\":\"A\",\"argu", &[said("<tool_call>{\"name\":\"A\",\"argu")]);
        check("<tool_call>Read a.rs</tool_call>", &[call("", "Read a.rs")]);
        check("so <tool", &[said("so <tool")]);
    }

    #[test]
    fn what_is_written_is_read_again() {
        let text = written("Read", &json!({ "path": "größe" }));
        check(&text, &[call("Read", "{\"path\":\"größe\"}")]);
    }
}
