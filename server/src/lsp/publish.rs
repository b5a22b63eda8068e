//! Draws the review again whenever it changes: diagnostics for every editor, lenses for those that are told to ask again.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use serde::Serialize;
use serde_json::Value;
use tokio::task::spawn_blocking;
use tower_lsp::ls_types::{Diagnostic, Uri};

use super::stage::Stage;
use super::surface;
use crate::editor::Editor;

/// Typing changes the review with every key; drawing it more often helps nobody.
const EVERY: Duration = Duration::from_millis(100);
/// Between two drawings passes this many times what one took, so that a review of many hunks leaves the machine to others.
const REST: u32 = 9;

/// What each file's diagnostics were when they were last sent.
type Shown = BTreeMap<Uri, Vec<Diagnostic>>;

/// Publishes until the desk is gone.
///
/// Invariant: no thread that handles messages draws. A thousand hunks take milliseconds, and a key would wait for them.
pub(super) async fn publish(stage: Stage) {
    let mut view = stage.core.desk.watch();
    let mut questions = stage.asker.watch();
    let mut shown = Shown::new();
    let mut drawn = view.borrow().clone();
    loop {
        tokio::select! {
            changed = view.changed() => {
                if changed.is_err() {
                    return;
                }
                let encoding = stage.editor.features().position_encoding;
                let same = surface::same_diagnostics(&view.borrow_and_update(), &drawn, encoding);
                if same && stage.asker.open().is_empty() {
                    tokio::time::sleep(EVERY).await;
                    continue;
                }
            }
            changed = questions.changed() => if changed.is_err() { return },
            () = stage.redrawn() => {}
        }
        stage.outgoing.room().await;
        drawn = view.borrow_and_update().clone();
        let begun = Instant::now();
        let at_work = stage.clone();
        shown = match spawn_blocking(move || draw(&at_work, shown)).await {
            Ok(shown) => shown,
            Err(error) => {
                tracing::error!(%error, "drawing the review");
                Shown::new()
            }
        };
        tokio::time::sleep(EVERY.max(begun.elapsed() * REST)).await;
    }
}

/// Sends what differs from what is `shown`. Without a version: Helix drops the diagnostics of another one.
fn draw(stage: &Stage, shown: Shown) -> Shown {
    let scene = stage.scene();
    let now = surface::diagnostics(&scene, &stage.core.documents.open_documents());
    let gone = shown.keys().filter(|uri| !now.contains_key(uri)).map(|uri| (uri, &[][..]));
    let changed = now
        .iter()
        .filter(|(uri, diagnostics)| shown.get(uri) != Some(diagnostics))
        .map(|(uri, diagnostics)| (uri, diagnostics.as_slice()));
    let drawn = stage.shown.while_sent(&scene.review, || {
        let mut drawn = 0;
        for (uri, diagnostics) in gone.chain(changed) {
            stage.outgoing.notify("textDocument/publishDiagnostics", Publication { uri, diagnostics });
            drawn += 1;
        }
        drawn
    });
    if drawn > 0 && stage.editor.features().code_lens_refresh {
        drop(stage.outgoing.request("workspace/codeLens/refresh", Value::Null, None));
    }
    if drawn > 0 && (scene.features.inlay_hints || scene.settings.inlay_hints) {
        refresh_inlay_hints(stage);
    }
    now
}

/// Has the editor ask for its inlay hints again, if it can be told to.
pub(super) fn refresh_inlay_hints(stage: &Stage) {
    if stage.editor.features().inlay_hint_refresh {
        drop(stage.outgoing.request("workspace/inlayHint/refresh", Value::Null, None));
    }
}

/// LSP `PublishDiagnosticsParams`, borrowed.
#[derive(Serialize)]
struct Publication<'a> {
    uri: &'a Uri,
    diagnostics: &'a [Diagnostic],
}
