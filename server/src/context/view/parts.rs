//! What one side says at a time, as far as folds ask about it in every round.

use std::sync::Arc;

use crate::context::calls::Place;
use crate::conversation::{ContentBlock, Message, ToolResultContent, ToolUseId, UserMessage};

/// An answer with all its records, or one other message.
#[derive(Clone, Copy, Debug)]
pub(in crate::context) struct Part {
    /// The number of its first message.
    pub(in crate::context) first: usize,
    pub(in crate::context) messages: usize,
    /// Characters of its words; `None`: there is more than text.
    pub(in crate::context) chars: Option<usize>,
    /// Of an answer that is nothing but one call, with nothing but the result behind it: the same for the same call with the
    /// same result.
    pub(in crate::context) pair: Option<usize>,
}

impl Part {
    pub(in crate::context) const fn end(&self) -> usize {
        self.first + self.messages
    }
}

/// The parts of `messages` from the one at `begin` on, without their pairs.
pub(super) fn parts(messages: &[Message], begin: usize) -> impl Iterator<Item = Part> {
    let same_answer = |one: &Message, next: &Message| match (one, next) {
        (Message::Assistant(one), Message::Assistant(next)) => one.response_id == next.response_id,
        _ => false,
    };
    let mut first = begin;
    messages.get(begin..).unwrap_or_default().chunk_by(same_answer).map(move |of_part| {
        let chars: Option<usize> = of_part.iter().map(|message| Some(said(message)?.chars())).sum();
        let part = Part { first, messages: of_part.len(), chars, pair: None };
        first = part.end();
        part
    })
}

/// What a message of nothing but text says.
pub(in crate::context) struct Said<'a> {
    who: &'static str,
    texts: Vec<&'a str>,
}

impl Said<'_> {
    /// `you: …` or `the user: …`.
    pub(in crate::context) fn words(&self) -> String {
        format!("{}: {}", self.who, self.texts.join(" "))
    }

    /// The characters of those words.
    fn chars(&self) -> usize {
        let texts: usize = self.texts.iter().map(|text| text.chars().count()).sum();
        self.who.len() + 2 + texts + self.texts.len().saturating_sub(1)
    }
}

/// `None` if there is more than text.
pub(in crate::context) fn said(message: &Message) -> Option<Said<'_>> {
    let (who, content) = match message {
        Message::User(user) if !user.is_meta && !user.is_virtual && !user.is_compact_summary => {
            ("the user", &user.content)
        }
        Message::Assistant(answer) if !answer.is_virtual && !answer.is_api_error => ("you", &answer.content),
        Message::User(_)
        | Message::Assistant(_)
        | Message::System(_)
        | Message::Attachment(_)
        | Message::Progress(_) => return None,
    };
    let texts: Option<Vec<&str>> = content
        .iter()
        .map(|block| match block {
            ContentBlock::Text { text } => Some(text.trim()),
            _ => None,
        })
        .collect();
    Some(Said { who, texts: texts? })
}

/// Something the user wrote.
pub(super) fn is_prompt(user: &UserMessage) -> bool {
    !user.is_meta && user.content.iter().any(|block| matches!(block, ContentBlock::Text { .. }))
}

/// The only call of an answer that says nothing else, and where it stands.
pub(super) fn only_call<'a>(messages: &'a [Message], answer: &Part) -> Option<(&'a ToolUseId, Place)> {
    let mut spoken = None;
    for (at, message) in messages.iter().enumerate().take(answer.end()).skip(answer.first) {
        let Message::Assistant(record) = message else { return None };
        for (block, content) in record.content.iter().enumerate() {
            match content {
                ContentBlock::Thinking { .. } | ContentBlock::RedactedThinking { .. } => {}
                content if spoken.is_none() => spoken = Some((content, Place { message: at, block })),
                _ => return None,
            }
        }
    }
    match spoken? {
        (ContentBlock::ToolUse { id, .. }, place) => Some((id, place)),
        _ => None,
    }
}

/// The result of that call, if a part is nothing else.
pub(super) fn only_result<'a>(
    messages: &'a [Message],
    part: &Part,
    call: &ToolUseId,
) -> Option<(&'a Arc<UserMessage>, &'a [ToolResultContent], bool)> {
    let Message::User(user) = messages.get(part.first)? else { return None };
    match user.content.as_slice() {
        [ContentBlock::ToolResult { tool_use_id, content, is_error }] if tool_use_id == call => {
            Some((user, content, *is_error))
        }
        _ => None,
    }
}
