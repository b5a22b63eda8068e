//! Accepted regions: where accepted text stands, and what stood there before, so that undoing an accept, in whatever way,
//! brings the hunk back.

use std::ops::Range;
use std::sync::Arc;

use super::delta::Delta;
use super::line::{Line, read, same};
use super::{HunkId, Reason};
use crate::documents::Text;

/// A place where a hunk was accepted.
#[derive(Clone, Debug)]
pub(super) struct Region {
    pub(super) id: HunkId,
    pub(super) revision: u32,
    pub(super) reasons: Arc<[Reason]>,
    /// Lines of the buffer; follows every edit.
    pub(super) lines: Range<usize>,
    /// The buffer's lines before the accept.
    pub(super) before: Vec<Line>,
    /// The hunk's base then.
    pub(super) base: Vec<Line>,
    /// What was accepted.
    pub(super) agents: Vec<Line>,
    /// What the agent knows of its text.
    pub(super) told: Vec<Line>,
    /// It was edited since it was looked at.
    pub(super) touched: bool,
}

/// All accepted regions of a file, oldest first.
#[derive(Clone, Debug, Default)]
pub(super) struct Regions {
    list: Vec<Region>,
}

/// So many are kept for a file.
const KEPT: usize = 200;

impl Regions {
    /// Regions whose text is not what the agent knows of: what it knows, and what is there now.
    pub(super) fn take_altered(&mut self, buffer: &Text) -> Vec<(HunkId, Vec<Line>, Vec<Line>)> {
        let mut altered = Vec::new();
        for region in &mut self.list {
            let now = read(buffer, region.lines.clone());
            if !same(&now, &region.told) {
                let told = std::mem::replace(&mut region.told, now.clone());
                altered.push((region.id.clone(), told, now));
            }
        }
        altered
    }

    /// The newest of that name.
    pub(super) fn find(&self, id: &HunkId) -> Option<&Region> {
        self.list.iter().rev().find(|region| region.id == *id)
    }

    pub(super) fn clear(&mut self) {
        self.list.clear();
    }

    /// `buffer` shows the accept already.
    pub(super) fn add(&mut self, region: Region, buffer: &Text) {
        // An accept may bring back what an earlier one replaced: that is no undo. Nor is it the user's change of that.
        for earlier in &mut self.list {
            let apart = earlier.lines.end < region.lines.start || region.lines.end < earlier.lines.start;
            earlier.touched &= apart;
            if earlier.lines.start < region.lines.end && region.lines.start < earlier.lines.end {
                earlier.told = read(buffer, earlier.lines.clone());
            }
        }
        if self.list.len() == KEPT {
            self.list.remove(0);
        }
        self.list.push(region);
    }

    /// The words of one line changed.
    pub(super) fn line_changed(&mut self, line: usize) {
        for region in &mut self.list {
            region.touched |= region.lines.contains(&line);
        }
    }

    /// Follows a change of the buffer's lines. `before` is the text without it.
    pub(super) fn follow(&mut self, before: &Text, delta: &Delta) {
        self.list.retain_mut(|region| region.follow(before, delta));
    }

    /// Takes out the regions that say again what they said before they were accepted.
    pub(super) fn take_undone(&mut self, buffer: &Text) -> Vec<Region> {
        let mut undone = Vec::new();
        self.list.retain_mut(|region| {
            let touched = std::mem::take(&mut region.touched);
            let back = touched && same(&read(buffer, region.lines.clone()), &region.before);
            if back {
                undone.push(region.clone());
            }
            !back
        });
        undone
    }
}

impl Region {
    /// False: nothing is left of it, nor of its neighbours.
    fn follow(&mut self, before: &Text, delta: &Delta) -> bool {
        let (old, new) = (&delta.lines, delta.new.len());
        if old.is_empty() && (old.start == self.lines.start || old.start == self.lines.end) {
            if self.restores(before, delta) {
                self.lines.end += new;
                self.touched = true;
            } else if old.start == self.lines.start {
                self.lines = self.lines.start + new..self.lines.end + new;
            }
        } else if old.end <= self.lines.start {
            self.lines = self.lines.start + new - old.len()..self.lines.end + new - old.len();
        } else if old.start < self.lines.end {
            let around = old.start < self.lines.start && old.end > self.lines.end;
            if around {
                return false;
            }
            // As many lines as before are the same lines, changed. Else what replaces lines on both sides of an edge
            // counts as the region's.
            if new != old.len() {
                let end = old.end.max(self.lines.end);
                self.lines = old.start.min(self.lines.start)..end + new - old.len();
            }
            self.touched = true;
        }
        true
    }

    /// Lines inserted at the region's edge bring back the head or the tail of what stood there before.
    fn restores(&self, before: &Text, delta: &Delta) -> bool {
        let mut lines = read(before, self.lines.clone());
        if delta.lines.start == self.lines.start {
            lines.splice(0..0, delta.new.iter().cloned());
        } else {
            lines.extend(delta.new.iter().cloned());
        }
        let (whole, part) = (&self.before, &lines);
        part.len() <= whole.len()
            && (whole.get(..part.len()).is_some_and(|head| same(head, part))
                || whole.get(whole.len() - part.len()..).is_some_and(|tail| same(tail, part)))
    }
}
