//! A summary in place of a conversation: what is asked for it, what is left of the answer, and what stays beside it.

mod division;

use std::time::SystemTime;

pub use self::division::{Division, divided};
use super::calls::Rounds;
use crate::conversation::{
    AttachmentKind, CompactMetadata, ContentBlock, Message, MessageId, SystemKind, SystemMessage,
    ToolResultContent, UserMessage, content_tokens,
};

const PROMPT: &str = include_str!("prompts/summary.md");

const IMAGE: &str = "[There was an image here.]";

/// The messages of a request for the summary of `messages`: without pictures, and with the question behind them. Other
/// bytes than these would find nothing in the provider's cache.
pub fn summary_request(messages: &[Message], instructions: &str, at: SystemTime) -> Vec<Message> {
    let mut prompt = PROMPT.trim_end().to_owned();
    if !instructions.trim().is_empty() {
        prompt.push_str("\n\nThe user asks you to mind this in the summary:\n");
        prompt.push_str(instructions.trim());
    }
    let question = meta(at, prompt);
    let worth_sending = messages.iter().filter(|message| !is_shown_again(message));
    worth_sending.map(without_images).chain([Message::from(question)]).collect()
}

/// `messages` without their oldest rounds, so that about `over_by` tokens go, or a fifth if nobody knows how many. `None`:
/// there is only one round left.
pub fn without_oldest(messages: &[Message], over_by: Option<u64>) -> Option<Vec<Message>> {
    let rounds: Vec<&[Message]> = rounds(messages);
    let all = content_tokens(messages);
    let wanted = over_by.unwrap_or(all / 5).max(1);
    let mut gone = 0;
    let mut dropped = 0;
    for round in rounds.get(..rounds.len().saturating_sub(1)).unwrap_or_default() {
        if gone >= wanted {
            break;
        }
        gone += content_tokens(round);
        dropped += 1;
    }
    (dropped > 0).then(|| rounds.iter().skip(dropped).copied().flatten().cloned().collect())
}

/// Whether there are pictures among `messages`.
pub fn has_images(messages: &[Message]) -> bool {
    messages.iter().any(|message| match message {
        Message::User(user) => user.content.iter().any(|block| match block {
            ContentBlock::Image(_) => true,
            ContentBlock::ToolResult { content, .. } => {
                content.iter().any(|part| matches!(part, ToolResultContent::Image(_)))
            }
            _ => false,
        }),
        Message::Assistant(_) | Message::System(_) | Message::Attachment(_) | Message::Progress(_) => false,
    })
}

/// What the model's answer says: the summary without the thoughts before it. `None`: nothing.
pub fn summary_of(answer: &str) -> Option<String> {
    let inside = |text: &str, open: &str, close: &str| {
        let (_, rest) = text.split_once(open)?;
        Some(rest.split_once(close).map_or(rest, |(inside, _)| inside).to_owned())
    };
    let summary = inside(answer, "<summary>", "</summary>").or_else(|| {
        let after = answer.rsplit_once("</analysis>").map_or(answer, |(_, after)| after);
        (!after.contains("<analysis>")).then(|| after.to_owned())
    })?;
    let summary = summary.trim();
    (!summary.is_empty()).then(|| summary.to_owned())
}

/// Whether the model goes on by itself after a summary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Afterwards {
    GoOn,
    WaitForTheUser,
}

/// Boundary, summary, the user's words and kept messages, in this order. What is shown again comes behind them.
pub fn summarised(
    summary: &str,
    words: Vec<Message>,
    kept: Vec<Message>,
    compaction: CompactMetadata,
    afterwards: Afterwards,
    at: SystemTime,
) -> Vec<Message> {
    let boundary = Message::from(SystemMessage {
        id: MessageId::fresh(),
        at,
        kind: SystemKind::CompactBoundary,
        text: format!("The conversation so far ({} tokens) was summarised.", compaction.tokens_before),
        compaction: Some(compaction),
    });
    let mut text = format!(
        "This conversation goes on from an earlier part that no longer fits. This is what happened there:\n\n{summary}"
    );
    if !words.is_empty() {
        text.push_str(
            "\n\nWhat the user asked for in the work that is not finished follows below, word for word. What is told above \
             was done about it already.",
        );
    }
    if afterwards == Afterwards::GoOn && kept.is_empty() {
        text.push_str(
            "\n\nGo on with the work from where it stood. Don't ask the user how to go on, don't speak of this summary, and \
             don't begin again what is done.",
        );
    }
    let summary = UserMessage { is_compact_summary: true, ..meta(at, text) };
    [boundary, Message::from(summary)].into_iter().chain(words).chain(kept).collect()
}

/// From each answer to the next; what comes before the first answer belongs to it.
fn rounds(messages: &[Message]) -> Vec<&[Message]> {
    let mut counter = Rounds::default();
    let mut starts = Vec::new();
    let mut last = None;
    for (at, message) in messages.iter().enumerate() {
        match message {
            Message::Assistant(answer) => {
                let round = counter.of(&answer.response_id);
                if last.replace(round) != Some(round) {
                    starts.push(at);
                }
            }
            Message::User(_) => counter.close(),
            Message::System(_) | Message::Attachment(_) | Message::Progress(_) => {}
        }
    }
    if let Some(first) = starts.first_mut() {
        *first = 0;
    }
    let ends = starts.iter().skip(1).copied().chain([messages.len()]);
    starts.iter().zip(ends).filter_map(|(start, end)| messages.get(*start..end)).collect()
}

/// What stands in a file is read again afterwards.
fn is_shown_again(message: &Message) -> bool {
    matches!(message, Message::Attachment(attachment) if attachment.kind == AttachmentKind::MemoryFile)
}

