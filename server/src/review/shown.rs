//! A hunk as it is shown: what costs time is computed once and kept until one of its sides changes.

use std::sync::Arc;

use super::draft::Draft;
use super::hunk::Hunk;
use super::inline::inline_marks;
use super::line::{Line, read};
use super::{HunkView, InlineMark};
use crate::documents::{Change, Text};

/// What a view of a hunk shows of its lines.
#[derive(Clone, Debug)]
pub(super) struct Shown {
    pub(super) removed: Arc<str>,
    pub(super) added: Arc<str>,
    pub(super) inline: Arc<[InlineMark]>,
    pub(super) line_ends_only: bool,
}

impl Shown {
    pub(super) fn new(hunk: &Hunk, buffer: &Text, draft: &Text) -> Self {
        let of = |text: &Text, lines: &std::ops::Range<usize>| -> Arc<str> {
            text.slice(text.line_start(lines.start)..text.line_start(lines.end)).into()
        };
        let (removed, added) = (of(buffer, &hunk.buffer), of(draft, &hunk.draft));
        let words = |text: &Text, lines: &std::ops::Range<usize>| -> Vec<String> {
            read(text, lines.clone()).into_iter().map(|Line { text, .. }| text).collect()
        };
        let line_ends_only = hunk.buffer.len() == hunk.draft.len()
            && !hunk.buffer.is_empty()
            && words(buffer, &hunk.buffer) == words(draft, &hunk.draft);
        let inline = inline_marks(&removed, &added).into();
        Self { removed, added, inline, line_ends_only }
    }
}

impl Hunk {
    pub(super) fn shown(&self, buffer: &Text, draft: &Text) -> &Shown {
        self.shown.get_or_init(|| Shown::new(self, buffer, draft))
    }
}

impl Draft {
    /// All hunks as they are shown.
    pub(super) fn views(&self) -> Vec<HunkView> {
        let none = Text::default();
        let (buffer, draft) = (self.buffer.as_ref().unwrap_or(&none), self.draft.as_ref().unwrap_or(&none));
        let hunks = self.alignment.hunks.iter().zip(self.moves()).enumerate();
        hunks
            .map(|(index, (hunk, moved))| {
                let shown = hunk.shown(buffer, draft);
                HunkView {
                    id: hunk.id.clone(),
                    revision: hunk.revision,
                    lines: hunk.buffer.clone(),
                    removed: shown.removed.clone(),
                    added: shown.added.clone(),
                    inline: shown.inline.clone(),
                    state: hunk.state(),
                    undone: hunk.undone,
                    reasons: hunk.reasons.clone(),
                    moved,
                    line_ends_only: shown.line_ends_only,
                    accept: self.edit_of(&[index], None),
                }
            })
            .collect()
    }
}

/// Cuts what both texts have in common off both ends of the change, on character borders and never inside `\r\n`.
pub(super) fn trimmed(text: &Text, change: Change) -> Change {
    let old = text.slice(change.range.clone());
    let new = change.text.as_str();
    let mut head: usize =
        old.chars().zip(new.chars()).take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum();
    let splits = |text: &str, at: usize| {
        text.get(..at).is_some_and(|head| head.ends_with('\r'))
            && text.get(at..).is_some_and(|tail| tail.starts_with('\n'))
    };
    if splits(&old, head) || splits(new, head) {
        head -= 1;
    }
    let (old_rest, new_rest) = (old.get(head..).unwrap_or_default(), new.get(head..).unwrap_or_default());
    let common = old_rest.chars().rev().zip(new_rest.chars().rev()).take_while(|(a, b)| a == b);
    let mut tail: usize = common.map(|(a, _)| a.len_utf8()).sum();
    if splits(&old, old.len() - tail) || splits(new, new.len() - tail) {
        tail -= 1;
    }
    let added = new.get(head..new.len() - tail).unwrap_or_default().to_owned();
    let range = change.range.start + head..change.range.end - tail;
    Change { range, text: added }
}
