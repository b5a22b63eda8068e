//! `textDocument/codeAction`: whole actions, computed on the text of now and cheap, since editors ask on every move.

use tower_lsp::ls_types::{CodeActionParams, CodeActionResponse};

use crate::lsp::backend::Backend;
use crate::lsp::from_lsp;
use crate::lsp::surface::{ActionRequest, code_actions};

pub(in crate::lsp) async fn code_action(
    backend: &Backend,
    params: CodeActionParams,
) -> Option<CodeActionResponse> {
    let stage = backend.stage();
    // An edit made from a view that has not seen the last key yet would be refused, or worse, applied.
    stage.core.desk.settled().await;
    let document = stage.core.documents.open_uri(params.text_document.uri.as_str())?;
    let request = ActionRequest {
        document: &document,
        range: from_lsp::range(params.range),
        only: params.context.only.as_deref().unwrap_or_default(),
        diagnostics: &params.context.diagnostics,
    };
    Some(code_actions(&stage.scene(), &request))
}
