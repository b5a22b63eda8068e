//! The file-state cache: open documents as the editor has them, closed files as the disk has them.

use super::{AbsPath, Change, ReadError, Snapshot, Text};
use crate::editor::{PositionEncoding, Range};

/// Every file's current text. Open documents are changed by the editor's notifications and by nothing else; closed
/// files are read from disk on demand.
///
/// Invariant: the lock inside is short and never held across an await, so a handler may call any method before its
/// first await.
#[derive(Debug, Default)]
pub struct FileStateCache {}

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
    pub dirty: bool,
}

impl FileStateCache {
    pub fn new() -> Self {
        Self::default()
    }

    /// didOpen.
    pub fn open(&self, _uri: &str, _language: &str, _version: i32, _text: &str) -> Result<Opened, Ignored> {
        todo!()
    }

    /// didChange. A change for a document that is not open is ignored with a reason.
    pub fn change(
        &self,
        _uri: &str,
        _version: i32,
        _changes: &[ContentChange],
        _encoding: PositionEncoding,
    ) -> Result<Changed, Ignored> {
        todo!()
    }

    /// didClose.
    pub fn close(&self, _uri: &str) -> Result<Closed, Ignored> {
        todo!()
    }

    /// didSave: buffer and disk are equal now.
    pub fn saved(&self, _uri: &str) -> Option<AbsPath> {
        todo!()
    }

    /// The open document at `path`, through symbolic links and, where the volume says so, whatever the case.
    pub fn open_document(&self, _path: &AbsPath) -> Option<OpenDocument> {
        todo!()
    }

    /// The document opened under exactly this URI.
    pub fn open_uri(&self, _uri: &str) -> Option<OpenDocument> {
        todo!()
    }

    pub fn open_documents(&self) -> Vec<OpenDocument> {
        todo!()
    }

    /// What the file says now: the buffer if it is open, else the disk.
    pub fn snapshot(&self, _path: &AbsPath) -> Result<Snapshot, ReadError> {
        todo!()
    }
}
