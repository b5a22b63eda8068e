//! What is sent, and how it is changed where the service does not take it.

use std::sync::Arc;

use copydesk::config::Effort;
use copydesk::conversation::{ApiMessage, ContentBlock, Role};
use copydesk::models::{
    Anthropic, AnthropicConfig, ClearedInputs, ContextEdit, EditTrigger, ModelErrorKind, ModelRequest,
    Provider, Thinking,
};
use copydesk_tests::heard::heard;
use copydesk_tests::model_server::{Answer, ModelServer};
use serde_json::json;

use super::asking::{ask, ask_with, config, request};

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
async fn thinking_that_was_refused_is_not_shown_again() {
    let say = |role, content| Arc::new(ApiMessage { role, content });
    let thought =
        |signature: &str| ContentBlock::Thinking { thinking: "hm".into(), signature: signature.into() };
    let answered = |signature: &str| say(Role::Assistant, vec![thought(signature), ContentBlock::text("ok")]);
    let more = || say(Role::User, vec![ContentBlock::text("and?")]);
    let refusal = Answer::refusal(400, "invalid_request_error", "Invalid `signature` in `thinking` block");
    let server = ModelServer::playing([refusal, Answer::says("Yes."), Answer::says("Yes.")]).await;
    let provider = Anthropic::new(config(&server.url()));
    let mut request = request();
    request.messages.extend([answered("other"), more()]);
    heard(&provider, request.clone()).await.check_whole("Yes.");
    request.messages.extend([answered("own"), more()]);
    heard(&provider, request).await.check_whole("Yes.");
    let asked = server.requests();
    assert_eq!(asked.len(), 3, "refused once");
    let content = |at: usize| asked[2].messages()[at]["content"].clone();
    let words = json!({ "type": "text", "text": "ok" });
    assert_eq!(content(1), json!([words]));
    assert_eq!(content(3), json!([{ "type": "thinking", "thinking": "hm", "signature": "own" }, words]));
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
    heard(&provider, request()).await.check_whole("Here.");
    let editing = ModelRequest { context_edits: vec![edit], ..request() };
    heard(&provider, editing).await.check_whole("Here.");
    heard(&provider, request()).await.check_whole("Here.");
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
    heard(&provider, request()).await.check_whole("Here.");
    heard(&provider, request()).await.check_whole("Again.");
    let asked: Vec<bool> =
        server.requests().iter().map(|request| request.body["thinking"].is_object()).collect();
    assert_eq!(asked, [true, false, false]);
}

#[tokio::test]
async fn a_request_is_counted_without_being_answered() {
    let server = ModelServer::playing([]).await;
    assert_eq!(Anthropic::new(config(&server.url())).count(request()).await, Some(2_095));
    assert_eq!(server.requests().len(), 0);
    let nobody = Anthropic::new(config("http://127.0.0.1:9"));
    assert_eq!(nobody.count(request()).await, None);
}
