//! `textDocument/didChange`: the one way an open text changes.

use tower_lsp::ls_types::DidChangeTextDocumentParams;

use crate::documents::ContentChange;
use crate::lsp::backend::Backend;
use crate::lsp::from_lsp;

pub(in crate::lsp) fn did_change(backend: &Backend, params: DidChangeTextDocumentParams) {
    let stage = backend.stage();
    let document = params.text_document;
    let changes: Vec<_> = params
        .content_changes
        .into_iter()
        .map(|change| ContentChange { range: change.range.map(from_lsp::range), text: change.text })
        .collect();
    let encoding = backend.features().position_encoding;
    match stage.core.documents.change(document.uri.as_str(), document.version, &changes, encoding) {
        Ok(changed) => {
            stage.asker.typed();
            stage.chat.changed(&changed.path);
            stage.core.desk.changed(changed);
        }
        Err(ignored) => tracing::debug!(%ignored, "didChange"),
    }
}
