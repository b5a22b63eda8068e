//! The body of a chat-completions request, in the words that one server takes.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::messages;
use super::quirks::{ForcedCall, LimitField, Quirks, UsageOption};
use super::schema;
use super::text_calls;
use crate::config::ToolCallFormat;
use crate::models::{ModelRequest, ToolChoice};

/// What is asked beside the conversation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asking<'a> {
    pub(super) model: &'a str,
    pub(super) quirks: &'a Quirks,
    pub(super) format: ToolCallFormat,
    /// Tokens of the answer at most.
    pub(super) max_tokens: u32,
}

/// The body. Nothing is in it that only some servers know, unless this one is known to.
pub(super) fn body(request: &ModelRequest, asking: Asking<'_>) -> Map<String, Value> {
    let Asking { model, quirks, format, max_tokens } = asking;
    let mut body = Map::new();
    body.insert("model".to_owned(), json!(model));
    let limit = match quirks.limit {
        LimitField::MaxTokens => "max_tokens",
        LimitField::MaxCompletionTokens => "max_completion_tokens",
    };
    body.insert(limit.to_owned(), json!(max_tokens));
    body.insert("stream".to_owned(), json!(true));
    if quirks.usage == UsageOption::Asked {
        body.insert("stream_options".to_owned(), json!({ "include_usage": true }));
    }
    let mut system: Vec<String> =
        request.system.iter().filter(|section| !section.trim().is_empty()).cloned().collect();
    if !request.tools.is_empty() {
        match format {
            ToolCallFormat::Native => {
                body.insert("tools".to_owned(), tools(request, quirks));
                if let Some(choice) = tool_choice(request, quirks.forced) {
                    body.insert("tool_choice".to_owned(), choice);
                }
            }
            ToolCallFormat::Prompt if request.tool_choice == ToolChoice::None => {}
            ToolCallFormat::Prompt => system.push(text_calls::instructions(&request.tools)),
        }
    }
    let conversation = request.messages.iter().map(Arc::as_ref);
    let messages = messages::messages(&system, conversation, quirks, format);
    body.insert("messages".to_owned(), Value::Array(messages));
    body
}

fn tools(request: &ModelRequest, quirks: &Quirks) -> Value {
    let tools = request.tools.iter().map(|tool| {
        let parameters = schema::sanitized(&tool.input_schema, quirks.schemas);
        let function =
            json!({ "name": tool.name, "description": tool.description, "parameters": parameters });
        json!({ "type": "function", "function": function })
    });
    Value::Array(tools.collect())
}

