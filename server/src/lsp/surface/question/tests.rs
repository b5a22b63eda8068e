use super::*;
use crate::conversation::ToolUseId;
use crate::editor::CopydeskFeatures;
use crate::permissions::{self, Access, Call, Question, Rule, SaveTo};

/// What happens second by second: `at` gives what is done to the questions when; the answer is `second: effect` lines.
fn told(style: EditorFeatures, at: &[(u64, &str)], until: u64) -> String {
    let start = Instant::now();
    let mut questions = Questions::new(&style);
    let mut lines = Vec::new();
    for tenth in 0..until * 10 {
        let now = start + Duration::from_millis(tenth * 100);
        for (_, what) in at.iter().filter(|(second, _)| second * 10 == tenth) {
            match what.split_once(' ').unwrap_or((what, "")) {
                ("ask", id) => questions.asked(request(id), now),
                ("resolved", id) => questions.resolved(id),
                ("key", _) => questions.typed(now),
                other => panic!("{other:?}"),
            }
        }
        // As the actor does: never looks before it is told to.
        if questions.wake().is_none_or(|wake| wake > now) {
            continue;
        }
        for effect in questions.due(now) {
            let effect = match effect {
                Effect::Ask { request_id, text, choices } => format!("ask {request_id} «{text}» {choices:?}"),
                Effect::Tell(Loudness::Error, text) => format!("tell as an error «{text}»"),
                Effect::Tell(_, text) => format!("tell «{text}»"),
                Effect::Redraw => "redraw".to_owned(),
            };
            lines.push(format!("{}.{}: {effect}", tenth / 10, tenth % 10));
        }
    }
    lines.join("\n")
}

fn request(id: &str) -> PermissionRequest {
    let call = Call {
        tool: "Read".to_owned(),
        aliases: &[],
        title: String::new(),
        input: serde_json::Value::Null,
        access: Access::Unknown,
        is_read_only: true,
    };
    let question = Question {
        title: format!("Read /etc/{id}"),
        explanation: String::new(),
        rules: vec![Rule { tool: "Read".to_owned(), spec: Some("//etc/**".to_owned()) }],
        save: SaveTo::Session,
        beforehand: Vec::new(),
    };
    permissions::request(id.to_owned(), ToolUseId(id.to_owned()), &call, &question)
}

fn requests() -> EditorFeatures {
    EditorFeatures { safe_questions: true, ..EditorFeatures::default() }
}

#[test]
fn messages_are_repeated_and_then_drawn_over_the_file() {
    insta::assert_snapshot!(told(EditorFeatures::default(), &[(1, "ask hosts")], 60), @r"
    1.0: tell «Copydesk waits for you: Read /etc/hosts? Answer with a code action.»
    6.0: tell «Copydesk waits for you: Read /etc/hosts? Answer with a code action.»
    11.0: redraw
    ");
}

#[test]
fn a_name_that_ends_in_a_question_mark_keeps_it() {
    insta::assert_snapshot!(told(EditorFeatures::default(), &[(1, "ask a?")], 2), @"1.0: tell «Copydesk waits for you: Read /etc/a?? Answer with a code action.»");
}

#[test]
fn where_a_message_takes_a_key_it_is_an_error_that_fits_on_a_line() {
    let features = EditorFeatures { messages_wait: true, ..EditorFeatures::default() };
    let long = "ask a/file/whose/name/is/longer/than/a/line";
    insta::assert_snapshot!(told(features, &[(1, long)], 60), @r"
    1.0: tell as an error «Answer by code action: Read /etc/a/file/whose/name/is…»
    6.0: tell as an error «Answer by code action: Read /etc/a/file/whose/name/is…»
    11.0: redraw
    ");
}

#[test]
fn an_answer_ends_it() {
    insta::assert_snapshot!(told(EditorFeatures::default(), &[(1, "ask hosts"), (3, "resolved hosts")], 60), @"1.0: tell «Copydesk waits for you: Read /etc/hosts? Answer with a code action.»");
}

#[test]
fn one_question_at_a_time() {
    let at = [(1, "ask hosts"), (2, "ask passwd"), (4, "resolved hosts")];
    insta::assert_snapshot!(told(requests(), &at, 60), @r#"
    1.0: ask hosts «Copydesk wants to: Read /etc/hosts» ["Decide later", "Deny", "Deny, and say why…", "Allow once", "Allow Read(//etc/**) in this session"]
    4.0: ask passwd «Copydesk wants to: Read /etc/passwd» ["Decide later", "Deny", "Deny, and say why…", "Allow once", "Allow Read(//etc/**) in this session"]
    "#);
}

#[test]
fn a_request_waits_until_nobody_types() {
    let at = [(1, "key"), (2, "ask hosts"), (3, "key"), (4, "key"), (5, "key")];
    insta::assert_snapshot!(told(requests(), &at, 60), @r#"7.0: ask hosts «Copydesk wants to: Read /etc/hosts» ["Decide later", "Deny", "Deny, and say why…", "Allow once", "Allow Read(//etc/**) in this session"]"#);
}

#[test]
fn a_plug_in_shows_it_by_itself() {
    let features = EditorFeatures {
        copydesk: CopydeskFeatures { permissions: true, ..CopydeskFeatures::default() },
        ..requests()
    };
    assert_eq!(told(features, &[(1, "ask hosts")], 60), "");
}

#[test]
fn only_a_choice_is_an_answer() {
    let mut questions = Questions::new(&requests());
    questions.asked(request("hosts"), Instant::now());
    let option = |choice| questions.chosen("hosts", choice).map(|answer| answer.option_id);
    assert_eq!(option(None), None);
    assert_eq!(option(Some(LATER)), None);
    assert_eq!(option(Some("yes")), None);
    assert_eq!(option(Some("Allow once")), Some("once".to_owned()));
    assert_eq!(questions.chosen("another", Some("Allow once")), None);
    assert_eq!(questions.open().len(), 1);
}
