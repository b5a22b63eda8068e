//! `copydesk/task/start`: answered at once; what happens follows as events.

use copydesk_protocol::{TaskStartParams, TaskStartResult};
use tower_lsp::jsonrpc::Result;

use crate::agent::StartTask;
use crate::conversation::SessionId;
use crate::lsp::backend::Backend;
use crate::lsp::failure::{part_not_available, refused, unknown};
use crate::lsp::from_wire;

pub(in crate::lsp) async fn task_start(
    backend: &Backend,
    params: TaskStartParams,
) -> Result<TaskStartResult> {
    let core = &backend.stage().core;
    if let Some(model) = &params.model {
        return Err(part_not_available(
            &format!("A model for one task, such as `{model}`,"),
            "Nothing was started: leave `model` out. Which model answers is said by the setting `model.name`.",
        ));
    }
    let session = params.session_id.map(SessionId);
    if let Some(session) = session.as_ref().filter(|session| !core.has_session(session)) {
        return Err(unknown("Session", session.as_str(), "Leave it out to begin a new one."));
    }
    let task = StartTask {
        session,
        prompt: from_wire::prompt(params.prompt, &core.workspace)?,
        context: params.context.map(from_wire::context).transpose()?,
        token_budget: params.budget_tokens,
    };
    let (session, task) = match params.mode {
        None => core.sessions.start(task),
        Some(mode) => {
            let started = core.sessions.start_in(task, from_wire::mode(mode));
            started.map_err(|why| {
                refused("modeRefused", why, "Nothing was started: leave the mode out, or name another.")
            })?
        }
    };
    Ok(TaskStartResult { session_id: session.0, task_id: task.0 })
}
