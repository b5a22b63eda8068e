//! `copydesk/session/compact`: a summary in place of the conversation, at once or behind the running task.

use copydesk_protocol::{SessionCompactParams, TaskSendResult};
use tower_lsp::jsonrpc::Result;

use crate::conversation::SessionId;
use crate::lsp::backend::Backend;
use crate::lsp::failure::unknown;

pub(in crate::lsp) async fn session_compact(
    backend: &Backend,
    params: SessionCompactParams,
) -> Result<TaskSendResult> {
    let session = SessionId(params.session_id);
    let instructions = params.instructions.unwrap_or_default();
    match backend.stage().core.sessions.compact(&session, &instructions) {
        Some(sent) => Ok(TaskSendResult { task_id: sent.task.0, queued: sent.queued }),
        None => Err(unknown("Session", session.as_str(), "`copydesk/session/list` names those there are.")),
    }
}
