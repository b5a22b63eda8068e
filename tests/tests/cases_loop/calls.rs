//! Calls that were stopped or refused, and what of an answer does not go back.

use super::*;

#[tokio::test]
async fn interrupted_parallel_tools() {
    let case = case("37-interrupted-parallel-tools");
    let next = case["next_user_text"].as_str().unwrap();
    let begun = history(&case["history"]);

    let results = case["available_results"].as_object().unwrap();
    let answered = results.iter().map(|(id, text)| result(id, text.as_str().unwrap())).collect();
    let interrupted = [begun.clone(), vec![user(answered), says(next)]].concat();
    check(&sent(MODEL, &interrupted).await, &case["expect_next"]);

    let resumed = [begun, vec![says(next)]].concat();
    let last = sent(MODEL, &resumed).await.as_array().unwrap().last().cloned().unwrap();
    check(&last, &case["resume_expect_last"]);
}

/// The calls of the case are made and the task is cancelled while those in `cancelled` run.
#[tokio::test]
async fn the_next_prompt_after_an_interrupt_stands_behind_all_results() {
    let case = case("37-interrupted-parallel-tools");
    let mut home = Home::new();
    let results = case["available_results"].as_object().unwrap();
    let calls = list(&case["history"][1]["content"]).iter().filter(|block| block["type"] == "tool_use");
    let mut answer = Answer::says(case["history"][1]["content"][0]["text"].as_str().unwrap());
    for call in calls.clone() {
        let mut input = call["input"].clone();
        if let Some(file) = call["input"]["path"].as_str() {
            home.write(file, results[call["id"].as_str().unwrap()].as_str().unwrap());
            input = json!({ "file_path": home.path(file).to_str().unwrap() });
        }
        answer = answer.calling(call["name"].as_str().unwrap(), input);
    }
    let server = ModelServer::playing([answer, Answer::says("Done.")]).await;
    let mut client = program(&mut home, &server, "[permissions]\nallow = [\"Bash\"]\n").await;
    ask(&mut client, case["history"][0]["content"][0]["text"].as_str().unwrap()).await;
    let is = |event: &Value, status: &str| event["type"] == "toolCall" && event["status"] == status;
    let begun = client
        .notification("copydesk/event", |params| {
            is(&params["event"], "in_progress") && params["event"]["kind"] == "execute"
        })
        .await;
    // They run side by side: what comes back at all has come back.
    for _ in results {
        client.notification("copydesk/event", |params| is(&params["event"], "completed")).await;
    }
    let task = json!({ "taskId": begun["taskId"] });
    client.request("copydesk/task/cancel", task).await.expect("it is cancelled");
    let end = ended(&mut client).await;
    // The last words of the answer may be on their way still.
    let reason = end["event"]["reason"].as_str().unwrap();
    assert!(["aborted_tools", "aborted_streaming"].contains(&reason), "{reason}");
    let next = case["next_user_text"].as_str().unwrap();
    go_on(&mut client, &end, next).await;
    assert_eq!(terminal(&mut client).await["reason"], "completed");

    let request = server.last_request();
    let cancelled = list(&case["cancelled"]);
    for (call, (text, is_error)) in calls.zip(request.results()) {
        let was_cancelled = cancelled.contains(&call["id"]);
        let wanted = match results.get(call["id"].as_str().unwrap()) {
            Some(result) if !was_cancelled => result.as_str().unwrap(),
            _ => "interrupted",
        };
        assert!(is_error == was_cancelled && text.contains(wanted), "{call}: {text}");
    }
    assert_eq!(request.results().len(), results.len() + cancelled.len());
    assert!(request.last_text().contains(next), "{request}");
    assert_eq!(client.close().await, 0);
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
    assert!(results[1].1 && results[1].0.contains("rejected"), "{results:?}");
    assert!(!results[1].0.contains("second"), "{results:?}");
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
    assert_eq!(case["model_of_turn"], MODEL, "which the histories of all cases are from");
    let told = history(&case["history"]);
    assert_eq!(case["expect"]["same_model"], "identical history");
    assert_eq!(sent(MODEL, &told).await, case["history"]);
    assert_eq!(sent("M2", &told).await, case["expect"]["other_model"]);

    assert_eq!(case["aborted_expect"], "turn dropped");
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
