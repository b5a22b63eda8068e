//! The desk: the one owner of all drafts. An actor: messages in, the current view out.

use std::sync::Arc;

use tokio::sync::watch;

use super::{
    AgentView, Decision, DecisionResult, HunkRef, Proposal, ProposeError, Proposed, Reason, ReviewView, Told,
};
use crate::conversation::SessionId;
use crate::documents::{AbsPath, Changed, Closed, FileStateCache, Opened, ReadError, Workspace};
use crate::editor::Editor;

/// The way to the desk. Cheap to clone.
///
/// Invariant: messages are handled in the order they were sent, so what a handler sends before its first await is in the
/// order the editor sent it.
#[derive(Clone)]
pub struct DeskHandle {
    view: watch::Receiver<Arc<ReviewView>>,
}

impl DeskHandle {
    /// Starts the actor; it ends when the last handle is dropped.
    pub fn start(
        _documents: Arc<FileStateCache>,
        _workspace: Arc<Workspace>,
        _editor: Arc<dyn Editor>,
    ) -> Self {
        todo!()
    }

    // Text sync: at once, in order.

    pub fn opened(&self, _opened: Opened) {
        todo!()
    }

    pub fn changed(&self, _changed: Changed) {
        todo!()
    }

    pub fn closed(&self, _closed: Closed) {
        todo!()
    }

    pub fn saved(&self, _path: AbsPath) {
        todo!()
    }

    /// These files may have changed on disk, by somebody else's hand.
    pub fn disk_changed(&self, _paths: Vec<AbsPath>) {
        todo!()
    }

    pub fn renamed(&self, _from: AbsPath, _to: AbsPath) {
        todo!()
    }

    // For the agent.

    /// The file as the agent has it.
    pub async fn agent_view(&self, _session: &SessionId, _path: &AbsPath) -> Result<AgentView, ReadError> {
        todo!()
    }

    /// Every file whose draft differs from its buffer, for searches: path and the agent's text (`None`: deleted).
    pub async fn drafts(&self, _session: &SessionId) -> Vec<AgentView> {
        todo!()
    }

    /// Looks at the file as the agent has it and changes the agent's side, in one step: `make` sees the text that its
    /// proposal will be applied to.
    pub async fn propose(
        &self,
        _session: &SessionId,
        _path: &AbsPath,
        _reason: Reason,
        _make: Box<dyn FnOnce(&AgentView) -> Result<Proposal, String> + Send>,
    ) -> Result<Proposed, ProposeError> {
        todo!()
    }

    /// What this session has not been told yet, once and net.
    pub async fn take_told(&self, _session: &SessionId) -> Vec<Told> {
        todo!()
    }

    // For the person.

    /// Carries a decision out: edits of open files go through the editor and are awaited for about a second, closed files
    /// are written. Never call this from a request handler without spawning.
    pub async fn decide(&self, _decision: Decision) -> Vec<DecisionResult> {
        todo!()
    }

    /// The editor was handed the edits of these hunks with a code action and is applying them itself: watch for the echo.
    pub fn claimed(&self, _hunks: Vec<HunkRef>) {
        todo!()
    }

    /// The newest view.
    pub fn view(&self) -> Arc<ReviewView> {
        self.view.borrow().clone()
    }

    /// The view after everything that was sent before this call.
    pub async fn settled(&self) -> Arc<ReviewView> {
        todo!()
    }

    /// Wakes with each new view.
    pub fn watch(&self) -> watch::Receiver<Arc<ReviewView>> {
        self.view.clone()
    }
}
