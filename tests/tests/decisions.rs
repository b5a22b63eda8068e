//! Decisions by the custom methods: about what was shown, and about nothing else.

#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a test that can't go on ends with its cause"
)]

use copydesk_tests::client::{Answer, Home};
use copydesk_tests::person::{choose, execute, menu};
use copydesk_tests::puppet::Puppets;
use serde_json::{Value, json};

/// Files of a project, open, and an agent that has read them.
async fn with_files(files: &[(&str, &str)]) -> Puppets {
    let home = Home::new();
    for (name, text) in files {
        home.write(name, text);
    }
    let mut puppets = Puppets::start(home).await;
    for (name, text) in files {
        let (uri, path) = (puppets.home.uri(name), puppets.home.path(name));
        puppets.client.did_open(&uri, "plaintext", text);
        puppets.call("the agent", "Read", json!({ "file_path": path })).await;
    }
    puppets
}

async fn edit(puppets: &mut Puppets, name: &str, old: &str, new: &str) {
    let input = json!({ "file_path": puppets.home.path(name), "old_string": old, "new_string": new });
    let outcome = puppets.call("the agent", "Edit", input).await;
    assert!(!outcome.is_error, "{}", outcome.text);
}

async fn listed(puppets: &mut Puppets) -> Value {
    puppets.client.request("copydesk/proposal/list", json!({})).await.unwrap()["files"].take()
}

