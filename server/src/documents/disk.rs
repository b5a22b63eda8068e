//! Closed files by their real paths: regular files only, read whole and decoded faithfully, and through no link.

mod ahead;
mod entry;
mod in_place;
mod part;
mod spot;
mod whole;
mod write;

use std::fs::{File, Metadata};
use std::hash::Hasher;
use std::io::{Read, Write};

pub use ahead::Intended;
pub(super) use ahead::look_ahead;
pub(super) use entry::{delete, rename};
pub use part::Part;
pub(super) use part::read_part;
pub use whole::DiskFile;
pub(super) use whole::{disk_file, set_mode, write_whole};
pub use write::{Expected, WriteError};
pub(super) use write::{write, write_new};

use super::encoding::{self, Encoding, NotText};
use super::links::{self, Unresolvable};
use super::looks::Print;
use super::{AbsPath, ReadError, Text, straight};
use spot::Spot;

/// A file's bytes as they are now.
#[derive(Debug)]
pub(super) struct Bytes {
    pub(super) hash: u64,
    pub(super) bytes: Vec<u8>,
    /// Of the file before it was read.
    pub(super) print: Print,
}

/// The metadata of what is at `path`.
pub(super) fn print(path: &AbsPath) -> Option<Print> {
    straight::metadata(path).ok().map(|metadata| Print::of(&metadata))
}

/// What a path names that can be looked into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    File,
    Folder,
}

/// What is at `path`, if it is one of those.
pub(super) fn kind(path: &AbsPath) -> Result<Kind, ReadError> {
    let metadata = straight::metadata(path).map_err(|error| io_error(path, &error))?;
    match regular(path, &metadata) {
        Ok(()) => Ok(Kind::File),
        Err(ReadError::Folder { .. }) => Ok(Kind::Folder),
        Err(error) => Err(error),
    }
}

/// The whole file at `path`. Never waits on a pipe or a device.
pub(super) fn read(path: &AbsPath, limit: u64) -> Result<Bytes, ReadError> {
    read_opened(path, open(path)?, limit)
}

fn read_opened(path: &AbsPath, (file, metadata): (File, Metadata), limit: u64) -> Result<Bytes, ReadError> {
    let size = metadata.len();
    if size > limit {
        return Err(ReadError::TooLarge { path: path.clone(), size, limit });
    }
    let mut bytes = Vec::with_capacity(size as usize);
    // One byte more than allowed: the file may have grown, and some of `/proc` has no size at all.
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes).map_err(|error| io_error(path, &error))?;
    let size = bytes.len() as u64;
    if size > limit {
        return Err(ReadError::TooLarge { path: path.clone(), size, limit });
    }
    Ok(Bytes { hash: hash(&bytes), bytes, print: Print::of(&metadata) })
}

/// The text in `bytes` of the file at `path`.
pub(super) fn decode(path: &AbsPath, bytes: Vec<u8>) -> Result<(Text, Encoding), ReadError> {
    match encoding::decode(bytes) {
        Ok((text, encoding)) => Ok((Text::from(text), encoding)),
        Err(NotText::Binary) => Err(ReadError::Binary { path: path.clone() }),
        Err(NotText::Unfaithful { encoding }) => Err(ReadError::Encoding { path: path.clone(), encoding }),
    }
}

/// `text` as the file at `path` would be written with it.
pub(super) fn bytes_of(path: &AbsPath, text: &str, limit: u64) -> Vec<u8> {
    let encoding =
        read(path, limit).and_then(|now| decode(path, now.bytes)).ok().map(|(_, encoding)| encoding);
    encoding.and_then(|encoding| encoding.encode(text).ok()).unwrap_or_else(|| text.as_bytes().to_vec())
}

/// The text that a file of these bytes has; `None` if they are no text that can be kept exactly.
pub fn text_of(bytes: &[u8]) -> Option<Text> {
    encoding::decode(bytes.to_vec()).ok().map(|(text, _)| Text::from(text))
}

/// The same for the same bytes within one release of this program; it stands for them where they are compared over time.
pub(super) fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = hasher();
    hasher.write(bytes);
    hasher.finish()
}

/// Bytes that are read at once.
const PIECE: usize = 1 << 16;

/// The hash and the number of all bytes that `from` gives; `to` gets them.
pub(super) fn hash_while_copying(mut from: impl Read, to: &mut impl Write) -> std::io::Result<(u64, u64)> {
    let (mut hasher, mut size) = (hasher(), 0);
    let mut piece = vec![0; PIECE];
    loop {
        let read = match from.read(&mut piece) {
            Ok(0) => return Ok((hasher.finish(), size)),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            read => read?,
        };
        let bytes = piece.get(..read).unwrap_or_default();
        hasher.write(bytes);
        to.write_all(bytes)?;
        size += read as u64;
    }
}

#[allow(deprecated, reason = "SipHash with fixed keys: the standard library's default may change")]
fn hasher() -> impl Hasher {
    std::hash::SipHasher::new()
}

/// A regular file, and its metadata.
fn open(path: &AbsPath) -> Result<(File, Metadata), ReadError> {
    open_at(path, &Spot::find(path).map_err(|error| io_error(path, &error))?)
}

fn open_at(path: &AbsPath, spot: &Spot) -> Result<(File, Metadata), ReadError> {
    let fail = |error| io_error(path, &error);
    // To open a device may do something.
    regular(path, &spot.metadata().map_err(fail)?)?;
    let file = spot.open().map_err(fail)?;
    let metadata = file.metadata().map_err(fail)?;
    regular(path, &metadata)?;
    Ok((file, metadata))
}

fn regular(path: &AbsPath, metadata: &Metadata) -> Result<(), ReadError> {
    match special(metadata.file_type()) {
        Some(what) => Err(ReadError::Special { path: path.clone(), what }),
        None if metadata.is_dir() => Err(ReadError::Folder { path: path.clone() }),
        None => Ok(()),
    }
}

/// What the file is if it is neither regular nor a folder.
fn special(kind: std::fs::FileType) -> Option<&'static str> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        if kind.is_fifo() {
            return Some("a pipe");
        }
        if kind.is_socket() {
            return Some("a socket");
        }
        if kind.is_char_device() || kind.is_block_device() {
            return Some("a device");
        }
    }
    (!kind.is_file() && !kind.is_dir()).then_some("a special file")
}

fn io_error(path: &AbsPath, error: &std::io::Error) -> ReadError {
    use std::io::ErrorKind;
    match error.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory => ReadError::Missing { path: path.clone() },
        ErrorKind::IsADirectory => ReadError::Folder { path: path.clone() },
        _ if straight::is_link_in_the_way(error) => match links::follow(path) {
            Err(Unresolvable::Loop) => {
                ReadError::Special { path: path.clone(), what: "a loop of symbolic links" }
            }
            Ok(_) | Err(Unresolvable::NotUtf8) => ReadError::Linked { path: path.clone() },
        },
        _ => ReadError::Io { path: path.clone(), cause: error.to_string() },
    }
}

#[cfg(test)]
mod tests;
