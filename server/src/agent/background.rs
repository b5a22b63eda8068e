//! Short texts by a small model, for people, which nobody waits for: titles, and what a batch of calls was about.

use std::sync::Arc;

use tokio_util::task::AbortOnDropHandle;

use crate::conversation::{ContentBlock, Message, ToolResultContent, ToolUseId, Usage};
use crate::models::{Aside, AsideAnswer, OnOverload, Provider, ask_aside};

/// A text, with the model that wrote it and what that took.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Short {
    pub(super) text: String,
    pub(super) model: String,
    pub(super) usage: Usage,
}

/// A summary of a batch of calls that is being made while the next request streams. Dropping it ends the making.
pub(super) struct PendingToolUseSummary {
    pub(super) tool_use_ids: Vec<ToolUseId>,
    pub(super) making: AbortOnDropHandle<Option<Short>>,
}

/// Tokens of such a text.
const MOST_TOKENS: u32 = 100;
/// Characters of it.
const LONGEST: usize = 80;
/// Characters of a prompt, an input or a result that the small model is shown.
const SHOWN: usize = 500;

const TITLE: &str = "You name a conversation with a coding assistant. Answer with a title of three to seven words for what \
    the user asks, and nothing else: no quotation marks, no full stop.";
const SUMMARY: &str = "You label steps of a coding assistant. Answer with one line of at most eight words, in the past tense, \
    that says what these tool calls did, and nothing else.";

/// A title for what the user asked.
pub(super) async fn title(small: Arc<dyn Provider>, prompt: &[ContentBlock]) -> Option<Short> {
    short(small, TITLE, texts(prompt)).await
}

/// Begins a summary of a batch: the records of an answer and the results of its calls. Dropping it ends the making.
pub(super) fn summary(
    small: Arc<dyn Provider>,
    answer: &[Message],
    results: &[Message],
) -> PendingToolUseSummary {
    let prompt =
        answer.iter().chain(results).filter_map(content).flatten().filter_map(step).collect::<Vec<_>>();
    let tool_use_ids = answer.iter().filter_map(content).flatten().filter_map(call_id).collect();
    let making = tokio::spawn(async move { short(small, SUMMARY, prompt.join("\n")).await });
    PendingToolUseSummary { tool_use_ids, making: AbortOnDropHandle::new(making) }
}

async fn short(small: Arc<dyn Provider>, system: &'static str, prompt: String) -> Option<Short> {
    let on_overload = OnOverload::Wait;
    let aside = Aside { system, prompt, max_tokens: MOST_TOKENS, on_overload, server_tools: Vec::new() };
    let AsideAnswer { text, model, usage, .. } = ask_aside(&*small, aside).await.ok()?;
    let line = text.lines().map(str::trim).find(|line| !line.is_empty())?;
    let text = line.trim_matches(['"', '*', '#', '.', ' ']).chars().take(LONGEST).collect::<String>();
    (!text.is_empty()).then_some(Short { text, model, usage })
}

fn content(message: &Message) -> Option<&[ContentBlock]> {
    match message {
        Message::User(message) => Some(&message.content),
        Message::Assistant(message) => Some(&message.content),
        Message::System(_) | Message::Attachment(_) | Message::Progress(_) => None,
    }
}

fn call_id(block: &ContentBlock) -> Option<ToolUseId> {
    match block {
        ContentBlock::ToolUse { id, .. } => Some(id.clone()),
        _ => None,
    }
}

/// What the small model reads of a call or a result.
fn step(block: &ContentBlock) -> Option<String> {
    match block {
        ContentBlock::ToolUse { name, input, .. } => Some(format!("{name} {}", shown(&input.to_string()))),
        ContentBlock::ToolResult { content, is_error, .. } => {
            let text = content.iter().find_map(|piece| match piece {
                ToolResultContent::Text(text) => Some(text.as_str()),
                ToolResultContent::Image(_) | ToolResultContent::ToolReference(_) => None,
            });
            Some(format!(
                "{}: {}",
                if *is_error { "failed" } else { "gave" },
                shown(text.unwrap_or_default())
            ))
        }
        _ => None,
    }
}

fn texts(content: &[ContentBlock]) -> String {
    let texts: Vec<&str> = content
        .iter()
        .filter_map(|block| match block {
            ContentBlock::Text { text } => Some(text.as_str()),
            _ => None,
        })
        .collect();
    shown(&texts.join("\n"))
}

fn shown(text: &str) -> String {
    text.chars().take(SHOWN).collect()
}
