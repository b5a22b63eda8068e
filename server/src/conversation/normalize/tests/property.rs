//! Whatever a history holds, what is made of it is legal, and making it legal again changes nothing.

use std::collections::HashSet;

use proptest::prelude::*;
use serde_json::json;

use super::super::{ApiMessage, ContentBlock, Message, Role, is_thinking, normalize, without_thinking};
use super::{answer, attachment, drawn, progress, redacted, system, thinking, user};
use crate::conversation::{ImageSource, SystemKind, ToolResultContent, ToolUseId};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn any_history_becomes_legal(history in prop::collection::vec(any_message(), 0..14)) {
        let messages = normalize(&history);
        if let Some(fault) = fault(&messages) {
            prop_assert!(false, "{fault} in {:#?}", drawn(&messages));
        }
        prop_assert_eq!(&normalize(&rewrapped(&messages)), &messages, "normalising again changed it");
        prop_assert!(fault(&without_thinking(messages)).is_none());
    }
}

/// The first rule of a legal request that `messages` breaks.
fn fault(messages: &[ApiMessage]) -> Option<String> {
    if messages.first().is_some_and(|first| first.role != Role::User) {
        return Some("the user does not begin".to_owned());
    }
    let mut ids = HashSet::new();
    let mut asked: Vec<ToolUseId> = Vec::new();
    let mut before = None;
    for message in messages {
        if before == Some(message.role) {
            return Some("roles do not alternate".to_owned());
        }
        before = Some(message.role);
        if message.content.is_empty() {
            return Some("a message is empty".to_owned());
        }
        let results: Vec<ToolUseId> = message
            .content
            .iter()
            .map_while(|block| match block {
                ContentBlock::ToolResult { tool_use_id, .. } => Some(tool_use_id.clone()),
                _ => None,
            })
            .collect();
        if results != asked {
            return Some(format!("calls {asked:?} are answered by {results:?}"));
        }
        asked.clear();
        for block in message.content.iter().skip(results.len()) {
            match block {
                ContentBlock::Text { text } if text.trim().is_empty() => {
                    return Some("blank text".to_owned());
                }
                ContentBlock::ToolUse { id, input, name } => {
                    if !is_legal(id.as_str())
                        || !is_legal(name)
                        || !ids.insert(id.clone())
                        || !input.is_object()
                    {
                        return Some(format!("the call {block:?} is not legal"));
                    }
                    asked.push(id.clone());
                }
                ContentBlock::ToolResult { .. } => {
                    return Some("a result stands behind other content".to_owned());
                }
                ContentBlock::Thinking { signature, .. } if signature.is_empty() => {
                    return Some("unsigned thinking".to_owned());
                }
                _ => {}
            }
            let of_the_assistant = matches!(
                block,
                ContentBlock::ToolUse { .. }
                    | ContentBlock::Thinking { .. }
                    | ContentBlock::RedactedThinking { .. }
                    | ContentBlock::ServerToolUse { .. }
                    | ContentBlock::ServerToolResult { .. }
            );
            if of_the_assistant && message.role == Role::User {
                return Some(format!("the user sends {block:?}"));
            }
        }
        if message.role == Role::Assistant && message.content.last().is_some_and(is_thinking) {
            return Some("an answer ends in thinking".to_owned());
        }
    }
    (!asked.is_empty()).then(|| format!("the calls {asked:?} have no answer"))
}

fn is_legal(id: &str) -> bool {
    !id.is_empty() && id.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
}

fn rewrapped(messages: &[ApiMessage]) -> Vec<Message> {
    messages
        .iter()
        .enumerate()
        .map(|(at, message)| match message.role {
            Role::User => user(message.content.clone()),
            Role::Assistant => answer(&format!("again{at}"), message.content.clone()),
        })
        .collect()
}

fn any_message() -> impl Strategy<Value = Message> {
    let content = || prop::collection::vec(any_block(), 0..4);
    prop_oneof![
        4 => content().prop_map(user),
        5 => (0..4_u8, content()).prop_map(|(response, content)| answer(&format!("r{response}"), content)),
        1 => any_text().prop_map(|text| attachment(&text)),
        1 => any_text().prop_map(|text| system(SystemKind::LocalCommand, &text)),
        1 => any_text().prop_map(|text| progress(&text)),
    ]
}

fn any_block() -> impl Strategy<Value = ContentBlock> {
    let id = || prop_oneof![Just("t1"), Just("t2"), Just("t:2"), Just("t_2"), Just("")];
    let input = prop_oneof![Just(json!({"a": 1})), Just(json!(null)), Just(json!("x")), Just(json!([1]))];
    let signature = prop_oneof![Just("S"), Just("")];
    prop_oneof![
        2 => any_text().prop_map(ContentBlock::text),
        4 => (id(), input).prop_map(|(id, input)| ContentBlock::ToolUse {
            id: ToolUseId(id.to_owned()), name: "Read".to_owned(), input,
        }),
        4 => (id(), any_text(), any::<bool>()).prop_map(|(id, text, is_error)| ContentBlock::ToolResult {
            tool_use_id: ToolUseId(id.to_owned()), content: vec![ToolResultContent::Text(text)], is_error,
        }),
        1 => (any_text(), signature).prop_map(|(text, signature)| thinking(&text, signature)),
        1 => Just(redacted("R")),
        1 => id().prop_map(|id| ContentBlock::ServerToolUse {
            id: ToolUseId(id.to_owned()), name: "web_search".to_owned(), input: json!({}),
        }),
        1 => id().prop_map(|id| ContentBlock::ServerToolResult {
            tool_use_id: ToolUseId(id.to_owned()), raw: json!([]),
        }),
        1 => Just(ContentBlock::Image(ImageSource { media_type: "image/png".into(), data: "AAAA".into() })),
    ]
}

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![Just(String::new()), Just(" \n".to_owned()), Just("word".to_owned()), "[a-z ]{0,6}"]
}
