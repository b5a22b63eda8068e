//! The file-state cache: open documents as the editor has them, closed files as the disk has them.

use std::collections::BTreeSet;
use std::ops::Range as Lines;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use super::decoded::DecodedTexts;
use super::disk::{self, DiskFile, Expected, Intended, Kind, Part, WriteError};
use super::document::OpenDocuments;
use super::looks::Looks;
use super::{AbsPath, Change, Kept, PathCase, ReadError, Snapshot, Stamp, Text, links, uri};
use crate::config::DEFAULT_EDIT_LIMIT;
use crate::editor::{PositionEncoding, Range};

/// Every file's current text. Open documents are changed by the editor's notifications and by nothing else; closed
/// files are read from disk on demand.
///
/// A file is known by its *real path*: every path that comes out of here has its symbolic links followed, so that a link and
/// its target are one file. [`real_path`](Self::real_path) follows them; every other method takes a path that came out of it
/// as it stands, and opens nothing through a link. So who judges a real path has judged what is read and written.
///
/// Invariant: the locks inside are short and never held across an await or a disk access, so a handler may call any method
/// before its first await.
#[derive(Debug)]
pub struct FileStateCache {
    open: Mutex<OpenDocuments>,
    decoded: Mutex<DecodedTexts>,
    looks: Mutex<Looks>,
    edit_limit: u64,
}

/// LSP `TextDocumentContentChangeEvent`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContentChange {
    /// `None` replaces the whole text.
    pub range: Option<Range>,
    pub text: String,
}

/// A document was opened.
#[derive(Clone, Debug, PartialEq)]
pub struct Opened {
    pub path: AbsPath,
    pub uri: String,
    pub version: i32,
    pub text: Text,
}

/// A document was changed by one `didChange`.
#[derive(Clone, Debug, PartialEq)]
pub struct Changed {
    pub path: AbsPath,
    pub version: i32,
    pub before: Text,
    pub after: Text,
    /// In bytes, each against the result of the one before. A full text is one change over everything.
    pub changes: Vec<Change>,
    /// One of the changes came without a range: where things changed is not known.
    pub whole_text: bool,
}

/// A document was closed: the disk speaks for the file again.
#[derive(Clone, Debug, PartialEq)]
pub struct Closed {
    pub path: AbsPath,
    /// What the editor had at the end.
    pub text: Text,
    /// Another buffer of the same file (under a link's name) speaks for it from now on: treat it as just opened.
    pub heir: Option<Opened>,
}

/// Why a document is not kept: it has no file path, or a path this program does not serve. Logged, never an error.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{uri} is not kept: {why}")]
pub struct Ignored {
    pub uri: String,
    pub why: String,
}

/// An open document, for listings.
#[derive(Clone, Debug, PartialEq)]
pub struct OpenDocument {
    pub path: AbsPath,
    pub uri: String,
    pub language: String,
    pub version: i32,
    pub text: Text,
    /// The editor has text that is not on disk.
    pub dirty: bool,
    /// A change of it could not be read: the editor's text is not known.
    pub lost: bool,
}

impl FileStateCache {
    pub fn new() -> Self {
        Self::with_rules(PathCase::usual(), DEFAULT_EDIT_LIMIT)
    }

    /// `edit_limit`: files of more bytes are served in parts only.
    pub fn with_rules(case: PathCase, edit_limit: u64) -> Self {
        Self {
            open: Mutex::new(OpenDocuments::new(case)),
            decoded: Mutex::default(),
            looks: Mutex::default(),
            edit_limit,
        }
    }

    /// didOpen.
    pub fn open(&self, uri: &str, language: &str, version: i32, text: &str) -> Result<Opened, Ignored> {
        let path = self.real_path(&uri::to_path(uri)?);
        let text = Text::from(text);
        let dirty = self.differs_from_disk(&path, &text);
        let (uri, language) = (uri.to_owned(), language.to_owned());
        lock(&self.open).open(OpenDocument { path, uri, language, version, text, dirty, lost: false })
    }

    /// A didOpen whose text could not be read. The disk's text stands in for it, so that what is proposed keeps its place; it is
    /// to be [lost](Self::lose) at once.
    pub fn open_unread(&self, uri: &str) -> Result<Opened, Ignored> {
        let path = self.real_path(&uri::to_path(uri)?);
        let text = self.on_disk(&path).map(|disk| disk.text).unwrap_or_default();
        let (uri, language) = (uri.to_owned(), String::new());
        // Whatever comes is newer.
        let version = i32::MIN;
        lock(&self.open).open(OpenDocument { path, uri, language, version, text, dirty: true, lost: true })
    }

    /// didChange. A change for a document that is not open is ignored with a reason.
    pub fn change(
        &self,
        uri: &str,
        version: i32,
        changes: &[ContentChange],
        encoding: PositionEncoding,
    ) -> Result<Changed, Ignored> {
        lock(&self.open).change(uri, version, changes, encoding)
    }

