//! From a code action to an accepted diff, through the real program with the offline model.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that can't go on ends with its cause"
)]

use std::time::Duration;

use copydesk_tests::client::{Answer, Client, Home};
use copydesk_tests::model_server::{Answer as ModelAnswer, ModelServer};
use copydesk_tests::person::{ask, choose, execute, hunks, plain};
use serde_json::{Value, json};

const TEXT: &str = "fn load() {}\n\nfn main() {\n    // not saved yet\n    load();\n}\n";

#[tokio::test]
async fn hunks_come_as_diagnostics_and_are_decided_by_code_actions() {
    let home = Home::new();
    home.write("a.rs", "fn old() {}\n");
    let mut client = plain(&home).await;
    let uri = home.uri("a.rs");
    client.did_open(&uri, "rust", TEXT);

    let at_line_one = json!(["a.rs", 1, "rename load to open in a.rs"]);
    execute(&mut client, &json!({"command": "copydesk.ask", "arguments": at_line_one})).await;
    let shown = hunks(&mut client, &uri, 2).await;
    assert_eq!(shown[0]["source"], "copydesk");
    assert_eq!(client.text(&uri), TEXT);

    // Typing goes on meanwhile, and the hunks move along.
    client.type_over(&uri, "fn main", "/// Starts.\nfn main");
    hunks(&mut client, &uri, 2).await;
    choose(&mut client, &uri, 0, "Accept hunk 1/2").await;
    hunks(&mut client, &uri, 1).await;
    choose(&mut client, &uri, 5, "Reject hunk 1/1").await;
    hunks(&mut client, &uri, 0).await;

    let wanted = "fn open() {}\n\n/// Starts.\nfn main() {\n    // not saved yet\n    load();\n}\n";
    assert_eq!(client.text(&uri), wanted);
    let both = client.both_texts(&uri).await;
    assert_eq!(both, (Some(wanted.to_owned()), Some(wanted.to_owned())));
    assert_eq!(std::fs::read_to_string(home.path("a.rs")).unwrap(), "fn old() {}\n");
    assert_eq!(client.close().await, 0);
}

#[tokio::test]
async fn one_command_accepts_everything_in_open_and_closed_files() {
    let home = Home::new();
    home.write("a.rs", "fn load() {}\n");
    home.write("b.rs", "fn main() {\r\n    load();\r\n}");
    for answer in [Answer::Apply, Answer::ApplyLate] {
        home.write("b.rs", "fn main() {\r\n    load();\r\n}");
        let mut client = plain(&home).await;
        client.answer("workspace/applyEdit", answer);
        let uri = home.uri("a.rs");
        client.did_open(&uri, "rust", "fn load() {}\n");
        ask(&mut client, "rename load to open in a.rs").await;
        hunks(&mut client, &uri, 1).await;
        ask(&mut client, "rename load to open in b.rs").await;
        hunks(&mut client, &home.uri("b.rs"), 1).await;
        execute(&mut client, &json!({"command": "copydesk.accept-all", "arguments": []})).await;
        hunks(&mut client, &uri, 0).await;
        hunks(&mut client, &home.uri("b.rs"), 0).await;
        assert_eq!(client.text(&uri), "fn open() {}\n");
        assert_eq!(std::fs::read_to_string(home.path("b.rs")).unwrap(), "fn main() {\r\n    open();\r\n}");
        assert_eq!(std::fs::read_to_string(home.path("a.rs")).unwrap(), "fn load() {}\n");
        assert_eq!(client.close().await, 0);
    }
}

#[tokio::test]
async fn an_edit_that_the_editor_refuses_stays_pending_and_the_person_is_told() {
    let home = Home::new();
    let mut client = plain(&home).await;
    client.answer("workspace/applyEdit", Answer::Result(json!({"applied": true})));
    let uri = home.uri("a.rs");
    client.did_open(&uri, "rust", "fn load() {}\n");
    ask(&mut client, "rename load to open in a.rs").await;
    hunks(&mut client, &uri, 1).await;
    execute(&mut client, &json!({"command": "copydesk.accept", "arguments": ["a.rs", 1]})).await;
    client.notification("window/showMessage", |shown| shown["type"] == 2).await;
    assert_eq!(client.both_texts(&uri).await.0.as_deref(), Some("fn load() {}\n"));
    let listed = client.request("copydesk/proposal/list", json!({})).await.unwrap();
    assert_eq!(listed["files"][0]["hunks"][0]["state"], "pending");
    assert_eq!(client.close().await, 0);
}

