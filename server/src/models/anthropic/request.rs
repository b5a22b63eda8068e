//! The body of a Messages API request, in bytes that stay the same from turn to turn.
//!
//! Invariant: messages come last, and one more message changes nothing before the moved cache marker, so that the
//! provider finds its cached prefix again (Messages API, "Prompt caching").

use serde_json::{Map, Value, json};

use crate::conversation::{ApiMessage, ContentBlock, ImageSource, Role, ToolResultContent};
use crate::models::{ModelRequest, ToolDefinition};

/// The body for `model`.
pub(super) fn body(request: &ModelRequest, model: &str) -> Vec<u8> {
    let mut body = Map::new();
    body.insert("model".to_owned(), json!(model));
    body.insert("max_tokens".to_owned(), json!(request.max_tokens));
    body.insert("stream".to_owned(), json!(true));
    if !request.tools.is_empty() {
        body.insert("tools".to_owned(), tools(&request.tools));
    }
    let system: Vec<&String> = request.system.iter().filter(|section| !section.trim().is_empty()).collect();
    if !system.is_empty() {
        let mut blocks: Vec<Value> =
            system.iter().map(|text| json!({ "type": "text", "text": text })).collect();
        blocks.last_mut().map(mark);
        body.insert("system".to_owned(), Value::Array(blocks));
    }
    body.insert("messages".to_owned(), messages(&request.messages));
    Value::Object(body).to_string().into_bytes()
}

/// Built-in tools come first, so the marker behind the last of them holds whatever MCP servers come and go.
fn tools(tools: &[ToolDefinition]) -> Value {
    let mut written: Vec<Value> = tools
        .iter()
        .map(|tool| json!({ "name": tool.name, "description": tool.description, "input_schema": tool.input_schema }))
        .collect();
    let last_built_in = tools.iter().rposition(|tool| !tool.name.starts_with("mcp__"));
    last_built_in.and_then(|at| written.get_mut(at)).map(mark);
    Value::Array(written)
}

/// The one moving marker stands at the end of the last message.
fn messages(messages: &[ApiMessage]) -> Value {
    let mut written: Vec<Value> = messages
        .iter()
        .map(|message| {
            let role = match message.role {
                Role::User => "user",
                Role::Assistant => "assistant",
            };
            let content: Vec<Value> = message.content.iter().map(block).collect();
            json!({ "role": role, "content": content })
        })
        .collect();
    let last_blocks =
        written.last_mut().and_then(|message| message.get_mut("content")).and_then(Value::as_array_mut);
    if let Some(blocks) = last_blocks {
        blocks.iter_mut().rev().find(|block| can_be_marked(block)).map(mark);
    }
    Value::Array(written)
}

/// Thinking can't carry a marker.
fn can_be_marked(block: &Value) -> bool {
    !matches!(block.get("type").and_then(Value::as_str), Some("thinking" | "redacted_thinking"))
}

fn mark(block: &mut Value) {
    if let Value::Object(fields) = block {
        fields.insert("cache_control".to_owned(), json!({ "type": "ephemeral" }));
    }
}

fn block(block: &ContentBlock) -> Value {
    match block {
        ContentBlock::Text { text } => json!({ "type": "text", "text": text }),
        ContentBlock::Thinking { thinking, signature } => {
            json!({ "type": "thinking", "thinking": thinking, "signature": signature })
        }
        ContentBlock::RedactedThinking { data } => json!({ "type": "redacted_thinking", "data": data }),
        ContentBlock::ToolUse { id, name, input } => {
            json!({ "type": "tool_use", "id": id.as_str(), "name": name, "input": input })
        }
        ContentBlock::ToolResult { tool_use_id, content, is_error } => {
            let content: Vec<Value> = content.iter().map(result_part).collect();
            let mut result =
                json!({ "type": "tool_result", "tool_use_id": tool_use_id.as_str(), "content": content });
            if let (true, Value::Object(fields)) = (*is_error, &mut result) {
                fields.insert("is_error".to_owned(), json!(true));
            }
            result
        }
        ContentBlock::Image(source) => image(source),
        ContentBlock::ServerToolUse { id, name, input } => {
            json!({ "type": "server_tool_use", "id": id.as_str(), "name": name, "input": input })
        }
        ContentBlock::ServerToolResult { raw, .. } => raw.clone(),
        ContentBlock::Compaction { content } => json!({ "type": "compaction", "content": content }),
    }
}

