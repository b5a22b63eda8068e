//! Changes on disk by somebody else's hand: told by the editor where it watches files, else looked for by ourselves.

use serde_json::json;

use super::stage::Stage;
use crate::config::DEFAULT_EDIT_LIMIT;
use crate::documents::{DiskWatch, POLL_PERIOD};
use crate::editor::Editor;

/// Watches until the desk is gone.
pub(super) async fn watch(stage: Stage) {
    if stage.editor.features().watches_files {
        let watchers = json!({ "watchers": [{ "globPattern": "**/*" }] });
        let registration = json!({
            "id": "copydesk.files", "method": "workspace/didChangeWatchedFiles", "registerOptions": watchers,
        });
        let asked = json!({ "registrations": [registration] });
        match stage.outgoing.request("client/registerCapability", asked, None).await {
            Ok(_) => return,
            Err(error) => tracing::info!(%error, "the editor watches no files after all"),
        }
    }
    look(stage).await;
}

/// Looks after the files that are under review.
async fn look(stage: Stage) {
    let (watch, mut changes) = DiskWatch::start(POLL_PERIOD, DEFAULT_EDIT_LIMIT);
    let mut view = stage.core.desk.watch();
    let mut watched = Vec::new();
    loop {
        tokio::select! {
            changed = view.changed() => {
                if changed.is_err() {
                    return;
                }
                let files: Vec<_> = view.borrow_and_update().files.iter().map(|file| file.path.clone()).collect();
                // Its time to look begins anew with every order, and each frame of typing brings a view.
                if files != watched {
                    watch.set_files(files.clone());
                    watched = files;
                }
            }
            changed = changes.recv() => match changed {
                Some(paths) => stage.core.desk.disk_changed(paths),
                None => return,
            },
        }
    }
}
