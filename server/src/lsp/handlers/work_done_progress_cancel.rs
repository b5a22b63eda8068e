//! `window/workDoneProgress/cancel`: the person cancels a task where the editor shows its progress.

use serde::Deserialize;
use serde_json::Value;

use crate::lsp::backend::Backend;

#[derive(Deserialize)]
pub(in crate::lsp) struct CancelProgress {
    /// A token of ours is a string; a client may send what it likes.
    token: Value,
}

pub(in crate::lsp) async fn work_done_progress_cancel(backend: &Backend, params: CancelProgress) {
    let stage = backend.stage();
    let task = params.token.as_str().and_then(|token| stage.running.task_of(token));
    if let Some(task) = task {
        stage.core.sessions.cancel(&task);
    }
}
