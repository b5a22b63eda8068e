//! Sessions as the doors use them: start, send, cancel, answer, and what their listeners see.

use serde_json::json;

use super::*;
use crate::agent::fixture::{Does, Piece, ScriptedModel, TestTool, clock, line, text, tool, tools};
use crate::agent::{LoopEvent, NoHooks, SessionEvent, TerminalReason};
use crate::editor::Position;
use crate::models::{ModelErrorKind, ModelRequest};
use crate::review::{Decide, Decision, Target};
use crate::tools::fixture::Fixture;
use crate::tools::{Edit, Read, Tool};

/// What comes at once unless there is a fault: a test must not hang on it.
async fn soon<T>(coming: impl Future<Output = T>) -> T {
    tokio::time::timeout(std::time::Duration::from_secs(20), coming).await.expect("nothing comes")
}

/// A server's sessions with a scripted model, and one listener.
struct Stage {
    sessions: Sessions,
    updates: mpsc::UnboundedReceiver<SessionUpdate>,
    model: Arc<ScriptedModel>,
    fixture: Fixture,
}

fn deps(fixture: &Fixture, model: Arc<ScriptedModel>, tools: Tools) -> SessionDeps {
    SessionDeps {
        provider: model,
        fallbacks: Vec::new(),
        small: None,
        prices: Arc::default(),
        hooks: Arc::new(NoHooks),
        documents: fixture.documents.clone(),
        desk: fixture.desk.clone(),
        workspace: fixture.workspace.clone(),
        tools,
        permissions: PermissionSetup::default(),
        tool_setup: ToolSetup::default(),
        editor: fixture.editor.clone(),
        editor_name: "Helix".into(),
        limits: Limits::default(),
        context: ContextSettings::default(),
        shell: ShellDeps {
            settings: Arc::new(crate::tools::fixture::no_walls()),
            roots: vec![fixture.root.as_path().to_owned()],
            folder: fixture.outside("state").as_path().to_owned(),
        },
        state_folder: None,
        clock: clock(),
    }
}

impl Stage {
    fn new(script: Vec<Vec<Piece>>, files: &[(&str, &str)]) -> Self {
        let tools = tools();
        Self::with_tools(script, files, tools)
    }

    fn with_tools(script: Vec<Vec<Piece>>, files: &[(&str, &str)], tools: Tools) -> Self {
        let fixture = Fixture::new(files);
        let model = ScriptedModel::new(script);
        let sessions = Sessions::new(deps(&fixture, model.clone(), tools));
        let updates = sessions.subscribe();
        Self { sessions, updates, model, fixture }
    }

    fn start(&self, words: &str) -> (SessionId, TaskId) {
        let prompt = vec![ContentBlock::text(words)];
        self.sessions.start(StartTask { session: None, prompt, context: None, token_budget: None })
    }

    /// The lines up to and with the one that begins with `until`.
    async fn lines(&mut self, until: &str) -> Vec<String> {
        let mut lines = Vec::new();
        while let Some(update) = soon(self.updates.recv()).await {
            if let Some(line) = line(&update.event) {
                let last = line.starts_with(until);
                lines.push(line);
                if last {
                    break;
                }
            }
        }
        lines
    }

    fn last_words(&self) -> Vec<ContentBlock> {
        let requests: Vec<ModelRequest> = self.model.requests();
        requests.last().unwrap().messages.last().unwrap().content.clone()
    }
}

#[tokio::test]
async fn a_task_is_started_told_and_ended() {
    let mut stage = Stage::new(vec![vec![text("hello")]], &[]);
    let (session, task) = stage.start("say hello to everybody");
    assert_eq!(stage.sessions.list()[0].state, SessionState::Running);
    let mut seen = Vec::new();
    loop {
        let update = soon(stage.updates.recv()).await.expect("more events");
        assert_eq!((&update.session, &update.task, update.seq), (&session, &task, seen.len() as u64));
        let idle =
            matches!(&update.event, SessionEvent::SessionChanged(info) if info.state == SessionState::Idle);
        seen.push(update);
        if idle {
            break;
        }
    }
    let lines: Vec<String> = seen.iter().filter_map(|update| line(&update.event)).collect();
    assert_eq!(lines, ["user say hello to everybody", "request 1", "model hello", "done completed after 1"]);
    let info = &stage.sessions.list()[0];
    assert_eq!((info.title.as_str(), info.model.as_str()), ("say hello to everybody", "scripted"));
    assert_eq!((info.spent.total().input_tokens, info.spent.total().output_tokens), (10, 1));
}

