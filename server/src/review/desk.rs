//! The desk: the one owner of all drafts. An actor: messages in, the current view out.

mod actor;
mod agent;
mod as_they_come;
mod carry;
mod check;
mod claim;
mod disk;
mod file;
mod message;
mod notice;
mod part;
mod plan;
mod show;
mod sync;
mod take_back;
mod typed;
mod under_way;
mod went_in;
mod whole;

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{mpsc, oneshot, watch};

use self::actor::Desk;
use self::message::{Message, Propose, ProposeWhole};
use super::{
    Acceptance, AgentView, AgentWhole, Decision, DecisionResult, FileReview, HunkId, HunkRef, Proposal,
    ProposeError, Proposed, Reason, ReviewView, Told, WholeChange, WholeFile,
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
    messages: mpsc::UnboundedSender<Message>,
    view: watch::Receiver<Arc<ReviewView>>,
}

/// Makes a proposal for the file as the agent has it; the error is text for the model.
pub type MakeProposal = Box<dyn FnOnce(&AgentView) -> Result<Proposal, String> + Send>;

/// How long the desk waits for what an editor does in its own time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waits {
    /// For the text to show an accept, after the reply to `workspace/applyEdit`.
    pub echo: Duration,
    /// For a late echo, or one at the wrong place.
    pub late_echo: Duration,
    /// For a document that was closed to be opened again: some editors reload a file so.
    pub reopen: Duration,
}

impl Default for Waits {
    fn default() -> Self {
        Self {
            echo: Duration::from_secs(1),
            late_echo: Duration::from_secs(10),
            reopen: Duration::from_secs(1),
        }
    }
}

impl DeskHandle {
    /// Starts the actor; it ends when the last handle is dropped.
    pub fn start(documents: Arc<FileStateCache>, workspace: Arc<Workspace>, editor: Arc<dyn Editor>) -> Self {
        Self::start_with(documents, workspace, editor, Waits::default())
    }

    /// As `start`, with other waits.
    pub fn start_with(
        documents: Arc<FileStateCache>,
        workspace: Arc<Workspace>,
        editor: Arc<dyn Editor>,
        waits: Waits,
    ) -> Self {
        let (messages, inbox) = mpsc::unbounded_channel();
        let (show, view) = watch::channel(Arc::default());
        let desk = Desk::new(documents, workspace, editor, waits, messages.downgrade());
        tokio::spawn(actor::run(desk, inbox, show));
        Self { messages, view }
    }

    // Text sync: at once, in order.

    pub fn opened(&self, opened: Opened) {
        self.send(Message::Opened(opened));
    }

    pub fn changed(&self, changed: Changed) {
        self.send(Message::Changed(changed));
    }

    pub fn closed(&self, closed: Closed) {
        self.send(Message::Closed(closed));
    }

    /// What the editor shows of these files is not known, until they are opened again or a whole text comes.
    pub fn lost(&self, paths: Vec<AbsPath>) {
        self.send(Message::Lost(paths));
    }

    pub fn saved(&self, path: AbsPath) {
        self.send(Message::Saved(path));
    }

    /// These files may have changed on disk, by somebody else's hand.
    pub fn disk_changed(&self, paths: Vec<AbsPath>) {
        self.send(Message::DiskChanged { paths, command_of: None });
    }

    /// These files may have changed on disk, by a command that the session's agent ran.
    pub fn command_changed(&self, session: SessionId, paths: Vec<AbsPath>) {
        self.send(Message::DiskChanged { paths, command_of: Some(session) });
    }

    pub fn renamed(&self, from: AbsPath, to: AbsPath) {
        self.send(Message::Renamed { from, to });
    }

    /// How long an accepted edit may take to show in the editor's text, from now on.
    pub fn wait_for_echoes(&self, time: Duration) {
        self.send(Message::EchoWait(time));
    }

    /// Who says yes to what this session's agent proposes from now on; until it is said, the person is asked. What is
    /// pending already stays so.
    pub fn set_acceptance(&self, session: SessionId, acceptance: Acceptance) {
        self.send(Message::Acceptance { session, acceptance });
    }

    // For the agent.

    /// The file as the agent has it.
    pub async fn agent_view(&self, session: &SessionId, path: &AbsPath) -> Result<AgentView, ReadError> {
        let (session, path) = (session.clone(), path.clone());
        let ended = ReadError::Io { path: path.clone(), cause: "the review has ended".to_owned() };
        self.call(|reply| Message::AgentView { session, path, reply }).await.unwrap_or(Err(ended))
    }

    /// Every file whose draft differs from its buffer, for searches: path and the agent's text (`None`: deleted).
    pub async fn drafts(&self, session: &SessionId) -> Vec<AgentView> {
        let session = session.clone();
        self.call(|reply| Message::Drafts { session, reply }).await.unwrap_or_default()
    }

