//! How the server begins and ends.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that can't go on ends with its cause"
)]

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use copydesk_tests::client::{Answer, Client, FAKE_KEY, Home, full_capabilities};
use serde_json::{Value, json};

const SOON: Duration = Duration::from_secs(2);

fn code(answer: Result<Value, Value>) -> i64 {
    answer.unwrap_err()["code"].as_i64().unwrap()
}

#[tokio::test]
async fn shutdown_and_exit_end_it_with_zero_though_stdin_stays_open() {
    let home = Home::new();
    let mut client = Client::open(&home).await;
    assert_eq!(client.request("shutdown", Value::Null).await, Ok(Value::Null));
    let hover = json!({"textDocument": {"uri": home.uri("a.rs")}, "position": {"line": 0, "character": 0}});
    assert_eq!(code(client.request("textDocument/hover", hover).await), -32600);
    let asked = Instant::now();
    client.notify("exit", Value::Null);
    assert_eq!(client.exit_code().await, 0);
    assert!(asked.elapsed() < SOON);
}

#[tokio::test]
async fn what_was_asked_before_the_end_is_answered_whole_though_nobody_waited_for_it() {
    let home = Home::new();
    let text = "line\n".repeat(100_000);
    home.write("a.txt", &text);
    let mut client = Client::start(&home);
    // All of it is on its way before the first answer can be read, and then the input ends.
    let hello = json!({"processId": null, "capabilities": full_capabilities(), "workspaceFolders": null});
    let mut asked = vec![client.send_request("initialize", hello)];
    client.notify("initialized", json!({}));
    client.did_open(&home.uri("a.txt"), "plaintext", &text);
    for _ in 0..20 {
        asked.push(client.send_request("copydesk/proposal/show", json!({"uri": home.uri("a.txt")})));
        asked.push(client.send_request("copydesk/proposal/list", json!({})));
    }
    let shutdown = client.send_request("shutdown", Value::Null);
    client.notify("exit", Value::Null);
    client.hang_up();
    for id in asked {
        let answer = client.response(&json!(id)).await;
        let shown = answer.unwrap_or_else(|error| panic!("request {id}: {error}"));
        assert!(shown.get("buffer").is_none_or(|buffer| buffer.as_str() == Some(&text)));
    }
    assert_eq!(client.response(&json!(shutdown)).await, Ok(Value::Null));
    assert_eq!(client.exit_code().await, 0);
}

#[tokio::test]
async fn exit_without_shutdown_ends_it_with_one() {
    let home = Home::new();
    let mut client = Client::open(&home).await;
    let asked = Instant::now();
    client.notify("exit", Value::Null);
    assert_eq!(client.exit_code().await, 1);
    assert!(asked.elapsed() < SOON);
}

#[tokio::test]
async fn it_ends_with_its_input() {
    let home = Home::new();
    let mut client = Client::open(&home).await;
    let asked = Instant::now();
    client.hang_up();
    assert_eq!(client.exit_code().await, 1);
    assert!(asked.elapsed() < SOON);
}

#[tokio::test]
async fn it_ends_with_the_editors_process_though_its_input_stays_open() {
    let home = Home::new();
    let mut editor = Command::new("sleep").arg("1000").stdin(Stdio::null()).spawn().unwrap();
    let mut client = Client::start(&home);
    let hello = json!({"processId": editor.id(), "capabilities": {}});
    client.request("initialize", hello).await.unwrap();
    editor.kill().unwrap();
    editor.wait().unwrap();
    assert_eq!(client.exit_code().await, 1);
}

#[tokio::test]
async fn a_process_that_is_not_visible_from_here_does_not_end_it() {
    let home = Home::new();
    let mut client = Client::start(&home);
    client.request("initialize", json!({"processId": i32::MAX, "capabilities": {}})).await.unwrap();
    assert_eq!(client.close().await, 0);
}

#[tokio::test]
async fn nothing_but_initialize_is_served_first_and_it_only_once() {
    let home = Home::new();
    let mut client = Client::start(&home);
    assert_eq!(code(client.request("shutdown", Value::Null).await), -32002);
    assert_eq!(code(client.request("copydesk/proposal/list", json!({})).await), -32002);
    client.initialize(&home, full_capabilities()).await;
    assert_eq!(code(client.request("initialize", json!({"capabilities": {}})).await), -32600);
    assert_eq!(client.close().await, 0);
}

#[tokio::test]
async fn a_cancelled_request_is_answered_so_and_the_server_lives() {
    let home = Home::new();
    home.write("a.txt", "a\n");
    let mut client = Client::open(&home).await;
    // It can't be told which of the two comes first, only that there is exactly one answer.
    let id = client.send_request("copydesk/proposal/show", json!({"uri": home.uri("a.txt")}));
    client.notify("$/cancelRequest", json!({"id": id}));
    match client.response(&json!(id)).await {
        Ok(shown) => assert_eq!(shown["buffer"], "a\n"),
        Err(error) => assert_eq!(error["code"], -32800),
    }
    client.notify("$/cancelRequest", json!({"id": id}));
    client.notify("$/cancelRequest", json!({"id": "never sent"}));
    assert_eq!(client.close().await, 0);
}

