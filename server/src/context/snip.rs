//! The second step: results of old calls that something later replaces are left out.
//!
//! A call and its result stay a pair: only the words of the result go.

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::Value;

use super::calls::{Call, calls};
use super::clearing::{Clearing, cleared};
use super::pipeline::{PipelineInput, Report};
use crate::config::ContextNumber;
use crate::conversation::Message;

const SUPERSEDED: &str = "[Left out: the same call was made again later.]";
const READ_AGAIN: &str = "[Left out: the whole file was read again later.]";
const DENIED: &str = "[Left out: the call was not allowed.]";
const EMPTY: &str = "[No output.]";

/// Nothing happens until it saves enough to be worth a broken cache.
pub(super) fn snip(view: Arc<[Message]>, input: &PipelineInput<'_>) -> (Arc<[Message]>, Report) {
    if !input.settings.snip.value {
        return (view, Report::default());
    }
    let (calls, rounds) = calls(&view);
    let old = rounds.saturating_sub(input.settings.size(ContextNumber::RecentRounds));
    let later = Later::of(&calls);
    let clearings: Vec<Clearing<'_, '_>> = calls
        .iter()
        .enumerate()
        .filter(|(_, call)| call.round < old)
        .filter_map(|(at, call)| Some(Clearing { call, words: later.verdict(at, call)? }))
        .collect();
    cleared(&view, &calls, &clearings, input.log, input.settings.number(ContextNumber::SnipAtLeast))
}

/// The last call of each kind that shows something.
struct Later<'a> {
    same: HashMap<(&'a str, &'a Value), usize>,
    whole_file: HashMap<&'a str, usize>,
}

impl<'a> Later<'a> {
    fn of(calls: &[Call<'a>]) -> Self {
        let mut later = Self { same: HashMap::new(), whole_file: HashMap::new() };
        for (at, call) in calls.iter().enumerate().filter(|(_, call)| call.shows()) {
            later.same.insert(key(call), at);
            if let Some(file) = call.file().filter(|_| call.shows_whole_file()) {
                later.whole_file.insert(file, at);
            }
        }
        later
    }

    /// What is said in place of the result of the call at `at`; `None`: it stays.
    fn verdict(&self, at: usize, call: &Call<'a>) -> Option<&'static str> {
        let is_later = |found: Option<&usize>| found.is_some_and(|found| *found > at);
        if call.was_denied() {
            Some(DENIED)
        } else if call.result.texts().is_some_and(|texts| texts.iter().all(|text| text.trim().is_empty())) {
            Some(EMPTY)
        } else if is_later(self.same.get(&key(call))) {
            Some(SUPERSEDED)
        } else if call.name == "Read" && is_later(call.file().and_then(|file| self.whole_file.get(file))) {
            Some(READ_AGAIN)
        } else {
            None
        }
    }
}

const fn key<'a>(call: &Call<'a>) -> (&'a str, &'a Value) {
    (call.name, call.input)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::fixture::{Setting, called, filler, prompt, read, results, view};
    use super::*;
    use crate::conversation::{ContentBlock, Message, content_tokens, normalize};

    /// Long enough to be worth it.
    fn long(word: &str) -> String {
        format!("{word} ").repeat(4_000)
    }

    /// The results after the step, one word of each; checks what must always hold.
    #[track_caller]
    fn check(messages: Vec<Message>, want: &[&str]) -> Report {
        let setting = Setting::new();
        let before = view(messages);
        let (after, report) = snip(before.clone(), &setting.input());
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
        assert_eq!(snip(after.clone(), &settled.input()), (after, Report::default()), "once is enough");
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
        assert_eq!(snip(before.clone(), &setting.input()), (before, Report::default()));
    }
}
