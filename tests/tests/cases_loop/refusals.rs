//! A service that refuses and throttles.

use httpdate::fmt_http_date;

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
        // The waits of a service that never comes round would take minutes.
        let usual = RetryPolicy::default();
        let retry = if run.get("wait_1").is_some() { usual } else { quick(usual) };
        let told = send(&patient_model(&server, "m", retry), &[says("go")]).await;
        let requests = server.requests();
        let bodies: Vec<&[u8]> = requests.iter().map(|request| request.bytes.as_slice()).collect();
        assert!(bodies.windows(2).all(|two| two[0] == two[1]), "{run}");
        if let Some(wanted) = run["requests"].as_u64() {
            assert_eq!(requests.len() as u64, wanted, "{run}: {told:?}");
        }
        if let Some(most) = run["requests_max"].as_u64() {
            assert!(requests.len() as u64 <= most && told.error.is_some(), "{run}: {told:?}");
        }
        let waits: Vec<f64> = told.retries.iter().map(|(_, wait)| wait.as_secs_f64()).collect();
        if let Some([least, most]) = run["wait_1"].as_array().map(Vec::as_slice) {
            let (least, most) = (least.as_f64().unwrap(), most.as_f64().unwrap());
            assert!((least..=most).contains(&waits[0]), "{told:?}");
            assert!(waits[1] >= run["wait_2_min"].as_f64().unwrap(), "{told:?}");
            assert!(begun.elapsed().as_secs_f64() >= waits.iter().sum(), "it really waits");
            assert!(told.is_whole, "{told:?}");
        } else {
            assert!(told.error.is_some_and(|error| !error.message.is_empty()), "{run}");
        }
    }
}

/// A service that asks for a day, and what the person reads of it.
#[tokio::test]
async fn what_is_too_long_to_be_waited_for_is_told() {
    let case = case("47-retry-after-and-overload");
    let told: Vec<&Value> = list(&case["runs"]).iter().filter(|run| run["user_told"] == true).collect();
    assert!(!told.is_empty());
    for run in told {
        let mut home = Home::new();
        let server = ModelServer::playing(refusals(run).0).await;
        let mut client = program(&mut home, &server, "").await;
        ask(&mut client, "go").await;
        let end = terminal(&mut client).await;
        let message = end["message"].as_str().unwrap();
        assert!(end["reason"] == "model_error" && message.contains("24 hours"), "{end:#}");
        assert_eq!(client.close().await, 0);
    }
}

/// The first run, with the time at which to come back as a date.
#[tokio::test]
async fn a_date_is_waited_for_as_seconds_are() {
    let until = SystemTime::now() + Duration::from_secs(3);
    let busy =
        Answer::refusal(429, "rate_limit_error", "slow down").header("retry-after", &fmt_http_date(until));
    let server = ModelServer::playing([busy, Answer::says("Done.")]).await;
    let told = send(&model(&server, "m"), &[says("go")]).await;
    // A date has no fractions of a second.
    assert!(told.is_whole && SystemTime::now() + Duration::from_secs(1) >= until, "{told:?}");
    assert_eq!(server.requests().len(), 2);
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
