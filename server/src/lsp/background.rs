//! What goes on beside the handlers: events are told, the review is drawn, files are watched, and what was left over goes.

use tokio_util::sync::CancellationToken;

use super::stage::Stage;
use super::surface::remove_left_over;
use super::{events, proposals, publish, watch_files};
use crate::editor::Editor;

/// Starts it all; it ends with the desk and the sessions. Requests of ours wait for `may_ask`. Must be called within a runtime.
pub(super) fn start(stage: &Stage, may_ask: CancellationToken) {
    tokio::spawn(events::tell(stage.clone(), stage.core.sessions.subscribe()));
    tokio::spawn(publish::publish(stage.clone()));
    if stage.editor.features().copydesk.review {
        tokio::spawn(proposals::tell(stage.clone()));
    }
    let workspace = stage.core.workspace.clone();
    tokio::task::spawn_blocking(move || remove_left_over(&workspace));
    let stage = stage.clone();
    tokio::spawn(async move {
        may_ask.cancelled().await;
        watch_files::watch(stage).await;
    });
}
