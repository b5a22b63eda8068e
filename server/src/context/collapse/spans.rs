//! Runs of consecutive messages that a line can stand for: small talk, and the same call again with the same result.

use std::ops::Range;

use crate::context::calls::Rounds;
use crate::context::log::Fold;
use crate::conversation::{AssistantMessage, ContentBlock, Message, UserMessage};

/// Fewer are not worth a line.
const SHORTEST_RUN: usize = 3;

/// The runs in the rounds before `old`. The last thing that the user wrote is in none.
pub(super) fn spans(view: &[Message], old: usize, small_talk_chars: usize) -> Vec<Fold> {
    let end = end_of(view, old);
    let parts = parts(view.get(..end).unwrap_or_default());
    let mut folds = Vec::new();
    for run in runs(&parts, |part| is_small_talk(part, small_talk_chars)) {
        let said: Vec<String> = run.iter().flat_map(|part| part.messages).filter_map(words).collect();
        folds.extend(fold(run, format!("[Short messages, folded: {}]", said.join(" | "))));
    }
    for repeats in repeated_calls(&parts) {
        let again = repeats.len() / 2;
        folds.extend(fold(
            repeats,
            format!("[The same call was made {again} more times, with the same result.]"),
        ));
    }
    folds
}

/// What one side says at a time: an answer with all its records, or one other message.
struct Part<'a> {
    messages: &'a [Message],
}

fn parts(view: &[Message]) -> Vec<Part<'_>> {
    let same_answer = |one: &Message, next: &Message| match (one, next) {
        (Message::Assistant(one), Message::Assistant(next)) => one.response_id == next.response_id,
        _ => false,
    };
    view.chunk_by(same_answer).map(|messages| Part { messages }).collect()
}

/// Where the rounds from `old` on begin, or the last thing that the user wrote stands, whichever is first.
fn end_of(view: &[Message], old: usize) -> usize {
    let mut rounds = Rounds::default();
    let recent = view.iter().position(|message| match message {
        Message::Assistant(answer) => rounds.of(&answer.response_id) >= old,
        _ => false,
    });
    let last_prompt =
        view.iter().rposition(|message| matches!(message, Message::User(user) if is_prompt(user)));
    recent.unwrap_or(view.len()).min(last_prompt.unwrap_or(view.len()))
}

fn is_prompt(user: &UserMessage) -> bool {
    !user.is_meta && user.content.iter().any(|block| matches!(block, ContentBlock::Text { .. }))
}

fn runs<'p, 'a>(parts: &'p [Part<'a>], fits: impl Fn(&Part<'a>) -> bool) -> Vec<&'p [Part<'a>]> {
    parts
        .chunk_by(|one, next| fits(one) && fits(next))
        .filter(|run| run.len() >= SHORTEST_RUN && run.first().is_some_and(&fits))
        .collect()
}

/// Nothing but a few words.
fn is_small_talk(part: &Part<'_>, chars: usize) -> bool {
    let texts: Option<Vec<String>> = part.messages.iter().map(words).collect();
    texts.is_some_and(|texts| texts.iter().map(|text| text.chars().count()).sum::<usize>() <= chars)
}

/// `you: …` or `the user: …`; `None` if there is more than text.
fn words(message: &Message) -> Option<String> {
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
    Some(format!("{who}: {}", texts?.join(" ")))
}

/// For each call that is made again at once, always with the same result: the parts of the repetitions.
fn repeated_calls<'p, 'a>(parts: &'p [Part<'a>]) -> Vec<&'p [Part<'a>]> {
    let mut found = Vec::new();
    let mut at = 0;
    while at + 2 <= parts.len() {
        let same = |next: usize| pair(parts, at).is_some() && pair(parts, at) == pair(parts, next);
        let again = (1..parts.len()).take_while(|n| same(at + 2 * n)).count();
        let repeated: Range<usize> = at + 2..at + 2 + 2 * again;
        if again + 1 >= SHORTEST_RUN {
            found.extend(parts.get(repeated));
        }
        at += if again == 0 { 1 } else { 2 + 2 * again };
    }
    found
}

/// The only call of an answer that says nothing else, and the only block of the message behind it.
fn pair<'a>(parts: &[Part<'a>], at: usize) -> Option<(&'a str, &'a serde_json::Value, Outcome<'a>)> {
    let asked = parts.get(at)?.messages.iter().map(|message| match message {
        Message::Assistant(answer) => Some(answer),
        _ => None,
    });
    let records: Option<Vec<&AssistantMessage>> = asked.collect();
    let records = records?;
    let spoken: Vec<&ContentBlock> = records
        .iter()
        .flat_map(|record| &record.content)
        .filter(|block| {
            !matches!(block, ContentBlock::Thinking { .. } | ContentBlock::RedactedThinking { .. })
        })
        .collect();
    let [ContentBlock::ToolUse { id, name, input }] = spoken.as_slice() else { return None };
    let [Message::User(user)] = parts.get(at + 1)?.messages else { return None };
    match user.content.as_slice() {
        [ContentBlock::ToolResult { tool_use_id, content, is_error }] if tool_use_id == id => {
            Some((name, input, (content, *is_error)))
        }
        _ => None,
    }
}

type Outcome<'a> = (&'a [crate::conversation::ToolResultContent], bool);

fn fold(run: &[Part<'_>], line: String) -> Option<Fold> {
    let messages: Vec<_> =
        run.iter().flat_map(|part| part.messages).map(|message| message.id().clone()).collect();
    (!messages.is_empty()).then(|| Fold::Span { messages, line: line.into() })
}