#[tokio::test]
async fn a_session_survives_a_model_error_and_goes_on() {
    let script = vec![vec![Piece::Fail(ModelErrorKind::Overloaded)], vec![text("now")]];
    let mut stage = Stage::new(script, &[]);
    let (session, _) = stage.start("first");
    stage.lines("done model_error").await;
    let sent = stage.sessions.send(&session, vec![ContentBlock::text("second")]).expect("a session");
    stage.lines("done completed").await;
    assert!(!sent.queued || stage.model.requests().len() == 2);
    assert_eq!(stage.last_words()[1..], [ContentBlock::text("first"), ContentBlock::text("second")]);
}

#[tokio::test]
async fn a_user_has_the_conversation_summarised_and_goes_on() {
    let script = vec![vec![text("hello")], vec![text("<summary>1. Greetings</summary>")], vec![text("fine")]];
    let mut stage = Stage::new(script, &[]);
    let (session, _) = stage.start("hi");
    stage.lines("done completed").await;
    stage.sessions.send(&session, vec![ContentBlock::text("/compact mind the tests")]).expect("a session");
    let lines = stage.lines("done completed").await;
    assert_eq!(lines.first().map(String::as_str), Some("compaction Started"), "{lines:?}");
    stage.sessions.send(&session, vec![ContentBlock::text("and now?")]).expect("a session");
    stage.lines("done completed").await;
    let words = format!("{:?}", stage.last_words());
    assert!(words.contains("1. Greetings") && words.contains("and now?"), "{words}");
    assert!(!words.contains("hello") && !words.contains("/compact"), "{words}");
}

#[tokio::test]
async fn a_user_who_asks_what_the_conversation_takes_is_told_without_a_model() {
    let mut stage = Stage::new(vec![vec![text("hello")], vec![text("fine")]], &[]);
    let (session, _) = stage.start("hi");
    stage.lines("done completed").await;
    stage.sessions.send(&session, vec![ContentBlock::text("/context")]).expect("a session");
    let end = loop {
        let update = soon(stage.updates.recv()).await.expect("more events");
        if let SessionEvent::Loop(LoopEvent::Done(end)) = update.event {
            break end;
        }
    };
    let told = end.message.expect("a word for the person");
    assert!(told.contains("by an estimate") && told.contains("of the 200000 of its model"), "{told}");
    stage.sessions.send(&session, vec![ContentBlock::text("and now?")]).expect("a session");
    stage.lines("done completed").await;
    assert_eq!(stage.model.requests().len(), 2, "the model was not asked for it");
    assert!(!format!("{:?}", stage.last_words()).contains("/context"));
}

#[tokio::test]
async fn a_summary_that_is_wanted_while_a_task_runs_is_made_behind_it() {
    let script = vec![
        vec![tool("t1", "Ask", json!({}))],
        vec![text("looked")],
        vec![text("<summary>1. A look</summary>")],
        vec![text("fine")],
    ];
    let mut stage = Stage::new(script, &[]);
    let (session, task) = stage.start("look");
    stage.lines("asked").await;
    let sent = stage.sessions.compact(&session, "mind the tests").expect("a session");
    assert_eq!(sent, Sent { task, queued: true });
    stage.sessions.send(&session, vec![ContentBlock::text("and now?")]).expect("a session");
    let (_, request) = stage.sessions.open_questions().pop().expect("an open question");
    stage.sessions.answer(&request.id, PermissionAnswer::of("once"));
    let lines = [stage.lines("done").await, stage.lines("done").await, stage.lines("done").await];
    assert_eq!(lines[0].last().map(String::as_str), Some("done completed after 2"), "{lines:?}");
    assert_eq!(lines[1].first().map(String::as_str), Some("compaction Started"), "{lines:?}");
    assert_eq!(lines[2].first().map(String::as_str), Some("user and now?"), "{lines:?}");
    let question = format!("{:?}", stage.model.requests()[2].messages.last());
    assert!(question.contains("mind the tests"), "{question}");
    assert_eq!(stage.sessions.compact(&SessionId("s_0".into()), ""), None);
}

#[tokio::test]
async fn a_cancelled_task_leaves_a_conversation_that_goes_on() {
    let script = vec![vec![tool("t1", "Act", json!({})), tool("t2", "Hang", json!({}))], vec![text("fine")]];
    let mut stage = Stage::new(script, &[]);
    let (session, task) = stage.start("go");
    stage.lines("call t2 InProgress").await;
    assert!(stage.sessions.cancel(&task));
    stage.lines("done aborted_tools").await;
    stage.sessions.send(&session, vec![ContentBlock::text("stop, do X")]).expect("a session");
    stage.lines("done completed").await;
    assert!(!stage.sessions.cancel(&task), "a second cancel is harmless");
    let words = stage.last_words();
    let [
        ContentBlock::ToolResult { is_error: false, .. },
        ContentBlock::ToolResult { is_error: true, .. },
        rest @ ..,
    ] = words.as_slice()
    else {
        panic!("two results first: {words:?}")
    };
    let interrupted = ContentBlock::text("[The user interrupted the task here.]");
    assert_eq!(rest, [interrupted, ContentBlock::text("stop, do X")]);
}

