//! `textDocument/didClose`: the disk speaks for the file again.

use tower_lsp::ls_types::DidCloseTextDocumentParams;

use crate::lsp::backend::Backend;

pub(in crate::lsp) fn did_close(backend: &Backend, params: DidCloseTextDocumentParams) {
    let stage = backend.stage();
    match stage.core.documents.close(params.text_document.uri.as_str()) {
        Ok(closed) => {
            stage.chat.closed(&closed.path);
            stage.core.desk.closed(closed);
        }
        Err(ignored) => tracing::debug!(%ignored, "didClose"),
    }
}
