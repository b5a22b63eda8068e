//! Questions one at a time, answered, granted and withdrawn.

use serde_json::json;

use super::*;
use crate::agent::fixture::{clock, line};
use crate::documents::{AbsPath, PathCase, Place, Workspace};
use crate::permissions::{Access, OwnRules, PermissionAnswer, PermissionMode, Places};

fn questions() -> Questions {
    let root = AbsPath::new("/w").unwrap();
    let policy = Policy::of(Arc::new(Workspace::new(vec![root], false)));
    Questions::new(policy, SessionMode::default(), RuleBook::empty(), clock())
}

/// A call that reads a file outside the workspace.
fn read(path: &str) -> Call {
    Call {
        tool: "Read".into(),
        aliases: &[],
        title: String::new(),
        input: serde_json::Value::Null,
        access: Access::Read(vec![Place::of(AbsPath::new(path).unwrap())]),
        is_read_only: true,
    }
}

fn answer(option: &str, feedback: Option<&str>) -> PermissionAnswer {
    PermissionAnswer { feedback: feedback.map(Into::into), ..PermissionAnswer::of(option) }
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

/// A session in a workspace on disk that asks about one page on the network.
struct Bench {
    folder: tempfile::TempDir,
    questions: Questions,
    outbox: Outbox,
    events: tokio::sync::mpsc::UnboundedReceiver<SessionEvent>,
}

impl Bench {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = AbsPath::new(folder.path().canonicalize().unwrap().to_str().unwrap()).unwrap();
        let policy = Policy::of(Arc::new(Workspace::new(vec![root.clone()], false)));
        let own = OwnRules { trusted: vec![root.to_string()], ..OwnRules::default() };
        let book = RuleBook::new(Places {
            root: Some(root),
            home: None,
            case: PathCase::Sensitive,
            managed: None,
            trusted: None,
            own,
        });
        let (outbox, events) = Outbox::new();
        let questions = Questions::new(policy, SessionMode::default(), book, clock());
        Self { folder, questions, outbox, events }
    }

    fn fetch(&self, url: &str) -> BoxFuture<'static, Permission> {
        let call = Call {
            tool: "WebFetch".into(),
            aliases: &[],
            title: format!("Fetch {url}"),
            input: json!({"url": url}),
            access: Access::Fetch { url: url.into() },
            is_read_only: true,
        };
        self.questions.can_use(&ToolUseId("t".into()), call, &self.outbox)
    }

    fn answer(&self, answer: &PermissionAnswer) {
        let open = self.questions.open().expect("a question");
        assert!(self.questions.answer(&open.id, answer));
    }

    fn lines(&mut self) -> Vec<String> {
        std::iter::from_fn(|| self.events.try_recv().ok()).filter_map(|event| line(&event)).collect()
    }

    fn settings(&self) -> std::path::PathBuf {
        self.folder.path().join(".claude/settings.local.json")
    }
}

#[tokio::test]
async fn always_is_kept_in_the_local_settings_with_the_rule_that_was_shown() {
    let bench = Bench::new();
    let asked = bench.fetch("https://a.org/x");
    let names: Vec<String> =
        bench.questions.open().unwrap().options.into_iter().map(|option| option.name).collect();
    assert_eq!(
        names,
        [
            "Allow once",
            "Allow WebFetch(domain:a.org) in this session",
            "Always allow WebFetch(domain:a.org)",
            "Deny",
            "Deny, and say why…"
        ]
    );
    bench.answer(&PermissionAnswer::of("save"));
    assert_eq!(asked.await, Permission::Granted);
    let saved: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(bench.settings()).unwrap()).unwrap();
    assert_eq!(saved["permissions"]["allow"], json!(["WebFetch(domain:a.org)"]));
    assert_eq!(bench.fetch("https://a.org/y").await, Permission::Granted);
}

#[tokio::test]
async fn a_rule_that_can_not_be_kept_holds_for_the_session_and_is_told() {
    let mut bench = Bench::new();
    std::fs::create_dir(bench.settings().parent().unwrap()).unwrap();
    let asked = bench.fetch("https://a.org/x");
    std::fs::write(bench.settings(), "{ no").unwrap();
    bench.answer(&PermissionAnswer::of("save"));
    assert_eq!(asked.await, Permission::Granted);
    assert_eq!(std::fs::read_to_string(bench.settings()).unwrap(), "{ no");
    let lines = bench.lines().join("\n");
    assert!(lines.contains("can't be saved") && lines.contains("no JSON"), "{lines}");
}

