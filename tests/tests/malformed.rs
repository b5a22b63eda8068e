//! Messages that are none: each is answered, and the next one is served.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that can't go on ends with its cause"
)]

use copydesk_tests::client::{Client, Home};
use copydesk_tests::puppet::Puppets;
use serde_json::{Value, json};

/// Sends `bytes` and gives the code of the error that comes back, without an id.
async fn check(client: &mut Client, bytes: &[u8], wanted: i64) {
    client.send_raw(bytes);
    let error = client.response(&Value::Null).await.unwrap_err();
    assert_eq!(error["code"], wanted, "{}", String::from_utf8_lossy(bytes));
}

fn frame(body: &[u8]) -> Vec<u8> {
    [format!("Content-Length: {}\r\n\r\n", body.len()).as_bytes(), body].concat()
}

#[tokio::test]
async fn broken_messages_are_answered_one_by_one() {
    let home = Home::new();
    let mut client = Client::open(&home).await;
    check(&mut client, &frame(b"{\"jsonrpc\":\"2.0\",\"method\":"), -32700).await;
    check(&mut client, &frame(b""), -32700).await;
    check(&mut client, &frame(b"\xff\xfe"), -32700).await;
    check(&mut client, &frame("{\"jsonrpc\":\"2.0\",\"method\":\"\u{d}".as_bytes()), -32700).await;
    check(&mut client, &frame(&b"[".repeat(100_000)), -32700).await;
    check(&mut client, b"Content-Length: lots\r\n\r\n", -32700).await;
    check(&mut client, b"Content-Length: 18446744073709551615\r\n\r\n", -32700).await;
    check(&mut client, b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", -32700).await;
    check(&mut client, &frame(b"[]"), -32600).await;
    check(&mut client, &frame(b"\"exit\""), -32600).await;
    check(&mut client, &frame(b"{\"jsonrpc\":\"2.0\"}"), -32600).await;
    check(&mut client, &frame(b"{\"jsonrpc\":\"2.0\",\"id\":[],\"method\":\"exit\"}"), -32600).await;
    client.did_open(&home.uri("a.rs"), "rust", "a\n");
    assert_eq!(client.both_texts(&home.uri("a.rs")).await.0.as_deref(), Some("a\n"));
    assert_eq!(client.close().await, 0);
}

#[tokio::test]
async fn wrong_params_fail_the_one_request() {
    let home = Home::new();
    let mut client = Client::open(&home).await;
    for (method, params) in [
        ("textDocument/hover", json!({"textDocument": 7})),
        ("textDocument/codeAction", Value::Null),
        ("workspace/executeCommand", json!([])),
        ("copydesk/task/start", json!({"prompt": "not a list"})),
        ("copydesk/proposal/decide", json!({"decision": "perhaps", "target": {}})),
    ] {
        let error = client.request(method, params).await.unwrap_err();
        assert_eq!(error["code"], -32602, "{method}: {error}");
    }
    assert_eq!(client.close().await, 0);
}

#[tokio::test]
async fn a_request_that_nobody_knows_is_answered() {
    let home = Home::new();
    let mut client = Client::open(&home).await;
    for method in ["no/such/request", "$/no-such-request"] {
        let error = client.request(method, json!({})).await.unwrap_err();
        assert_eq!(error["code"], -32601, "{method}: {error}");
    }
    assert_eq!(client.close().await, 0);
}

#[tokio::test]
async fn names_of_nothing_are_told_as_such() {
    let home = Home::new();
    let mut client = Client::open(&home).await;
    for (method, params, kind) in [
        (
            "copydesk/task/send",
            json!({"sessionId": "s", "prompt": [{"type": "text", "text": "x"}]}),
            "unknownSession",
        ),
        (
            "copydesk/task/start",
            json!({"sessionId": "s", "prompt": [{"type": "text", "text": "x"}]}),
            "unknownSession",
        ),
        ("copydesk/task/cancel", json!({"taskId": "t"}), "unknownRunningTask"),
        ("copydesk/permission/answer", json!({"requestId": "p", "optionId": "once"}), "unknownOpenQuestion"),
        ("copydesk/proposal/show", json!({"uri": "git:/a"}), "unknownFile"),
        ("copydesk/task/start", json!({"prompt": []}), "emptyPrompt"),
        ("copydesk/proposal/decide", json!({"decision": "accept", "target": {}}), "noTarget"),
    ] {
        let error = client.request(method, params).await.unwrap_err();
        assert_eq!(error["data"]["kind"], kind, "{method}: {error}");
    }
    assert_eq!(client.close().await, 0);
}

#[tokio::test]
async fn notifications_about_nothing_are_let_pass() {
    let home = Home::new();
    let mut client = Client::open(&home).await;
    let uri = home.uri("never-opened.rs");
    client.change(&uri, 3, &json!([{"text": "x"}]));
    client.did_close(&uri);
    client.notify("textDocument/didSave", json!({"textDocument": {"uri": uri}}));
    client.notify("textDocument/didOpen", json!({"textDocument": "?"}));
    client.notify("workspace/didChangeWatchedFiles", json!({"changes": [{"uri": uri, "type": 3}]}));
    client.notify("workspace/didRenameFiles", json!({"files": [{"oldUri": "?", "newUri": uri}]}));
    client.notify("workspace/didChangeConfiguration", json!({"settings": null}));
    client.notify("window/workDoneProgress/cancel", json!({"token": 17}));
    client.notify("no/such/notification", json!({}));
    assert_eq!(client.both_texts(&uri).await, (None, None));
    assert_eq!(client.close().await, 0);
}

/// A file with one hunk in it, under review in an editor.
async fn with_hunk() -> (Puppets, String) {
    let home = Home::new();
    home.write("a.txt", "a\nb\n");
    let (uri, path) = (home.uri("a.txt"), home.path("a.txt"));
    let mut puppets = Puppets::start(home).await;
    puppets.client.did_open(&uri, "plaintext", "a\nb\n");
    puppets.call("the agent", "Read", json!({ "file_path": path })).await;
    puppets
        .call("the agent", "Edit", json!({ "file_path": path, "old_string": "b", "new_string": "B" }))
        .await;
    (puppets, uri)
}

/// Only what was shown can be decided.
async fn look(client: &mut Client) {
    client.request("copydesk/proposal/list", json!({})).await.unwrap();
}

#[tokio::test]
async fn a_change_that_cannot_be_read_is_told_and_nothing_is_accepted_there_until_the_text_is_known_again() {
    let (mut puppets, uri) = with_hunk().await;
    let path = puppets.home.path("a.txt");
    let client = &mut puppets.client;
    let document = json!({ "uri": uri, "version": null });
    let changes = json!([{ "text": "X", "range": {
        "start": { "line": 0, "character": 0 }, "end": { "line": 0, "character": 0 } } }]);
    client.notify("textDocument/didChange", json!({ "textDocument": document, "contentChanges": changes }));
    let said = |shown: &Value| shown["message"].as_str().unwrap_or_default().contains("could not read");
    let shown = client.notification("window/showMessage", said).await;
    assert_eq!(shown["type"], 1);
    let text = shown["message"].as_str().unwrap();
    assert!(text.contains("a.txt") && text.contains("open it again"), "{text}");

    let accept = json!({ "decision": "accept", "target": { "uri": uri } });
    let decided = client.request("copydesk/proposal/decide", accept.clone()).await.unwrap();
    assert_eq!(decided["results"][0]["outcome"], "pending");
    assert!(decided["results"][0]["message"].as_str().unwrap().contains("open it again"), "{decided}");
    assert_eq!(client.times_asked("workspace/applyEdit"), 0);
    let range = json!({ "start": { "line": 1, "character": 0 }, "end": { "line": 1, "character": 0 } });
    let ask = json!({ "textDocument": { "uri": uri }, "range": range, "context": { "diagnostics": [] } });
    let actions = client.request("textDocument/codeAction", ask).await.unwrap();
    let titles: Vec<_> =
        actions.as_array().unwrap().iter().filter_map(|action| action["title"].as_str()).collect();
    assert!(!titles.iter().any(|title| title.contains("Accept") || title.contains("Reject")), "{titles:?}");
    let document = json!({ "textDocument": { "uri": uri } });
    assert_eq!(client.request("textDocument/codeLens", document).await.unwrap(), json!([]));
    let at = json!({ "textDocument": { "uri": uri }, "position": { "line": 1, "character": 0 } });
    let hover = client.request("textDocument/hover", at).await.unwrap();
    let hover = hover["contents"]["value"].as_str().unwrap();
    assert!(hover.contains("a.txt is not known") && !hover.contains('+'), "{hover}");
    client
        .notification("textDocument/publishDiagnostics", |published| {
            let list = published["diagnostics"].as_array().unwrap();
            published["uri"] == uri.as_str()
                && matches!(&**list, [only] if only["message"].as_str().unwrap().contains("is not known"))
        })
        .await;
    let listed = client.request("copydesk/proposal/list", json!({})).await.unwrap();
    assert_eq!(listed["files"][0]["hunks"], json!([]), "{listed}");
    let outcome = puppets.call("the agent", "Read", json!({ "file_path": path })).await;
    assert!(outcome.is_error && outcome.text.contains("not known"), "{}", outcome.text);

    // A partial change makes nothing good, a whole text does.
    let client = &mut puppets.client;
    client.type_over(&uri, "a", "aa");
    assert_eq!(client.both_texts(&uri).await.0.as_deref(), Some("a\nb\n"));
    client.replace(&uri, "Xaa\nb\n");
    assert_eq!(client.both_texts(&uri).await.1.as_deref(), Some("Xaa\nB\n"));
    look(client).await;
    let decided = client.request("copydesk/proposal/decide", accept).await.unwrap();
    assert_eq!(decided["results"][0]["outcome"], "accepted");
    assert_eq!(client.text(&uri), "Xaa\nB\n");
    puppets.end().await;
}

#[tokio::test]
async fn a_lost_change_is_made_good_by_opening_the_file_again() {
    let (mut puppets, uri) = with_hunk().await;
    let client = &mut puppets.client;
    client.notify("textDocument/didChange", json!({ "textDocument": { "uri": uri, "version": 2 } }));
    client
        .notification("window/showMessage", |shown| {
            shown["message"].as_str().unwrap_or_default().contains("contentChanges")
        })
        .await;
    client.did_close(&uri);
    client.did_open(&uri, "plaintext", "aX\nb\n");
    assert_eq!(client.both_texts(&uri).await.1.as_deref(), Some("aX\nB\n"));
    look(client).await;
    let accept = json!({ "decision": "accept", "target": { "uri": uri } });
    let decided = client.request("copydesk/proposal/decide", accept).await.unwrap();
    assert_eq!(decided["results"][0]["outcome"], "accepted");
    puppets.end().await;
}

#[tokio::test]
async fn a_change_that_is_not_utf8_is_lost_for_its_file_alone() {
    let (mut puppets, uri) = with_hunk().await;
    let other = puppets.home.uri("other.txt");
    let client = &mut puppets.client;
    client.did_open(&other, "plaintext", "x\n");
    let body = format!(
        r#"{{"jsonrpc":"2.0","method":"textDocument/didChange","params":{{"textDocument":{{"uri":"{uri}","version":2}},"contentChanges":[{{"text":"a"#
    );
    client.send_raw(&frame(&[body.as_bytes(), b"\xe4\"}]}}"].concat()));
    let told = client
        .notification("window/showMessage", |shown| {
            shown["message"].as_str().unwrap_or_default().contains("utf-8")
        })
        .await;
    let told = told["message"].as_str().unwrap();
    assert!(told.contains("a change of a.txt that") && !told.contains("other.txt"), "{told}");
    let accept = json!({ "decision": "accept", "target": { "uri": uri } });
    let decided = client.request("copydesk/proposal/decide", accept).await.unwrap();
    assert_eq!(decided["results"][0]["outcome"], "pending", "{decided}");
    assert_eq!(client.both_texts(&other).await.0.as_deref(), Some("x\n"));
    puppets.end().await;
}

/// Sends `body`, in which a change of a.txt is; then that text is not known.
async fn check_lost(puppets: &mut Puppets, body: &[u8]) {
    let uri = puppets.home.uri("a.txt");
    let client = &mut puppets.client;
    client.send_raw(&frame(body));
    let said = |shown: &Value| {
        shown["message"].as_str().unwrap_or_default().contains("could not read a change of a.txt that")
    };
    client.notification("window/showMessage", said).await;
    let accept = json!({ "decision": "accept", "target": { "uri": uri } });
    let decided = client.request("copydesk/proposal/decide", accept).await.unwrap();
    let message = decided["results"][0]["message"].as_str().unwrap();
    assert!(message.contains("open it again"), "{decided}");
    // In step again.
    let text = client.text(&uri).to_owned();
    client.replace(&uri, &text);
}

#[tokio::test]
async fn a_broken_change_is_lost_however_it_is_written() {
    let (mut puppets, uri) = with_hunk().await;
    let (document, changes) = (format!(r#"{{"uri":"{uri}","version":2}}"#), r#"[{"text":"x"}]"#);
    let whole = |method: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","method":"{method}","params":{{"textDocument":{document},"contentChanges":{changes}}}}}"#
        )
    };
    let broken = |method: &str| whole(method).replace("}]}}", "");
    check_lost(&mut puppets, broken("textDocument/didChange").as_bytes()).await;
    check_lost(&mut puppets, broken(r"textDocument\/didChange").as_bytes()).await;
    check_lost(&mut puppets, broken(r"\u0074extDocument\u002FdidChange").as_bytes()).await;
    let not_utf_8 = [broken(r"textDocument\/didChange").as_bytes(), b"\xe4\"}]}}"].concat();
    check_lost(&mut puppets, &not_utf_8).await;
    check_lost(&mut puppets, format!("[{}]", whole("textDocument/didChange")).as_bytes()).await;
    check_lost(&mut puppets, format!("[{}", broken("textDocument/didChange")).as_bytes()).await;
    let utf_16 = |text: String| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    check_lost(&mut puppets, &utf_16(whole("textDocument/didChange"))).await;
    check_lost(&mut puppets, whole("textDocument/didChange").replace("2.0", "1.0").as_bytes()).await;
    puppets.end().await;
}

#[tokio::test]
async fn an_opening_that_cannot_be_read_leaves_the_file_to_the_editor_until_its_text_is_known() {
    let (mut puppets, uri) = with_hunk().await;
    let path = puppets.home.path("a.txt");
    let client = &mut puppets.client;
    client.did_close(&uri);
    client.notify("textDocument/didOpen", json!({ "textDocument": { "uri": uri, "text": "a\nb\n" } }));
    client
        .notification("window/showMessage", |shown| {
            let text = shown["message"].as_str().unwrap_or_default();
            text.contains("the text of a.txt") && text.contains("languageId")
        })
        .await;
    let accept = json!({ "decision": "accept", "target": { "uri": uri } });
    let decided = client.request("copydesk/proposal/decide", accept.clone()).await.unwrap();
    assert_eq!(decided["results"][0]["outcome"], "pending", "{decided}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "a\nb\n");

    client.did_close(&uri);
    client.did_open(&uri, "plaintext", "a\nb\n");
    look(client).await;
    let decided = client.request("copydesk/proposal/decide", accept).await.unwrap();
    assert_eq!(decided["results"][0]["outcome"], "accepted", "{decided}");
    assert_eq!(client.text(&uri), "a\nB\n");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "a\nb\n", "an open file is the editor's to save");
    puppets.end().await;
}
