//! What the core may know and ask of an editor: positions as the protocol counts them, and the editor's abilities.

#[cfg(test)]
pub(crate) mod fake;
mod features;
mod language;
mod position;

pub use features::{CopydeskFeatures, DiagnosticStyle, EditorFeatures};
pub use language::{HoverText, Lookup, Place, Places};
pub use position::{Position, PositionEncoding, Range, TextEdit};

use futures::FutureExt as _;
use futures::future::{self, BoxFuture};

/// How loud a message to the person is (LSP `MessageType`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loudness {
    Error,
    Warning,
    Info,
}

/// Edits of one file, ready to be sent: ascending, not overlapping, all against the text of `version`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileEdit {
    /// The URI exactly as the client opened it.
    pub uri: String,
    /// The version the edits were computed for; `None` for a file that is not open.
    pub version: Option<i32>,
    pub edits: Vec<TextEdit>,
}

/// What the client answered to `workspace/applyEdit`. It proves nothing: only the echoed text does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApplyReply {
    pub applied: bool,
    pub reason: Option<String>,
}

/// What the editor's language servers say of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileDiagnostics {
    pub uri: String,
    /// Of the document that it was said of; `None`: nobody knows.
    pub version: Option<i32>,
    pub diagnostics: Vec<Diagnostic>,
}

/// One remark (LSP `Diagnostic`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    pub range: Range,
    pub severity: Severity,
    /// Such as `rustc`.
    pub source: Option<String>,
    pub message: String,
}

/// LSP `DiagnosticSeverity`, the worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    Error,
    Warning,
    Information,
    Hint,
}

/// What the core may ask of the editor it serves. Every call is queued in order on one outgoing line.
///
/// Invariant: no implementation waits for a person except `ask`, and nothing that runs in a request handler may
/// await `ask` or `apply_edit`.
pub trait Editor: Send + Sync + 'static {
    /// The abilities that were resolved at `initialize`.
    fn features(&self) -> EditorFeatures;

    /// Sends `workspace/applyEdit` and waits for the reply, at most ten seconds; an error or no answer is `applied: false`.
    fn apply_edit(&self, edit: FileEdit) -> BoxFuture<'static, ApplyReply>;

    /// `window/showMessage`.
    fn show_message(&self, loudness: Loudness, text: String);

    /// `window/showDocument`: brings `uri` to the front with `range` selected, where the editor can.
    fn show_document(&self, uri: String, range: Option<Range>);

    /// `window/showMessageRequest`. `None` is every way of not answering: closed, an error, no such ability.
    fn ask(&self, text: String, choices: Vec<String>) -> BoxFuture<'static, Option<String>>;

    /// What the editor's own language servers say now, of one file or of all (`copydesk/diagnostics/get`). `None`: the editor
    /// can't tell, or does not within two seconds.
    fn diagnostics(&self, _uri: Option<String>) -> BoxFuture<'static, Option<Vec<FileDiagnostics>>> {
        future::ready(None).boxed()
    }

    /// Where a name is defined, or used (`copydesk/definition`, `copydesk/references`). `None`: the editor can't tell, or
    /// does not in time.
    fn places(&self, _what: Lookup, _uri: String, _at: Position) -> BoxFuture<'static, Option<Places>> {
        future::ready(None).boxed()
    }

    /// What the editor's language servers show of a place (`copydesk/hover`). `None`: the editor can't tell, or does not
    /// in time.
    fn hover(&self, _uri: String, _at: Position) -> BoxFuture<'static, Option<HoverText>> {
        future::ready(None).boxed()
    }
}
