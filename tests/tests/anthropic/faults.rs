//! What comes instead of an answer, and when it is asked for again.

use std::time::{Duration, Instant};

use copydesk::models::{AnthropicConfig, ModelErrorKind, ModelRequest, OnOverload, Patience, Purpose};
use copydesk_tests::model_server::{Answer, ModelServer};
use serde_json::json;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpListener;

use super::asking::{ask, ask_with, config, request};

#[tokio::test]
async fn a_web_page_is_no_answer_and_is_not_asked_for_again() {
    let page = Answer::response(200, "<html>Please log in</html>").header("content-type", "text/html");
    let server = ModelServer::playing([page]).await;
    let error = ask(&server.url()).await.error.expect("an error");
    assert_eq!(error.kind, ModelErrorKind::Malformed);
    let url = server.url();
    assert_eq!(
        error.message,
        format!(
            "The answer of {url} is not what the Messages API sends: it is `text/html`. Check that the base URL leads to it."
        )
    );
}

#[tokio::test]
async fn a_stream_cut_before_a_block_was_finished_is_asked_for_again() {
    let server = ModelServer::playing([
        Answer::new().beginning_to_say("The answer is").cut(),
        Answer::new().beginning_to_say("The").ending_early(),
        Answer::new().beginning_to_say("Half").failing("overloaded_error", "Overloaded"),
        Answer::says("The answer is 42."),
    ])
    .await;
    let told = ask(&server.url()).await;
    told.check_whole("The answer is 42.");
    assert_eq!(told.retries.len(), 3, "{:?}", told.retries);
    let bodies: Vec<Vec<u8>> = server.requests().into_iter().map(|request| request.bytes).collect();
    assert!(bodies.windows(2).all(|pair| pair[0] == pair[1]), "the same request, byte for byte");
}

#[tokio::test]
async fn a_stream_cut_after_a_finished_block_is_an_error() {
    let server = ModelServer::playing([Answer::calls("Read", json!({})).ending_early()]).await;
    let told = ask(&server.url()).await;
    told.check_error(
        ModelErrorKind::StreamCut,
        "The connection broke before the answer was complete (the stream ended without a stop reason). Try again.",
    );
    let server = ModelServer::playing([Answer::says("So.").failing("overloaded_error", "Overloaded")]).await;
    ask(&server.url()).await.check_error(
        ModelErrorKind::Overloaded,
        "The model is overloaded in the middle of the answer: Overloaded. Try again in a while.",
    );
}

#[tokio::test]
async fn silence_is_not_waited_for_without_end() {
    let silent = || Answer::new().beginning_to_say("so").stalling();
    let server = ModelServer::playing([silent(), silent()]).await;
    let mut config = config(&server.url());
    config.patience.limit = Some(Duration::from_millis(100));
    let told = ask_with(config, request()).await;
    assert_eq!(told.error.map(|error| error.kind), Some(ModelErrorKind::Stalled));
    assert_eq!(told.retries.len(), 1, "once more, and then it is told");
}

#[tokio::test]
async fn throttles_and_overloads_are_waited_out() {
    let server = ModelServer::playing([
        Answer::refusal(429, "rate_limit_error", "Slow down").header("retry-after", "0.2"),
        Answer::refusal(529, "overloaded_error", "Overloaded"),
        Answer::refusal(500, "api_error", "Internal"),
        Answer::says("Here."),
    ])
    .await;
    let started = Instant::now();
    let told = ask(&server.url()).await;
    told.check_whole("Here.");
    assert_eq!(told.reasons()[0], "The rate limit is reached (429): Slow down. Try again in a moment.");
    assert!(started.elapsed() >= Duration::from_millis(200), "the service asked for that");
}

#[tokio::test]
async fn an_endless_overload_ends() {
    let server = ModelServer::playing(vec![Answer::refusal(529, "overloaded_error", "Overloaded"); 4]).await;
    ask(&server.url()).await.check_error(
        ModelErrorKind::Overloaded,
        "The model is overloaded (529): Overloaded. Try again in a while. (4 attempts were made.)",
    );
}

#[tokio::test]
async fn what_will_not_change_is_told_at_once() {
    let refusals = [
        (
            Answer::refusal(400, "invalid_request_error", "max_tokens: too large"),
            ModelErrorKind::InvalidRequest,
        ),
        (Answer::refusal(401, "authentication_error", "invalid x-api-key"), ModelErrorKind::Authentication),
        (Answer::refusal(403, "permission_error", "not allowed"), ModelErrorKind::Permission),
        (Answer::refusal(404, "not_found_error", "model: claude-x"), ModelErrorKind::UnknownModel),
        (
            Answer::refusal(400, "invalid_request_error", "prompt is too long: 9 > 8"),
            ModelErrorKind::PromptTooLong,
        ),
        (
            Answer::refusal(429, "rate_limit_error", "x").header("retry-after", "86400"),
            ModelErrorKind::RateLimit,
        ),
        (
            Answer::refusal(529, "overloaded_error", "x").header("x-should-retry", "false"),
            ModelErrorKind::Overloaded,
        ),
        (
            Answer::response(307, "").header("location", "http://elsewhere.example"),
            ModelErrorKind::InvalidRequest,
        ),
    ];
    for (answer, kind) in refusals {
        let server = ModelServer::playing([answer]).await;
        let told = ask(&server.url()).await;
        assert_eq!(told.error.as_ref().map(|error| error.kind), Some(kind), "{told:?}");
        assert_eq!(server.requests().len(), 1, "{kind:?}");
    }
}

