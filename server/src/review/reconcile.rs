//! What the user's change does to the alignment: outside the hunks it goes into both texts, inside a hunk only its
//! buffer side changes.

use std::ops::Range;

use super::alignment::Place;
use super::claim::Claim;
use super::delta::{Delta, Tie, line_form};
use super::draft::Draft;
use super::hunk::Orphan;
use super::line::{End, Line, read, replacement, same};
use crate::documents::{Change, Text};

impl Draft {
    /// One change of the buffer; both sides have a file. Hunks whose lines changed are dirty afterwards.
    pub(super) fn user_change(&mut self, change: &Change) {
        let Some(buffer) = &mut self.buffer else { return };
        let before = buffer.clone();
        self.watch.see(&before, change);
        buffer.apply(change);
        if !self.echoed(&before, change) && !self.typed_outside(&before, change) {
            for delta in line_form(&before, change).iter().rev() {
                self.user_delta(&before, delta);
            }
        }
    }

    /// An accept's own edit comes back as it was sent: its lines are the hunks', wherever else equal lines could be put.
    fn echoed(&mut self, before: &Text, change: &Change) -> bool {
        let (Some(names), Some(buffer)) = (self.watch.echo_of(before, change), &self.buffer) else {
            return false;
        };
        let Some(first) = names.first().and_then(|name| self.alignment.find(name)) else { return false };
        let Some(hunks) = self.alignment.hunks.get(first..first + names.len()) else { return false };
        let claims: Vec<&Claim> = hunks.iter().filter_map(|hunk| hunk.claim.as_ref()).collect();
        let counts: Vec<usize> = claims.iter().map(|claim| claim.expected.len()).collect();
        let start = hunks.first().map_or(0, |hunk| hunk.buffer.start);
        let (old, new): (usize, usize) =
            (hunks.iter().map(|hunk| hunk.buffer.len()).sum(), counts.iter().sum());
        if counts.len() != names.len() || before.line_count() - old + new != buffer.line_count() {
            return false;
        }
        let delta = Delta {
            lines: start..start + old,
            new: claims.iter().flat_map(|claim| claim.expected.clone()).collect(),
            lead: End::None,
            tie: Tie::Below,
        };
        self.accepted.follow(before, &delta);
        let mut at = start;
        for (hunk, count) in self.alignment.hunks.iter_mut().skip(first).zip(&counts) {
            hunk.buffer = at..at + count;
            hunk.touch();
            at += count;
        }
        self.alignment.shift_buffer(first + names.len(), old, new);
        true
    }

    /// Most keys change the words of one line that is no hunk's: the same bytes change in the draft, and nothing else.
    fn typed_outside(&mut self, before: &Text, change: &Change) -> bool {
        let Some(draft) = &mut self.draft else { return false };
        let line = before.line_of(change.range.start);
        let Place::Outside(slot) = self.alignment.place_of(line) else { return false };
        if change.text.contains(['\n', '\r']) || change.range.end > before.line_end(line) {
            return false;
        }
        let column = change.range.start - before.line_start(line);
        // A `\n` that comes to stand behind a lone `\r` makes one break of the two, and one line of two.
        let (start, end) = (change.range.start, change.range.end);
        if change.text.is_empty()
            && column == 0
            && before.slice(end..end + 1) == "\n"
            && start.checked_sub(1).is_some_and(|above| before.slice(above..start) == "\r")
        {
            return false;
        }
        let start = draft.line_start(self.alignment.draft_line(line, slot)) + column;
        draft.replace(start..start + change.range.len(), &change.text);
        self.accepted.line_changed(line);
        self.alignment.show_anew(slot);
        true
    }

