//! `textDocument/didSave`. It accepts nothing.

use tower_lsp::ls_types::DidSaveTextDocumentParams;

use crate::lsp::backend::Backend;

pub(in crate::lsp) fn did_save(backend: &Backend, params: DidSaveTextDocumentParams) {
    let stage = backend.stage();
    if let Some(path) = stage.core.documents.saved(params.text_document.uri.as_str()) {
        stage.chat.saved(&path);
        stage.core.desk.saved(path);
    }
}
