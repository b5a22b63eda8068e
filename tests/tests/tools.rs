//! The tools that reach beyond files, through the real program: questions, plans, and the editor's own language servers.

#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that can't go on ends with its cause"
)]

use copydesk_tests::client::{Answer as EditorAnswer, Client, Home, full_capabilities};
use copydesk_tests::model_server::{Answer, ModelServer};
use copydesk_tests::person::{ask, choose, menu};
use serde_json::{Value, json};

/// A project, and a model that makes one call and then says "Done.".
async fn scene(tool: &str, input: Value) -> (Home, ModelServer) {
    let mut home = Home::new();
    home.write("a.rs", "fn load() {}\n");
    let model = ModelServer::playing([Answer::calls(tool, input), Answer::says("Done.")]).await;
    home.asks(&model.url());
    (home, model)
}

/// An editor that announces these of our abilities.
async fn plugged(home: &Home, abilities: Value, answers: Vec<(&str, Value)>) -> Client {
    let mut capabilities = full_capabilities();
    capabilities["experimental"]["copydesk"] = abilities;
    let mut client = Client::start(home);
    for (method, answer) in answers {
        client.answer(method, EditorAnswer::Result(answer));
    }
    client.initialize(home, capabilities).await;
    client.did_open(&home.uri("a.rs"), "rust", "fn load() {}\n");
    client
}

async fn start(client: &mut Client) {
    let prompt = json!([{ "type": "text", "text": "go" }]);
    client.request("copydesk/task/start", json!({ "prompt": prompt })).await.unwrap();
}

/// What the model was told of its call.
async fn result(model: &ModelServer) -> String {
    model.asked(2).await;
    let body = serde_json::to_string(&model.last_request().body).unwrap();
    body.split("tool_result").nth(1).unwrap_or_default().to_owned()
}

fn question() -> Value {
    json!({ "questions": [{
        "question": "Which way?", "header": "Way",
        "options": [{ "label": "Left", "description": "shorter" }, { "label": "Right", "description": "safer" }],
    }] })
}

#[tokio::test]
async fn in_a_plain_editor_a_question_is_answered_by_a_code_action() {
    let (home, model) = scene("AskUserQuestion", question()).await;
    let mut capabilities = full_capabilities();
    capabilities.as_object_mut().unwrap().remove("experimental");
    capabilities["window"].as_object_mut().unwrap().remove("showMessage");
    let mut client = Client::start(&home);
    client.initialize(&home, capabilities).await;
    let uri = home.uri("a.rs");
    client.did_open(&uri, "rust", "fn load() {}\n");
    ask(&mut client, "go").await;
    let is_question = |shown: &Value| shown["message"].as_str().unwrap_or_default().contains("waits for you");
    client.notification("window/showMessage", is_question).await;
    let titles = menu(&mut client, &uri, 0).await;
    let answers: Vec<&str> =
        titles.iter().filter_map(|title| title.strip_suffix(": Way: Which way?")).collect();
    assert_eq!(answers, ["Left", "Right", "In my own words…", "No answer"]);
    assert_eq!(model.requests().len(), 1, "silence answers nothing");
    choose(&mut client, &uri, 0, "Right").await;
    let told = client.until(result(&model)).await;
    assert!(told.contains("The user's answer: Right"), "{told}");
    assert_eq!(client.close().await, 0);
}

#[tokio::test]
async fn whoever_wants_to_answer_in_their_own_words_is_asked_for_them() {
    let (home, model) = scene("AskUserQuestion", question()).await;
    let abilities = json!({ "version": 1, "events": true, "permissions": true, "prompts": true });
    let mut client = plugged(&home, abilities, vec![("copydesk/prompt/ask", json!("back home"))]).await;
    start(&mut client).await;
    let asked = client.notification("copydesk/permission/asked", |_| true).await;
    assert_eq!(client.times_asked("copydesk/prompt/ask"), 0, "no box before somebody wants one");
    let answer = json!({ "requestId": asked["requestId"], "optionId": "words" });
    client.request("copydesk/permission/answer", answer).await.unwrap();
    let told = client.until(result(&model)).await;
    assert!(told.contains("The user's answer: back home"), "{told}");
    assert_eq!(client.close().await, 0);
}

#[tokio::test]
async fn where_nobody_is_there_the_model_is_told() {
    let (home, model) = scene("AskUserQuestion", question()).await;
    let mut command = home.command(&["run", "--output", "json", "go"]);
    let run = tokio::task::spawn_blocking(move || command.output()).await.unwrap().unwrap();
    assert!(run.status.success(), "{run:?}");
    let told = result(&model).await;
    assert!(told.contains("Nobody is here to be asked: decide yourself"), "{told}");
}