/// `auto` is what every server does unasked.
fn tool_choice(request: &ModelRequest, forced: ForcedCall) -> Option<Value> {
    match (request.tool_choice, forced, &*request.tools) {
        (ToolChoice::Auto, _, _) => None,
        (ToolChoice::None, _, _) => Some(json!("none")),
        (ToolChoice::Any, ForcedCall::Named, [tool]) => {
            Some(json!({ "type": "function", "function": { "name": tool.name } }))
        }
        (ToolChoice::Any, ForcedCall::Named | ForcedCall::Required, _) => Some(json!("required")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::ChatServer;
    use crate::conversation::{ApiMessage, ContentBlock, Role};
    use crate::models::openai::quirks::quirks;
    use crate::models::{ToolDefinition, only_ours};

    fn request() -> ModelRequest {
        let tool = ToolDefinition {
            name: "Read".to_owned(),
            description: "Reads.".to_owned(),
            input_schema: json!({ "type": "object" }),
            deferred: false,
        };
        let prompt = ApiMessage { role: Role::User, content: vec![ContentBlock::text("go")] };
        let system = vec!["You edit.".to_owned(), " ".to_owned(), "Today.".to_owned()];
        ModelRequest::new(system, vec![tool], vec![prompt], 1_000)
    }

    fn written(server: ChatServer, format: ToolCallFormat, change: impl FnOnce(&mut ModelRequest)) -> Value {
        let mut request = request();
        change(&mut request);
        let quirks = quirks(server, "m");
        let asking = Asking { model: "m", quirks: &quirks, format, max_tokens: 500 };
        Value::Object(body(&request, asking))
    }

    #[test]
    fn nothing_that_is_only_ours_is_sent() {
        for format in [ToolCallFormat::Native, ToolCallFormat::Prompt] {
            for server in [ChatServer::OpenAi, ChatServer::Generic, ChatServer::Vllm, ChatServer::Mistral] {
                let mut body = written(server, format, |request| {
                    request.messages = only_ours::conversation().into_iter().map(Arc::new).collect();
                });
                // Asks for the figures of the answer.
                body.as_object_mut().expect("an object").remove("stream_options");
                only_ours::check(&body.to_string());
            }
        }
    }

    #[test]
    fn a_body_for_openai() {
        assert_eq!(
            written(ChatServer::OpenAi, ToolCallFormat::Native, |_| {}),
            json!({
                "model": "m",
                "max_completion_tokens": 500,
                "stream": true,
                "stream_options": { "include_usage": true },
                "tools": [{ "type": "function", "function": {
                    "name": "Read", "description": "Reads.", "parameters": { "type": "object", "properties": {} },
                }}],
                "messages": [
                    { "role": "developer", "content": "You edit.\n\nToday." },
                    { "role": "user", "content": "go" },
                ],
            })
        );
    }

    #[test]
    fn a_strict_server_gets_the_fields_it_knows_only() {
        let body = written(ChatServer::Mistral, ToolCallFormat::Native, |_| {});
        let fields: Vec<&String> = body.as_object().expect("an object").keys().collect();
        assert_eq!(fields, ["model", "max_tokens", "stream", "tools", "messages"]);
        assert_eq!(body["messages"][0]["role"], "system");
    }

    #[test]
    fn tools_may_be_kept_from_a_model_or_forced_on_it() {
        let none = |request: &mut ModelRequest| request.tool_choice = ToolChoice::None;
        assert_eq!(written(ChatServer::OpenAi, ToolCallFormat::Native, none)["tool_choice"], "none");
        let forced = |server, tools| {
            written(server, ToolCallFormat::Native, |request| {
                request.tools = vec![request.tools[0].clone(); tools].into();
                request.tool_choice = ToolChoice::Any;
            })["tool_choice"]
                .take()
        };
        assert_eq!(forced(ChatServer::OpenAi, 1), "required");
        assert_eq!(
            forced(ChatServer::Vllm, 1),
            json!({ "type": "function", "function": { "name": "Read" } })
        );
        assert_eq!(forced(ChatServer::Vllm, 2), "required");
        let body =
            written(ChatServer::OpenAi, ToolCallFormat::Native, |request| request.tools = Arc::new([]));
        assert_eq!((body.get("tools"), body.get("tool_choice")), (None, None));
    }

    #[test]
    fn no_server_is_told_that_a_tool_waits_for_a_search() {
        let body = written(ChatServer::OpenAi, ToolCallFormat::Native, |request| {
            let deferred = ToolDefinition { deferred: true, ..request.tools[0].clone() };
            request.tools = Arc::new([deferred]);
        });
        let fields: Vec<&String> = body["tools"][0]["function"].as_object().expect("a tool").keys().collect();
        assert_eq!(fields, ["name", "description", "parameters"]);
    }

    #[test]
    fn in_the_prompt_format_tools_are_told_in_words() {
        let body = written(ChatServer::Generic, ToolCallFormat::Prompt, |_| {});
        assert_eq!(body.get("tools"), None);
        let system = body["messages"][0]["content"].as_str().expect("a text");
        let tool = r#"{"name":"Read","description":"Reads.","parameters":{"type":"object"}}"#;
        assert!(system.starts_with("You edit.\n\nToday.\n\n# Tools") && system.contains(tool), "{system}");
    }
}
