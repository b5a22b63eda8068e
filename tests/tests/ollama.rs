//! Ollama's own wire against real HTTP: its window, its lines, and its calls, which come whole.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that can't go on ends with its cause"
)]

use std::time::Duration;

use copydesk::config::ChatServer;
use copydesk::conversation::{ApiMessage, ContentBlock, Role, StopReason};
use copydesk::models::{
    ModelErrorKind, ModelRequest, OpenAi, OpenAiConfig, Provider, ProviderEvent, RetryPolicy,
};
use copydesk_tests::client::Home;
use copydesk_tests::model_server::{Answer, ModelServer, Wire};
use futures::StreamExt;
use serde_json::json;

async fn serving(script: impl IntoIterator<Item = Answer>) -> ModelServer {
    ModelServer::speaking(Wire::Ollama, script).await
}

fn ollama(server: &ModelServer) -> OpenAi {
    let usual = OpenAiConfig::new(server.url());
    OpenAi::new(OpenAiConfig {
        server: Some(ChatServer::Ollama),
        retry: RetryPolicy { first_wait: Duration::from_millis(1), attempts: 2, ..usual.retry },
        ..usual
    })
}

/// The blocks of an answer, and why it ended, or the kind of its error and what that says.
async fn asked(model: &OpenAi) -> Result<(Vec<ContentBlock>, Option<StopReason>), (ModelErrorKind, String)> {
    let prompt = ApiMessage { role: Role::User, content: vec![ContentBlock::text("go")] };
    let mut stream = model.stream(ModelRequest::new(vec!["Edit.".to_owned()], [], [prompt], 1_000));
    let (mut blocks, mut reason) = (Vec::new(), None);
    while let Some(event) = stream.next().await {
        match event.map_err(|error| (error.kind, error.message))? {
            ProviderEvent::MessageStart { .. } => blocks.clear(),
            ProviderEvent::BlockStop { block, .. } => blocks.push(block),
            ProviderEvent::MessageDelta { stop_reason, usage } => {
                assert_eq!((usage.input_tokens, usage.output_tokens), (100, 10));
                reason = stop_reason;
            }
            _ => {}
        }
    }
    Ok((blocks, reason))
}

#[tokio::test]
async fn the_window_is_found_and_said_in_every_request() {
    let server = serving([Answer::says("Hello."), Answer::says("Hello again.")]).await;
    let model = ollama(&server);
    for _ in 0..2 {
        asked(&model).await.expect("an answer");
        let options = server.last_request().body["options"].clone();
        assert_eq!(options, json!({ "num_predict": 1_000, "num_ctx": 32_768 }), "no more than memory allows");
    }
    let info = model.info();
    assert_eq!((info.model.as_str(), info.window.context), ("scripted", 32_768));
}

#[tokio::test]
async fn calls_that_come_whole_are_calls_wherever_the_lines_are_cut() {
    for pieces in [1, 2, 7, 64, 100_000] {
        let answer = Answer::new()
            .thinking("hm")
            .saying("I look.")
            .calling("Read", json!({ "file_path": "größe.rs" }))
            .calling("Grep", json!({ "pattern": "x" }));
        let server = serving([answer.in_pieces_of(pieces)]).await;
        let (blocks, reason) = asked(&ollama(&server)).await.expect("an answer");
        let [
            ContentBlock::Thinking { thinking, .. },
            ContentBlock::Text { text },
            ContentBlock::ToolUse { input: read, id: one, .. },
            ContentBlock::ToolUse { input: grep, id: other, .. },
        ] = blocks.as_slice()
        else {
            panic!("{blocks:?}")
        };
        assert_eq!((thinking.as_str(), text.as_str()), ("hm", "I look."));
        assert_eq!((read, grep), (&json!({ "file_path": "größe.rs" }), &json!({ "pattern": "x" })));
        assert_ne!(one, other, "the service gives none");
        assert_eq!(reason, Some(StopReason::ToolUse), "it said `stop`");
    }
}

#[tokio::test]
async fn a_cut_answer_and_errors_are_told_apart() {
    let server = serving([Answer::says("half").stopping_for("max_tokens")]).await;
    assert_eq!(asked(&ollama(&server)).await.expect("an answer").1, Some(StopReason::MaxTokens));

    let server = serving([Answer::new().beginning_to_say("so").cut(), Answer::says("So it is.")]).await;
    assert_eq!(asked(&ollama(&server)).await.expect("asked again").0, [ContentBlock::text("So it is.")]);

    let no_tools = r#"{"error":"registry.ollama.ai/library/tiny does not support tools"}"#;
    let server = serving([Answer::response(400, no_tools)]).await;
    let (_, message) = asked(&ollama(&server)).await.expect_err("a refusal");
    assert!(message.contains("can't call tools"), "{message}");
}

#[tokio::test]
async fn the_program_does_a_task_with_it() {
    let server = serving([]).await;
    let mut home = Home::new();
    home.write("a.rs", "fn load() {}\n");
    home.write("../config/copydesk/config.toml", "[model]\nserver = \"ollama\"\n");
    home.environment.push(("OPENAI_BASE_URL".to_owned(), server.url()));
    let path = home.path("a.rs");
    let path = path.to_str().expect("UTF-8");
    server.then(Answer::says("I look.").calling("Read", json!({ "file_path": path })));
    server.then(Answer::calls(
        "Edit",
        json!({ "file_path": path, "old_string": "load", "new_string": "open" }),
    ));
    server.then(Answer::says("Renamed."));
    let mut command =
        home.command(&["run", "--yes", "--model", "openai/scripted", "rename load to open", "a.rs"]);
    let output = tokio::task::spawn_blocking(move || command.output()).await.unwrap().expect("it runs");
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(0), "{out}{err}");
    assert_eq!(std::fs::read_to_string(home.path("a.rs")).unwrap(), "fn open() {}\n");
}