/// The message with a word in place of each picture.
pub fn without_images(message: &Message) -> Message {
    let Message::User(user) = message else { return message.clone() };
    let mut user = UserMessage::clone(user);
    for block in &mut user.content {
        match block {
            ContentBlock::Image(_) => *block = ContentBlock::text(IMAGE),
            ContentBlock::ToolResult { content, .. } => {
                for part in content {
                    if matches!(part, ToolResultContent::Image(_)) {
                        *part = ToolResultContent::Text(IMAGE.to_owned());
                    }
                }
            }
            _ => {}
        }
    }
    Message::from(user)
}

fn meta(at: SystemTime, text: String) -> UserMessage {
    UserMessage {
        id: MessageId::fresh(),
        at,
        content: vec![ContentBlock::text(text)],
        is_meta: true,
        is_virtual: false,
        is_compact_summary: false,
        tool_use_result: None,
        source_tool_assistant: None,
        mcp_meta: None,
    }
}

#[cfg(test)]
mod tests {
    use std::time::UNIX_EPOCH;

    use serde_json::json;

    use super::super::fixture::{called, prompt, said, view};
    use super::*;
    use crate::conversation::{CompactTrigger, ImageSource, Role, ToolUseId, normalize};

    fn history() -> Vec<Message> {
        let round = |n: usize| called(&format!("t{n}"), "Grep", json!({"n": n}), &"found ".repeat(100));
        [prompt("first")]
            .into_iter()
            .chain((0..10).flat_map(round))
            .chain([prompt("second")])
            .chain(round(10))
            .collect()
    }

    #[track_caller]
    fn check_division(keep: u64, kept: usize) {
        let division = divided(&history(), keep);
        assert_eq!((division.summarised.len(), division.kept.len()), (24 - kept, kept));
    }

    #[test]
    fn rounds_are_told_apart_though_their_answers_have_the_same_id() {
        let mut history = history();
        for message in &mut history {
            if let Message::Assistant(answer) = message {
                std::sync::Arc::make_mut(answer).response_id = "constant".to_owned();
            }
        }
        assert_eq!(rounds(&history).len(), 11);
    }

    #[test]
    fn what_is_kept_begins_with_a_prompt_and_is_never_all() {
        check_division(0, 0);
        check_division(100, 0);
        check_division(1_000, 3);
        check_division(1_000_000, 3);
    }

    #[test]
    fn the_question_stands_behind_the_conversation_and_pictures_are_left_out() {
        let mut messages = history();
        let image = ImageSource { media_type: "image/png".into(), data: "AAAA".into() };
        messages.push(Message::from(UserMessage {
            content: vec![
                ContentBlock::Image(image.clone()),
                ContentBlock::ToolResult {
                    tool_use_id: ToolUseId("t1".into()),
                    content: vec![ToolResultContent::Image(image)],
                    is_error: false,
                },
            ],
            ..meta(UNIX_EPOCH, String::new())
        }));
        let request = summary_request(&messages, "the tests", UNIX_EPOCH);
        assert_eq!(request[..24], messages[..24]);
        assert!(!format!("{request:?}").contains("ImageSource"));
        let Some(Message::User(question)) = request.last() else { panic!("a question") };
        let [ContentBlock::Text { text }] = question.content.as_slice() else { panic!("text") };
        assert!(text.contains("nine headings") && text.ends_with("in the summary:\nthe tests"), "{text}");
    }

    #[test]
    fn the_oldest_rounds_go_first_and_whole() {
        let messages = history();
        let shorter = without_oldest(&messages, Some(1)).unwrap();
        assert_eq!(shorter, messages[3..], "the first round, with the prompt before it");
        let fifth = without_oldest(&messages, None).unwrap();
        assert_eq!(fifth.len(), 24 - 1 - 2 * 3);
        let least = without_oldest(&messages, Some(1_000_000)).unwrap();
        assert_eq!(least, messages[22..], "one round stays");
        assert_eq!(without_oldest(&least, None), None);
        for messages in [shorter, fifth, least] {
            let sent = normalize(&summary_request(&messages, "", UNIX_EPOCH));
            assert_eq!(sent.first().unwrap().role, Role::User);
        }
    }

    #[test]
    fn of_an_answer_the_summary_stays() {
        let check = |answer: &str, want: Option<&str>| assert_eq!(summary_of(answer).as_deref(), want);
        check("<analysis>hm</analysis>\n<summary>\n1. This\n</summary> ", Some("1. This"));
        check("<analysis>hm</analysis> 1. This", Some("1. This"));
        check("1. This", Some("1. This"));
        check("<summary>1. Cut o", Some("1. Cut o"));
        check("<analysis>only thoughts", None);
        check("<summary> </summary>", None);
        check("", None);
    }

    #[test]
    fn a_summary_stands_first_and_counts_nothing_of_what_was() {
        let kept = vec![prompt("second"), said("r", "yes")];
        let compaction = CompactMetadata {
            trigger: CompactTrigger::Auto,
            tokens_before: 170_000,
            kept: kept.iter().map(|message| message.id().clone()).collect(),
            without_images: false,
        };
        let messages =
            summarised("1. This", Vec::new(), kept.clone(), compaction, Afterwards::GoOn, UNIX_EPOCH);
        let [Message::System(boundary), Message::User(summary), rest @ ..] = messages.as_slice() else {
            panic!("boundary and summary")
        };
        assert_eq!(boundary.kind, SystemKind::CompactBoundary);
        assert!(summary.is_compact_summary && !summary.content.is_empty());
        assert_eq!(rest, kept);
        assert_eq!(crate::conversation::counted_tokens(&view(messages)), None);
    }
}
