//! The cases of text that a client sends: see `cases/README.md`.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that can't go on ends with its cause"
)]

use copydesk_tests::cases::case;
use copydesk_tests::client::{Client, Encoding, Home, apply_edits};
use serde_json::{Value, json};

/// A client that counts in `encoding` and nothing else.
async fn client(home: &Home, encoding: &str) -> Client {
    let mut client = Client::start(home);
    let mut capabilities = copydesk_tests::client::full_capabilities();
    capabilities["general"]["positionEncodings"] = json!([encoding]);
    client.initialize(home, capabilities).await;
    assert_eq!(client.capabilities["positionEncoding"], encoding);
    client
}

/// `[line, column, line, column]` as an LSP range.
fn range(numbers: &Value) -> Value {
    json!({
        "start": {"line": numbers[0], "character": numbers[1]},
        "end": {"line": numbers[2], "character": numbers[3]},
    })
}

fn changes(notification: &Value) -> Value {
    let change = |change: &Value| match change.get("range") {
        Some(numbers) => json!({"range": range(numbers), "text": change["text"]}),
        None => json!({"text": change["text"]}),
    };
    notification["changes"].as_array().unwrap().iter().map(change).collect()
}

/// Sends everything in one go and asks for the text at once.
async fn run(name: &str, times: usize) {
    let case = case(name);
    for subcase in case["subcases"].as_array().unwrap() {
        let encoding = subcase.get("encoding").unwrap_or(&case["encoding"]).as_str().unwrap();
        let home = Home::new();
        let mut client = client(&home, encoding).await;
        let uri = home.uri("case.txt");
        for _ in 0..times {
            client.did_open(&uri, "plaintext", subcase["open"].as_str().unwrap());
            for notification in subcase["notifications"].as_array().unwrap() {
                client.change(&uri, notification["version"].as_i64().unwrap(), &changes(notification));
            }
            let text = client.both_texts(&uri).await.0.unwrap();
            let wanted = match subcase.get("final_any") {
                Some(any) => any.as_array().unwrap().clone(),
                None => vec![subcase["final"].clone()],
            };
            assert!(wanted.contains(&json!(text)), "{name} {}: {text:?}, wanted {wanted:?}", subcase["name"]);
            client.did_close(&uri);
        }
        assert_eq!(client.close().await, 0);
    }
}

#[tokio::test]
async fn many_changes_and_then_a_request() {
    run("30-didchange-order-under-load", 50).await;
}

#[tokio::test]
async fn changes_around_surrogate_pairs_and_combining_marks() {
    run("31-utf16-incremental", 1).await;
}

#[tokio::test]
async fn positions_past_the_end() {
    run("32-positions-past-the-end", 1).await;
}

/// The client of these tests is the judge of the server's edits, so it has to be right itself.
#[test]
fn lists_of_edits_as_an_editor_applies_them() {
    for apply in case("35-edit-lists-order-and-overlap")["apply"].as_array().unwrap() {
        let edits: Value = apply["edits"]
            .as_array()
            .unwrap()
            .iter()
            .map(|edit| json!({"range": range(&edit["range"]), "newText": edit["newText"]}))
            .collect();
        let edited = apply_edits(apply["text"].as_str().unwrap(), &edits, Encoding::Utf16);
        assert_eq!(edited.unwrap_or_else(|_| "error".to_owned()), apply["want"].as_str().unwrap());
    }
}

#[tokio::test]
async fn documents_without_a_file_path() {
    let case = case("36-untitled-and-foreign-schemes");
    let home = Home::new();
    home.write("a.rs", "on disk\n");
    let mut client = client(&home, "utf-16").await;
    for uri in case["uris"].as_array().unwrap() {
        let uri = uri.as_str().unwrap();
        client.did_open(uri, "plaintext", case["text"].as_str().unwrap());
        client.change(uri, 2, &json!([{"text": "changed\n"}]));
    }
    let foreign = format!("git:{}?ref=HEAD", home.path("a.rs").display());
    client.did_open(&foreign, "rust", "of another time\n");
    assert_eq!(client.both_texts(&home.uri("a.rs")).await.0.as_deref(), Some("on disk\n"));
    for uri in case["uris"].as_array().unwrap() {
        client.did_close(uri.as_str().unwrap());
    }
    let left: Vec<_> =
        std::fs::read_dir(home.path("")).unwrap().map(|file| file.unwrap().file_name()).collect();
    assert_eq!(left, ["a.rs"]);
    assert_eq!(client.close().await, 0);
}

#[tokio::test]
async fn names_that_are_no_legal_uri_are_synced_too() {
    let home = Home::new();
    let mut client = client(&home, "utf-16").await;
    let folder = home.uri("");
    for name in ["[id].tsx", "a b|c.rs", "ü^`{}.rs"] {
        let uri = format!("{folder}/{name}");
        client.did_open(&uri, "plaintext", "a\n");
        client.change(&uri, 2, &json!([{"range": range(&json!([0, 1, 0, 1])), "text": "b"}]));
        assert_eq!(client.both_texts(&uri).await.0.as_deref(), Some("ab\n"), "{name}");
    }
    assert_eq!(client.close().await, 0);
}
