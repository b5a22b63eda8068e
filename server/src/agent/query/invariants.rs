//! The rules that every request to a model keeps, M1 to M7.

use std::collections::HashSet;

use crate::conversation::{ApiMessage, ContentBlock, Role, ToolUseId};
use crate::models::ModelRequest;

/// Fails with the name of the rule that `request` breaks.
#[track_caller]
pub(super) fn assert_valid(request: &ModelRequest) {
    let messages = &request.messages;
    let mut ids = HashSet::new();
    let mut asked: Vec<ToolUseId> = Vec::new();
    for (index, message) in messages.iter().enumerate() {
        let want = if index % 2 == 0 { Role::User } else { Role::Assistant };
        assert_eq!(message.role, want, "M7: roles alternate from the user on: {messages:#?}");
        assert!(!message.content.is_empty(), "M3: no message is empty: {messages:#?}");
        assert_eq!(results_first(message), asked, "M1, M2: each call has its one result next: {messages:#?}");
        asked = Vec::new();
        for block in &message.content {
            match block {
                ContentBlock::Text { text } => assert!(!text.trim().is_empty(), "M3: no text is blank"),
                ContentBlock::ToolUse { id, input, .. } => {
                    assert!(input.is_object(), "M4: an input is an object: {input}");
                    let legal = id.as_str().chars().all(|c| c.is_ascii_alphanumeric() || "_-".contains(c));
                    assert!(legal && !id.as_str().is_empty(), "M5: {id} is legal");
                    assert!(ids.insert(id.clone()), "M5: {id} is there once");
                    asked.push(id.clone());
                }
                _ => {}
            }
        }
    }
    assert_eq!(asked, [], "M1: no call is left without a result");
    assert!(!messages.is_empty(), "M7: there is a message");
}

/// The calls that a message answers; a result behind anything else counts twice, so that it is found.
fn results_first(message: &ApiMessage) -> Vec<ToolUseId> {
    let result = |block: &ContentBlock| match block {
        ContentBlock::ToolResult { tool_use_id, .. } => Some(tool_use_id.clone()),
        _ => None,
    };
    let leading: Vec<ToolUseId> = message.content.iter().map_while(result).collect();
    let late = message.content.iter().skip(leading.len()).filter_map(result);
    leading.iter().cloned().chain(late).collect()
}
