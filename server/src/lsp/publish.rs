//! Draws the review again whenever it changes: diagnostics for every editor, lenses for those that are told to ask again.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Value, json};
use tower_lsp::ls_types::{Diagnostic, Uri};

use super::stage::Stage;
use super::surface;
use crate::editor::Editor;

/// Typing changes the review with every key; drawing it more often helps nobody.
const EVERY: Duration = Duration::from_millis(100);

/// Publishes until the desk is gone.
pub(super) async fn publish(stage: Stage) {
    let mut view = stage.core.desk.watch();
    let mut questions = stage.asker.watch();
    let mut shown = BTreeMap::new();
    loop {
        tokio::select! {
            changed = view.changed() => if changed.is_err() { return },
            changed = questions.changed() => if changed.is_err() { return },
            () = stage.redrawn() => {}
        }
        stage.outgoing.room().await;
        draw(&stage, &mut shown);
        tokio::time::sleep(EVERY).await;
    }
}

/// Sends what differs from what is `shown`. Without a version: Helix drops the diagnostics of another one.
fn draw(stage: &Stage, shown: &mut BTreeMap<Uri, Vec<Diagnostic>>) {
    let scene = stage.scene();
    let now = surface::diagnostics(&scene, &stage.core.documents.open_documents());
    let gone = shown.keys().filter(|uri| !now.contains_key(uri)).map(|uri| (uri, &[][..]));
    let changed = now
        .iter()
        .filter(|(uri, diagnostics)| shown.get(uri) != Some(diagnostics))
        .map(|(uri, diagnostics)| (uri, diagnostics.as_slice()));
    let mut drawn = 0;
    for (uri, diagnostics) in gone.chain(changed) {
        let params = json!({ "uri": uri, "diagnostics": diagnostics });
        stage.outgoing.notify("textDocument/publishDiagnostics", params);
        drawn += 1;
    }
    *shown = now;
    if drawn > 0 && stage.editor.features().code_lens_refresh {
        drop(stage.outgoing.request("workspace/codeLens/refresh", Value::Null, None));
    }
    if drawn > 0 && (scene.features.inlay_hints || scene.settings.inlay_hints) {
        refresh_inlay_hints(stage);
    }
}

/// Has the editor ask for its inlay hints again, if it can be told to.
pub(super) fn refresh_inlay_hints(stage: &Stage) {
    if stage.editor.features().inlay_hint_refresh {
        drop(stage.outgoing.request("workspace/inlayHint/refresh", Value::Null, None));
    }
}