    /// Looks at the file as the agent has it and changes the agent's side, in one step: `make` sees the text that its
    /// proposal will be applied to.
    pub async fn propose(
        &self,
        session: &SessionId,
        path: &AbsPath,
        reason: Reason,
        make: MakeProposal,
    ) -> Result<Proposed, ProposeError> {
        let propose = Propose { session: session.clone(), path: path.clone(), reason, make };
        let ended = ProposeError::Refused("The review has ended; nothing was proposed.".to_owned());
        self.call(|reply| Message::Propose { propose, reply }).await.unwrap_or(Err(ended))
    }

    /// What a command did to a file that is no change of its text; nobody but the person accepts it. Gives what waits for
    /// them then: nothing, if the file is again what the disk has.
    pub async fn propose_whole(
        &self,
        session: &SessionId,
        path: &AbsPath,
        reason: Reason,
        change: WholeChange,
    ) -> Result<Option<WholeFile>, ProposeError> {
        let propose = ProposeWhole { session: session.clone(), path: path.clone(), reason, change };
        let ended = ProposeError::Refused("The review has ended; nothing was proposed.".to_owned());
        self.call(|reply| Message::ProposeWhole { propose, reply }).await.unwrap_or(Err(ended))
    }

    /// Files that this session's commands are to see otherwise than the disk has them, beside those with a draft of their
    /// text.
    pub async fn wholes(&self, session: &SessionId) -> Vec<AgentWhole> {
        let session = session.clone();
        self.call(|reply| Message::Wholes { session, reply }).await.unwrap_or_default()
    }

    /// What this session has not been told yet, once and net.
    pub async fn take_told(&self, session: &SessionId) -> Vec<Told> {
        let session = session.clone();
        self.call(|reply| Message::TakeTold { session, reply }).await.unwrap_or_default()
    }

    /// What this session's agent had written to closed files without asking: the buffer is what was there before. In the
    /// order it was written; a file that somebody else changed in between comes again.
    pub async fn went_in(&self, session: &SessionId) -> Vec<Arc<FileReview>> {
        let session = session.clone();
        self.call(|reply| Message::WentIn { session, reply }).await.unwrap_or_default()
    }

    // For the person.

    /// Carries a decision out: edits of open files go through the editor and are awaited for about a second, closed files
    /// are written. Never call this from a request handler without spawning.
    ///
    /// Many files are checked first and then done one after the other; the first that fails ends it, and what was done
    /// stays. Showing the results' messages is the caller's part.
    pub async fn decide(&self, decision: Decision) -> Vec<DecisionResult> {
        let Some(plan) = self.call(|reply| Message::Plan { decision, reply }).await else {
            return Vec::new();
        };
        let mut results = plan.results;
        for part in plan.parts {
            let of_part = self.call(|reply| Message::Carry { part, reply }).await.unwrap_or_default();
            let failed = plan.bulk && of_part.iter().any(|result| result.message.is_some());
            results.extend(of_part);
            if failed {
                break;
            }
        }
        results
    }

    /// Takes accepts in this file back, all of these or none: by the editor where it is open, else on disk. The hunks are
    /// pending again then, and left alone until somebody names them; why not is a message for the person.
    pub async fn take_back(&self, path: &AbsPath, hunks: Vec<HunkId>) -> Vec<DecisionResult> {
        let path = path.clone();
        self.call(|reply| Message::TakeBackAccepts { path, hunks, reply }).await.unwrap_or_default()
    }

    /// The editor was handed the edits of these hunks with a code action and is applying them itself: watch for the echo.
    pub fn claimed(&self, hunks: Vec<HunkRef>) {
        self.send(Message::Claimed(hunks));
    }

    /// The newest view, a frame behind what is typed; `settled` is not.
    pub fn view(&self) -> Arc<ReviewView> {
        self.view.borrow().clone()
    }

    /// The view after everything that was sent before this call.
    pub async fn settled(&self) -> Arc<ReviewView> {
        match self.call(Message::Settled).await {
            Some(view) => view,
            None => self.view(),
        }
    }

    /// Wakes with each new view: at most one a frame while somebody types.
    pub fn watch(&self) -> watch::Receiver<Arc<ReviewView>> {
        self.view.clone()
    }

    /// A desk that has ended hears nothing: the server is on its way out.
    fn send(&self, message: Message) {
        let _ = self.messages.send(message);
    }

    async fn call<T>(&self, message: impl FnOnce(oneshot::Sender<T>) -> Message) -> Option<T> {
        let (reply, answer) = oneshot::channel();
        self.send(message(reply));
        answer.await.ok()
    }
}

#[cfg(test)]
mod tests;
