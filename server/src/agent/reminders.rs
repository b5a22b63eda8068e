//! What the model is reminded of after a while: that it is planning, and the steps it wrote down. Pure.

use serde_json::Value;

use crate::conversation::{AttachmentKind, ContentBlock, Message};
use crate::permissions::PermissionMode;

/// Prompts of the user after which a planning model is reminded.
const PROMPTS_BETWEEN: usize = 5;
/// Each so many-th reminder is the whole one.
const WHOLE_EVERY: usize = 5;
/// Answers without a word of the steps after which the model is reminded of them.
const ANSWERS_BETWEEN: usize = 10;

const WHOLE: &str = "You are planning. Look around as you need, but change nothing: edits and commands that change something are \
    refused until the user has agreed to a plan. Ask with AskUserQuestion what only the user can decide. When the plan is \
    ready, put it to the user with ExitPlanMode.";
const SHORT: &str = "You are still planning: change nothing, and put the plan to the user with ExitPlanMode.";

/// What is told now, after these messages.
pub(super) fn reminders(messages: &[Message], mode: PermissionMode) -> Vec<(AttachmentKind, String)> {
    let plan = (mode == PermissionMode::Plan).then(|| planning(messages)).flatten();
    let steps = forgotten_steps(messages);
    plan.map(|text| (AttachmentKind::PlanMode, text.to_owned()))
        .into_iter()
        .chain(steps.map(|text| (AttachmentKind::TodoReminder, text)))
        .collect()
}

fn planning(messages: &[Message]) -> Option<&'static str> {
    let is_reminder = |message: &Message| is_attachment(message, AttachmentKind::PlanMode);
    let Some(last) = messages.iter().rposition(is_reminder) else { return Some(WHOLE) };
    let prompts = messages.iter().skip(last).filter(|message| is_prompt(message)).count();
    if prompts < PROMPTS_BETWEEN {
        return None;
    }
    let told = messages.iter().filter(|message| is_reminder(message)).count();
    Some(if told % WHOLE_EVERY == 0 { WHOLE } else { SHORT })
}

/// The steps that are left, if the model has said nothing of them for a while.
fn forgotten_steps(messages: &[Message]) -> Option<String> {
    let at = messages.iter().rposition(|message| steps(message).is_some())?;
    let left: Vec<String> = steps(messages.get(at)?)?
        .iter()
        .filter(|step| step["status"] != "completed")
        .filter_map(|step| Some(format!("- {} ({})", step["content"].as_str()?, step["status"].as_str()?)))
        .collect();
    if left.is_empty() {
        return None;
    }
    let since = messages.iter().skip(at + 1);
    let told = since.clone().rposition(|message| is_attachment(message, AttachmentKind::TodoReminder));
    let answers = since
        .skip(told.map_or(0, |told| told + 1))
        .filter(|message| matches!(message, Message::Assistant(_)));
    (answers.count() >= ANSWERS_BETWEEN).then(|| {
        format!(
            "These steps are still on your list. If they are done or have changed, say so with TodoWrite; do not mention \
             this to the user.\n{}",
            left.join("\n")
        )
    })
}

/// The steps that a message writes down.
fn steps(message: &Message) -> Option<&Vec<Value>> {
    let Message::Assistant(answer) = message else { return None };
    answer.content.iter().find_map(|block| match block {
        ContentBlock::ToolUse { name, input, .. } if name == "TodoWrite" => input["todos"].as_array(),
        _ => None,
    })
}

fn is_attachment(message: &Message, kind: AttachmentKind) -> bool {
    matches!(message, Message::Attachment(attachment) if attachment.kind == kind)
}

/// Something the user wrote.
fn is_prompt(message: &Message) -> bool {
    let is_text = |block: &ContentBlock| matches!(block, ContentBlock::Text { .. });
    matches!(message, Message::User(user) if !user.is_meta && user.content.iter().any(is_text))
}

#[cfg(test)]
mod tests {
    use std::time::UNIX_EPOCH;

    use serde_json::json;

    use super::*;
    use crate::agent::outbox::{attachment, user};
    use crate::conversation::{AssistantMessage, MessageId, ToolUseId, Usage};

    fn prompt() -> Message {
        Message::from(user(UNIX_EPOCH, vec![ContentBlock::text("go on")]))
    }

    fn answer(content: Vec<ContentBlock>) -> Message {
        Message::from(AssistantMessage {
            id: MessageId::fresh(),
            at: UNIX_EPOCH,
            response_id: String::new(),
            request_id: None,
            model: String::new(),
            content,
            stop_reason: None,
            usage: Usage::default(),
            is_api_error: false,
            is_virtual: false,
        })
    }

    fn wrote(status: &str) -> Message {
        let input = json!({"todos": [{"content": "test", "status": status, "activeForm": "testing"}]});
        answer(vec![ContentBlock::ToolUse { id: ToolUseId("t".into()), name: "TodoWrite".into(), input }])
    }

    #[test]
    fn a_planning_model_is_told_at_first_and_reminded_after_five_prompts() {
        let mut messages = vec![prompt()];
        let mut told = Vec::new();
        for _ in 0..31 {
            for (kind, text) in reminders(&messages, PermissionMode::Plan) {
                told.push(if text == WHOLE { "whole" } else { "short" });
                messages.push(attachment(UNIX_EPOCH, kind, text));
            }
            messages.push(prompt());
        }
        assert_eq!(told, ["whole", "short", "short", "short", "short", "whole", "short"]);
        assert_eq!(reminders(&messages, PermissionMode::Default), []);
    }

    #[test]
    fn steps_that_are_left_come_up_again_after_ten_answers() {
        let mut messages = vec![wrote("in_progress")];
        let mut told = Vec::new();
        for turn in 1..=22 {
            messages.push(answer(vec![ContentBlock::text("so")]));
            for (kind, text) in reminders(&messages, PermissionMode::Default) {
                assert!(text.ends_with("- test (in_progress)"), "{text}");
                told.push(turn);
                messages.push(attachment(UNIX_EPOCH, kind, text));
            }
        }
        assert_eq!(told, [10, 20]);
    }

    #[test]
    fn a_list_that_is_done_is_not_told_of() {
        let mut messages = vec![wrote("in_progress"), wrote("completed")];
        messages.extend((0..30).map(|_| answer(vec![ContentBlock::text("so")])));
        assert_eq!(reminders(&messages, PermissionMode::Default), []);
    }
}
