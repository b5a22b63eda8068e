//! A task of many rounds in a small window, through the real program: the conversation is summarised again and again, and
//! what the model is sent stays as short as it was.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test ends where it can't go on"
)]

use copydesk_tests::client::{Client, Home, full_capabilities};
use copydesk_tests::model_server::{Answer, ModelServer, Request};
use copydesk_tests::person::ask;
use serde_json::json;

const ROUNDS: usize = 90;

/// Tokens, as a service would count them.
fn tokens(request: &Request) -> usize {
    request.bytes.len() / 4
}

fn is_summary(request: &Request) -> bool {
    request.body["tool_choice"]["type"] == "none"
}

#[tokio::test]
async fn the_conversation_is_summarised_as_often_as_it_is_full_and_requests_grow_no_longer() {
    let mut home = Home::new();
    for number in 0..ROUNDS {
        home.write(&format!("{number}.txt"), format!("file {number}: a line of some length\n").repeat(120));
    }
    let paths: Vec<String> =
        (0..ROUNDS).map(|number| home.path(&format!("{number}.txt")).to_str().unwrap().to_owned()).collect();
    let mut round = 0;
    let server = ModelServer::answering(move |request| {
        let counted = json!({
            "type": "message_delta", "delta": {},
            "usage": { "input_tokens": tokens(request), "output_tokens": 10 },
        });
        let count = format!("event: message_delta\ndata: {counted}");
        if is_summary(request) {
            return Answer::says("Some files were read.").raw(count);
        }
        round += 1;
        match paths.get(round - 1) {
            Some(path) => Answer::calls("Read", json!({ "file_path": path })).raw(count),
            None => Answer::says("All are read.").raw(count),
        }
    })
    .await;
    home.environment.push(("ANTHROPIC_API_KEY".to_owned(), "not-a-key".to_owned()));
    home.environment.push(("ANTHROPIC_BASE_URL".to_owned(), server.url()));
    home.write("../config/copydesk/config.toml", "[model]\ncontext_window = 48000\n");
    let mut client = Client::start(&home);
    client.initialize(&home, full_capabilities()).await;
    ask(&mut client, "read them all").await;
    let end = client.notification("copydesk/event", |params| params["event"]["type"] == "terminal").await;
    assert_eq!(end["event"]["reason"], "completed", "{end}");

    let requests = server.requests();
    let (summaries, rounds): (Vec<_>, Vec<_>) = requests.iter().partition(|request| is_summary(request));
    assert_eq!(rounds.len(), ROUNDS + 1);
    assert!(summaries.len() >= 3, "{} summaries", summaries.len());
    let longest = |requests: &[&Request]| requests.iter().map(|request| tokens(request)).max().unwrap();
    let (early, late) = rounds.split_at(ROUNDS / 2);
    assert!(longest(late) <= longest(early) * 11 / 10, "{} after {}", longest(late), longest(early));
    assert_eq!(client.close().await, 0);
}
