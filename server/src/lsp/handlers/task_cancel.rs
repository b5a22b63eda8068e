//! `copydesk/task/cancel`: the task's terminal event follows.

use copydesk_protocol::{Empty, TaskCancelParams};
use tower_lsp::jsonrpc::Result;

use crate::conversation::TaskId;
use crate::lsp::backend::Backend;
use crate::lsp::failure::unknown;

pub(in crate::lsp) async fn task_cancel(backend: &Backend, params: TaskCancelParams) -> Result<Empty> {
    if backend.stage().core.sessions.cancel(&TaskId(params.task_id.clone())) {
        Ok(Empty {})
    } else {
        Err(unknown("RunningTask", &params.task_id, "It may have ended by itself."))
    }
}
