//! What a file said at one moment.

use super::{AbsPath, Text};

/// One file's text at one moment. Immutable; the text shares its memory with the buffer.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    pub path: AbsPath,
    pub text: Text,
    pub stamp: Stamp,
}

/// Which state of the file a snapshot is of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stamp {
    /// The editor's version. `uri` as the client spelled it.
    Open { version: i32, uri: String },
    /// A file on disk: a hash of its bytes.
    Disk { hash: u64 },
}

/// Why a file gives no text. `Display` is for the model and the person alike: cause and next step.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    #[error("{path} does not exist")]
    Missing { path: AbsPath },
    #[error("{path} is a folder")]
    Folder { path: AbsPath },
    #[error("{path} is no regular file ({what}), so it is not read")]
    Special { path: AbsPath, what: &'static str },
    #[error(
        "a symbolic link was put in the way of {path}, which is not followed: look at it, then try again"
    )]
    Linked { path: AbsPath },
    #[error("{path} is a binary file")]
    Binary { path: AbsPath },
    #[error(
        "{path} is in an encoding that can't be kept exactly ({encoding}): open it in the editor, which owns the encoding there"
    )]
    Encoding { path: AbsPath, encoding: String },
    #[error(
        "{path} has {size} bytes, over the limit of {limit} for editing (`files.edit_limit`); it can still be read in parts"
    )]
    TooLarge { path: AbsPath, size: u64, limit: u64 },
    #[error(
        "what the editor shows of {path} is not known: a change of it could not be read. It has to be closed and opened again there"
    )]
    Lost { path: AbsPath },
    #[error("{path} can't be read: {cause}")]
    Io { path: AbsPath, cause: String },
}
