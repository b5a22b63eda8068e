//! `textDocument/didSave`. It accepts nothing.

use tower_lsp::ls_types::DidSaveTextDocumentParams;

use crate::lsp::backend::Backend;

pub(in crate::lsp) fn did_save(backend: &Backend, params: DidSaveTextDocumentParams) {
    let core = &backend.stage().core;
    if let Some(path) = core.documents.saved(params.text_document.uri.as_str()) {
        core.desk.saved(path);
    }
}
