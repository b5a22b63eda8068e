//! What a command proposes of a file beside its text, or where it has none: other bytes, and other permissions.

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
