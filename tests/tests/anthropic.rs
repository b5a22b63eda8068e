//! The Anthropic provider against real HTTP: whole answers, broken ones, refusals, and nobody there.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test that can't go on ends with its cause"
)]

use std::sync::Arc;
use std::time::{Duration, Instant};

use copydesk::config::{ApiKey, Effort};
use copydesk::conversation::{ApiMessage, ContentBlock, Role, StopReason, ToolUseId};
use copydesk::models::{
    Anthropic, AnthropicConfig, BlockDelta, ClearedInputs, ContextEdit, Credential, EditTrigger, ModelError,
    ModelErrorKind, ModelRequest, OnOverload, Patience, Provider, ProviderEvent, Purpose, Renewal,
    RetryPolicy, Thinking, ToolDefinition,
};
use copydesk_tests::model_server::{Answer, ModelServer};
use futures::StreamExt;
use serde_json::json;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpListener;

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
    /// The model and the request as the answer names them.
    origin: (String, Option<String>),
    /// Whole seconds are too long for a test: milliseconds of each announced silence.
    silences: Vec<u128>,
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
    ask_of(&Anthropic::new(config), request).await
}

async fn ask_of(provider: &Anthropic, request: ModelRequest) -> Told {
    let mut told = Told::default();
    let mut stream = provider.stream(request);
    while let Some(event) = stream.next().await {
        match event {
            Ok(ProviderEvent::MessageStart { model, request_id, .. }) => {
                (told.text, told.blocks) = (String::new(), Vec::new());
                told.origin = (model, request_id);
            }
            Ok(ProviderEvent::Silence { lasted }) => told.silences.push(lasted.as_millis()),
            Ok(ProviderEvent::BlockDelta { delta: BlockDelta::Text(piece), .. }) => {
                told.text.push_str(&piece);
            }
            Ok(ProviderEvent::BlockStop { block, .. }) => told.blocks.push(block),
            Ok(ProviderEvent::MessageDelta { stop_reason, .. }) => told.stop_reason = stop_reason,
            Ok(ProviderEvent::MessageStop) => told.stopped = true,
            Ok(ProviderEvent::Retry { reason, .. }) => told.retries.push(reason),
            Ok(ProviderEvent::BlockStart { .. } | ProviderEvent::BlockDelta { .. }) => {}
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
        deferred: false,
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
    request.messages.push(Arc::new(ApiMessage { role: Role::Assistant, content: answer }));
    let next = ApiMessage { role: Role::User, content: vec![ContentBlock::text("and?")] };
    request.messages.push(Arc::new(next));
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

#[tokio::test]
async fn a_token_goes_where_gateways_look_for_it_and_is_in_no_text() {
    let said = format!("bad token {KEY}");
    let server =
        ModelServer::playing([Answer::says("Here."), Answer::refusal(403, "permission_error", &said)]).await;
    let mut config = config(&server.url());
    config.credential = Some(Credential::Bearer(ApiKey::new(KEY)));
    ask_with(config.clone(), request()).await.check_whole("Here.");
    let asked = server.last_request();
    let bearer = format!("Bearer {KEY}");
    assert_eq!((asked.header("authorization"), asked.header("x-api-key")), (Some(bearer.as_str()), None));
    let told = format!("{:?} {config:?}", ask_with(config.clone(), request()).await);
    assert!(!told.contains("FAKE") && told.contains("[key]"), "{told}");
}

#[tokio::test]
async fn a_refused_key_is_looked_for_anew_once() {
    let expired = || Answer::refusal(401, "authentication_error", "expired");
    let renewed = |server: &ModelServer, name: &'static str| AnthropicConfig {
        renewal: Some(Renewal::new(move || Some(Credential::Key(ApiKey::new(name))))),
        ..config(&server.url())
    };
    let server = ModelServer::playing([expired(), Answer::says("Here."), Answer::says("Again.")]).await;
    let provider = Anthropic::new(renewed(&server, "new-key"));
    ask_of(&provider, request()).await.check_whole("Here.");
    ask_of(&provider, request()).await.check_whole("Again.");
    let requests = server.requests();
    let keys: Vec<Option<&str>> = requests.iter().map(|request| request.header("x-api-key")).collect();
    assert_eq!(keys, [Some(KEY), Some("new-key"), Some("new-key")]);

    let server = ModelServer::playing([expired(), expired()]).await;
    let told = ask_with(renewed(&server, "new-key"), request()).await;
    assert_eq!(told.error.map(|error| error.kind), Some(ModelErrorKind::Authentication), "and no loop");
    let server = ModelServer::playing([expired()]).await;
    let told = ask_with(renewed(&server, KEY), request()).await;
    assert_eq!(told.error.map(|error| error.kind), Some(ModelErrorKind::Authentication), "the same key");
}

#[tokio::test]
async fn a_beta_header_that_was_sent_once_stays() {
    let server = ModelServer::playing(vec![Answer::says("Here."); 3]).await;
    let provider = Anthropic::new(config(&server.url()));
    let edit = ContextEdit::ClearToolUses {
        trigger: EditTrigger::InputTokens(100_000),
        keep: 3,
        clear_at_least: None,
        exclude_tools: Vec::new(),
        inputs: ClearedInputs::Kept,
    };
    ask_of(&provider, request()).await.check_whole("Here.");
    let editing = ModelRequest { context_edits: vec![edit], ..request() };
    ask_of(&provider, editing).await.check_whole("Here.");
    ask_of(&provider, request()).await.check_whole("Here.");
    let requests = server.requests();
    let betas: Vec<Option<&str>> = requests.iter().map(|request| request.header("anthropic-beta")).collect();
    let sent = Some("context-management-2025-06-27");
    assert_eq!(betas, [None, sent, sent]);
    assert_eq!(requests[1].body["context_management"]["edits"][0]["type"], "clear_tool_uses_20250919");
}

#[tokio::test]
async fn a_request_too_large_for_the_service_is_not_sent() {
    let server = ModelServer::playing([]).await;
    let mut request = request();
    let content = vec![ContentBlock::text("x".repeat(33 * 1024 * 1024))];
    request.messages = vec![Arc::new(ApiMessage { role: Role::User, content })];
    ask_with(config(&server.url()), request).await.check_error(
        ModelErrorKind::RequestTooLarge,
        "The request has 34 MB, and the model's service takes 32 MB. Start a new session, or send fewer images.",
    );
}

#[tokio::test]
async fn an_answer_that_has_no_room_is_asked_for_in_fewer_tokens() {
    let no_room = |input: u32, asked: u32| {
        let said = format!(
            "input length and `max_tokens` exceed context limit: {input} + {asked} > 200000, decrease"
        );
        Answer::refusal(400, "invalid_request_error", &said)
    };
    let server = ModelServer::playing([no_room(190_000, 20_000), Answer::says("Here.")]).await;
    let long = ModelRequest { max_tokens: 20_000, ..request() };
    let told = ask_with(config(&server.url()), long.clone()).await;
    told.check_whole("Here.");
    assert_eq!((told.retries.len(), &server.last_request().body["max_tokens"]), (1, &json!(10_000)));

    let server = ModelServer::playing([no_room(199_000, 20_000)]).await;
    let error = ask_with(config(&server.url()), long.clone()).await.error.expect("an error");
    assert_eq!((error.kind, error.over_by), (ModelErrorKind::PromptTooLong, Some(2_000)));

    let most = "max_tokens: 20000 > 8192, which is the maximum allowed number of output tokens for claude-x";
    let server =
        ModelServer::playing([Answer::refusal(400, "invalid_request_error", most), Answer::says("Here.")])
            .await;
    ask_with(config(&server.url()), long).await.check_whole("Here.");
    assert_eq!(server.last_request().body["max_tokens"], 8_192);

    let server = ModelServer::playing([Answer::says("Here.")]).await;
    let known = AnthropicConfig { model: "claude-3-5-haiku-latest".to_owned(), ..config(&server.url()) };
    let long = ModelRequest { max_tokens: 20_000, ..request() };
    ask_with(known, long).await.check_whole("Here.");
    assert_eq!(server.last_request().body["max_tokens"], 8_192, "what is known is not asked for in vain");
}

#[tokio::test]
async fn a_prompt_that_is_too_long_says_by_how_much() {
    let said = "prompt is too long: 205000 tokens > 200000 maximum";
    let server = ModelServer::playing([Answer::refusal(400, "invalid_request_error", said)]).await;
    let error = ask(&server.url()).await.error.expect("an error");
    assert_eq!((error.kind, error.over_by), (ModelErrorKind::PromptTooLong, Some(5_000)));
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
    assert_eq!(told.silences, [100, 200]);
}

#[tokio::test]
async fn a_model_is_asked_to_think_as_it_can_and_never_again_as_it_cannot() {
    let server = ModelServer::playing(vec![Answer::says("Here."); 2]).await;
    let of = |model: &str, url: String| AnthropicConfig {
        model: model.to_owned(),
        effort: Some(Effort::High),
        ..config(&url)
    };
    ask_with(of("claude-sonnet-5", server.url()), request()).await.check_whole("Here.");
    let body = server.last_request().body;
    assert_eq!(body["thinking"], json!({ "type": "adaptive", "display": "summarized" }));
    assert_eq!(body["output_config"], json!({ "effort": "high" }));
    let budget = AnthropicConfig {
        thinking: Some(Thinking::Enabled { budget_tokens: 9_000 }),
        ..of("claude-haiku-4-5", server.url())
    };
    ask_with(budget, ModelRequest { max_tokens: 4_000, ..request() }).await.check_whole("Here.");
    let asked = server.last_request();
    assert_eq!(asked.body["thinking"], json!({ "type": "enabled", "budget_tokens": 3_000 }));
    assert_eq!(asked.header("anthropic-beta"), Some("interleaved-thinking-2025-05-14"));
    assert_eq!(asked.body["output_config"], json!(null), "it takes no effort");

    let unknown = "adaptive thinking is not supported on this model";
    let server = ModelServer::playing([
        Answer::refusal(400, "invalid_request_error", unknown),
        Answer::says("Here."),
        Answer::says("Again."),
    ])
    .await;
    let provider = Anthropic::new(of("claude-sonnet-5", server.url()));
    ask_of(&provider, request()).await.check_whole("Here.");
    ask_of(&provider, request()).await.check_whole("Again.");
    let asked: Vec<bool> =
        server.requests().iter().map(|request| request.body["thinking"].is_object()).collect();
    assert_eq!(asked, [true, false, false]);
}

#[tokio::test]
async fn an_answer_names_the_model_as_it_was_asked_and_the_request_as_the_service_does() {
    let server = ModelServer::playing([Answer::says("Here.").header("request-id", "req_42")]).await;
    let told = ask(&server.url()).await;
    assert_eq!(told.origin, ("claude-x".to_owned(), Some("req_42".to_owned())));
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

#[tokio::test]
async fn a_request_is_counted_without_being_answered() {
    let server = ModelServer::playing([]).await;
    assert_eq!(Anthropic::new(config(&server.url())).count(request()).await, Some(2_095));
    assert_eq!(server.requests().len(), 0);
    let nobody = Anthropic::new(config("http://127.0.0.1:9"));
    assert_eq!(nobody.count(request()).await, None);
}
