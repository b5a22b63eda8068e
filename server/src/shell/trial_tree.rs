//! The workspace as it would be with all unsaved text and all pending changes in it, for commands to be tried on.

mod aside;
mod below;
mod copy;
mod ignored;
mod layer;
mod links;
mod overlay;
mod real;
mod trees;
mod whiteout;

use std::sync::Arc;

use camino::Utf8PathBuf;

pub use aside::Aside;
pub(super) use below::{read_plain, remove_all};
pub(super) use ignored::is_ignored;
pub(super) use links::led_by;
pub(super) use trees::{Trees, outer};

/// A file as the agent has it, where that may differ from the disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileView {
    /// Absolute, links followed.
    pub path: Utf8PathBuf,
    pub content: FileContent,
    /// Its permissions, as `chmod` has them; `None`: those that it has, or that a new file would have.
    pub mode: Option<u32>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileContent {
    /// There is no such file.
    Absent,
    /// As they would be on disk.
    Bytes(Vec<u8>),
    /// Those of the file at this path, which nobody changes.
    Kept(Utf8PathBuf),
    /// What the disk has.
    Real,
}

/// Whether other commands work on the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Others {
    None,
    Run,
}

/// What a command changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeChange {
    /// Absolute, as in the real workspace.
    pub path: Utf8PathBuf,
    pub kind: ChangeKind,
    pub before: Before,
}

/// What a file of the tree was when it was put there or looked at the last time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Before {
    /// What the disk has, or no text.
    Disk,
    Absent,
    Text(Arc<[u8]>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChangeKind {
    /// The file, made or changed, as it is now.
    Written(Vec<u8>),
    /// Made or changed, and no text that could be shown.
    Bytes(Aside),
    Deleted,
    /// Its permissions, as `chmod` has them; of a file that was written too, behind that.
    Mode(u32),
    /// Its permissions are those again that it has on disk, or that a new file would have.
    UsualMode,
    /// Something that is told and no more.
    Whole {
        what: Whole,
        size: u64,
    },
    /// Written too, but the real file was changed while the command ran: nobody knows from what.
    Overtaken,
    /// Below `.git`: undone, since the real repository can't follow.
    Repository,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whole {
    /// More than [`LARGEST_KEPT`] bytes.
    Huge,
    Link,
    /// A pipe, a socket or a device.
    Special,
    /// Its name is not UTF-8; the path shows it as far as it can be read.
    OddName,
    /// A folder in more folders than are looked into.
    Deep,
}

/// In bytes: a file of more is not brought back.
pub const LARGEST_KEPT: u64 = 256 << 20;

/// Which files are brought back as text.
#[derive(Clone, Copy, Debug)]
pub struct TextRule {
    /// In bytes.
    pub largest: u64,
    pub is_text: fn(&[u8]) -> bool,
}
