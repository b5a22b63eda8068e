//! Chat-completions servers against real HTTP, through the provider and through the program itself.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that can't go on ends with its cause"
)]

use std::sync::Arc;
use std::time::Duration;

use copydesk::config::{ApiKey, ChatServer};
use copydesk::conversation::{ApiMessage, ContentBlock, Role, StopReason};
use copydesk::models::{
    LocalModel, ModelErrorKind, ModelRequest, OpenAi, OpenAiConfig, Provider, ProviderEvent, RetryPolicy,
};
use copydesk_tests::client::Home;
use copydesk_tests::heard::{Heard, heard, request};
use copydesk_tests::model_server::{Answer, ModelServer, Wire};
use copydesk_tests::person::{ask as ask_in_editor, plain};
use futures::StreamExt;
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;

const KEY: &str = "sk-FAKE-0123456789abcdef";

async fn serving(script: impl IntoIterator<Item = Answer>) -> ModelServer {
    ModelServer::speaking(Wire::ChatCompletions, script).await
}

async fn ask(server: &ModelServer) -> Heard {
    ask_with(config(server), request()).await
}

async fn ask_with(config: OpenAiConfig, request: ModelRequest) -> Heard {
    heard(&OpenAi::new(config), request).await
}

/// The usual configuration with waits that a test can afford.
fn config(server: &ModelServer) -> OpenAiConfig {
    let usual = OpenAiConfig::new(server.url());
    OpenAiConfig {
        key: Some(ApiKey::new(KEY)),
        model: Some("scripted".to_owned()),
        retry: RetryPolicy { first_wait: Duration::from_millis(1), attempts: 4, ..usual.retry },
        ..usual
    }
}

#[tokio::test]
async fn a_plain_answer() {
    let server = serving([Answer::says("All is well.")]).await;
    let told = ask(&server).await;
    told.check_whole("All is well.");
    assert_eq!(told.stop_reason, Some(StopReason::EndTurn));
    assert_eq!((told.usage.input_tokens, told.usage.output_tokens), (100, 10));
    let request = server.last_request();
    assert_eq!(request.header("authorization"), Some(format!("Bearer {KEY}").as_str()));
    assert_eq!((&request.body["model"], &request.body["max_tokens"]), (&json!("scripted"), &json!(1_000)));
}

#[tokio::test]
async fn thinking_text_and_calls_in_one_answer_however_it_is_cut() {
    let input = json!({ "file_path": "größe.rs", "nested": [1, { "a": null }] });
    for pieces in [1, 2, 3, 7, 64, 100_000] {
        let answer =
            Answer::new().thinking("first \u{2028}").saying("I look.").calling("Read", input.clone());
        let server = serving([answer.calling("Grep", json!({})).in_pieces_of(pieces)]).await;
        let told = ask(&server).await;
        told.check_whole("I look.");
        assert_eq!(told.stop_reason, Some(StopReason::ToolUse));
        let [
            ContentBlock::Thinking { thinking, .. },
            said,
            ContentBlock::ToolUse { name, input: read, .. },
            ContentBlock::ToolUse { .. },
        ] = told.blocks.as_slice()
        else {
            panic!("{told:?}")
        };
        assert_eq!((thinking.as_str(), said), ("first \u{2028}", &ContentBlock::text("I look.")));
        assert_eq!((name.as_str(), read), ("Read", &input));
    }
}

#[tokio::test]
async fn the_window_is_asked_for_once_and_known_then() {
    let server = serving([Answer::says("One."), Answer::says("Two.")]).await;
    let model = OpenAi::new(config(&server));
    heard(&model, request()).await.check_whole("One.");
    assert_eq!(model.info().window.context, 100_000);
    heard(&model, request()).await.check_whole("Two.");
}

#[tokio::test]
async fn the_model_that_nobody_named_is_the_servers_first() {
    let server = serving([Answer::says("Hi.")]).await;
    let model = OpenAi::new(OpenAiConfig { model: None, ..config(&server) });
    heard(&model, request()).await.check_whole("Hi.");
    assert_eq!(
        (server.last_request().body["model"].as_str(), model.info().label.as_str()),
        (Some("scripted"), "scripted")
    );
}

#[tokio::test]
async fn an_answer_is_never_longer_than_the_window_leaves_room() {
    let server = serving([Answer::says("Short.")]).await;
    let small = OpenAiConfig { window: Some(600), ..config(&server) };
    ask_with(small, request()).await.check_whole("Short.");
    let asked = server.last_request().body["max_tokens"].as_u64().unwrap();
    assert!((256..600).contains(&asked), "{asked}");
}

