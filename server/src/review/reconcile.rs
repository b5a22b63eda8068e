//! What the user's side does to the alignment: a change outside the hunks goes into both texts, one inside a hunk is
//! merged with what the agent wants there.

use std::ops::Range;

use super::accepted::Region;
use super::alignment::Place;
use super::claim::Claim;
use super::delta::{Delta, line_form};
use super::diff::{Replaced, diff};
use super::draft::Draft;
use super::hunk::{Hunk, Orphan};
use super::line::{End, Line, read, replacement, same, same_words};
use super::merge::{Piece, Taken, merge};
use super::told::Net;
use crate::documents::{Change, Text};

impl Draft {
    /// One change of the buffer; both sides have a file. Hunks whose lines changed are dirty afterwards.
    pub(super) fn user_change(&mut self, change: &Change) {
        let Some(buffer) = &mut self.buffer else { return };
        let before = buffer.clone();
        self.watch.see(&before, change);
        buffer.apply(change);
        if !self.typed_outside(&before, change) {
            for delta in line_form(&before, change).iter().rev() {
                self.user_delta(&before, delta);
            }
        }
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
        let start = draft.line_start(self.alignment.draft_line(line, slot)) + column;
        draft.replace(start..start + change.range.len(), &change.text);
        self.accepted.line_changed(line);
        true
    }

