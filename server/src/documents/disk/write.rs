//! Writing a closed file: whole or not at all, and with everything kept that is not its text.

use std::borrow::Cow;
use std::fs::{File, Metadata};
use std::io::{self, Read as _, Write as _};

use super::in_place::write_in_place;
use super::{AbsPath, Encoding, ReadError, decode, io_error, open, read};
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
        "{path} has changed on disk meanwhile, so it was not written: look at the change and accept again"
    )]
    Changed { path: AbsPath },
    #[error("{path} exists by now, so it was not written over: look at it and accept again")]
    Exists { path: AbsPath },
    #[error(
        "{path} is written in {encoding}, which has no {character:?}: convert the file to UTF-8 or choose another character"
    )]
    Unmappable { path: AbsPath, encoding: String, character: char },
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error(
        "{path} can't be made: something on its way is a file and no folder. Move that away and accept again"
    )]
    NoFolder { path: AbsPath },
    #[error("There is no room on the disk for {path}, which is as it was: make room and accept again")]
    Full { path: AbsPath },
    #[error("{path} can't be written: {cause}")]
    Io { path: AbsPath, cause: String },
}

/// Writes `text` to the file at `path`, whose links are followed, if what is there is `expected`. Gives the hash of the new
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
    fn write_to(self, file: &mut File) -> io::Result<()> {
        match self {
            Self::Bytes(bytes) => file.write_all(bytes)?,
            Self::Kept(kept) => drop(io::copy(&mut kept.open()?, file)?),
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
    let fail = |error: &io::Error| failed(path, error);
    let folder = path.parent().ok_or_else(|| WriteError::Exists { path: path.clone() })?;
    make_folders(&folder).map_err(|error| fail(&error))?;
    let mut temporary = temporary(&folder).map_err(|error| fail(&error))?;
    source.write_to(temporary.as_file_mut()).map_err(|error| fail(&error))?;
    if let Some(mode) = mode {
        give_mode(temporary.as_file(), mode).map_err(|error| fail(&error))?;
    }
    temporary.persist_noclobber(path.as_path()).map_err(|error| fail(&error.error))?;
    sync_folder(&folder);
    Ok(())
}

fn replace(path: &AbsPath, text: &str, hash: u64, limit: u64) -> Result<u64, WriteError> {
    let now = read(path, limit).map_err(|error| match error {
        ReadError::Missing { path } => WriteError::Changed { path },
        other => WriteError::Read(other),
    })?;
    if now.hash != hash {
        return Err(WriteError::Changed { path: path.clone() });
    }
    let (_, metadata) = open(path)?;
    if is_read_only(path, &metadata) {
        return Err(WriteError::ReadOnly { path: path.clone() });
    }
    let (_, encoding) = decode(path, now.bytes.clone())?;
    let bytes = encode(path, text, encoding)?;
    let new_hash = super::hash(&bytes);
    if new_hash != hash {
        put_in_place(path, Source::Bytes(&bytes), &metadata, None, || Ok(now.bytes))?;
    }
    Ok(new_hash)
}

/// Other bytes for the file at `path`, which has this `metadata`; `old`: the bytes that it has, for which it is only asked
/// where the file must stay the same one. It keeps its permissions unless `mode` says others.
pub(super) fn put_in_place(
    path: &AbsPath,
    source: Source<'_>,
    metadata: &Metadata,
    mode: Option<u32>,
    old: impl FnOnce() -> io::Result<Vec<u8>>,
) -> Result<(), WriteError> {
    if !has_other_names(metadata) && replace_atomically(path, source, metadata, mode)? {
        return Ok(());
    }
    let write = || {
        write_in_place(path, &old()?, &source.bytes()?)?;
        mode.map_or(Ok(()), |mode| give_mode(&File::open(path.as_path())?, mode))
    };
    write().map_err(|error| failed(path, &error))
}

fn encode(path: &AbsPath, text: &str, encoding: Encoding) -> Result<Vec<u8>, WriteError> {
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
    path: &AbsPath,
    source: Source<'_>,
    metadata: &Metadata,
    mode: Option<u32>,
) -> Result<bool, WriteError> {
    let fail = |error: &io::Error| failed(path, error);
    let Some(folder) = path.parent() else { return Ok(false) };
    let mut temporary = match temporary(&folder) {
        Ok(temporary) => temporary,
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => return Ok(false),
        Err(error) => return Err(fail(&error)),
    };
    if !takes_owner(temporary.as_file(), metadata) {
        return Ok(false);
    }
    source.write_to(temporary.as_file_mut()).map_err(|error| fail(&error))?;
    // After the owner: a change of owner clears the set-uid bits.
    let given = match mode {
        Some(mode) => give_mode(temporary.as_file(), mode),
        None => temporary.as_file().set_permissions(metadata.permissions()),
    };
    given.map_err(|error| fail(&error))?;
    temporary.persist(path.as_path()).map_err(|error| fail(&error.error))?;
    sync_folder(&folder);
    Ok(true)
}

#[cfg(unix)]
pub(super) fn give_mode(file: &File, mode: u32) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    file.set_permissions(std::fs::Permissions::from_mode(mode))
}

#[cfg(not(unix))]
pub(super) fn give_mode(_file: &File, _mode: u32) -> io::Result<()> {
    Ok(())
}

/// The folder at `path` with those it lies in.
pub(super) fn make_folders(path: &AbsPath) -> io::Result<()> {
    use io::ErrorKind;
    std::fs::create_dir_all(path.as_path()).map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => ErrorKind::NotADirectory.into(),
        _ => error,
    })
}

/// Removed again when dropped, so no failure leaves one behind.
fn temporary(folder: &AbsPath) -> io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".copydesk-").suffix(".tmp");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // The umask takes its bits away, as for any new file.
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder.as_path())
}

/// The mode bits decide, so that it holds for root too; then what the system says for this user.
pub(super) fn is_read_only(path: &AbsPath, metadata: &Metadata) -> bool {
    #[cfg(unix)]
    {
        use rustix::fs::{Access, access};
        metadata.permissions().readonly() || access(path.as_path().as_std_path(), Access::WRITE_OK).is_err()
    }
    #[cfg(not(unix))]
    {
        let _ = path;
        metadata.permissions().readonly()
    }
}

#[cfg(unix)]
fn has_other_names(metadata: &Metadata) -> bool {
    std::os::unix::fs::MetadataExt::nlink(metadata) > 1
}

#[cfg(not(unix))]
fn has_other_names(_metadata: &Metadata) -> bool {
    false
}

/// Whether `file` has, or could be given, the owner and group in `metadata`.
#[cfg(unix)]
fn takes_owner(file: &File, metadata: &Metadata) -> bool {
    use std::os::unix::fs::{MetadataExt, fchown};
    let Ok(own) = file.metadata() else { return false };
    (own.uid(), own.gid()) == (metadata.uid(), metadata.gid())
        || fchown(file, Some(metadata.uid()), Some(metadata.gid())).is_ok()
}

#[cfg(not(unix))]
fn takes_owner(_file: &File, _metadata: &Metadata) -> bool {
    true
}

/// So that the rename itself survives a power cut. Some file systems refuse; the text is safe either way.
fn sync_folder(folder: &AbsPath) {
    if let Ok(folder) = File::open(folder.as_path()) {
        let _ = folder.sync_all();
    }
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
            other => WriteError::Read(other),
        },
    }
}
