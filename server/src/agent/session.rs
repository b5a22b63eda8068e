//! Conversations: one actor each, started, fed, cancelled and answered through `Sessions`.

mod actor;
mod hub;
mod pool;
mod prompt;
mod questions;
mod token_words;
mod transcript;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use camino::Utf8PathBuf;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use self::actor::Session;
use self::hub::Hub;
use super::params::Limits;
use super::{Clock, Cost, Hooks, SessionUpdate, Spending};
use crate::config::{ContextSettings, Prices};
use crate::config::{ToolMode, ToolSearchChoice};
use crate::conversation::{ContentBlock, SessionId, TaskId};
use crate::documents::{AbsPath, FileStateCache, Workspace};
use crate::editor::{Editor, Range};
use crate::models::Provider;
use crate::permissions::{Beginning, PermissionAnswer, PermissionMode, PermissionRequest, RuleBook, TrustBy};
use crate::review::DeskHandle;
use crate::shell::{Shell, ShellSettings};
use crate::tools::Tools;

/// All sessions of this server. Cheap to clone; nothing here waits.
#[derive(Clone)]
pub struct Sessions {
    deps: Arc<SessionDeps>,
    hub: Arc<Hub>,
    all: Arc<Mutex<Vec<Arc<Session>>>>,
    cancel: CancellationToken,
}

/// What every session works with.
pub struct SessionDeps {
    pub provider: Arc<dyn Provider>,
    /// Asked in its stead, in this order, where it can't answer: for the rest of a task each.
    pub fallbacks: Vec<Arc<dyn Provider>>,
    /// For titles and summaries that nobody waits for.
    pub small: Option<Arc<dyn Provider>>,
    pub prices: Arc<Prices>,
    pub hooks: Arc<dyn Hooks>,
    pub documents: Arc<FileStateCache>,
    pub desk: DeskHandle,
    pub workspace: Arc<Workspace>,
    pub tools: Tools,
    pub tool_setup: ToolSetup,
    pub editor: Arc<dyn Editor>,
    pub permissions: PermissionSetup,
    /// As the editor calls itself; empty if it has not said.
    pub editor_name: String,
    pub limits: Limits,
    pub context: ContextSettings,
    pub shell: ShellDeps,
    /// Where sessions of this workspace keep what outlives a request; `None`: nowhere.
    pub state_folder: Option<Utf8PathBuf>,
    pub clock: Clock,
}

/// What the calls of a new session are judged by.
#[derive(Clone, Debug)]
pub struct PermissionSetup {
    pub beginning: Beginning,
    /// The rules that are written down.
    pub book: RuleBook,
    pub home: Option<AbsPath>,
    /// Where plans are written.
    pub plans: Option<AbsPath>,
    /// How the person can trust the folder.
    pub trust_by: TrustBy,
}

/// Which tools a session has, and how its model is told of them.
#[derive(Clone, Copy, Debug, Default)]
pub struct ToolSetup {
    pub mode: ToolMode,
    pub search: ToolSearchChoice,
    /// Whether the web is searched; `None`: where the model's service is known to do it.
    pub web_search: Option<bool>,
}

impl Default for PermissionSetup {
    /// No rules, in the default mode.
    fn default() -> Self {
        let beginning = Beginning::new(None, None, false);
        Self { beginning, book: RuleBook::empty(), home: None, plans: None, trust_by: TrustBy::default() }
    }
}

/// What the shells of all sessions work with.
#[derive(Clone)]
pub struct ShellDeps {
    pub settings: Arc<ShellSettings>,
    /// The roots of the workspace, links followed.
    pub roots: Vec<Utf8PathBuf>,
    /// Each session has a folder of its own in it.
    pub folder: Utf8PathBuf,
}

