//! A request as it came, with the questions that tests ask of it.

use std::fmt;

use serde_json::Value;

#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    pub method: String,
    pub path: String,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body's very bytes.
    pub bytes: Vec<u8>,
    /// The same as JSON; null if it is none.
    pub body: Value,
}

impl Request {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_str())
    }

    pub fn messages(&self) -> &[Value] {
        self.body["messages"].as_array().map_or(&[], Vec::as_slice)
    }

    /// The content blocks of the last message.
    pub fn last_blocks(&self) -> &[Value] {
        let content = self.messages().last().and_then(|message| message["content"].as_array());
        content.map_or(&[], Vec::as_slice)
    }

    /// All text of the last message, joined by line breaks.
    pub fn last_text(&self) -> String {
        let texts: Vec<&str> = self.last_blocks().iter().filter_map(|block| block["text"].as_str()).collect();
        texts.join("\n")
    }

    /// The results in the last message: text, and whether each is an error.
    pub fn results(&self) -> Vec<(String, bool)> {
        self.last_blocks()
            .iter()
            .filter(|block| block["type"] == "tool_result")
            .map(|block| (result_text(&block["content"]), block["is_error"] == true))
            .collect()
    }

    /// The names of the tools on offer, in order.
    pub fn tools(&self) -> Vec<&str> {
        let tools = self.body["tools"].as_array().map_or(&[][..], Vec::as_slice);
        tools.iter().filter_map(|tool| tool["name"].as_str()).collect()
    }
}

fn result_text(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            parts.iter().filter_map(|part| part["text"].as_str()).collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}

/// One line a message, for the text of a failure.
impl fmt::Display for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} {}", self.method, self.path)?;
        for message in self.messages() {
            writeln!(f, "  {}: {}", message["role"].as_str().unwrap_or("?"), message["content"])?;
        }
        Ok(())
    }
}
