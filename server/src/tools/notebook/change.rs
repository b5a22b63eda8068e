//! A change of one cell as edits of the notebook's text: every byte outside the changed lines stays.

use std::collections::HashMap;
use std::ops::Range;

use serde_json::value::RawValue;

use super::{Cell, CellKind, Notebook};
use crate::documents::Change;

/// The source of the cell at `at` replaced, and its kind if another one is wanted. What the cell has given out stays until
/// it is run again.
pub(in crate::tools) fn replace(
    text: &str,
    notebook: &Notebook,
    at: usize,
    source: &str,
    kind: Option<CellKind>,
) -> Vec<Change> {
    let Some(cell) = notebook.cells.get(at) else { return Vec::new() };
    let style = Style::of(text, notebook);
    let mut changes = Vec::new();
    match cell.member("source") {
        Some(member) => {
            let old = text.get(member.value.clone()).unwrap_or_default();
            let new = if old.starts_with('"') {
                quoted(source)
            } else {
                let spelled = spelled_as_before(old, source);
                let layout = match old {
                    "[]" => style.layout,
                    old if old.contains('\n') => Layout::Spread,
                    _ => Layout::OneLine,
                };
                style.list(&spelled, &line_indent(text, member.value.start), layout)
            };
            changes.extend(trimmed(old, &new, member.value.start));
        }
        None => changes.push(style.added(text, cell, &[("source", quoted(source))])),
    }
    if let Some(kind) = kind.filter(|kind| *kind != cell.kind) {
        changes.extend(style.turned(text, cell, kind));
    }
    changes.sort_by_key(|change| change.range.start);
    changes
}

/// A new cell behind the one at `after`, or before all others.
pub(in crate::tools) fn insert(
    text: &str,
    notebook: &Notebook,
    after: Option<usize>,
    kind: CellKind,
    source: &str,
    id: &str,
) -> Vec<Change> {
    let style = Style::of(text, notebook);
    let id = notebook.has_ids.then_some(id);
    let sibling = after.or(Some(0)).and_then(|at| notebook.cells.get(at));
    let Some(sibling) = sibling else {
        let outer = line_indent(text, notebook.list.start);
        let inner = format!("{outer}{}", style.unit);
        let cell = style.cell(kind, source, id, &inner);
        let whole = style.list(&[cell], &outer, style.layout);
        return vec![Change { range: notebook.list.clone(), text: whole }];
    };
    let indent = line_indent(text, sibling.span.start);
    let cell = style.cell(kind, source, id, &indent);
    let between = style.between(&indent);
    let change = if after.is_some() {
        Change { range: sibling.span.end..sibling.span.end, text: format!("{between}{cell}") }
    } else {
        Change { range: sibling.span.start..sibling.span.start, text: format!("{cell}{between}") }
    };
    vec![change]
}

/// The cell at `at` taken out, with the comma that set it apart.
pub(in crate::tools) fn delete(notebook: &Notebook, at: usize) -> Vec<Change> {
    let Some(cell) = notebook.cells.get(at) else { return Vec::new() };
    let range = match (at.checked_sub(1).and_then(|at| notebook.cells.get(at)), notebook.cells.get(at + 1)) {
        (_, Some(next)) => cell.span.start..next.span.start,
        (Some(before), None) => before.span.end..cell.span.end,
        (None, None) => notebook.list.start + 1..notebook.list.end.saturating_sub(1),
    };
    vec![Change { range, text: String::new() }]
}

/// How the notebook's JSON is laid out.
struct Style {
    /// One step of indent.
    unit: String,
    line_end: &'static str,
    layout: Layout,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Layout {
    /// Each entry on a line of its own.
    Spread,
    OneLine,
}

impl Style {
    fn of(text: &str, notebook: &Notebook) -> Self {
        let unit = text.lines().nth(1).map(|line| indent_of(line).to_owned()).filter(|unit| !unit.is_empty());
        let spread = match notebook.cells.first() {
            Some(cell) => text.get(cell.span.clone()).is_some_and(|cell| cell.contains('\n')),
            None => text.trim_end().contains('\n'),
        };
        Self {
            unit: unit.unwrap_or_else(|| " ".to_owned()),
            line_end: if text.contains("\r\n") { "\r\n" } else { "\n" },
            layout: if spread { Layout::Spread } else { Layout::OneLine },
        }
    }

