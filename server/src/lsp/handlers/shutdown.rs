//! `shutdown`: whatever runs is cancelled, and review files go. Nothing is left to save: some editors kill the server in the
//! same moment.

use crate::lsp::backend::Backend;

pub(in crate::lsp) fn shutdown(backend: &Backend) {
    if let Some(stage) = backend.stage_if_built() {
        stage.close();
    }
}