    /// A change of this document, or of one nobody knows if `None`, could not be read: its text is unknown from now on, until
    /// it is opened again or a whole text comes. Gives the files this is about.
    pub fn lose(&self, uri: Option<&str>) -> Vec<AbsPath> {
        lock(&self.open).lose(uri)
    }

    /// didClose.
    pub fn close(&self, uri: &str) -> Result<Closed, Ignored> {
        lock(&self.open).close(uri)
    }

    /// didSave: buffer and disk are equal now.
    pub fn saved(&self, uri: &str) -> Option<AbsPath> {
        lock(&self.open).saved(uri)
    }

    /// The open document at `path`, through symbolic links and, where the volume says so, whatever the case.
    pub fn open_document(&self, path: &AbsPath) -> Option<OpenDocument> {
        let found = lock(&self.open).of_file(path);
        found.or_else(|| {
            let real = links::follow(path).ok().filter(|real| real != path)?;
            lock(&self.open).of_file(&real)
        })
    }

    /// Whether the editor has the file with this real path open.
    pub fn is_open(&self, path: &AbsPath) -> bool {
        lock(&self.open).of_file(path).is_some()
    }

    /// The document opened under exactly this URI.
    pub fn open_uri(&self, uri: &str) -> Option<OpenDocument> {
        lock(&self.open).of_uri(uri)
    }

    /// By path.
    pub fn open_documents(&self) -> Vec<OpenDocument> {
        lock(&self.open).all()
    }

    /// The name that this cache knows the file at `path` by: links followed, and the open document's spelling where case
    /// does not count. A loop of links stays as it is; reading it says so.
    pub fn real_path(&self, path: &AbsPath) -> AbsPath {
        self.known_as(links::follow(path).unwrap_or_else(|_| path.clone()))
    }

    /// The name of the file at the real path `real`: the open document's spelling where case does not count.
    pub(super) fn known_as(&self, real: AbsPath) -> AbsPath {
        lock(&self.open).of_file(&real).map_or(real, |document| document.path)
    }

    /// What the file says now: the buffer if it is open, else the disk.
    pub fn snapshot(&self, path: &AbsPath) -> Result<Snapshot, ReadError> {
        let open = lock(&self.open).of_file(path);
        open.map_or_else(|| self.on_disk(path), of_document)
    }

    /// The same where no file has to be read for it: it is open, or nothing was changed on disk since it was read last.
    pub fn unread(&self, path: &AbsPath) -> Option<Result<Snapshot, ReadError>> {
        let open = lock(&self.open).of_file(path);
        open.map_or_else(|| self.unread_on_disk(path).map(Ok), |document| Some(of_document(document)))
    }

    /// What the disk says, also for an open file, where the file has not to be read for it: nothing was changed there since.
    pub fn unread_on_disk(&self, path: &AbsPath) -> Option<Snapshot> {
        let hash = lock(&self.looks).get(path, disk::print(path)?)?;
        let text = lock(&self.decoded).get(hash)?;
        Some(Snapshot { path: path.clone(), text, stamp: Stamp::Disk { hash } })
    }

    /// What the disk says, also for an open file.
    pub fn on_disk(&self, path: &AbsPath) -> Result<Snapshot, ReadError> {
        self.unread_on_disk(path).map_or_else(|| self.read(path), Ok)
    }

    fn read(&self, path: &AbsPath) -> Result<Snapshot, ReadError> {
        let at = SystemTime::now();
        let now = disk::read(path, self.edit_limit)?;
        lock(&self.looks).put(path.clone(), now.print, at, now.hash);
        let stamp = Stamp::Disk { hash: now.hash };
        let kept = lock(&self.decoded).get(now.hash);
        let text = if let Some(text) = kept {
            text
        } else {
            let (text, _) = disk::decode(path, now.bytes)?;
            lock(&self.decoded).put(now.hash, text.clone());
            text
        };
        Ok(Snapshot { path: path.clone(), text, stamp })
    }

    /// Whether there is a regular file or a folder on disk.
    pub fn kind(&self, path: &AbsPath) -> Result<Kind, ReadError> {
        disk::kind(path)
    }

    /// The bytes on disk of a regular file that need not be text, at most `limit` of them.
    pub fn bytes(&self, path: &AbsPath, limit: u64) -> Result<Vec<u8>, ReadError> {
        Ok(disk::read(path, limit)?.bytes)
    }

    /// The encoding that was assumed for the file on disk from the looks of it, if nothing there says it.
    pub fn guessed_encoding(&self, path: &AbsPath) -> Option<String> {
        let bytes = disk::read(path, self.edit_limit).ok()?.bytes;
        let (_, encoding) = disk::decode(path, bytes).ok()?;
        encoding.is_guessed().then(|| encoding.name())
    }

    /// The file is open and unchanged in the editor, and the disk says something else by now: the editor has yet to load it.
    pub fn is_behind_disk(&self, path: &AbsPath) -> bool {
        let open = self.open_document(path).filter(|document| !document.dirty);
        open.is_some_and(|document| self.on_disk(&document.path).is_ok_and(|disk| disk.text != document.text))
    }

