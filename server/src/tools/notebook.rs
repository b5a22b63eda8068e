//! A notebook as its text: the cells, and where in the JSON each of their parts stands.

pub(super) mod change;

use std::ops::Range;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

/// A notebook of format 4 (`nbformat.v4`), with the places of its cells in the text it was read from.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Notebook {
    pub(super) cells: Vec<Cell>,
    /// The `cells` array, brackets included, in bytes of the text.
    list: Range<usize>,
    /// Cells carry an `id` (format 4.5).
    has_ids: bool,
    /// As `metadata.language_info` or the kernel names it.
    pub(super) language: Option<String>,
}

/// One cell. All ranges are bytes of the notebook's text.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Cell {
    /// Its own id, or `cell-0`, `cell-1` where the notebook has none.
    pub(super) id: String,
    pub(super) kind: CellKind,
    pub(super) source: String,
    pub(super) outputs: Vec<Value>,
    /// From `{` to `}`.
    span: Range<usize>,
    /// The members in the order of the text.
    members: Vec<Member>,
}

/// One member of a cell's object.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Member {
    name: String,
    value: Range<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CellKind {
    Code,
    Markdown,
    Raw,
}

#[derive(Deserialize)]
struct NotebookJson<'text> {
    #[serde(borrow)]
    cells: Option<&'text RawValue>,
    nbformat: Option<u64>,
    nbformat_minor: Option<u64>,
    #[serde(default)]
    metadata: Value,
}

impl Notebook {
    /// Reads a notebook's text. The error says in words for the model what is wrong with it.
    pub(super) fn of(text: &str) -> Result<Self, String> {
        let json: NotebookJson<'_> = serde_json::from_str(text.trim_start_matches('\u{feff}'))
            .map_err(|error| format!("it is not a notebook's JSON: {error}"))?;
        let format = json.nbformat.unwrap_or(4);
        let (Some(list), true) = (json.cells, format >= 4) else {
            return Err(format!(
                "it has no list of cells as notebooks of format 4 have it (its format is {format})"
            ));
        };
        let raw: Vec<&RawValue> = serde_json::from_str(list.get()).map_err(|error| error.to_string())?;
        let cells: Vec<Cell> = raw
            .into_iter()
            .enumerate()
            .map(|(index, raw)| Cell::of(text, index, raw))
            .collect::<Result<_, String>>()?;
        let has_own_id = |cell: &Cell| cell.member("id").is_some();
        let minor = json.nbformat_minor.unwrap_or_default();
        let has_ids = format > 4 || minor >= 5 || cells.iter().any(has_own_id);
        let language = ["/language_info/name", "/kernelspec/language"]
            .iter()
            .find_map(|path| json.metadata.pointer(path)?.as_str())
            .map(ToOwned::to_owned);
        Ok(Self { cells, list: place(text, list), has_ids, language })
    }

    /// Where the one cell called `id` stands in `cells`. The error names the cells there are.
    pub(super) fn find(&self, id: &str) -> Result<usize, String> {
        let mut found = self.cells.iter().enumerate().filter(|(_, cell)| cell.id == id).map(|(at, _)| at);
        match (found.next(), found.next()) {
            (Some(at), None) => Ok(at),
            (Some(_), Some(_)) => Err(format!(
                "More than one cell has the id `{id}`, so it is not clear which is meant: mend the ids first."
            )),
            (None, _) => {
                let ids: Vec<&str> = self.cells.iter().map(|cell| cell.id.as_str()).take(30).collect();
                let more = if self.cells.len() > ids.len() { ", …" } else { "" };
                Err(format!("There is no cell `{id}`. The cells are: {}{more}.", ids.join(", ")))
            }
        }
    }
}

