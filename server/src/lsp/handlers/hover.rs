//! `textDocument/hover`: the whole diff of the hunk under the cursor.

use tower_lsp::ls_types::{Hover, HoverParams};

use crate::lsp::backend::Backend;
use crate::lsp::surface;

pub(in crate::lsp) fn hover(backend: &Backend, params: HoverParams) -> Option<Hover> {
    let at = params.text_document_position_params;
    surface::hover(&backend.stage().scene(), &at.text_document.uri, at.position.line)
}
