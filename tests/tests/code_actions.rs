//! The menu under the cursor, through the real program with the offline model.

use copydesk_tests::client::Home;
use copydesk_tests::model_server::{Answer, ModelServer};
use copydesk_tests::person::{actions, ask, choose, done, hunks, menu, plain};
use serde_json::json;

const TEXT: &str = "fn load() {}\n\nfn main() {\n    load();\n}\n";

#[tokio::test]
async fn what_can_be_decided_comes_first_and_what_can_be_asked_follows() {
    let home = Home::new();
    let mut client = plain(&home).await;
    let uri = home.uri("a.rs");
    client.did_open(&uri, "rust", TEXT);
    let tasks = ["Ask Copydesk…", "Explain", "Document", "Write tests", "Open chat"];
    assert_eq!(menu(&mut client, &uri, 0).await, tasks);

    ask(&mut client, "rename load to open in a.rs").await;
    hunks(&mut client, &uri, 2).await;
    done(&mut client).await;
    let decisions = [
        "Accept hunk 1/2",
        "Reject hunk 1/2",
        "Accept all 2 in a.rs",
        "Reject all 2 in a.rs",
        "Show diff",
        "Rework hunk 1/2…",
    ];
    let on_hunk = menu(&mut client, &uri, 0).await;
    assert_eq!(on_hunk[..6], decisions);
    let off_hunk = menu(&mut client, &uri, 1).await;
    assert_eq!(off_hunk[..3], decisions[2..5]);
    choose(&mut client, &uri, 1, "Accept all 2").await;
    hunks(&mut client, &uri, 0).await;
    assert_eq!(client.text(&uri), "fn open() {}\n\nfn main() {\n    open();\n}\n");
    assert_eq!(client.close().await, 0);
}

#[tokio::test]
async fn an_edit_is_made_for_the_text_with_the_last_key_in_it() {
    let home = Home::new();
    let mut client = plain(&home).await;
    let uri = home.uri("a.rs");
    client.did_open(&uri, "rust", TEXT);
    ask(&mut client, "rename load to open in a.rs").await;
    hunks(&mut client, &uri, 2).await;
    for round in 0..20 {
        // No pause: the request is on the line right behind the key.
        client.type_over(&uri, "fn load", "\nfn load");
        let line = round + 1;
        let accept = actions(&mut client, &uri, line).await.swap_remove(0);
        let file = &accept["edit"]["documentChanges"][0];
        assert_eq!(file["textDocument"]["version"], json!(round + 2));
        assert_eq!(file["edits"][0]["range"]["start"]["line"], json!(line));
    }
    choose(&mut client, &uri, 20, "Accept hunk 1/2").await;
    hunks(&mut client, &uri, 1).await;
    assert_eq!(client.text(&uri).trim_start(), TEXT.replacen("load", "open", 1));
    assert_eq!(client.close().await, 0);
}

#[tokio::test]
async fn a_comment_or_a_diagnostic_starts_a_task() {
    let home = Home::new();
    let mut client = plain(&home).await;
    let uri = home.uri("a.rs");
    client.did_open(&uri, "rust", &format!("// copydesk: rename load to open\n{TEXT}"));
    assert_eq!(menu(&mut client, &uri, 0).await[0], "Do: rename load to open");
    let at = json!({"start": {"line": 1, "character": 3}, "end": {"line": 1, "character": 7}});
    let diagnostic = json!({"range": at, "message": "unused\nfunction", "source": "rustc", "severity": 2});
    let params = |only: &[&str]| {
        json!({
            "textDocument": {"uri": uri},
            "range": at,
            "context": {"diagnostics": [diagnostic], "only": only},
        })
    };
    let fixes = client.request("textDocument/codeAction", params(&["quickfix"])).await.unwrap();
    assert_eq!(fixes.as_array().map(Vec::len), Some(1), "{fixes:#}");
    assert_eq!(fixes[0]["title"], "Fix: unused");
    assert_eq!(fixes[0]["diagnostics"], json!([diagnostic]));
    assert_eq!(client.request("textDocument/codeAction", params(&["source"])).await, Ok(json!([])));
    choose(&mut client, &uri, 0, "Do: rename load to open").await;
    client.notification("textDocument/publishDiagnostics", |shown| shown["diagnostics"] != json!([])).await;
    assert_eq!(client.close().await, 0);
}

#[tokio::test]
async fn a_conflict_goes_back_to_the_agent_with_both_texts() {
    let mut home = Home::new();
    home.write("a.txt", "one\ntwo\n");
    let path = home.path("a.txt");
    let model = ModelServer::playing([
        Answer::calls("Read", json!({"file_path": path})),
        Answer::calls("Edit", json!({"file_path": path, "old_string": "two", "new_string": "TWO"})),
        Answer::says("Done."),
        Answer::says("I see."),
    ])
    .await;
    home.environment.push(("ANTHROPIC_API_KEY".to_owned(), "not-a-key".to_owned()));
    home.environment.push(("ANTHROPIC_BASE_URL".to_owned(), model.url()));
    let mut client = plain(&home).await;
    let uri = home.uri("a.txt");
    client.did_open(&uri, "plaintext", "one\ntwo\n");
    ask(&mut client, "shout").await;
    hunks(&mut client, &uri, 1).await;
    done(&mut client).await;
    client.type_over(&uri, "two", "twofold");
    choose(&mut client, &uri, 1, "Ask the agent to redo").await;
    hunks(&mut client, &uri, 0).await;
    done(&mut client).await;
    let requests = model.requests();
    let told = requests.last().unwrap().last_text();
    assert!(told.contains("My text:\n```\ntwofold\n```"), "{told}");
    assert!(told.contains("Your text:\n```\nTWO\n```"), "{told}");
    assert_eq!(client.both_texts(&uri).await.1.as_deref(), Some("one\ntwofold\n"), "your text stays");
    assert_eq!(client.close().await, 0);
}
