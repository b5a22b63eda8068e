//! A `didChange` that could not be read: the editor's text of that document is not known until it is told anew.

use crate::editor::{Editor, Loudness};
use crate::lsp::backend::Backend;
use crate::lsp::lost_change::LostChange;

pub(in crate::lsp) async fn lost_change(backend: &Backend, params: LostChange) {
    let stage = backend.stage();
    tracing::warn!(uri = params.uri, cause = params.cause, "a change that can't be read");
    let lost = stage.core.documents.lose(params.uri.as_deref());
    if lost.is_empty() {
        return;
    }
    stage.core.desk.lost(lost.clone());
    let names: Vec<_> = lost.iter().map(|path| stage.core.workspace.display(path)).collect();
    let text = format!(
        "Copydesk could not read a change of {} that the editor sent ({}), so it does not know that text any more. Nothing is read or accepted there until you close the file and open it again.",
        names.join(", "),
        params.cause
    );
    stage.editor.show_message(Loudness::Error, text);
}
