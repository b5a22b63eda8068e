//! Commands in the background through the real program: what they write while others begin comes to the person, all of it.

#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that can't go on ends with its cause"
)]

use std::path::PathBuf;

use copydesk_tests::client::Home;
use copydesk_tests::puppet::Puppets;
use serde_json::{Value, json};

/// Writes to both files when it is told to, and runs on.
const BACKGROUND: &str = "until [ -e /tmp/go ]; do sleep 0.02; done; echo bg >>a.txt; echo bg >>other.txt; \
                          echo written; sleep 1000";

async fn begin() -> Puppets {
    let home = Home::new();
    home.write("a.txt", "1\n2\n3\n");
    home.write("other.txt", "o\n");
    home.write("../config/copydesk/config.toml", "[permissions]\nallow = [\"Bash\"]\n");
    let mut puppets = Puppets::start(home).await;
    let background = json!({ "command": BACKGROUND, "run_in_background": true });
    let begun = puppets.call("the agent", "Bash", background).await;
    assert!(begun.text.contains("in the background as b1"), "{}", begun.text);
    puppets
}

/// What `/tmp` is to the commands of the only session.
fn temporary(home: &Home) -> PathBuf {
    let folders = |at: PathBuf| std::fs::read_dir(at).unwrap().map(|entry| entry.unwrap().path());
    let sessions = folders(home.state().join("projects")).flat_map(folders);
    let mut found = sessions.map(|session| session.join("tmp")).filter(|path| path.is_dir());
    found.next().unwrap()
}

/// The command writes, and nobody has looked at what it wrote.
async fn it_writes(puppets: &mut Puppets) {
    std::fs::write(temporary(&puppets.home).join("go"), "").unwrap();
    for _ in 0..200 {
        let look = json!({ "task_id": "b1", "timeout": 50 });
        if puppets.call("the agent", "TaskOutput", look).await.text.contains("written") {
            return;
        }
    }
    panic!("the command does not write");
}

async fn bash(puppets: &mut Puppets, command: &str) -> String {
    let outcome = puppets.call("the agent", "Bash", json!({ "command": command })).await;
    assert!(!outcome.is_error, "{}", outcome.text);
    outcome.text
}

/// Accepts all, which the person alone can: it may be half of what the command does.
async fn accepted(mut puppets: Puppets) -> [Option<String>; 2] {
    puppets.decide("accept", json!({ "all": true })).await;
    let list = puppets.client.request("copydesk/proposal/list", json!({})).await.unwrap();
    assert_eq!(list["files"], json!([]));
    let home = puppets.end().await;
    ["a.txt", "other.txt"].map(|name| std::fs::read_to_string(home.path(name)).ok())
}

fn wanted(a: &str, other: &str) -> [Option<String>; 2] {
    [a, other].map(|text| Some(text.to_owned()))
}

#[tokio::test]
async fn what_it_writes_beside_the_draft_of_another_command_is_in_the_draft() {
    let mut puppets = begin().await;
    bash(&mut puppets, "echo fg >>a.txt").await;
    it_writes(&mut puppets).await;
    let next = puppets.call("the agent", "Bash", json!({ "command": "cat a.txt other.txt" })).await;
    assert!(next.text.starts_with("1\n2\n3\nfg\nbg\no\nbg"), "{}", next.text);
    let told = "Still running in the background: b1";
    assert!(
        next.told.contains(told) && next.told.contains("- other.txt: changed, pending review"),
        "{}",
        next.told
    );
    assert!(next.told.contains("may be half of a change"), "{}", next.told);
    let ended = puppets.call("the agent", "TaskStop", json!({ "task_id": "b1" })).await;
    assert!(!ended.is_error, "{}", ended.text);
    assert_eq!(accepted(puppets).await, wanted("1\n2\n3\nfg\nbg\n", "o\nbg\n"));
}

