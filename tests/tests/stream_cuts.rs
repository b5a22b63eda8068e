//! The connection to the model breaks anywhere in an answer with three calls: nothing is done twice, nothing is lost, and
//! every request is legal.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test that can't go on ends with its cause"
)]

use std::collections::{BTreeMap, HashSet};

use copydesk_tests::client::{Client, FAKE_KEY, Home};
use copydesk_tests::model_server::{Answer, ModelServer, Request, Wire};
use serde_json::{Value, json};

/// Tasks in one program at the same time, each with a break of its own.
const TOGETHER: usize = 150;
/// Bytes from place to place, odd so that the places differ in every event. All of them take minutes: `COPYDESK_EVERY_BYTE=1`.
const USUAL_STEP: usize = 11;

#[tokio::test]
async fn a_connection_that_breaks_anywhere_does_nothing_twice() {
    break_everywhere(Wire::Messages).await;
}

#[tokio::test]
async fn nor_does_one_to_a_chat_completions_server() {
    break_everywhere(Wire::ChatCompletions).await;
}

async fn break_everywhere(wire: Wire) {
    let step = if std::env::var_os("COPYDESK_EVERY_BYTE").is_some() { 1 } else { USUAL_STEP };
    let places: Vec<usize> = (0..recorded(wire, 0).len()).step_by(step).collect();
    for places in places.chunks(TOGETHER) {
        break_at_each(wire, places).await;
    }
    println!("{wire:?}: {} places to break at, as many files changed exactly once", places.len());
}

/// One task for each place, all in one program, each with a file of its own.
async fn break_at_each(wire: Wire, places: &[usize]) {
    let mut begun = HashSet::new();
    let model = ModelServer::answering_in(wire, move |request| answer(wire, request, &mut begun)).await;
    let mut home = Home::new();
    let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    home.environment = match wire {
        Wire::Messages => vec![pair("ANTHROPIC_API_KEY", FAKE_KEY), pair("ANTHROPIC_BASE_URL", &model.url())],
        Wire::ChatCompletions | Wire::Ollama => vec![pair("OPENAI_BASE_URL", &model.url())],
    };
    // Neither what tools there are nor how long is waited before a second try is what this is about: both cost time.
    home.write("../config/copydesk/config.toml", "[tools]\nmode = \"simple\"\n[model]\nretry_wait_ms = 20\n");
    for &place in places {
        home.write(&file(place), "start\nend\n");
    }
    let mut client = Client::open(&home).await;
    let mut sessions = BTreeMap::new();
    for &place in places {
        let prompt = json!([{ "type": "text", "text": format!("break at {place}") }]);
        let started = client.request("copydesk/task/start", json!({ "prompt": prompt })).await;
        sessions.insert(started.expect("it starts")["sessionId"].to_string(), place);
    }
    let mut edits: BTreeMap<usize, usize> = BTreeMap::new();
    let mut ended = 0;
    while ended < places.len() {
        let told = client.notification("copydesk/event", |_| true).await;
        for read in [
            "copydesk/session/changed",
            "copydesk/proposal/changed",
            "textDocument/publishDiagnostics",
            "$/progress",
        ] {
            client.take_unread(read);
        }
        let (place, event) = (sessions[&told["sessionId"].to_string()], &told["event"]);
        if event["type"] == "toolCall" && event["kind"] == "edit" && event["status"] == "completed" {
            *edits.entry(place).or_default() += 1;
        }
        if event["type"] == "terminal" {
            assert_eq!(event["reason"], "completed", "broken at {place}: {event}");
            ended += 1;
        }
    }
    for &place in places {
        assert_eq!(edits.get(&place), Some(&2), "broken at {place}: edits that were made");
        let shown = client.request("copydesk/proposal/show", json!({ "uri": home.uri(&file(place)) })).await;
        assert_eq!(shown.expect("a proposal")["draft"], "start+\nend+\n", "broken at {place}");
    }
    assert_eq!(client.close().await, 0);
}

