//! The cases of what passes between the agent and a model: see `cases/README.md`.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test ends where it can't go on"
)]

use std::time::{Duration, Instant, SystemTime};

use copydesk::config::ApiKey;
use copydesk::context::{Afterwards, divided, summarised};
use copydesk::conversation::{
    AssistantMessage, CompactMetadata, CompactTrigger, ContentBlock, Message, MessageId, StopReason,
    ToolResultContent, ToolUseId, Usage, UserMessage, content_tokens, normalize_for,
};
use copydesk::models::{
    Anthropic, AnthropicConfig, BlockDelta, Credential, ModelError, ModelErrorKind, ModelRequest, Provider,
    ProviderEvent, RetryPolicy,
};
use copydesk_tests::cases::{self, case};
use copydesk_tests::client::{Client, Home, full_capabilities};
use copydesk_tests::model_server::{Answer, ModelServer, Request};
use copydesk_tests::person::ask;
use futures::StreamExt;
use serde_json::{Value, json};

/// The model that the histories of the cases are from.
const MODEL: &str = "M1";

/// What a request came to.
#[derive(Debug, Default)]
struct Told {
    text: String,
    blocks: Vec<ContentBlock>,
    stop_reason: Option<StopReason>,
    is_whole: bool,
    /// How long each retry was put off.
    waits: Vec<Duration>,
    error: Option<ModelError>,
}

/// A model that is asked again without long waits.
fn model(server: &ModelServer, name: &str) -> Anthropic {
    let mut config = AnthropicConfig::new(Some(Credential::Key(ApiKey::new("not-a-key"))), name);
    config.base_url = server.url();
    config.retry = RetryPolicy { first_wait: Duration::from_millis(1), ..RetryPolicy::default() };
    Anthropic::new(config)
}

/// Sends `history` to `model`, as the loop does.
async fn send(model: &Anthropic, history: &[Message]) -> Told {
    let messages = normalize_for(history, &model.info().model);
    let mut told = Told::default();
    let mut events = model.stream(ModelRequest::new(Vec::new(), Vec::new(), messages, 1_000));
    while let Some(event) = events.next().await {
        match event {
            Ok(ProviderEvent::MessageStart { .. }) => (told.text, told.blocks) = (String::new(), Vec::new()),
            Ok(ProviderEvent::BlockDelta { delta: BlockDelta::Text(text), .. }) => told.text.push_str(&text),
            Ok(ProviderEvent::BlockStop { block, .. }) => told.blocks.push(block),
            Ok(ProviderEvent::MessageDelta { stop_reason, .. }) => told.stop_reason = stop_reason,
            Ok(ProviderEvent::MessageStop) => told.is_whole = true,
            Ok(ProviderEvent::Retry { delay, .. }) => told.waits.push(delay),
            Ok(
                ProviderEvent::BlockStart { .. }
                | ProviderEvent::BlockDelta { .. }
                | ProviderEvent::Silence { .. },
            ) => {}
            Err(error) => told.error = Some(error),
        }
    }
    told
}

/// The messages that `model` is sent for `history`, without the cache's marks. The service has checked them.
async fn sent(model_name: &str, history: &[Message]) -> Value {
    let server = ModelServer::playing([Answer::says("Done.")]).await;
    assert!(send(&model(&server, model_name), history).await.is_whole);
    messages_of(&server.last_request())
}

fn messages_of(request: &Request) -> Value {
    let mut messages = request.body["messages"].clone();
    for message in messages.as_array_mut().unwrap() {
        for block in message["content"].as_array_mut().unwrap() {
            block.as_object_mut().unwrap().remove("cache_control");
            // The cases write a result of one text as that text.
            if let Some([part]) = block["content"].as_array().map(Vec::as_slice) {
                block["content"] = part["text"].clone();
            } else if block["content"] == json!([]) {
                block["content"] = json!("");
            }
        }
    }
    messages
}

/// Compares messages; in `wanted`, a text in angle brackets stands for any.
#[track_caller]
fn check(sent: &Value, wanted: &Value) {
    assert!(matches(sent, wanted), "\nsent   {sent:#}\nwanted {wanted:#}");
}

fn matches(sent: &Value, wanted: &Value) -> bool {
    match (sent, wanted) {
        (Value::String(_), Value::String(any)) if any.starts_with('<') && any.ends_with('>') => true,
        (Value::Array(sent), Value::Array(wanted)) => {
            sent.len() == wanted.len() && sent.iter().zip(wanted).all(|(sent, wanted)| matches(sent, wanted))
        }
        (Value::Object(sent), Value::Object(wanted)) => {
            sent.len() == wanted.len()
                && wanted
                    .iter()
                    .all(|(name, wanted)| sent.get(name).is_some_and(|sent| matches(sent, wanted)))
        }
        _ => sent == wanted,
    }
}

fn history(messages: &Value) -> Vec<Message> {
    messages.as_array().unwrap().iter().enumerate().map(|(at, written)| message(written, at)).collect()
}

/// `at` makes the ids of answers differ.
fn message(message: &Value, at: usize) -> Message {
    let content = message["content"].as_array().unwrap().iter().map(block).collect();
    if message["role"] == "user" {
        return user(content);
    }
    Message::from(AssistantMessage {
        id: MessageId::fresh(),
        at: SystemTime::UNIX_EPOCH,
        response_id: format!("msg_{at}"),
        request_id: None,
        model: MODEL.to_owned(),
        content,
        stop_reason: None,
        usage: Usage::default(),
        is_api_error: false,
        is_virtual: false,
    })
}

