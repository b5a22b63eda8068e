//! One file's two texts, aligned line by line.

use std::ops::Range;

use super::{HunkId, HunkIds, HunkRef, HunkView, Reason, Take, ToldWhat};
use crate::documents::{Change, Text};

/// Buffer and draft of one file and session. Pure: values in, values out, no clock, no disk.
#[derive(Clone, Debug)]
pub struct Draft {}

/// Why a decision was not carried out; nothing was changed. For the person.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Refusal(pub String);

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

/// Something went wrong on the way between editor and server, or is likely to be a slip. For the person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    pub message: String,
    /// Edits of the buffer, as it is right after the change that caused the warning, that take the damage back.
    pub inverse: Option<Vec<Change>>,
}

impl Draft {
    /// Nothing differs yet. `None`: there is no such file. Its hunks are named by `h_1`, `h_2` and so on.
    pub fn new(buffer: Option<Text>) -> Self {
        Self::with_ids(buffer, HunkIds::default())
    }

    /// As `new`, with names from a source that is shared with other drafts.
    pub fn with_ids(_buffer: Option<Text>, _ids: HunkIds) -> Self {
        todo!()
    }

    pub fn existence(&self) -> Existence {
        todo!()
    }

    /// Nothing is left to decide.
    pub fn is_settled(&self) -> bool {
        todo!()
    }

    /// Text that the user rejected here, newest last.
    pub fn rejected(&self) -> Vec<String> {
        todo!()
    }

    /// What the agent has not been told yet, net.
    pub fn take_told(&mut self) -> Vec<ToldWhat> {
        todo!()
    }

    pub fn take_warnings(&mut self) -> Vec<Warning> {
        todo!()
    }

    /// Pending hunks that an accept without a person's word may take: no conflict, not undone by the user, and not on or
    /// next to buffer lines in which somebody typed just now.
    pub fn auto_acceptable(&self, _typed_in: &[Range<usize>]) -> Vec<HunkRef> {
        todo!()
    }

    pub fn buffer(&self) -> Option<Text> {
        todo!()
    }

    /// The agent's side.
    pub fn text(&self) -> Option<Text> {
        todo!()
    }

    /// Ascending by place.
    pub fn hunks(&self) -> Vec<HunkView> {
        todo!()
    }

    /// The agent replaces parts of its side; `edits` refer to `text()`.
    pub fn edit(&mut self, _edits: &[Change], _reason: &Reason) {
        todo!()
    }

    /// The agent's side becomes `text`, cut down to what differs.
    pub fn write(&mut self, _text: &str, _reason: &Reason) {
        todo!()
    }

    /// The agent would have no file here.
    pub fn delete(&mut self, _reason: &Reason) {
        todo!()
    }

    /// One didChange: each change against the result of the one before.
    pub fn buffer_changed(&mut self, _changes: &[Change]) {
        todo!()
    }

    /// The buffer is another text now, and nobody said where it changed (full text, disk, reload). `None`: the file is gone.
    pub fn buffer_replaced(&mut self, _text: Option<Text>) {
        todo!()
    }

    /// Claims the hunks and gives the edits of the buffer that accept them: ascending, no overlap. They are done when
    /// `buffer_changed` shows them. A created file gives its whole text, a deleted one the deletion of all text:
    /// `existence` tells them from an edit, and `buffer_replaced` settles them once the disk is changed.
    pub fn accept(&mut self, _hunks: &[HunkRef]) -> Result<Vec<Change>, Refusal> {
        todo!()
    }

    /// As `accept`, for some lines of one hunk (indexes into its old and new lines).
    pub fn accept_lines(
        &mut self,
        _hunk: &HunkRef,
        _minus: &[usize],
        _plus: &[usize],
    ) -> Result<Vec<Change>, Refusal> {
        todo!()
    }

    pub fn reject(&mut self, _hunks: &[HunkRef], _reason: Option<&str>) -> Result<(), Refusal> {
        todo!()
    }

    /// As `reject`, for some lines of one hunk.
    pub fn reject_lines(
        &mut self,
        _hunk: &HunkRef,
        _minus: &[usize],
        _plus: &[usize],
    ) -> Result<(), Refusal> {
        todo!()
    }

    /// The user's words in the place of the agent's: whole lines.
    pub fn amend(&mut self, _hunk: &HunkRef, _text: &str) -> Result<(), Refusal> {
        todo!()
    }

    /// Settles a conflict. `Take::Agents` gives edits as `accept` does.
    pub fn resolve(&mut self, _hunk: &HunkRef, _take: Take) -> Result<Vec<Change>, Refusal> {
        todo!()
    }

    /// No echo came: the claims are void, the hunks pending again. Gives their names.
    pub fn claims_expired(&mut self) -> Vec<HunkId> {
        todo!()
    }

    /// About ten seconds after the last accept: edits that were sent are no longer looked for in what the editor does.
    pub fn forget_sent(&mut self) {
        todo!()
    }
}