#[tokio::test]
async fn what_is_sent_while_tools_run_is_delivered_with_their_results() {
    let script = vec![vec![tool("t1", "Ask", json!({}))], vec![text("both")]];
    let mut stage = Stage::new(script, &[]);
    let (session, task) = stage.start("one");
    stage.lines("asked Read /elsewhere/x").await;
    let sent = stage.sessions.send(&session, vec![ContentBlock::text("two")]).expect("a session");
    assert_eq!(sent, Sent { task, queued: true });
    let (asked_in, request) = stage.sessions.open_questions().pop().expect("an open question");
    assert_eq!(asked_in, session);
    assert_eq!(stage.sessions.list()[0].state, SessionState::Waiting);
    let once = PermissionAnswer::of("once");
    assert!(stage.sessions.answer(&request.id, once.clone()));
    assert!(!stage.sessions.answer(&request.id, once));
    let lines = stage.lines("done").await;
    assert_eq!(
        lines,
        [
            "resolved once",
            "call t1 InProgress",
            "call t1 Completed",
            "user t1: {}",
            "user two",
            "transition next_turn",
            "request 2",
            "model both",
            "done completed after 2",
        ]
    );
}

#[tokio::test]
async fn what_is_left_when_a_task_ends_is_the_next_task() {
    let mut stage = Stage::new(vec![vec![Piece::Stall], vec![text("second")]], &[]);
    let (session, task) = stage.start("one");
    stage.lines("request 1").await;
    stage.sessions.send(&session, vec![ContentBlock::text("two")]).expect("a session");
    stage.sessions.cancel(&task);
    let lines = stage.lines("done completed").await;
    assert_eq!(
        lines,
        [
            "user [The user interrupted the task here.]",
            "done aborted_streaming after 1",
            "user two",
            "request 1",
            "model second",
            "done completed after 1",
        ]
    );
}

#[tokio::test]
async fn a_denied_call_leaves_the_others_alone() {
    let calls = ["t1", "t2", "t3"].map(|id| tool(id, "Ask", json!({"at": id}))).to_vec();
    let mut stage = Stage::new(vec![calls], &[]);
    stage.start("go");
    let mut lines = Vec::new();
    for option in ["once", "no", "once"] {
        lines.extend(stage.lines("asked").await);
        let (_, request) = stage.sessions.open_questions().pop().expect("an open question");
        let feedback = Some("leave it".to_owned());
        assert!(
            stage.sessions.answer(&request.id, PermissionAnswer { feedback, ..PermissionAnswer::of(option) })
        );
    }
    lines.extend(stage.lines("done").await);
    let results: Vec<&String> = lines.iter().filter(|line| line.starts_with("user t")).collect();
    assert_eq!(
        results,
        [
            "user t1: {\"at\":\"t1\"}",
            "user t2 failed: The user rejected this call, so it was not run. They say: leave it",
            "user t3: {\"at\":\"t3\"}",
        ]
    );
}

#[tokio::test]
async fn what_the_user_made_of_a_call_is_checked_and_runs() {
    let calls = ["t1", "t2"].map(|id| tool(id, "Ask", json!({"at": id}))).to_vec();
    let mut stage = Stage::new(vec![calls], &[]);
    stage.start("go");
    let mut lines = Vec::new();
    for changed in [json!({"at": "mine"}), json!(["no object"])] {
        lines.extend(stage.lines("asked").await);
        let (_, request) = stage.sessions.open_questions().pop().expect("an open question");
        let answer = PermissionAnswer { updated_input: Some(changed), ..PermissionAnswer::of("once") };
        assert!(stage.sessions.answer(&request.id, answer));
    }
    lines.extend(stage.lines("done").await);
    let results: Vec<&String> = lines.iter().filter(|line| line.starts_with("user t")).collect();
    assert_eq!(
        results,
        [
            "user t1: The user changed the input before they allowed the call. What ran: {\"at\":\"mine\"}|{\"at\":\"mine\"}",
            "user t2 failed: The user changed the input of this call to one that can't run: the input is no object",
        ]
    );
}

