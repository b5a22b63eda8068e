//! The second step: results of old calls that something later replaces are left out.
//!
//! A call and its result stay a pair: only the words of the result go.

use std::collections::HashMap;

use super::clearing::{Clearing, cleared, may_save};
use super::step::{PipelineInput, Report};
use super::view::{Answered, ToolClass, View};
use crate::config::ContextNumber;

const SUPERSEDED: &str = "[Left out: the same call was made again later.]";
const READ_AGAIN: &str = "[Left out: the whole file was read again later.]";
const DENIED: &str = "[Left out: the call was not allowed.]";
const EMPTY: &str = "[No output.]";

/// Nothing happens until it saves enough to be worth a broken cache.
pub(super) fn snip(view: View, input: &PipelineInput<'_>) -> (View, Report) {
    if !input.settings.snip.value {
        return (view, Report::default());
    }
    let old = view.rounds().saturating_sub(input.settings.size(ContextNumber::RecentRounds));
    let at_least = input.settings.number(ContextNumber::SnipAtLeast);
    let answered = view.answered();
    if !may_save(answered.iter().filter(|answered| answered.round < old), at_least) {
        return (view, Report::default());
    }
    let later = Later::of(answered);
    let clearings: Vec<Clearing> = answered
        .iter()
        .enumerate()
        .filter(|(_, answered)| answered.round < old)
        .filter_map(|(at, answered)| Some(Clearing { of: *answered, words: later.verdict(at, answered)? }))
        .collect();
    cleared(view, &clearings, input.log, at_least)
}

/// The last calls that show something: of each kind, and of each file a whole one.
#[derive(Default)]
struct Later {
    of_kind: HashMap<usize, usize>,
    whole_file: HashMap<usize, usize>,
}

impl Later {
    fn of(all: &[Answered]) -> Self {
        let mut later = Self::default();
        for (at, answered) in all.iter().enumerate().filter(|(_, answered)| answered.shows) {
            later.of_kind.insert(answered.kind, at);
            if let Some(file) = answered.file.filter(|_| answered.shows_whole_file) {
                later.whole_file.insert(file, at);
            }
        }
        later
    }

    /// What is said in place of the result at `at`; `None`: it stays.
    fn verdict(&self, at: usize, answered: &Answered) -> Option<&'static str> {
        let is_later = |found: Option<&usize>| found.is_some_and(|found| *found > at);
        if answered.denied {
            Some(DENIED)
        } else if answered.blank {
            Some(EMPTY)
        } else if is_later(self.of_kind.get(&answered.kind)) {
            Some(SUPERSEDED)
        } else if answered.tool == ToolClass::Read
            && is_later(answered.file.and_then(|file| self.whole_file.get(&file)))
        {
            Some(READ_AGAIN)
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::json;

    use super::super::fixture::{Setting, called, filler, prompt, read, results, view};
    use super::*;
    use crate::conversation::{ContentBlock, Message, content_tokens, normalize};

    fn step(messages: Arc<[Message]>, setting: &Setting) -> (Arc<[Message]>, Report) {
        let (view, report) = snip(View::of(messages, &setting.log), &setting.input());
        (view.messages, report)
    }

    /// Long enough to be worth it.
    fn long(word: &str) -> String {
        format!("{word} ").repeat(4_000)
    }

    /// The results after the step, one word of each; checks what must always hold.
    #[track_caller]
    fn check(messages: Vec<Message>, want: &[&str]) -> Report {
        let setting = Setting::new();
        let before = view(messages);
        let (after, report) = step(before.clone(), &setting);
        let got: Vec<String> = results(&after)
            .into_iter()
            .filter(|(id, _)| !id.starts_with("filler"))
            .map(|(id, text)| format!("{id} {}", text.split(' ').next().unwrap_or_default()))
            .collect();
        assert_eq!(got, want);
        assert_eq!(report.tokens_freed, content_tokens(&before) - content_tokens(&after));
        assert_eq!(normalize(&before).len(), normalize(&after).len(), "pairs stay pairs");
        assert_eq!(before.first(), after.first(), "the prompt is not touched");
        let mut settled = Setting::new();
        settled.log.record(report.decisions.clone());
        assert_eq!(step(after.clone(), &settled), (after, Report::default()), "once is enough");
        report
    }

    fn history(
        old: impl IntoIterator<Item = Message>,
        recent: impl IntoIterator<Item = Message>,
    ) -> Vec<Message> {
        [prompt("go")].into_iter().chain(old).chain(filler(10)).chain(recent).collect()
    }

    #[test]
    fn a_call_that_was_made_again_keeps_its_last_result() {
        let test = |id: &str, word: &str| called(id, "Bash", json!({"command": "test"}), &long(word));
        check(history(test("t1", "red"), test("t2", "green")), &["t1 [Left", "t2 green"]);
        check(history(test("t1", "red"), called("t2", "Bash", json!({}), "other")), &["t1 red", "t2 other"]);
    }

    #[test]
    fn recent_results_stay_whatever_comes_later() {
        let test = |id: &str| called(id, "Bash", json!({"command": "test"}), &long("red"));
        let messages: Vec<Message> = [prompt("go")].into_iter().chain(test("t1")).chain(test("t2")).collect();
        check(messages, &["t1 red", "t2 red"]);
    }

    #[test]
    fn a_read_goes_when_the_whole_file_is_read_again_and_the_file_stays_visible() {
        let report = check(
            history(read("t1", "/w/a.rs", &long("old")), read("t2", "/w/a.rs", &long("new"))),
            &["t1 [Left", "t2 new"],
        );
        assert_eq!(report.hidden, Vec::<String>::new());
    }

    #[test]
    fn a_word_that_nothing_has_changed_replaces_nothing() {
        let mut unchanged = read("t2", "/w/a.rs", "unchanged");
        if let Message::User(user) = &mut unchanged[1] {
            Arc::make_mut(user).tool_use_result =
                Some(json!({"type": "file_unchanged", "file": {"filePath": "/w/a.rs"}}));
        }
        check(history(read("t1", "/w/a.rs", &long("old")), unchanged), &["t1 old", "t2 unchanged"]);
    }

    #[test]
    fn a_denied_call_goes() {
        let mut denied = called("t1", "Bash", json!({}), &long("no"));
        if let Message::User(user) = &mut denied[1] {
            let user = Arc::make_mut(user);
            user.tool_use_result = Some(json!({"type": "rejected"}));
            if let [ContentBlock::ToolResult { is_error, .. }] = user.content.as_mut_slice() {
                *is_error = true;
            }
        }
        check(history(denied, []), &["t1 [Left"]);
    }

    #[test]
    fn little_is_not_worth_a_broken_cache() {
        let test = |id: &str| {
            called(id, "Bash", json!({"command": "test"}), "a few words of a result, no more than that")
        };
        check(history(test("t1"), test("t2")), &["t1 a", "t2 a"]);
    }

    #[test]
    fn switched_off_it_does_nothing() {
        let test = |id: &str| called(id, "Bash", json!({}), &long("red"));
        let mut setting = Setting::new();
        setting.settings.snip.value = false;
        let before = view(history(test("t1"), test("t2")));
        assert_eq!(step(before.clone(), &setting), (before, Report::default()));
    }
}
