//! `copydesk/task/send`: put into the running task, else a new one is started.

use copydesk_protocol::{TaskSendParams, TaskSendResult};
use tower_lsp::jsonrpc::Result;

use crate::conversation::SessionId;
use crate::lsp::backend::Backend;
use crate::lsp::failure::unknown;
use crate::lsp::from_wire;

pub(in crate::lsp) async fn task_send(backend: &Backend, params: TaskSendParams) -> Result<TaskSendResult> {
    let core = &backend.stage().core;
    let prompt = from_wire::prompt(params.prompt, &core.workspace)?;
    let session = SessionId(params.session_id);
    match core.sessions.send(&session, prompt) {
        Some(sent) => Ok(TaskSendResult { task_id: sent.task.0, queued: sent.queued }),
        None => Err(unknown("Session", session.as_str(), "`copydesk/session/list` names those there are.")),
    }
}
