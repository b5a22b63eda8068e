//! The end of a text: its last line has no break, so hunks that share the last break can't be decided one by one.

use std::sync::OnceLock;

use super::HunkState;
use super::delta::Delta;
use super::draft::Draft;
use super::hunk::Hunk;
use super::line::{End, Line, read, same, same_words};
use super::propose::join;
use crate::documents::Text;

impl Draft {
    /// An empty buffer has one line and no place beside it: one hunk has all of both texts.
    pub(super) fn join_around_nothing(&mut self) {
        let (Some(buffer), Some(draft)) = (&self.buffer, &self.draft) else { return };
        let hunks = &mut self.alignment.hunks;
        let all = 0..draft.line_count();
        let apart = |hunk: &Hunk| hunk.draft != all || hunk.buffer != (0..1);
        let unclaimed = hunks.iter().all(|hunk| hunk.claim.is_none());
        if let Some(first) =
            hunks.first().filter(|_| buffer.is_empty() && unclaimed && hunks.iter().any(apart))
        {
            let mut joined = join(first, hunks, &all, buffer, draft);
            joined.buffer = 0..1;
            **hunks = vec![joined];
            self.settle_hunk(0);
        }
    }

    /// Hunks that touch at the end of the buffer become one: each alone would take the break between them along, and their
    /// edits would overlap in a list.
    pub(super) fn join_at_end(&mut self) {
        while let Some((at, joined)) = self.last_two_joined() {
            self.alignment.hunks.splice(at.., [joined]);
        }
        self.settle_dirty();
    }

    fn last_two_joined(&self) -> Option<(usize, Hunk)> {
        let (buffer, draft) = (self.buffer.as_ref()?, self.draft.as_ref()?);
        let at = self.alignment.hunks.len().checked_sub(2)?;
        let pair @ [above, last] = self.alignment.hunks.get(at..)? else { return None };
        let touch = above.buffer.end == last.buffer.start && last.buffer.end == buffer.line_count();
        if !touch || pair.iter().any(|hunk| hunk.state() == HunkState::Applying) {
            return None;
        }
        let mut joined = join(above, pair, &(above.draft.start..last.draft.end), buffer, draft);
        joined.conflicted = pair.iter().any(|hunk| hunk.conflicted);
        // Both were judged, so there is nothing to merge; it could only part them again.
        joined.dirty = same(&read(buffer, joined.buffer.clone()), &read(draft, joined.draft.clone()));
        Some((at, joined))
    }

    /// At the end of a text a hunk takes the break before it along, which changes with the line before it.
    pub(super) fn look_again_at_the_last(&mut self) {
        let lines = |text: &Option<Text>| text.as_ref().map_or(0, Text::line_count);
        let (buffer, draft) = (lines(&self.buffer), lines(&self.draft));
        let at_end = |last: &Hunk| last.buffer.end == buffer || last.draft.end == draft;
        if self.alignment.hunks.last().is_some_and(at_end)
            && let Some(last) = self.alignment.hunks.last_mut()
        {
            last.shown = OnceLock::new();
        }
    }

    /// Lines that are put in beside equal ones could have been put in a few lines further on: where a claimed insertion
    /// waits for just these, that is where they are.
    pub(super) fn slid_to_echo(&self, before: &Text, delta: &Delta) -> Option<Delta> {
        let at = delta.lines.start;
        let insertions =
            self.alignment.hunks.iter().filter(|hunk| delta.lines.is_empty() && hunk.buffer.is_empty());
        insertions.filter(|hunk| hunk.buffer.start != at).find_map(|hunk| {
            let (claim, place) = (hunk.claim.as_ref()?, hunk.buffer.start);
            let between = read(before, at.min(place)..at.max(place));
            let whole = if at < place { [&*delta.new, &*between] } else { [&*between, &*delta.new] }.concat();
            let (head, new) = if at < place {
                whole.split_at(between.len())
            } else {
                let (new, tail) = whole.split_at(delta.new.len());
                (tail, new)
            };
            let lead = match head.last() {
                Some(last) if at < place => last.end,
                _ => place.checked_sub(1).map_or(End::None, |above| Line::new(&before.line(above)).end),
            };
            let slides = same_words(head, &between) && claim.is_echo(new);
            slides.then(|| Delta { lines: place..place, new: new.to_vec(), lead, tie: delta.tie })
        })
    }
}

impl Hunk {
    /// It is the only one, and stands in an empty buffer: nothing of the draft lies outside. A claim waits for what it sent.
    pub(super) fn has_all_of(&mut self, draft: &Text) {
        let all = 0..draft.line_count();
        if let Some(claim) = &mut self.claim
            && same_words(&claim.expected, &read(draft, self.draft.clone()))
        {
            claim.expected = read(draft, all.clone());
        }
        self.draft = all;
    }
}
