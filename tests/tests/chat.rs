//! The chat file, through the real program with the offline model.

#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a test that can't go on ends with its cause"
)]

use copydesk_tests::client::{Answer, Client, Home};
use copydesk_tests::person::{choose, execute, hunks, menu, plain};
use serde_json::json;

/// Opens the chat as an editor does when it is shown.
async fn open_chat(client: &mut Client) -> String {
    execute(client, &json!({"command": "copydesk.open-chat", "arguments": []})).await;
    let uri = client.asked("window/showDocument", 1).await["uri"].as_str().unwrap().to_owned();
    let text = std::fs::read_to_string(uri.strip_prefix("file://").unwrap()).unwrap();
    client.did_open(&uri, "markdown", &text);
    uri
}

/// Waits for edits of the chat until it says so.
async fn until(client: &mut Client, chat: &str, words: &str) {
    let mut edits = client.asked.iter().filter(|asked| asked["method"] == "workspace/applyEdit").count();
    while !client.text(chat).contains(words) {
        edits += 1;
        client.asked("workspace/applyEdit", edits).await;
    }
}

#[tokio::test]
async fn what_is_sent_is_answered_above_the_next_prompt() {
    for answer in [Answer::Apply, Answer::ApplyLate] {
        let home = Home::new();
        let mut client = plain(&home).await;
        client.answer("workspace/applyEdit", answer);
        let uri = home.uri("a.rs");
        client.did_open(&uri, "rust", "fn load() {}\n");
        let chat = open_chat(&mut client).await;
        assert_eq!(client.text(&chat), "# Copydesk\n\n## You\n\n");
        client.type_over(&chat, "## You\n", "## You\n\nrename load to open in a.rs\n");
        assert_eq!(menu(&mut client, &chat, 4).await, ["Send"]);
        choose(&mut client, &chat, 4, "Send").await;
        hunks(&mut client, &uri, 1).await;
        until(&mut client, &chat, "There is 1 change to review.").await;
        let text = client.text(&chat);
        let begin = "# Copydesk\n\n## You\n\nrename load to open in a.rs\n\n## Copydesk\n\n*Offline model";
        assert!(text.starts_with(begin), "{text}");
        assert!(text.trim_end().ends_with("There is 1 change to review.\n\n## You"), "{text}");
        assert_eq!(text.matches("There is 1 change").count(), 1, "{text}");
        assert_eq!(client.close().await, 0);
    }
}

#[tokio::test]
async fn words_behind_the_place_that_asking_begins_with_are_understood() {
    for words in [" rename load to open", "\nrename load to open"] {
        let home = Home::new();
        let mut client = plain(&home).await;
        let uri = home.uri("a.rs");
        client.did_open(&uri, "rust", "fn load() {}\n");
        let chat = open_chat(&mut client).await;
        execute(&mut client, &json!({"command": "copydesk.ask", "arguments": ["a.rs", 1]})).await;
        until(&mut client, &chat, "In `a.rs`, line 1:").await;
        client.type_over(&chat, "line 1:", &format!("line 1:{words}"));
        execute(&mut client, &json!({"command": "copydesk.send", "arguments": []})).await;
        hunks(&mut client, &uri, 1).await;
        assert_eq!(client.close().await, 0);
    }
}

#[tokio::test]
async fn a_save_sends_and_words_typed_meanwhile_stay_below() {
    let home = Home::new();
    let mut client = plain(&home).await;
    let uri = home.uri("a.rs");
    client.did_open(&uri, "rust", "fn load() {}\n");
    let chat = open_chat(&mut client).await;
    client.type_over(&chat, "## You\n", "## You\n\nrename load to open in a.rs\n");
    let saved = json!({"textDocument": {"uri": chat}});
    client.notify("textDocument/didSave", saved.clone());
    client.notify("textDocument/didSave", saved);
    until(&mut client, &chat, "## Copydesk\n").await;
    client.type_over(&chat, "\n## You\n\n", "\n## You\n\nand thanks\n");
    hunks(&mut client, &uri, 1).await;
    until(&mut client, &chat, "There is 1 change to review.").await;
    let text = client.text(&chat);
    assert_eq!(text.matches("and thanks").count(), 1, "{text}");
    assert_eq!(text.matches("There is 1 change").count(), 1, "{text}");
    assert_eq!(client.close().await, 0);
}

#[tokio::test]
async fn an_empty_prompt_is_not_sent_and_the_person_is_told() {
    let home = Home::new();
    let mut client = plain(&home).await;
    let chat = open_chat(&mut client).await;
    choose(&mut client, &chat, 3, "Send").await;
    let shown = client.notification("window/showMessage", |_| true).await;
    assert!(shown["message"].as_str().unwrap().starts_with("Nothing to send"), "{shown}");
    assert_eq!(client.close().await, 0);
}

#[tokio::test]
async fn the_cursor_goes_to_a_line_that_every_editor_has() {
    let home = Home::new();
    let mut client = plain(&home).await;
    execute(&mut client, &json!({"command": "copydesk.open-chat", "arguments": []})).await;
    let shown = client.asked("window/showDocument", 1).await;
    let text = std::fs::read_to_string(home.path(".copydesk/chat.md")).unwrap();
    assert_eq!(text, "# Copydesk\n\n## You\n\n");
    let end = json!({"line": 3, "character": 0});
    assert_eq!(shown["selection"], json!({"start": end, "end": end}));
    assert_eq!(client.close().await, 0);
}

#[tokio::test]
async fn nothing_is_made_in_the_project_before_the_chat_is_opened() {
    let home = Home::new();
    let mut client = plain(&home).await;
    let uri = home.uri("a.rs");
    client.did_open(&uri, "rust", "fn load() {}\n");
    let command = json!({"command": "copydesk.ask", "arguments": ["rename load to open in a.rs"]});
    execute(&mut client, &command).await;
    hunks(&mut client, &uri, 1).await;
    assert!(!home.path(".copydesk").exists());
    // What was said before is there when it is opened.
    execute(&mut client, &json!({"command": "copydesk.open-chat", "arguments": []})).await;
    client.asked("window/showDocument", 1).await;
    let text = std::fs::read_to_string(home.path(".copydesk/chat.md")).unwrap();
    assert!(
        text.starts_with("# Copydesk\n\n## You\n\nrename load to open in a.rs\n\n## Copydesk\n"),
        "{text}"
    );
    assert_eq!(client.close().await, 0);
}

#[cfg(unix)]
#[tokio::test]
async fn a_link_in_place_of_the_chat_is_not_written_through() {
    let home = Home::new();
    home.write("../precious", "precious\n");
    home.write(".copydesk/.gitignore", "*\n");
    std::os::unix::fs::symlink(home.path("../precious"), home.path(".copydesk/chat.md")).unwrap();
    let mut client = plain(&home).await;
    client.did_open(&home.uri("a.rs"), "rust", "fn load() {}\n");
    execute(&mut client, &json!({"command": "copydesk.open-chat", "arguments": []})).await;
    let told = client.notification("window/showMessage", |params| params["type"] == 1).await;
    let message = told["message"].as_str().unwrap();
    assert!(message.ends_with("chat.md: it is a symbolic link, and is not followed: remove it"), "{message}");
    assert_eq!(std::fs::read_to_string(home.path("../precious")).unwrap(), "precious\n");
    assert_eq!(client.close().await, 0);
}
