//! One file's two texts, aligned line by line.

use super::{HunkId, HunkRef, HunkView, Reason, Take};
use crate::documents::{Change, Text};

/// Buffer and draft of one file and session. Pure: values in, values out, no clock, no disk.
#[derive(Clone, Debug)]
pub struct Draft {}

/// Why a decision was not carried out; nothing was changed. For the person.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Refusal(pub String);

impl Draft {
    /// Nothing differs yet. `None`: there is no such file.
    pub fn new(_buffer: Option<Text>) -> Self {
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
    /// `buffer_changed` shows them.
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

    pub fn reject(&mut self, _hunks: &[HunkRef]) -> Result<(), Refusal> {
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
}
