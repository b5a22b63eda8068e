//! The editor at the other end of the line, as the core knows it.

use std::sync::OnceLock;
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use copydesk_protocol as wire;
use copydesk_protocol::{
    DiagnosticsGetParams, DiagnosticsGetResult, HoverResult, LookUpParams, PlacesResult, methods,
};

use super::from_wire;
use super::outgoing::Outgoing;
use crate::editor::{
    ApplyReply, Editor, EditorFeatures, FileDiagnostics, FileEdit, HoverText, Lookup, Loudness, Places,
    Position, Range, TextEdit,
};

/// Some editors take their time over an edit, and some never answer.
const APPLY_DEADLINE: Duration = Duration::from_secs(9);

/// A question that the editor answers out of its own memory.
const LOOK_UP_DEADLINE: Duration = Duration::from_secs(2);
/// One that its language servers have to look up.
const SERVERS_DEADLINE: Duration = Duration::from_secs(10);

/// An `Editor` over LSP. Only what an editor announced is ever asked of it.
pub(super) struct RemoteEditor {
    outgoing: Outgoing,
    features: OnceLock<EditorFeatures>,
}

impl RemoteEditor {
    pub(super) fn new(outgoing: Outgoing) -> Self {
        Self { outgoing, features: OnceLock::new() }
    }

    /// Once, at `initialize`; a second time changes nothing.
    pub(super) fn resolve(&self, features: EditorFeatures) {
        drop(self.features.set(features));
    }
}

impl Editor for RemoteEditor {
    fn features(&self) -> EditorFeatures {
        self.features.get().cloned().unwrap_or_default()
    }

    fn apply_edit(&self, edit: FileEdit) -> BoxFuture<'static, ApplyReply> {
        let features = self.features();
        if !features.apply_edit {
            let reason = Some("this editor does not take edits (workspace/applyEdit)".to_owned());
            return futures::future::ready(ApplyReply { applied: false, reason }).boxed();
        }
        // No `label`: Neovim prints it, and with a message after it demands a key.
        let params = json!({ "edit": workspace_edit(&edit, features.document_changes) });
        let answer = self.outgoing.request("workspace/applyEdit", params, Some(APPLY_DEADLINE));
        async move {
            match answer.await {
                Ok(reply) => ApplyReply {
                    applied: reply.get("applied").and_then(Value::as_bool).unwrap_or_default(),
                    reason: reply.get("failureReason").and_then(Value::as_str).map(str::to_owned),
                },
                Err(error) => ApplyReply { applied: false, reason: Some(error.to_string()) },
            }
        }
        .boxed()
    }

    fn show_message(&self, loudness: Loudness, text: String) {
        self.outgoing
            .notify("window/showMessage", json!({ "type": message_type(loudness), "message": text }));
    }

    fn show_document(&self, uri: String, range: Option<Range>) {
        if !self.features().show_document {
            return;
        }
        // Without the focus, Helix up to 25.07 opens a new split each time.
        let mut params = json!({ "uri": uri, "external": false, "takeFocus": true });
        if let (Some(range), Some(params)) = (range, params.as_object_mut()) {
            params.insert("selection".to_owned(), range_json(range));
        }
        drop(self.outgoing.request("window/showDocument", params, None));
    }

    fn ask(&self, text: String, choices: Vec<String>) -> BoxFuture<'static, Option<String>> {
        let actions: Vec<_> = choices.iter().map(|title| json!({ "title": title })).collect();
        let params = json!({ "type": message_type(Loudness::Info), "message": text, "actions": actions });
        let answer = self.outgoing.request("window/showMessageRequest", params, None);
        async move {
            let answer = answer.await.ok()?;
            let title = answer.get("title")?.as_str()?;
            choices.into_iter().find(|choice| choice == title)
        }
        .boxed()
    }

    fn diagnostics(&self, uri: Option<String>) -> BoxFuture<'static, Option<Vec<FileDiagnostics>>> {
        if !self.features().copydesk.diagnostics {
            return futures::future::ready(None).boxed();
        }
        let params = DiagnosticsGetParams { uri };
        let answer = self.outgoing.request(methods::DIAGNOSTICS_GET, params, Some(LOOK_UP_DEADLINE));
        async move {
            let answer: DiagnosticsGetResult = serde_json::from_value(answer.await.ok()?).ok()?;
            Some(answer.files.into_iter().map(from_wire::file_diagnostics).collect())
        }
        .boxed()
    }

    fn places(&self, what: Lookup, uri: String, at: Position) -> BoxFuture<'static, Option<Places>> {
        let method = match what {
            Lookup::Definition => methods::DEFINITION,
            Lookup::References => methods::REFERENCES,
        };
        let found = self.look_up::<PlacesResult>(method, uri, at);
        async move { found.await.map(from_wire::places) }.boxed()
    }

    fn hover(&self, uri: String, at: Position) -> BoxFuture<'static, Option<HoverText>> {
        let found = self.look_up::<HoverResult>(methods::HOVER, uri, at);
        async move { found.await.map(|hover| HoverText { version: hover.version, text: hover.text }) }.boxed()
    }
}

