//! Pending hunks in the editor's list of diagnostics, through the real program with the offline model.

use copydesk_tests::client::Home;
use copydesk_tests::person::{ask, choose, execute, hunks, plain};
use serde_json::{Value, json};

#[tokio::test]
async fn a_hunk_is_a_diagnostic_over_the_lines_it_replaces() {
    let home = Home::new();
    let mut client = plain(&home).await;
    let uri = home.uri("a.rs");
    client.did_open(&uri, "rust", "mod x {\n    fn load() {}\n}\n");
    ask(&mut client, "rename load to open in a.rs").await;
    let shown = hunks(&mut client, &uri, 1).await;
    let lines: Vec<_> = shown[0]["message"].as_str().unwrap().lines().skip(1).collect();
    assert_eq!(lines, ["- fn load() {}", "+ fn open() {}"]);
    assert_eq!(shown[0]["code"], "1/1");
    assert_eq!(shown[0]["source"], "copydesk");
    assert_eq!(shown[0]["severity"], 3);
    assert_eq!(shown[0]["tags"], json!([1]));
    let range = json!({"start": {"line": 1, "character": 0}, "end": {"line": 1, "character": 16}});
    assert_eq!(shown[0]["range"], range);
    assert_eq!(client.close().await, 0);
}

#[tokio::test]
async fn files_that_are_not_open_are_in_the_list_and_leave_it() {
    let home = Home::new();
    home.write("src/b.rs", "fn main() {\n    load();\n}\n");
    let mut client = plain(&home).await;
    let (open, closed) = (home.uri("a.rs"), home.uri("src/b.rs"));
    client.did_open(&open, "rust", "fn load() {}\n");
    ask(&mut client, "rename load to open").await;
    for (uri, number) in [(&open, "1/2"), (&closed, "2/2")] {
        let numbered =
            |shown: &Value| shown["uri"] == uri.as_str() && shown["diagnostics"][0]["code"] == number;
        client.notification("textDocument/publishDiagnostics", numbered).await;
    }
    execute(&mut client, &json!({"command": "copydesk.reject-all", "arguments": []})).await;
    hunks(&mut client, &open, 0).await;
    hunks(&mut client, &closed, 0).await;
    assert_eq!(std::fs::read_to_string(home.path("src/b.rs")).unwrap(), "fn main() {\n    load();\n}\n");
    assert_eq!(client.close().await, 0);
}

#[tokio::test]
async fn after_a_decision_the_cursor_goes_to_the_next_hunk_in_whatever_file() {
    let home = Home::new();
    home.write("b.rs", "fn main() {\n    load();\n}\n");
    let mut client = plain(&home).await;
    let uri = home.uri("a.rs");
    client.did_open(&uri, "rust", "fn load() {}\n\nfn save() { load() }\n");
    ask(&mut client, "rename load to open").await;
    hunks(&mut client, &uri, 2).await;
    hunks(&mut client, &home.uri("b.rs"), 1).await;
    choose(&mut client, &uri, 0, "Accept hunk 1/3").await;
    let shown = client.asked("window/showDocument", 1).await;
    assert_eq!((&shown["uri"], &shown["selection"]["start"]["line"]), (&json!(uri), &json!(2)));
    choose(&mut client, &uri, 2, "Reject hunk 1/2").await;
    let shown = client.asked("window/showDocument", 2).await;
    assert_eq!((&shown["uri"], &shown["selection"]["start"]["line"]), (&json!(home.uri("b.rs")), &json!(1)));
    assert_eq!(client.close().await, 0);
}
