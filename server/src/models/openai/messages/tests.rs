//! What a conversation looks like on the wire.

use super::*;
use crate::config::ChatServer;
use crate::conversation::ToolUseId;
use crate::models::openai::quirks::quirks;

fn id(id: &str) -> ToolUseId {
    ToolUseId(id.to_owned())
}

fn user(content: Vec<ContentBlock>) -> ApiMessage {
    ApiMessage { role: Role::User, content }
}

fn assistant(content: Vec<ContentBlock>) -> ApiMessage {
    ApiMessage { role: Role::Assistant, content }
}

fn call(call: &str, name: &str) -> ContentBlock {
    ContentBlock::ToolUse { id: id(call), name: name.to_owned(), input: json!({ "z": 1, "a": "ö" }) }
}

fn result(call: &str, content: Vec<ToolResultContent>, is_error: bool) -> ContentBlock {
    ContentBlock::ToolResult { tool_use_id: id(call), content, is_error }
}

fn said(text: &str) -> Vec<ToolResultContent> {
    vec![ToolResultContent::Text(text.to_owned())]
}

fn picture() -> ImageSource {
    ImageSource { media_type: "image/png".to_owned(), data: "AAAA".to_owned() }
}

#[track_caller]
fn check_as(server: ChatServer, format: ToolCallFormat, conversation: &[ApiMessage], wanted: Value) {
    let written = messages(&["Edit.".to_owned()], conversation, &quirks(server, "m"), format);
    let (system, rest) = written.split_first().expect("a system message");
    assert_eq!(system["content"], "Edit.");
    assert_eq!(Value::from(rest.to_vec()), wanted);
}

#[track_caller]
fn check(server: ChatServer, conversation: &[ApiMessage], wanted: Value) {
    check_as(server, ToolCallFormat::Native, conversation, wanted);
}

fn thinking(text: &str) -> ContentBlock {
    ContentBlock::Thinking { thinking: text.to_owned(), signature: String::new() }
}

#[test]
fn calls_and_results_are_messages_of_their_own_in_the_order_of_the_calls() {
    check(
        ChatServer::OpenAi,
        &[
            user(vec![ContentBlock::text("go"), ContentBlock::text("now")]),
            assistant(vec![
                thinking("hm"),
                ContentBlock::text("I look."),
                call("a", "Read"),
                call("b", "Grep"),
            ]),
            user(vec![result("a", said("x"), false), result("b", vec![], true), ContentBlock::text("and?")]),
            assistant(vec![ContentBlock::text("So.")]),
        ],
        json!([
            { "role": "user", "content": "go\n\nnow" },
            { "role": "assistant", "content": "I look.", "tool_calls": [
                { "id": "a", "type": "function", "function": { "name": "Read", "arguments": "{\"z\":1,\"a\":\"ö\"}" } },
                { "id": "b", "type": "function", "function": { "name": "Grep", "arguments": "{\"z\":1,\"a\":\"ö\"}" } },
            ]},
            { "role": "tool", "tool_call_id": "a", "content": "x" },
            { "role": "tool", "tool_call_id": "b", "content": "Error: (no output)" },
            { "role": "user", "content": "and?" },
            { "role": "assistant", "content": "So." },
        ]),
    );
}

fn a_call() -> [ApiMessage; 3] {
    [
        user(vec![ContentBlock::text("go")]),
        assistant(vec![thinking("hm"), call("toolu_1", "Read")]),
        user(vec![result("toolu_1", said("x"), false), ContentBlock::text("and?")]),
    ]
}

/// The assistant's message of `a_call`.
fn calling(server: ChatServer, model: &str) -> Value {
    let written = messages(&[], &a_call(), &quirks(server, model), ToolCallFormat::Native);
    written[1].clone()
}

#[test]
fn content_beside_calls_is_null_or_empty() {
    assert_eq!(calling(ChatServer::OpenAi, "m").get("content"), Some(&Value::Null));
    assert_eq!(calling(ChatServer::Mistral, "m")["content"], "");
}

