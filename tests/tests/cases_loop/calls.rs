//! Calls: some stopped, some refused, some with ids that no service takes back.

use super::*;

#[tokio::test]
async fn interrupted_parallel_tools() {
    let case = case("37-interrupted-parallel-tools");
    let next = case["next_user_text"].as_str().unwrap();
    let begun = history(&case["history"]);

    let answered = user(vec![result("t1", case["available_results"]["t1"].as_str().unwrap())]);
    let interrupted = [begun.clone(), vec![answered, says(next)]].concat();
    check(&sent(MODEL, &interrupted).await, &case["expect_next"]);

    let resumed = [begun, vec![says(next)]].concat();
    let last = sent(MODEL, &resumed).await.as_array().unwrap().last().cloned().unwrap();
    check(&last, &case["resume_expect_last"]);
}

#[tokio::test]
async fn one_rejected_call_leaves_the_others_alone() {
    let mut home = Home::new();
    home.write("a.txt", "first\n");
    home.write("c.txt", "third\n");
    home.write("../outside.txt", "second\n");
    let file = |name: &str| json!({ "file_path": home.path(name).to_str().unwrap() });
    let outside =
        json!({ "file_path": home.path("").parent().unwrap().join("outside.txt").to_str().unwrap() });
    let calls =
        Answer::new().calling("Read", file("a.txt")).calling("Read", outside).calling("Read", file("c.txt"));
    let server = ModelServer::playing([calls, Answer::says("Done.")]).await;
    let mut client = program(&mut home, &server, "").await;
    let prompt = json!([{ "type": "text", "text": "read them" }]);
    client.request("copydesk/task/start", json!({ "prompt": prompt })).await.expect("a task starts");
    let asked = client.notification("copydesk/permission/asked", |_| true).await;
    let answer = json!({ "requestId": asked["requestId"], "optionId": deny(&asked) });
    client.request("copydesk/permission/answer", answer).await.expect("an answer is taken");
    terminal(&mut client).await;
    let results = server.last_request().results();
    assert_eq!(results.len(), 3, "{results:?}");
    assert!(!results[0].1 && results[0].0.contains("first"), "{results:?}");
    assert!(results[1].1 && !results[1].0.contains("second"), "{results:?}");
    assert!(!results[2].1 && results[2].0.contains("third"), "{results:?}");
    assert_eq!(client.close().await, 0);
}

/// The option that says no, once.
fn deny(asked: &Value) -> Value {
    let options = asked["options"].as_array().unwrap();
    let no = options.iter().find(|option| option["kind"].as_str().unwrap().contains("reject"));
    no.unwrap_or_else(|| panic!("no option to reject: {asked:#}"))["id"].clone()
}

#[tokio::test]
async fn blank_text_blocks() {
    let case = case("43-blank-text-blocks");
    check(&sent(MODEL, &history(&case["history"])).await, &case["expect_next"]);
}

#[tokio::test]
async fn thinking_blocks_on_replay() {
    let case = case("44-thinking-blocks-on-replay");
    let told = history(&case["history"]);
    check(&sent(MODEL, &told).await, &case["history"]);
    check(&sent("M2", &told).await, &case["expect"]["other_model"]);

    let aborted = [told.clone(), vec![message(&case["aborted"], 9), says("next")]].concat();
    let messages = sent(MODEL, &aborted).await;
    let last = messages.as_array().unwrap().last().unwrap();
    let texts = [&last["content"][0]["content"], &last["content"][1]["text"]];
    assert_eq!(
        (messages.as_array().unwrap().len(), texts),
        (3, [&json!("A"), &json!("next")]),
        "{messages:#}"
    );

    let refusal = || Answer::refusal(400, "invalid_request_error", "Invalid `signature` in `thinking` block");
    let retries = case["max_retries_without_thinking"].as_u64().unwrap() as usize;
    let server = ModelServer::playing(vec![refusal(); 1 + retries]).await;
    let outcome = send(&model(&server, MODEL), &told).await;
    assert_eq!(outcome.error.map(|error| error.kind), Some(ModelErrorKind::InvalidRequest));
    check(&messages_of(&server.last_request()), &case["expect"]["other_model"]);
}

#[tokio::test]
async fn tool_ids_that_repeat_or_are_not_allowed() {
    let case = case("45-duplicate-tool-ids");
    let messages = sent(MODEL, &history(&case["history"])).await;
    let messages = messages.as_array().unwrap();
    let pairs: Vec<Value> = messages
        .windows(2)
        .filter(|two| two[0]["role"] == "assistant")
        .map(|two| {
            let (call, result) = (&two[0]["content"][0], &two[1]["content"][0]);
            assert_eq!(call["id"], result["tool_use_id"]);
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

/// A call as it comes over the wire, with an id of the test's choosing.
fn raw_call(index: usize, id: &str, input: &Value) -> String {
    let start = json!({ "type": "content_block_start", "index": index, "content_block": {
        "type": "tool_use", "id": id, "name": "Read", "input": {} } });
    let delta = json!({ "type": "content_block_delta", "index": index, "delta": {
        "type": "input_json_delta", "partial_json": input.to_string() } });
    let stop = json!({ "type": "content_block_stop", "index": index });
    format!("data: {start}\n\ndata: {delta}\n\ndata: {stop}")
}

#[tokio::test]
async fn calls_with_odd_ids_run_once_each_and_go_back_legally() {
    let bad = case("45-duplicate-tool-ids")["bad_id"].as_str().unwrap().to_owned();
    let mut home = Home::new();
    home.write("a.txt", "first\n");
    home.write("b.txt", "second\n");
    let file = |name: &str| json!({ "file_path": home.path(name).to_str().unwrap() });
    let twice = raw_call(0, "toolu_1", &file("a.txt"));
    let answers = [
        Answer::new().raw(twice).raw(raw_call(1, "toolu_1", &file("a.txt"))).stopping_for("tool_use"),
        Answer::new().raw(raw_call(0, &bad, &file("b.txt"))).stopping_for("tool_use"),
        Answer::new().raw(raw_call(0, "", &file("b.txt"))).stopping_for("tool_use"),
        Answer::says("Done."),
    ];
    let server = ModelServer::playing(answers).await;
    let mut client = program(&mut home, &server, "").await;
    ask(&mut client, "read them").await;
    assert_eq!(terminal(&mut client).await["reason"], "completed");
    let results: Vec<usize> = server.requests().iter().map(|request| request.results().len()).collect();
    assert_eq!(results, [0, 1, 1, 1]);
    assert_eq!(client.close().await, 0);
}