    /// What stands between two entries; `indent` is theirs.
    fn between(&self, indent: &str) -> String {
        match self.layout {
            Layout::Spread => format!(",{}{indent}", self.line_end),
            Layout::OneLine => ", ".to_owned(),
        }
    }

    /// An array of `entries`; `indent` is that of the line it begins on.
    fn list(&self, entries: &[String], indent: &str, layout: Layout) -> String {
        match layout {
            _ if entries.is_empty() => "[]".to_owned(),
            Layout::OneLine => format!("[{}]", entries.join(", ")),
            Layout::Spread => {
                let (nl, inner) = (self.line_end, format!("{indent}{}", self.unit));
                let entries = entries.join(&format!(",{nl}{inner}"));
                format!("[{nl}{inner}{entries}{nl}{indent}]")
            }
        }
    }

    /// A whole cell; `indent` is that of its first line.
    fn cell(&self, kind: CellKind, source: &str, id: Option<&str>, indent: &str) -> String {
        let inner = format!("{indent}{}", self.unit);
        let lines: Vec<String> = source.split_inclusive('\n').map(quoted).collect();
        let mut members = vec![("cell_type", quoted(kind.name()))];
        if kind == CellKind::Code {
            members.push(("execution_count", "null".to_owned()));
        }
        members.extend(id.map(|id| ("id", quoted(id))));
        members.push(("metadata", "{}".to_owned()));
        if kind == CellKind::Code {
            members.push(("outputs", "[]".to_owned()));
        }
        members.push(("source", self.list(&lines, &inner, self.layout)));
        let members: Vec<String> =
            members.into_iter().map(|(name, value)| format!("{}: {value}", quoted(name))).collect();
        let members = members.join(&self.between(&inner));
        match self.layout {
            Layout::Spread => format!("{{{nl}{inner}{members}{nl}{indent}}}", nl = self.line_end),
            Layout::OneLine => format!("{{{members}}}"),
        }
    }

    /// What makes `cell` one of another kind: its `cell_type`, and the members that only code has.
    fn turned(&self, text: &str, cell: &Cell, kind: CellKind) -> Vec<Change> {
        let mut missing = Vec::new();
        let mut changes = Vec::new();
        match cell.member("cell_type") {
            Some(member) => changes.push(Change { range: member.value.clone(), text: quoted(kind.name()) }),
            None => missing.push(("cell_type", quoted(kind.name()))),
        }
        let is_code_only = |name: &str| name == "execution_count" || name == "outputs";
        if kind == CellKind::Code {
            let code_only = [("execution_count", "null"), ("outputs", "[]")];
            let absent = code_only.into_iter().filter(|(name, _)| cell.member(name).is_none());
            missing.extend(absent.map(|(name, value)| (name, value.to_owned())));
        } else {
            changes.extend(removed(text, cell, is_code_only));
        }
        if !missing.is_empty() {
            changes.push(self.added(text, cell, &missing));
        }
        changes
    }

