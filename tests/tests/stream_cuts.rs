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

use copydesk_tests::client::{Client, Home};
use copydesk_tests::model_server::{Answer, ModelServer, Request};
use serde_json::{Value, json};

/// Tasks in one program at the same time, each with a break of its own.
const TOGETHER: usize = 150;
/// Bytes from place to place, odd so that the places differ in every event. All of them take minutes: `COPYDESK_EVERY_BYTE=1`.
const USUAL_STEP: usize = 11;

#[tokio::test]
async fn a_connection_that_breaks_anywhere_does_nothing_twice() {
    let step = if std::env::var_os("COPYDESK_EVERY_BYTE").is_some() { 1 } else { USUAL_STEP };
    let places: Vec<usize> = (0..recorded(0).len()).step_by(step).collect();
    for places in places.chunks(TOGETHER) {
        break_at_each(places).await;
    }
    println!("{} places to break at, as many files changed exactly once", places.len());
}

/// One task for each place, all in one program, each with a file of its own.
async fn break_at_each(places: &[usize]) {
    let mut begun = HashSet::new();
    let model = ModelServer::answering(move |request| answer(request, &mut begun)).await;
    let mut home = Home::new();
    home.environment = vec![
        ("ANTHROPIC_API_KEY".to_owned(), "sk-ant-FAKE-0123456789abcdef".to_owned()),
        ("ANTHROPIC_BASE_URL".to_owned(), model.url()),
    ];
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
        for read in ["copydesk/session/changed", "copydesk/proposal/changed", "$/progress"] {
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
fn answer(request: &Request, begun: &mut HashSet<usize>) -> Answer {
    let prompt = request.messages()[0].to_string();
    let number = prompt.split("break at ").nth(1).expect("the prompt");
    let digits: String = number.chars().take_while(char::is_ascii_digit).collect();
    let place = digits.parse().expect("a number");
    if request.messages().len() == 1 {
        let recorded = recorded(place);
        return if begun.insert(place) {
            Answer::cut_stream(&recorded.as_bytes()[..place])
        } else {
            Answer::stream(recorded)
        };
    }
    let history = request.body["messages"].to_string();
    let missing = ["start", "end"].into_iter().filter(|word| !history.contains(&format!("\"{word}+\"")));
    let calls = missing.fold(Answer::new(), |answer, word| answer.calling("Edit", edit(place, word)));
    if history.contains("\"start+\"") && history.contains("\"end+\"") {
        Answer::says("Both are changed.")
    } else {
        calls
    }
}

fn file(place: usize) -> String {
    format!("f{place:05}.txt")
}

fn edit(place: usize, word: &str) -> Value {
    json!({ "file_path": file(place), "old_string": word, "new_string": format!("{word}+") })
}

/// The answer as it was recorded: it reads the file and makes two changes. Its length does not depend on `place`.
fn recorded(place: usize) -> String {
    let calls = [
        ("Read", json!({ "file_path": file(place) })),
        ("Edit", edit(place, "start")),
        ("Edit", edit(place, "end")),
    ];
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
