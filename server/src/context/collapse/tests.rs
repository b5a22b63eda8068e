//! Conversations in, folds out; and back to the original bytes.

use serde_json::json;

use super::*;
use crate::context::fixture::{Setting, called, counting, filler, prompt, read, results, said, view};
use crate::conversation::{Role, normalize};
use crate::models::Window;

/// So full that every fold is made.
const FULL: u64 = 170_000;

fn setting() -> Setting {
    Setting { window: Window { context: 200_000, max_output: 64_000 }, ..Setting::new() }
}

fn step(messages: Arc<[Message]>, tokens: u64, setting: &Setting) -> (Arc<[Message]>, Report) {
    let (view, report) = collapse(View::of(messages, &setting.log), tokens, &setting.input());
    (view.messages, report)
}

fn old(messages: impl IntoIterator<Item = Message>) -> Arc<[Message]> {
    view(messages.into_iter().chain(filler(10)).chain([prompt("the newest prompt")]))
}

/// The texts of what the folds of `messages` leave, fillers left out; checks what must always hold.
#[track_caller]
fn check(messages: impl IntoIterator<Item = Message>, want: &[&str]) -> Report {
    let before = old(messages);
    let (after, report) = step(before.clone(), FULL, &setting());
    assert_eq!(drawn(&after), want);
    for call in normalize(&after).windows(2) {
        let [asked, answered] = call else { unreachable!() };
        assert_ne!(asked.role, answered.role);
    }
    let mut decided = setting();
    decided.log.record(report.decisions.clone());
    let (again, nothing) = step(before.clone(), FULL, &decided);
    assert_eq!((&again, nothing), (&after, Report::default()), "the projection is determined by the log");
    let restarted = Setting { log: ContextLog::from_decisions(report.decisions.clone()), ..setting() };
    assert_eq!(step(before.clone(), 0, &restarted).0, after, "and the log survives a restart");
    assert_eq!(step(after.clone(), FULL, &decided).0, after, "once is enough");
    decided.settings.collapse.value = false;
    assert_eq!(step(before.clone(), FULL, &decided).0, before, "switched off, all is there again");
    report
}

fn drawn(view: &[Message]) -> Vec<String> {
    normalize(view)
        .iter()
        .flat_map(|message| message.content.iter().map(move |block| (message.role, block)))
        .filter_map(|(role, block)| {
            let who = if role == Role::User { "user" } else { "model" };
            match block {
                ContentBlock::Text { text } => Some(format!("{who}: {text}")),
                ContentBlock::ToolUse { id, .. } if !id.as_str().starts_with("filler") => {
                    Some(format!("call {id}"))
                }
                ContentBlock::ToolResult { tool_use_id, .. }
                    if !tool_use_id.as_str().starts_with("filler") =>
                {
                    let text = results(view).into_iter().find(|(id, _)| id == tool_use_id.as_str());
                    Some(format!("{tool_use_id}: {}", text.unwrap_or_default().1))
                }
                _ => None,
            }
        })
        .collect()
}

#[test]
fn small_talk_becomes_a_line() {
    check(
        [prompt("do a thing, please"), said("r1", "Done."), prompt("ok"), said("r2", "Anything else?")],
        &[
            "user: [Short messages, folded: the user: do a thing, please | you: Done. | the user: ok | you: Anything else?]",
            "user: the newest prompt",
        ],
    );
}

#[test]
fn what_is_longer_or_alone_stays() {
    let long = "a".repeat(100);
    check(
        [prompt(&long), said("r1", "Done."), prompt("ok")],
        &[&format!("user: {long}"), "model: Done.", "user: ok", "user: the newest prompt"],
    );
}

#[test]
fn an_answer_that_also_calls_is_no_small_talk() {
    let call = called("t1", "Grep", json!({}), "found");
    let talk = [prompt("ok"), said("r1", "Yes."), prompt("fine"), said("answer-t1", "I look.")];
    let report = check(
        talk.into_iter().chain(call),
        &[
            "user: [Short messages, folded: the user: ok | you: Yes. | the user: fine]",
            "model: I look.",
            "call t1",
            "t1: found",
            "user: the newest prompt",
        ],
    );
    assert_eq!(report.hidden, Vec::<String>::new());
}

#[test]
fn the_same_call_with_the_same_result_is_counted() {
    let look = |id: &str| called(id, "Bash", json!({"command": "status"}), "clean");
    let calls = ["t1", "t2", "t3", "t4"].into_iter().flat_map(look);
    check(
        [prompt("go")].into_iter().chain(calls),
        &[
            "user: go",
            "call t1",
            "t1: clean",
            "user: [The same call was made 3 more times, with the same result.]",
            "user: the newest prompt",
        ],
    );
}

#[test]
fn another_result_or_another_call_ends_the_run() {
    let look = |id: &str, result: &str| called(id, "Bash", json!({"command": "status"}), result);
    check(
        look("t1", "clean").into_iter().chain(look("t2", "clean")).chain(look("t3", "dirty")),
        &[
            "user: (The conversation begins before this point.)",
            "call t1",
            "t1: clean",
            "call t2",
            "t2: clean",
            "call t3",
            "t3: dirty",
            "user: the newest prompt",
        ],
    );
}

#[test]
fn a_read_that_was_replaced_is_folded() {
    let long = "a line of the file\n".repeat(9);
    let edit = called("t2", "Edit", json!({"file_path": "/w/a.rs"}), "Proposed.");
    let report = check(
        [prompt("go")].into_iter().chain(read("t1", "/w/a.rs", &long)).chain(edit),
        &[
            "user: go",
            "call t1",
            "t1: [Folded: you changed this file later. Read it again if you need the rest of it.]",
            "call t2",
            "t2: Proposed.",
            "user: the newest prompt",
        ],
    );
    assert_eq!(report.hidden, ["/w/a.rs"]);
}

#[test]
fn with_room_left_folds_are_only_prepared_and_draining_makes_them() {
    let before = old([prompt("a"), said("r1", "b"), prompt("c")]);
    let (after, report) = step(before.clone(), 161_999, &setting());
    assert_eq!(after, before);
    assert!(matches!(report.decisions.as_slice(), [Decision::Staged(_)]));
    let mut drained = setting();
    drained.log.record(report.decisions);
    assert_eq!(drained.log.drain(), 1);
    let (after, _) = step(before, 0, &drained);
    assert_eq!(after.len(), 22, "three messages are one");
}

#[test]
fn recent_messages_and_unanswered_calls_are_never_folded() {
    let messages = [prompt("a"), said("r1", "b"), prompt("c"), said("r2", "d")];
    let recent = view(messages.into_iter().chain([counting(1, said("r3", "e"))]));
    assert_eq!(step(recent.clone(), FULL, &setting()), (recent, Report::default()));
    let look = |id: &str| called(id, "Bash", json!({}), "clean");
    let mut calls: Vec<Message> = ["t1", "t2", "t3", "t4"].into_iter().flat_map(look).collect();
    calls.remove(5);
    let before = old(calls);
    assert_eq!(step(before.clone(), FULL, &setting()), (before, Report::default()));
}