#[tokio::test]
async fn a_denial_that_interrupts_ends_the_task() {
    let mut stage = Stage::new(vec![vec![tool("t1", "Ask", json!({}))]], &[]);
    stage.start("go");
    stage.lines("asked").await;
    let (_, request) = stage.sessions.open_questions().pop().expect("an open question");
    let answer = PermissionAnswer { interrupt: true, ..PermissionAnswer::of("no") };
    assert!(stage.sessions.answer(&request.id, answer));
    let lines = stage.lines("done").await;
    assert_eq!(lines.last().map(String::as_str), Some("done aborted_tools after 1"));
}

#[tokio::test]
async fn the_place_of_the_user_is_quoted_and_counts_as_read() {
    let read: Arc<dyn Tool> = Arc::new(Read);
    let script = vec![vec![tool("t1", "Read", json!({"file_path": "a.rs", "offset": 2, "limit": 1}))]];
    let mut stage = Stage::with_tools(script, &[("a.rs", "one\ntwo\nthree\n")], Tools::new(vec![read]));
    stage.fixture.open("a.rs", "one\nunsaved\nthree\n");
    let cursor = Position::new(1, 3);
    let context = TaskContext {
        path: stage.fixture.path("a.rs"),
        range: Some(Range::new(cursor, cursor)),
        diagnostics: Vec::new(),
    };
    let prompt = vec![ContentBlock::text("explain")];
    stage.sessions.start(StartTask { session: None, prompt, context: Some(context), token_budget: None });
    let lines = stage.lines("done").await;
    assert_eq!(
        lines[0],
        "user explain + <editor-context path=\"a.rs\" lines=\"2-2\">\nunsaved\n</editor-context>"
    );
    let result = lines.iter().find(|line| line.starts_with("user t1")).expect("a result");
    assert!(result.contains("unchanged since you last read these lines"), "{result}");
}

/// Lets the call that asks go on.
async fn allow(stage: &mut Stage) {
    stage.lines("asked").await;
    let (_, request) = stage.sessions.open_questions().pop().expect("an open question");
    let once = PermissionAnswer::of("once");
    assert!(stage.sessions.answer(&request.id, once));
}

#[tokio::test]
async fn a_change_of_a_file_that_was_read_is_told_once() {
    let read = tool("t1", "Read", json!({"file_path": "a.rs"}));
    let ask = |id: &str| vec![tool(id, "Ask", json!({}))];
    let script = vec![vec![read], ask("t2"), ask("t3"), vec![text("done")]];
    let all: Vec<Arc<dyn Tool>> = vec![Arc::new(Read), Arc::new(TestTool::new(Does::Ask))];
    let mut stage = Stage::with_tools(script, &[("a.rs", "one\ntwo\n")], Tools::new(all));
    stage.start("go");
    stage.lines("call t2 Pending").await;
    stage.fixture.write("a.rs", "one\n2\n");
    allow(&mut stage).await;
    allow(&mut stage).await;
    let lines = stage.lines("done").await;
    assert_eq!(lines.iter().filter(|line| line.starts_with("attachment")).count(), 0, "{lines:?}");
    let requests = stage.model.requests();
    let told = |request: &ModelRequest| format!("{:?}", request.messages.last()).matches("-two\\n+2").count();
    assert_eq!(requests.iter().map(told).collect::<Vec<_>>(), [0, 0, 1, 0]);
}

#[tokio::test]
async fn a_change_between_the_reading_of_a_file_and_its_first_edit_is_told_once() {
    let edit = |id: &str, old: &str, new: &str| {
        tool(id, "Edit", json!({"file_path": "a.rs", "old_string": old, "new_string": new}))
    };
    let both = || vec![edit("t4", "one", "1"), edit("t5", "six", "6")];
    let after_another =
        |edits: Vec<Piece>| vec![tool("t3", "Ask", json!({}))].into_iter().chain(edits).collect();
    for edits in [vec![edit("t4", "one", "1")], both()] {
        let script = vec![
            vec![tool("t1", "Read", json!({"file_path": "a.rs"}))],
            after_another(edits),
            vec![tool("t6", "Ask", json!({}))],
            vec![edit("t7", "1", "eins")],
            vec![text("done")],
        ];
        let all: Vec<Arc<dyn Tool>> =
            vec![Arc::new(Read), Arc::new(Edit), Arc::new(TestTool::new(Does::Ask))];
        let files = [("a.rs", "one\ntwo\nthree\nfour\nfive\nsix\n")];
        let mut stage = Stage::with_tools(script, &files, Tools::new(all));
        stage.start("go");
        stage.lines("call t3 Pending").await;
        stage.fixture.write("a.rs", "one\ntwo\nthree\nUSER\nfive\nsix\n");
        allow(&mut stage).await;
        allow(&mut stage).await;
        stage.lines("done").await;
        let requests = stage.model.requests();
        let told = |words: &str| {
            let of = |request: &ModelRequest| format!("{:?}", request.messages.last()).matches(words).count();
            requests.iter().map(of).collect::<Vec<_>>()
        };
        assert_eq!(told("-four\\n+USER"), [0, 0, 1, 0, 0]);
        assert_eq!(told("was changed by"), [0, 0, 1, 0, 0]);
    }
}

