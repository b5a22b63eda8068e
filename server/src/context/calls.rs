//! A call with its result, as the steps that shorten a view ask about it.

use serde_json::Value;

use crate::conversation::{ToolResultContent, ToolUseId};

/// A call that has its result.
#[derive(Clone, Copy, Debug)]
pub(super) struct Call<'a> {
    pub(super) id: &'a ToolUseId,
    pub(super) name: &'a str,
    pub(super) input: &'a Value,
    pub(super) result: CallResult<'a>,
    /// Answers of the model before this one.
    pub(super) round: usize,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct CallResult<'a> {
    pub(super) place: Place,
    pub(super) content: &'a [ToolResultContent],
    pub(super) is_error: bool,
    /// The same, structured.
    pub(super) data: Option<&'a Value>,
}

/// Where a block stands in a view.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Place {
    pub(super) message: usize,
    pub(super) block: usize,
}

impl<'a> Call<'a> {
    /// The file that the call is about, as its result or else its input names it.
    pub(super) fn file(&self) -> Option<&'a str> {
        let of_data = self.result.data.and_then(|data| {
            let path = of_file(data, "filePath").or_else(|| data.get("filePath"));
            path.and_then(Value::as_str)
        });
        of_data.or_else(|| self.input.get("file_path").and_then(Value::as_str))
    }

    /// Whether the result shows something: neither an error nor a word that nothing has changed.
    pub(super) fn shows(&self) -> bool {
        let kind = self.result.data.and_then(|data| data.get("type")).and_then(Value::as_str);
        !self.result.is_error && kind != Some("file_unchanged")
    }

    /// Whether the result is a whole file.
    pub(super) fn shows_whole_file(&self) -> bool {
        let number = |name| self.result.data.and_then(|data| of_file(data, name)).and_then(Value::as_u64);
        let is_whole = || {
            let lines = number("numLines");
            lines.is_some() && lines == number("totalLines")
        };
        self.name == "Read" && self.shows() && is_whole()
    }

    pub(super) fn was_denied(&self) -> bool {
        let kind = self.result.data.and_then(|data| data.get("type")).and_then(Value::as_str);
        self.result.is_error && kind == Some("rejected")
    }
}

/// A field of what a result says of its file. Asked of every result in every round, so no pointer is taken apart for it.
fn of_file<'a>(data: &'a Value, field: &str) -> Option<&'a Value> {
    data.get("file")?.get(field)
}

impl CallResult<'_> {
    /// Bytes of text, which are no fewer than its characters, and cost nothing to count.
    pub(super) fn bytes(&self) -> usize {
        let of_part = |part: &ToolResultContent| match part {
            ToolResultContent::Text(text) => text.len(),
            ToolResultContent::Image(_) | ToolResultContent::ToolReference(_) => 0,
        };
        self.content.iter().map(of_part).sum()
    }

    /// Characters of text; `None` if there is something else, such as an image.
    pub(super) fn chars(&self) -> Option<usize> {
        let of_part = |part: &ToolResultContent| match part {
            ToolResultContent::Text(text) => Some(text.chars().count()),
            ToolResultContent::Image(_) | ToolResultContent::ToolReference(_) => None,
        };
        self.content.iter().map(of_part).sum()
    }

    /// Whether it is exactly this text.
    pub(super) fn is(&self, wanted: &str) -> bool {
        matches!(self.content, [ToolResultContent::Text(text)] if text == wanted)
    }

    /// Its texts; `None` if there is something else.
    pub(super) fn texts(&self) -> Option<Vec<&str>> {
        self.content
            .iter()
            .map(|part| match part {
                ToolResultContent::Text(text) => Some(text.as_str()),
                ToolResultContent::Image(_) | ToolResultContent::ToolReference(_) => None,
            })
            .collect()
    }
}

/// Counts answers: records of one answer share its id and follow each other. Behind a user's message the same id is that
/// of a server that gives each answer the same one.
#[derive(Clone, Debug, Default)]
pub(super) struct Rounds {
    last: String,
    count: usize,
}

impl Rounds {
    /// The round of a record of that answer.
    pub(super) fn of(&mut self, response_id: &str) -> usize {
        if self.count == 0 || self.last != response_id || response_id.is_empty() {
            self.count += 1;
            response_id.clone_into(&mut self.last);
        }
        self.count - 1
    }

    /// The user has said something: what follows is another answer.
    pub(super) fn close(&mut self) {
        self.last.clear();
    }
}