#[tokio::test]
async fn nobody_there_and_no_address() {
    let gone = ModelServer::playing([]).await.url();
    let told = ask(&gone).await;
    let error = told.error.expect("an error");
    assert_eq!((error.kind, told.retries.len()), (ModelErrorKind::Unreachable, 0));
    let (cause, step) = (format!("Nothing answers at {gone}"), "Start the model's server");
    assert!(error.message.starts_with(&cause) && error.message.contains(step), "{}", error.message);
    ask("api.example").await.check_error(
        ModelErrorKind::Unreachable,
        "The base URL of the model is no web address. It begins with https:// or http://.",
    );
}

#[tokio::test]
async fn what_is_no_messages_api_is_told_so() {
    let server = ModelServer::playing([Answer::new().raw("data: <html>")]).await;
    let told = ask(&server.url()).await;
    assert_eq!(told.error.map(|error| error.kind), Some(ModelErrorKind::Malformed));
}

#[tokio::test]
async fn an_overload_is_left_to_another_model_or_to_later() {
    let overloaded = || Answer::refusal(529, "overloaded_error", "Overloaded");
    let mut config = config("");
    config.retry.attempts = 10;
    let check = async |request: ModelRequest, requests: usize| {
        let server = ModelServer::playing(vec![overloaded(); requests]).await;
        let config = AnthropicConfig { base_url: server.url(), ..config.clone() };
        let told = ask_with(config, request).await;
        assert_eq!(told.error.map(|error| error.kind), Some(ModelErrorKind::Overloaded));
    };
    check(ModelRequest { on_overload: OnOverload::Yield, ..request() }, 3).await;
    check(ModelRequest { purpose: Purpose::Background, ..request() }, 1).await;
    check(request(), 10).await;
}

#[tokio::test]
async fn an_account_without_money_is_not_asked_again() {
    let spent = r#"{"type":"error","error":{"type":"rate_limit_error","message":"Spent","details":{"error_code":"enforced_spend_limit_reached"}}}"#;
    let server = ModelServer::playing([Answer::response(429, spent)]).await;
    ask(&server.url()).await.check_error(
        ModelErrorKind::Billing,
        "The account has no credit left, or reached its spend limit (429): Spent. Check the plan and the limits of the account.",
    );
}

#[tokio::test]
async fn silence_is_announced_while_it_lasts() {
    let slow = Answer::new().pausing(Duration::from_millis(250)).saying("Here.");
    let server = ModelServer::playing([slow]).await;
    let mut config = config(&server.url());
    config.patience = Patience { notice: Some(Duration::from_millis(100)), limit: None };
    let told = ask_with(config, request()).await;
    told.check_whole("Here.");
    let silences: Vec<u128> = told.silences.iter().map(Duration::as_millis).collect();
    assert_eq!(silences, [100, 200]);
}

#[tokio::test]
async fn an_address_that_speaks_no_tls_is_tried_once() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    tokio::spawn(async move {
        while let Ok((mut connection, _)) = listener.accept().await {
            let _ = connection.write_all(b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n").await;
        }
    });
    let told = ask(&format!("https://{address}")).await;
    let error = told.error.expect("an error");
    assert_eq!((error.kind, told.retries.len()), (ModelErrorKind::Unreachable, 0), "{error:?}");
    assert!(
        error.message.ends_with("It does not speak TLS: does its address begin with http://?"),
        "{error:?}"
    );
}

#[tokio::test]
async fn what_comes_instead_of_an_answer_is_told_clearly() {
    let page = || Answer::response(200, "<html>Please log in</html>").header("content-type", "text/html");
    let start = "data: {\"type\":\"message_start\",\"message\":{\"id\":\"m\"}}\n\n";
    let chat = "data: {\"choices\":[{\"delta\":{\"content\":\"Hi\"}}]}\n\ndata: [DONE]\n\n";
    for (answer, says) in [
        (page(), "it is `text/html`"),
        (Answer::response(200, ""), "it is `application/json`"),
        (Answer::response(200, "{\"choices\":[]}"), "it is `application/json`"),
        (Answer::stream(chat), "expected value"),
        (Answer::stream(format!("{start}{start}")), "a second message begins in the middle of the first"),
    ] {
        let server = ModelServer::playing([answer]).await;
        let error = ask(&server.url()).await.error.expect("an error");
        assert_eq!(error.kind, ModelErrorKind::Malformed, "{error}");
        assert!(error.message.contains(says), "{error}");
    }
    let nothing = || Answer::stream("");
    let server = ModelServer::playing(vec![nothing(); 4]).await;
    let told = ask(&server.url()).await;
    assert_eq!(
        (told.error.map(|error| error.kind), told.retries.len()),
        (Some(ModelErrorKind::StreamCut), 3)
    );
}
