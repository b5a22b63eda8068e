//! The review as a `.diff` file, through the real program with the offline model.

#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a test that can't go on ends with its cause"
)]

use copydesk_tests::client::{Client, Home};
use copydesk_tests::person::{ask, choose, done, hunks, menu, plain};
use serde_json::Value;

/// Opens the file that the server shows for the `times`th time, as the editor would.
async fn open_shown(client: &mut Client, times: usize) -> (String, String) {
    let uri = client.asked("window/showDocument", times).await["uri"].as_str().unwrap().to_owned();
    let text = std::fs::read_to_string(uri.strip_prefix("file://").unwrap()).unwrap();
    client.did_open(&uri, "diff", &text);
    (uri, text)
}

#[tokio::test]
async fn hunks_are_read_and_decided_in_the_diff_and_it_is_never_rewritten() {
    let home = Home::new();
    home.write("b.rs", "fn main() {\n    load();\n}\n");
    let mut client = plain(&home).await;
    let uri = home.uri("a.rs");
    client.did_open(&uri, "rust", "fn load() {}\n");
    ask(&mut client, "rename load to open").await;
    hunks(&mut client, &uri, 1).await;
    hunks(&mut client, &home.uri("b.rs"), 1).await;
    done(&mut client).await;
    choose(&mut client, &uri, 0, "Show diff").await;
    let (diff, text) = open_shown(&mut client, 1).await;
    let without_summaries: Vec<_> = text.lines().map(|line| line.split(": ").next().unwrap()).collect();
    assert_eq!(
        without_summaries,
        [
            "--- a/a.rs",
            "+++ b/a.rs",
            "@@ -1,1 +1,1 @@ hunk 1/2",
            "-fn load() {}",
            "+fn open() {}",
            "--- a/b.rs",
            "+++ b/b.rs",
            "@@ -1,3 +1,3 @@ hunk 2/2",
            " fn main() {",
            "-    load();",
            "+    open();",
            " }",
        ]
    );
    assert_eq!(std::fs::read_to_string(home.path(".copydesk/.gitignore")).unwrap(), "*\n");

    // A file that is not open is written on disk, one that is open only in the editor.
    let on_closed = menu(&mut client, &diff, 9).await;
    assert_eq!(on_closed, ["Accept hunk 2/2", "Reject hunk 2/2", "Rework hunk 2/2…", "Go to source"]);
    choose(&mut client, &diff, 9, "Accept hunk 2/2").await;
    hunks(&mut client, &home.uri("b.rs"), 0).await;
    assert_eq!(std::fs::read_to_string(home.path("b.rs")).unwrap(), "fn main() {\n    open();\n}\n");
    choose(&mut client, &diff, 3, "Reject hunk 1/1").await;
    hunks(&mut client, &uri, 0).await;
    assert_eq!(client.text(&uri), "fn load() {}\n");

    let told = |shown: &Value| {
        let messages = shown["diagnostics"].as_array().into_iter().flatten();
        let words: Vec<_> = messages.map(|shown| shown["message"].as_str().unwrap_or_default()).collect();
        shown["uri"] == diff.as_str()
            && words.len() == 2
            && words[0].starts_with("rejected: ")
            && words[1].starts_with("accepted: ")
    };
    client.notification("textDocument/publishDiagnostics", told).await;
    assert_eq!(menu(&mut client, &diff, 3).await, ["Go to source"]);
    let on_disk = diff.strip_prefix("file://").unwrap();
    assert_eq!(std::fs::read_to_string(on_disk).unwrap(), text);
    assert_eq!(client.close().await, 0);
    assert!(!std::path::Path::new(on_disk).exists(), "it is of no use without the editor");
}
