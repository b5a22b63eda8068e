//! The cases of what passes between the agent and a model: see `cases/README.md`.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test ends where it can't go on"
)]

mod calls;
mod ids;
mod refusals;
mod streams;
mod summaries;

use std::time::{Duration, Instant, SystemTime};

use copydesk::config::ApiKey;
use copydesk::context::{Afterwards, divided, summarised};
use copydesk::conversation::{
    AssistantMessage, CompactMetadata, CompactTrigger, ContentBlock, Message, MessageId, StopReason,
    ToolResultContent, ToolUseId, Usage, UserMessage, content_tokens, normalize_for,
};
use copydesk::models::{
    Anthropic, AnthropicConfig, Credential, ModelErrorKind, ModelRequest, OpenAi, OpenAiConfig, Provider,
    RetryPolicy,
};
use copydesk_tests::cases::{self, case, list};
use copydesk_tests::client::{Client, Home, full_capabilities};
use copydesk_tests::heard::{Heard, heard};
use copydesk_tests::model_server::{Answer, ModelServer, Request};
use copydesk_tests::person::ask;
use serde_json::{Value, json};

/// The model that the histories of the cases are from.
const MODEL: &str = "M1";

/// A model that is asked again without long waits.
fn model(server: &ModelServer, name: &str) -> Anthropic {
    patient_model(server, name, quick(RetryPolicy::default()))
}

fn patient_model(server: &ModelServer, name: &str, retry: RetryPolicy) -> Anthropic {
    let mut config = AnthropicConfig::new(Some(Credential::Key(ApiKey::new("not-a-key"))), name);
    config.base_url = server.url();
    config.retry = retry;
    Anthropic::new(config)
}

fn quick(policy: RetryPolicy) -> RetryPolicy {
    RetryPolicy { first_wait: Duration::from_millis(1), ..policy }
}

/// Sends `history` to `model`, as the loop does.
async fn send(model: &Anthropic, history: &[Message]) -> Heard {
    let messages = normalize_for(history, &model.info().model);
    heard(model, ModelRequest::new(Vec::new(), Vec::new(), messages, 1_000)).await
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
    home.environment.extend(server.environment());
    home.write("../config/copydesk/config.toml", settings);
    let mut client = Client::start(home);
    client.initialize(home, full_capabilities()).await;
    client
}

/// The end of the task.
async fn terminal(client: &mut Client) -> Value {
    ended(client).await["event"].clone()
}

/// The same with its session.
async fn ended(client: &mut Client) -> Value {
    client.notification("copydesk/event", |params| params["event"]["type"] == "terminal").await
}

/// The next prompt in a session whose task has ended.
async fn go_on(client: &mut Client, ended: &Value, text: &str) {
    let prompt = json!([{ "type": "text", "text": text }]);
    let more = json!({ "sessionId": ended["sessionId"], "prompt": prompt });
    client.request("copydesk/task/send", more).await.expect("a prompt is taken");
}
