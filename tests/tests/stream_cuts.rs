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
use std::time::Instant;

use copydesk_tests::client::{Client, Home};
use copydesk_tests::model_server::{Answer, ModelServer, Request, Wire};
use futures::{StreamExt as _, stream};
use serde_json::{Value, json};

/// Programs at the same time for one wire, each with a service of its own.
const PROGRAMS: usize = 2;
/// Tasks in one program, a few of them together, each with a break of its own.
const TASKS: usize = 120;
const TOGETHER: usize = 6;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_connection_that_breaks_anywhere_does_nothing_twice() {
    break_everywhere(Wire::Messages).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nor_does_one_to_a_chat_completions_server() {
    break_everywhere(Wire::ChatCompletions).await;
}

async fn break_everywhere(wire: Wire) {
    let begun = Instant::now();
    let every: Vec<usize> = (0..recorded(wire, 0).len()).collect();
    let programs = every.chunks(TASKS).map(|places| tokio::spawn(break_at_each(wire, places.to_vec())));
    let broken: Vec<_> = stream::iter(programs).buffer_unordered(PROGRAMS).collect().await;
    let places: usize = broken.into_iter().map(|broken| broken.expect("none panics")).sum();
    assert_eq!(places, every.len());
    let seconds = begun.elapsed().as_secs();
    println!(
        "{wire:?}: {places} places to break at, each byte of the answer, and as many files changed once, in {seconds} s"
    );
}

/// One task for each place, all in one program, each with a file of its own. Gives their number.
async fn break_at_each(wire: Wire, places: Vec<usize>) -> usize {
    let mut asked = HashSet::new();
    let model = ModelServer::answering_in(wire, move |request| answer(wire, request, &mut asked)).await;
    let mut home = Home::new();
    home.environment = model.environment();
    // Neither what tools there are, nor what a repository tells, nor how long is waited before a second try is what this
    // is about: they cost time.
    home.environment.push(("PATH".to_owned(), String::new()));
    home.write("../config/copydesk/config.toml", "[tools]\nmode = \"simple\"\n[model]\nretry_wait_ms = 1\n");
    for &place in &places {
        home.write(&file(place), "start\nend\n");
    }
    let mut client = Client::open(&home).await;
    let mut waiting = places.iter().copied();
    let mut running = BTreeMap::new();
    for place in waiting.by_ref().take(TOGETHER) {
        running.insert(start(&mut client, place).await, Task::at(place));
    }
    while !running.is_empty() {
        let told = client.notification("copydesk/event", |_| true).await;
        let session = told["sessionId"].to_string();
        let (task, event) = (running.get_mut(&session).expect("a task that runs"), &told["event"]);
        if event["type"] == "toolCall" && event["kind"] == "edit" && event["status"] == "completed" {
            task.edits += 1;
        }
        if event["type"] == "terminal" {
            let Task { place, edits } = *task;
            assert_eq!(event["reason"], "completed", "broken at {place}: {event}");
            assert_eq!(edits, 2, "broken at {place}: edits that were made");
            running.remove(&session);
            check_draft(&mut client, &home.uri(&file(place)), place).await;
            if let Some(next) = waiting.next() {
                running.insert(start(&mut client, next).await, Task::at(next));
            }
            for read in [
                "copydesk/session/changed",
                "copydesk/proposal/changed",
                "textDocument/publishDiagnostics",
                "$/progress",
            ] {
                client.take_unread(read);
            }
        }
    }
    assert_eq!(client.close().await, 0);
    places.len()
}

/// A task that runs.
#[derive(Clone, Copy)]
struct Task {
    place: usize,
    edits: usize,
}

impl Task {
    fn at(place: usize) -> Self {
        Self { place, edits: 0 }
    }
}

/// Starts a task and gives its session.
async fn start(client: &mut Client, place: usize) -> String {
    let prompt = json!([{ "type": "text", "text": format!("break at {place}") }]);
    let started = client.request("copydesk/task/start", json!({ "prompt": prompt })).await;
    started.expect("it starts")["sessionId"].to_string()
}

/// Looks at what is proposed, and takes it out of the way of those that follow.
async fn check_draft(client: &mut Client, uri: &str, place: usize) {
    let shown = client.request("copydesk/proposal/show", json!({ "uri": uri })).await;
    assert_eq!(shown.expect("a proposal")["draft"], "start+\nend+\n", "broken at {place}");
    let decided = json!({ "decision": "reject", "target": { "uri": uri } });
    let rejected = client.request("copydesk/proposal/decide", decided).await.expect("an answer");
    assert_eq!(rejected["results"][0]["outcome"], "rejected", "{rejected}");
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
