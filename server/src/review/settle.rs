//! What becomes of hunks whose sides changed: they are merged, split, settled, or brought back by an undo.

use std::ops::Range;

use super::accepted::Region;
use super::claim::Claim;
use super::diff::{Replaced, diff};
use super::draft::Draft;
use super::hunk::{Hunk, Share};
use super::line::{End, Line, joined, read, same, same_words};
use super::merge::{Piece, Taken, merge};
use super::told::Net;
use crate::documents::Text;

impl Draft {
    /// Computes the state of every hunk that changed, and looks for accepts that were taken back.
    pub(super) fn settle(&mut self) {
        self.settle_dirty();
        let undone = self.buffer.as_ref().map(|buffer| self.accepted.take_undone(buffer)).unwrap_or_default();
        for region in undone.into_iter().rev() {
            self.undone(region);
        }
        self.settle_dirty();
        self.join_around_nothing();
        self.join_at_end();
        self.look_again_at_the_last();
        self.nothing_differs();
        self.realign_if_lost();
    }

    /// Equal texts have no hunks, even if one takes away what the next puts there.
    fn nothing_differs(&mut self) {
        let (Some(buffer), Some(draft)) = (&self.buffer, &self.draft) else { return };
        let Some(first) = self.alignment.hunks.first() else { return };
        let from = (buffer.line_start(first.buffer.start), draft.line_start(first.draft.start));
        // The first hunk says no at once, mostly: megabytes above it need not be read with every key.
        if buffer.len() == draft.len()
            && buffer.is_same_within(from.0..buffer.len(), draft, from.1..draft.len())
            && buffer == draft
        {
            for hunk in std::mem::take(&mut *self.alignment.hunks) {
                self.told.record(&hunk, Net::AcceptedByHand);
            }
        }
    }

    /// Where a lone `\r` meets a line that begins with `\n`, two breaks become one, and a text has fewer lines than it was
    /// given. Then the place of everything is unknown, and a fresh diff finds it.
    pub(super) fn realign_if_lost(&mut self) {
        let joined = std::mem::take(&mut self.breaks_joined);
        let (Some(buffer), Some(draft)) = (&self.buffer, &self.draft) else { return };
        let (at, draft_at) =
            self.alignment.hunks.last().map_or((0, 0), |hunk| (hunk.buffer.end, hunk.draft.end));
        let rest = buffer.line_count().checked_sub(at);
        if joined || rest.is_none() || rest != draft.line_count().checked_sub(draft_at) {
            self.realign();
        }
    }

    /// Finds all hunks anew. What the user wrote into a conflict was never shown to the agent, so it stays one.
    pub(super) fn realign(&mut self) {
        let (Some(buffer), Some(draft)) = (&self.buffer, &self.draft) else { return };
        let (mine, agents) = (read(buffer, 0..buffer.line_count()), read(draft, 0..draft.line_count()));
        let reasons = self.all_reasons(None);
        let conflicts: Vec<Hunk> =
            self.alignment.hunks.iter().filter(|hunk| hunk.conflicted).cloned().collect();
        *self.alignment.hunks = diff(&mine, &agents)
            .into_iter()
            .map(|Replaced { old, new }| {
                let meets = |hunk: &&Hunk| hunk.buffer.start <= old.end && old.start <= hunk.buffer.end;
                let conflict = conflicts.iter().find(meets);
                let base = match conflict {
                    Some(conflict) => conflict.base.clone(),
                    None => mine.get(old.clone()).unwrap_or_default().to_vec(),
                };
                let mut hunk = Hunk::new(self.ids.next(), old, new, base, reasons.clone());
                hunk.conflicted = conflict.is_some();
                hunk.dirty = false;
                hunk
            })
            .collect();
    }

    pub(super) fn settle_dirty(&mut self) {
        for index in (0..self.alignment.hunks.len()).rev() {
            if self.alignment.hunks.get(index).is_some_and(|hunk| hunk.dirty) {
                self.settle_hunk(index);
            }
        }
    }

    /// The state of one hunk, from its base, its buffer lines, its draft lines and its claim.
    pub(super) fn settle_hunk(&mut self, index: usize) {
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
                let told =
                    if hunk.conflicted { Net::AcceptedOver(joined(&claim.before)) } else { Net::Accepted };
                return self.resolve_hunk(index, &mine, Some(&claim.before), told);
            }
            hunk.base.clone_from(&mine);
            hunk.share = Share::Rest;
            let hunk = hunk.clone();
            self.register(&hunk, claim, &mine);
        } else if hunk.offered.iter().any(|offered| same(offered, &mine)) && !same(&hunk.base, &mine) {
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
        let known = hunk.base.clone();
        let base = if empty && !agents.is_empty() && !same(&known, &mine) { &[] } else { &*known };
        let mut pieces = merge(base, &mine, &agents);
        if let [Piece::Conflict { base, .. }] = &mut *pieces {
            // When the user takes it back, the empty line is what there was.
            *base = known;
        }
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
        self.watch.settles(&hunk.id);
        self.accepted.add(
            Region {
                id: hunk.id,
                revision: hunk.revision,
                reasons: hunk.reasons,
                lines: hunk.buffer,
                before: before.unwrap_or(&hunk.base).to_vec(),
                base: hunk.base,
                agents,
                told: mine.to_vec(),
                touched: false,
            },
            &self.buffer.clone().unwrap_or_default(),
        );
    }

    /// Part of a hunk was accepted.
    fn register(&mut self, hunk: &Hunk, claim: Claim, mine: &[Line]) {
        let id = self.ids.next();
        let mut part = hunk.clone();
        part.id = id.clone();
        part.share = Share::Part;
        self.told.record(&part, Net::Accepted);
        self.accepted.add(
            Region {
                id,
                revision: hunk.revision,
                reasons: hunk.reasons.clone(),
                lines: hunk.buffer.clone(),
                before: claim.before.clone(),
                base: claim.before,
                agents: mine.to_vec(),
                told: mine.to_vec(),
                touched: false,
            },
            &self.buffer.clone().unwrap_or_default(),
        );
    }

    /// Puts the pieces of a merge in the place of the hunk they came from.
    fn split_hunk(&mut self, index: usize, agents_before: &[Line], pieces: Vec<Piece>) {
        let hunk = self.alignment.hunks.remove(index);
        let (mut at, mut draft_at) = (hunk.buffer.start, hunk.draft.start);
        let mut agents_now = Vec::new();
        let mut hunks: Vec<Hunk> = Vec::new();
        let whole = matches!(&*pieces, [_]);
        let parted = |piece: &Piece| match piece {
            Piece::Agreed { base, lines, taken } => *taken == Taken::Yes && is_worth_telling(base, lines),
            Piece::Clean { .. } | Piece::Conflict { .. } => false,
        };
        let share = if pieces.iter().any(parted) { Share::Rest } else { hunk.share };
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
            part.share = share;
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
        part.share = Share::Part;
        if is_worth_telling(&base, now) {
            self.told.record(&part, Net::AcceptedByHand);
        }
        self.accepted.add(
            Region {
                id: part.id,
                revision: hunk.revision,
                reasons: hunk.reasons.clone(),
                lines,
                before: base.clone(),
                base,
                agents: now.to_vec(),
                told: now.to_vec(),
                touched: false,
            },
            &self.buffer.clone().unwrap_or_default(),
        );
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

/// Words have come or gone: a line end, or an empty line, alone is nothing that somebody would speak of as a part.
fn is_worth_telling(base: &[Line], now: &[Line]) -> bool {
    !same_words(base, now) && base.iter().chain(now).any(|line| !line.is_blank())
}
