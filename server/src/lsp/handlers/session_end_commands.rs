//! `copydesk/session/endCommands`: nothing of a session runs on in the background, and nothing that it changed is lost.

use copydesk_protocol::{EndedCommand, SessionEndCommandsParams, SessionEndCommandsResult};
use tower_lsp::jsonrpc::Result;

use crate::conversation::SessionId;
use crate::lsp::backend::Backend;
use crate::lsp::failure::unknown;
use crate::shell::Task;

pub(in crate::lsp) async fn session_end_commands(
    backend: &Backend,
    params: SessionEndCommandsParams,
) -> Result<SessionEndCommandsResult> {
    let session = SessionId(params.session_id);
    let Some(ended) = backend.stage().core.sessions.end_commands(&session).await else {
        return Err(unknown("Session", session.as_str(), "`copydesk/session/list` names those there are."));
    };
    let to_wire = |task: &Task| EndedCommand {
        id: task.id().to_owned(),
        command: task.command().to_owned(),
        changed: task.outcome().map_or(0, |outcome| u32::try_from(outcome.changes.len()).unwrap_or(u32::MAX)),
    };
    Ok(SessionEndCommandsResult { commands: ended.iter().map(|task| to_wire(task)).collect() })
}