#[tokio::test]
async fn what_passes_is_tried_again() {
    let busy = json!({ "error": { "message": "busy", "code": 503 } }).to_string();
    let server = serving([Answer::response(503, busy), Answer::says("Here.")]).await;
    let told = ask(&server).await;
    told.check_whole("Here.");
    assert_eq!(told.reasons(), ["The model is overloaded (503): busy. Try again in a while."]);
    let server = serving([
        Answer::new().beginning_to_say("so it").cut(),
        Answer::new().beginning_to_say("so it").ending_early(),
        Answer::new().beginning_to_say("so").failing("server_error", "oops"),
        Answer::says("All of it."),
    ])
    .await;
    let told = ask(&server).await;
    told.check_whole("All of it.");
    assert_eq!(told.retries.len(), 3, "{:?}", told.retries);
}

#[tokio::test]
async fn a_stream_that_falls_silent_is_left_and_tried_once_more() {
    let silent = || Answer::new().beginning_to_say("so").stalling();
    let server = serving([silent(), silent()]).await;
    let impatient = OpenAiConfig { idle_timeout: Some(Duration::from_millis(60)), ..config(&server) };
    let told = ask_with(impatient, request()).await;
    assert_eq!((told.error.map(|error| error.kind), told.retries.len()), (Some(ModelErrorKind::Stalled), 1));
}

#[tokio::test]
async fn a_finished_part_is_not_asked_for_twice() {
    let server = serving([Answer::says("I look.").calling("Read", json!({})).cut()]).await;
    let told = ask(&server).await;
    assert_eq!((told.blocks, told.retries.len()), (vec![ContentBlock::text("I look.")], 0));
    assert_eq!(told.error.map(|error| error.kind), Some(ModelErrorKind::StreamCut));
}

#[tokio::test]
async fn what_will_not_change_is_told_at_once() {
    let error = |status, message: &str| {
        Answer::response(status, json!({ "error": { "message": message } }).to_string())
    };
    let refusals = [
        (error(400, "bad"), ModelErrorKind::InvalidRequest),
        (error(401, "no"), ModelErrorKind::Authentication),
        (error(402, "Insufficient credits"), ModelErrorKind::Billing),
        (error(404, "The model `scripted` does not exist"), ModelErrorKind::UnknownModel),
        (error(400, "This model's maximum context length is 100 tokens"), ModelErrorKind::PromptTooLong),
        (error(400, "scripted does not support tools"), ModelErrorKind::InvalidRequest),
        (
            Answer::response(307, "").header("location", "http://elsewhere.example"),
            ModelErrorKind::InvalidRequest,
        ),
    ];
    for (answer, kind) in refusals {
        let server = serving([answer]).await;
        let told = ask(&server).await;
        assert_eq!(told.error.as_ref().map(|error| error.kind), Some(kind), "{told:?}");
        assert_eq!(server.requests().len(), 1, "{kind:?}");
    }
}

#[tokio::test]
async fn what_is_no_chat_completion_is_told_so() {
    let page = "<html><body>Welcome</body></html>";
    let answers = [
        Answer::response(200, page).header("content-type", "text/html"),
        Answer::response(200, page),
        Answer::response(200, ""),
        Answer::response(200, "[]"),
        Answer::response(200, json!({ "type": "message", "content": [] }).to_string()),
        Answer::new().raw("data: <html>"),
        Answer::new().raw("event: message_start\ndata: {\"type\":\"message_start\",\"message\":{}}"),
    ];
    for answer in answers {
        let told = answer_of(answer).await;
        let error = told.error.as_ref().unwrap_or_else(|| panic!("{told:?}"));
        assert_eq!((error.kind, told.retries.len()), (ModelErrorKind::Malformed, 0), "{error:?}");
        assert!(error.message.contains("Check that the base URL leads to it."), "{}", error.message);
    }
}

async fn answer_of(answer: Answer) -> Heard {
    let server = serving([answer]).await;
    ask(&server).await
}

#[tokio::test]
async fn a_server_that_does_not_stream_answers_too() {
    let message = json!({ "id": "c", "choices": [{ "message": { "role": "assistant", "content": "Whole." }, "finish_reason": "stop" }] });
    answer_of(Answer::response(200, message.to_string())).await.check_whole("Whole.");
}