    /// Members put behind the cell's last one.
    fn added(&self, text: &str, cell: &Cell, members: &[(&str, String)]) -> Change {
        let inner = match cell.members.first() {
            Some(first) => line_indent(text, first.value.start),
            None => format!("{}{}", line_indent(text, cell.span.start), self.unit),
        };
        let members: Vec<String> =
            members.iter().map(|(name, value)| format!("{}: {value}", quoted(name))).collect();
        let members = members.join(&self.between(&inner));
        match cell.members.last() {
            Some(last) => Change {
                range: last.value.end..last.value.end,
                text: format!("{}{members}", self.between(&inner)),
            },
            None => Change { range: cell.span.clone(), text: format!("{{{members}}}") },
        }
    }
}

/// The members with these names taken out, each run of them with its commas.
fn removed(text: &str, cell: &Cell, is_removed: impl Fn(&str) -> bool) -> Vec<Change> {
    let mut ranges: Vec<Range<usize>> = Vec::new();
    let mut kept: Option<usize> = None;
    for member in &cell.members {
        if !is_removed(&member.name) {
            // Without anything kept before it, the run goes as far as the next key.
            if let (None, Some(first)) = (kept, ranges.first_mut()) {
                first.end = key_start(text, first.end);
            }
            kept = Some(member.value.end);
            continue;
        }
        match (kept, ranges.last_mut()) {
            (Some(end), Some(last)) if last.start != end => ranges.push(end..member.value.end),
            (Some(end), None) => ranges.push(end..member.value.end),
            (Some(_) | None, Some(last)) => last.end = member.value.end,
            (None, None) => ranges.push(key_start(text, cell.span.start)..member.value.end),
        }
    }
    ranges.into_iter().map(|range| Change { range, text: String::new() }).collect()
}

/// Where the first key at or after `from` begins.
fn key_start(text: &str, from: usize) -> usize {
    text.get(from..).and_then(|rest| rest.find('"')).map_or(from, |at| from + at)
}

/// The lines of `source` as JSON strings; a line that `old` has already is written as it stands there.
fn spelled_as_before(old: &str, source: &str) -> Vec<String> {
    let old: Vec<&RawValue> = serde_json::from_str(old).unwrap_or_default();
    let known: HashMap<String, &str> =
        old.into_iter().filter_map(|raw| Some((serde_json::from_str(raw.get()).ok()?, raw.get()))).collect();
    source
        .split_inclusive('\n')
        .map(|line| known.get(line).map_or_else(|| quoted(line), |raw| (*raw).to_owned()))
        .collect()
}

/// What differs between two values, whole lines where there are several; `None` if nothing does.
fn trimmed(old: &str, new: &str, start: usize) -> Option<Change> {
    if old == new {
        return None;
    }
    let (old_lines, new_lines): (Vec<&str>, Vec<&str>) =
        (old.split_inclusive('\n').collect(), new.split_inclusive('\n').collect());
    let head = old_lines.iter().zip(&new_lines).take_while(|(old, new)| old == new).count();
    let most = old_lines.len().min(new_lines.len()) - head;
    let tail = old_lines
        .iter()
        .rev()
        .zip(new_lines.iter().rev())
        .take(most)
        .take_while(|(old, new)| old == new)
        .count();
    let bytes = |lines: &[&str]| lines.iter().map(|line| line.len()).sum::<usize>();
    let before = bytes(old_lines.get(..head).unwrap_or_default());
    let after = bytes(old_lines.get(old_lines.len() - tail..).unwrap_or_default());
    let range: Range<usize> = start + before..start + old.len() - after;
    let text = new.get(before..new.len() - after).unwrap_or_default().to_owned();
    Some(Change { range, text })
}

/// A JSON string as notebooks are written: all of Unicode as it is.
fn quoted(text: &str) -> String {
    serde_json::Value::String(text.to_owned()).to_string()
}

/// The blanks at the beginning of the line that holds `offset`.
fn line_indent(text: &str, offset: usize) -> String {
    let before = text.get(..offset).unwrap_or_default();
    let line = before.rfind('\n').map_or(0, |at| at + 1);
    indent_of(text.get(line..).unwrap_or_default()).to_owned()
}

fn indent_of(line: &str) -> &str {
    let end = line.find(|c| c != ' ' && c != '\t').unwrap_or(line.len());
    line.get(..end).unwrap_or_default()
}

#[cfg(test)]
mod tests;
