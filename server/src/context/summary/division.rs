//! What of a conversation its summary is about, and what stays as it is: the newest messages that fit, and whatever they take,
//! the words of the user's that no finished answer stands behind.

use crate::context::system_prompt::is_user_context;
use crate::conversation::{ContentBlock, Message, content_tokens};

/// How a conversation is divided for its summary.
#[derive(Clone, Debug, PartialEq)]
pub struct Division {
    /// What the summary is about.
    pub summarised: Vec<Message>,
    /// Of that, what the user has said since the model's last finished answer, which stays word for word.
    pub words: Vec<Message>,
    /// What stays as it is, behind the summary and those words.
    pub kept: Vec<Message>,
}

impl Division {
    /// Whether a summary would stand for anything: the user's own words are none the shorter for one.
    pub fn is_worth_it(&self) -> bool {
        self.summarised.iter().any(|message| matches!(message, Message::Assistant(_)))
    }
}

/// Keeps the newest messages of at most `keep` tokens, from a prompt of the user's on, so that no call is parted from its
/// result, but never all of them; and, however long they are, the prompts that wait for an answer at the end. Of the rest the
/// prompts stay as well that the model has not finished with.
pub fn divided(view: &[Message], keep: u64) -> Division {
    let body: Vec<&Message> = view.iter().filter(|message| !is_user_context(message)).collect();
    let cut = kept_from(&body, keep).min(unanswered_from(&body));
    let open = unfinished_from(&body).min(cut);
    let (summarised, kept) = body.split_at(cut);
    let words = summarised.iter().skip(open).filter(|message| is_prompt(message));
    Division {
        words: words.map(|message| (*message).clone()).collect(),
        summarised: summarised.iter().copied().cloned().collect(),
        kept: kept.iter().map(|message| (*message).clone().uncounted()).collect(),
    }
}

/// The first message that is kept; the number of messages if none is.
fn kept_from(body: &[&Message], keep: u64) -> usize {
    let mut tokens = 0;
    let mut found = body.len();
    for (at, message) in body.iter().enumerate().rev() {
        tokens += content_tokens(std::slice::from_ref(*message));
        if tokens > keep || at == 0 {
            break;
        }
        if is_prompt(message) {
            found = at;
        }
    }
    found
}

/// The first of the prompts at the end that nothing was done about yet; the number of messages if there is none.
fn unanswered_from(body: &[&Message]) -> usize {
    let worked = |message: &&Message| match message {
        Message::Assistant(_) => true,
        Message::User(user) => user.content.iter().any(is_result),
        Message::System(_) | Message::Attachment(_) | Message::Progress(_) => false,
    };
    let begin = body.iter().rposition(worked).map_or(0, |at| at + 1);
    let prompt = body.iter().skip(begin).position(|message| is_prompt(message));
    prompt.map_or(body.len(), |prompt| begin + prompt)
}

/// Behind the model's last finished answer: one that calls nothing, and that the user has answered or nothing follows.
/// What is said in the user's place in between, as by a hook, keeps the work going on.
fn unfinished_from(body: &[&Message]) -> usize {
    let mut is_end = true;
    for (at, message) in body.iter().enumerate().rev() {
        match message {
            Message::Assistant(answer) if answer.is_api_error => {}
            Message::Assistant(answer) => {
                let calls = answer.content.iter().any(|block| matches!(block, ContentBlock::ToolUse { .. }));
                if is_end && !calls {
                    return at + 1;
                }
                is_end = false;
            }
            Message::User(_) => is_end = is_prompt(message),
            Message::System(_) | Message::Attachment(_) | Message::Progress(_) => {}
        }
    }
    0
}

/// Whether the user speaks and no call waits for a result.
fn is_prompt(message: &Message) -> bool {
    match message {
        Message::User(user) => {
            !user.is_meta && !user.is_compact_summary && !user.content.iter().any(is_result)
        }
        Message::Assistant(_) | Message::System(_) | Message::Attachment(_) | Message::Progress(_) => false,
    }
}

