//! `initialized`: now requests of ours may go out.

use crate::lsp::backend::Backend;

pub(in crate::lsp) fn initialized(backend: &Backend) {
    backend.may_ask();
}
