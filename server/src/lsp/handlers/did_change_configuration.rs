//! `workspace/didChangeConfiguration`: what can change while the server runs does; the rest, and what is wrong, is told.

use serde_json::{Value, json};
use tower_lsp::ls_types::DidChangeConfigurationParams;

use crate::editor::{Editor, Loudness};
use crate::lsp::backend::Backend;
use crate::lsp::publish::refresh_inlay_hints;
use crate::lsp::stage::Stage;

pub(in crate::lsp) fn did_change_configuration(backend: &Backend, params: DidChangeConfigurationParams) {
    tokio::spawn(change(backend.stage().clone(), params.settings));
}

async fn change(stage: Stage, settings: Value) {
    let Some(settings) = sent_or_asked(&stage, settings).await else { return };
    let configuration = stage.configuration.clone();
    let hints_before = configuration.surfaces().inlay_hints;
    let changed = match tokio::task::spawn_blocking(move || configuration.change(&settings)).await {
        Ok(changed) => changed,
        Err(error) => return tracing::error!(%error, "reading the settings anew"),
    };
    stage.core.desk.wait_for_echoes(stage.configuration.now().settings.review.echo_timeout.value);
    stage.redraw();
    if hints_before != stage.configuration.surfaces().inlay_hints {
        refresh_inlay_hints(&stage);
    }
    for diagnostic in &changed.wrong {
        let text = format!("Copydesk's configuration: {diagnostic}. Mend that; everything else counts.");
        stage.editor.show_message(Loudness::Warning, text);
    }
    if !changed.waiting.is_empty() {
        let names = changed.waiting.join(", ");
        let text = format!("Copydesk: {names} will count when the language server is started anew.");
        stage.editor.show_message(Loudness::Info, text);
    }
}

/// An editor that sends none with the news wants to be asked for them (LSP "workspace/configuration").
async fn sent_or_asked(stage: &Stage, sent: Value) -> Option<Value> {
    if !sent.is_null() {
        return Some(sent);
    }
    if !stage.editor.features().configuration {
        return None;
    }
    let asked = json!({ "items": [{ "section": "copydesk" }] });
    match stage.outgoing.request("workspace/configuration", asked, None).await {
        Ok(Value::Array(mut sections)) => sections.pop(),
        Ok(_) => None,
        Err(error) => {
            tracing::info!(%error, "the editor's settings");
            None
        }
    }
}