#[tokio::test]
async fn what_breaks_while_a_session_runs_is_told_once_and_asked_about() {
    let mut bench = Bench::new();
    std::fs::create_dir(bench.settings().parent().unwrap()).unwrap();
    std::fs::write(bench.settings(), "{ no").unwrap();
    drop(bench.fetch("https://a.org/x"));
    drop(bench.fetch("https://a.org/y"));
    let told = bench.lines().iter().filter(|line| line.contains("settings.local.json is no JSON")).count();
    assert_eq!(told, 1);
}

#[tokio::test]
async fn a_changed_input_runs_instead_and_grants_nothing() {
    let bench = Bench::new();
    let asked = bench.fetch("https://a.org/x");
    let updated_input = Some(json!({"url": "https://a.org/safe"}));
    bench.answer(&PermissionAnswer { updated_input, ..PermissionAnswer::of("session") });
    assert_eq!(asked.await, Permission::Changed(json!({"url": "https://a.org/safe"})));
    drop(bench.fetch("https://a.org/x"));
    assert_eq!(bench.questions.policy().rules.len(), 0);
}

#[tokio::test]
async fn denials_are_listed_and_may_end_the_task() {
    let bench = Bench::new();
    let asked = bench.fetch("https://a.org/x");
    bench.answer(&PermissionAnswer { interrupt: true, ..PermissionAnswer::of("no") });
    assert!(matches!(asked.await, Permission::Interrupted(_)));
    let denials = bench.questions.take_denials();
    assert_eq!(
        denials.iter().map(|denial| (denial.tool.as_str(), denial.input["url"].as_str())).collect::<Vec<_>>(),
        [("WebFetch", Some("https://a.org/x"))]
    );
    assert_eq!(bench.questions.take_denials(), []);
}

#[tokio::test]
async fn another_mode_answers_what_need_not_be_asked_any_more() {
    let bench = Bench::new();
    let asked = bench.fetch("https://a.org/x");
    bench.questions.mode().set(PermissionMode::DontAsk).unwrap();
    bench.questions.mode_changed();
    assert!(matches!(asked.await, Permission::Denied(why) if why.contains("nobody is asked")));
    assert_eq!(bench.questions.open(), None);
}

#[tokio::test]
async fn what_else_an_answer_changes_counts_from_then_on() {
    let mut bench = Bench::new();
    let rules = |how, behavior, spec: &str, keep| {
        let rule = Rule { tool: "WebFetch".into(), spec: Some(spec.into()) };
        PermissionUpdate { what: Update::Rules { how, behavior, rules: vec![rule] }, keep }
    };
    let asked = bench.fetch("https://a.org/x");
    let behind = bench.fetch("https://b.org/x");
    let updates = vec![
        rules(How::Add, Behavior::Allow, "domain:b.org", Keep::Session),
        rules(How::Add, Behavior::Deny, "domain:c.org", Keep::File(SettingsFile::Project)),
        PermissionUpdate { what: Update::Mode(PermissionMode::AcceptEdits), keep: Keep::Session },
        PermissionUpdate { what: Update::Mode(PermissionMode::Plan), keep: Keep::File(SettingsFile::User) },
        PermissionUpdate {
            what: Update::Folders { how: How::Add, folders: vec!["/nonexistent/folder".into()] },
            keep: Keep::Session,
        },
    ];
    bench.answer(&PermissionAnswer { updates, ..PermissionAnswer::of("once") });
    assert_eq!((asked.await, behind.await), (Permission::Granted, Permission::Granted));
    assert!(matches!(bench.fetch("https://c.org/x").await, Permission::Denied(_)));
    assert_eq!(bench.questions.mode().get(), PermissionMode::AcceptEdits);
    let saved = std::fs::read_to_string(bench.folder.path().join(".claude/settings.json")).unwrap();
    let saved: serde_json::Value = serde_json::from_str(&saved).unwrap();
    assert_eq!(saved["permissions"]["deny"], json!(["WebFetch(domain:c.org)"]));
    let lines = bench.lines().join("\n");
    assert!(
        lines.contains("takes new rules only") && lines.contains("no folder /nonexistent/folder"),
        "{lines}"
    );

    let asked = bench.fetch("https://a.org/x");
    let updates = vec![rules(How::Remove, Behavior::Allow, "domain:b.org", Keep::Session)];
    bench.answer(&PermissionAnswer { updates, ..PermissionAnswer::of("once") });
    assert_eq!(asked.await, Permission::Granted);
    drop(bench.fetch("https://b.org/x"));
    assert_eq!(bench.lines().last().map(String::as_str), Some("resolved by nobody"), "it was asked again");
}
