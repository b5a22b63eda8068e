//! What a change of a closed file would meet, as far as that can be told without making it: many files are looked at so before
//! the first is changed.
//!
//! Invariant: nothing is written here, and nobody may rely on it. What really changes a file looks again.

use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt as _;

use super::spot::Spot;
use super::write::{encode, failed, found, has_other_names, must_be_unmarked, must_be_writable};
use super::{AbsPath, WriteError, decode, read};
use crate::documents::Kept;

/// What is to become of a file, as far as it matters for whether that can be done.
#[derive(Clone, Debug)]
pub enum Intended {
    /// Another text in the place of the one that is there; `added` is what is new in it.
    Text {
        added: String,
    },
    /// Other bytes in the place of those that are there.
    Bytes(Kept),
    /// A file is made where none is.
    Made(Option<Kept>),
    /// It gets other permissions than `from`.
    Mode {
        from: u32,
    },
    Deleted,
    Moved {
        to: AbsPath,
    },
}

/// Why it could not be done to the file at `path`. `leaving`: files that will be gone by then.
pub(in crate::documents) fn look_ahead(
    path: &AbsPath,
    intended: &Intended,
    leaving: &BTreeSet<AbsPath>,
    limit: u64,
) -> Result<(), WriteError> {
    match intended {
        Intended::Text { added } => {
            may_be_replaced(path)?;
            has_the_characters(path, added, limit)
        }
        Intended::Bytes(kept) => {
            may_be_replaced(path)?;
            is_kept(path, kept)
        }
        Intended::Made(kept) => {
            may_be_made(path, path, leaving)?;
            kept.as_ref().map_or(Ok(()), |kept| is_kept(path, kept))
        }
        Intended::Mode { from } => may_get_a_mode(path, *from),
        Intended::Deleted => may_leave(path),
        Intended::Moved { to } => {
            may_leave(path)?;
            may_be_made(to, to, leaving)
        }
    }
}

fn may_be_replaced(path: &AbsPath) -> Result<(), WriteError> {
    let (_, metadata, spot) = found(path)?;
    must_be_writable(path, &metadata, &spot)?;
    // A file of several names is written in its place, and so is one in a folder that takes no new file.
    if !has_other_names(&metadata) && spot.folder_takes_entries().is_ok() && spot.folder_is_marked() {
        return Err(folder_marked(path));
    }
    Ok(())
}

/// Every encoding has the characters of ASCII, and what stands in the file already came from there.
fn has_the_characters(path: &AbsPath, added: &str, limit: u64) -> Result<(), WriteError> {
    if added.is_ascii() {
        return Ok(());
    }
    let (_, encoding) = decode(path, read(path, limit)?.bytes)?;
    encode(path, added, encoding).map(drop)
}

fn is_kept(path: &AbsPath, kept: &Kept) -> Result<(), WriteError> {
    let lost = |error| WriteError::Io {
        path: path.clone(),
        cause: format!("the bytes that were kept for it are gone ({error}): have the command run again"),
    };
    kept.open().map(drop).map_err(lost)
}

/// Whether there can be an entry at `at`: `path` itself, or a folder on its way.
fn may_be_made(path: &AbsPath, at: &AbsPath, leaving: &BTreeSet<AbsPath>) -> Result<(), WriteError> {
    let spot = match Spot::find(at) {
        Ok(spot) => spot,
        // Its folder is to be made too, perhaps in the place of a file.
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            let above = at.parent().ok_or_else(|| failed(path, &error))?;
            return may_be_made(path, &above, leaving);
        }
        Err(error) => return Err(failed(path, &error)),
    };
    match spot.metadata() {
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) => return Err(failed(path, &error)),
        Ok(_) if leaving.contains(at) => {}
        Ok(_) if at == path => return Err(WriteError::Exists { path: path.clone() }),
        // It was made between the two looks.
        Ok(now) if now.is_dir() => return Ok(()),
        Ok(_) => return Err(WriteError::NoFolder { path: path.clone() }),
    }
    folder_must_take_entries(at, &spot)
}

fn may_get_a_mode(path: &AbsPath, from: u32) -> Result<(), WriteError> {
    let found = Spot::find(path).and_then(|spot| Ok((spot.metadata()?, spot)));
    let (metadata, spot) = found.map_err(|error| failed(path, &error))?;
    if !metadata.is_file() || metadata.mode() & 0o7777 != from {
        return Err(WriteError::Changed { path: path.clone() });
    }
    must_be_unmarked(path, &spot)?;
    let me = rustix::process::geteuid();
    if !me.is_root() && me.as_raw() != metadata.uid() {
        return Err(WriteError::Foreign { path: path.clone() });
    }
    if spot.is_on_read_only_disk() { Err(WriteError::ReadOnly { path: path.clone() }) } else { Ok(()) }
}

/// The system would let a read-only file go from a folder that is not; but nobody who made it so expects that.
fn may_leave(path: &AbsPath) -> Result<(), WriteError> {
    let (_, metadata, spot) = found(path)?;
    if metadata.permissions().readonly() {
        return Err(WriteError::ReadOnly { path: path.clone() });
    }
    must_be_unmarked(path, &spot)?;
    folder_must_take_entries(path, &spot)?;
    let me = rustix::process::geteuid();
    let is_mine = |uid: u32| me.is_root() || me.as_raw() == uid;
    let folder = spot.folder_metadata().map_err(|error| failed(path, &error))?;
    if folder.mode() & STICKY != 0 && !is_mine(metadata.uid()) && !is_mine(folder.uid()) {
        return Err(WriteError::Foreign { path: path.clone() });
    }
    Ok(())
}

/// Of a folder in which everybody may make files, and remove their own.
const STICKY: u32 = 0o1000;

fn folder_must_take_entries(path: &AbsPath, spot: &Spot) -> Result<(), WriteError> {
    if spot.folder_is_marked() {
        return Err(folder_marked(path));
    }
    let read_only = |_| WriteError::FolderReadOnly { path: path.clone(), folder: folder_of(path) };
    spot.folder_takes_entries().map_err(read_only)
}

fn folder_marked(path: &AbsPath) -> WriteError {
    WriteError::Marked { path: folder_of(path) }
}

fn folder_of(path: &AbsPath) -> AbsPath {
    path.parent().unwrap_or_else(AbsPath::root)
}

#[cfg(test)]
mod tests;
