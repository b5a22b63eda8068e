//! `textDocument/didOpen`.

use tower_lsp::ls_types::DidOpenTextDocumentParams;

use crate::documents::to_path;
use crate::lsp::backend::Backend;

pub(in crate::lsp) fn did_open(backend: &Backend, params: DidOpenTextDocumentParams) {
    let document = params.text_document;
    let path = match to_path(document.uri.as_str()) {
        Ok(path) => path,
        Err(ignored) => return tracing::debug!(%ignored, "didOpen"),
    };
    let stage = backend.stage_at(Some(&path));
    match stage.core.documents.open(
        document.uri.as_str(),
        &document.language_id,
        document.version,
        &document.text,
    ) {
        Ok(opened) => {
            stage.chat.opened(&opened.path);
            stage.core.desk.opened(opened);
        }
        Err(ignored) => tracing::debug!(%ignored, "didOpen"),
    }
}
