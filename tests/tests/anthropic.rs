//! The Anthropic provider against real HTTP: whole answers, broken ones, refusals, and nobody there.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test that can't go on ends with its cause"
)]

use std::time::{Duration, Instant};

use copydesk::config::ApiKey;
use copydesk::conversation::{ApiMessage, ContentBlock, Role, StopReason, ToolUseId};
use copydesk::models::{
    Anthropic, AnthropicConfig, BlockDelta, Credential, ModelError, ModelErrorKind, ModelRequest, Provider,
    ProviderEvent, RetryPolicy, ToolDefinition,
};
use copydesk_tests::model_server::{Answer, ModelServer};
use futures::StreamExt;
use serde_json::json;

const KEY: &str = "sk-ant-FAKE-0123456789abcdef";

/// What a stream came to.
#[derive(Debug, Default)]
struct Told {
    /// Of the last message begun: its text as it streamed.
    text: String,
    /// Of the last message begun: its finished blocks.
    blocks: Vec<ContentBlock>,
    stop_reason: Option<StopReason>,
    stopped: bool,
    /// The reasons of the retries.
    retries: Vec<String>,
    error: Option<ModelError>,
}

impl Told {
    #[track_caller]
    fn check_whole(&self, text: &str) {
        assert_eq!((self.text.as_str(), self.stopped, &self.error), (text, true, &None));
    }

    #[track_caller]
    fn check_error(&self, kind: ModelErrorKind, message: &str) {
        let error = self.error.as_ref().expect("an error");
        assert_eq!((error.kind, error.message.as_str()), (kind, message));
        assert!(!self.stopped, "no answer was complete");
    }
}

async fn ask(url: &str) -> Told {
    ask_with(config(url), request()).await
}

async fn ask_with(config: AnthropicConfig, request: ModelRequest) -> Told {
    let mut told = Told::default();
    let mut stream = Anthropic::new(config).stream(request);
    while let Some(event) = stream.next().await {
        match event {
            Ok(ProviderEvent::MessageStart { .. }) => (told.text, told.blocks) = (String::new(), Vec::new()),
            Ok(ProviderEvent::BlockDelta { delta: BlockDelta::Text(piece), .. }) => {
                told.text.push_str(&piece);
            }
            Ok(ProviderEvent::BlockStop { block, .. }) => told.blocks.push(block),
            Ok(ProviderEvent::MessageDelta { stop_reason, .. }) => told.stop_reason = stop_reason,
            Ok(ProviderEvent::MessageStop) => told.stopped = true,
            Ok(ProviderEvent::Retry { reason, .. }) => told.retries.push(reason),
            Ok(
                ProviderEvent::BlockStart { .. }
                | ProviderEvent::BlockDelta { .. }
                | ProviderEvent::Silence { .. },
            ) => {}
            Err(error) => told.error = Some(error),
        }
    }
    told
}

/// The usual configuration with waits that a test can afford.
fn config(url: &str) -> AnthropicConfig {
    let mut config = AnthropicConfig::new(Some(Credential::Key(ApiKey::new(KEY))), "claude-x");
    url.clone_into(&mut config.base_url);
    config.retry =
        RetryPolicy { first_wait: Duration::from_millis(1), attempts: 4, ..RetryPolicy::default() };
    config
}

fn request() -> ModelRequest {
    let tool = ToolDefinition {
        name: "Read".to_owned(),
        description: "Reads.".to_owned(),
        input_schema: json!({ "type": "object" }),
    };
    let prompt = ApiMessage { role: Role::User, content: vec![ContentBlock::text("go")] };
    ModelRequest::new(vec!["You edit.".to_owned()], vec![tool], vec![prompt], 1_000)
}

#[tokio::test]
async fn a_plain_answer() {
    let server = ModelServer::playing([Answer::says("All is well.")]).await;
    let told = ask(&server.url()).await;
    told.check_whole("All is well.");
    assert_eq!(
        (told.stop_reason, told.blocks),
        (Some(StopReason::EndTurn), vec![ContentBlock::text("All is well.")])
    );
    let request = server.last_request();
    assert_eq!(request.header("x-api-key"), Some(KEY));
    assert_eq!((&request.body["model"], &request.body["max_tokens"]), (&json!("claude-x"), &json!(1_000)));
}

#[tokio::test]
async fn thinking_text_and_calls_in_one_answer() {
    let input = json!({ "file_path": "größe.rs", "nested": [1, { "a": null }] });
    let answer = Answer::new().thinking("first \u{2028}").saying("I look.").calling("Read", input.clone());
    let server = ModelServer::playing([answer]).await;
    let told = ask(&server.url()).await;
    told.check_whole("I look.");
    assert_eq!(told.stop_reason, Some(StopReason::ToolUse));
    assert_eq!(
        told.blocks,
        [
            ContentBlock::Thinking { thinking: "first \u{2028}".into(), signature: "signed-1-0".into() },
            ContentBlock::text("I look."),
            ContentBlock::ToolUse { id: ToolUseId("toolu_1_2".into()), name: "Read".into(), input },
        ]
    );
}

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
async fn bytes_may_be_split_anywhere() {
    for pieces in [1, 2, 3, 7] {
        let server =
            ModelServer::playing([Answer::says("héllo 世界 🌍\u{2028}end").in_pieces_of(pieces)]).await;
        ask(&server.url()).await.check_whole("héllo 世界 🌍\u{2028}end");
    }
}