#[tokio::test]
async fn methods_of_a_later_version_say_so() {
    let home = Home::new();
    let mut client = Client::open(&home).await;
    let error = client.request("copydesk/session/rewind", json!({})).await.unwrap_err();
    assert_eq!(error["code"], -31003);
    assert_eq!(error["data"]["kind"], "notAvailable");
    let params = json!({ "prompt": [{ "type": "text", "text": "go" }], "model": "claude-haiku-4-5" });
    let error = client.request("copydesk/task/start", params).await.unwrap_err();
    assert_eq!((&error["code"], &error["data"]["kind"]), (&json!(-31003), &json!("notAvailable")));
    assert!(error["message"].as_str().unwrap().contains("`claude-haiku-4-5`"), "{error:#}");
    assert!(error["data"]["hint"].as_str().unwrap().contains("`model.name`"), "{error:#}");
    let sessions = client.request("copydesk/session/list", json!({})).await.unwrap();
    assert_eq!(sessions["sessions"], json!([]), "nothing was started");
    assert_eq!(code(client.request("copydesk/no/such", json!({})).await), -32601);
    assert_eq!(client.close().await, 0);
}

#[tokio::test]
async fn an_editor_that_answers_nothing_is_served_all_the_same() {
    let home = Home::new();
    let mut client = Client::open(&home).await;
    for method in ["client/registerCapability", "window/workDoneProgress/create", "window/showDocument"] {
        client.answer(method, Answer::Silence);
    }
    client.did_open(&home.uri("a.rs"), "rust", "fn load() {}\n");
    let ask = json!({"command": "copydesk.ask", "arguments": ["a.rs", 1, "rename load to open in a.rs"]});
    assert_eq!(client.request("workspace/executeCommand", ask).await, Ok(Value::Null));
    assert_eq!(client.both_texts(&home.uri("a.rs")).await.0.as_deref(), Some("fn load() {}\n"));
    assert_eq!(client.close().await, 0);
}

#[tokio::test]
async fn a_wrong_command_is_told_to_the_person_too() {
    let home = Home::new();
    let mut client = Client::open(&home).await;
    for (command, arguments, wanted) in [
        ("copydesk.accept", json!([]), r#"`copydesk.accept` takes "path" line"#),
        ("copydesk.accept", json!(["a.rs", 0]), "0 is no line number"),
        ("copydesk._do", json!([{"do": "fly"}]), "This action can't be read any more"),
        ("copydesk.fly", json!([]), "Copydesk has no command `copydesk.fly`"),
    ] {
        let params = json!({"command": command, "arguments": arguments});
        assert_eq!(code(client.request("workspace/executeCommand", params).await), -32602);
        let shown = client.notification("window/showMessage", |_| true).await;
        assert_eq!(shown["type"], 1);
        assert!(shown["message"].as_str().unwrap().contains(wanted), "{shown}");
    }
    assert_eq!(client.close().await, 0);
}

#[tokio::test]
async fn the_log_is_a_file_and_stdout_is_the_protocols() {
    let home = Home::new();
    assert_eq!(Client::open(&home).await.close().await, 0);
    let logs: Vec<_> = std::fs::read_dir(home.state()).unwrap().collect();
    assert_eq!(logs.len(), 1);
    let log = std::fs::read_to_string(logs[0].as_ref().unwrap().path()).unwrap();
    assert!(log.contains("an editor says hello"), "{log}");
}

#[tokio::test]
async fn handlers_that_wait_hold_up_nothing() {
    let home = Home::new();
    let mut client = Client::open(&home).await;
    // Each of these decisions waits for an editor that does not answer.
    client.answer("workspace/applyEdit", Answer::Silence);
    let uri = home.uri("a.rs");
    client.did_open(&uri, "rust", "fn load() {}\n");
    let prompt = json!([{"type": "text", "text": "rename load to open in a.rs"}]);
    client.request("copydesk/task/start", json!({"prompt": prompt})).await.unwrap();
    client.notification("copydesk/proposal/changed", |file| file["hunks"][0]["state"] == "pending").await;
    let decide = json!({"decision": "accept", "target": {"uri": uri}});
    let waiting: Vec<_> =
        (0..300).map(|_| client.send_request("copydesk/proposal/decide", decide.clone())).collect();
    client.type_over(&uri, "{}", "{ go() }");
    let hover = json!({"textDocument": {"uri": uri}, "position": {"line": 0, "character": 0}});
    let asked = Instant::now();
    client.request("textDocument/hover", hover).await.unwrap();
    assert!(asked.elapsed() < Duration::from_millis(500), "{:?}", asked.elapsed());
    client.notify("$/cancelRequest", json!({"id": waiting[0]}));
    client.request("shutdown", Value::Null).await.unwrap();
    let asked = Instant::now();
    client.notify("exit", Value::Null);
    assert_eq!(client.exit_code().await, 0);
    assert!(asked.elapsed() < SOON);
}

#[tokio::test]
async fn a_key_is_in_no_log_and_no_message() {
    let key = FAKE_KEY;
    let mut home = Home::new();
    home.environment = [("ANTHROPIC_API_KEY", key), ("COPYDESK_LOG", "trace")]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .to_vec();
    let mut client = Client::start(&home);
    let options = json!({"model": {"apiKey": key, "baseUrl": "http://127.0.0.1:9"}});
    let hello = json!({"capabilities": {}, "initializationOptions": options, "rootUri": home.uri("")});
    let mut said = vec![client.request("initialize", hello).await.unwrap()];
    client.did_open(&home.uri("a.rs"), "rust", "fn load() {}\n");
    said.push(client.request("copydesk/config/show", json!({})).await.unwrap());
    said.extend(client.take_unread("window/showMessage"));
    assert_eq!(client.close().await, 0);
    for log in std::fs::read_dir(home.state()).unwrap() {
        said.push(json!(std::fs::read_to_string(log.unwrap().path()).unwrap()));
    }
    assert!(said.len() >= 3);
    for text in said {
        assert!(!text.to_string().contains("FAKE-0123456789"), "{text}");
    }
}
