//! Closed files: regular files only, read whole and decoded faithfully.

mod entry;
mod in_place;
mod part;
mod whole;
mod write;

use std::fs::{File, Metadata, OpenOptions};
use std::hash::Hasher;
use std::io::{Read, Write};

pub(super) use entry::{delete, rename};
pub use part::Part;
pub(super) use part::read_part;
pub use whole::DiskFile;
pub(super) use whole::{disk_file, set_mode, write_whole};
pub use write::{Expected, WriteError};
pub(super) use write::{write, write_new};

use super::encoding::{self, Encoding, NotText};
use super::looks::Print;
use super::{AbsPath, ReadError, Text};

/// A file's bytes as they are now.
#[derive(Debug)]
pub(super) struct Bytes {
    pub(super) hash: u64,
    pub(super) bytes: Vec<u8>,
    /// Of the file before it was read.
    pub(super) print: Print,
}

/// The metadata of what is at `path`, behind all links.
pub(super) fn print(path: &AbsPath) -> Option<Print> {
    std::fs::metadata(path.as_path()).ok().map(|metadata| Print::of(&metadata))
}

/// The whole file at `path`, whose links are followed. Never waits on a pipe or a device.
pub(super) fn read(path: &AbsPath, limit: u64) -> Result<Bytes, ReadError> {
    let (file, metadata) = open(path)?;
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
    let refuse = |what| Err(ReadError::Special { path: path.clone(), what });
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        // Opening a pipe must not wait for its other end, should one be put here after any check by name.
        options.custom_flags(rustix::fs::OFlags::NONBLOCK.bits().cast_signed());
    }
    let before = std::fs::metadata(path.as_path()).map_err(|error| io_error(path, &error))?;
    if let Some(what) = special(before.file_type()) {
        return refuse(what);
    }
    if before.is_dir() {
        return Err(ReadError::Folder { path: path.clone() });
    }
    let file = options.open(path.as_path()).map_err(|error| io_error(path, &error))?;
    let metadata = file.metadata().map_err(|error| io_error(path, &error))?;
    match special(metadata.file_type()) {
        Some(what) => refuse(what),
        None => Ok((file, metadata)),
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
        _ if error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error()) => {
            ReadError::Special { path: path.clone(), what: "a loop of symbolic links" }
        }
        _ => ReadError::Io { path: path.clone(), cause: error.to_string() },
    }
}

#[cfg(test)]
mod tests;