#[tokio::test]
async fn pings_and_unknown_events_are_passed_over() {
    let answer = Answer::new()
        .raw("event: ping\ndata: {\"type\":\"ping\"}")
        .raw(": a comment")
        .raw("event: novelty\ndata: {\"type\":\"novelty\",\"index\":9}")
        .saying("Here.");
    let server = ModelServer::playing([answer]).await;
    ask(&server.url()).await.check_whole("Here.");
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
async fn a_whole_answer_without_its_last_event_is_whole() {
    let answer = Answer::says("Done.")
        .raw("data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{}}")
        .cut();
    let server = ModelServer::playing([answer]).await;
    ask(&server.url()).await.check_whole("Done.");
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
    assert_eq!(told.retries[0], "The rate limit is reached (429): Slow down. Try again in a moment.");
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
async fn the_key_is_in_no_text() {
    for said in [format!("bad key {KEY}"), format!("bad key {}…", &KEY[..20]), format!("x-api-key: {KEY}")]
    {
        let server = ModelServer::playing([Answer::refusal(401, "authentication_error", &said)]).await;
        let told = format!("{:?}", ask(&server.url()).await);
        assert!(!told.contains("FAKE") && told.contains("[key]"), "{told}");
    }
    assert!(!format!("{:?}", Anthropic::new(config("http://127.0.0.1"))).contains("FAKE"));
}

#[tokio::test]
async fn nobody_there_and_no_address() {
    let gone = ModelServer::playing([]).await.url();
    let told = ask(&gone).await;
    let error = told.error.expect("an error");
    assert_eq!((error.kind, told.retries.len()), (ModelErrorKind::Unreachable, 3));
    let (cause, step) =
        (format!("{gone} could not be reached: "), "Check the network, the proxy settings and the base URL.");
    assert!(error.message.starts_with(&cause) && error.message.contains(step), "{}", error.message);
    ask("api.example").await.check_error(
        ModelErrorKind::Unreachable,
        "The base URL of the model is no web address. It begins with https:// or http://.",
    );
}

#[tokio::test]
async fn without_a_key_nothing_is_sent() {
    let server = ModelServer::playing([]).await;
    let mut config = config(&server.url());
    config.credential = None;
    ask_with(config, request()).await.check_error(
        ModelErrorKind::Authentication,
        "There is no key for the model: set ANTHROPIC_API_KEY, or choose the offline model.",
    );
}

#[tokio::test]
async fn what_is_no_messages_api_is_told_so() {
    let server = ModelServer::playing([Answer::new().raw("data: <html>")]).await;
    let told = ask(&server.url()).await;
    assert_eq!(told.error.map(|error| error.kind), Some(ModelErrorKind::Malformed));
}

#[tokio::test]
async fn thinking_that_the_model_did_not_sign_is_left_out_once() {
    let mut request = request();
    let thinking = ContentBlock::Thinking { thinking: "hm".into(), signature: "other".into() };
    let answer = vec![thinking, ContentBlock::text("ok")];
    request.messages.push(ApiMessage { role: Role::Assistant, content: answer });
    request.messages.push(ApiMessage { role: Role::User, content: vec![ContentBlock::text("and?")] });
    let refusal = || Answer::refusal(400, "invalid_request_error", "Invalid `signature` in `thinking` block");
    let server = ModelServer::playing([refusal(), Answer::says("Yes.")]).await;
    ask_with(config(&server.url()), request.clone()).await.check_whole("Yes.");
    assert_eq!(server.last_request().messages()[1]["content"], json!([{ "type": "text", "text": "ok" }]));
    let server = ModelServer::playing([refusal(), refusal()]).await;
    let told = ask_with(config(&server.url()), request).await;
    assert_eq!(told.error.map(|error| error.kind), Some(ModelErrorKind::InvalidRequest), "and no loop");
}

#[tokio::test]
async fn dropping_the_stream_closes_the_connection() {
    let server = ModelServer::playing([Answer::new().beginning_to_say("so it").stalling()]).await;
    let mut stream = Anthropic::new(config(&server.url())).stream(request());
    while let Some(event) = stream.next().await {
        if matches!(event, Ok(ProviderEvent::BlockDelta { .. })) {
            break;
        }
    }
    drop(stream);
    server.hung_up(1).await;
}
