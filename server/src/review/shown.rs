//! A hunk as it is shown: what costs time is computed once and kept until one of its sides changes.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use super::draft::Draft;
use super::hunk::{Hunk, Shown};
use super::inline::inline_marks;
use super::line::{Line, read};
use super::place::slide;
use super::{Accept, HunkId, HunkView};
use crate::documents::{Change, Text};

impl Shown {
    fn new(hunk: &Hunk, slide: isize, accept: Change, buffer: &Text, draft: &Text) -> Self {
        let of = |text: &Text, lines: &Range<usize>| -> Arc<str> {
            text.slice(text.line_start(lines.start)..text.line_start(lines.end)).into()
        };
        let removed = of(buffer, &moved(&hunk.buffer, slide));
        let added = of(draft, &moved(&hunk.draft, slide));
        let words = |text: &Text, lines: &Range<usize>| -> Vec<String> {
            read(text, lines.clone()).into_iter().map(|Line { text, .. }| text).collect()
        };
        let line_ends_only = hunk.buffer.len() == hunk.draft.len()
            && !hunk.buffer.is_empty()
            && words(buffer, &hunk.buffer) == words(draft, &hunk.draft);
        let inline = inline_marks(&removed, &added).into();
        let accept = Accept::new(accept, buffer, hunk.buffer.start);
        Self { removed, added, inline, line_ends_only, slide, accept }
    }
}

impl Draft {
    /// All hunks as they are shown.
    pub(super) fn views(&self) -> Vec<HunkView> {
        let moves = self.moves().into_iter().enumerate();
        moves.filter_map(|(index, moved_to)| self.view(index, moved_to)).collect()
    }

    /// `views` would give the same: so it is after most keys, and a thousand hunks are then no work for those who show them.
    pub(super) fn is_shown_as(&self, views: &[HunkView]) -> bool {
        let moves = self.moves();
        let mut pairs = views.iter().zip(&moves).enumerate();
        views.len() == moves.len()
            && pairs.all(|(index, (view, moved_to))| self.is_one_shown_as(view, index, moved_to.as_ref()))
    }

    /// The hunk with this index and the other half of its move, as a view of it.
    pub(super) fn view(&self, index: usize, moved_to: Option<HunkId>) -> Option<HunkView> {
        let (hunk, shown) = (self.alignment.hunks.get(index)?, self.shown(index)?);
        Some(HunkView {
            id: hunk.id.clone(),
            revision: hunk.revision,
            lines: moved(&hunk.buffer, shown.slide),
            draft_lines: moved(&hunk.draft, shown.slide),
            removed: shown.removed.clone(),
            added: shown.added.clone(),
            inline: shown.inline.clone(),
            state: hunk.state(),
            undone: hunk.undone,
            reasons: hunk.reasons.clone(),
            moved: moved_to,
            line_ends_only: shown.line_ends_only,
            accept: Accept { line: hunk.buffer.start, ..shown.accept.clone() },
        })
    }

    /// `view` would give the same. Texts count as the same only if they are one value.
    fn is_one_shown_as(&self, view: &HunkView, index: usize, moved_to: Option<&HunkId>) -> bool {
        let Some((hunk, shown)) = self.alignment.hunks.get(index).zip(self.shown(index)) else {
            return false;
        };
        let HunkView {
            id,
            revision,
            lines,
            draft_lines,
            removed,
            added,
            inline,
            state,
            undone,
            reasons,
            moved: other_half,
            line_ends_only,
            accept,
        } = view;
        *id == hunk.id
            && *revision == hunk.revision
            && *lines == moved(&hunk.buffer, shown.slide)
            && *draft_lines == moved(&hunk.draft, shown.slide)
            && Arc::ptr_eq(removed, &shown.removed)
            && Arc::ptr_eq(added, &shown.added)
            && Arc::ptr_eq(inline, &shown.inline)
            && *state == hunk.state()
            && *undone == hunk.undone
            && Arc::ptr_eq(reasons, &hunk.reasons)
            && other_half.as_ref() == moved_to
            && *line_ends_only == shown.line_ends_only
            && (accept.line, accept.distance, accept.len)
                == (hunk.buffer.start, shown.accept.distance, shown.accept.len)
            && Arc::ptr_eq(&accept.text, &shown.accept.text)
    }

    /// The hunk with this index as it is shown.
    pub(super) fn shown(&self, index: usize) -> Option<&Shown> {
        let none = Text::default();
        let (buffer, draft) = (self.buffer.as_ref().unwrap_or(&none), self.draft.as_ref().unwrap_or(&none));
        let hunk = self.alignment.hunks.get(index)?;
        let new = || Shown::new(hunk, self.slide(index), self.edit_of(&[index], None), buffer, draft);
        Some(hunk.shown.get_or_init(new))
    }

    /// How many lines down the hunk is best shown.
    fn slide(&self, index: usize) -> isize {
        let (Some(buffer), Some(draft)) = (&self.buffer, &self.draft) else { return 0 };
        let Some(hunk) = self.alignment.hunks.get(index) else { return 0 };
        let above = index.checked_sub(1).and_then(|above| self.alignment.hunks.get(above));
        let below = self.alignment.hunks.get(index + 1);
        if hunk.buffer.is_empty() {
            let above = above.map_or(0, |above| above.draft.end);
            slide(draft, &hunk.draft, above, below.map_or(draft.line_count(), |below| below.draft.start))
        } else if hunk.draft.is_empty() {
            let above = above.map_or(0, |above| above.buffer.end);
            slide(buffer, &hunk.buffer, above, below.map_or(buffer.line_count(), |below| below.buffer.start))
        } else {
            0
        }
    }

    /// The lines of a hunk are chosen as they are shown, so the hunk moves there for good.
    pub(super) fn move_to_where_it_is_shown(&mut self, index: usize) {
        let distance = self.shown(index).map_or(0, |shown| shown.slide);
        let Some(buffer) = &self.buffer else { return };
        if let Some(hunk) =
            self.alignment.hunks.get_mut(index).filter(|hunk| distance != 0 && !hunk.conflicted)
        {
            hunk.buffer = moved(&hunk.buffer, distance);
            hunk.draft = moved(&hunk.draft, distance);
            hunk.base = read(buffer, hunk.buffer.clone());
            hunk.offered.clear();
            hunk.shown = OnceLock::new();
        }
    }
}

fn moved(lines: &Range<usize>, distance: isize) -> Range<usize> {
    lines.start.saturating_add_signed(distance)..lines.end.saturating_add_signed(distance)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, range: Range<usize>, new: &str, wanted: (Range<usize>, &str)) {
        let change = trimmed(&Text::from(text), Change { range, text: new.to_owned() });
        assert_eq!((change.range, change.text.as_str()), wanted);
    }

    #[test]
    fn an_edit_is_trimmed_on_character_borders() {
        check("x \u{1f600} y\n", 0..9, "x \u{1f601} y\n", (2..6, "\u{1f601}"));
        check("abc", 0..3, "abXc", (2..2, "X"));
        check("aa", 0..2, "aaa", (2..2, "a"));
    }

    #[test]
    fn an_edit_never_parts_a_line_break() {
        check("a\r\n", 0..3, "a\n", (1..3, "\n"));
        check("a\n", 0..2, "a\r\n", (1..2, "\r\n"));
        check("a\r", 0..2, "a\r\n", (1..2, "\r\n"));
    }
}
