//! How many tokens a conversation takes: what the provider counted, and an estimate of what came since.

use super::{ContentBlock, Message, ToolResultContent, Usage};

/// Characters of prose that make a token, roughly.
const PROSE: u64 = 4;
/// The same for JSON, which is denser.
const JSON: u64 = 2;
/// An image, whatever its size.
const IMAGE: u64 = 2_000;

/// Tokens that the next request takes: the last answer's own count of all up to it, and for what came since an
/// estimate that is a third too high rather than too low. Looks no further back than that answer.
pub fn estimate_tokens(messages: &[Message]) -> u64 {
    match counted_tokens(messages) {
        Some((counted, since)) => counted + since,
        None => content_tokens(messages),
    }
}

/// What the provider counted with its last answer, and the estimate of what came since; `None`: it has counted nothing.
pub fn counted_tokens(messages: &[Message]) -> Option<(u64, u64)> {
    let (at, counted) = messages.iter().enumerate().rev().find_map(|(at, message)| match message {
        Message::Assistant(answer) if total(answer.usage) > 0 => Some((at, answer)),
        _ => None,
    })?;
    let is_part = |message: &&Message| matches!(message, Message::Assistant(answer) if answer.response_id == counted.response_id);
    let later = messages.get(at..).unwrap_or_default().iter().skip_while(is_part).map(message_tokens);
    Some((total(counted.usage), padded(later.sum())))
}

/// An estimate from the content alone, whatever a provider has counted, a third too high rather than too low.
pub fn content_tokens(messages: &[Message]) -> u64 {
    padded(messages.iter().map(message_tokens).sum())
}

/// The same of a text.
pub fn text_tokens(text: &str) -> u64 {
    padded(tokens_of(text, PROSE))
}

fn total(usage: Usage) -> u64 {
    usage.request().saturating_add(usage.output_tokens)
}

fn padded(estimate: u64) -> u64 {
    (estimate * 4).div_ceil(3)
}

fn message_tokens(message: &Message) -> u64 {
    match message {
        Message::User(user) => user.content.iter().map(block_tokens).sum(),
        Message::Assistant(answer) => answer.content.iter().map(block_tokens).sum(),
        Message::Attachment(attachment) => tokens_of(&attachment.text, PROSE),
        Message::System(_) | Message::Progress(_) => 0,
    }
}

fn block_tokens(block: &ContentBlock) -> u64 {
    match block {
        ContentBlock::Text { text } => tokens_of(text, PROSE),
        ContentBlock::Thinking { thinking, signature } => {
            tokens_of(thinking, PROSE) + tokens_of(signature, PROSE)
        }
        ContentBlock::RedactedThinking { data: text } | ContentBlock::Compaction { content: text } => {
            tokens_of(text, PROSE)
        }
        ContentBlock::ToolUse { name, input, .. } | ContentBlock::ServerToolUse { name, input, .. } => {
            tokens_of(name, PROSE) + tokens_of(&input.to_string(), JSON)
        }
        ContentBlock::ToolResult { content, .. } => content
            .iter()
            .map(|part| match part {
                ToolResultContent::Text(text) | ToolResultContent::ToolReference(text) => {
                    tokens_of(text, PROSE)
                }
                ToolResultContent::Image(_) => IMAGE,
            })
            .sum(),
        ContentBlock::Image(_) => IMAGE,
        ContentBlock::ServerToolResult { raw, .. } => tokens_of(&raw.to_string(), JSON),
    }
}

fn tokens_of(text: &str, characters_per_token: u64) -> u64 {
    (text.chars().count() as u64).div_ceil(characters_per_token)
}

#[cfg(test)]
mod tests {
    use std::time::UNIX_EPOCH;

    use super::super::{AssistantMessage, MessageId, UserMessage};
    use super::*;

    fn user(text: &str) -> Message {
        Message::from(UserMessage {
            id: MessageId::fresh(),
            at: UNIX_EPOCH,
            content: vec![ContentBlock::text(text)],
            is_meta: false,
            is_virtual: false,
            is_compact_summary: false,
            tool_use_result: None,
            source_tool_assistant: None,
            mcp_meta: None,
        })
    }

    fn answer(response_id: &str, text: &str, usage: Usage) -> Message {
        Message::from(AssistantMessage {
            id: MessageId::fresh(),
            at: UNIX_EPOCH,
            response_id: response_id.to_owned(),
            request_id: None,
            model: "m".to_owned(),
            content: vec![ContentBlock::text(text)],
            stop_reason: None,
            usage,
            is_api_error: false,
            is_virtual: false,
        })
    }

    #[test]
    fn without_an_answer_all_is_estimated_and_rounded_up() {
        assert_eq!(estimate_tokens(&[user(&"x".repeat(30))]), 11, "8 tokens, and a third");
    }

    #[test]
    fn the_providers_count_stands_for_all_up_to_its_answer() {
        let usage = Usage {
            input_tokens: 1,
            output_tokens: 20,
            cache_creation_input_tokens: 300,
            cache_read_input_tokens: 4000,
        };
        let history = |first: &str| {
            [
                user(&"x".repeat(9_999)),
                answer(first, "the round before", Usage::default()),
                user(&"y".repeat(9_999)),
                answer("r", "first block", Usage::default()),
                answer("r", "second block", usage),
                user(&"z".repeat(12)),
            ]
        };
        assert_eq!(estimate_tokens(&history("r0")), 4321 + 4);
        assert_eq!(estimate_tokens(&history("r")), 4321 + 4, "a server may give each answer the same id");
    }
}
