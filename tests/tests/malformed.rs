//! Messages that are none: each is answered, and the next one is served.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that can't go on ends with its cause"
)]

use copydesk_tests::client::{Client, Home};
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
