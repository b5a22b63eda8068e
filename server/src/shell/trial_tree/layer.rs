//! Files as they are compared: by stamp where that is enough, else by content.

use std::fs::{self, Metadata};
use std::hash::{DefaultHasher, Hasher as _};
use std::io;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};

use camino::Utf8Path;

use super::below::{self, Spot};

/// Which state of a file something is known of. Two equal ones are the same state: the time of the last change of the
/// inode can't be set by hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stamp {
    inode: u64,
    size: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

/// Stands for the bytes of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Content {
    length: u64,
    hash: u64,
}

impl Stamp {
    pub(super) fn of(metadata: &Metadata) -> Self {
        Self {
            inode: metadata.ino(),
            size: metadata.size(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        }
    }

    /// Whether its content was written after that of `other`.
    pub(super) fn is_newer(self, other: Self) -> bool {
        self.modified > other.modified
    }

    pub(super) fn at(path: &Utf8Path) -> Option<Self> {
        fs::symlink_metadata(path).ok().map(|metadata| Self::of(&metadata))
    }
}

impl Content {
    pub(super) fn of(bytes: &[u8]) -> Self {
        let mut hasher = DefaultHasher::new();
        hasher.write(bytes);
        Self { length: bytes.len() as u64, hash: hasher.finish() }
    }

    /// Whether the regular file at `path` holds these bytes.
    pub(super) fn is_at(self, path: &Utf8Path) -> bool {
        let same_length = fs::symlink_metadata(path)
            .is_ok_and(|metadata| metadata.is_file() && metadata.len() == self.length);
        same_length && self.is(below::read_plain(path.as_std_path(), self.length))
    }

    /// The same of a file of a trial tree.
    pub(super) fn is_in(self, spot: &Spot) -> bool {
        self.is(spot.read(self.length).map(|(bytes, _)| bytes))
    }

    fn is(self, bytes: io::Result<Vec<u8>>) -> bool {
        bytes.is_ok_and(|bytes| Self::of(&bytes) == self)
    }
}

/// The permissions of a file that a command left, if they are not those that it has, or would be made with, in the real
/// folder.
pub(super) fn other_mode(real: Option<&Metadata>, now: &Metadata) -> Option<u32> {
    const MAY_RUN: u32 = 0o111;
    let now = mode(Some(now));
    let differs = match real {
        Some(real) => mode(Some(real)) != now,
        // The rest of a new file's is as the umask has it.
        None => now & MAY_RUN != 0,
    };
    differs.then_some(now)
}

/// The permissions of `metadata`, or those of a new file.
pub(super) fn mode(metadata: Option<&Metadata>) -> u32 {
    metadata.map_or(0o644, |metadata| metadata.permissions().mode() & 0o7777)
}
