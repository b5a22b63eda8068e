//! Creating and deleting: "is there a file" is on both sides.
//!
//! Invariant: while one side has no file there is one hunk with all lines of the other side, or none.

use std::sync::Arc;

use super::Reason;
use super::draft::{Draft, Existence};
use super::hunk::Hunk;
use super::line::{Line, read, same};
use super::propose::join;
use super::told::Net;
use crate::documents::Text;

impl Draft {
    pub(super) fn existence_now(&self) -> Existence {
        let whole = self.alignment.hunks.first();
        match (&self.buffer, &self.draft) {
            (Some(_), Some(_)) | (None, None) => Existence::Same,
            (Some(_), None) if whole.is_some_and(|hunk| hunk.conflicted) => Existence::DeleteConflict,
            (Some(_), None) => Existence::Delete,
            (None, Some(_)) if whole.is_some_and(|hunk| hunk.conflicted) => Existence::EditConflict,
            (None, Some(_)) => Existence::Create,
        }
    }

    /// The agent would have no file.
    pub(super) fn agent_delete(&mut self, reason: &Reason) {
        let Some(draft) = self.draft.take() else { return };
        let reasons = self.all_reasons(Some(reason));
        let hunks = std::mem::take(&mut *self.alignment.hunks);
        let Some(buffer) = &self.buffer else { return };
        // What the user wrote into a conflict was never shown to the agent, so it is not deleted by a plain accept.
        let base = match hunks.as_slice() {
            [] => read(buffer, 0..buffer.line_count()),
            hunks @ [first, ..] => join(first, hunks, &(0..draft.line_count()), buffer, &draft).base,
        };
        self.alignment.hunks.push(Hunk::new(self.ids.next(), 0..buffer.line_count(), 0..0, base, reasons));
        self.settle_existence();
    }

    /// The agent writes where its side has no file: it makes one, or takes its deletion back first.
    pub(super) fn agent_create(&mut self, text: &str, reason: &Reason) {
        let reasons = self.all_reasons(Some(reason));
        let deletion = self.alignment.hunks.drain(..).next();
        if let Some(buffer) = self.buffer.clone() {
            // The agent knows the file as it was when it deleted it. What the user did to it since comes on top, as if it
            // were done now: it was never shown to the agent, so it can't be written over.
            let known = deletion.map_or_else(|| buffer.clone(), |hunk| whole(&hunk.base));
            self.draft = Some(known.clone());
            self.buffer = Some(known);
            self.agent_write(text, reason);
            self.settle();
            return self.buffer_replaced(Some(buffer));
        }
        let text = Text::from(text);
        self.alignment.hunks.push(Hunk::new(
            self.ids.next(),
            0..0,
            0..text.line_count(),
            Vec::new(),
            reasons,
        ));
        self.draft = Some(text);
        self.settle_existence();
    }

    /// The agent rewrites a file that only its side has.
    pub(super) fn agent_rewrite(&mut self, text: Text, reason: &Reason) {
        if let Some(hunk) = self.alignment.hunks.first_mut() {
            hunk.draft = 0..text.line_count();
            hunk.revision += 1;
            if !hunk.reasons.contains(reason) {
                hunk.reasons = hunk.reasons.iter().chain([reason]).cloned().collect();
            }
            hunk.touch();
        }
        self.draft = Some(text);
        self.settle_existence();
    }

    /// The user's file is there or gone, or is another one, while one of the sides has none.
    pub(super) fn existence_changed(&mut self, buffer: Option<Text>) {
        let before = std::mem::replace(&mut self.buffer, buffer);
        let base = before.as_ref().map(|text| read(text, 0..text.line_count())).unwrap_or_default();
        match (&self.buffer, &self.draft) {
            (None, None) => {
                for hunk in std::mem::take(&mut *self.alignment.hunks) {
                    self.told.record(&hunk, Net::Accepted);
                }
            }
            (None, Some(draft)) => {
                self.accepted.clear();
                if self.alignment.hunks.is_empty() {
                    self.draft = None;
                } else if before.is_some() {
                    let hunk =
                        Hunk::new(self.ids.next(), 0..0, 0..draft.line_count(), base, self.all_reasons(None));
                    *self.alignment.hunks = vec![hunk];
                }
            }
            (Some(buffer), None) => {
                if let Some(hunk) = self.alignment.hunks.first_mut() {
                    hunk.buffer = 0..buffer.line_count();
                    hunk.touch();
                } else {
                    self.draft = Some(buffer.clone());
                }
            }
            (Some(buffer), Some(_)) => {
                if let Some(hunk) = self.alignment.hunks.first_mut() {
                    hunk.buffer = 0..buffer.line_count();
                    let mine = read(buffer, hunk.buffer.clone());
                    if holds_nothing(&hunk.base) && holds_nothing(&mine) {
                        hunk.base = mine;
                    }
                    hunk.touch();
                }
            }
        }
        self.settle();
    }

    /// The state of the one hunk of a file that only one side has.
    pub(super) fn settle_existence(&mut self) {
        let mine: Vec<Line> =
            self.buffer.as_ref().map(|text| read(text, 0..text.line_count())).unwrap_or_default();
        if let Some(hunk) = self.alignment.hunks.first_mut() {
            hunk.dirty = false;
            let is_empty_still = holds_nothing(&hunk.base) && holds_nothing(&mine);
            hunk.conflicted = !same(&hunk.base, &mine) && !is_empty_still;
        }
    }

    /// An empty file has become `text`, which is one in the other form that editors give it. Whether that was all: where the
    /// agent has more than one change of it, or the user one of their own, it is a change like any other.
    pub(super) fn empty_otherwise(&mut self, text: &Text) -> bool {
        let Some(draft) = &self.draft else { return false };
        let mine = read(text, 0..text.line_count());
        let [hunk] = self.alignment.hunks.as_mut_slice() else { return false };
        if hunk.conflicted || hunk.claim.is_some() || !holds_nothing(&hunk.base) || !holds_nothing(&mine) {
            return false;
        }
        hunk.buffer = 0..text.line_count();
        hunk.draft = 0..draft.line_count();
        hunk.base = mine;
        hunk.touch();
        self.buffer = Some(text.clone());
        true
    }

    /// The reasons of all hunks, and this one.
    pub(super) fn all_reasons(&self, last: Option<&Reason>) -> Arc<[Reason]> {
        let mut reasons: Vec<Reason> = Vec::new();
        for reason in self.alignment.hunks.iter().flat_map(|hunk| hunk.reasons.iter()).chain(last) {
            if !reasons.contains(reason) {
                reasons.push(reason.clone());
            }
        }
        reasons.into()
    }
}

/// Whether a file of these lines is an empty one. Neovim and Helix have a line break in it.
fn holds_nothing(lines: &[Line]) -> bool {
    lines.len() <= 2 && lines.iter().all(|line| line.text.is_empty())
}

/// The same of a text.
pub(super) fn is_empty_file(text: &Text) -> bool {
    text.len() <= "\r\n".len() && holds_nothing(&read(text, 0..text.line_count()))
}

/// The text that consists of these lines.
fn whole(lines: &[Line]) -> Text {
    let text: String = lines.iter().flat_map(|line| [line.text.as_str(), line.end.as_str()]).collect();
    Text::from(text)
}
