//! The cases of edits that the server sends: see `cases/README.md`.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test ends where it can't go on"
)]

use copydesk_tests::cases::case;
use copydesk_tests::client::{Answer, Home, full_capabilities};
use copydesk_tests::puppet::Puppets;
use serde_json::{Value, json};

/// A file that is open in an editor counting in `encoding`, and read by the agent.
async fn opened(encoding: &str, text: &str) -> (Puppets, String, String) {
    let home = Home::new();
    home.write("f.txt", text);
    let (uri, path) = (home.uri("f.txt"), home.path("f.txt").to_str().unwrap().to_owned());
    let mut capabilities = full_capabilities();
    match encoding {
        "" => drop(capabilities["general"].take()),
        encoding => capabilities["general"]["positionEncodings"] = json!([encoding]),
    }
    let mut puppets = Puppets::start_with(home, capabilities).await;
    puppets.client.did_open(&uri, "plaintext", text);
    puppets.call("the agent", "Read", json!({ "file_path": path })).await;
    (puppets, uri, path)
}

async fn replace(puppets: &mut Puppets, path: &str, edit: &Value) {
    let input =
        json!({ "file_path": path, "old_string": edit["old_string"], "new_string": edit["new_string"] });
    let outcome = puppets.call("the agent", "Edit", input).await;
    assert!(!outcome.is_error, "{}", outcome.text);
}

#[tokio::test]
async fn an_edit_starts_where_each_encoding_counts_it() {
    let case = case("18-edit-range-in-each-encoding");
    for encoding in ["utf-8", "utf-16", "utf-32", ""] {
        let (mut puppets, uri, path) = opened(encoding, case["text"].as_str().unwrap()).await;
        replace(&mut puppets, &path, &case["edit"]).await;
        puppets.decide("accept", json!({ "all": true })).await;
        let sent = puppets.client.asked("workspace/applyEdit", 1).await;
        let range = &sent["edit"]["documentChanges"][0]["edits"][0]["range"];
        let counted = if encoding.is_empty() { "utf-16" } else { encoding };
        let wanted = &case["expect_start_character_of_x"][counted];
        assert_eq!(range["start"], json!({ "line": case["expect_line"], "character": wanted }), "{encoding}");
        assert_eq!(puppets.client.text(&uri), case["expect_text"].as_str().unwrap(), "{encoding}");
        puppets.end().await;

        let second = &case["second"];
        let (mut puppets, uri, path) = opened(encoding, second["text"].as_str().unwrap()).await;
        replace(&mut puppets, &path, &second["edit"]).await;
        puppets.decide("accept", json!({ "all": true })).await;
        assert_eq!(puppets.client.text(&uri), second["expect_text"].as_str().unwrap(), "{encoding}");
        puppets.end().await;
    }
}

#[tokio::test]
async fn an_edit_list_gives_the_new_text_in_any_client() {
    for pair in case("35-edit-lists-order-and-overlap")["diff_pairs"].as_array().unwrap() {
        let (old, new) = (pair[0].as_str().unwrap(), pair[1].as_str().unwrap());
        let (mut puppets, uri, path) = opened("utf-16", old).await;
        let outcome = puppets.call("the agent", "Write", json!({ "file_path": path, "content": new })).await;
        assert!(!outcome.is_error, "{}", outcome.text);
        puppets.decide("accept", json!({ "all": true })).await;
        assert_eq!(puppets.client.text(&uri), new);
        puppets.end().await;
    }
}

#[tokio::test]
async fn hunks_are_accepted_in_any_order() {
    let case = case("35-edit-lists-order-and-overlap");
    let hunkwise = &case["hunkwise"];
    for order in hunkwise["orders"].as_array().unwrap() {
        let (mut puppets, uri, path) = opened("utf-16", hunkwise["old"].as_str().unwrap()).await;
        let input = json!({ "file_path": path, "content": hunkwise["new"] });
        puppets.call("the agent", "Write", input).await;
        let shown = puppets.show(&uri).await;
        for hunk in order["accept"].as_array().unwrap() {
            let id = &shown["file"]["hunks"][hunk.as_u64().unwrap() as usize]["id"];
            puppets.decide("accept", json!({ "hunkId": id })).await;
        }
        assert_eq!(puppets.client.text(&uri), order["want"].as_str().unwrap(), "{order}");
        puppets.end().await;
    }
}

#[tokio::test]
async fn an_edit_of_a_version_that_is_gone_is_refused_and_told() {
    let case = case("29-versioned-apply-edit");
    for answer in [
        Answer::Result(json!({ "applied": false, "failureReason": "version" })),
        Answer::Error(-32603, "the document has changed".to_owned()),
    ] {
        let (mut puppets, uri, path) = opened("utf-16", case["text"].as_str().unwrap()).await;
        // Up to the version of the case.
        for _ in 2..=case["version"].as_i64().unwrap() {
            puppets.client.type_changes(&uri, &json!([]));
        }
        replace(&mut puppets, &path, &case["edit"]).await;
        puppets.client.answer("workspace/applyEdit", Answer::TypeFirst(json!([{
            "range": { "start": { "line": 0, "character": 0 }, "end": { "line": 0, "character": 0 } }, "text": "\n",
        }]), Box::new(answer)));
        let results = puppets.decide("accept", json!({ "all": true })).await;
        let sent = puppets.client.asked("workspace/applyEdit", 1).await;
        let version = &sent["edit"]["documentChanges"][0]["textDocument"]["version"];
        assert_eq!(version, &case["version"]);
        assert_eq!(version, &case["client_script"][0]["expect_version"]);
        assert_eq!(results[0]["outcome"], "pending", "{results:?}");
        let shown = puppets.show(&uri).await;
        assert_eq!(shown["buffer"], case["allowed_final"][0]);
        assert_eq!(shown["draft"], case["allowed_final"][1]);
        assert_eq!(puppets.client.text(&uri), case["allowed_final"][0].as_str().unwrap());
        assert_eq!(puppets.client.times_asked("workspace/applyEdit"), 1, "nothing is sent twice");
        let told = results[0]["message"].as_str().unwrap_or_default();
        assert!(!told.is_empty(), "the person is told why: {results:?}");
        puppets.end().await;
    }
    // A file that is not open has no version.
    let home = Home::new();
    home.write("closed.txt", case["text"].as_str().unwrap());
    let path = home.path("closed.txt").to_str().unwrap().to_owned();
    let mut puppets = Puppets::start(home).await;
    puppets.call("the agent", "Read", json!({ "file_path": path })).await;
    replace(&mut puppets, &path, &case["edit"]).await;
    let results = puppets.decide("accept", json!({ "all": true })).await;
    assert_eq!(results[0]["outcome"], "accepted", "{results:?}");
    for sent in puppets.client.heard().filter(|message| message["method"] == "workspace/applyEdit") {
        for change in sent["params"]["edit"]["documentChanges"].as_array().unwrap() {
            assert_eq!(change["textDocument"]["version"], case["not_open_version"], "{sent}");
        }
    }
    puppets.end().await;
}
