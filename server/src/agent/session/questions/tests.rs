//! Questions one at a time, answered, granted and withdrawn.

use super::*;
use crate::agent::fixture::line;
use crate::documents::{AbsPath, Workspace};
use crate::permissions::{Access, PermissionAnswer};

fn questions() -> Questions {
    let root = AbsPath::new("/w").unwrap();
    Questions::new(Policy::of(Arc::new(Workspace::new(vec![root], false))), SessionMode::default())
}

/// A call that reads a file outside the workspace.
fn read(path: &str) -> Call {
    Call {
        tool: "Read".into(),
        aliases: &[],
        title: String::new(),
        input: serde_json::Value::Null,
        access: Access::Read(vec![AbsPath::new(path).unwrap()]),
        is_read_only: true,
    }
}

fn answer(option: &str, feedback: Option<&str>) -> PermissionAnswer {
    PermissionAnswer { option_id: option.into(), feedback: feedback.map(Into::into) }
}

#[tokio::test]
async fn a_grant_answers_the_questions_behind_it() {
    let questions = questions();
    let (outbox, mut events) = Outbox::new();
    let id = ToolUseId("t".into());
    let first = questions.can_use(&id, read("/a"), &outbox);
    let same = questions.can_use(&id, read("/a"), &outbox);
    let other = questions.can_use(&id, read("/b"), &outbox);
    let open = questions.open().expect("one is asked");
    assert!(!questions.answer("p_unknown", &answer("once", None)));
    assert!(!questions.answer(&open.id, &answer("unheard", None)), "no such option");
    assert!(questions.answer(&open.id, &answer("session", None)));
    assert!(!questions.answer(&open.id, &answer("session", None)), "answered already");
    assert_eq!((first.await, same.await), (Permission::Granted, Permission::Granted));
    let next = questions.open().expect("the other is asked");
    assert!(questions.answer(&next.id, &answer("no", Some("not that one"))));
    let denied = "The user rejected this call, so it was not run. They say: not that one";
    assert_eq!(other.await, Permission::Denied(denied.into()));
    assert_eq!(questions.open(), None);

    drop(outbox);
    let mut lines = Vec::new();
    while let Ok(event) = events.try_recv() {
        lines.extend(line(&event));
    }
    let want = ["asked Read /a", "resolved session", "asked Read /b", "resolved no"];
    assert_eq!(lines, want);
}

#[tokio::test]
async fn a_question_nobody_waits_for_is_withdrawn_and_the_next_is_asked() {
    let questions = questions();
    let (outbox, mut events) = Outbox::new();
    let id = ToolUseId("t".into());
    let first = questions.can_use(&id, read("/a"), &outbox);
    let second = questions.can_use(&id, read("/b"), &outbox);
    drop(first);
    let mut lines = Vec::new();
    while let Ok(event) = events.try_recv() {
        lines.extend(line(&event));
    }
    assert_eq!(lines, ["asked Read /a", "resolved by nobody", "asked Read /b"]);
    let open = questions.open().expect("the second is asked");
    assert!(questions.answer(&open.id, &answer("once", None)));
    assert_eq!(second.await, Permission::Granted);
}

/// What comes of a choice that is answered so.
async fn chosen_by(option: &str, feedback: Option<&str>) -> Chosen {
    let questions = questions();
    let (outbox, _events) = Outbox::new();
    let choice = Choice {
        title: "Which way?".into(),
        explanation: String::new(),
        options: vec!["Left".into(), "Right\u{202e}".into()],
        decline: "No answer".into(),
    };
    let waits = questions.choose(&ToolUseId("t".into()), "AskUserQuestion", choice, &outbox);
    let open = questions.open().expect("it is asked");
    let names: Vec<&str> = open.options.iter().map(|option| option.name.as_str()).collect();
    assert_eq!(names, ["Left", "Right\\u{202e}", "In my own words…", "No answer"]);
    assert!(questions.answer(&open.id, &answer(option, feedback)));
    waits.await
}

#[tokio::test]
async fn a_choice_is_answered_by_an_option_or_in_words() {
    assert_eq!(chosen_by("choice-2", None).await, Chosen::Option(1, None));
    assert_eq!(chosen_by("words", Some("back")).await, Chosen::Declined(Some("back".into())));
    assert_eq!(chosen_by("no", None).await, Chosen::Declined(None));
}

#[tokio::test]
async fn a_choice_is_open_until_somebody_chooses_or_nobody_waits() {
    let questions = questions();
    let (outbox, mut events) = Outbox::new();
    let choice = Choice {
        title: "?".into(),
        explanation: String::new(),
        options: vec!["a".into()],
        decline: "no".into(),
    };
    let mut waits = questions.choose(&ToolUseId("t".into()), "AskUserQuestion", choice, &outbox);
    questions.mode().set(PermissionMode::DontAsk).unwrap();
    questions.mode_changed();
    assert!(futures::poll!(&mut waits).is_pending(), "no mode answers it");
    drop(waits);
    assert_eq!(questions.open(), None);
    drop(outbox);
    let mut lines = Vec::new();
    while let Ok(event) = events.try_recv() {
        lines.extend(line(&event));
    }
    assert_eq!(lines, ["asked ?", "resolved by nobody"]);
}
