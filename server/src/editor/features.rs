//! The editor's abilities, resolved once at `initialize` to plain fields.

use super::PositionEncoding;

/// What this editor can do. Resolved from its announced capabilities; from its name only where the announcement is
/// known to be wrong.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EditorFeatures {
    /// `clientInfo.name`, for messages and the log.
    pub name: String,
    pub position_encoding: PositionEncoding,
    /// Changes can overtake each other on their way: only whole texts are safe.
    pub unordered_changes: bool,
    /// `workspace/applyEdit` exists.
    pub apply_edit: bool,
    /// `documentChanges` (versions) are understood in workspace edits.
    pub document_changes: bool,
    /// `window/showMessageRequest` exists and a key meant for the text can't answer it.
    pub safe_questions: bool,
    pub show_document: bool,
    /// A document that is shown later than at once takes a half-written command line away.
    pub shows_at_once: bool,
    /// Every message waits for a key, which was meant for the text: what only informs is not worth one.
    pub messages_wait: bool,
    pub progress: bool,
    pub code_lens: bool,
    pub code_lens_refresh: bool,
    pub inlay_hint_refresh: bool,
    /// `workspace/configuration` can be asked.
    pub configuration: bool,
    /// The editor shows inlay hints but not the text of a diagnostic.
    pub inlay_hints: bool,
    /// Diagnostics with another version than the current one are dropped, so none is sent.
    pub watches_files: bool,
    /// Hunk diagnostics: the shape this editor shows best.
    pub diagnostic_style: DiagnosticStyle,
    /// The editor owns line ends: a hunk that changes nothing else can't be applied there.
    pub owns_line_ends: bool,
    /// `initialize.capabilities.experimental.copydesk`.
    pub copydesk: CopydeskFeatures,
}

/// How a hunk's diagnostic is laid out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DiagnosticStyle {
    /// Information over all replaced lines, lines cut at 70.
    #[default]
    Plain,
    /// Warning over all replaced lines, lines padded with NBSP: the editor right-aligns each line in a corner box.
    PaddedBox,
    /// Warning over the first line only: the editor draws a block under the line.
    FirstLine,
}

/// What our own plug-ins announce.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CopydeskFeatures {
    pub events: bool,
    pub review: bool,
    pub permissions: bool,
    pub prompts: bool,
    pub save_files: bool,
    /// `copydesk/diagnostics/get` is answered.
    pub diagnostics: bool,
    /// `copydesk/definition`, `/references` and `/hover` are answered.
    pub navigation: bool,
}
