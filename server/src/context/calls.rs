//! The calls of a view with their results, found in one pass.

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::Value;

use crate::conversation::{ContentBlock, Message, ToolResultContent, ToolUseId};

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

/// Every call of `view` that is answered, in the order of the results, and the number of rounds.
pub(super) fn calls(view: &[Message]) -> (Vec<Call<'_>>, usize) {
    let mut open: HashMap<&ToolUseId, (&str, &Value, usize)> = HashMap::new();
    let mut calls = Vec::new();
    let mut rounds = Rounds::default();
    for (at, message) in view.iter().enumerate() {
        match message {
            Message::Assistant(answer) => {
                let round = rounds.of(&answer.response_id);
                for block in &answer.content {
                    if let ContentBlock::ToolUse { id, name, input } = block {
                        open.insert(id, (name, input, round));
                    }
                }
            }
            Message::User(user) => {
                for (block, content) in user.content.iter().enumerate() {
                    let ContentBlock::ToolResult { tool_use_id, content, is_error } = content else {
                        continue;
                    };
                    let Some((name, input, round)) = open.remove(tool_use_id) else { continue };
                    let place = Place { message: at, block };
                    let data = user.tool_use_result.as_ref();
                    let result = CallResult { place, content, is_error: *is_error, data };
                    calls.push(Call { id: tool_use_id, name, input, result, round });
                }
            }
            Message::System(_) | Message::Attachment(_) | Message::Progress(_) => {}
        }
    }
    (calls, rounds.count)
}

/// `view` with those results in other words; the very same if there are none.
pub(super) fn with_results(view: Arc<[Message]>, results: &HashMap<Place, Arc<str>>) -> Arc<[Message]> {
    if results.is_empty() {
        return view;
    }
    let mut changed: Vec<Message> = view.to_vec();
    for (place, text) in results {
        let Some(Message::User(user)) = changed.get_mut(place.message) else { continue };
        let user = Arc::make_mut(user);
        if let Some(ContentBlock::ToolResult { content, .. }) = user.content.get_mut(place.block) {
            *content = vec![ToolResultContent::Text(text.to_string())];
            user.tool_use_result = None;
        }
    }
    changed.into()
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
    /// Characters of text; `None` if there is something else, such as an image.
    pub(super) fn chars(&self) -> Option<usize> {
        self.texts().map(|texts| texts.iter().map(|text| text.chars().count()).sum())
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

/// Counts answers: records of one answer share its id.
#[derive(Default)]
pub(super) struct Rounds<'a> {
    last: Option<&'a str>,
    count: usize,
}

impl<'a> Rounds<'a> {
    /// The round of a record of that answer.
    pub(super) fn of(&mut self, response_id: &'a str) -> usize {
        if self.last != Some(response_id) || response_id.is_empty() {
            self.count += 1;
            self.last = Some(response_id);
        }
        self.count - 1
    }
}
