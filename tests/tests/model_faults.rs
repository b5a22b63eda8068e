//! What a person sees when the model's service misbehaves: the real program against a service that plays every fault.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test that can't go on ends with its cause"
)]

use copydesk_tests::client::{Client, FAKE_KEY, Home, full_capabilities};
use copydesk_tests::model_server::{Answer, ModelServer};
use copydesk_tests::person::ask;
use serde_json::Value;

/// What became of a task.
struct Seen {
    reason: String,
    /// For the person.
    message: String,
    /// The text that streamed in.
    text: String,
    /// The reasons of the retries.
    retries: Vec<String>,
    requests: usize,
}

/// Plays `answers` to one task. What a request too many or too few is, the service says itself.
async fn play(answers: Vec<Answer>, environment: &[(&str, &str)], settings: &str) -> Seen {
    let server = ModelServer::playing(answers).await;
    let mut home = Home::new();
    home.environment.push(("ANTHROPIC_BASE_URL".to_owned(), server.url()));
    home.environment
        .extend(environment.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
    home.write("../config/copydesk/config.toml", settings);
    let mut client = Client::start(&home);
    client.initialize(&home, full_capabilities()).await;
    ask(&mut client, "go").await;
    let seen = follow(&mut client).await;
    assert_eq!(client.close().await, 0);
    Seen { requests: server.requests().len(), ..seen }
}

async fn follow(client: &mut Client) -> Seen {
    let mut seen = Seen {
        reason: String::new(),
        message: String::new(),
        text: String::new(),
        retries: Vec::new(),
        requests: 0,
    };
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    while seen.reason.is_empty() {
        let event = client.notification("copydesk/event", |_| true).await["event"].take();
        match event["type"].as_str().unwrap_or_default() {
            "stream" => seen.text.push_str(&text(&event["delta"]["text"])),
            "retry" => seen.retries.push(text(&event["reason"])),
            "terminal" => (seen.reason, seen.message) = (text(&event["reason"]), text(&event["message"])),
            _ => {}
        }
    }
    seen
}

const KEY: (&str, &str) = ("ANTHROPIC_API_KEY", FAKE_KEY);
const TWICE: &str = "[model]\nattempts = 2\n";

#[track_caller]
fn check(seen: &Seen, reason: &str, says: &str, requests: usize) {
    let found = (seen.reason.as_str(), seen.requests);
    assert_eq!(found, (reason, requests), "{} {:?}", seen.message, seen.retries);
    assert!(seen.message.contains(says), "{:?} in {:?}", says, seen.message);
    assert!(!seen.message.contains("FAKE"), "{}", seen.message);
}

#[tokio::test]
async fn each_refusal_says_what_happened_and_what_to_do() {
    for (answer, says) in [
        (Answer::refusal(401, "authentication_error", "invalid x-api-key"), "Check the key"),
        (Answer::refusal(402, "billing_error", "no"), "has no credit left"),
        (Answer::refusal(403, "permission_error", "no"), "The API key may not do this"),
        (Answer::refusal(404, "not_found_error", "model: x"), "There is no model"),
        (Answer::response(302, "").header("location", "/login"), "only leads elsewhere"),
        (
            Answer::refusal(429, "rate_limit_error", "Slow down").header("retry-after", "86400"),
            "Try again in 24 hours.",
        ),
    ] {
        let seen = play(vec![answer], &[KEY], "").await;
        check(&seen, "model_error", says, 1);
    }
}

#[tokio::test]
async fn a_web_page_is_no_answer() {
    let page = Answer::response(200, "<html>Please log in</html>").header("content-type", "text/html");
    let seen = play(vec![page], &[KEY], "").await;
    check(&seen, "model_error", "Check that the base URL leads to it.", 1);
}

#[tokio::test]
async fn a_service_that_stays_broken_is_given_up() {
    let overloaded = || Answer::refusal(529, "overloaded_error", "Overloaded");
    let seen = play(vec![overloaded(), overloaded()], &[KEY], TWICE).await;
    check(&seen, "model_error", "(2 attempts were made.)", 2);
    assert_eq!(seen.retries, ["The model is overloaded (529): Overloaded. Try again in a while."]);

    let broken = || Answer::new().beginning_to_say("So it").cut();
    let seen = play(vec![broken(), broken()], &[KEY], TWICE).await;
    check(&seen, "model_error", "The connection broke before the answer was complete", 2);

    let nothing = || Answer::stream("");
    let seen = play(vec![nothing(), nothing()], &[KEY], TWICE).await;
    check(&seen, "model_error", "the stream ended without a stop reason", 2);
}

#[tokio::test]
async fn a_service_that_falls_silent_is_left_after_the_time_that_is_set() {
    let silent = || Answer::new().beginning_to_say("so").stalling();
    let seen = play(vec![silent(), silent()], &[KEY], "[anthropic]\nidle_timeout_ms = 200\n").await;
    check(&seen, "model_error", "The model sent nothing for a moment. Try again.", 2);
}

#[tokio::test]
async fn a_token_is_enough_to_ask_with() {
    let token = ("ANTHROPIC_AUTH_TOKEN", "token-FAKE-0123456789");
    let seen = play(vec![Answer::says("Here.")], &[token], "").await;
    check(&seen, "completed", "", 1);
    assert_eq!(seen.text, "Here.");
}

#[tokio::test]
async fn half_a_character_costs_no_answer() {
    let start = r#"data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#;
    let half =
        r#"data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a\ud83d b"}}"#;
    let stop = r#"data: {"type":"content_block_stop","index":0}"#;
    let answer = Answer::new().raw(start).raw(half).raw(stop);
    let seen = play(vec![answer], &[KEY], "").await;
    check(&seen, "completed", "", 1);
    assert_eq!(seen.text, "a\u{fffd} b");
}

/// A service that says each event twice has said nothing that could be trusted: no call of it is run, and the person is told.
#[tokio::test]
async fn a_stream_that_repeats_its_events_runs_nothing() {
    let events = [
        r#"{"type":"message_start","message":{"id":"m","usage":{"input_tokens":1}}}"#,
        r#"{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t","name":"Bash","input":{}}}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"command\":\"ls\"}"}}"#,
        r#"{"type":"content_block_stop","index":0}"#,
        r#"{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":1}}"#,
        r#"{"type":"message_stop"}"#,
    ];
    let written = |event: &&str| format!("data: {event}\n\n");
    let each_twice: String = events.iter().map(|event| written(event).repeat(2)).collect();
    let seen = play(vec![Answer::stream(each_twice)], &[KEY], "[model]\nattempts = 1\n").await;
    check(&seen, "model_error", "a second message begins in the middle of the first", 1);

    let text = [
        events[0],
        r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"Here."}}"#,
        events[3],
        r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":1}}"#,
        events[5],
    ];
    let again = Answer::stream(text.iter().map(written).collect::<String>().repeat(2));
    let seen = play(vec![again], &[KEY], "").await;
    check(&seen, "completed", "", 1);
}
