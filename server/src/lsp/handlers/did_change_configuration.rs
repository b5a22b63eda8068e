//! `workspace/didChangeConfiguration`. Settings are read when the session begins; this tells that to the log.

use tower_lsp::ls_types::DidChangeConfigurationParams;

pub(in crate::lsp) fn did_change_configuration(_params: &DidChangeConfigurationParams) {
    tracing::info!("the editor's settings changed; they count from the next start");
}