#[test]
fn thinking_goes_back_only_where_it_is_demanded() {
    let back = |server, model| calling(server, model).get("reasoning_content").cloned();
    assert_eq!(back(ChatServer::DeepSeek, "deepseek-v4"), Some(json!("hm")));
    assert_eq!(back(ChatServer::DeepSeek, "deepseek-reasoner"), None);
    assert_eq!(back(ChatServer::OpenAi, "m"), None);
    let empty = [user(vec![ContentBlock::text("go")]), assistant(vec![thinking(" "), call("a", "Read")])];
    let written = messages(&[], &empty, &quirks(ChatServer::Kimi, "m"), ToolCallFormat::Native);
    assert_eq!(written[1].get("reasoning_content"), None, "an empty one is refused");
    let plain =
        [user(vec![ContentBlock::text("go")]), assistant(vec![thinking("hm"), ContentBlock::text("Yes.")])];
    let written = messages(&[], &plain, &quirks(ChatServer::DeepSeek, "m"), ToolCallFormat::Native);
    assert_eq!(written[1], json!({ "role": "assistant", "content": "Yes." }), "only with calls");
}

#[test]
fn where_no_user_may_follow_a_tool_the_text_goes_into_the_result() {
    let written = messages(&[], &a_call(), &quirks(ChatServer::Mistral, "m"), ToolCallFormat::Native);
    assert_eq!(written.len(), 3);
    let (id, answered) = (&written[1]["tool_calls"][0]["id"], &written[2]["tool_call_id"]);
    assert_eq!((id, id.as_str().map(str::len)), (answered, Some(9)), "and ids have nine characters");
    assert_eq!(written[2]["content"], "x\n\nand?");
}

#[test]
fn images_of_results_come_behind_all_of_them() {
    let image = json!({ "type": "image_url", "image_url": { "url": "data:image/png;base64,AAAA" } });
    check(
        ChatServer::OpenAi,
        &[
            user(vec![ContentBlock::Image(picture())]),
            assistant(vec![call("a", "Read"), call("b", "Read")]),
            user(vec![
                result("a", vec![ToolResultContent::Image(picture())], false),
                result("b", said("x"), false),
                ContentBlock::text("and?"),
            ]),
        ],
        json!([
            { "role": "user", "content": [image] },
            { "role": "assistant", "content": null, "tool_calls": calling_twice() },
            { "role": "tool", "tool_call_id": "a", "content": "(no output)" },
            { "role": "tool", "tool_call_id": "b", "content": "x" },
            { "role": "user", "content": [{ "type": "text", "text": "Images of the results above:\n\nand?" }, image] },
        ]),
    );
}

fn calling_twice() -> Value {
    let one = |id: &str| json!({ "id": id, "type": "function", "function": { "name": "Read", "arguments": "{\"z\":1,\"a\":\"ö\"}" } });
    json!([one("a"), one("b")])
}

#[test]
fn what_other_providers_ran_is_left_out_and_roles_still_alternate() {
    let search = ContentBlock::ServerToolUse { id: id("s"), name: "web_search".into(), input: json!({}) };
    check(
        ChatServer::Generic,
        &[
            user(vec![ContentBlock::text("go")]),
            assistant(vec![ContentBlock::RedactedThinking { data: "R".into() }, search]),
            user(vec![ContentBlock::text("and?")]),
        ],
        json!([{ "role": "user", "content": "go\n\nand?" }]),
    );
}

#[test]
fn in_the_prompt_format_calls_and_results_are_text() {
    check_as(
        ChatServer::Generic,
        ToolCallFormat::Prompt,
        &a_call(),
        json!([
            { "role": "user", "content": "go" },
            { "role": "assistant", "content": "<tool_call>\n{\"name\":\"Read\",\"arguments\":{\"z\":1,\"a\":\"ö\"}}\n</tool_call>" },
            { "role": "user", "content": "<tool_response>\nx\n</tool_response>\n\nand?" },
        ]),
    );
}

#[test]
fn mistral_is_told_of_a_call_and_its_result_by_the_same_nine_characters() {
    let conversation = [
        user(vec![ContentBlock::text("go")]),
        assistant(vec![call("toolu_01ABCDEF", "Read")]),
        user(vec![result("toolu_01ABCDEF", said("x"), false)]),
    ];
    let quirks = quirks(ChatServer::Mistral, "m");
    let written = messages(&[], &conversation, &quirks, ToolCallFormat::Native);
    let ids: Vec<&str> = written
        .iter()
        .filter_map(|message| match message["role"].as_str()? {
            "assistant" => message["tool_calls"][0]["id"].as_str(),
            _ => message["tool_call_id"].as_str(),
        })
        .collect();
    let [called, answered] = ids.as_slice() else { panic!("two ids: {written:?}") };
    assert_eq!(called, answered);
    assert!(called.len() == 9 && called.chars().all(|c| c.is_ascii_alphanumeric()), "{called}");
}
