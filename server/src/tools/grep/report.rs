//! What a search found, in the words and within the bounds of a result.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::OutputMode;
use crate::documents::AbsPath;
use crate::tools::ToolResult;

/// The matches of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Hits {
    pub(super) path: AbsPath,
    pub(super) lines: Vec<Line>,
    pub(super) matches: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// Counted from 1, without its line break. A line of context does not match.
    Text { number: u64, text: String, matches: bool },
    /// Lines are left out here.
    Gap,
}

/// Which entries are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bounds {
    pub(super) offset: usize,
    pub(super) limit: usize,
}

/// Longer lines are cut there and marked.
const LINE_CHARS: usize = 500;

impl Bounds {
    pub(super) fn end(self) -> usize {
        self.offset.saturating_add(self.limit)
    }
}

/// Whether rules kept files out of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Searched {
    All,
    /// Only those that may be read.
    WhatMayBeRead,
}

/// `found` as text for the model and as data for editors. No match is no error.
pub(super) fn report(
    (found, searched): (&[Hits], Searched),
    mode: OutputMode,
    line_numbers: bool,
    bounds: Bounds,
    name: impl Fn(&AbsPath) -> String,
) -> ToolResult {
    let entries: Vec<String> = match mode {
        OutputMode::FilesWithMatches => found.iter().map(|hits| name(&hits.path)).collect(),
        OutputMode::Count => {
            found.iter().map(|hits| format!("{}:{}", name(&hits.path), hits.matches)).collect()
        }
        OutputMode::Content => {
            found.iter().flat_map(|hits| lines(&name(&hits.path), hits, line_numbers)).collect()
        }
    };
    let shown: Vec<&str> =
        entries.iter().skip(bounds.offset).take(bounds.limit).map(String::as_str).collect();
    let mut text = if entries.is_empty() {
        match searched {
            Searched::All => "No matches.".to_owned(),
            Searched::WhatMayBeRead => {
                "No matches in what may be read: rules keep other files from being read.".to_owned()
            }
        }
    } else if shown.is_empty() {
        format!("No entries at this offset: there are {}.", entries.len())
    } else {
        shown.join("\n")
    };
    if mode == OutputMode::Count && !entries.is_empty() {
        let matches: usize = found.iter().map(|hits| hits.matches).sum();
        // Writing to a string can't fail.
        let _ = write!(text, "\nTotal: {matches} in {} files.", found.len());
    }
    if entries.len() > bounds.end() {
        let _ = write!(text, "\n(There is more: use offset {}, or narrow the search.)", bounds.end());
    }
    ToolResult { data: data(found, mode, bounds, entries.len() > bounds.end()), ..ToolResult::text(text) }
}

/// `path:12:text` for a match, `path-13-text` for a line around one, `--` where lines are left out.
fn lines(name: &str, hits: &Hits, line_numbers: bool) -> Vec<String> {
    let line = |line: &Line| match line {
        Line::Gap => "--".to_owned(),
        Line::Text { number, text, matches } => {
            let mark = if *matches { ':' } else { '-' };
            let number = if line_numbers { format!("{number}{mark}") } else { String::new() };
            format!("{name}{mark}{number}{}", cut(text))
        }
    };
    hits.lines.iter().map(line).collect()
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(LINE_CHARS) {
        Some((end, _)) => format!("{}[… cut here]", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

fn data(found: &[Hits], mode: OutputMode, bounds: Bounds, more: bool) -> Value {
    let paths: Vec<&str> = found.iter().map(|hits| hits.path.as_str()).collect();
    let mode = match mode {
        OutputMode::Content => "content",
        OutputMode::FilesWithMatches => "files_with_matches",
        OutputMode::Count => "count",
    };
    json!({
        "mode": mode,
        "numFiles": found.len(),
        "filenames": paths,
        "numMatches": found.iter().map(|hits| hits.matches).sum::<usize>(),
        "appliedLimit": more.then_some(bounds.limit),
    })
}