#[tokio::test]
async fn the_steps_of_a_task_are_an_event() {
    let todos = json!([
        { "content": "Look", "status": "completed", "activeForm": "Looking" },
        { "content": "Change", "status": "in_progress", "activeForm": "Changing" },
    ]);
    let (home, _model) = scene("TodoWrite", json!({ "todos": todos })).await;
    let mut client = plugged(&home, json!({ "version": 1, "events": true }), Vec::new()).await;
    start(&mut client).await;
    let plan = client.notification("copydesk/event", |params| params["event"]["type"] == "plan").await;
    let want = json!([
        { "content": "Look", "status": "completed" },
        { "content": "Changing", "status": "in_progress" },
    ]);
    assert_eq!(plan["event"]["entries"], want);
    client.notification("copydesk/event", |params| params["event"]["type"] == "terminal").await;
    assert_eq!(client.close().await, 0);
}

#[tokio::test]
async fn the_editors_language_servers_are_asked_where_it_says_so() {
    let (home, model) = scene("Diagnostics", json!({ "file_path": "a.rs" })).await;
    let uri = home.uri("a.rs");
    let at = json!({ "start": { "line": 0, "character": 3 }, "end": { "line": 0, "character": 7 } });
    let files = json!({ "files": [{ "uri": uri, "version": 1, "diagnostics": [
        { "range": at, "severity": 2, "source": "rustc", "message": "never used" },
    ] }] });
    let abilities = json!({ "version": 1, "events": true, "diagnostics": true });
    let mut client = plugged(&home, abilities, vec![("copydesk/diagnostics/get", files)]).await;
    start(&mut client).await;
    let told = client.until(result(&model)).await;
    assert!(told.contains("a.rs:1: warning [rustc]: never used"), "{told}");
    assert_eq!(client.close().await, 0);
}

#[tokio::test]
async fn a_definition_is_looked_up_in_the_editor() {
    let input = json!({ "operation": "goToDefinition", "filePath": "a.rs", "line": 1, "character": 4 });
    let (home, model) = scene("LSP", input).await;
    let at = json!({ "start": { "line": 0, "character": 3 }, "end": { "line": 0, "character": 7 } });
    let places = json!({ "version": 1, "places": [{ "uri": home.uri("a.rs"), "range": at }] });
    let abilities = json!({ "version": 1, "events": true, "navigation": true });
    let mut client = plugged(&home, abilities, vec![("copydesk/definition", places)]).await;
    start(&mut client).await;
    let told = client.until(result(&model)).await;
    assert!(told.contains("a.rs:1: fn load() {}"), "{told}");
    let asked = client.asked("copydesk/definition", 1).await;
    assert_eq!(asked["position"], json!({ "line": 0, "character": 3 }));
    assert_eq!(client.close().await, 0);
}

#[tokio::test]
async fn what_the_editor_does_not_offer_is_no_tool() {
    let (home, model) = scene("Diagnostics", json!({})).await;
    let mut client = plugged(&home, json!({ "version": 1, "events": true }), Vec::new()).await;
    start(&mut client).await;
    let told = client.until(result(&model)).await;
    assert!(told.contains("There is no tool `Diagnostics`"), "{told}");
    let sent: Vec<String> = model.last_request().body["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["name"].as_str().unwrap().to_owned())
        .collect();
    assert!(sent.contains(&"Read".to_owned()) && !sent.contains(&"LSP".to_owned()), "{sent:?}");
    assert!(sent.is_sorted(), "{sent:?}");
    assert_eq!(client.close().await, 0);
}

#[tokio::test]
async fn the_simple_mode_offers_three_tools_at_most() {
    let (home, model) = scene("Grep", json!({ "pattern": "x" })).await;
    home.write("../config/copydesk/config.toml", "[tools]\nmode = \"simple\"\n");
    let mut client = plugged(&home, json!({ "version": 1, "events": true }), Vec::new()).await;
    start(&mut client).await;
    let told = client.until(result(&model)).await;
    assert!(told.contains("There is no tool `Grep`"), "{told}");
    let sent = model.last_request().body["tools"].as_array().unwrap().clone();
    let simple = ["Bash", "Edit", "Read"];
    assert!(sent.iter().all(|tool| simple.contains(&tool["name"].as_str().unwrap())), "{sent:?}");
    assert_eq!(client.close().await, 0);
}
