//! Writing a closed file: whole or not at all, and with everything kept that is not its text.

use std::borrow::Cow;
use std::fs::{File, Metadata, Permissions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::PermissionsExt as _;

use super::in_place::write_in_place;
use super::spot::Spot;
use super::{AbsPath, Encoding, Print, ReadError, decode, io_error, open_at, read_opened};
use crate::documents::Kept;

/// What the writer believes to be there. A file that says something else by now is not touched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// No file.
    Absent,
    /// A file with this hash of its bytes ([`super::super::Stamp::Disk`]).
    Hash(u64),
}

/// Why nothing was written. `Display` is for people: the file, the cause, the next step.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WriteError {
    #[error("{path} is open in the editor, which alone writes it")]
    Open { path: AbsPath },
    #[error("{path} is read-only: make it writable and accept again")]
    ReadOnly { path: AbsPath },
    #[error(
        "{path} is marked as immutable or append-only: take the mark away (`chattr -i -a`) and accept again"
    )]
    Marked { path: AbsPath },
    #[error(
        "nothing can be made or removed beside {path}: make the folder {folder} writable and accept again"
    )]
    FolderReadOnly { path: AbsPath, folder: AbsPath },
    #[error(
        "{path} belongs to another user, who alone can do that to it: have it made yours and accept again"
    )]
    Foreign { path: AbsPath },
    #[error(
        "{path} has changed on disk meanwhile, so it was not written: look at the change and accept again"
    )]
    Changed { path: AbsPath },
    #[error("{path} exists by now, so it was not written over: look at it and accept again")]
    Exists { path: AbsPath },
    #[error(
        "{path} is written in {encoding}, which has no {character:?}: convert the file to UTF-8 or choose another character"
    )]
    Unmappable { path: AbsPath, encoding: String, character: char },
    #[error(
        "a symbolic link was put in the way of {path}, which is not followed, so nothing was written: look at it, then accept again"
    )]
    Linked { path: AbsPath },
    #[error(transparent)]
    Read(ReadError),
    #[error(
        "{path} can't be made: something on its way is a file and no folder. Move that away and accept again"
    )]
    NoFolder { path: AbsPath },
    #[error("There is no room on the disk for {path}, which is as it was: make room and accept again")]
    Full { path: AbsPath },
    #[error("{path} can't be written: {cause}")]
    Io { path: AbsPath, cause: String },
}

/// Writes `text` to the file at `path` if what is there is `expected`. Gives the hash of the new
/// bytes.
///
/// An existing file keeps its encoding, byte order mark, mode, owner and hard links; a new one is UTF-8 with the mode that
/// the umask gives, and its folders are made.
pub(in crate::documents) fn write(
    path: &AbsPath,
    text: &str,
    expected: Expected,
    limit: u64,
) -> Result<u64, WriteError> {
    match expected {
        Expected::Absent => write_new(path, text, None),
        Expected::Hash(hash) => replace(path, text, hash, limit),
    }
}

/// The same for a file that is not there yet, with the permissions `mode` in the place of those that the umask gives.
pub(in crate::documents) fn write_new(
    path: &AbsPath,
    text: &str,
    mode: Option<u32>,
) -> Result<u64, WriteError> {
    let bytes = text.as_bytes();
    create(path, Source::Bytes(bytes), mode)?;
    Ok(super::hash(bytes))
}

/// What is written.
#[derive(Clone, Copy)]
pub(super) enum Source<'a> {
    Bytes(&'a [u8]),
    Kept(&'a Kept),
}

impl<'a> Source<'a> {
    fn write_to(self, mut file: &File) -> io::Result<()> {
        match self {
            Self::Bytes(bytes) => file.write_all(bytes)?,
            Self::Kept(kept) => drop(io::copy(&mut kept.open()?, &mut file)?),
        }
        file.sync_all()
    }

    fn bytes(self) -> io::Result<Cow<'a, [u8]>> {
        match self {
            Self::Bytes(bytes) => Ok(bytes.into()),
            Self::Kept(kept) => {
                let mut bytes = Vec::new();
                kept.open()?.read_to_end(&mut bytes)?;
                Ok(bytes.into())
            }
        }
    }
}

/// Makes the file and the folders that it lies in, where there is none.
pub(super) fn create(path: &AbsPath, source: Source<'_>, mode: Option<u32>) -> Result<(), WriteError> {
    let fail = |error| failed(path, &error);
    let spot = Spot::make(path).map_err(fail)?;
    let new = spot.successor().map_err(fail)?;
    source.write_to(new.file()).map_err(fail)?;
    if let Some(mode) = mode {
        new.set_permissions(Permissions::from_mode(mode)).map_err(fail)?;
    }
    new.settle().map_err(fail)
}

/// The file at `path` that is to be changed, and where it is held.
pub(super) fn found(path: &AbsPath) -> Result<(File, Metadata, Spot), WriteError> {
    let spot = Spot::find(path).map_err(|error| io_error(path, &error));
    match spot.and_then(|spot| Ok((open_at(path, &spot)?, spot))) {
        Ok(((file, metadata), spot)) => Ok((file, metadata, spot)),
        Err(ReadError::Missing { path }) => Err(WriteError::Changed { path }),
        Err(error) => Err(error.into()),
    }
}