#[tokio::test]
async fn progress_is_one_line_under_a_readable_token() {
    let home = Home::new();
    let mut client = plain(&home).await;
    client.did_open(&home.uri("a.rs"), "rust", "fn load() {}\n");
    ask(&mut client, "rename load to open in a.rs").await;
    assert_eq!(client.asked("window/workDoneProgress/create", 1).await["token"], "copydesk");
    let kind = |kind: &'static str| move |params: &Value| params["value"]["kind"] == kind;
    let begin = client.notification("$/progress", kind("begin")).await;
    assert_eq!(begin["value"], json!({"kind": "begin", "title": "Copydesk", "cancellable": true}));
    let end = client.notification("$/progress", kind("end")).await;
    let wanted = "1 change to review in a.rs; code action \"Review: …\"";
    assert_eq!(end["value"]["message"], wanted);
    assert_eq!(client.close().await, 0);
}

#[tokio::test]
async fn what_waits_in_other_files_is_told_at_the_end_and_the_menu_leads_there() {
    let home = Home::new();
    home.write("b.rs", "fn main() {\n    load();\n}\n");
    home.write("c.rs", "fn load() {}\n");
    let mut client = plain(&home).await;
    let notes = home.uri("notes.txt");
    client.did_open(&notes, "plaintext", "notes\n");
    ask(&mut client, "rename load to open").await;
    let message = "Copydesk: 2 changes to review in 2 files: b.rs, c.rs; code action \"Review: …\"";
    client.notification("window/showMessage", |shown| shown["message"] == message).await;
    let end = client.notification("$/progress", |shown| shown["value"]["kind"] == "end").await;
    assert_eq!(format!("Copydesk: {}", end["value"]["message"].as_str().unwrap()), message);

    choose(&mut client, &notes, 0, "Review: go to the next change").await;
    let shown = client.asked("window/showDocument", 1).await;
    let at = json!({"line": 1, "character": 0});
    assert_eq!((&shown["uri"], &shown["selection"]["start"]), (&json!(home.uri("b.rs")), &at));
    hunks(&mut client, &home.uri("c.rs"), 1).await;
    choose(&mut client, &notes, 0, "Accept all 2 in 2 files").await;
    hunks(&mut client, &home.uri("c.rs"), 0).await;
    assert_eq!(std::fs::read_to_string(home.path("c.rs")).unwrap(), "fn open() {}\n");

    // A task that leaves nothing has nothing to say of changes.
    ask(&mut client, "explain a.rs").await;
    let end = client.notification("$/progress", |shown| shown["value"]["kind"] == "end").await;
    assert!(!end["value"]["message"].as_str().unwrap().contains("to review"), "{end}");
    assert_eq!(client.close().await, 0);
}

#[tokio::test]
async fn progress_says_why_a_request_is_made_again() {
    let model = ModelServer::playing([
        ModelAnswer::refusal(529, "overloaded_error", "Overloaded"),
        ModelAnswer::says("Here I am.").after(Duration::from_secs(1)),
    ])
    .await;
    let mut home = Home::new();
    home.asks(&model.url());
    let mut client = plain(&home).await;
    ask(&mut client, "hello").await;
    let report = client
        .notification("$/progress", |params| {
            params["value"]["message"]
                .as_str()
                .is_some_and(|message| message.ends_with("Trying again in 1 s (2/10)"))
        })
        .await;
    let message = report["value"]["message"].as_str().unwrap();
    assert!(message.starts_with("The model is overloaded (529): Overloaded."), "{message}");
    client.notification("$/progress", |params| params["value"]["message"] == "answered: Open chat").await;
    assert_eq!(client.close().await, 0);
}

#[tokio::test]
async fn progress_ends_with_the_reason_of_a_failure() {
    let model =
        ModelServer::playing([ModelAnswer::refusal(401, "authentication_error", "invalid x-api-key")]).await;
    let mut home = Home::new();
    home.asks(&model.url());
    let mut client = plain(&home).await;
    ask(&mut client, "hello").await;
    client.notification("window/showMessage", |shown| shown["type"] == 1).await;
    let end = client.notification("$/progress", |params| params["value"]["kind"] == "end").await;
    let message = end["value"]["message"].as_str().unwrap();
    assert!(message.starts_with("failed: "), "{message}");
    assert!(message.chars().count() <= 80, "{message}");
    assert_eq!(client.close().await, 0);
}

