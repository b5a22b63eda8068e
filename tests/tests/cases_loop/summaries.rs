//! What a summary leaves of a conversation, and when there is none.

use super::*;

#[tokio::test]
async fn a_summary_cuts_only_at_safe_places() {
    let case = case("38-compaction-keeps-pairs");
    let told = history(&case["history"]);
    let safe: Vec<u64> =
        case["safe_first_kept"].as_array().unwrap().iter().filter_map(Value::as_u64).collect();
    for keep in case["keep_recent"].as_array().unwrap().iter().map(|keep| keep.as_u64().unwrap() as usize) {
        let division = divided(&told, content_tokens(&told[told.len() - keep..]));
        let first = division.summarised.len();
        assert!(safe.contains(&(first as u64)) || division.kept.is_empty(), "{keep} kept from {first}");
        assert!(first > 0, "something is summarised");
        let compaction = CompactMetadata {
            trigger: CompactTrigger::Auto,
            tokens_before: 0,
            kept: division.kept.iter().map(|message| message.id().clone()).collect(),
        };
        let summary = case["summary_text"].as_str().unwrap();
        let at = SystemTime::UNIX_EPOCH;
        let mut messages = summarised(summary, division.kept, compaction, Afterwards::WaitForTheUser, at);
        messages.push(says("q3"));
        let sent = sent(MODEL, &messages).await.to_string();
        assert!(sent.contains("SUMMARY") && sent.contains("q3"), "{sent}");
        let counts = ["\"tool_use\"", "\"tool_result\""].map(|kind| sent.matches(kind).count());
        assert_eq!(counts, [0, 0], "no half of a pair: {sent}");
    }
}

/// The case's window and threshold, of which this program's own prompt alone takes more.
fn narrow(case: &Value) -> String {
    let window = case["window"].as_u64().unwrap();
    let margin = window - case["threshold"].as_u64().unwrap();
    format!("[model]\ncontext_window = {window}\n[context]\nreserved_output = 1\ncompact_margin = {margin}\n")
}

#[tokio::test]
async fn a_summary_that_does_not_help_is_not_repeated() {
    let case = case("48-compaction-does-not-loop");
    let mut home = Home::new();
    let server = ModelServer::answering(|_| Answer::says("<summary>1. All of it.</summary>")).await;
    let mut client = program(&mut home, &server, &narrow(&case)).await;
    ask(&mut client, "go").await;
    let end = terminal(&mut client).await;
    assert_eq!(end["reason"], "blocking_limit");
    assert!(end["message"].as_str().unwrap().contains("Even summarised"), "{end:#}");
    let most = case["max_auto_compactions_per_turn"].as_u64().unwrap() as usize;
    assert_eq!(server.requests().len(), most, "the summary, and no more");
    assert_eq!(client.close().await, 0);
}

#[tokio::test]
async fn a_conversation_too_long_to_be_summarised_stays_as_it_is() {
    let case = case("48-compaction-does-not-loop");
    let retries = case["max_summary_retries"].as_u64().unwrap() as usize;
    let mut home = Home::new();
    home.write("a.txt", "text\n");
    let input = json!({ "file_path": home.path("a.txt").to_str().unwrap() });
    let too_long = || Answer::refusal(400, "invalid_request_error", "prompt is too long");
    let rounds = vec![Answer::calls("Read", input); 6];
    let refusals = vec![too_long(); 1 + 1 + retries];
    let server = ModelServer::playing([rounds, refusals, vec![Answer::says("Done.")]].concat()).await;
    let mut client = program(&mut home, &server, "").await;
    ask(&mut client, "go").await;
    let end = client.notification("copydesk/event", |params| params["event"]["type"] == "terminal").await;
    assert_eq!(end["event"]["reason"], "prompt_too_long", "{end:#}");
    let asked = server.requests();
    assert_eq!(asked.len(), 6 + 1 + 1 + retries, "tried again {retries} times, each time shorter");
    let lengths: Vec<usize> = asked[7..].iter().map(|request| request.messages().len()).collect();
    assert!(lengths.is_sorted_by(|one, next| one > next), "{lengths:?}");
    let prompt = json!([{ "type": "text", "text": "and now?" }]);
    let more = json!({ "sessionId": end["sessionId"], "prompt": prompt });
    client.request("copydesk/task/send", more).await.expect("a prompt is taken");
    terminal(&mut client).await;
    let whole = messages_of(&asked[6]);
    let next = messages_of(&server.last_request());
    let shared = whole.as_array().unwrap().len() - 1;
    assert_eq!(next.as_array().unwrap()[..shared], whole.as_array().unwrap()[..shared], "nothing was lost");
    assert_eq!(client.close().await, 0);
}

#[tokio::test]
async fn an_answer_that_has_no_room_is_asked_for_in_fewer_tokens() {
    let case = case("48-compaction-does-not-loop");
    // A hundred times the case's figures: nobody is asked for a few hundred tokens.
    let number = |name: &str| 100 * case["case3"][name].as_u64().unwrap();
    let (input, most, window) =
        (number("input"), number("max_tokens"), 100 * case["window"].as_u64().unwrap());
    let told = format!("input length and `max_tokens` exceed context limit: {input} + {most} > {window}");
    let server =
        ModelServer::playing([Answer::refusal(400, "invalid_request_error", &told), Answer::says("Done.")])
            .await;
    let request = ModelRequest::new(Vec::new(), Vec::new(), normalize_for(&[says("go")], MODEL), most as u32);
    let mut events = model(&server, MODEL).stream(request);
    while let Some(event) = events.next().await {
        event.expect("the second request fits");
    }
    let asked = server.requests();
    assert_eq!(asked.len(), 2);
    assert_eq!(asked[0].body["messages"], asked[1].body["messages"]);
    assert!(asked[1].body["max_tokens"].as_u64().unwrap() <= number("retry_max_tokens_at_most"));
}