fn is_result(block: &ContentBlock) -> bool {
    matches!(block, ContentBlock::ToolResult { .. })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;
    use serde_json::json;

    use super::super::super::fixture::{called, prompt, said};
    use super::*;
    use crate::conversation::{UserMessage, normalize};

    /// A conversation in letters: a prompt, a call with its result, an answer that calls nothing, a word in the user's place.
    /// A capital is a long prompt.
    fn conversation(letters: &str) -> Vec<Message> {
        let parts = letters.chars().enumerate().flat_map(|(at, letter)| match letter {
            'p' => vec![prompt(&format!("prompt {at}"))],
            'P' => vec![prompt(&format!("prompt {at}{}", " long".repeat(20_000)))],
            'c' => called(&format!("t{at}"), "Grep", json!({"n": at}), &"found ".repeat(100)).to_vec(),
            'a' => vec![said(&format!("answer {at}"), "done")],
            _ => match prompt(&format!("meta {at}")) {
                Message::User(user) => {
                    vec![Message::from(UserMessage { is_meta: true, ..Arc::unwrap_or_clone(user) })]
                }
                other => vec![other],
            },
        });
        parts.collect()
    }

    fn first_words(messages: &[Message]) -> Vec<String> {
        let text = |message: &Message| match message {
            Message::User(user) => match user.content.as_slice() {
                [ContentBlock::Text { text }] => text.replace(" long", ""),
                _ => "result".to_owned(),
            },
            Message::Assistant(answer) if answer.content.iter().any(|block| !is_text(block)) => {
                "call".to_owned()
            }
            _ => "answer".to_owned(),
        };
        messages.iter().map(text).collect()
    }

    fn is_text(block: &ContentBlock) -> bool {
        matches!(block, ContentBlock::Text { .. })
    }

    #[track_caller]
    fn check(letters: &str, keep: u64, words: &[&str], kept: &[&str]) {
        let division = divided(&conversation(letters), keep);
        assert_eq!(
            (first_words(&division.words), first_words(&division.kept)),
            (
                words.iter().copied().map(str::to_owned).collect(),
                kept.iter().copied().map(str::to_owned).collect()
            ),
            "{letters} with {keep}"
        );
    }

    #[test]
    fn a_prompt_that_waits_for_its_answer_stays_however_long_it_is() {
        for keep in [0, 1, 10_000, 1_000_000] {
            check("paP", keep, &[], &["prompt 2"]);
            check("pccaP", keep, &[], &["prompt 4"]);
        }
        check("paPp", 100, &[], &["prompt 2", "prompt 3"]);
    }

    #[test]
    fn what_the_work_is_about_stays_though_the_work_is_summarised() {
        check("paPcc", 1, &["prompt 2"], &[]);
        check("paPcpc", 1, &["prompt 2", "prompt 4"], &[]);
        check("paPcpc", 2_000, &["prompt 2"], &["prompt 4", "call", "result"]);
        check("pcPc", 1, &["prompt 0", "prompt 2"], &[]);
        check("Ppac", 1, &["prompt 0", "prompt 1"], &[]);
        check("pcP", 1, &["prompt 0"], &["prompt 2"]);
        check("pcamc", 1, &["prompt 0"], &[]);
        check("pcam", 1, &["prompt 0"], &[]);
    }

    #[test]
    fn what_was_answered_may_go() {
        check("Pca", 1, &[], &[]);
        check("Ppaca", 1, &[], &[]);
        check("pcapa", 1, &[], &[]);
    }

    #[test]
    fn only_what_the_model_has_done_is_worth_a_summary() {
        let is_worth_it = |letters: &str| divided(&conversation(letters), 1).is_worth_it();
        assert!(is_worth_it("pc") && is_worth_it("pap"));
        assert!(!is_worth_it("p") && !is_worth_it("pP") && !is_worth_it(""));
    }

    proptest! {
        #[test]
        fn no_unfinished_word_is_lost_and_no_pair_parted(letters in "[pPcam]{0,12}", keep in 0..60_000_u64) {
            let view = conversation(&letters);
            let division = divided(&view, keep);
            let whole = [division.summarised.clone(), division.kept.clone()].concat();
            prop_assert_eq!(first_words(&whole), first_words(&view), "nothing is in neither");
            // An answer that a prompt follows, or nothing, is finished.
            let ends: Vec<char> = letters.chars().chain(['p']).collect();
            let finished = ends.windows(2).rposition(|two| two[0] == 'a' && two[1].eq_ignore_ascii_case(&'p'));
            let prompts = letters.char_indices().skip(finished.map_or(0, |at| at + 1));
            let wanted: Vec<String> = prompts
                .filter(|(_, letter)| letter.eq_ignore_ascii_case(&'p'))
                .map(|(at, _)| format!("prompt {at}"))
                .collect();
            let left = [division.words.clone(), division.kept.clone()].concat();
            let stands: Vec<String> =
                first_words(&left).into_iter().filter(|words| words.starts_with("prompt")).collect();
            prop_assert!(stands.ends_with(&wanted), "{:?} of {:?}", stands, wanted);
            for message in &division.words {
                prop_assert!(view.contains(message), "word for word");
            }
            let sent = normalize(&left);
            let count = |is: fn(&ContentBlock) -> bool| {
                sent.iter().flat_map(|message| &message.content).filter(|block| is(block)).count()
            };
            let calls = first_words(&division.kept).iter().filter(|words| *words == "call").count();
            prop_assert_eq!(count(|block| matches!(block, ContentBlock::ToolUse { .. })), calls);
            prop_assert_eq!(count(is_result), calls);
        }
    }
}
