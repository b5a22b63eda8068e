//! A session in the mode that accepts edits as they come, through the real program.

#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a test that can't go on ends with its cause"
)]

use copydesk_tests::client::{Answer, Home};
use copydesk_tests::puppet::Puppets;
use serde_json::{Value, json};

const TEXT: &str = "a\nb\nc\nd\n";

/// An agent that has read `a.txt`, which is open, in a session with that mode.
async fn scene() -> (Puppets, String) {
    let home = Home::new();
    home.write("a.txt", TEXT);
    let (uri, path) = (home.uri("a.txt"), home.path("a.txt"));
    let mut puppets = Puppets::start(home).await;
    puppets.client.did_open(&uri, "plaintext", TEXT);
    puppets.call("the agent", "Read", json!({ "file_path": path })).await;
    set_mode(&mut puppets, "acceptEdits").await;
    (puppets, uri)
}

async fn set_mode(puppets: &mut Puppets, mode: &str) {
    let sessions = puppets.client.request("copydesk/session/list", json!({})).await.unwrap();
    let params = json!({ "sessionId": sessions["sessions"][0]["sessionId"], "mode": mode });
    puppets.client.request("copydesk/session/setMode", params).await.unwrap();
}

/// Gives what the agent is told beside the result.
async fn edit(puppets: &mut Puppets, old: &str, new: &str) -> String {
    let path = puppets.home.path("a.txt");
    let input = json!({ "file_path": path, "old_string": old, "new_string": new });
    let outcome = puppets.call("the agent", "Edit", input).await;
    assert!(!outcome.is_error, "{}", outcome.text);
    outcome.told
}

/// What is pending, as `added` and whether it was undone.
async fn pending(puppets: &mut Puppets) -> Vec<(String, bool)> {
    let list = puppets.client.request("copydesk/proposal/list", json!({})).await.unwrap();
    let hunks = |file: &Value| file["hunks"].as_array().cloned().unwrap_or_default();
    let files = list["files"].as_array().cloned().unwrap_or_default();
    let hunks = files.iter().flat_map(hunks);
    hunks
        .map(|hunk| (hunk["added"].as_str().unwrap().to_owned(), hunk["undone"].as_bool().unwrap()))
        .collect()
}

#[tokio::test]
async fn a_change_goes_into_the_editor_by_an_edit_of_its_own_and_the_agent_is_told() {
    let (mut puppets, uri) = scene().await;
    // The editor may have shown an edit before the call's result was sent, or after.
    let mut told = edit(&mut puppets, "b", "B").await;
    puppets.client.asked("workspace/applyEdit", 1).await;
    told += &edit(&mut puppets, "d", "D").await;
    puppets.client.asked("workspace/applyEdit", 2).await;
    assert_eq!(puppets.client.text(&uri), "a\nB\nc\nD\n");
    assert_eq!(pending(&mut puppets).await, []);
    told += &puppets.told("the agent").await;
    assert_eq!(told.matches("- accepted in a.txt").count(), 2, "{told}");
    let home = puppets.end().await;
    assert_eq!(std::fs::read_to_string(home.path("a.txt")).unwrap(), TEXT, "the editor saves it");
}

#[tokio::test]
async fn the_result_says_whether_the_change_waits() {
    let (mut puppets, _) = scene().await;
    let path = puppets.home.path("a.txt");
    let accepted = "Accepted as it comes";
    let edit = json!({ "file_path": path, "old_string": "b", "new_string": "B" });
    let edited = puppets.call("the agent", "Edit", edit).await;
    assert!(edited.text.contains(accepted) && !edited.text.contains("Pending"), "{}", edited.text);
    let new = json!({ "file_path": puppets.home.path("new.txt"), "content": "x\n" });
    let made = puppets.call("the agent", "Write", new).await;
    assert!(made.text.contains(accepted) && !made.text.contains("Pending"), "{}", made.text);
    let nothing = json!({ "file_path": puppets.home.path("new.txt"), "content": "" });
    let emptied = puppets.call("the agent", "Write", nothing).await;
    assert!(emptied.text.contains("Pending review") && !emptied.text.contains(accepted), "{}", emptied.text);
    set_mode(&mut puppets, "default").await;
    let edit = json!({ "file_path": path, "old_string": "d", "new_string": "D" });
    let edited = puppets.call("the agent", "Edit", edit).await;
    assert!(edited.text.contains("Pending review as hunk"), "{}", edited.text);
    puppets.end().await;
}

#[tokio::test]
async fn what_the_user_takes_back_is_pending_and_not_pushed_again() {
    let (mut puppets, uri) = scene().await;
    edit(&mut puppets, "b", "B").await;
    puppets.client.asked("workspace/applyEdit", 1).await;
    puppets.client.become_text(&uri, TEXT);
    assert_eq!(pending(&mut puppets).await, [("B\n".to_owned(), true)]);
    edit(&mut puppets, "B", "B2").await;
    assert_eq!(pending(&mut puppets).await, [("B2\n".to_owned(), true)]);
    assert_eq!(puppets.client.text(&uri), TEXT);
    assert_eq!(puppets.client.times_asked("workspace/applyEdit"), 1);
    puppets.end().await;
}

#[tokio::test]
async fn an_editor_that_only_says_so_has_accepted_nothing_and_is_not_asked_again() {
    let (mut puppets, uri) = scene().await;
    puppets.client.answer("workspace/applyEdit", Answer::Result(json!({ "applied": true })));
    edit(&mut puppets, "b", "B").await;
    let said = |shown: &Value| shown["message"].as_str().unwrap_or_default().contains("does not show");
    puppets.client.notification("window/showMessage", said).await;
    assert_eq!(pending(&mut puppets).await, [("B\n".to_owned(), false)]);
    assert_eq!(puppets.client.text(&uri), TEXT);
    assert_eq!(puppets.client.times_asked("workspace/applyEdit"), 1);
    puppets.end().await;
}

#[tokio::test]
async fn a_whole_text_over_a_file_and_a_line_that_is_typed_in_wait_for_the_person() {
    let (mut puppets, uri) = scene().await;
    let path = puppets.home.path("a.txt");
    let whole = json!({ "file_path": path, "content": "a\nb\nc\nD\n" });
    assert!(!puppets.call("the agent", "Write", whole).await.is_error);
    puppets.client.type_over(&uri, "b", "bx");
    edit(&mut puppets, "bx", "B").await;
    let waiting = [("B\n".to_owned(), false), ("D\n".to_owned(), false)];
    assert_eq!(pending(&mut puppets).await, waiting);
    assert_eq!(puppets.client.times_asked("workspace/applyEdit"), 0);
    puppets.end().await;
}

#[tokio::test]
async fn back_in_the_usual_mode_the_person_is_asked_again() {
    let (mut puppets, uri) = scene().await;
    edit(&mut puppets, "b", "B").await;
    puppets.client.asked("workspace/applyEdit", 1).await;
    set_mode(&mut puppets, "default").await;
    edit(&mut puppets, "d", "D").await;
    assert_eq!(pending(&mut puppets).await, [("D\n".to_owned(), false)]);
    assert_eq!(puppets.client.text(&uri), "a\nB\nc\nd\n");
    puppets.end().await;
}