    /// Some lines of a closed file of any size, at most `most_bytes` of them.
    pub fn read_part(
        &self,
        path: &AbsPath,
        lines: Lines<usize>,
        most_bytes: usize,
    ) -> Result<Part, ReadError> {
        disk::read_part(path, lines, most_bytes)
    }

    /// `text` in the bytes that the file at `path` would have with it: in the encoding of the file that is there, else UTF-8.
    /// A character that the encoding does not have makes them UTF-8 too.
    pub fn bytes_of(&self, path: &AbsPath, text: &Text) -> Vec<u8> {
        disk::bytes_of(path, &text.to_string(), self.edit_limit)
    }

    /// Why that could not be done to a file, as far as it can be told without doing it. `leaving`: files that will be gone by
    /// then. Whatever changes the file looks again.
    pub fn look_ahead(
        &self,
        path: &AbsPath,
        intended: &Intended,
        leaving: &BTreeSet<AbsPath>,
    ) -> Result<(), WriteError> {
        match intended {
            Intended::Mode { .. } => {}
            Intended::Moved { to } => self.is_closed(path).and_then(|()| self.is_closed(to))?,
            Intended::Text { .. } | Intended::Bytes(_) | Intended::Made(_) | Intended::Deleted => {
                self.is_closed(path)?;
            }
        }
        disk::look_ahead(path, intended, leaving, self.edit_limit)
    }

    /// Writes a closed file if the disk still says what is `expected`. Blocks for the time of an fsync.
    pub fn write(&self, path: &AbsPath, text: &Text, expected: Expected) -> Result<Snapshot, WriteError> {
        self.is_closed(path)?;
        let hash = disk::write(path, &text.to_string(), expected, self.edit_limit)?;
        Ok(Snapshot { path: path.clone(), text: text.clone(), stamp: Stamp::Disk { hash } })
    }

    /// Writes a closed file that is not there yet, with these permissions.
    pub fn write_new(&self, path: &AbsPath, text: &Text, mode: u32) -> Result<Snapshot, WriteError> {
        self.is_closed(path)?;
        let hash = disk::write_new(path, &text.to_string(), Some(mode))?;
        Ok(Snapshot { path: path.clone(), text: text.clone(), stamp: Stamp::Disk { hash } })
    }

    /// The file on disk, whatever its bytes are; `None`: there is none. It is not read again where nothing was changed since
    /// `known` was.
    pub fn disk_file(&self, path: &AbsPath, known: Option<&DiskFile>) -> Result<Option<DiskFile>, ReadError> {
        disk::disk_file(path, known)
    }

    /// Writes a closed file if the disk still has what is `expected`; with the permissions `mode`, else with its own or those
    /// of any new file.
    pub fn write_whole(
        &self,
        path: &AbsPath,
        kept: &Kept,
        expected: Expected,
        mode: Option<u32>,
    ) -> Result<(), WriteError> {
        self.is_closed(path)?;
        disk::write_whole(path, kept, expected, mode)
    }

    /// Gives a file, open or not, the permissions `to` if it has the permissions `from`.
    pub fn set_mode(&self, path: &AbsPath, from: u32, to: u32) -> Result<(), WriteError> {
        disk::set_mode(path, from, to)
    }

    /// Deletes a closed file if its bytes still have `hash`.
    pub fn delete(&self, path: &AbsPath, hash: u64) -> Result<(), WriteError> {
        self.is_closed(path)?;
        disk::delete(path, hash)
    }

    /// Renames a closed file if its bytes still have `hash`; never over another file.
    pub fn rename(&self, from: &AbsPath, to: &AbsPath, hash: u64) -> Result<(), WriteError> {
        self.is_closed(from)?;
        self.is_closed(to)?;
        disk::rename(from, to, hash)
    }

    fn is_closed(&self, path: &AbsPath) -> Result<(), WriteError> {
        match self.open_document(path) {
            Some(document) => Err(WriteError::Open { path: document.path }),
            None => Ok(()),
        }
    }

    /// An editor may hand over a buffer with unsaved text. Editors unify line ends and leave the final newline out of the
    /// text they send, so those do not count.
    fn differs_from_disk(&self, path: &AbsPath, text: &Text) -> bool {
        match self.on_disk(path) {
            Ok(disk) => !disk.text.same_but_for_line_ends(text),
            Err(ReadError::Missing { .. }) => true,
            Err(_) => false,
        }
    }
}

impl Default for FileStateCache {
    fn default() -> Self {
        Self::new()
    }
}

fn of_document(document: OpenDocument) -> Result<Snapshot, ReadError> {
    match document {
        OpenDocument { path, lost: true, .. } => Err(ReadError::Lost { path }),
        OpenDocument { path, uri, version, text, .. } => {
            Ok(Snapshot { path, text, stamp: Stamp::Open { version, uri } })
        }
    }
}

/// A panic elsewhere leaves the texts whole: every change is made in one step.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
