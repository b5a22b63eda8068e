//! A `didOpen` or `didChange` that could not be read: the editor's text of that document is not known until it is told anew.

use crate::editor::{Editor, Loudness};
use crate::lsp::backend::Backend;
use crate::lsp::lost_change::LostChange;

pub(in crate::lsp) async fn lost_change(backend: &Backend, params: LostChange) {
    let stage = backend.stage();
    tracing::warn!(uri = params.uri, cause = params.cause, "a text or change that can't be read");
    if let Some(uri) = params.uri.as_deref().filter(|_| params.opening) {
        match stage.core.documents.open_unread(uri) {
            Ok(opened) => stage.core.desk.opened(opened),
            Err(ignored) => return tracing::debug!(%ignored, "didOpen"),
        }
    }
    let lost = stage.core.documents.lose(params.uri.as_deref());
    if lost.is_empty() {
        return;
    }
    stage.core.desk.lost(lost.clone());
    let names: Vec<_> = lost.iter().map(|path| stage.core.workspace.display(path)).collect();
    let what = if params.opening { "the text" } else { "a change" };
    let text = format!(
        "Copydesk could not read {what} of {} that the editor sent ({}), so it does not know that text any more. Nothing is read or accepted there until you close the file and open it again.",
        names.join(", "),
        params.cause
    );
    stage.editor.show_message(Loudness::Error, text);
}
