//! A service that refuses and throttles.

use super::*;

/// The answers of one run of the case; one that repeats goes on for ever.
fn refusals(run: &Value) -> (Vec<Answer>, bool) {
    let responses = run["responses"].as_array().unwrap();
    let answers = responses.iter().map(|response| {
        let answer = match response["status"].as_u64().unwrap() as u16 {
            200 => Answer::says("Done."),
            400 => Answer::refusal(400, "invalid_request_error", "no"),
            401 => Answer::refusal(401, "authentication_error", "no"),
            429 => Answer::refusal(429, "rate_limit_error", "slow down"),
            529 => Answer::refusal(529, "overloaded_error", "Overloaded"),
            other => panic!("{other}"),
        };
        let headers = response["headers"].as_object().into_iter().flatten();
        headers.fold(answer, |answer, (name, value)| answer.header(name, value.as_str().unwrap()))
    });
    (answers.collect(), responses.iter().any(|response| response["repeat"] == true))
}

#[tokio::test]
async fn throttles_are_waited_out_and_what_will_not_change_is_told() {
    let case = case("47-retry-after-and-overload");
    for run in case["runs"].as_array().unwrap() {
        let (answers, repeats) = refusals(run);
        let server = if repeats {
            let answer = answers[0].clone();
            ModelServer::answering(move |_| answer.clone()).await
        } else {
            ModelServer::playing(answers).await
        };
        let begun = Instant::now();
        let told = send(&model(&server, "m"), &[says("go")]).await;
        let requests = server.requests();
        let bodies: Vec<&[u8]> = requests.iter().map(|request| request.bytes.as_slice()).collect();
        assert!(bodies.windows(2).all(|two| two[0] == two[1]), "{run}");
        if let Some(wanted) = run["requests"].as_u64() {
            assert_eq!(requests.len() as u64, wanted, "{run}: {told:?}");
        }
        if let Some(most) = run["requests_max"].as_u64() {
            assert!(requests.len() as u64 <= most && told.error.is_some(), "{run}: {told:?}");
        }
        if let Some([least, most]) = run["wait_1"].as_array().map(Vec::as_slice) {
            let (least, most) = (least.as_f64().unwrap(), most.as_f64().unwrap());
            assert!((least..=most).contains(&told.waits[0].as_secs_f64()), "{told:?}");
            assert!(begun.elapsed() >= told.waits[0], "it really waits");
            assert!(told.waits[1] > Duration::ZERO && told.is_whole, "{told:?}");
        } else {
            assert!(told.error.is_some_and(|error| !error.message.is_empty()), "{run}");
        }
    }
}

#[tokio::test]
async fn a_wait_is_shown_and_can_be_cancelled() {
    let mut home = Home::new();
    let busy = Answer::refusal(429, "rate_limit_error", "slow down").header("retry-after", "60");
    let server = ModelServer::playing([busy]).await;
    let mut client = program(&mut home, &server, "").await;
    let prompt = json!([{ "type": "text", "text": "go" }]);
    let started =
        client.request("copydesk/task/start", json!({ "prompt": prompt })).await.expect("it starts");
    let retry = client.notification("copydesk/event", |params| params["event"]["type"] == "retry").await;
    assert!(retry["event"]["delayMs"].as_u64().unwrap() >= 60_000, "{retry}");
    assert_eq!((&retry["event"]["attempt"], &retry["event"]["max"]), (&json!(2), &json!(10)));
    let begun = Instant::now();
    let cancel = json!({ "taskId": started["taskId"] });
    client.request("copydesk/task/cancel", cancel).await.expect("it is cancelled");
    assert_eq!(terminal(&mut client).await["reason"], "aborted_streaming");
    assert!(begun.elapsed() < Duration::from_secs(1));
    assert_eq!(server.requests().len(), 1);
    assert_eq!(client.close().await, 0);
}
