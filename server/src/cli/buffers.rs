//! The open files of our own small editor: they take edits from the server and are saved by hand.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::documents::{Change, Text, byte_range};
use crate::editor::{Position, PositionEncoding, Range};

/// Open files by URI. Positions count bytes: that is what this editor offers.
#[derive(Debug, Default)]
pub(super) struct Buffers {
    open: BTreeMap<String, Buffer>,
}

#[derive(Debug)]
struct Buffer {
    version: i32,
    text: Text,
}

/// What became of a `workspace/applyEdit`.
#[derive(Debug, PartialEq)]
pub(super) struct Applied {
    /// The `didChange` of each file that changed: sent before the reply.
    pub(super) changes: Vec<Value>,
    pub(super) reply: Value,
}

impl Buffers {
    /// Opens a file with this text, and gives the params of `didOpen`.
    pub(super) fn open(&mut self, uri: &str, language: &str, text: &str) -> Value {
        self.open.insert(uri.to_owned(), Buffer { version: 1, text: text.into() });
        json!({ "textDocument": { "uri": uri, "languageId": language, "version": 1, "text": text } })
    }

    pub(super) fn text(&self, uri: &str) -> Option<String> {
        self.open.get(uri).map(|buffer| buffer.text.to_string())
    }

    /// Applies a workspace edit of open files; all of it or nothing.
    pub(super) fn apply(&mut self, params: &Value) -> Applied {
        match self.checked(params) {
            Ok(files) => {
                let changes = files.into_iter().filter_map(|(uri, edits)| self.change(&uri, edits)).collect();
                Applied { changes, reply: json!({ "applied": true }) }
            }
            Err(reason) => {
                Applied { changes: Vec::new(), reply: json!({ "applied": false, "failureReason": reason }) }
            }
        }
    }

    fn checked(&self, params: &Value) -> Result<Vec<(String, Vec<Change>)>, String> {
        let edit = params.get("edit").ok_or("there is no edit")?;
        if let Some(changes) = edit.get("documentChanges").and_then(Value::as_array) {
            return changes
                .iter()
                .map(|change| {
                    let uri = change.pointer("/textDocument/uri").and_then(Value::as_str);
                    let uri = uri.ok_or("files are not made or moved here")?;
                    let version = change.pointer("/textDocument/version").and_then(Value::as_i64);
                    self.edits(uri, version, change.get("edits"))
                })
                .collect();
        }
        let changes = edit.get("changes").and_then(Value::as_object).ok_or("the edit is empty")?;
        changes.iter().map(|(uri, edits)| self.edits(uri, None, Some(edits))).collect()
    }

    /// The edits of one file in bytes, ascending.
    fn edits(
        &self,
        uri: &str,
        version: Option<i64>,
        edits: Option<&Value>,
    ) -> Result<(String, Vec<Change>), String> {
        let buffer = self.open.get(uri).ok_or_else(|| format!("{uri} is not open"))?;
        if version.is_some_and(|version| version != i64::from(buffer.version)) {
            return Err("document has changed".to_owned());
        }
        let edits = edits.and_then(Value::as_array).ok_or("the edits are no list")?;
        let mut changes = edits
            .iter()
            .map(|edit| {
                let range = range(edit.get("range")?)?;
                let text = edit.get("newText")?.as_str()?.to_owned();
                Some(Change { range: byte_range(&buffer.text, range, PositionEncoding::Utf8), text })
            })
            .collect::<Option<Vec<_>>>()
            .ok_or("an edit has no range or no text")?;
        changes.sort_by_key(|change| (change.range.start, change.range.end));
        let overlaps = changes.iter().zip(changes.iter().skip(1)).any(|(a, b)| a.range.end > b.range.start);
        if overlaps { Err("edits overlap".to_owned()) } else { Ok((uri.to_owned(), changes)) }
    }

    fn change(&mut self, uri: &str, edits: Vec<Change>) -> Option<Value> {
        let buffer = self.open.get_mut(uri)?;
        let before = buffer.text.clone();
        buffer.text = before.with_edits(&edits);
        buffer.version += 1;
        let position = |offset| {
            let Position { line, character } =
                crate::documents::position(&before, offset, PositionEncoding::Utf8);
            json!({ "line": line, "character": character })
        };
        // Bottom up, so that each one counts in the text as it was.
        let changes: Vec<_> = edits
            .iter()
            .rev()
            .map(|edit| {
                let range = json!({ "start": position(edit.range.start), "end": position(edit.range.end) });
                json!({ "range": range, "text": edit.text })
            })
            .collect();
        Some(json!({
            "textDocument": { "uri": uri, "version": buffer.version },
            "contentChanges": changes,
        }))
    }
}

fn range(value: &Value) -> Option<Range> {
    let position = |name: &str| {
        let number = |part: &str| u32::try_from(value.get(name)?.get(part)?.as_u64()?).ok();
        Some(Position::new(number("line")?, number("character")?))
    };
    Some(Range::new(position("start")?, position("end")?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const URI: &str = "file:///w/a.rs";

    fn edit(at: [u32; 4], text: &str) -> Value {
        let [a, b, c, d] = at;
        let range = json!({"start": {"line": a, "character": b}, "end": {"line": c, "character": d}});
        json!({"range": range, "newText": text})
    }

    fn versioned(version: i32, edits: &[Value]) -> Value {
        json!({"edit": {"documentChanges": [
            {"textDocument": {"uri": URI, "version": version}, "edits": edits},
        ]}})
    }

    #[test]
    fn edits_refer_to_one_text_and_are_sent_bottom_up() {
        let mut buffers = Buffers::default();
        buffers.open(URI, "rust", "one\ntwo\n");
        let applied =
            buffers.apply(&versioned(1, &[edit([0, 0, 0, 3], "ONE\n1"), edit([1, 0, 1, 3], "TWO")]));
        assert_eq!(applied.reply, json!({"applied": true}));
        assert_eq!(buffers.text(URI).as_deref(), Some("ONE\n1\nTWO\n"));
        let starts: Vec<_> = applied.changes[0]["contentChanges"]
            .as_array()
            .unwrap()
            .iter()
            .map(|change| change["range"]["start"]["line"].as_u64().unwrap())
            .collect();
        assert_eq!((starts, &applied.changes[0]["textDocument"]["version"]), (vec![1, 0], &json!(2)));
    }

    #[track_caller]
    fn check_refused(params: &Value, reason: &str) {
        let mut buffers = Buffers::default();
        buffers.open(URI, "rust", "one\n");
        let applied = buffers.apply(params);
        assert_eq!(applied.reply, json!({"applied": false, "failureReason": reason}));
        assert_eq!((applied.changes.len(), buffers.text(URI).as_deref()), (0, Some("one\n")));
    }

    #[test]
    fn what_does_not_fit_changes_nothing() {
        check_refused(&versioned(9, &[edit([0, 0, 0, 0], "x")]), "document has changed");
        check_refused(&versioned(1, &[edit([0, 0, 0, 2], ""), edit([0, 1, 0, 3], "")]), "edits overlap");
        check_refused(&json!({"edit": {"changes": {"file:///b": []}}}), "file:///b is not open");
        let create = json!({"edit": {"documentChanges": [{"kind": "create", "uri": "file:///c"}]}});
        check_refused(&create, "files are not made or moved here");
    }
}
