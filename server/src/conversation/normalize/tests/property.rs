//! Whatever a history holds, what is made of it is legal, and making it legal again changes nothing.

use std::collections::HashSet;
use std::sync::Arc;

use proptest::prelude::*;
use serde_json::json;

use super::super::{
    ApiMessage, ContentBlock, Growing, Message, Role, is_thinking, normalize, normalize_for, without_thinking,
};
use super::{answer, attachment, call, drawn, progress, redacted, result, system, text, thinking, user};
use crate::conversation::{
    AssistantMessage, ImageSource, SystemKind, ToolResultContent, ToolUseId, UserMessage,
};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn any_history_becomes_legal(history in prop::collection::vec(any_message(), 0..14)) {
        let messages = normalize(&history);
        if let Some(fault) = fault(&messages) {
            prop_assert!(false, "{fault} in {:#?}", drawn(&messages));
        }
        prop_assert_eq!(&normalize(&rewrapped(&messages)), &messages, "normalising again changed it");
        let messages: Vec<Arc<ApiMessage>> = messages.into_iter().map(Arc::new).collect();
        let left: Vec<ApiMessage> = without_thinking(&messages).into_iter().map(Arc::unwrap_or_clone).collect();
        prop_assert!(fault(&left).is_none());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_500))]

    /// What is kept from request to request changes nothing, however a history grows, is taken back, rewritten, or sent to
    /// another model.
    #[test]
    fn what_was_settled_before_changes_nothing(
        history in prop::collection::vec(prop_oneof![2 => any_message(), 3 => likely_message()], 0..24),
        steps in prop::collection::vec((0..24_usize, 0..12_usize, 0..8_u8), 1..8),
    ) {
        let mut growing = Growing::default();
        let mut history = history;
        for (length, rewritten, chance) in steps {
            if chance == 0 && let Some(message) = history.get_mut(rewritten) {
                *message = user([text("rewritten")]);
            }
            let length = length.min(history.len());
            let model = if chance == 1 { "m2" } else { "m1" };
            let grown = growing.normalize_for(&history[..length], model);
            let whole = normalize_for(&history[..length], model);
            prop_assert!(
                grown.iter().map(Arc::as_ref).eq(&whole),
                "{:#?}\nrather than\n{:#?}",
                drawn(&grown.iter().map(|message| ApiMessage::clone(message)).collect::<Vec<_>>()),
                drawn(&whole)
            );
        }
    }
}

/// A message of the kinds that real histories consist of, so that much of a history is settled.
fn likely_message() -> impl Strategy<Value = Message> {
    let id = || (0..3_u8).prop_map(|id| format!("t{id}"));
    let answer_of = |blocks: Vec<ContentBlock>, response: u8| answer(&format!("r{response}"), blocks);
    prop_oneof![
        3 => (id(), 0..6_u8).prop_map(move |(id, r)| answer_of(vec![call(&id, "Read")], r)),
        3 => id().prop_map(|id| user([result(&id, "A")])),
        1 => (0..6_u8).prop_map(move |r| answer_of(vec![thinking("hm", "S")], r)),
        1 => (0..6_u8).prop_map(move |r| answer_of(vec![text("so")], r)),
        1 => Just(attachment("note")),
        1 => Just(user([text("go on")])),
        1 => (id(), any::<bool>()).prop_map(move |(id, is_result)| {
            not_sent(if is_result { user([result(&id, "A")]) } else { answer_of(vec![call(&id, "Read")], 0) })
        }),
    ]
}

fn not_sent(message: Message) -> Message {
    match message {
        Message::User(user) => Message::from(UserMessage { is_virtual: true, ..Arc::unwrap_or_clone(user) }),
        Message::Assistant(answer) => {
            Message::from(AssistantMessage { is_api_error: true, ..Arc::unwrap_or_clone(answer) })
        }
        other => other,
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
