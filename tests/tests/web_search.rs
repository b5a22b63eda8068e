//! WebSearch as it goes to the model's service and comes back, through the real program.

#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a test that can't go on ends with its cause"
)]

use std::process::Stdio;

use copydesk_tests::client::Home;
use copydesk_tests::model_server::{Answer, ModelServer, Request};
use serde_json::{Value, json};

const CONFIG: &str = "[tools]\nweb_search = true\n";

/// The stream of a service that has searched: a call of its own, what it found, and words about it.
fn searched() -> Answer {
    let event = |data: Value| format!("event: {}\ndata: {data}\n\n", data["type"].as_str().unwrap());
    let block = |index: usize, block: Value| {
        event(json!({ "type": "content_block_start", "index": index, "content_block": block }))
            + &event(json!({ "type": "content_block_stop", "index": index }))
    };
    let message = json!({
        "id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": [],
        "stop_reason": null, "stop_sequence": null, "usage": { "input_tokens": 5, "output_tokens": 1 },
    });
    let call = json!({ "type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": { "query": "serde" } });
    let found = json!({ "type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": [
        { "type": "web_search_result", "title": "serde", "url": "https://docs.rs/serde", "encrypted_content": "x" },
    ] });
    let stream = [
        event(json!({ "type": "message_start", "message": message })),
        block(0, call),
        block(1, found),
        block(2, json!({ "type": "text", "text": "It is 1.0." })),
        event(
            json!({ "type": "message_delta", "delta": { "stop_reason": "end_turn", "stop_sequence": null },
            "usage": { "output_tokens": 9 } }),
        ),
        event(json!({ "type": "message_stop" })),
    ];
    Answer::stream(stream.concat())
}

fn searches(request: &Request) -> bool {
    request.body["tools"]
        .as_array()
        .is_some_and(|tools| tools.iter().any(|tool| tool["name"] == "web_search"))
}

async fn run(config: &str, arguments: &[&str]) -> (String, ModelServer) {
    let mut home = Home::new();
    home.write("../config/copydesk/config.toml", config);
    let model = ModelServer::answering(|request| {
        if searches(request) {
            return searched();
        }
        match request.results().len() {
            0 => {
                Answer::calls("WebSearch", json!({ "query": "newest serde", "allowed_domains": ["docs.rs"] }))
            }
            _ => Answer::says("Done."),
        }
    })
    .await;
    home.asks(&model.url());
    let mut command = tokio::process::Command::from(home.command(&["run"]));
    let output = command.args(arguments).arg("go on").stdin(Stdio::null()).output().await.unwrap();
    (String::from_utf8(output.stdout).unwrap(), model)
}

#[tokio::test]
async fn the_service_searches_and_the_model_is_told_what_it_found() {
    let (out, model) = run(CONFIG, &["--allow", "WebSearch"]).await;
    let requests = model.requests();
    let search = requests.iter().find(|request| searches(request)).expect("a search");
    let tools = search.body["tools"].as_array().unwrap();
    assert_eq!(
        tools.as_slice(),
        [
            json!({ "type": "web_search_20250305", "name": "web_search", "max_uses": 8, "allowed_domains": ["docs.rs"] })
        ]
    );
    let told = model.last_request().results().pop().unwrap().0;
    assert!(told.starts_with("It is 1.0.\n\nSources:\n- serde: https://docs.rs/serde"), "{told}");
    assert!(out.contains("Search the web for newest serde"), "{out}");
    assert!(requests[0].tools().contains(&"WebSearch"));
}

#[tokio::test]
async fn who_is_not_asked_does_not_search_and_a_gateway_is_not_offered_it_untold() {
    let (_, model) = run(CONFIG, &[]).await;
    assert!(!model.requests().iter().any(searches), "nobody allowed it");
    let told = model.last_request().results().pop().unwrap().0;
    assert!(told.contains("It searches the network.") && told.contains("--allow 'WebSearch'"), "{told}");
    let (_, model) = run("", &["--allow", "WebSearch"]).await;
    assert!(!model.requests()[0].tools().contains(&"WebSearch"));
}