fn result_part(part: &ToolResultContent) -> Value {
    match part {
        ToolResultContent::Text(text) => json!({ "type": "text", "text": text }),
        ToolResultContent::Image(source) => image(source),
        ToolResultContent::ToolReference(tool) => json!({ "type": "tool_reference", "tool_name": tool }),
    }
}

fn image(source: &ImageSource) -> Value {
    json!({
        "type": "image",
        "source": { "type": "base64", "media_type": source.media_type, "data": source.data },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::ToolUseId;

    fn request(messages: Vec<ApiMessage>) -> ModelRequest {
        let tool = |name: &str| ToolDefinition {
            name: name.to_owned(),
            description: format!("{name}s."),
            input_schema: json!({ "type": "object" }),
        };
        let system = vec!["You edit.".to_owned(), " ".to_owned(), "Today.".to_owned()];
        ModelRequest::new(system, vec![tool("Edit"), tool("Read"), tool("mcp__a__b")], messages, 8_000)
    }

    fn user(content: Vec<ContentBlock>) -> ApiMessage {
        ApiMessage { role: Role::User, content }
    }

    fn history() -> Vec<ApiMessage> {
        let id = ToolUseId("t1".to_owned());
        let call = ContentBlock::ToolUse {
            id: id.clone(),
            name: "Read".to_owned(),
            input: json!({ "z": 1, "a": 2 }),
        };
        let thinking =
            ContentBlock::Thinking { thinking: "hm \u{2028}".to_owned(), signature: "S".to_owned() };
        let parts = vec![ToolResultContent::Text("gone".to_owned())];
        let result = ContentBlock::ToolResult { tool_use_id: id, content: parts, is_error: true };
        vec![
            user(vec![ContentBlock::text("go")]),
            ApiMessage { role: Role::Assistant, content: vec![thinking, call] },
            user(vec![result]),
        ]
    }

    #[test]
    fn the_body_in_its_order_with_three_markers() {
        let body = body(&request(history()), "claude-x");
        let marked = r#""cache_control":{"type":"ephemeral"}"#;
        let wanted = [
            r#"{"model":"claude-x","max_tokens":8000,"stream":true,"tools":["#,
            r#"{"name":"Edit","description":"Edits.","input_schema":{"type":"object"}},"#,
            &format!(
                r#"{{"name":"Read","description":"Reads.","input_schema":{{"type":"object"}},{marked}}},"#
            ),
            r#"{"name":"mcp__a__b","description":"mcp__a__bs.","input_schema":{"type":"object"}}],"system":["#,
            r#"{"type":"text","text":"You edit."},"#,
            &format!(r#"{{"type":"text","text":"Today.",{marked}}}],"messages":["#),
            r#"{"role":"user","content":[{"type":"text","text":"go"}]},"#,
            "{\"role\":\"assistant\",\"content\":[{\"type\":\"thinking\",\"thinking\":\"hm \u{2028}\",\"signature\":\"S\"},",
            r#"{"type":"tool_use","id":"t1","name":"Read","input":{"z":1,"a":2}}]},"#,
            r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","#,
            &format!(r#""content":[{{"type":"text","text":"gone"}}],"is_error":true,{marked}}}]}}]}}"#),
        ];
        assert_eq!(String::from_utf8(body).expect("UTF-8"), wanted.concat());
    }

    #[test]
    fn the_next_request_begins_with_the_bytes_of_this_one() {
        let mut messages = history();
        let first = body(&request(messages.clone()), "claude-x");
        messages.push(ApiMessage { role: Role::Assistant, content: vec![ContentBlock::text("so")] });
        messages.push(user(vec![ContentBlock::text("and?")]));
        let second = String::from_utf8(body(&request(messages), "claude-x")).expect("UTF-8");
        let first = String::from_utf8(first).expect("UTF-8");
        let marker = r#","cache_control":{"type":"ephemeral"}"#;
        let moved = first.rfind(marker).expect("a marker");
        assert!(second.starts_with(&first[..moved]), "{first}\n{second}");
        assert_eq!(second.matches(marker).count(), 3);
    }

    #[test]
    fn thinking_carries_no_marker() {
        let redacted = ContentBlock::RedactedThinking { data: "R".to_owned() };
        let body = body(&request(vec![user(vec![ContentBlock::text("a"), redacted])]), "m");
        let body = String::from_utf8(body).expect("UTF-8");
        let end = r#"{"type":"text","text":"a","cache_control":{"type":"ephemeral"}},{"type":"redacted_thinking","data":"R"}]}]}"#;
        assert!(body.ends_with(end), "{body}");
    }
}
