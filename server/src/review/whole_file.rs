//! What a command proposes of a file beside its text, or where it has none: other bytes, and other permissions.

use crate::documents::{AbsPath, DiskFile, Kept};

/// What waits to be decided about a file as a whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WholeFile {
    /// What becomes of a file whose bytes are no text that could be shown; `None`: its bytes stay, or are shown as text.
    pub bytes: Option<WholeBytes>,
    pub mode: Option<ModeChange>,
    /// Rises with every change of it.
    pub revision: u32,
    /// The file on disk is not the one that the command began from: nothing of it can be accepted.
    pub conflict: bool,
}

/// Sizes are in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WholeBytes {
    Made { size: u64 },
    Changed { from: u64, to: u64 },
    Deleted { from: u64 },
}

/// Permission bits, as `chmod` has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModeChange {
    /// What the file has on disk; `None`: it is a file that is made.
    pub from: Option<u32>,
    pub to: u32,
}

/// What a command did to a file that can't be told as a change of its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WholeChange {
    /// It holds these bytes now.
    Bytes(Kept),
    Deleted,
    /// Its permissions; `None`: those again that it has on disk, or that a new file would have.
    Mode(Option<u32>),
}

/// A file as the agent has it, where its bytes are no text or its permissions are others than on disk.
#[derive(Clone, Debug, PartialEq)]
pub struct AgentWhole {
    pub path: AbsPath,
    /// `None`: what it holds is not changed as a whole.
    pub bytes: Option<AgentBytes>,
    pub mode: Option<u32>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AgentBytes {
    Kept(Kept),
    Gone,
}

/// One session's proposal of that kind for one file. Pure: what the disk has is passed in.
#[derive(Clone, Debug, Default)]
pub(super) struct WholeDraft {
    /// What the disk had where the command began; `None`: no file.
    base: Option<Base>,
    bytes: Option<AgentBytes>,
    mode: Option<u32>,
    conflict: bool,
}

/// A file on disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Base {
    pub hash: u64,
    pub size: u64,
    pub mode: u32,
}

impl From<&DiskFile> for Base {
    fn from(file: &DiskFile) -> Self {
        Self { hash: file.hash, size: file.size, mode: file.mode }
    }
}

impl WholeDraft {
    /// A command did this to the file, of which the disk has `now`.
    pub(super) fn put(&mut self, change: WholeChange, now: Option<Base>) {
        let begins = match change {
            WholeChange::Bytes(_) | WholeChange::Deleted => self.bytes.is_none(),
            WholeChange::Mode(_) => self.is_nothing(),
        };
        // Where the disk went its own way, commands were shown what it has.
        if begins || self.conflict {
            self.base = now;
        }
        match change {
            WholeChange::Bytes(kept) => self.bytes = Some(AgentBytes::Kept(kept)),
            WholeChange::Deleted => (self.bytes, self.mode) = (Some(AgentBytes::Gone), None),
            WholeChange::Mode(mode) => self.mode = mode,
        }
        self.look(now);
    }

    /// The disk has `now`. Gives whether a part of what was proposed is there: then nothing of it is left to decide.
    pub(super) fn look(&mut self, now: Option<Base>) -> bool {
        let hash = now.map(|now| now.hash);
        let has_bytes = match &self.bytes {
            Some(AgentBytes::Kept(kept)) => hash == Some(kept.hash()),
            Some(AgentBytes::Gone) => hash.is_none(),
            None => false,
        };
        if has_bytes {
            self.bytes = None;
        }
        let has_mode = self.mode.is_some() && self.mode == now.map(|now| now.mode);
        if has_mode {
            self.mode = None;
        }
        if self.bytes.is_none() && (has_bytes || self.base.is_none()) {
            // Permissions that were proposed for a file that was yet to be made are those of a file that is there.
            self.base = now;
        }
        let same_bytes = self.bytes.is_none() || self.base.map(|base| base.hash) == hash;
        let same_mode = self.mode.is_none() || self.base.map(|base| base.mode) == now.map(|now| now.mode);
        self.conflict = !(same_bytes && same_mode);
        has_bytes || has_mode
    }

    /// Nothing is left to decide.
    pub(super) fn is_nothing(&self) -> bool {
        self.bytes.is_none() && self.mode.is_none()
    }

    /// Bytes, not only permissions.
    pub(super) fn has_bytes(&self) -> bool {
        self.bytes.is_some()
    }

    /// Permissions alone, of a file that only a draft of its text has.
    pub(super) fn is_of_a_made_text(&self) -> bool {
        self.bytes.is_none() && self.base.is_none()
    }

    pub(super) fn is_conflicted(&self) -> bool {
        self.conflict
    }

    pub(super) fn bytes(&self) -> Option<&AgentBytes> {
        self.bytes.as_ref()
    }

    pub(super) fn mode(&self) -> Option<u32> {
        self.mode
    }

    pub(super) fn base(&self) -> Option<Base> {
        self.base
    }

    /// A change of the text takes its place.
    pub(super) fn drop_bytes(&mut self) {
        self.bytes = None;
    }

    /// The permissions are taken care of.
    pub(super) fn drop_mode(&mut self) {
        self.mode = None;
    }

    pub(super) fn view(&self, revision: u32) -> WholeFile {
        let from = self.base.map_or(0, |base| base.size);
        let bytes = self.bytes.as_ref().map(|bytes| match (bytes, self.base) {
            (AgentBytes::Kept(kept), Some(_)) => WholeBytes::Changed { from, to: kept.size() },
            (AgentBytes::Kept(kept), None) => WholeBytes::Made { size: kept.size() },
            (AgentBytes::Gone, _) => WholeBytes::Deleted { from },
        });
        let mode = self.mode.map(|to| ModeChange { from: self.base.map(|base| base.mode), to });
        WholeFile { bytes, mode, revision, conflict: self.conflict }
    }
}

