//! Whole answers, in whatever pieces they come.

use copydesk::conversation::{ContentBlock, StopReason, ToolUseId};
use copydesk::models::{Anthropic, Provider, ProviderEvent};
use copydesk_tests::model_server::{Answer, ModelServer};
use futures::StreamExt;
use serde_json::json;

use super::asking::{KEY, ask, config, request};

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
async fn a_whole_answer_without_its_last_event_is_whole() {
    let answer = Answer::says("Done.")
        .raw("data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{}}")
        .cut();
    let server = ModelServer::playing([answer]).await;
    ask(&server.url()).await.check_whole("Done.");
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
async fn an_answer_names_the_model_as_it_was_asked_and_the_request_as_the_service_does() {
    let server = ModelServer::playing([Answer::says("Here.").header("request-id", "req_42")]).await;
    let told = ask(&server.url()).await;
    assert_eq!(told.origin, ("claude-x".to_owned(), Some("req_42".to_owned())));
}
