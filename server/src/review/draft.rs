//! One file's two texts, aligned line by line.

use std::ops::Range;
use std::sync::Arc;

use super::accepted::Regions;
use super::alignment::Alignment;
use super::claim::{Over, Watch};
use super::existence::is_empty_file;
use super::hunk::Hunk;
use super::line::joined;
use super::refusal::{Refusal, Warning};
use super::told::Ledger;
use super::{HunkId, HunkIds, HunkRef, HunkState, HunkView, Reason, Take, ToldWhat};
use crate::documents::{Change, Text};

/// Buffer and draft of one file and session. Pure: values in, values out, no clock, no disk.
///
/// Invariant: what lies between two hunks is equal in both texts, so accepting all hunks gives the draft and rejecting all
/// of them gives the buffer.
#[derive(Clone, Debug)]
pub struct Draft {
    pub(super) buffer: Option<Text>,
    pub(super) draft: Option<Text>,
    pub(super) alignment: Alignment,
    pub(super) accepted: Regions,
    pub(super) watch: Watch,
    pub(super) told: Ledger,
    pub(super) warnings: Vec<Warning>,
    pub(super) rejected: Vec<String>,
    /// Two breaks of the draft became one: the alignment counts a line that is not there.
    pub(super) breaks_joined: bool,
    pub(super) ids: HunkIds,
}

/// Hunks as they were shown. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct ShownHunks {
    pub hunks: Arc<Vec<HunkView>>,
    /// Of the row that they were made from.
    stamp: u64,
}

/// Whether there is a file, on both sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Existence {
    /// Both sides have one, or neither has.
    Same,
    /// Only the agent's side has one.
    Create,
    /// Only the user has one, as it was when the agent deleted it.
    Delete,
    /// The agent deletes what the user has changed since: no plain accept.
    DeleteConflict,
    /// The user's file is gone while the agent had changes for it: no plain accept.
    EditConflict,
}

impl Draft {
    /// Nothing differs yet. `None`: there is no such file. Its hunks are named by `h_1`, `h_2` and so on.
    pub fn new(buffer: Option<Text>) -> Self {
        Self::with_ids(buffer, HunkIds::default())
    }

    /// As `new`, with names from a source that is shared with other drafts.
    pub fn with_ids(buffer: Option<Text>, ids: HunkIds) -> Self {
        Self {
            draft: buffer.clone(),
            buffer,
            alignment: Alignment::default(),
            accepted: Regions::default(),
            watch: Watch::default(),
            told: Ledger::default(),
            warnings: Vec::new(),
            rejected: Vec::new(),
            breaks_joined: false,
            ids,
        }
    }

    pub fn buffer(&self) -> Option<Text> {
        self.buffer.clone()
    }

    /// The agent's side.
    pub fn text(&self) -> Option<Text> {
        self.draft.clone()
    }

    pub fn existence(&self) -> Existence {
        self.existence_now()
    }

    /// Nothing is left to decide.
    pub fn is_settled(&self) -> bool {
        self.alignment.hunks.is_empty()
    }

    /// Ascending by place.
    pub fn hunks(&self) -> Vec<HunkView> {
        self.views()
    }

    /// As `hunks`, for one who has those of `before`: the same value if all of them are still shown so.
    pub fn hunks_after(&self, before: &ShownHunks) -> ShownHunks {
        let stamp = self.alignment.hunks.stamp();
        let same = before.stamp == stamp || self.is_shown_as(&before.hunks);
        let hunks = if same { Arc::clone(&before.hunks) } else { Arc::new(self.views()) };
        ShownHunks { hunks, stamp }
    }

    /// The one of that name.
    pub fn hunk(&self, id: &HunkId) -> Option<HunkView> {
        let index = self.alignment.hunks.iter().position(|hunk| hunk.id == *id)?;
        self.view(index, self.moves().into_iter().nth(index)?)
    }

    /// Of the hunk of that name, without what it costs to show it.
    pub fn state_of(&self, id: &HunkId) -> Option<HunkState> {
        self.alignment.hunks.iter().find(|hunk| hunk.id == *id).map(Hunk::state)
    }

    /// Text that the user rejected here, newest last.
    pub fn rejected(&self) -> Vec<String> {
        self.rejected.clone()
    }

    /// What the agent has not been told yet, net.
    pub fn take_told(&mut self) -> Vec<ToldWhat> {
        for index in 0..self.alignment.hunks.len() {
            let (mine, agents) = self.sides(index);
            let Some(hunk) = self.alignment.hunks.get(index) else { continue };
            if hunk.state() == HunkState::Conflicted {
                self.told.conflicted(hunk, joined(&mine), joined(&agents));
            } else {
                self.told.pending(hunk);
            }
        }
        if let Some(buffer) = &self.buffer {
            for (hunk, told, now) in self.accepted.take_altered(buffer) {
                self.told.altered(&hunk, &told, &now);
            }
        }
        self.told.take(&self.alignment.hunks)
    }

    pub fn take_warnings(&mut self) -> Vec<Warning> {
        std::mem::take(&mut self.warnings)
    }

