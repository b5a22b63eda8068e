//! The offline model at work in a real session, with the real tools and the real desk.

#![allow(clippy::expect_used, clippy::panic, reason = "a test that can't go on ends with its cause")]

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use copydesk::agent::{
    Limits, LoopEvent, NoHooks, PermissionSetup, SessionDeps, SessionEvent, Sessions, ShellDeps, StartTask,
    TaskContext, TerminalReason, ToolSetup,
};
use copydesk::config::{ContextSettings, TrialTreeChoice};
use copydesk::conversation::{ContentBlock, SessionId};
use copydesk::documents::{AbsPath, FileStateCache, Workspace};
use copydesk::editor::{ApplyReply, Editor, EditorFeatures, FileEdit, Loudness, Position, Range};
use copydesk::models::OfflineModel;
use copydesk::review::DeskHandle;
use copydesk::shell::{self, Best, Caps, ShellSettings, TextRule, Times};
use copydesk::tools::Tools;
use futures::future::{BoxFuture, FutureExt, ready};

/// An editor that shows nothing and answers nothing.
struct Nobody;

impl Editor for Nobody {
    fn features(&self) -> EditorFeatures {
        EditorFeatures::default()
    }

    fn apply_edit(&self, _edit: FileEdit) -> BoxFuture<'static, ApplyReply> {
        ready(ApplyReply { applied: false, reason: None }).boxed()
    }

    fn show_message(&self, _loudness: Loudness, _text: String) {}

    fn show_document(&self, _uri: String, _range: Option<Range>) {}

    fn ask(&self, _text: String, _choices: Vec<String>) -> BoxFuture<'static, Option<String>> {
        ready(None).boxed()
    }
}

/// The offline model runs no command.
fn no_shell() -> ShellDeps {
    let settings = ShellSettings {
        program: "/nonexistent/copydesk".into(),
        home: None,
        own: Vec::new(),
        writable: Vec::new(),
        pass_through: Vec::new(),
        passed: Vec::new(),
        network: shell::Network::None,
        times: Times::default(),
        limits: shell::Limits::default(),
        caps: Caps::default(),
        text: TextRule { largest: 0, is_text: |_| false },
        trial_tree: TrialTreeChoice::Auto,
        best: Best::ALL,
        largest_copy: 0,
    };
    ShellDeps { settings: Arc::new(settings), roots: Vec::new(), folder: "/nonexistent/state".into() }
}

/// A workspace with one file, and a session of the offline model in it.
struct Bench {
    _folder: tempfile::TempDir,
    file: AbsPath,
    desk: DeskHandle,
    sessions: Sessions,
    session: Option<SessionId>,
}

impl Bench {
    fn with(text: &str) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let root = AbsPath::new(folder.path().to_str().expect("UTF-8")).expect("absolute");
        std::fs::write(folder.path().join("a.rs"), text).expect("a file");
        let file = root.join("a.rs");
        let documents = Arc::new(FileStateCache::new());
        let workspace = Arc::new(Workspace::new(vec![root], false));
        let desk = DeskHandle::start(documents.clone(), workspace.clone(), Arc::new(Nobody));
        let sessions = Sessions::new(SessionDeps {
            fallbacks: Vec::new(),
            small: None,
            prices: Arc::default(),
            hooks: Arc::new(NoHooks),
            provider: Arc::new(OfflineModel::new(Duration::ZERO)),
            documents,
            desk: desk.clone(),
            workspace,
            tools: Tools::built_in(),
            tool_setup: ToolSetup::default(),
            editor: Arc::new(Nobody),
            shell: no_shell(),
            permissions: PermissionSetup::default(),
            editor_name: String::new(),
            limits: Limits::default(),
            context: ContextSettings::default(),
            state_folder: None,
            clock: Arc::new(SystemTime::now),
        });
        Self { _folder: folder, file, desk, sessions, session: None }
    }

    /// Runs `prompt` to its end, with the cursor on that zero-based line.
    async fn run(&mut self, prompt: &str, line: Option<u32>) -> &mut Self {
        let mut updates = self.sessions.subscribe();
        let context = line.map(|line| TaskContext {
            path: self.file.clone(),
            range: Some(Range::new(Position::new(line, 0), Position::new(line, 0))),
            diagnostics: Vec::new(),
        });
        let prompt = vec![ContentBlock::text(prompt)];
        let (session, _) = self.sessions.start(StartTask {
            session: self.session.clone(),
            prompt,
            context,
            token_budget: None,
        });
        self.session = Some(session);
        let terminal = loop {
            let update = tokio::time::timeout(Duration::from_secs(20), updates.recv()).await;
            if let SessionEvent::Loop(LoopEvent::Done(terminal)) =
                update.expect("in time").expect("an update").event
            {
                break terminal;
            }
        };
        assert_eq!(terminal.reason, TerminalReason::Completed, "{terminal:?}");
        self
    }

    /// Compares the file as the agent has it: with its pending changes. On disk nothing has changed.
    async fn check(&mut self, wanted: &str) -> &mut Self {
        let session = self.session.as_ref().expect("a session");
        let view = self.desk.agent_view(session, &self.file).await.expect("a view");
        assert_eq!(view.text.map(|text| text.to_string()).as_deref(), Some(wanted));
        self
    }
}

#[tokio::test]
async fn a_crlf_file_without_a_final_newline_changes_in_that_word_only() {
    let mut bench = Bench::with("fn load() {}");
    bench.run("rename load to open in a.rs", None).await.check("fn open() {}").await;
    let mut bench = Bench::with("fn load() {}\r\nfn main() {\r\n    load()\r\n}");
    bench
        .run("rename load to open in a.rs", None)
        .await
        .check("fn open() {}\r\nfn main() {\r\n    open()\r\n}")
        .await;
    assert_eq!(
        std::fs::read_to_string(bench.file.as_str()).expect("the file"),
        "fn load() {}\r\nfn main() {\r\n    load()\r\n}",
        "nobody accepted anything"
    );
}

#[tokio::test]
async fn what_the_prompt_shows_whole_needs_no_second_look() {
    Bench::with("fn load() {}\n").run("document", Some(0)).await.check("/// Load.\nfn load() {}\n").await;
}

#[tokio::test]
async fn one_task_goes_on_from_another() {
    let mut bench = Bench::with("fn a() {}\nfn b() {}\n");
    bench.run("rename a to c in a.rs", None).await.check("fn c() {}\nfn b() {}\n").await;
    bench.run("rename c to d in a.rs", Some(1)).await.check("fn d() {}\nfn b() {}\n").await;
    bench.run("delete line 1 in a.rs", None).await.check("fn b() {}\n").await;
}
