//! Questions to the person, through the real program with a scripted model that wants to read outside the project.

#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that can't go on ends with its cause"
)]

use copydesk_tests::client::{Answer as EditorAnswer, Client, Home, full_capabilities};
use copydesk_tests::model_server::{Answer, ModelServer};
use copydesk_tests::person::{ask, choose, menu};
use serde_json::{Value, json};

/// A project, a file outside of it, and a model that reads that file and then says "Read.".
async fn scene() -> (Home, ModelServer) {
    let mut home = Home::new();
    home.write("../outside.txt", "secret\n");
    let outside = home.path("").parent().unwrap().join("outside.txt");
    let model = ModelServer::playing([
        Answer::calls("Read", json!({"file_path": outside.to_str().unwrap()})),
        Answer::says("Read."),
    ])
    .await;
    home.asks(&model.url());
    (home, model)
}

/// An editor without a plug-in, with or without `window/showMessageRequest`.
async fn editor(home: &Home, has_requests: bool) -> (Client, String) {
    let mut capabilities = full_capabilities();
    capabilities.as_object_mut().unwrap().remove("experimental");
    if !has_requests {
        capabilities["window"].as_object_mut().unwrap().remove("showMessage");
    }
    let mut client = Client::start(home);
    client.initialize(home, capabilities).await;
    let uri = home.uri("a.rs");
    client.did_open(&uri, "rust", "fn load() {}\n");
    ask(&mut client, "read it").await;
    (client, uri)
}

/// What the model was told of its call.
async fn result(model: &ModelServer) -> String {
    model.asked(2).await;
    let body = serde_json::to_string(&model.last_request().body).unwrap();
    body.split("tool_result").nth(1).unwrap_or_default().to_owned()
}

#[tokio::test]
async fn a_closed_window_is_no_answer_and_the_menu_still_has_them() {
    let (home, model) = scene().await;
    let (mut client, uri) = editor(&home, true).await;
    let asked = client.asked("window/showMessageRequest", 1).await;
    assert_eq!(asked["actions"][0]["title"], "Decide later");
    assert!(asked["message"].as_str().unwrap().contains("outside.txt"), "{asked}");
    let titles = menu(&mut client, &uri, 0).await;
    assert!(titles[0].starts_with("Allow once: Read "), "{titles:?}");
    assert_eq!(model.requests().len(), 1);
    choose(&mut client, &uri, 0, "Allow once").await;
    assert!(result(&model).await.contains("secret"));
    assert_eq!(client.close().await, 0);
}

#[tokio::test]
async fn the_choice_in_the_window_is_the_answer() {
    let (home, model) = scene().await;
    let mut client = Client::start(&home);
    let mut capabilities = full_capabilities();
    capabilities.as_object_mut().unwrap().remove("experimental");
    client.answer("window/showMessageRequest", EditorAnswer::Result(json!({"title": "Deny"})));
    client.initialize(&home, capabilities).await;
    ask(&mut client, "read it").await;
    client.asked("window/showMessageRequest", 1).await;
    assert!(!result(&model).await.contains("secret"));
    assert_eq!(client.close().await, 0);
}

#[tokio::test]
async fn without_windows_it_is_said_again_and_then_drawn_over_the_file() {
    let (home, model) = scene().await;
    let (mut client, uri) = editor(&home, false).await;
    let is_question = |shown: &Value| shown["message"].as_str().unwrap_or_default().contains("waits for you");
    for _ in 0..2 {
        assert_eq!(client.notification("window/showMessage", is_question).await["type"], 2);
    }
    let over =
        client.notification("textDocument/publishDiagnostics", |shown| shown["diagnostics"] != json!([]));
    let over = over.await["diagnostics"][0].clone();
    assert_eq!((&over["severity"], &over["tags"]), (&json!(4), &json!([1])));
    let range = json!({"start": {"line": 0, "character": 0}, "end": {"line": 1, "character": 0}});
    assert_eq!(over["range"], range);
    assert!(!client.asked.iter().any(|asked| asked["method"] == "window/showMessageRequest"));
    choose(&mut client, &uri, 0, "Deny").await;
    client.notification("textDocument/publishDiagnostics", |shown| shown["diagnostics"] == json!([])).await;
    assert!(!result(&model).await.contains("secret"));
    assert_eq!(client.close().await, 0);
}

