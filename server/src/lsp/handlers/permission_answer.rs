//! `copydesk/permission/answer`.

use copydesk_protocol::{Empty, PermissionAnswerParams};
use tower_lsp::jsonrpc::Result;

use crate::lsp::backend::Backend;
use crate::lsp::failure::unknown;
use crate::lsp::from_wire;

pub(in crate::lsp) async fn permission_answer(
    backend: &Backend,
    params: PermissionAnswerParams,
) -> Result<Empty> {
    let (request, answer) = from_wire::permission_answer(params);
    if backend.stage().answers.answer(&request, answer) {
        Ok(Empty {})
    } else {
        Err(unknown("OpenQuestion", &request, "It was answered elsewhere, or its task has ended."))
    }
}
