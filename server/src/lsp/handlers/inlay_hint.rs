//! `textDocument/inlayHint`.

use tower_lsp::ls_types::{InlayHint, InlayHintParams};

use crate::lsp::backend::Backend;
use crate::lsp::surface;

pub(in crate::lsp) fn inlay_hint(backend: &Backend, params: InlayHintParams) -> Vec<InlayHint> {
    surface::inlay_hints(&backend.stage().scene(), &params.text_document.uri, params.range)
}
