//! Files as they are compared: by stamp where that is enough, else by content.

use std::fs::{self, Metadata};
use std::hash::{DefaultHasher, Hasher as _};
use std::io::{self, Read};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::sync::OnceLock;

use super::TextRule;
use super::below::Spot;

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

    /// Whether it is `other`, but for what happens to a file when another name of it goes.
    pub(super) fn is_as_written(self, other: Self) -> bool {
        self == Self { changed: self.changed, ..other }
    }

    /// Whether its content was written after that of `other`.
    pub(super) fn is_newer(self, other: Self) -> bool {
        self.modified > other.modified
    }
}

impl Content {
    pub(super) fn of(bytes: &[u8]) -> Self {
        let mut hasher = DefaultHasher::new();
        hasher.write(bytes);
        Self { length: bytes.len() as u64, hash: hasher.finish() }
    }

    /// Of all that `from` gives, which need not fit into memory.
    pub(super) fn of_all(mut from: impl Read) -> io::Result<Self> {
        let (mut hasher, mut length) = (DefaultHasher::new(), 0);
        let mut piece = vec![0; PIECE];
        loop {
            let read = match from.read(&mut piece) {
                Ok(0) => return Ok(Self { length, hash: hasher.finish() }),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                read => read?,
            };
            hasher.write(piece.get(..read).unwrap_or_default());
            length += read as u64;
        }
    }

    /// Whether a file of a trial tree holds these bytes.
    pub(super) fn is_in(self, spot: &Spot) -> bool {
        self.is(spot.open())
    }

    /// Whether it was opened and holds these bytes.
    pub(super) fn is(self, opened: io::Result<(fs::File, Metadata)>) -> bool {
        let Ok((file, metadata)) = opened else { return false };
        metadata.len() == self.length
            && Self::of_all(file.take(self.length.saturating_add(1))).is_ok_and(|content| content == self)
    }
}

/// Bytes that are read at once.
const PIECE: usize = 1 << 16;

/// A regular file that a command left, as it was looked at.
pub(super) struct Look {
    pub(super) content: Content,
    /// `None`: they are no text.
    pub(super) text: Option<Vec<u8>>,
    pub(super) metadata: Metadata,
}

impl Look {
    pub(super) fn at(spot: &Spot, rule: TextRule) -> io::Result<Self> {
        let (mut file, metadata) = spot.open()?;
        if metadata.len() > rule.largest {
            return Ok(Self { content: Content::of_all(file)?, text: None, metadata });
        }
        let mut bytes = Vec::new();
        file.by_ref().take(rule.largest.saturating_add(1)).read_to_end(&mut bytes)?;
        let content = if bytes.len() as u64 > rule.largest {
            Content::of_all(bytes.as_slice().chain(file))?
        } else {
            Content::of(&bytes)
        };
        let is_text = content.length <= rule.largest && (rule.is_text)(&bytes);
        Ok(Self { content, text: is_text.then_some(bytes), metadata })
    }
}

/// The permissions of `metadata`, or those of a new file.
pub(super) fn mode(metadata: Option<&Metadata>) -> u32 {
    metadata.map_or_else(usual_mode, |metadata| metadata.permissions().mode() & 0o7777)
}

/// As the umask has it.
fn usual_mode() -> u32 {
    static UMASK: OnceLock<u32> = OnceLock::new();
    let umask = UMASK.get_or_init(|| {
        // To ask the system itself for it is to change it.
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("Umask:"));
        line.and_then(|umask| u32::from_str_radix(umask.trim(), 8).ok()).unwrap_or(0o022)
    });
    0o666 & !umask
}