impl Cell {
    fn of(text: &str, index: usize, raw: &RawValue) -> Result<Self, String> {
        let members: Members<'_> = serde_json::from_str(raw.get())
            .map_err(|error| format!("its cell {} is no object: {error}", index + 1))?;
        let value: Map<String, Value> =
            serde_json::from_str(raw.get()).map_err(|error| format!("cell {}: {error}", index + 1))?;
        let id = value.get("id").and_then(Value::as_str).map(ToOwned::to_owned);
        let kind = match value.get("cell_type").and_then(Value::as_str) {
            Some("code") => CellKind::Code,
            Some("markdown") => CellKind::Markdown,
            Some(_) | None => CellKind::Raw,
        };
        Ok(Self {
            id: id.unwrap_or_else(|| format!("cell-{index}")),
            kind,
            source: joined(value.get("source")),
            outputs: value.get("outputs").and_then(Value::as_array).cloned().unwrap_or_default(),
            span: place(text, raw),
            members: members
                .0
                .into_iter()
                .map(|(name, value)| Member { name, value: place(text, value) })
                .collect(),
        })
    }

    fn member(&self, name: &str) -> Option<&Member> {
        self.members.iter().find(|member| member.name == name)
    }
}

impl CellKind {
    /// As `cell_type` has it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Code => "code",
            Self::Markdown => "markdown",
            Self::Raw => "raw",
        }
    }
}

/// A text that a notebook keeps as one string or as a list of lines.
pub(super) fn joined(value: Option<&Value>) -> String {
    match value {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(lines)) => lines.iter().filter_map(Value::as_str).collect(),
        Some(Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_)) | None => String::new(),
    }
}

/// The place of `part`, which was borrowed from `text`.
fn place(text: &str, part: &RawValue) -> Range<usize> {
    let start = (part.get().as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
    start..start + part.get().len()
}

/// An object's members in order, their values still text.
struct Members<'text>(Vec<(String, &'text RawValue)>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl<'de> serde::de::Visitor<'de> for Visitor {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<Members<'de>, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(Visitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"{"cells": [
 {"cell_type": "code", "id": "a", "source": ["x\n", "y"], "outputs": [{"output_type": "stream"}]},
 {"cell_type": "markdown", "source": "größe"}
], "metadata": {"language_info": {"name": "python"}}, "nbformat": 4, "nbformat_minor": 4}"#;

    #[test]
    fn cells_are_read_with_their_places() {
        let notebook = Notebook::of(TEXT).unwrap();
        let cells: Vec<(&str, CellKind, &str)> =
            notebook.cells.iter().map(|cell| (cell.id.as_str(), cell.kind, cell.source.as_str())).collect();
        assert_eq!(cells, [("a", CellKind::Code, "x\ny"), ("cell-1", CellKind::Markdown, "größe")]);
        assert_eq!(notebook.language.as_deref(), Some("python"));
        let source = notebook.cells[1].member("source").unwrap();
        assert_eq!(&TEXT[source.value.clone()], "\"größe\"");
        assert!(TEXT[notebook.list.clone()].starts_with('[') && TEXT[notebook.list].ends_with(']'));
    }

    #[test]
    fn a_byte_order_mark_moves_the_places() {
        let text = format!("\u{feff}{TEXT}");
        let notebook = Notebook::of(&text).unwrap();
        assert!(text[notebook.list].starts_with('['));
    }

    #[track_caller]
    fn refused(text: &str, want: &str) {
        let error = Notebook::of(text).unwrap_err();
        assert!(error.contains(want), "{error}");
    }

    #[test]
    fn what_is_no_notebook_is_told() {
        refused("x", "it is not a notebook's JSON: expected value at line 1 column 1");
        refused("{\"nbformat\": 3, \"worksheets\": []}", "its format is 3");
        refused("{\"cells\": [1]}", "its cell 1 is no object");
    }

    #[test]
    fn a_cell_is_found_by_its_id() {
        let notebook = Notebook::of(TEXT).unwrap();
        assert_eq!(notebook.find("cell-1"), Ok(1));
        assert_eq!(notebook.find("z"), Err("There is no cell `z`. The cells are: a, cell-1.".into()));
        let twice = Notebook::of(r#"{"cells": [{"id": "a"}, {"id": "a"}]}"#).unwrap();
        assert!(twice.find("a").unwrap_err().contains("More than one cell"));
    }
}