/// The first answer of a task breaks off; asked again, it is whole; after that, what is not done yet is called for.
fn answer(wire: Wire, request: &Request, begun: &mut HashSet<usize>) -> Answer {
    let history = request.body["messages"].to_string();
    let number = history.split("break at ").nth(1).expect("the prompt");
    let digits: String = number.chars().take_while(char::is_ascii_digit).collect();
    let place = digits.parse().expect("a number");
    if request.messages().iter().all(|message| message["role"] != "assistant") {
        let recorded = recorded(wire, place);
        return if begun.insert(place) {
            Answer::cut_stream(&recorded.as_bytes()[..place])
        } else {
            Answer::stream(recorded)
        };
    }
    // In a text within a text on the one wire, and an object on the other.
    let is_done = |word: &str| history.replace('\\', "").contains(&format!("\"{word}+\""));
    let missing: Vec<&str> = ["start", "end"].into_iter().filter(|word| !is_done(word)).collect();
    if missing.is_empty() {
        return Answer::says("Both are changed.");
    }
    missing.into_iter().fold(Answer::new(), |answer, word| answer.calling("Edit", edit(place, word)))
}

fn file(place: usize) -> String {
    format!("f{place:05}.txt")
}

fn edit(place: usize, word: &str) -> Value {
    json!({ "file_path": file(place), "old_string": word, "new_string": format!("{word}+") })
}

/// The answer as it was recorded: it reads the file and makes two changes. Its length does not depend on `place`.
fn recorded(wire: Wire, place: usize) -> String {
    let calls = [
        ("Read", json!({ "file_path": file(place) })),
        ("Edit", edit(place, "start")),
        ("Edit", edit(place, "end")),
    ];
    match wire {
        Wire::Messages => as_messages(calls),
        Wire::ChatCompletions | Wire::Ollama => as_chat_completions(calls),
    }
}

fn as_messages(calls: [(&str, Value); 3]) -> String {
    let mut events = vec![json!({ "type": "message_start", "message": {
        "id": "msg_recorded", "model": "claude-x", "usage": { "input_tokens": 100, "output_tokens": 1 },
    }})];
    for (index, (name, input)) in calls.into_iter().enumerate() {
        let id = format!("toolu_{index}");
        let block = json!({ "type": "tool_use", "id": id, "name": name, "input": {} });
        events.push(json!({ "type": "content_block_start", "index": index, "content_block": block }));
        let delta = json!({ "type": "input_json_delta", "partial_json": input.to_string() });
        events.push(json!({ "type": "content_block_delta", "index": index, "delta": delta }));
        events.push(json!({ "type": "content_block_stop", "index": index }));
    }
    events.push(json!({
        "type": "message_delta", "delta": { "stop_reason": "tool_use" }, "usage": { "output_tokens": 10 },
    }));
    events.push(json!({ "type": "message_stop" }));
    let written =
        |event: &Value| format!("event: {}\ndata: {event}\n\n", event["type"].as_str().expect("a type"));
    events.iter().map(written).collect()
}

fn as_chat_completions(calls: [(&str, Value); 3]) -> String {
    let chunk = |delta: Value, reason: Value| json!({ "id": "chatcmpl-recorded", "choices": [{ "index": 0, "delta": delta, "finish_reason": reason }] });
    let mut chunks = Vec::new();
    for (index, (name, input)) in calls.into_iter().enumerate() {
        let input = input.to_string();
        let (begin, rest) = input.split_at(input.len() / 2);
        let first = json!([{
            "index": index, "id": format!("call_{index}"), "type": "function",
            "function": { "name": name, "arguments": begin },
        }]);
        let more = json!([{ "index": index, "function": { "arguments": rest } }]);
        chunks.push(chunk(json!({ "tool_calls": first }), Value::Null));
        chunks.push(chunk(json!({ "tool_calls": more }), Value::Null));
    }
    chunks.push(chunk(json!({}), json!("tool_calls")));
    let written = |chunk: &Value| format!("data: {chunk}\n\n");
    chunks.iter().map(written).chain(["data: [DONE]\n\n".to_owned()]).collect()
}
