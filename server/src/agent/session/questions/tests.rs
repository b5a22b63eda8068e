//! Questions one at a time, answered, granted and withdrawn.

use super::*;
use crate::agent::fixture::line;
use crate::permissions::PermissionAnswer;

fn ask(rule: &str) -> Verdict {
    Verdict::Ask { title: format!("Look at {rule}"), explanation: "outside".into(), rule: rule.into() }
}

fn answer(option: &str, feedback: Option<&str>) -> PermissionAnswer {
    PermissionAnswer { option_id: option.into(), feedback: feedback.map(Into::into) }
}

#[tokio::test]
async fn a_grant_answers_the_questions_behind_it() {
    let questions = Questions::default();
    let (outbox, mut events) = Outbox::new();
    let id = ToolUseId("t".into());
    let first = questions.can_use(&id, "Read", ask("Read(//a)"), &outbox);
    let same = questions.can_use(&id, "Read", ask("Read(//a)"), &outbox);
    let other = questions.can_use(&id, "Read", ask("Read(//b)"), &outbox);
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
    let want = ["asked Look at Read(//a)", "resolved session", "asked Look at Read(//b)", "resolved no"];
    assert_eq!(lines, want);
}

#[tokio::test]
async fn a_question_nobody_waits_for_is_withdrawn_and_the_next_is_asked() {
    let questions = Questions::default();
    let (outbox, mut events) = Outbox::new();
    let id = ToolUseId("t".into());
    let first = questions.can_use(&id, "Read", ask("Read(//a)"), &outbox);
    let second = questions.can_use(&id, "Read", ask("Read(//b)"), &outbox);
    drop(first);
    let mut lines = Vec::new();
    while let Ok(event) = events.try_recv() {
        lines.extend(line(&event));
    }
    assert_eq!(lines, ["asked Look at Read(//a)", "resolved by nobody", "asked Look at Read(//b)"]);
    let open = questions.open().expect("the second is asked");
    assert!(questions.answer(&open.id, &answer("once", None)));
    assert_eq!(second.await, Permission::Granted);
}