#[tokio::test]
async fn what_the_user_decided_is_told_before_the_next_request() {
    let read = tool("t1", "Read", json!({"file_path": "a.rs"}));
    let edit = tool("t2", "Edit", json!({"file_path": "a.rs", "old_string": "two", "new_string": "zwei"}));
    let script = vec![vec![read], vec![edit], vec![text("proposed")], vec![text("understood")]];
    let all: Vec<Arc<dyn Tool>> = vec![Arc::new(Read), Arc::new(Edit)];
    let mut stage = Stage::with_tools(script, &[("a.rs", "one\ntwo\n")], Tools::new(all));
    let (session, _) = stage.start("go");
    stage.lines("done").await;
    let reject = Decision {
        decide: Decide::Reject { reason: Some("English, please".into()) },
        target: Target::All { session: Some(session.clone()) },
    };
    stage.fixture.desk.decide(reject).await;
    stage.sessions.send(&session, vec![ContentBlock::text("and now?")]).expect("a session");
    stage.lines("done").await;
    let words = format!("{:?}", stage.last_words());
    assert!(words.contains("REJECTED in a.rs: change `two` to `zwei`"), "{words}");
    assert!(words.contains("The user's reason: English, please"), "{words}");
    assert!(!words.contains("was changed by"), "{words}");
}

#[tokio::test]
async fn cancelling_everything_ends_everything() {
    let mut stage = Stage::new(vec![vec![Piece::Stall]], &[]);
    let (session, _) = stage.start("one");
    stage.lines("request 1").await;
    stage.sessions.send(&session, vec![ContentBlock::text("two")]).expect("a session");
    stage.sessions.cancel_all();
    loop {
        let update = soon(stage.updates.recv()).await.expect("more events");
        if let SessionEvent::Loop(LoopEvent::Done(terminal)) = &update.event {
            assert_eq!(terminal.reason, TerminalReason::AbortedStreaming);
        }
        if matches!(&update.event, SessionEvent::SessionChanged(info) if info.state == SessionState::Idle) {
            break;
        }
    }
    assert_eq!(stage.model.requests().len(), 1);
    assert_eq!(stage.sessions.send(&SessionId("s_none".into()), Vec::new()), None);
}

#[tokio::test]
async fn a_small_model_names_the_session_and_what_it_took_is_counted() {
    let fixture = Fixture::new(&[]);
    let model = ScriptedModel::new(vec![vec![text("hello")]]);
    let mut deps = deps(&fixture, model.clone(), tools());
    deps.small = Some(model.beside("small", vec![vec![text("Greeting **everybody**\nor so")]]));
    let sessions = Sessions::new(deps);
    let mut updates = sessions.subscribe();
    let prompt = vec![ContentBlock::text("say hello to everybody, please")];
    sessions.start(StartTask { session: None, prompt, context: None, token_budget: None });
    loop {
        let update = soon(updates.recv()).await.expect("more events");
        if let SessionEvent::SessionChanged(info) = update.event
            && info.title == "Greeting **everybody"
            && info.state == SessionState::Idle
        {
            let models: Vec<&str> = info.spent.by_model().map(|(model, _)| model).collect();
            assert_eq!(models, ["scripted", "small"]);
            assert_eq!(info.cost.expect("a cost").unknown, ["scripted", "small"]);
            break;
        }
    }
}

#[tokio::test]
async fn the_words_of_a_prompt_may_set_a_budget_of_tokens() {
    let mut stage = Stage::new(vec![vec![text("a"), Piece::Tokens(1_000)], vec![text("b")]], &[]);
    stage.start("use 1k tokens on this");
    assert!(!stage.lines("done").await.iter().any(|line| line.starts_with("transition")));
    let mut stage = Stage::new(vec![vec![text("a"), Piece::Tokens(1_000)], vec![text("b")]], &[]);
    stage.start("say hello +2k");
    assert!(stage.lines("done").await.contains(&"transition token_budget_continuation".to_owned()));
}
