//! The bytes of a request.

use std::sync::Arc;

use serde_json::{Value, json};

use super::*;
use crate::conversation::{ToolResultContent, ToolUseId};
use crate::models::{ClearedInputs, EditTrigger, KeptThinking, only_ours};

const PLAIN: Form<'_> = Form { model: "claude-x", max_tokens: 8_000, thinking: None, effort: None };

/// The bytes, which are the same if the same was written before.
#[track_caller]
fn body(request: &ModelRequest, form: &Form<'_>) -> Vec<u8> {
    let written = Written::default();
    let bytes = super::body(request, form, &written);
    assert_eq!(super::body(request, form, &written), bytes);
    bytes
}

fn written(request: &ModelRequest, form: &Form<'_>) -> Value {
    serde_json::from_slice(&body(request, form)).expect("JSON")
}

fn request(messages: Vec<ApiMessage>) -> ModelRequest {
    let tool = |name: &str| ToolDefinition {
        name: name.to_owned(),
        description: format!("{name}s."),
        input_schema: json!({ "type": "object" }),
        deferred: false,
    };
    let system = vec!["You edit.".to_owned(), " ".to_owned(), "Today.".to_owned()];
    ModelRequest::new(system, vec![tool("Edit"), tool("Read"), tool("mcp__a__b")], messages, 8_000)
}

fn user(content: Vec<ContentBlock>) -> ApiMessage {
    ApiMessage { role: Role::User, content }
}