#[tokio::test]
async fn events_are_numbered_without_gaps_and_end_with_one_terminal() {
    let home = Home::new();
    let mut client = Client::open(&home).await;
    client.did_open(&home.uri("a.rs"), "rust", "fn load() {}\n");
    let prompt = json!([{"type": "text", "text": "rename load to open in a.rs"}]);
    let started = client.request("copydesk/task/start", json!({"prompt": prompt})).await.unwrap();
    let mut seq = 0;
    loop {
        let event = client.notification("copydesk/event", |_| true).await;
        seq += 1;
        assert_eq!(event["seq"], seq);
        assert_eq!(event["taskId"], started["taskId"]);
        if event["event"]["type"] == "terminal" {
            assert_eq!(event["event"]["reason"], "completed");
            let left = json!({"changes": 1, "uris": [home.uri("a.rs")]});
            assert_eq!(event["event"]["toReview"], left);
            break;
        }
    }
    let changed = client
        .notification("copydesk/proposal/changed", |file| file["hunks"][0]["added"] == "fn open() {}\n");
    assert_eq!(changed.await["uri"], home.uri("a.rs"));
    let hunk =
        client.request("copydesk/proposal/list", json!({})).await.unwrap()["files"][0]["hunks"][0].clone();
    let target = json!({"hunkId": hunk["id"], "revision": hunk["revision"]});
    let decided =
        client.request("copydesk/proposal/decide", json!({"decision": "accept", "target": target})).await;
    assert_eq!(decided.unwrap()["results"][0]["outcome"], "accepted");
    assert_eq!(client.text(&home.uri("a.rs")), "fn open() {}\n");
    client.notification("copydesk/proposal/changed", |file| file["hunks"] == json!([])).await;
    assert!(client.take_unread("copydesk/event").is_empty());
    assert_eq!(client.close().await, 0);
}

#[tokio::test]
async fn a_cancelled_task_ends_soon_and_the_next_one_works() {
    let home = Home::new();
    let mut client = Client::open(&home).await;
    client.did_open(&home.uri("a.rs"), "rust", "fn load() {}\n");
    let prompt = json!([{"type": "text", "text": "rename load to open in a.rs"}]);
    let started = client.request("copydesk/task/start", json!({"prompt": prompt})).await.unwrap();
    client.asked("window/workDoneProgress/create", 1).await;
    client.notify("window/workDoneProgress/cancel", json!({"token": "copydesk"}));
    let is_end = |event: &Value| event["event"]["type"] == "terminal";
    let end = client.notification("copydesk/event", is_end).await;
    assert_eq!(end["event"]["reason"], "aborted_streaming");
    let again =
        client.request("copydesk/task/cancel", json!({"taskId": started["taskId"]})).await.unwrap_err();
    assert_eq!(again["data"]["kind"], "unknownRunningTask");
    let session = json!({"sessionId": started["sessionId"], "prompt": prompt});
    client.request("copydesk/task/send", session).await.unwrap();
    assert_eq!(client.notification("copydesk/event", is_end).await["event"]["reason"], "completed");
    assert_eq!(client.close().await, 0);
}

#[tokio::test]
async fn the_review_can_be_read_and_decided_in_a_diff_file() {
    let home = Home::new();
    let mut client = plain(&home).await;
    let uri = home.uri("a.rs");
    client.did_open(&uri, "rust", "fn load() {}\n");
    ask(&mut client, "rename load to open in a.rs").await;
    hunks(&mut client, &uri, 1).await;
    choose(&mut client, &uri, 0, "Show diff").await;
    let diff = client.asked("window/showDocument", 1).await["uri"].as_str().unwrap().to_owned();
    let text = std::fs::read_to_string(diff.strip_prefix("file://").unwrap()).unwrap();
    assert!(text.contains("-fn load() {}\n+fn open() {}\n"), "{text}");
    client.did_open(&diff, "diff", &text);
    choose(&mut client, &diff, 3, "Accept hunk 1/1").await;
    hunks(&mut client, &uri, 0).await;
    assert_eq!(client.text(&uri), "fn open() {}\n");
    assert_eq!(client.close().await, 0);
}

#[tokio::test]
async fn the_chat_file_is_written_and_sent_from() {
    let home = Home::new();
    let mut client = plain(&home).await;
    client.did_open(&home.uri("a.rs"), "rust", "fn load() {}\n");
    execute(&mut client, &json!({"command": "copydesk.open-chat", "arguments": []})).await;
    let chat = client.asked("window/showDocument", 1).await["uri"].as_str().unwrap().to_owned();
    let text = std::fs::read_to_string(chat.strip_prefix("file://").unwrap()).unwrap();
    client.did_open(&chat, "markdown", &text);
    client.type_over(&chat, "## You\n", "## You\n\nrename load to open in a.rs\n");
    choose(&mut client, &chat, 2, "Send").await;
    hunks(&mut client, &home.uri("a.rs"), 1).await;
    while !client.text(&chat).contains("## Copydesk\n") {
        client.asked("workspace/applyEdit", 1).await;
    }
    assert_eq!(client.close().await, 0);
}