#[tokio::test]
async fn what_it_writes_after_the_draft_was_accepted_is_proposed() {
    let mut puppets = begin().await;
    bash(&mut puppets, "echo fg >>a.txt").await;
    let results = puppets.decide("accept", json!({ "all": true })).await;
    assert_eq!(results.len(), 1, "{results:?}");
    // The tree is made to say what the disk says before the other writes there again.
    bash(&mut puppets, "true").await;
    it_writes(&mut puppets).await;
    assert!(bash(&mut puppets, "cat a.txt").await.starts_with("1\n2\n3\nfg\nbg"));
    assert_eq!(accepted(puppets).await, wanted("1\n2\n3\nfg\nbg\n", "o\nbg\n"));
}

#[tokio::test]
async fn what_it_writes_beside_an_edit_and_unsaved_text_is_merged_in() {
    let mut puppets = begin().await;
    let uri = puppets.home.uri("a.txt");
    puppets.client.did_open(&uri, "plaintext", "1\n2\n3\n");
    puppets.client.type_over(&uri, "1\n", "one\n");
    puppets.call("the agent", "Read", json!({ "file_path": puppets.home.path("other.txt") })).await;
    let edit =
        json!({ "file_path": puppets.home.path("other.txt"), "old_string": "o", "new_string": "edited" });
    let edited = puppets.call("the agent", "Edit", edit).await;
    assert!(!edited.is_error, "{}", edited.text);
    it_writes(&mut puppets).await;
    let next = puppets.call("the agent", "Bash", json!({ "command": "cat a.txt other.txt" })).await;
    assert!(next.text.starts_with("one\n2\n3\nbg\nedited\nbg"), "{}", next.text);
    let list = puppets.client.request("copydesk/proposal/list", json!({})).await.unwrap();
    let mut files: Vec<&Value> = list["files"].as_array().unwrap().iter().map(|file| &file["uri"]).collect();
    files.sort_by_key(ToString::to_string);
    assert_eq!(files, [&json!(uri), &json!(puppets.home.uri("other.txt"))]);
    puppets.decide("accept", json!({ "all": true })).await;
    assert_eq!(puppets.client.text(&uri), "one\n2\n3\nbg\n");
    puppets.end().await;
}

#[tokio::test]
async fn the_person_is_told_too_what_of_it_can_not_be_proposed() {
    let mut puppets = begin().await;
    let background = json!({ "command": "ln -s a.txt link", "run_in_background": true });
    let mut call = puppets.call("the agent", "Bash", background).await;
    for _ in 0..200 {
        if call.told.contains("The background command b2 (`ln -s a.txt link`) has ended.") {
            break;
        }
        call = puppets.call("the agent", "TaskOutput", json!({ "task_id": "b2", "timeout": 50 })).await;
    }
    assert!(call.told.contains("link: a symbolic link, which can't be proposed"), "{}", call.told);
    let is_told = |params: &Value| {
        let text = params["event"].to_string();
        params["event"]["type"] == "message" && text.contains("Not all that the command did comes to you")
    };
    let message = puppets.client.notification("copydesk/event", is_told).await;
    assert!(message.to_string().contains("link: a symbolic link"), "{message}");
    puppets.end().await;
}

#[tokio::test]
async fn the_session_takes_the_next_prompt_while_it_runs() {
    let mut puppets = begin().await;
    // Another one goes there by itself.
    let slow = json!({ "command": "for i in $(seq 1000); do sleep 0.1; done", "timeout": 300 });
    let moved = puppets.call("the agent", "Bash", slow).await;
    assert!(moved.text.contains("goes on in the background as b2"), "{}", moved.text);
    // The task ends and the next one begins.
    let told = puppets.told("the agent").await;
    assert!(told.contains("And now?"), "{told}");
    let ran = puppets.call("the agent", "TaskOutput", json!({ "task_id": "b1", "block": false })).await;
    assert!(ran.text.contains("running"), "{}", ran.text);
    puppets.end().await;
}