    /// Whole lines of the buffer changed; the buffer shows it already.
    pub(super) fn user_delta(&mut self, before: &Text, delta: &Delta) {
        self.accepted.follow(before, delta);
        // An empty text has no line to stand beside, so whatever is filled in is in the hunk.
        if let ([hunk], Some(buffer), Some(draft)) = (&mut **self.alignment.hunks, &self.buffer, &self.draft)
            && before.is_empty()
        {
            hunk.buffer = 0..buffer.line_count();
            hunk.has_all_of(draft);
            return hunk.touch();
        }
        if self.neighbours_are_back(delta) {
            return;
        }
        if delta.lines.end >= before.line_count() {
            let above =
                self.alignment.hunks.iter_mut().rev().find(|hunk| hunk.buffer.end <= delta.lines.start);
            if let Some(hunk) = above.filter(|hunk| hunk.buffer.end == delta.lines.start) {
                hunk.touch();
            }
        }
        let Some(draft) = &self.draft else { return };
        let slid = self.slid_to_echo(before, delta);
        let delta = slid.as_ref().unwrap_or(delta);
        let (parts, swallowed) = self.alignment.cut(delta, draft);
        for (index, above) in swallowed {
            if let Some(hunk) = self.alignment.hunks.get_mut(index) {
                let below = above.end..delta.lines.end;
                hunk.orphan = Some(Orphan { above: read(before, above), below: read(before, below) });
                hunk.touch();
            }
        }
        for part in parts.into_iter().rev() {
            let (old, new) = (part.lines.len(), part.new.len());
            match part.place {
                Place::Inside(index) => {
                    if let Some(hunk) = self.alignment.hunks.get_mut(index) {
                        hunk.buffer.end = hunk.buffer.end + new - old;
                        hunk.touch();
                    }
                    self.alignment.shift_buffer(index + 1, old, new);
                }
                Place::Outside(slot) => {
                    self.alignment.show_anew(slot);
                    let start = self.alignment.draft_line(part.lines.start, slot);
                    self.alignment.shift_buffer(slot, old, new);
                    self.alignment.shift_draft(slot, old, new);
                    let lead = match self.alignment.line_above(start) {
                        Some(above) if above + 1 < part.lines.start => Line::new(&before.line(above)).end,
                        Some(_) | None => delta.lead,
                    };
                    self.splice_draft(start..start + old, &part.new, lead);
                }
            }
        }
        // The buffer's last line has a break now, and the draft may have another one there.
        if let (Some(above), true) =
            (delta.lines.start.checked_sub(1), delta.lines.end >= before.line_count())
            && let Place::Outside(slot) = self.alignment.place_of(above)
        {
            self.mend_break(self.alignment.draft_line(above, slot) + 1, delta.lead);
        }
    }

    /// The deleted neighbours of an insertion were put back in one go: it stands between them again.
    fn neighbours_are_back(&mut self, delta: &Delta) -> bool {
        let at = delta.lines.start;
        let found = self.alignment.hunks.iter().position(|hunk| {
            delta.lines.is_empty()
                && hunk.buffer == (at..at)
                && hunk
                    .orphan
                    .as_ref()
                    .is_some_and(|orphan| same(&[&*orphan.above, &*orphan.below].concat(), &delta.new))
        });
        let Some((index, hunk)) = found.and_then(|index| Some((index, self.alignment.hunks.get_mut(index)?)))
        else {
            return false;
        };
        hunk.touch();
        let orphan = hunk.orphan.take();
        let (above, below) = orphan.map(|orphan| (orphan.above, orphan.below)).unwrap_or_default();
        let (above_count, below_count) = (above.len(), below.len());
        let (start, end) = (hunk.draft.start, hunk.draft.end);
        self.splice_draft(end..end, &below, End::None);
        self.alignment.shift_buffer(index + 1, 0, above_count + below_count);
        self.alignment.shift_draft(index + 1, 0, above_count + below_count);
        self.splice_draft(start..start, &above, delta.lead);
        if let Some(hunk) = self.alignment.hunks.get_mut(index) {
            hunk.buffer = at + above_count..at + above_count;
            hunk.draft = start + above_count..end + above_count;
        }
        true
    }

    /// Replaces whole lines of the draft.
    pub(super) fn splice_draft(&mut self, lines: Range<usize>, new: &[Line], lead: End) {
        let Some(draft) = &self.draft else { return };
        if lines.end >= draft.line_count() {
            // A line that was the last gets a break, or the other way round.
            let above = self.alignment.hunks.iter_mut().rev().find(|hunk| hunk.draft.end <= lines.start);
            if let Some(hunk) = above.filter(|hunk| hunk.draft.end == lines.start) {
                hunk.touch();
            }
        }
        let nothing_left = new.is_empty() && lines.len() == draft.line_count();
        let change = replacement(draft, lines, new, lead);
        self.change_draft(&change);
        // A text without words has one empty line still. Nothing outside the hunks is left, so a hunk has it.
        if let Some(hunk) = self.alignment.hunks.last_mut().filter(|_| nothing_left) {
            hunk.draft = 0..1;
            hunk.touch();
        }
    }

    /// The line before draft line `line`, if it is outside the hunks, has the break `lead` in the buffer, so it has it in
    /// the draft. They part where it was one text's last line, which has none.
    pub(super) fn mend_break(&mut self, line: usize, lead: End) {
        let (Some(draft), Some(above)) = (&self.draft, line.checked_sub(1)) else { return };
        if lead == End::None || self.alignment.line_above(line).is_none() {
            return;
        }
        let end = draft.line_end(above)..draft.line_start(above + 1);
        if !end.is_empty() && draft.slice(end.clone()) != lead.as_str() {
            self.change_draft(&Change { range: end, text: lead.as_str().to_owned() });
        }
    }

    /// The one way in which lines of the draft become others: it sees what that does to the breaks beside them.
    pub(super) fn change_draft(&mut self, change: &Change) {
        let Some(draft) = &mut self.draft else { return };
        self.breaks_joined |= draft.joins_breaks(change);
        draft.apply(change);
    }
}
