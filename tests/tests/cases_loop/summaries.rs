//! What a summary leaves of a conversation, and when there is none.

use copydesk::context::{summary_request, without_oldest};
use copydesk_tests::model_server::Wire;

use super::*;

#[tokio::test]
async fn a_summary_cuts_only_at_safe_places() {
    let case = case("38-compaction-keeps-pairs");
    let told = history(&case["history"]);
    let numbers = |field: &str| list(&case[field]).iter().map(|at| at.as_u64().unwrap() as usize);
    for keep in numbers("keep_recent") {
        let newest = told.len() - keep;
        let tokens = told[newest..].iter().map(|message| content_tokens(std::slice::from_ref(message))).sum();
        let division = divided(&told, tokens);
        // The first safe place among the newest; where there is none, nothing is kept.
        let wanted = numbers("safe_first_kept").find(|&safe| safe >= newest && safe > 0);
        assert_eq!(division.summarised.len(), wanted.unwrap_or(told.len()), "{keep} kept");
        let compaction = CompactMetadata {
            trigger: CompactTrigger::Auto,
            tokens_before: 0,
            kept: division.words.iter().chain(&division.kept).map(|message| message.id().clone()).collect(),
            without_images: false,
        };
        let summary = case["summary_text"].as_str().unwrap();
        let at = SystemTime::UNIX_EPOCH;
        let mut messages =
            summarised(summary, division.words, division.kept, compaction, Afterwards::WaitForTheUser, at);
        messages.push(says("q3"));
        let sent = sent(MODEL, &messages).await.to_string();
        assert!(sent.contains("SUMMARY") && sent.contains("q3"), "{sent}");
        let counts = ["\"tool_use\"", "\"tool_result\""].map(|kind| sent.matches(kind).count());
        assert_eq!(counts, [0, 0], "no half of a pair: {sent}");
    }
}

/// The request for a summary, which is made shorter from the front until one round is left. The service looks at each.
#[tokio::test]
async fn a_request_for_a_summary_that_is_made_shorter_stays_legal() {
    let case = case("38-compaction-keeps-pairs");
    let mut left = history(&case["history"]);
    let mut lengths = Vec::new();
    loop {
        sent(MODEL, &summary_request(&left, "", SystemTime::UNIX_EPOCH)).await;
        lengths.push(left.len());
        match without_oldest(&left, Some(1)) {
            Some(shorter) => left = shorter,
            None => break,
        }
    }
    assert!(lengths.len() > 2 && lengths.is_sorted_by(|one, next| one > next), "{lengths:?}");
}

/// The case's window and threshold, so many times.
fn window(case: &Value, times: u64) -> String {
    let [window, threshold] = ["window", "threshold"].map(|field| times * case[field].as_u64().unwrap());
    let margin = window - threshold;
    format!("[model]\ncontext_window = {window}\n[context]\nreserved_output = 1\ncompact_margin = {margin}\n")
}

/// An answer whose service counted the case's fixed tokens in the request, so many times, however short it was.
fn counting(case: &Value, times: u64, answer: Answer) -> Answer {
    let tokens = times * case["fixed_tokens"].as_u64().unwrap();
    let counted = json!({ "type": "message_delta", "delta": {}, "usage": { "input_tokens": tokens } });
    answer.raw(format!("event: message_delta\ndata: {counted}"))
}

fn is_summary(request: &Request) -> bool {
    request.body["tool_choice"]["type"] == "none"
}

/// How often a service is asked until the task ends that counts the case's fixed tokens and always wants a call: for
/// summaries, and for anything else. `why`: what the end says.
async fn asked_in_vain(case: &Value, times: u64, why: &str) -> (usize, usize) {
    let mut home = Home::new();
    home.write("a.txt", "text\n");
    let input = json!({ "file_path": home.path("a.txt").to_str().unwrap() });
    let told = case.clone();
    let server = ModelServer::answering(move |request| {
        let answer = if is_summary(request) {
            Answer::says("<summary>1. All of it.</summary>")
        } else {
            Answer::calls("Read", input.clone())
        };
        counting(&told, times, answer)
    })
    .await;
    let mut client = program(&mut home, &server, &window(case, times)).await;
    ask(&mut client, "go").await;
    let end = terminal(&mut client).await;
    assert_eq!(end["reason"], "blocking_limit");
    assert!(end["message"].as_str().unwrap().contains(why), "{end:#}");
    assert_eq!(client.close().await, 0);
    let summaries = server.requests().iter().filter(|request| is_summary(request)).count();
    (summaries, server.requests().len() - summaries)
}

#[tokio::test]
async fn a_summary_that_does_not_help_is_not_repeated() {
    let case = case("48-compaction-does-not-loop");
    assert!(case["fixed_tokens"].as_u64() >= case["threshold"].as_u64(), "no summary can help");
    let most = case["max_auto_compactions_per_turn"].as_u64().unwrap() as usize;
    // Of this window the program's own prompt takes more than the threshold, and knows it: there is nothing to sum up.
    assert_eq!(asked_in_vain(&case, 1, "What you have sent").await, (0, 0), "nothing at all");
    // Of this one it takes little by its own estimate, and learns from the service what it takes: after the first answer,
    // and after the first one behind the summary.
    assert_eq!(asked_in_vain(&case, 50, "Even summarised").await, (most, 2));
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
    let end = ended(&mut client).await;
    assert_eq!(end["event"]["reason"], "prompt_too_long", "{end:#}");
    let asked = server.requests();
    assert_eq!(asked.len(), 6 + 1 + 1 + retries, "tried again {retries} times, each time shorter");
    let lengths: Vec<usize> = asked[7..].iter().map(|request| request.messages().len()).collect();
    assert!(lengths.is_sorted_by(|one, next| one > next), "{lengths:?}");
    go_on(&mut client, &end, "and now?").await;
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
    let number = |name: &str| case["case3"][name].as_u64().unwrap();
    let (input, most, window) = (number("input"), number("max_tokens"), case["window"].as_u64().unwrap());
    let told = format!("input length and `max_tokens` exceed context limit: {input} + {most} > {window}");
    for wire in [Wire::Messages, Wire::ChatCompletions] {
        let mut home = Home::new();
        let refusal = Answer::refusal(400, "invalid_request_error", &told);
        let server = ModelServer::speaking(wire, [refusal, Answer::says("Done.")]).await;
        let mut client = program(&mut home, &server, &format!("[model]\nmax_tokens = {most}\n")).await;
        ask(&mut client, "go").await;
        assert_eq!(terminal(&mut client).await["reason"], "completed", "{wire:?}");
        let [refused, taken] = server.requests().try_into().expect("two requests, and none for a summary");
        assert_eq!(refused.body["max_tokens"], most);
        assert!(taken.body["max_tokens"].as_u64().unwrap() <= number("retry_max_tokens_at_most"));
        assert_eq!(refused.body["messages"], taken.body["messages"], "{wire:?}");
        assert_eq!(client.close().await, 0);
    }
}
