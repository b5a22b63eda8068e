//! `textDocument/codeLens`.

use tower_lsp::ls_types::{CodeLens, CodeLensParams};

use crate::lsp::backend::Backend;
use crate::lsp::surface;

pub(in crate::lsp) fn code_lens(backend: &Backend, params: CodeLensParams) -> Vec<CodeLens> {
    surface::code_lenses(&backend.stage().scene(), &params.text_document.uri)
}
