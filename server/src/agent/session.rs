//! Conversations: one actor each, started, fed, cancelled and answered through `Sessions`.

use tokio::sync::mpsc;

use super::SessionUpdate;
use crate::conversation::{ContentBlock, SessionId, TaskId, Usage};
use crate::documents::AbsPath;
use crate::editor::Range;
use crate::permissions::PermissionAnswer;

/// All sessions of this server. Cheap to clone; nothing here waits.
#[derive(Clone)]
pub struct Sessions {}

#[derive(Clone, Debug, PartialEq)]
pub struct StartTask {
    /// `None`: a new session.
    pub session: Option<SessionId>,
    pub prompt: Vec<ContentBlock>,
    pub context: Option<TaskContext>,
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
    pub usage: Usage,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionState {
    Idle,
    Running,
    /// For the person.
    Waiting,
}

impl Sessions {
    /// Starts a task and returns at once.
    pub fn start(&self, _task: StartTask) -> (SessionId, TaskId) {
        todo!()
    }

    /// Queued into the running task of the session, else starts one. `None`: no such session.
    pub fn send(&self, _session: &SessionId, _prompt: Vec<ContentBlock>) -> Option<Sent> {
        todo!()
    }

    /// Whether there was such a running task. Its Terminal follows.
    pub fn cancel(&self, _task: &TaskId) -> bool {
        todo!()
    }

    /// Cancels every running task.
    pub fn cancel_all(&self) {
        todo!()
    }

    /// Whether that question was still open.
    pub fn answer(&self, _request_id: &str, _answer: PermissionAnswer) -> bool {
        todo!()
    }

    /// The questions that are open now, oldest first.
    pub fn open_questions(&self) -> Vec<(SessionId, crate::permissions::PermissionRequest)> {
        todo!()
    }

    pub fn list(&self) -> Vec<SessionInfo> {
        todo!()
    }

    /// Every update from now on, in order.
    pub fn subscribe(&self) -> mpsc::UnboundedReceiver<SessionUpdate> {
        todo!()
    }
}
