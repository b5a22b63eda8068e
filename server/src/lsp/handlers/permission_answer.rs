//! `copydesk/permission/answer`.

use copydesk_protocol::{Empty, PermissionAnswerParams};
use tower_lsp::jsonrpc::Result;

use crate::lsp::backend::Backend;
use crate::lsp::failure::{refused, unknown};
use crate::lsp::from_wire;

pub(in crate::lsp) async fn permission_answer(
    backend: &Backend,
    params: PermissionAnswerParams,
) -> Result<Empty> {
    let (request, answer) = from_wire::permission_answer(params);
    let open = backend.stage().core.sessions.open_questions().into_iter().map(|(_, question)| question);
    if let Some(question) = open.into_iter().find(|question| question.id == request)
        && !question.options.iter().any(|option| option.id == answer.option_id)
    {
        let ids: Vec<_> = question.options.iter().map(|option| format!("`{}`", option.id)).collect();
        let message =
            format!("`{}` is no answer to `{request}`: there are {}", answer.option_id, ids.join(", "));
        return Err(refused(
            "unknownOption",
            message,
            "The question is still open: answer with one of these.",
        ));
    }
    if backend.stage().answers.answer(&request, answer) {
        Ok(Empty {})
    } else {
        Err(unknown("OpenQuestion", &request, "It was answered elsewhere, or its task has ended."))
    }
}
