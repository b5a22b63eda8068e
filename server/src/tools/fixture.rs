//! A small workspace for tests: files on disk, open buffers, a desk, and calls of tools as the executor makes them.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use futures::FutureExt as _;
use futures::future::BoxFuture;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::{Choice, Chosen, Person, Tool, ToolResult, ToolUseContext};
use crate::config::TrialTreeChoice;
use crate::conversation::{SessionId, ToolResultContent, ToolUseId};
use crate::documents::{AbsPath, FileStateCache, Seen, Workspace, from_path, text_of};
use crate::editor::PositionEncoding;
use crate::editor::fake::FakeEditor;
use crate::permissions::{Call, Policy, SessionMode, Verdict, decide};
use crate::review::{Decide, Decision, DeskHandle, Target};
use crate::shell::{Best, Caps, Limits, Network, Shell, ShellSettings, TextRule, Times};

pub(crate) struct Fixture {
    folder: tempfile::TempDir,
    pub(crate) root: AbsPath,
    pub(crate) workspace: Arc<Workspace>,
    pub(crate) documents: Arc<FileStateCache>,
    pub(crate) desk: DeskHandle,
    pub(crate) editor: Arc<FakeEditor>,
    pub(crate) seen: Arc<Seen>,
    pub(crate) session: SessionId,
    pub(crate) shell: Arc<Shell>,
    /// No rules until a test puts some in.
    pub(crate) policy: Policy,
}

/// A shell in a program that is no server: what a command needs to run is not there.
pub(crate) fn no_walls() -> ShellSettings {
    ShellSettings {
        program: "/nonexistent/copydesk".into(),
        home: None,
        own: Vec::new(),
        writable: Vec::new(),
        pass_through: Vec::new(),
        passed: Vec::new(),
        network: Network::None,
        times: Times::default(),
        limits: Limits::default(),
        caps: Caps::default(),
        text: TextRule { largest: 1 << 20, is_text: |bytes| text_of(bytes).is_some() },
        trial_tree: TrialTreeChoice::Auto,
        best: Best::ALL,
        largest_copy: 1 << 20,
    }
}

impl Fixture {
    /// A workspace `ws` with these files in it.
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = AbsPath::new(folder.path().canonicalize().unwrap().to_str().unwrap()).unwrap().join("ws");
        std::fs::create_dir(root.as_path()).unwrap();
        let workspace = Arc::new(Workspace::new(vec![root.clone()], false));
        let documents = Arc::new(FileStateCache::new());
        let (editor, _) = FakeEditor::new(PositionEncoding::Utf16);
        let editor = Arc::new(editor);
        let desk = DeskHandle::start(documents.clone(), workspace.clone(), editor.clone());
        let session = SessionId("s_1".into());
        let state = root.join("../state").as_path().to_owned();
        let shell = Arc::new(Shell::new(Arc::new(no_walls()), vec![root.as_path().to_owned()], state));
        let policy = Policy::of(workspace.clone());
        let seen = Arc::default();
        let fixture = Self { folder, root, workspace, documents, desk, editor, seen, session, shell, policy };
        for (name, text) in files {
            fixture.write(name, text);
        }
        fixture
    }

    /// A path inside the workspace.
    pub(crate) fn path(&self, name: &str) -> AbsPath {
        self.root.join(name)
    }

    /// A path beside the workspace.
    pub(crate) fn outside(&self, name: &str) -> AbsPath {
        AbsPath::new(self.folder.path().canonicalize().unwrap().to_str().unwrap()).unwrap().join(name)
    }

    /// Somebody else writes a file on disk.
    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap().as_path()).unwrap();
        std::fs::write(path.as_path(), text).unwrap();
    }

    pub(crate) fn on_disk(&self, name: &str) -> Option<String> {
        std::fs::read_to_string(self.path(name).as_path()).ok()
    }

    /// The editor opens a document with this text, saved or not.
    pub(crate) fn open(&self, name: &str, text: &str) {
        let opened = self.documents.open(&from_path(&self.path(name)), "text", 1, text).unwrap();
        self.desk.opened(opened);
    }

    /// The agent's side of a file; `None`: there is no file on it.
    pub(crate) async fn draft(&self, name: &str) -> Option<String> {
        let view = self.desk.agent_view(&self.session, &self.path(name)).await.ok()?;
        view.text.map(|text| text.to_string())
    }

    pub(crate) async fn decide(&self, name: &str, decide: Decide) {
        self.desk.decide(Decision { decide, target: Target::File(self.path(name)) }).await;
    }

    pub(crate) fn context(&self) -> ToolUseContext {
        ToolUseContext {
            session: self.session.clone(),
            tool_use_id: ToolUseId("toolu_1".into()),
            workspace: self.workspace.clone(),
            documents: self.documents.clone(),
            places: Arc::default(),
            desk: self.desk.clone(),
            seen: self.seen.clone(),
            messages: Arc::new([]),
            cancel: CancellationToken::new(),
            mode: SessionMode::default(),
            shell: self.shell.clone(),
            policy: Arc::new(self.policy.clone()),
            progress: Arc::new(|_| {}),
            plan: Arc::new(|_| {}),
            person: Answers::new(Vec::new()),
            editor: self.editor.clone(),
            small_model: None,
            searcher: None,
        }
    }

    /// What becomes of a call.
    pub(crate) fn verdict(&self, tool: &dyn Tool, input: Value) -> Verdict {
        let access = tool.access(&input, &self.context());
        let call = Call {
            tool: tool.name().to_owned(),
            aliases: tool.aliases(),
            title: tool.title(&input),
            is_read_only: tool.is_read_only(&input),
            input,
            access,
        };
        decide(&call, &self.policy)
    }

    /// Validates and runs a call: the text of its result, or of its error.
    pub(crate) async fn call(&self, tool: &dyn Tool, input: Value) -> Result<String, String> {
        tool.validate(&input).map_err(|error| error.0)?;
        let result = tool.call(input, self.context()).await.map_err(|error| error.0)?;
        Ok(said(&result))
    }
}

/// The text of a result that holds nothing else.
pub(crate) fn said(result: &ToolResult) -> String {
    let text = |content: &ToolResultContent| match content {
        ToolResultContent::Text(text) => text.clone(),
        other => panic!("no text: {other:?}"),
    };
    result.content.iter().map(text).collect::<Vec<_>>().join("\n")
}

/// A person who gives these answers, one after the other, and then declines.
pub(crate) struct Answers {
    answers: Mutex<VecDeque<Chosen>>,
    asked: Mutex<Vec<Choice>>,
}

impl Answers {
    pub(crate) fn new(answers: Vec<Chosen>) -> Arc<Self> {
        Arc::new(Self { answers: Mutex::new(answers.into()), asked: Mutex::default() })
    }

    pub(crate) fn asked(&self) -> Vec<Choice> {
        self.asked.lock().unwrap().clone()
    }
}

impl Person for Answers {
    fn choose(&self, choice: Choice) -> BoxFuture<'static, Chosen> {
        self.asked.lock().unwrap().push(choice);
        let answer = self.answers.lock().unwrap().pop_front().unwrap_or(Chosen::Declined(None));
        futures::future::ready(answer).boxed()
    }
}
