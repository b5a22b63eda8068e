//! Runs of consecutive messages that a line can stand for: small talk, and the same call again with the same result.

use std::ops::Range;

use serde_json::Value;

use crate::context::calls::Rounds;
use crate::context::log::Fold;
use crate::conversation::{ContentBlock, Message, MessageId, ToolResultContent, UserMessage};

/// Fewer are not worth a line.
const SHORTEST_RUN: usize = 3;

/// The runs in the rounds before `old`, but for those of which the first message `is_known`. The last thing that the user
/// wrote is in none.
pub(super) fn spans(
    view: &[Message],
    old: usize,
    small_talk_chars: usize,
    is_known: impl Fn(&MessageId) -> bool,
) -> Vec<Fold> {
    let end = end_of(view, old);
    let parts = parts(view.get(..end).unwrap_or_default());
    let mut folds = Vec::new();
    let is_new = |run: &&[Part<'_>]| run.first().is_none_or(|first| !first.id().is_some_and(&is_known));
    for run in runs(&parts, |part| is_small_talk(part, small_talk_chars)).into_iter().filter(is_new) {
        let said: Vec<String> =
            run.iter().flat_map(|part| part.messages).filter_map(said).map(|said| said.words()).collect();
        folds.extend(fold(run, format!("[Short messages, folded: {}]", said.join(" | "))));
    }
    for repeats in repeated_calls(&parts).into_iter().filter(is_new) {
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

impl<'a> Part<'a> {
    /// That of its first message.
    fn id(&self) -> Option<&'a MessageId> {
        self.messages.first().map(Message::id)
    }
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
fn is_small_talk(part: &Part<'_>, most_chars: usize) -> bool {
    let lengths: Option<Vec<usize>> =
        part.messages.iter().map(|message| Some(said(message)?.chars())).collect();
    lengths.is_some_and(|lengths| lengths.iter().sum::<usize>() <= most_chars)
}

/// What a message of nothing but text says.
struct Said<'a> {
    who: &'static str,
    texts: Vec<&'a str>,
}

impl Said<'_> {
    /// `you: …` or `the user: …`.
    fn words(&self) -> String {
        format!("{}: {}", self.who, self.texts.join(" "))
    }

    /// The characters of those words. All messages are asked for it in every round, so they are not put together.
    fn chars(&self) -> usize {
        let texts: usize = self.texts.iter().map(|text| text.chars().count()).sum();
        self.who.len() + 2 + texts + self.texts.len().saturating_sub(1)
    }
}

/// `None` if there is more than text.
fn said(message: &Message) -> Option<Said<'_>> {
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

/// For each call that is made again at once, always with the same result: the parts of the repetitions.
fn repeated_calls<'p, 'a>(parts: &'p [Part<'a>]) -> Vec<&'p [Part<'a>]> {
    let pairs: Vec<Option<Pair<'_>>> = (0..parts.len()).map(|at| pair(parts, at)).collect();
    let mut found = Vec::new();
    let mut at = 0;
    while at + 2 <= parts.len() {
        let same = |next: usize| matches!((pairs.get(at), pairs.get(next)), (Some(Some(one)), Some(Some(other))) if one == other);
        let again = (1..parts.len()).take_while(|n| same(at + 2 * n)).count();
        let repeated: Range<usize> = at + 2..at + 2 + 2 * again;
        if again + 1 >= SHORTEST_RUN {
            found.extend(parts.get(repeated));
        }
        at += if again == 0 { 1 } else { 2 + 2 * again };
    }
    found
}

/// A call and what came of it.
#[derive(PartialEq)]
struct Pair<'a> {
    name: &'a str,
    input: &'a Value,
    result: &'a [ToolResultContent],
    is_error: bool,
}

/// The only call of an answer that says nothing else, and the only block of the message behind it.
fn pair<'a>(parts: &[Part<'a>], at: usize) -> Option<Pair<'a>> {
    let mut spoken = None;
    for message in parts.get(at)?.messages {
        let Message::Assistant(answer) = message else { return None };
        for block in &answer.content {
            match block {
                ContentBlock::Thinking { .. } | ContentBlock::RedactedThinking { .. } => {}
                block if spoken.is_none() => spoken = Some(block),
                _ => return None,
            }
        }
    }
    let ContentBlock::ToolUse { id, name, input } = spoken? else { return None };
    let [Message::User(user)] = parts.get(at + 1)?.messages else { return None };
    match user.content.as_slice() {
        [ContentBlock::ToolResult { tool_use_id, content: result, is_error }] if tool_use_id == id => {
            Some(Pair { name, input, result, is_error: *is_error })
        }
        _ => None,
    }
}

fn fold(run: &[Part<'_>], line: String) -> Option<Fold> {
    let messages: Vec<_> =
        run.iter().flat_map(|part| part.messages).map(|message| message.id().clone()).collect();
    (!messages.is_empty()).then(|| Fold::Span { messages, line: line.into() })
}