#[tokio::test]
async fn the_key_is_in_no_text() {
    for said in [format!("bad key {KEY}"), format!("bad key {}…", &KEY[..14])] {
        let refusal = Answer::response(401, json!({ "error": { "message": said } }).to_string());
        let told = format!("{:?}", answer_of(refusal).await);
        assert!(!told.contains("FAKE") && told.contains("[key]"), "{told}");
    }
    let server = serving([]).await;
    assert!(!format!("{:?}", OpenAi::new(config(&server))).contains("FAKE"));
}

#[tokio::test]
async fn nobody_there_and_no_address() {
    let gone = serving([]).await;
    let (config, url) = (config(&gone), gone.url());
    drop(gone);
    ask_with(config.clone(), request()).await.check_error(
        ModelErrorKind::Unreachable,
        &format!("Nothing answers at {url}. Start the model's server, or choose another model."),
    );
    let nowhere = OpenAiConfig { base_url: "model.example".to_owned(), ..config };
    ask_with(nowhere, request()).await.check_error(
        ModelErrorKind::Unreachable,
        "The base URL of the model is no web address. It begins with https:// or http://.",
    );
    let keyless = OpenAiConfig { key: None, ..OpenAiConfig::new("https://api.openai.com/v1") };
    ask_with(keyless, request()).await.check_error(
        ModelErrorKind::Authentication,
        "There is no key for the model: set OPENAI_API_KEY, or choose another model.",
    );
}

#[tokio::test]
async fn a_prompt_that_ollama_would_cut_without_a_word_is_not_sent() {
    let server = serving([]).await;
    let ollama = OpenAiConfig { server: Some(ChatServer::Ollama), window: Some(500), ..config(&server) };
    let mut request = request();
    let content = vec![ContentBlock::text("x".repeat(3_000))];
    request.messages = vec![Arc::new(ApiMessage { role: Role::User, content })];
    let told = ask_with(ollama, request).await;
    let error = told.error.expect("an error");
    assert_eq!(error.kind, ModelErrorKind::PromptTooLong);
    assert!(error.over_by.is_some_and(|over| over > 500), "{error:?}");
}

#[tokio::test]
async fn dropping_the_stream_closes_the_connection() {
    let server = serving([Answer::new().beginning_to_say("so it").stalling()]).await;
    let mut stream = OpenAi::new(config(&server)).stream(request());
    while let Some(event) = stream.next().await {
        if matches!(event, Ok(ProviderEvent::BlockDelta { .. })) {
            break;
        }
    }
    drop(stream);
    server.hung_up(1).await;
}

#[tokio::test]
async fn a_server_on_this_machine_is_found_by_itself() {
    let server = serving([Answer::says("Here I am.")]).await;
    let port = server.url().rsplit(':').next().and_then(|port| port.parse().ok()).expect("a port");
    let model = LocalModel::new([port], OpenAiConfig::new(""));
    assert!(model.info().offline, "nobody has looked yet");
    heard(&model, request()).await.check_whole("Here I am.");
    assert_eq!((model.info().label.as_str(), model.info().offline), ("scripted", false));
    assert_eq!(server.last_request().header("authorization"), None, "no key goes there");
}

#[tokio::test]
async fn a_page_on_a_usual_port_is_no_model() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let page = tokio::spawn(async move {
        while let Ok((mut connection, _)) = listener.accept().await {
            let page = "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 6\r\nconnection: close\r\n\r\n<html>";
            // The first connection only sees whether somebody listens.
            let _ = connection.write_all(page.as_bytes()).await;
        }
    });
    assert!(LocalModel::new([port], OpenAiConfig::new("")).look().await.is_none());
    page.abort();
}

#[tokio::test]
async fn an_input_of_thirty_megabytes_is_kept_as_its_beginning() {
    let piece = "x".repeat(1 << 20);
    let begun = json!([{ "index": 0, "id": "call_1", "type": "function", "function": { "name": "Write", "arguments": "{\"content\":\"" } }]);
    let chunk = |calls: &Value, reason: Value| {
        let delta = json!({ "tool_calls": calls });
        format!(
            "data: {}",
            json!({ "id": "c", "choices": [{ "index": 0, "delta": delta, "finish_reason": reason }] })
        )
    };
    let mut answer = Answer::new().raw(chunk(&begun, Value::Null));
    for _ in 0..30 {
        let more = json!([{ "index": 0, "function": { "arguments": piece } }]);
        answer = answer.raw(chunk(&more, Value::Null));
    }
    let server = serving([answer.raw(chunk(&json!([]), json!("tool_calls"))).raw("data: [DONE]")]).await;
    let told = ask(&server).await;
    let [ContentBlock::ToolUse { name, input, .. }] = told.blocks.as_slice() else {
        panic!("one call: {:?}", told.error)
    };
    assert_eq!(name, "Write");
    let [kept, bytes, most] = ["unparsed_input", "bytes_in_all", "bytes_at_most"].map(|field| &input[field]);
    assert_eq!(kept.as_str().map(str::len), Some(200));
    assert_eq!((bytes, most), (&json!((30 << 20) + 12), &json!(8 << 20)));
}