    /// Whole lines of the buffer changed; the buffer shows it already.
    pub(super) fn user_delta(&mut self, before: &Text, delta: &Delta) {
        self.accepted.follow(before, delta);
        // An empty text has no line to stand beside, so whatever is filled in is in the hunk.
        if let ([hunk], Some(buffer)) = (&mut *self.alignment.hunks, &self.buffer)
            && before.is_empty()
        {
            hunk.buffer = 0..buffer.line_count();
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
    fn splice_draft(&mut self, lines: Range<usize>, new: &[Line], lead: End) {
        let Some(draft) = &mut self.draft else { return };
        if lines.end >= draft.line_count() {
            // A line that was the last gets a break, or the other way round.
            let above = self.alignment.hunks.iter_mut().rev().find(|hunk| hunk.draft.end <= lines.start);
            if let Some(hunk) = above.filter(|hunk| hunk.draft.end == lines.start) {
                hunk.touch();
            }
        }
        let nothing_left = new.is_empty() && lines.len() == draft.line_count();
        let change = replacement(draft, lines, new, lead);
        draft.apply(&change);
        // A text without words has one empty line still. Nothing outside the hunks is left, so a hunk has it.
        if let Some(hunk) = self.alignment.hunks.last_mut().filter(|_| nothing_left) {
            hunk.draft = 0..1;
            hunk.touch();
        }
    }

    /// The line before draft line `line`, if it is outside the hunks, has the break `lead` in the buffer, so it has it in
    /// the draft. They part where it was one text's last line, which has none.
    fn mend_break(&mut self, line: usize, lead: End) {
        let (Some(draft), Some(above)) = (&mut self.draft, line.checked_sub(1)) else { return };
        if lead == End::None || self.alignment.line_above(line).is_none() {
            return;
        }
        let end = draft.line_end(above)..draft.line_start(above + 1);
        if !end.is_empty() && draft.slice(end.clone()) != lead.as_str() {
            draft.replace(end, lead.as_str());
        }
    }

    /// Computes the state of every hunk that changed, and looks for accepts that were taken back.
    pub(super) fn settle(&mut self) {
        self.settle_dirty();
        let undone = self.buffer.as_ref().map(|buffer| self.accepted.take_undone(buffer)).unwrap_or_default();
        for region in undone.into_iter().rev() {
            self.undone(region);
        }
        self.settle_dirty();
        self.realign_if_lost();
    }

    /// Where a lone `\r` meets a line that begins with `\n`, two breaks become one, and a text has fewer lines than it was
    /// given. Then the place of everything is unknown, and a fresh diff finds it.
    fn realign_if_lost(&mut self) {
        let (Some(buffer), Some(draft)) = (&self.buffer, &self.draft) else { return };
        let (at, draft_at) =
            self.alignment.hunks.last().map_or((0, 0), |hunk| (hunk.buffer.end, hunk.draft.end));
        let rest = buffer.line_count().checked_sub(at);
        if rest.is_none() || rest != draft.line_count().checked_sub(draft_at) {
            self.realign();
        }
    }

    /// Finds all hunks anew.
    pub(super) fn realign(&mut self) {
        let (Some(buffer), Some(draft)) = (&self.buffer, &self.draft) else { return };
        let (mine, agents) = (read(buffer, 0..buffer.line_count()), read(draft, 0..draft.line_count()));
        let reasons = self.all_reasons(None);
        self.alignment.hunks = diff(&mine, &agents)
            .into_iter()
            .map(|Replaced { old, new }| {
                let base = mine.get(old.clone()).unwrap_or_default().to_vec();
                let mut hunk = Hunk::new(self.ids.next(), old, new, base, reasons.clone());
                hunk.dirty = false;
                hunk
            })
            .collect();
    }

    fn settle_dirty(&mut self) {
        for index in (0..self.alignment.hunks.len()).rev() {
            if self.alignment.hunks.get(index).is_some_and(|hunk| hunk.dirty) {
                self.settle_hunk(index);
            }
        }
    }

    /// The state of one hunk, from its base, its buffer lines, its draft lines and its claim.
    fn settle_hunk(&mut self, index: usize) {
        let (Some(buffer), Some(draft)) = (&self.buffer, &self.draft) else { return self.settle_existence() };
        let Some(hunk) = self.alignment.hunks.get_mut(index) else { return };
        hunk.dirty = false;
        let mine = read(buffer, hunk.buffer.clone());
        let agents = read(draft, hunk.draft.clone());

        if let Some(claim) = hunk.claim.clone() {
            if !claim.is_echo(&mine) {
                return;
            }
            hunk.claim = None;
            let whole = same_words(&claim.expected, &agents);
            if whole {
                return self.resolve_hunk(index, &mine, Some(&claim.before), Net::Accepted);
            }
            hunk.base.clone_from(&mine);
            let hunk = hunk.clone();
            self.register(&hunk, claim, &mine);
        } else if hunk.offered.iter().any(|offered| same_words(offered, &mine)) && !same(&hunk.base, &mine) {
            hunk.base.clone_from(&mine);
            let hunk = hunk.clone();
            self.told.record(&hunk, Net::Accepted);
        }
        let Some(hunk) = self.alignment.hunks.get_mut(index) else { return };
        if same(&mine, &agents) {
            let told = if self.watch.was_sent(&hunk.id) { Net::Accepted } else { Net::AcceptedByHand };
            return self.resolve_hunk(index, &mine, None, told);
        }
        if hunk.orphan.is_some() {
            hunk.conflicted = true;
            return;
        }
        if self.buffer.as_ref().is_some_and(Text::is_empty) {
            hunk.base = mine;
            hunk.conflicted = false;
            return;
        }
        // An empty text has one empty line, which is nothing to hold on to.
        let empty = matches!(&*hunk.base, [only] if only.text.is_empty() && only.end == End::None);
        let base = if empty && !same(&hunk.base, &mine) { Vec::new() } else { hunk.base.clone() };
        let pieces = merge(&base, &mine, &agents);
        self.split_hunk(index, &agents, pieces);
    }

    /// Both sides are equal now: the hunk is gone, and its place is kept in case the user takes it back.
    fn resolve_hunk(&mut self, index: usize, mine: &[Line], before: Option<&[Line]>, told: Net) {
        if index >= self.alignment.hunks.len() {
            return;
        }
        let hunk = self.alignment.hunks.remove(index);
        let agents = self.draft.as_ref().map(|draft| read(draft, hunk.draft.clone())).unwrap_or_default();
        self.write_draft(index, hunk.draft.clone(), mine, hunk.buffer.start);
        if same(&hunk.base, mine) {
            // The agent took its change back.
            return;
        }
        self.told.record(&hunk, told);
        self.accepted.add(Region {
            id: hunk.id,
            revision: hunk.revision,
            reasons: hunk.reasons,
            lines: hunk.buffer,
            before: before.unwrap_or(&hunk.base).to_vec(),
            base: hunk.base,
            agents,
            told: mine.to_vec(),
            touched: false,
        });
    }

    /// Part of a hunk was accepted.
    fn register(&mut self, hunk: &Hunk, claim: Claim, mine: &[Line]) {
        let id = self.ids.next();
        let mut part = hunk.clone();
        part.id = id.clone();
        self.told.record(&part, Net::Accepted);
        self.accepted.add(Region {
            id,
            revision: hunk.revision,
            reasons: hunk.reasons.clone(),
            lines: hunk.buffer.clone(),
            before: claim.before.clone(),
            base: claim.before,
            agents: mine.to_vec(),
            told: mine.to_vec(),
            touched: false,
        });
    }

    /// Puts the pieces of a merge in the place of the hunk they came from.
    fn split_hunk(&mut self, index: usize, agents_before: &[Line], pieces: Vec<Piece>) {
        let hunk = self.alignment.hunks.remove(index);
        let (mut at, mut draft_at) = (hunk.buffer.start, hunk.draft.start);
        let mut agents_now = Vec::new();
        let mut hunks: Vec<Hunk> = Vec::new();
        let whole = matches!(&*pieces, [_]);
        for piece in pieces {
            let (base, mine, agents, conflicted) = match piece {
                Piece::Agreed { base, lines, taken } => {
                    let buffer = at..at + lines.len();
                    if taken == Taken::Yes && !same(&base, &lines) {
                        self.accepted_by_hand(&hunk, buffer.clone(), base, &lines);
                    }
                    at = buffer.end;
                    draft_at += lines.len();
                    agents_now.extend(lines);
                    continue;
                }
                Piece::Clean { mine, agents } => (mine.clone(), mine, agents, false),
                Piece::Conflict { base, mine, agents } => (base, mine, agents, true),
            };
            let (buffer, draft) = (at..at + mine.len(), draft_at..draft_at + agents.len());
            let mut part = Hunk::new(hunk.id.clone(), buffer, draft, base, hunk.reasons.clone());
            part.conflicted = conflicted;
            part.undone = hunk.undone;
            part.dirty = false;
            if hunks.is_empty() {
                part.aliases.clone_from(&hunk.aliases);
                part.revision = hunk.revision + u32::from(!same(&agents, agents_before));
                if whole {
                    part.offered.clone_from(&hunk.offered);
                }
            } else {
                part.id = self.ids.next();
            }
            at = part.buffer.end;
            draft_at = part.draft.end;
            agents_now.extend(agents);
            hunks.push(part);
        }
        if !same(&agents_now, agents_before) {
            self.write_draft(index, hunk.draft, &agents_now, hunk.buffer.start);
        }
        self.alignment.hunks.splice(index..index, hunks);
    }

    /// The user did a part of a hunk.
    fn accepted_by_hand(&mut self, hunk: &Hunk, lines: Range<usize>, base: Vec<Line>, now: &[Line]) {
        let mut part = hunk.clone();
        part.id = self.ids.next();
        self.told.record(&part, Net::AcceptedByHand);
        self.accepted.add(Region {
            id: part.id,
            revision: hunk.revision,
            reasons: hunk.reasons.clone(),
            lines,
            before: base.clone(),
            base,
            agents: now.to_vec(),
            told: now.to_vec(),
            touched: false,
        });
    }

    /// Replaces lines of the draft by lines of the buffer's, which begin at `buffer_line`; hunks from `from` on move.
    pub(super) fn write_draft(&mut self, from: usize, lines: Range<usize>, new: &[Line], buffer_line: usize) {
        let Some(buffer) = &self.buffer else { return };
        let above = self.alignment.line_above(lines.start).or(buffer_line.checked_sub(1));
        let lead = above.map_or(End::None, |above| Line::new(&buffer.line(above)).end);
        self.alignment.shift_draft(from, lines.len(), new.len());
        self.splice_draft(lines.clone(), new, lead);
        self.mend_break(lines.start, lead);
    }

    /// An accepted region says again what it said before: the hunk is back, and left alone until somebody names it.
    fn undone(&mut self, region: Region) {
        let on_it = self.alignment.hunks.iter().position(|hunk| {
            hunk.buffer.start < region.lines.end && hunk.buffer.end > region.lines.start
                || hunk.buffer.is_empty()
                    && region.lines.contains(&hunk.buffer.start)
                    && hunk.buffer.start > region.lines.start
                || hunk.buffer == region.lines
        });
        if let Some(index) = on_it {
            // A newer round lies on it: only its base moves back.
            let buffer = self.buffer.clone().unwrap_or_default();
            for hunk in self.alignment.hunks.iter_mut().skip(index) {
                if hunk.buffer.start < region.lines.start || hunk.buffer.end > region.lines.end {
                    break;
                }
                hunk.base = read(&buffer, hunk.buffer.clone());
                hunk.undone = true;
                hunk.touch();
                self.told.record(hunk, Net::Undone);
            }
            return;
        }
        let slot = self.alignment.hunks.partition_point(|hunk| hunk.buffer.end <= region.lines.start);
        let start = self.alignment.draft_line(region.lines.start, slot);
        let id = if self.alignment.find(&region.id).is_none() { region.id } else { self.ids.next() };
        let mut hunk = Hunk::new(
            id,
            region.lines.clone(),
            start..start + region.agents.len(),
            region.base,
            region.reasons,
        );
        hunk.revision = region.revision;
        hunk.undone = true;
        self.told.record(&hunk, Net::Undone);
        self.write_draft(slot, start..start + region.lines.len(), &region.agents, region.lines.start);
        self.alignment.hunks.insert(slot, hunk);
    }
}