fn history() -> Vec<ApiMessage> {
    let id = ToolUseId("t1".to_owned());
    let call =
        ContentBlock::ToolUse { id: id.clone(), name: "Read".to_owned(), input: json!({ "z": 1, "a": 2 }) };
    let thinking = ContentBlock::Thinking { thinking: "hm \u{2028}".to_owned(), signature: "S".to_owned() };
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
    let body = body(&request(history()), &PLAIN);
    let marked = r#""cache_control":{"type":"ephemeral"}"#;
    let wanted = [
        r#"{"model":"claude-x","max_tokens":8000,"stream":true,"tools":["#,
        r#"{"name":"Edit","description":"Edits.","input_schema":{"type":"object"}},"#,
        &format!(r#"{{"name":"Read","description":"Reads.","input_schema":{{"type":"object"}},{marked}}},"#),
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
    let first = body(&request(messages.clone()), &PLAIN);
    messages.push(ApiMessage { role: Role::Assistant, content: vec![ContentBlock::text("so")] });
    messages.push(user(vec![ContentBlock::text("and?")]));
    let second = String::from_utf8(body(&request(messages), &PLAIN)).expect("UTF-8");
    let first = String::from_utf8(first).expect("UTF-8");
    let marker = r#","cache_control":{"type":"ephemeral"}"#;
    let moved = first.rfind(marker).expect("a marker");
    assert!(second.starts_with(&first[..moved]), "{first}\n{second}");
    assert_eq!(second.matches(marker).count(), 3);
}

#[test]
fn thinking_carries_no_marker() {
    let redacted = ContentBlock::RedactedThinking { data: "R".to_owned() };
    let body = body(&request(vec![user(vec![ContentBlock::text("a"), redacted])]), &PLAIN);
    let body = String::from_utf8(body).expect("UTF-8");
    let end = r#"{"type":"text","text":"a","cache_control":{"type":"ephemeral"}},{"type":"redacted_thinking","data":"R"}]}]}"#;
    assert!(body.ends_with(end), "{body}");
}

#[test]
fn thinking_and_effort_are_written_as_the_model_takes_them() {
    let thinking = |thinking| written(&request(history()), &Form { thinking, ..PLAIN })["thinking"].clone();
    assert_eq!(thinking(None), Value::Null);
    assert_eq!(thinking(Some(ThinkingForm::Disabled)), json!({ "type": "disabled" }));
    let adaptive = json!({ "type": "adaptive", "display": "summarized" });
    assert_eq!(thinking(Some(ThinkingForm::Adaptive)), adaptive);
    let enabled = json!({ "type": "enabled", "budget_tokens": 2_000 });
    assert_eq!(thinking(Some(ThinkingForm::Enabled { budget_tokens: 2_000 })), enabled);
    let body = written(&request(history()), &Form { effort: Some("xhigh"), ..PLAIN });
    assert_eq!(body["output_config"], json!({ "effort": "xhigh" }));
}

#[test]
fn edits_of_the_context_clear_thinking_first() {
    let uses = ContextEdit::ClearToolUses {
        trigger: EditTrigger::InputTokens(100_000),
        keep: 3,
        clear_at_least: Some(5_000),
        exclude_tools: vec!["Read".to_owned()],
        inputs: ClearedInputs::Kept,
    };
    let bare = ContextEdit::ClearToolUses {
        trigger: EditTrigger::ToolUses(12),
        keep: 1,
        clear_at_least: None,
        exclude_tools: Vec::new(),
        inputs: ClearedInputs::Cleared,
    };
    let turns = ContextEdit::ClearThinking { keep: KeptThinking::Turns(0) };
    let all = ContextEdit::ClearThinking { keep: KeptThinking::All };
    let request = ModelRequest { context_edits: vec![uses, bare, turns, all], ..request(history()) };
    let wanted = json!({ "edits": [
        { "type": "clear_thinking_20251015", "keep": { "type": "thinking_turns", "value": 1 } },
        { "type": "clear_thinking_20251015", "keep": "all" },
        {
            "type": "clear_tool_uses_20250919",
            "trigger": { "type": "input_tokens", "value": 100_000 },
            "keep": { "type": "tool_uses", "value": 3 },
            "clear_at_least": { "type": "input_tokens", "value": 5_000 },
            "exclude_tools": ["Read"],
            "clear_tool_inputs": false,
        },
        {
            "type": "clear_tool_uses_20250919",
            "trigger": { "type": "tool_uses", "value": 12 },
            "keep": { "type": "tool_uses", "value": 1 },
            "clear_tool_inputs": true,
        },
    ] });
    let thinking = Some(ThinkingForm::Adaptive);
    assert_eq!(written(&request, &Form { thinking, ..PLAIN })["context_management"], wanted);
    let without_thinking = written(&request, &PLAIN)["context_management"]["edits"].clone();
    assert_eq!(without_thinking.as_array().map(Vec::len), Some(2), "no thinking, nothing to clear of it");
}

#[test]
fn the_service_is_told_when_to_summarise() {
    let edits = |at_input_tokens| {
        let context_edits = vec![ContextEdit::Compact { at_input_tokens }];
        written(&ModelRequest { context_edits, ..request(history()) }, &PLAIN)["context_management"].take()
    };
    let wanted = |tokens: u64| {
        json!({ "edits": [
            { "type": "compact_20260112", "trigger": { "type": "input_tokens", "value": tokens } },
        ] })
    };
    assert_eq!(edits(150_000), wanted(150_000));
    assert_eq!(edits(1), wanted(50_000), "it takes no less");
}

#[test]
fn a_tool_that_waits_for_a_search_is_marked_and_ends_no_cached_prefix() {
    let mut request = request(history());
    let tools = request.tools.iter().cloned();
    request.tools =
        tools.map(|tool| ToolDefinition { deferred: tool.name == "Read", ..tool }).collect::<Vec<_>>().into();
    let tools = written(&request, &PLAIN)["tools"].take();
    let drawn: Vec<(&Value, bool, bool)> = tools
        .as_array()
        .expect("tools")
        .iter()
        .map(|tool| (&tool["name"], tool["defer_loading"] == true, tool.get("cache_control").is_some()))
        .collect();
    let name = Value::from;
    assert_eq!(
        drawn,
        [(&name("Edit"), false, true), (&name("Read"), true, false), (&name("mcp__a__b"), false, false),]
    );
    let reference = vec![ToolResultContent::ToolReference("Read".to_owned())];
    let result =
        ContentBlock::ToolResult { tool_use_id: ToolUseId("t1".into()), content: reference, is_error: false };
    let found = vec![user(vec![ContentBlock::text("go")]), user(vec![result])];
    let body = written(&ModelRequest { tools: request.tools, ..self::request(found) }, &PLAIN);
    assert_eq!(
        body["messages"][1]["content"][0]["content"],
        json!([{ "type": "tool_reference", "tool_name": "Read" }])
    );
}

#[test]
fn a_tool_that_the_service_would_refuse_is_left_out() {
    let tool = |name: &str| ToolDefinition {
        name: name.to_owned(),
        description: String::new(),
        input_schema: json!({ "type": "object" }),
        deferred: false,
    };
    let long = "n".repeat(65);
    let tools = ["Read", "a.b", "", "größe", "Read", long.as_str(), "mcp__a-b__C_1"].map(tool).to_vec();
    let body = written(&ModelRequest { tools: tools.into(), ..request(history()) }, &PLAIN);
    let names: Vec<&Value> =
        body["tools"].as_array().expect("tools").iter().map(|tool| &tool["name"]).collect();
    assert_eq!(names, ["Read", "mcp__a-b__C_1"]);
}

#[test]
fn a_request_is_counted_without_what_is_about_its_answer() {
    let form = Form { thinking: Some(ThinkingForm::Adaptive), effort: Some("high"), ..PLAIN };
    let edit = ContextEdit::Compact { at_input_tokens: 150_000 };
    let request = ModelRequest { context_edits: vec![edit], ..request(history()) };
    let body: Value = serde_json::from_slice(&body_to_count(&request, &form)).expect("JSON");
    let fields: Vec<&String> = body.as_object().expect("an object").keys().collect();
    assert_eq!(fields, ["model", "thinking", "tools", "system", "messages"]);
    let whole = written(&request, &form);
    assert_eq!((&body["messages"], &body["tools"]), (&whole["messages"], &whole["tools"]));
}

#[test]
fn nothing_that_is_only_ours_is_sent() {
    let body = body(&request(only_ours::conversation()), &PLAIN);
    only_ours::check(&String::from_utf8(body).expect("UTF-8"));
}

#[test]
fn tools_stay_when_they_may_not_be_called() {
    let request = ModelRequest { tool_choice: ToolChoice::None, ..request(history()) };
    let body = written(&request, &PLAIN);
    assert_eq!(
        (&body["tool_choice"], body["tools"][0]["name"].as_str()),
        (&json!({ "type": "none" }), Some("Edit"))
    );
    let none = ModelRequest { tools: Arc::new([]), ..request };
    assert_eq!(written(&none, &PLAIN)["tool_choice"], Value::Null);
}

#[test]
fn what_the_service_itself_made_goes_back_as_it_came() {
    let id = ToolUseId("srvtoolu_1".to_owned());
    let raw = json!({ "type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": [{ "z": 1, "a": 2 }] });
    let answer = vec![
        ContentBlock::Compaction { content: "So far.".to_owned() },
        ContentBlock::ServerToolUse {
            id: id.clone(),
            name: "web_search".to_owned(),
            input: json!({ "q": "x" }),
        },
        ContentBlock::ServerToolResult { tool_use_id: id, raw: raw.clone() },
    ];
    let messages =
        vec![user(vec![ContentBlock::text("a")]), ApiMessage { role: Role::Assistant, content: answer }];
    let body = written(&request(messages), &PLAIN);
    let mut marked = raw;
    marked["cache_control"] = json!({ "type": "ephemeral" });
    assert_eq!(
        body["messages"][1]["content"],
        json!([
            { "type": "compaction", "content": "So far." },
            { "type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": { "q": "x" } },
            marked,
        ])
    );
}

/// However a conversation goes on, what was written before makes no difference to the bytes.
#[test]
fn what_was_written_before_changes_no_byte() {
    let written = Written::default();
    let history: Vec<Arc<ApiMessage>> = history().into_iter().map(Arc::new).collect();
    let other: Vec<Arc<ApiMessage>> =
        history.iter().map(|message| Arc::new(ApiMessage::clone(message))).collect();
    let (whole, begun, mixed) =
        (history.clone(), history[..1].to_vec(), [&history[..1], &other[1..2], &history[..1]].concat());
    for (messages, tools) in [(&whole, 3), (&begun, 3), (&whole, 1), (&other, 0), (&mixed, 3), (&whole, 3)] {
        let mut request = ModelRequest { messages: messages.clone(), ..request(Vec::new()) };
        request.tools = request.tools[..tools].into();
        let fresh = super::body(&request, &PLAIN, &Written::default());
        assert_eq!(super::body(&request, &PLAIN, &written), fresh, "{messages:?}");
    }
}

/// Sessions that run side by side ask the same provider in turns.
#[test]
fn what_was_written_is_kept_for_the_conversations_that_were_asked_for_last() {
    let written = Written::default();
    let conversation = || history().into_iter().map(Arc::new).collect::<Vec<_>>();
    let sessions: Vec<Vec<Arc<ApiMessage>>> = (0..6).map(|_| conversation()).collect();
    let ask = |session: usize| {
        let request = ModelRequest { messages: sessions[session].clone(), ..request(Vec::new()) };
        assert_eq!(
            super::body(&request, &PLAIN, &written),
            super::body(&request, &PLAIN, &Written::default())
        );
        written.kept()
    };
    let two = sessions[0].len() - 1;
    assert_eq!([ask(0), ask(1), ask(0)], [vec![two], vec![two; 2], vec![two; 2]]);
    assert_eq!((2..6).map(ask).last(), Some(vec![two; 4]), "no more than a few");
}