/// Whole chunks, each twice, and the answer again behind its end.
#[tokio::test]
async fn a_stream_that_repeats_itself_calls_once() {
    let call = json!([{ "index": 0, "id": "call_1", "type": "function", "function": { "name": "Read", "arguments": "{\"file_path\":\"a.rs\"}" } }]);
    let chunk = |delta: Value, reason: Value| {
        format!(
            "data: {}",
            json!({ "id": "c", "choices": [{ "index": 0, "delta": delta, "finish_reason": reason }] })
        )
    };
    let called = chunk(json!({ "tool_calls": call }), Value::Null);
    let ended = chunk(json!({}), json!("tool_calls"));
    let told = answer_of(
        [&called, &called, &ended, &ended, &called, &ended, "data: [DONE]", &called, "data: [DONE]"]
            .into_iter()
            .fold(Answer::new(), Answer::raw),
    )
    .await;
    let inputs: Vec<&Value> = told
        .blocks
        .iter()
        .filter_map(|block| match block {
            ContentBlock::ToolUse { input, .. } => Some(input),
            _ => None,
        })
        .collect();
    assert_eq!((inputs, told.is_whole), (vec![&json!({ "file_path": "a.rs" })], true));
}

/// A home whose project has a file with `load` in it.
fn home(server: &ModelServer) -> Home {
    let mut home = Home::new();
    home.write("a.rs", "fn load() {}\n");
    home.environment.push(("OPENAI_BASE_URL".to_owned(), server.url()));
    home
}

fn edit(home: &Home) -> [Answer; 3] {
    let path = home.path("a.rs");
    let path = path.to_str().expect("UTF-8");
    [
        Answer::says("I look.").calling("Read", json!({ "file_path": path })),
        Answer::calls("Edit", json!({ "file_path": path, "old_string": "load", "new_string": "open" })),
        Answer::says("Renamed."),
    ]
}

#[tokio::test]
async fn the_program_does_a_task_with_a_model_named_on_the_command_line() {
    let server = serving([]).await;
    let home = home(&server);
    for answer in edit(&home) {
        server.then(answer);
    }
    let mut command =
        home.command(&["run", "--yes", "--model", "openai/scripted", "rename load to open", "a.rs"]);
    let output = tokio::task::spawn_blocking(move || command.output()).await.unwrap().expect("it runs");
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(0), "{out}{err}");
    assert_eq!(std::fs::read_to_string(home.path("a.rs")).unwrap(), "fn open() {}\n");
    let request = server.last_request();
    let roles: Vec<&str> = request.messages().iter().filter_map(|message| message["role"].as_str()).collect();
    assert_eq!(roles, ["system", "user", "assistant", "tool", "assistant", "tool"]);
    assert_eq!(request.body["model"], "scripted");
}

#[tokio::test]
async fn a_task_in_an_editor_runs_on_a_chat_completions_server() {
    let server = serving([]).await;
    let home = home(&server);
    for answer in edit(&home) {
        server.then(answer);
    }
    let mut client = plain(&home).await;
    client.did_open(&home.uri("a.rs"), "rust", "fn load() {}\n");
    ask_in_editor(&mut client, "rename load to open").await;
    let pending = client
        .notification("textDocument/publishDiagnostics", |params: &Value| {
            params["diagnostics"].as_array().is_some_and(|diagnostics| !diagnostics.is_empty())
        })
        .await;
    let message = pending["diagnostics"][0]["message"].as_str().unwrap_or_default();
    assert!(message.contains("open"), "{message}");
    server.asked(3).await;
    assert_eq!(client.close().await, 0);
}

#[tokio::test]
async fn json_that_is_no_answer_is_told_as_such() {
    for body in [r#"{"choices":[]}"#, r#"{"usage":{"prompt_tokens":1}}"#] {
        let page = Answer::response(200, body).header("content-type", "application/json");
        let server = serving([page]).await;
        let told = ask(&server).await;
        assert_eq!(told.retries.len(), 0);
        let error = told.error.expect("an error");
        assert_eq!(error.kind, ModelErrorKind::Malformed, "{body}: {}", error.message);
        assert!(
            error.message.contains("it is `application/json`. Check that the base URL"),
            "{}",
            error.message
        );
    }
}
