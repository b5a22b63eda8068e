//! `shutdown`: whatever runs is cancelled. Nothing is left to save: some editors kill the server in the same moment.

use crate::lsp::backend::Backend;

pub(in crate::lsp) fn shutdown(backend: &Backend) {
    if let Some(stage) = backend.stage_if_built() {
        stage.core.sessions.cancel_all();
    }
}