#[cfg(test)]
mod tests {
    use camino::Utf8Path;

    use super::*;

    const NONE: Option<Base> = None;

    /// A file whose bytes and permissions are these.
    #[expect(clippy::unnecessary_wraps, reason = "the other thing that a disk can have is no file")]
    fn disk(bytes: &str, mode: u32) -> Option<Base> {
        let kept = kept(bytes);
        Some(Base { hash: kept.hash(), size: kept.size(), mode })
    }

    fn kept(bytes: &str) -> Kept {
        let folder = std::env::temp_dir();
        Kept::copy(bytes.as_bytes(), Utf8Path::from_path(&folder).unwrap(), 1_000).unwrap()
    }

    fn bytes(bytes: &str) -> WholeChange {
        WholeChange::Bytes(kept(bytes))
    }

    /// `changes` are made one after the other while the disk has `before`, then it has `after`.
    #[track_caller]
    fn check(before: Option<Base>, changes: &[WholeChange], after: Option<Base>, wanted: &str) {
        let mut draft = WholeDraft::default();
        for change in changes {
            draft.put(change.clone(), before);
        }
        draft.look(after);
        let view = draft.view(1);
        let bytes = view.bytes.map(|bytes| match bytes {
            WholeBytes::Made { size } => format!("made {size}"),
            WholeBytes::Changed { from, to } => format!("changed {from}>{to}"),
            WholeBytes::Deleted { from } => format!("deleted {from}"),
        });
        let mode = view.mode.map(|mode| match mode.from {
            Some(from) => format!("mode {from:o}>{:o}", mode.to),
            None => format!("mode {:o}", mode.to),
        });
        let conflict = view.conflict.then(|| "conflict".to_owned());
        let shown: Vec<String> = [bytes, mode, conflict].into_iter().flatten().collect();
        assert_eq!(shown.join(" "), wanted);
        assert_eq!(draft.is_nothing(), bytes_and_mode_are_gone(&view));
    }

    fn bytes_and_mode_are_gone(view: &WholeFile) -> bool {
        view.bytes.is_none() && view.mode.is_none()
    }

    #[test]
    fn the_latest_change_counts_and_begins_from_what_the_disk_has() {
        let old = disk("old", 0o644);
        check(NONE, &[bytes("one")], NONE, "made 3");
        check(NONE, &[bytes("one"), WholeChange::Mode(Some(0o755))], NONE, "made 3 mode 755");
        check(old, &[bytes("one"), bytes("another")], old, "changed 3>7");
        check(old, &[WholeChange::Mode(Some(0o755))], old, "mode 644>755");
        check(old, &[WholeChange::Mode(Some(0o755)), bytes("new")], old, "changed 3>3 mode 644>755");
        check(old, &[WholeChange::Mode(Some(0o755)), WholeChange::Deleted], old, "deleted 3");
        check(old, &[WholeChange::Deleted, bytes("again")], old, "changed 3>5");
    }

    #[test]
    fn what_is_undone_is_nothing_to_decide() {
        let old = disk("old", 0o644);
        check(old, &[bytes("one"), bytes("old")], old, "");
        check(NONE, &[bytes("one"), WholeChange::Deleted], NONE, "");
        check(old, &[WholeChange::Mode(Some(0o755)), WholeChange::Mode(Some(0o644))], old, "");
        check(NONE, &[WholeChange::Mode(Some(0o755)), WholeChange::Mode(None)], NONE, "");
        check(old, &[bytes("one"), WholeChange::Mode(Some(0o755)), bytes("old")], old, "mode 644>755");
    }

    #[test]
    fn what_the_user_does_by_hand_is_nothing_to_decide_and_anything_else_is_a_conflict() {
        let old = disk("old", 0o644);
        check(old, &[bytes("new")], disk("new", 0o644), "");
        check(old, &[bytes("new")], disk("other", 0o644), "changed 3>3 conflict");
        check(old, &[bytes("new")], NONE, "changed 3>3 conflict");
        check(old, &[bytes("new")], disk("old", 0o600), "changed 3>3");
        check(old, &[WholeChange::Deleted], NONE, "");
        check(old, &[WholeChange::Deleted], disk("other", 0o644), "deleted 3 conflict");
        check(NONE, &[bytes("new")], disk("other", 0o644), "made 3 conflict");
        check(NONE, &[bytes("new")], disk("new", 0o644), "");
        let run = [WholeChange::Mode(Some(0o755))];
        check(old, &run, disk("other", 0o644), "mode 644>755");
        check(old, &run, disk("old", 0o755), "");
        check(old, &run, disk("old", 0o600), "mode 644>755 conflict");
        check(old, &run, NONE, "mode 644>755 conflict");
        check(NONE, &run, disk("made", 0o644), "mode 644>755");
    }

    #[test]
    fn a_command_that_runs_after_a_conflict_begins_from_the_disk() {
        let (old, other) = (disk("old", 0o644), disk("other", 0o644));
        let mut draft = WholeDraft::default();
        draft.put(bytes("new"), old);
        draft.look(other);
        assert!(draft.is_conflicted());
        draft.put(bytes("again"), other);
        assert_eq!(draft.view(1).bytes, Some(WholeBytes::Changed { from: 5, to: 5 }));
        assert!(!draft.is_conflicted());
    }
}