impl RemoteEditor {
    /// Asks what the editor's language servers say of a place. `None`: they are not asked, or gave no answer in time.
    fn look_up<T: DeserializeOwned + Send + 'static>(
        &self,
        method: &'static str,
        uri: String,
        at: Position,
    ) -> BoxFuture<'static, Option<T>> {
        if !self.features().copydesk.navigation {
            return futures::future::ready(None).boxed();
        }
        let position = wire::Position { line: at.line, character: at.character };
        let params = LookUpParams { uri, position };
        let answer = self.outgoing.request(method, params, Some(SERVERS_DEADLINE));
        async move { serde_json::from_value(answer.await.ok()?).ok() }.boxed()
    }
}

/// LSP `WorkspaceEdit`, of one file.
fn workspace_edit(edit: &FileEdit, document_changes: bool) -> Value {
    let edits: Vec<_> = edit.edits.iter().map(text_edit).collect();
    if document_changes {
        let document = json!({ "uri": edit.uri, "version": edit.version });
        json!({ "documentChanges": [{ "textDocument": document, "edits": edits }] })
    } else {
        json!({ "changes": { &edit.uri: edits } })
    }
}

fn text_edit(edit: &TextEdit) -> Value {
    json!({ "range": range_json(edit.range), "newText": edit.new_text })
}

fn range_json(range: Range) -> Value {
    let position = |position: Position| json!({ "line": position.line, "character": position.character });
    json!({ "start": position(range.start), "end": position(range.end) })
}

/// LSP `MessageType`.
const fn message_type(loudness: Loudness) -> u8 {
    match loudness {
        Loudness::Error => 1,
        Loudness::Warning => 2,
        Loudness::Info => 3,
    }
}

#[cfg(test)]
mod tests {
    use tokio::sync::mpsc::UnboundedReceiver;
    use tower_lsp::jsonrpc::Error;

    use super::*;

    fn editor(features: EditorFeatures) -> (RemoteEditor, Outgoing, UnboundedReceiver<Vec<u8>>) {
        let (outgoing, line) = Outgoing::new();
        let editor = RemoteEditor::new(outgoing.clone());
        editor.resolve(features);
        (editor, outgoing, line)
    }

    fn edit(version: Option<i32>) -> FileEdit {
        let at = Position::new(0, 1);
        let edits = vec![TextEdit { range: Range::new(at, at), new_text: "x".to_owned() }];
        FileEdit { uri: "file:///a".to_owned(), version, edits }
    }

    /// Sends one edit and gives the params that went out and what was made of `answer`.
    async fn apply(
        document_changes: bool,
        version: Option<i32>,
        answer: Result<Value, Error>,
    ) -> (Value, ApplyReply) {
        let features = EditorFeatures { apply_edit: true, document_changes, ..EditorFeatures::default() };
        let (editor, outgoing, mut line) = editor(features);
        let reply = editor.apply_edit(edit(version));
        let sent: Value = serde_json::from_slice(&line.try_recv().unwrap()).unwrap();
        outgoing.answered(1, answer);
        (sent["params"].clone(), reply.await)
    }

    #[tokio::test]
    async fn edits_carry_the_version_and_no_label() {
        let at = json!({"line": 0, "character": 1});
        let edits = json!([{"range": {"start": at, "end": at}, "newText": "x"}]);
        let yes = || Ok(json!({"applied": true}));
        let (sent, reply) = apply(true, Some(5), yes()).await;
        let document = json!({"uri": "file:///a", "version": 5});
        assert_eq!(sent, json!({"edit": {"documentChanges": [{"textDocument": document, "edits": edits}]}}));
        assert_eq!(reply, ApplyReply { applied: true, reason: None });

        let (sent, _) = apply(true, None, yes()).await;
        assert_eq!(sent["edit"]["documentChanges"][0]["textDocument"]["version"], Value::Null);
        let (sent, _) = apply(false, Some(5), yes()).await;
        assert_eq!(sent, json!({"edit": {"changes": {"file:///a": edits}}}));
    }

    #[tokio::test]
    async fn only_a_yes_is_a_yes() {
        for answer in
            [Ok(Value::Null), Ok(json!({})), Ok(json!({"applied": false})), Err(Error::method_not_found())]
        {
            assert!(!apply(true, Some(5), answer).await.1.applied);
        }
    }

    #[tokio::test]
    async fn an_answer_that_was_not_offered_is_none() {
        for (answer, wanted) in [
            (Ok(json!({"title": "Deny"})), Some("Deny".to_owned())),
            (Ok(json!({"title": "Other"})), None),
            (Ok(Value::Null), None),
            (Err(Error::method_not_found()), None),
        ] {
            let (editor, outgoing, _line) = editor(EditorFeatures::default());
            let asked = editor.ask("Run?".to_owned(), vec!["Decide later".to_owned(), "Deny".to_owned()]);
            outgoing.answered(1, answer);
            assert_eq!(asked.await, wanted);
        }
    }
}
