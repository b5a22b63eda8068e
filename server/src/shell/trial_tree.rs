//! The workspace as it would be with all unsaved text and all pending changes in it, for commands to be tried on.

mod below;
mod copy;
mod ignored;
mod layer;
mod links;
mod overlay;
mod trees;
mod whiteout;

use camino::Utf8PathBuf;

pub(super) use below::{read_plain, remove_all};
pub(super) use ignored::is_ignored;
pub(super) use links::led_by;
pub(super) use trees::{Trees, outer};

/// A file as the agent has it, where that may differ from the disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileView {
    /// Absolute, links followed.
    pub path: Utf8PathBuf,
    /// As they would be on disk; `None`: there is no such file.
    pub bytes: Option<Vec<u8>>,
}

/// What a command changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeChange {
    /// Absolute, as in the real workspace.
    pub path: Utf8PathBuf,
    pub kind: ChangeKind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChangeKind {
    /// The file, made or changed, as it is now.
    Written(Vec<u8>),
    Deleted,
    /// Its permissions, as `chmod` has them; of a file that was written too, behind that.
    Mode(u32),
    /// Something that can't be shown as text.
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
    Binary,
    Huge,
    Link,
    /// A pipe, a socket or a device.
    Special,
    /// Its name is not UTF-8; the path shows it as far as it can be read.
    OddName,
    /// A folder in more folders than are looked into.
    Deep,
}

/// Which files are brought back as text.
#[derive(Clone, Copy, Debug)]
pub struct TextRule {
    /// In bytes.
    pub largest: u64,
    pub is_text: fn(&[u8]) -> bool,
}