fn user(content: Vec<ContentBlock>) -> Message {
    Message::from(UserMessage {
        id: MessageId::fresh(),
        at: SystemTime::UNIX_EPOCH,
        content,
        is_meta: false,
        is_virtual: false,
        is_compact_summary: false,
        tool_use_result: None,
        source_tool_assistant: None,
        mcp_meta: None,
    })
}

fn says(text: &str) -> Message {
    user(vec![ContentBlock::text(text)])
}

fn result(id: &str, text: &str) -> ContentBlock {
    ContentBlock::ToolResult {
        tool_use_id: ToolUseId(id.to_owned()),
        content: vec![ToolResultContent::Text(text.to_owned())],
        is_error: false,
    }
}

fn block(block: &Value) -> ContentBlock {
    let text = |field: &str| block[field].as_str().unwrap_or_default().to_owned();
    match block["type"].as_str().unwrap() {
        "text" => ContentBlock::Text { text: text("text") },
        "thinking" => ContentBlock::Thinking { thinking: text("thinking"), signature: text("signature") },
        "redacted_thinking" => ContentBlock::RedactedThinking { data: text("data") },
        "tool_use" => ContentBlock::ToolUse {
            id: ToolUseId(text("id")),
            name: text("name"),
            input: block["input"].clone(),
        },
        "tool_result" => result(&text("tool_use_id"), &text("content")),
        other => panic!("a case has a block of the kind {other}"),
    }
}

/// The program in a home whose model is `server`; `settings` are those of the user's `config.toml`.
async fn program(home: &mut Home, server: &ModelServer, settings: &str) -> Client {
    home.environment.push(("ANTHROPIC_API_KEY".to_owned(), "not-a-key".to_owned()));
    home.environment.push(("ANTHROPIC_BASE_URL".to_owned(), server.url()));
    home.write("../config/copydesk/config.toml", settings);
    let mut client = Client::start(home);
    client.initialize(home, full_capabilities()).await;
    client
}

/// The end of the task.
async fn terminal(client: &mut Client) -> Value {
    let ended = client.notification("copydesk/event", |params| params["event"]["type"] == "terminal").await;
    ended["event"].clone()
}

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

#[tokio::test]
async fn a_cut_stream_is_not_an_answer() {
    let name = "40-stream-cut-is-not-an-answer";
    let case = case(name);
    let most = 1 + case["max_retries"].as_u64().unwrap() as usize;
    for (file, wanted) in case["streams"].as_object().unwrap() {
        let bytes = cases::file(name, &format!("in/{file}.sse"));
        let server = ModelServer::answering(move |_| Answer::stream(bytes.clone())).await;
        let told = send(&model(&server, "m"), &[says("go")]).await;
        let asked = server.requests().len();
        match wanted.as_str().unwrap() {
            "complete" => assert_eq!((told.is_whole, asked), (true, 1), "{file}: {told:?}"),
            "asked again" => {
                assert_eq!((told.is_whole, told.blocks.len(), asked), (false, 0, most), "{file}: {told:?}");
                assert!(told.error.is_some(), "{file}");
            }
            "kept, incomplete" => {
                assert_eq!((told.is_whole, told.blocks.len(), asked), (false, 1, 1), "{file}: {told:?}");
                assert_eq!(told.error.map(|error| error.kind), Some(ModelErrorKind::StreamCut));
            }
            other => panic!("{other}"),
        }
    }
}

#[tokio::test]
async fn a_call_before_the_cut_runs_once_and_the_person_is_told() {
    let mut home = Home::new();
    home.write("a.txt", "text\n");
    let input = json!({ "file_path": home.path("a.txt").to_str().unwrap() });
    let server = ModelServer::playing([
        Answer::calls("Read", input).beginning_to_say("and then").ending_early(),
        Answer::says("Done."),
    ])
    .await;
    let mut client = program(&mut home, &server, "").await;
    ask(&mut client, "read it").await;
    let notice = client
        .notification("copydesk/event", |params| {
            params["event"]["message"]["text"].as_str().is_some_and(|text| text.contains("may be incomplete"))
        })
        .await;
    assert!(notice.is_object());
    assert_eq!(terminal(&mut client).await["reason"], "completed");
    assert_eq!(server.last_request().results().len(), 1);
    assert_eq!(client.close().await, 0);
}

#[tokio::test]
async fn bytes_of_a_stream_may_be_cut_anywhere() {
    let name = "41-sse-bytes-cut-anywhere";
    let case = case(name);
    let bytes = cases::file(name, "in/stream.sse");
    assert!(case["every_two_way_cut"].as_bool().unwrap());
    let sizes = case["chunk_sizes"].as_array().unwrap().iter().map(|size| size.as_u64().unwrap() as usize);
    // The first chunk ends at every place, and so do those behind it.
    let sizes: Vec<usize> = sizes.chain(1..bytes.len()).collect();
    let mut left = sizes.clone().into_iter();
    let server = ModelServer::answering(move |_| {
        Answer::stream(bytes.clone()).in_pieces_of(left.next().expect("one answer a size"))
    })
    .await;
    let model = model(&server, "m");
    for size in sizes {
        let told = send(&model, &[says("go")]).await;
        assert_eq!((told.text.as_str(), told.is_whole), (case["text"].as_str().unwrap(), true), "{size}");
        assert_eq!(told.stop_reason, Some(StopReason::EndTurn), "{size}");
        assert_eq!(told.blocks.len(), 1, "{size}");
    }
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