#[tokio::test]
async fn a_reason_goes_with_the_denial() {
    let (home, model) = scene().await;
    let mut client = Client::start(&home);
    let mut capabilities = full_capabilities();
    capabilities["experimental"]["copydesk"]["prompts"] = json!(true);
    client.initialize(&home, capabilities).await;
    let prompt = json!([{ "type": "text", "text": "read it" }]);
    client.request("copydesk/task/start", json!({ "prompt": prompt })).await.unwrap();
    let asked = client.notification("copydesk/permission/asked", |_| true).await;
    let answer = json!({ "requestId": asked["requestId"], "optionId": "words" });

    let unknown = json!({ "requestId": asked["requestId"], "optionId": "yes" });
    let refused = client.request("copydesk/permission/answer", unknown).await.unwrap_err().to_string();
    assert!(refused.contains("`yes` is no answer to") && refused.contains("`once`, `session`"), "{refused}");

    // A box that is closed answers nothing.
    client.answer("copydesk/prompt/ask", EditorAnswer::Result(Value::Null));
    client.request("copydesk/permission/answer", answer.clone()).await.unwrap();
    client.asked("copydesk/prompt/ask", 1).await;
    assert_eq!(model.requests().len(), 1);

    client.answer("copydesk/prompt/ask", EditorAnswer::Result(json!("that file is private")));
    client.request("copydesk/permission/answer", answer).await.unwrap();
    let told = client.until(result(&model)).await;
    assert!(told.contains("rejected this call") && told.contains("They say: that file is private"), "{told}");
    client.notification("copydesk/event", |params| params["event"]["type"] == "terminal").await;
    assert_eq!(client.close().await, 0);
}

#[tokio::test]
async fn a_client_of_ours_is_told_what_kind_of_call_it_is() {
    let (home, _model) = scene().await;
    let mut client = Client::open(&home).await;
    let prompt = json!([{ "type": "text", "text": "read it" }]);
    client.request("copydesk/task/start", json!({ "prompt": prompt })).await.unwrap();
    let asked = client.notification("copydesk/permission/asked", |_| true).await;
    assert_eq!(asked["toolCall"]["kind"], "read");
    assert!(asked["toolCall"]["title"].as_str().unwrap().contains("outside.txt"), "{asked}");
    let answer = json!({ "requestId": asked["requestId"], "optionId": "once" });
    client.request("copydesk/permission/answer", answer).await.unwrap();
    client.notification("copydesk/event", |params| params["event"]["type"] == "terminal").await;
    assert_eq!(client.close().await, 0);
}

#[tokio::test]
async fn a_task_may_begin_in_a_mode_of_its_own_and_a_refused_one_begins_nothing() {
    let home = Home::new();
    let mut client = Client::open(&home).await;
    let prompt = json!([{ "type": "text", "text": "explain a.rs" }]);
    let refused = json!({ "prompt": prompt, "mode": "bypassPermissions" });
    let error = client.request("copydesk/task/start", refused).await.unwrap_err();
    assert_eq!(error["data"]["kind"], "modeRefused", "{error}");
    let started = json!({ "prompt": prompt, "mode": "plan" });
    let started = client.request("copydesk/task/start", started).await.unwrap();
    let sessions = client.request("copydesk/session/list", json!({})).await.unwrap();
    assert_eq!(sessions["sessions"].as_array().unwrap().len(), 1, "{sessions}");
    assert_eq!(sessions["sessions"][0]["mode"], "plan");
    assert_eq!(sessions["sessions"][0]["sessionId"], started["sessionId"]);
}

#[tokio::test]
async fn an_answer_may_change_what_is_asked_from_then_on() {
    let mut home = Home::new();
    let beside = |name: &str| home.path("").parent().unwrap().join(name).to_str().unwrap().to_owned();
    let read = |name: &str| Answer::calls("Read", json!({ "file_path": beside(name) }));
    let fetch = Answer::calls("WebFetch", json!({ "url": "https://a.org/", "prompt": "what is it" }));
    let model =
        ModelServer::playing([read("outside.txt"), read("other.txt"), fetch, Answer::says("Done.")]).await;
    for name in ["../outside.txt", "../other.txt"] {
        home.write(name, "secret\n");
    }
    home.asks(&model.url());
    let mut client = Client::open(&home).await;
    let prompt = json!([{ "type": "text", "text": "read it" }]);
    client.request("copydesk/task/start", json!({ "prompt": prompt })).await.unwrap();
    let asked = client.notification("copydesk/permission/asked", |_| true).await;
    assert!(asked["rules"][0].as_str().unwrap().starts_with("Read("), "{asked}");
    let folder = home.path("").parent().unwrap().to_str().unwrap().to_owned();
    let answer = json!({
        "requestId": asked["requestId"], "optionId": "once",
        "updatedPermissions": [
            { "type": "addDirectories", "directories": [folder], "destination": "session" },
            { "type": "addRules", "behavior": "deny", "destination": "localSettings",
              "rules": [{ "toolName": "WebFetch", "ruleContent": "domain:a.org" }] },
        ],
    });
    client.request("copydesk/permission/answer", answer).await.unwrap();
    client.notification("copydesk/event", |params| params["event"]["type"] == "terminal").await;
    let told: Vec<String> =
        model.requests().iter().filter_map(|request| Some(request.results().pop()?.0)).collect();
    let [first, second, fetched] = told.as_slice() else { panic!("three results: {told:?}") };
    assert!(first.contains("secret") && second.contains("secret"), "the folder counts as added: {told:?}");
    assert!(fetched.contains("A rule forbids this call"), "{fetched}");
    let settings = std::fs::read_to_string(home.path(".claude/settings.local.json")).unwrap();
    assert!(settings.contains("WebFetch(domain:a.org)"), "{settings}");
}