impl ShellDeps {
    fn shell(&self, session: &SessionId) -> Shell {
        Shell::new(self.settings.clone(), self.roots.clone(), self.folder.join(session.as_str()))
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct StartTask {
    /// `None`: a new session.
    pub session: Option<SessionId>,
    pub prompt: Vec<ContentBlock>,
    pub context: Option<TaskContext>,
    /// Tokens that the user wants spent on it; the prompt may say it too.
    pub token_budget: Option<u64>,
}

/// Where the user stood when the task was started.
#[derive(Clone, Debug, PartialEq)]
pub struct TaskContext {
    pub path: AbsPath,
    /// Zero-based lines, half-open, of the buffer as the user has it; empty for a bare cursor.
    pub range: Option<Range>,
    /// Diagnostics the user pointed at: `line: message`.
    pub diagnostics: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sent {
    pub task: TaskId,
    /// Put into the running task rather than started.
    pub queued: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct SessionInfo {
    pub session: SessionId,
    /// First words of the first prompt.
    pub title: String,
    pub state: SessionState,
    pub model: String,
    pub offline: bool,
    pub mode: PermissionMode,
    /// So far, by model.
    pub spent: Spending,
    /// `None`: nothing was spent.
    pub cost: Option<Cost>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionState {
    Idle,
    Running,
    /// For the person.
    Waiting,
}

impl Sessions {
    /// Must be called within a tokio runtime, as everything here.
    pub fn new(deps: SessionDeps) -> Self {
        Self {
            deps: Arc::new(deps),
            hub: Arc::default(),
            all: Arc::default(),
            cancel: CancellationToken::new(),
        }
    }

    /// Starts a task and returns at once. In a session that is running a task, the prompt is put into that one. A session
    /// that is not known is made anew under a new name.
    pub fn start(&self, task: StartTask) -> (SessionId, TaskId) {
        let known = task.session.as_ref().and_then(|id| self.session(id));
        send_to(&known.unwrap_or_else(|| self.keep(self.made())), task)
    }

    /// As `start`, in this mode from now on. An error is text for a person, and nothing was started.
    pub fn start_in(&self, task: StartTask, mode: PermissionMode) -> Result<(SessionId, TaskId), String> {
        let known = task.session.as_ref().and_then(|id| self.session(id));
        let session = known.clone().unwrap_or_else(|| self.made());
        session.set_mode(mode)?;
        if known.is_none() {
            self.keep(session.clone());
        }
        Ok(send_to(&session, task))
    }

    /// Queued into the running task of the session, else starts one. `None`: no such session.
    pub fn send(&self, session: &SessionId, prompt: Vec<ContentBlock>) -> Option<Sent> {
        let session = self.session(session)?;
        Some(session.send(prompt::Prompt { content: prompt, context: None, token_budget: None }))
    }

    /// Changes how much is asked in a session, from its next call on. `None`: no such session. An error is text for a
    /// person.
    pub fn set_mode(&self, session: &SessionId, mode: PermissionMode) -> Option<Result<(), String>> {
        self.session(session).map(|session| session.set_mode(mode))
    }

    /// Puts a summary in the place of the session's conversation, behind the running task if there is one. `instructions`:
    /// what matters in it; may be empty. `None`: no such session.
    pub fn compact(&self, session: &SessionId, instructions: &str) -> Option<Sent> {
        Some(self.session(session)?.send(prompt::Prompt::for_summary(instructions)))
    }

    /// Ends the commands of a session that run in the background, once what they changed is proposed, and gives them.
    /// `None`: no such session.
    pub async fn end_commands(&self, session: &SessionId) -> Option<Vec<Arc<crate::shell::Task>>> {
        let session = self.session(session)?;
        Some(session.shell().end_background().await)
    }

    /// Whether there was such a running task. Its Terminal follows.
    pub fn cancel(&self, task: &TaskId) -> bool {
        self.sessions().iter().any(|session| session.cancel(task))
    }

    /// Removes what the commands of all sessions needed, since the program is about to end. What takes longer than `most` is
    /// left to the next program.
    pub async fn leave(&self, most: std::time::Duration) {
        let sessions: Vec<Arc<Session>> = self.sessions().clone();
        let leaving = sessions.iter().map(|session| session.shell().leave());
        let _ = tokio::time::timeout(most, futures::future::join_all(leaving)).await;
    }

    /// Cancels every running task, and what was queued behind it.
    pub fn cancel_all(&self) {
        for session in self.sessions().iter() {
            session.cancel_everything();
        }
    }

    /// Whether that question was still open.
    pub fn answer(&self, request_id: &str, answer: PermissionAnswer) -> bool {
        self.sessions().iter().any(|session| session.questions().answer(request_id, &answer))
    }

    /// The questions that are open now, oldest session first: one a session at a time.
    pub fn open_questions(&self) -> Vec<(SessionId, PermissionRequest)> {
        self.sessions()
            .iter()
            .filter_map(|session| Some((session.id().clone(), session.questions().open()?)))
            .collect()
    }

    /// Oldest first.
    pub fn list(&self) -> Vec<SessionInfo> {
        self.sessions().iter().map(|session| session.info()).collect()
    }

    /// Every update from now on, in order.
    pub fn subscribe(&self) -> mpsc::UnboundedReceiver<SessionUpdate> {
        self.hub.subscribe()
    }

    fn session(&self, id: &SessionId) -> Option<Arc<Session>> {
        self.sessions().iter().find(|session| session.id() == id).cloned()
    }

    fn made(&self) -> Arc<Session> {
        Session::new(self.deps.clone(), self.hub.clone(), self.cancel.child_token())
    }

    fn keep(&self, session: Arc<Session>) -> Arc<Session> {
        self.sessions().push(session.clone());
        session
    }

    fn sessions(&self) -> MutexGuard<'_, Vec<Arc<Session>>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn send_to(session: &Arc<Session>, task: StartTask) -> (SessionId, TaskId) {
    let sent = session.send(prompt::Prompt {
        content: task.prompt,
        context: task.context,
        token_budget: task.token_budget,
    });
    (session.id().clone(), sent.task)
}

#[cfg(test)]
mod tests;
