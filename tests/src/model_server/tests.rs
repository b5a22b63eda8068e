//! The server itself: what it plays, and how it fails a test.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::{Answer, ModelServer};

const HELLO: &str = r#"{"messages":[{"role":"user","content":"hi"}]}"#;

async fn connect(server: &ModelServer, body: &str) -> TcpStream {
    let mut connection = TcpStream::connect(server.address).await.expect("a connection");
    let request = format!(
        "POST /v1/messages HTTP/1.1\r\nx-api-key: k\r\nanthropic-version: v\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    connection.write_all(request.as_bytes()).await.expect("a request is sent");
    connection
}

async fn ask(server: &ModelServer, body: &str) -> String {
    let mut response = String::new();
    connect(server, body).await.read_to_string(&mut response).await.expect("a response");
    response
}

/// The message of the panic in which `work` ends.
fn panic_of(work: impl FnOnce()) -> String {
    let panic = catch_unwind(AssertUnwindSafe(work)).expect_err("it panics");
    panic.downcast_ref::<String>().cloned().unwrap_or_default()
}

#[tokio::test]
async fn a_script_is_played_in_order() {
    let server = ModelServer::playing([
        Answer::says("one two").calling("Read", json!({ "file_path": "a.rs" })),
        Answer::refusal(529, "overloaded_error", "Overloaded").header("retry-after", "3"),
    ])
    .await;
    let first = ask(&server, HELLO).await;
    for wanted in
        ["HTTP/1.1 200", "text/event-stream", r#""text":"two""#, "toolu_1_1", r#""stop_reason":"tool_use""#]
    {
        assert!(first.contains(wanted), "{wanted} in {first}");
    }
    let second = ask(&server, HELLO).await;
    assert!(second.starts_with("HTTP/1.1 529") && second.contains("retry-after: 3\r\n"), "{second}");
    assert_eq!(server.requests().len(), 2);
    assert_eq!(server.last_request().body, json!({ "messages": [{ "role": "user", "content": "hi" }] }));
}

#[tokio::test]
async fn an_answer_may_look_at_the_request() {
    let server =
        ModelServer::answering(|request| Answer::says(format!("{} message", request.messages().len()))).await;
    assert!(ask(&server, HELLO).await.contains(r#""text":"1 ""#));
    assert!(ask(&server, HELLO).await.contains(r#""text":"1 ""#));
}

#[tokio::test]
async fn who_leaves_before_the_end_is_seen() {
    let server = ModelServer::playing([Answer::new().beginning_to_say("so").stalling()]).await;
    let connection = connect(&server, HELLO).await;
    server.asked(1).await;
    drop(connection);
    server.hung_up(1).await;
}

#[tokio::test]
async fn an_illegal_request_fails_the_test() {
    let server = ModelServer::playing([Answer::says("x")]).await;
    ask(&server, r#"{"messages":[{"role":"assistant","content":" "}]}"#).await;
    let told = panic_of(|| drop(server));
    assert!(told.contains("request 1: M7") && told.contains("request 1: M3"), "{told}");
}

#[tokio::test]
async fn a_request_too_many_or_too_few_fails_the_test() {
    let server = ModelServer::playing([]).await;
    assert!(ask(&server, HELLO).await.starts_with("HTTP/1.1 400"));
    let told = panic_of(|| drop(server));
    assert!(told.contains("request 1 came after the script's end"), "{told}");
    let server = ModelServer::playing([Answer::says("x")]).await;
    assert_eq!(panic_of(|| drop(server)), "1 answers of the script were never asked for");
}

#[tokio::test]
async fn an_answer_may_keep_one_waiting() {
    let server = ModelServer::playing([Answer::says("x").after(Duration::from_millis(50))]).await;
    let started = std::time::Instant::now();
    ask(&server, HELLO).await;
    assert!(started.elapsed() >= Duration::from_millis(50));
}
