//! A conversation full of what is only ours, for tests of every wire that nothing of it gets out.

use std::time::SystemTime;

use serde_json::json;

use crate::conversation::{
    ApiMessage, AssistantMessage, ContentBlock, Message, MessageId, StopReason, ToolResultContent, ToolUseId,
    Usage, UserMessage, normalize,
};

const OURS: &str = "only-ours";

/// A prompt, a call and its result, with every local field filled in.
pub(super) fn conversation() -> Vec<ApiMessage> {
    let id = ToolUseId("toolu_1".to_owned());
    let call = ContentBlock::ToolUse { id: id.clone(), name: "Edit".to_owned(), input: json!({ "a": 1 }) };
    let content = vec![ToolResultContent::Text("Changed.".to_owned())];
    let result = ContentBlock::ToolResult { tool_use_id: id, content, is_error: false };
    let answer = Message::from(AssistantMessage {
        id: MessageId(OURS.to_owned()),
        at: SystemTime::UNIX_EPOCH,
        response_id: OURS.to_owned(),
        request_id: Some(OURS.to_owned()),
        model: OURS.to_owned(),
        content: vec![call],
        stop_reason: Some(StopReason::Other(OURS.to_owned())),
        usage: Usage { input_tokens: 987_654, ..Usage::default() },
        is_api_error: false,
        is_virtual: false,
    });
    normalize(&[user(ContentBlock::text("go")), answer, user(result)])
}

/// Fails if any of that is in the `body` of a request.
#[track_caller]
pub(super) fn check(body: &str) {
    assert!(body.contains("Changed."), "{body}");
    let fields = ["is_meta", "isMeta", "uuid", "timestamp", "tool_use_result", "toolUseResult", "usage"];
    for ours in fields.into_iter().chain([OURS, "987654"]) {
        assert!(!body.contains(ours), "{ours} in {body}");
    }
}

fn user(block: ContentBlock) -> Message {
    Message::from(UserMessage {
        id: MessageId(OURS.to_owned()),
        at: SystemTime::UNIX_EPOCH,
        content: vec![block],
        is_meta: true,
        is_virtual: false,
        is_compact_summary: true,
        tool_use_result: Some(json!({ "stdout": OURS })),
        source_tool_assistant: Some(MessageId(OURS.to_owned())),
        mcp_meta: Some(json!({ OURS: 1 })),
    })
}
