//! What a person does in an editor without a plug-in, as steps of a test.

use serde_json::{Value, json};

use crate::client::{Client, Home, full_capabilities};

/// An editor without a plug-in.
pub async fn plain(home: &Home) -> Client {
    let mut client = Client::start(home);
    let mut capabilities = full_capabilities();
    capabilities.as_object_mut().expect("LSP has it").remove("experimental");
    client.initialize(home, capabilities).await;
    client
}

/// Runs a command as it stands in an action.
pub async fn execute(client: &mut Client, command: &Value) {
    let params = json!({"command": command["command"], "arguments": command["arguments"]});
    assert_eq!(client.request("workspace/executeCommand", params).await, Ok(Value::Null));
}

/// Starts a task, as from a command line.
pub async fn ask(client: &mut Client, text: &str) {
    execute(client, &json!({"command": "copydesk.ask", "arguments": [text]})).await;
}

/// The titles of the menu on a line, in the server's order.
pub async fn menu(client: &mut Client, uri: &str, line: u32) -> Vec<String> {
    let actions = actions(client, uri, line).await;
    actions.iter().map(|action| action["title"].as_str().unwrap_or_default().to_owned()).collect()
}

/// The code actions on a line.
pub async fn actions(client: &mut Client, uri: &str, line: u32) -> Vec<Value> {
    let at = json!({"line": line, "character": 0});
    let params = json!({
        "textDocument": {"uri": uri},
        "range": {"start": at, "end": at},
        "context": {"diagnostics": []},
    });
    client
        .request("textDocument/codeAction", params)
        .await
        .expect("LSP has it")
        .as_array()
        .expect("LSP has it")
        .clone()
}

/// Chooses the action whose title begins so, as an editor does: its edit first, then its command.
pub async fn choose(client: &mut Client, uri: &str, line: u32, title: &str) {
    let actions = actions(client, uri, line).await;
    let titles: Vec<_> = actions.iter().map(|action| action["title"].as_str().expect("LSP has it")).collect();
    let chosen =
        actions.iter().find(|action| action["title"].as_str().expect("LSP has it").starts_with(title));
    let chosen = chosen.unwrap_or_else(|| panic!("no {title:?} among {titles:?}")).clone();
    if let Some(changes) = chosen.pointer("/edit/documentChanges").and_then(Value::as_array) {
        for change in changes {
            client
                .edit(change["textDocument"]["uri"].as_str().expect("LSP has it"), &change["edits"])
                .expect("LSP has it");
        }
    }
    execute(client, &chosen["command"]).await;
}

/// Waits until the file has `count` diagnostics of ours.
pub async fn hunks(client: &mut Client, uri: &str, count: usize) -> Vec<Value> {
    let wanted = |params: &Value| {
        params["uri"] == uri && params["diagnostics"].as_array().expect("LSP has it").len() == count
    };
    client.notification("textDocument/publishDiagnostics", wanted).await["diagnostics"]
        .as_array()
        .expect("LSP has it")
        .clone()
}

/// Waits until the running task has ended.
pub async fn done(client: &mut Client) {
    client.notification("$/progress", |shown| shown["value"]["kind"] == "end").await;
}