fn outcomes(results: &[Value]) -> Vec<&str> {
    results.iter().map(|result| result["outcome"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn what_was_listed_can_be_decided_by_its_name_alone_its_file_or_all_together() {
    let mut puppets = with_files(&[("a.txt", "a\nb\nc\n"), ("b.txt", "a\nb\n")]).await;
    edit(&mut puppets, "a.txt", "a", "A").await;
    edit(&mut puppets, "a.txt", "c", "C").await;
    edit(&mut puppets, "b.txt", "b", "B").await;
    let files = listed(&mut puppets).await;
    let hunk = files[0]["hunks"][0]["id"].clone();
    assert_eq!(outcomes(&puppets.decide("accept", json!({ "hunkId": hunk })).await), ["accepted"]);
    let a = puppets.home.uri("a.txt");
    assert_eq!(outcomes(&puppets.decide("accept", json!({ "uri": a })).await), ["accepted"]);
    assert_eq!(outcomes(&puppets.decide("reject", json!({ "all": true })).await), ["rejected"]);
    assert_eq!(puppets.client.text(&a), "A\nb\nC\n");
    assert_eq!(puppets.client.text(&puppets.home.uri("b.txt")), "a\nb\n");
    puppets.end().await;
}

#[tokio::test]
async fn an_older_revision_or_a_name_that_is_none_decides_nothing() {
    let mut puppets = with_files(&[("a.txt", "a\nb\n")]).await;
    edit(&mut puppets, "a.txt", "b", "B").await;
    let files = listed(&mut puppets).await;
    edit(&mut puppets, "a.txt", "B", "B2").await;
    let hunk = &files[0]["hunks"][0];
    let target = json!({ "hunkId": hunk["id"], "revision": hunk["revision"] });
    assert_eq!(outcomes(&puppets.decide("accept", target).await), ["stale"]);
    let none = puppets.decide("accept", json!({ "hunkId": "zz" })).await;
    assert_eq!(outcomes(&none), ["stale"]);
    let message = none[0]["message"].as_str().unwrap();
    assert_eq!(message, "There is no change `zz`: it was decided, or there never was one of that name.");
    assert_eq!(puppets.client.text(&puppets.home.uri("a.txt")), "a\nb\n");
    puppets.end().await;
}

#[tokio::test]
async fn lines_behind_a_last_line_without_a_break_come_with_the_break_before_them() {
    let mut puppets = with_files(&[("a.txt", "a\nb")]).await;
    edit(&mut puppets, "a.txt", "a\nb", "a\nb\nW1").await;
    let file = listed(&mut puppets).await[0].take();
    let hunk = &file["hunks"][0];
    let end = json!({ "line": 1, "character": 1 });
    assert_eq!(hunk["range"], json!({ "start": end, "end": end }));
    assert_eq!((&hunk["removed"], &hunk["added"]), (&json!(""), &json!("\nW1")));

    let uri = puppets.home.uri("a.txt");
    let amend = json!({ "uri": uri, "hunkId": hunk["id"], "revision": hunk["revision"], "text": "\nW2" });
    let amended = puppets.client.request("copydesk/proposal/amend", amend).await.unwrap();
    assert_eq!(amended["results"][0]["outcome"], "amended");
    let file = listed(&mut puppets).await[0].take();
    assert_eq!(file["hunks"][0]["added"], "\nW2");
    assert_eq!(outcomes(&puppets.decide("accept", json!({ "uri": uri })).await), ["accepted"]);
    assert_eq!(puppets.client.text(&uri), "a\nb\nW2");
    puppets.end().await;
}

/// All was shown and can be accepted, but `b.txt` is locked.
async fn half_done() -> Puppets {
    let mut puppets = with_files(&[("a.txt", "a\n"), ("b.txt", "b\n")]).await;
    edit(&mut puppets, "a.txt", "a", "A").await;
    edit(&mut puppets, "b.txt", "b", "B").await;
    // Only what was shown can be decided.
    listed(&mut puppets).await;
    let locked = puppets.home.uri("b.txt");
    puppets.client.answer("workspace/applyEdit", Answer::ApplyBut(locked));
    puppets
}

const UNDO: &str = "Undo what was accepted in a.txt";

#[tokio::test]
async fn what_was_done_before_a_file_failed_is_taken_back_by_one_action() {
    let mut puppets = half_done().await;
    let (a, client) = (puppets.home.uri("a.txt"), &mut puppets.client);
    execute(client, &json!({ "command": "copydesk.accept-all", "arguments": [] })).await;
    let asked = client.asked("window/showMessageRequest", 1).await;
    let told = asked["message"].as_str().unwrap();
    assert!(told.contains("b.txt") && told.contains("it is locked"), "{told}");
    assert_eq!(asked["actions"], json!([{ "title": "Keep it" }, { "title": UNDO }]));
    assert_eq!(client.text(&a), "A\n", "no answer undoes nothing");

    choose(client, &a, 0, UNDO).await;
    client.asked("workspace/applyEdit", 3).await;
    assert_eq!(client.text(&a), "a\n");
    assert!(!menu(client, &a, 0).await.contains(&UNDO.to_owned()));
    assert_eq!(listed(&mut puppets).await.as_array().unwrap().len(), 2, "both are pending");
    puppets.end().await;
}

#[tokio::test]
async fn what_a_decision_by_its_own_method_left_half_done_is_told_once_with_the_way_back() {
    let mut puppets = half_done().await;
    let (a, client) = (puppets.home.uri("a.txt"), &mut puppets.client);
    let params = json!({ "decision": "accept", "target": { "all": true } });
    let answer = client.request("copydesk/proposal/decide", params).await.unwrap();
    assert_eq!(outcomes(answer["results"].as_array().unwrap()), ["accepted", "pending"]);
    let asked = client.asked("window/showMessageRequest", 1).await;
    let told = asked["message"].as_str().unwrap();
    assert!(told.contains("b.txt") && told.contains("it is locked"), "{told}");
    assert_eq!(asked["actions"], json!([{ "title": "Keep it" }, { "title": UNDO }]));

    // A client that shows no messages has the same in the answer.
    let way_back = &answer["halfDone"];
    assert_eq!(way_back["title"], UNDO);
    execute(client, &json!({ "command": way_back["command"], "arguments": way_back["arguments"] })).await;
    client.asked("workspace/applyEdit", 3).await;
    assert_eq!(client.text(&a), "a\n");
    let files = listed(&mut puppets).await;
    assert_eq!(files.as_array().unwrap().len(), 2, "both are pending");
    puppets.end().await;
}

#[tokio::test]
async fn a_file_that_can_not_be_written_keeps_all_others_as_they_are() {
    let home = Home::new();
    for name in ["a.txt", "b.txt", "c.txt"] {
        home.write(name, "a\n");
    }
    let mut puppets = Puppets::start(home).await;
    for name in ["a.txt", "b.txt", "c.txt"] {
        let path = puppets.home.path(name);
        puppets.call("the agent", "Read", json!({ "file_path": path })).await;
        edit(&mut puppets, name, "a", "A").await;
    }
    let closed = puppets.home.path("b.txt");
    std::fs::set_permissions(&closed, std::os::unix::fs::PermissionsExt::from_mode(0o444)).unwrap();
    let results = puppets.decide("accept", json!({ "all": true })).await;
    assert_eq!(outcomes(&results), ["pending"; 3]);
    let told = |number: usize| results[number]["message"].as_str().unwrap();
    assert!(told(0).starts_with("b.txt: it is read-only; make it writable"), "{results:?}");
    for number in [1, 2] {
        assert!(told(number).starts_with("Not accepted, because b.txt can't be: "), "{results:?}");
    }
    for name in ["a.txt", "c.txt"] {
        assert_eq!(std::fs::read_to_string(puppets.home.path(name)).unwrap(), "a\n");
    }
    assert_eq!(listed(&mut puppets).await.as_array().unwrap().len(), 3);
    puppets.end().await;
}

#[tokio::test]
async fn what_was_done_before_a_file_failed_is_taken_back_by_an_answer() {
    let mut puppets = half_done().await;
    let (a, client) = (puppets.home.uri("a.txt"), &mut puppets.client);
    client.answer("window/showMessageRequest", Answer::Result(json!({ "title": UNDO })));
    execute(client, &json!({ "command": "copydesk.accept-all", "arguments": [] })).await;
    client.asked("window/showMessageRequest", 1).await;
    client.asked("workspace/applyEdit", 3).await;
    assert_eq!(client.text(&a), "a\n");
    puppets.end().await;
}