/// The mode bits decide, so that it holds for root too; then what the system says for this user.
pub(super) fn must_be_writable(path: &AbsPath, metadata: &Metadata, spot: &Spot) -> Result<(), WriteError> {
    must_be_unmarked(path, spot)?;
    if metadata.permissions().readonly() || spot.is_read_only() {
        return Err(WriteError::ReadOnly { path: path.clone() });
    }
    Ok(())
}

/// Against such a mark nobody's permissions help.
pub(super) fn must_be_unmarked(path: &AbsPath, spot: &Spot) -> Result<(), WriteError> {
    if spot.is_marked() { Err(WriteError::Marked { path: path.clone() }) } else { Ok(()) }
}

fn replace(path: &AbsPath, text: &str, hash: u64, limit: u64) -> Result<u64, WriteError> {
    let (file, metadata, spot) = found(path)?;
    let now = read_opened(path, (file, metadata.clone()), limit)?;
    if now.hash != hash {
        return Err(WriteError::Changed { path: path.clone() });
    }
    must_be_writable(path, &metadata, &spot)?;
    let (_, encoding) = decode(path, now.bytes.clone())?;
    let bytes = encode(path, text, encoding)?;
    let new_hash = super::hash(&bytes);
    if new_hash != hash {
        put_in_place(path, &spot, Source::Bytes(&bytes), &metadata, None, || Ok(now.bytes))?;
    }
    Ok(new_hash)
}

/// Other bytes for the file at `path`, which was found with this `metadata`; `old`: the bytes that it has, for which it is
/// only asked where the file must stay the same one. It keeps its permissions unless `mode` says others.
pub(super) fn put_in_place(
    path: &AbsPath,
    spot: &Spot,
    source: Source<'_>,
    metadata: &Metadata,
    mode: Option<u32>,
    old: impl FnOnce() -> io::Result<Vec<u8>>,
) -> Result<(), WriteError> {
    let fail = |error| failed(path, &error);
    if !has_other_names(metadata) && replace_atomically(spot, source, metadata, mode).map_err(fail)? {
        return Ok(());
    }
    let mut file = spot.open_to_write().map_err(fail)?;
    if !file.metadata().is_ok_and(|opened| Print::of(&opened) == Print::of(metadata)) {
        return Err(WriteError::Changed { path: path.clone() });
    }
    let write = || {
        write_in_place(&mut file, &old()?, &source.bytes()?)?;
        mode.map_or(Ok(()), |mode| file.set_permissions(Permissions::from_mode(mode)))
    };
    write().map_err(fail)
}

pub(super) fn encode(path: &AbsPath, text: &str, encoding: Encoding) -> Result<Vec<u8>, WriteError> {
    // A file without a mark does not get one by an edit of its text.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    encoding.encode(text).map_err(|character| WriteError::Unmappable {
        path: path.clone(),
        encoding: encoding.name(),
        character,
    })
}

/// A temporary file in the file's own folder, renamed over it. False, and nothing done, where that would lose the owner or
/// the folder takes no new file: then the file itself must be written.
fn replace_atomically(
    spot: &Spot,
    source: Source<'_>,
    metadata: &Metadata,
    mode: Option<u32>,
) -> io::Result<bool> {
    let new = match spot.successor() {
        Ok(new) => new,
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => return Ok(false),
        Err(error) => return Err(error),
    };
    if !takes_owner(new.file(), metadata) {
        return Ok(false);
    }
    source.write_to(new.file())?;
    // After the owner: a change of owner clears the set-uid bits.
    new.set_permissions(mode.map_or_else(|| metadata.permissions(), Permissions::from_mode))?;
    new.replace()?;
    Ok(true)
}

pub(super) fn has_other_names(metadata: &Metadata) -> bool {
    std::os::unix::fs::MetadataExt::nlink(metadata) > 1
}

/// Whether `file` has, or could be given, the owner and group in `metadata`.
fn takes_owner(file: &File, metadata: &Metadata) -> bool {
    use std::os::unix::fs::{MetadataExt, fchown};
    let Ok(own) = file.metadata() else { return false };
    (own.uid(), own.gid()) == (metadata.uid(), metadata.gid())
        || fchown(file, Some(metadata.uid()), Some(metadata.gid())).is_ok()
}

pub(super) fn failed(path: &AbsPath, error: &io::Error) -> WriteError {
    use io::ErrorKind;
    match error.kind() {
        ErrorKind::AlreadyExists => WriteError::Exists { path: path.clone() },
        ErrorKind::NotADirectory => WriteError::NoFolder { path: path.clone() },
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => WriteError::Full { path: path.clone() },
        ErrorKind::ReadOnlyFilesystem => WriteError::ReadOnly { path: path.clone() },
        _ => match io_error(path, error) {
            ReadError::Io { path, cause } => WriteError::Io { path, cause },
            other => other.into(),
        },
    }
}

impl From<ReadError> for WriteError {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::Linked { path } => Self::Linked { path },
            other => Self::Read(other),
        }
    }
}