    /// Pending hunks that an accept without a person's word may take: no conflict, not undone by the user, not such as only
    /// the person may accept, and not on or next to buffer lines in which somebody typed just now.
    pub fn auto_acceptable(&self, typed_in: &[Range<usize>]) -> Vec<HunkRef> {
        let calm = |lines: &Range<usize>| {
            typed_in.iter().all(|typed| typed.end < lines.start || typed.start > lines.end)
        };
        let hunks = self.alignment.hunks.iter();
        hunks
            .filter(|hunk| hunk.state() == HunkState::Pending && !hunk.undone && calm(&hunk.buffer))
            .filter(|hunk| hunk.reasons.iter().all(|reason| reason.must_ask.is_none()))
            .map(|hunk| HunkRef { id: hunk.id.clone(), revision: Some(hunk.revision) })
            .collect()
    }

    /// The agent replaces parts of its side; `edits` refer to `text()`.
    pub fn edit(&mut self, edits: &[Change], reason: &Reason) {
        match (&self.buffer, &self.draft) {
            (Some(_), Some(_)) => {
                self.agent_edit(edits, reason);
                self.settle();
            }
            (None, Some(draft)) => self.agent_rewrite(draft.with_edits(edits), reason),
            (_, None) => {}
        }
    }

    /// The agent's side becomes `text`, cut down to what differs.
    pub fn write(&mut self, text: &str, reason: &Reason) {
        match (&self.buffer, &self.draft) {
            (Some(_), Some(_)) => self.agent_write(text, reason),
            (None, Some(_)) => self.agent_rewrite(Text::from(text), reason),
            (_, None) => self.agent_create(text, reason),
        }
        self.settle();
    }

    /// The agent would have no file here.
    pub fn delete(&mut self, reason: &Reason) {
        self.agent_delete(reason);
    }

    /// One didChange: each change against the result of the one before.
    pub fn buffer_changed(&mut self, changes: &[Change]) {
        if self.draft.is_none() {
            let mut buffer = self.buffer.clone().unwrap_or_default();
            for change in changes {
                buffer.apply(change);
            }
            return self.existence_changed(Some(buffer));
        }
        for change in changes {
            self.user_change(change);
        }
        self.settle();
        let open = |hunk: &HunkId| self.alignment.find(hunk).is_some();
        let warnings = self.watch.judge(open);
        self.warnings.extend(warnings);
    }

    /// The buffer is another text now, and nobody said where it changed (full text, disk, reload). `None`: the file is gone.
    pub fn buffer_replaced(&mut self, text: Option<Text>) {
        match (&self.buffer, text) {
            (Some(before), Some(text)) if self.draft.is_some() => {
                let before = before.clone();
                if is_empty_file(&before) && self.empty_otherwise(&text) {
                    return self.settle();
                }
                let deltas = super::delta::whole_text(&before, &text.to_string());
                self.buffer = Some(text);
                for delta in deltas.iter().rev() {
                    self.user_delta(&before, delta);
                }
                self.settle();
            }
            (_, text) => self.existence_changed(text),
        }
    }

    /// Claims the hunks and gives the edits of the buffer that accept them: ascending, no overlap. They are done when
    /// `buffer_changed` shows them. A created file gives its whole text, a deleted one the deletion of all text:
    /// `existence` tells them from an edit, and `buffer_replaced` settles them once the disk is changed.
    pub fn accept(&mut self, hunks: &[HunkRef]) -> Result<Vec<Change>, Refusal> {
        self.claim(hunks, Over::Nothing)
    }

    /// As `accept`, for some lines of one hunk (indexes into its old and new lines).
    pub fn accept_lines(
        &mut self,
        hunk: &HunkRef,
        minus: &[usize],
        plus: &[usize],
    ) -> Result<Vec<Change>, Refusal> {
        self.claim_lines(hunk, minus, plus)
    }

    pub fn reject(&mut self, hunks: &[HunkRef], reason: Option<&str>) -> Result<(), Refusal> {
        self.reject_hunks(hunks, reason)
    }

    /// As `reject`, for some lines of one hunk.
    pub fn reject_lines(&mut self, hunk: &HunkRef, minus: &[usize], plus: &[usize]) -> Result<(), Refusal> {
        self.reject_part(hunk, minus, plus)
    }

    /// The user's words in the place of the agent's: whole lines.
    pub fn amend(&mut self, hunk: &HunkRef, text: &str) -> Result<(), Refusal> {
        self.amend_hunk(hunk, text)
    }

    /// Settles a conflict. `Take::Agents` gives edits as `accept` does.
    pub fn resolve(&mut self, hunk: &HunkRef, take: Take) -> Result<Vec<Change>, Refusal> {
        self.resolve_conflict(hunk, take)
    }

    /// No echo came: the claims are void, the hunks pending again. Gives their names.
    pub fn claims_expired(&mut self) -> Vec<HunkId> {
        let mut expired = Vec::new();
        for hunk in self.alignment.hunks.iter_mut() {
            if hunk.claim.take().is_some() {
                hunk.touch();
                expired.push(hunk.id.clone());
            }
        }
        self.settle();
        expired
    }

    /// The editor took this hunk's edit from a code action, and its echo came before the word of that. False: this draft
    /// has settled no such hunk just now.
    pub fn claimed_late(&mut self, hunk: &HunkId) -> bool {
        let known = self.watch.claimed_late(hunk);
        if known {
            self.told.was_accepted(hunk);
        }
        known
    }

    /// About ten seconds after the last accept: edits that were sent are no longer looked for in what the editor does.
    pub fn forget_sent(&mut self) {
        self.watch.forget();
    }
}

#[cfg(test)]
mod tests;
