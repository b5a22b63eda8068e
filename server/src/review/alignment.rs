//! The alignment of buffer and draft: a row of hunks, and everything between two of them is equal on both sides.
//!
//! Invariant: hunks ascend on both sides without overlap; the line after the last hunk is the same distance from the end
//! of both texts.

use std::ops::Range;
use std::sync::OnceLock;

use super::HunkId;
use super::delta::{Delta, Tie};
use super::hunk::Hunk;
use super::line::{Line, read, same};
use super::row::Row;
use crate::documents::Text;

#[derive(Clone, Debug, Default)]
pub(super) struct Alignment {
    pub(super) hunks: Row,
}

/// A part of a user's change, on one side of a hunk's edge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) lines: Range<usize>,
    pub(super) new: Vec<Line>,
    pub(super) place: Place,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// Between hunks, before the hunk with this index: the lines are on both sides.
    Outside(usize),
    /// On the buffer side of the hunk with this index.
    Inside(usize),
}

impl Alignment {
    pub(super) fn find(&self, id: &HunkId) -> Option<usize> {
        self.hunks.iter().position(|hunk| hunk.is_called(id))
    }

    /// The draft's line for a buffer line that lies outside, before the hunk with index `slot`.
    pub(super) fn draft_line(&self, line: usize, slot: usize) -> usize {
        let above = slot.checked_sub(1).and_then(|index| self.hunks.get(index));
        above.map_or(line, |above| line - above.buffer.end + above.draft.end)
    }

    /// The buffer's line for a draft line that lies outside, before the hunk with index `slot`.
    pub(super) fn buffer_line(&self, line: usize, slot: usize) -> usize {
        let above = slot.checked_sub(1).and_then(|index| self.hunks.get(index));
        above.map_or(line, |above| line - above.draft.end + above.buffer.end)
    }

    /// The hunks from index `from` on move: the texts before them grew or shrank from `old` to `new` lines.
    pub(super) fn shift_buffer(&mut self, from: usize, old: usize, new: usize) {
        if old != new {
            for hunk in self.hunks.iter_mut().skip(from) {
                hunk.buffer = hunk.buffer.start + new - old..hunk.buffer.end + new - old;
            }
        }
    }

    pub(super) fn shift_draft(&mut self, from: usize, old: usize, new: usize) {
        if old != new {
            for hunk in self.hunks.iter_mut().skip(from) {
                hunk.draft = hunk.draft.start + new - old..hunk.draft.end + new - old;
            }
        }
    }

    /// Lines between two hunks changed: one that is shown across them may be shown elsewhere now.
    pub(super) fn show_anew(&mut self, slot: usize) {
        for index in [slot.checked_sub(1), Some(slot)].into_iter().flatten() {
            let slid = |hunk: &Hunk| hunk.shown.get().is_some_and(|shown| shown.slide != 0);
            if self.hunks.get(index).is_some_and(slid)
                && let Some(hunk) = self.hunks.get_mut(index)
            {
                hunk.shown = OnceLock::new();
            }
        }
    }

    /// The hunk with this line on its buffer side, or the index of the first hunk below it.
    pub(super) fn place_of(&self, line: usize) -> Place {
        let below = self.hunks.partition_point(|hunk| hunk.buffer.end <= line);
        match self.hunks.get(below) {
            Some(hunk) if hunk.buffer.start <= line => Place::Inside(below),
            _ => Place::Outside(below),
        }
    }

    /// The buffer's line that is the same as the one right before a draft line; none if that one is a hunk's.
    pub(super) fn line_above(&self, draft_line: usize) -> Option<usize> {
        let above = draft_line.checked_sub(1)?;
        let slot = self.hunks.partition_point(|hunk| hunk.draft.end <= above);
        let outside = self.hunks.get(slot).is_none_or(|hunk| hunk.draft.start > above);
        outside.then(|| self.buffer_line(above, slot))
    }

    /// Cuts a user's change at the edges of the hunks. Ascending. The second list names insertions between whose deleted
    /// neighbours nothing is left, with the number of lines deleted above and below.
    pub(super) fn cut(&self, delta: &Delta, draft: &Text) -> (Vec<Part>, Vec<(usize, Range<usize>)>) {
        if delta.lines.is_empty() {
            let place = self.place_of_insertion(delta, draft);
            return (vec![Part { lines: delta.lines.clone(), new: delta.new.clone(), place }], Vec::new());
        }
        let lines = &delta.lines;
        let paired = delta.new.len() == lines.len();
        let mut parts: Vec<Part> = Vec::new();
        let mut swallowed = Vec::new();
        let mut at = lines.start;
        let mut push = |range: Range<usize>, place: Place| {
            if !range.is_empty() {
                let new = range.start - lines.start..range.end - lines.start;
                let new = if paired { delta.new.get(new).unwrap_or_default().to_vec() } else { Vec::new() };
                parts.push(Part { lines: range, new, place });
            }
        };
        let first = self.hunks.partition_point(|hunk| hunk.buffer.end < lines.start);
        let mut slot = first;
        for (index, hunk) in self.hunks.iter().enumerate().skip(first) {
            if hunk.buffer.start >= lines.end {
                break;
            }
            slot = index + 1;
            if hunk.buffer.is_empty() && hunk.buffer.start > lines.start && !paired {
                swallowed.push((index, lines.start..hunk.buffer.start));
            }
            let inside = hunk.buffer.start.max(at)..hunk.buffer.end.min(lines.end).max(at);
            push(at..inside.start, Place::Outside(index));
            push(inside.clone(), Place::Inside(index));
            at = inside.end;
        }
        push(at..lines.end, Place::Outside(slot));
        if !paired {
            let into = parts.iter().position(|part| matches!(part.place, Place::Inside(_))).unwrap_or(0);
            if let Some(part) = parts.get_mut(into) {
                part.new.clone_from(&delta.new);
            }
        }
        (parts, swallowed)
    }

    /// Lines inserted at the edge of a hunk are outside, and stick to the line they were typed from; only what is strictly
    /// between two lines of a hunk is inside, and what does a part of an insertion's work.
    fn place_of_insertion(&self, delta: &Delta, draft: &Text) -> Place {
        let at = delta.lines.start;
        let first = self.hunks.partition_point(|hunk| hunk.buffer.end < at);
        let mut slot = first;
        for (index, hunk) in self.hunks.iter().enumerate().skip(first) {
            if hunk.buffer.start > at {
                break;
            }
            if hunk.buffer.start < at && at < hunk.buffer.end {
                return Place::Inside(index);
            }
            if hunk.buffer.is_empty() {
                let echo = hunk.claim.as_ref().is_some_and(|claim| claim.is_echo(&delta.new));
                if echo || does_part(&delta.new, hunk, draft) {
                    return Place::Inside(index);
                }
                if delta.tie == Tie::Below {
                    slot = index + 1;
                }
            } else if hunk.buffer.end == at {
                slot = index + 1;
            }
        }
        Place::Outside(slot)
    }
}

/// The inserted lines are the head or the tail of what the hunk inserts, or the other way round. Blank lines are the user's
/// own, but for the final line break.
fn does_part(new: &[Line], hunk: &Hunk, draft: &Text) -> bool {
    let at_end = hunk.draft.end == draft.line_count();
    if !at_end && new.iter().all(Line::is_blank) {
        return false;
    }
    let agents = read(draft, hunk.draft.clone());
    let (less, more) = if new.len() <= agents.len() { (new, &*agents) } else { (&*agents, new) };
    more.get(..less.len()).is_some_and(|head| same(head, less))
        || more.get(more.len() - less.len()..).is_some_and(|tail| same(tail, less))
}
