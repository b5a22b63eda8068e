//! Calls whose ids repeat, are missing or are none that a service takes back.

use copydesk_tests::model_server::Wire;

use super::*;

#[tokio::test]
async fn tool_ids_that_repeat_or_are_not_allowed() {
    let case = case("45-duplicate-tool-ids");
    let legal = json!({ "pattern": case["id_pattern"] });
    let messages = sent(MODEL, &history(&case["history"])).await;
    let messages = messages.as_array().unwrap();
    let mut ids = Vec::new();
    let pairs: Vec<Value> = messages
        .windows(2)
        .filter(|two| two[0]["role"] == "assistant")
        .map(|two| {
            let (call, result) = (&two[0]["content"][0], &two[1]["content"][0]);
            assert_eq!(call["id"], result["tool_use_id"]);
            assert!(jsonschema::is_valid(&legal, &call["id"]) && !ids.contains(&call["id"]), "{call}");
            ids.push(call["id"].clone());
            json!([call["input"]["command"], result["content"]])
        })
        .collect();
    assert_eq!(json!(pairs), case["pairs_in_order"]);

    let doubled =
        [vec![says("q"), message(&case["doubled"], 1)], vec![user(vec![result("toolu_1", "")])]].concat();
    let messages = sent(MODEL, &doubled).await;
    let counts = [1, 2].map(|at| messages[at]["content"].as_array().unwrap().len());
    assert_eq!(counts, [1, 1], "{messages:#}");
}

/// A call of the wire's own, under that index and id, its input in pieces.
fn raw_call(wire: Wire, index: Option<u64>, id: Option<&str>, call: &Value) -> Vec<String> {
    let input = call["input"].to_string();
    let pieces: Vec<&str> = [0..3, 3..9, 9..input.len()].map(|piece| &input[piece]).into();
    let mut events = Vec::new();
    if wire == Wire::Messages {
        let block = json!({ "type": "tool_use", "id": id, "name": call["name"], "input": {} });
        events.push(json!({ "type": "content_block_start", "index": index, "content_block": block }));
        for piece in pieces {
            let delta = json!({ "type": "input_json_delta", "partial_json": piece });
            events.push(json!({ "type": "content_block_delta", "index": index, "delta": delta }));
        }
        events.push(json!({ "type": "content_block_stop", "index": index }));
    } else {
        for (at, piece) in pieces.into_iter().enumerate() {
            let mut of_call = json!({ "function": { "arguments": piece } });
            if at == 0 {
                of_call["function"]["name"] = call["name"].clone();
            }
            if let Some(index) = index {
                of_call["index"] = json!(index);
            }
            if let Some(id) = id.filter(|_| at == 0 || index.is_none()) {
                of_call["id"] = json!(id);
            }
            let delta = json!({ "tool_calls": [of_call] });
            events.push(
                json!({ "id": "c", "choices": [{ "index": 0, "delta": delta, "finish_reason": null }] }),
            );
        }
    }
    events.into_iter().map(|event| format!("data: {event}")).collect()
}

fn asking_for(calls: impl IntoIterator<Item = String>) -> Answer {
    calls.into_iter().fold(Answer::new(), Answer::raw).stopping_for("tool_use")
}

/// Plays the answers to one task. Gives the calls that began, by id, and the results that went back in the end.
async fn played(wire: Wire, answers: Vec<Answer>) -> (Vec<Value>, Vec<Value>) {
    let mut home = Home::new();
    let server = ModelServer::speaking(wire, answers).await;
    let mut client = program(&mut home, &server, "[permissions]\nallow = [\"Bash\"]\n").await;
    ask(&mut client, "go").await;
    assert_eq!(terminal(&mut client).await["reason"], "completed");
    let begun = client
        .take_unread("copydesk/event")
        .into_iter()
        .map(|params| params["event"].clone())
        .filter(|event| event["type"] == "toolCall" && event["status"] == "in_progress")
        .map(|event| event["id"].clone())
        .collect();
    let request = server.last_request();
    let is_result = |block: &&Value| block["type"] == "tool_result" || block["role"] == "tool";
    let content = |message: &Value| list(&message["content"]).to_vec();
    let blocks: Vec<Value> =
        request.messages().iter().flat_map(content).chain(request.messages().to_vec()).collect();
    assert_eq!(client.close().await, 0);
    (begun, blocks.iter().filter(is_result).cloned().collect())
}

/// Whichever way a service says a call twice. Every request is looked at by the service that plays it.
#[tokio::test]
async fn a_call_that_is_said_twice_runs_once_on_both_wires() {
    let case = case("45-duplicate-tool-ids");
    let [first, again] = list(&case["doubled"]["content"]) else { panic!("two blocks") };
    let id = first["id"].as_str();
    let ways = [
        (Wire::Messages, (Some(0), id), (Some(1), id)),
        (Wire::Messages, (Some(0), id), (Some(0), id)),
        (Wire::Messages, (Some(0), None), (Some(1), None)),
        (Wire::ChatCompletions, (Some(0), id), (Some(1), id)),
        (Wire::ChatCompletions, (Some(0), id), (Some(0), id)),
        (Wire::ChatCompletions, (None, id), (None, id)),
        (Wire::ChatCompletions, (Some(0), None), (Some(1), None)),
        (Wire::ChatCompletions, (Some(0), None), (Some(0), None)),
    ];
    for (wire, one, two) in ways {
        let said = [raw_call(wire, one.0, one.1, first), raw_call(wire, two.0, two.1, again)].concat();
        let (begun, results) = played(wire, vec![asking_for(said), Answer::says("Done.")]).await;
        assert_eq!((begun.len(), results.len()), (1, 1), "{wire:?} {one:?} {two:?}: {begun:?} {results:?}");
    }
}

#[tokio::test]
async fn another_call_under_a_used_id_runs_too_on_both_wires() {
    let case = case("45-duplicate-tool-ids");
    let [first, _] = list(&case["doubled"]["content"]) else { panic!("two blocks") };
    let mut other = first.clone();
    other["input"]["command"] = json!("touch another");
    for wire in [Wire::Messages, Wire::ChatCompletions] {
        let id = first["id"].as_str();
        let said = [raw_call(wire, Some(0), id, first), raw_call(wire, Some(1), id, &other)].concat();
        let (begun, results) = played(wire, vec![asking_for(said), Answer::says("Done.")]).await;
        assert_eq!((begun.len(), results.len()), (2, 2), "{wire:?}: {begun:?} {results:?}");
    }
}

#[tokio::test]
async fn calls_with_odd_ids_run_once_each_and_go_back_legally() {
    let case = case("45-duplicate-tool-ids");
    let bad = case["bad_id"].as_str().unwrap();
    let call = &case["doubled"]["content"][0];
    for wire in [Wire::Messages, Wire::ChatCompletions] {
        let answers = [Some(bad), Some(bad), Some(""), None]
            .map(|id| asking_for(raw_call(wire, Some(0), id, call)))
            .into_iter()
            .chain([Answer::says("Done.")]);
        let (begun, results) = played(wire, answers.collect()).await;
        assert_eq!((begun.len(), results.len()), (4, 4), "{wire:?}: {begun:?}");
        let legal = json!({ "pattern": case["id_pattern"] });
        let of_call = |result: &Value| result["tool_use_id"].clone();
        let is_legal = |id: &Value| wire != Wire::Messages || jsonschema::is_valid(&legal, id);
        assert!(results.iter().map(of_call).all(|id| is_legal(&id)), "{results:?}");
    }
}
