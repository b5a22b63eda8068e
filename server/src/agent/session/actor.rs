//! One conversation: its history, the task that runs in it, and the prompts that wait behind that task.

mod task;

use std::collections::VecDeque;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures::FutureExt as _;
use tokio::sync::OnceCell;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use self::task::messages_in;
use super::hub::Hub;
use super::pool::Pool;
use super::prompt::{self, Prompt};
use super::questions::Questions;
use super::transcript::Transcript;
use super::{Sent, SessionDeps, SessionInfo, SessionState};
use crate::agent::acceptance::acceptance;
use crate::agent::attachments::Noticed;
use crate::agent::background::{self, Short};
use crate::agent::briefing::Briefing;
use crate::agent::diagnostics::Diagnosed;
use crate::agent::session_context::SessionContext;
use crate::agent::{LoopEvent, SessionEvent, Spending, TaskAccount, Terminal, TerminalReason};
use crate::conversation::{ContentBlock, SessionId, TaskId};
use crate::documents::Seen;
use crate::models::Provider;
use crate::permissions::{Beginning, PermissionMode, Policy, SessionMode};
use crate::shell::Shell;

/// A session. Its state is behind one short lock; its history is written by its running task alone.
pub(super) struct Session {
    id: SessionId,
    deps: Arc<SessionDeps>,
    hub: Arc<Hub>,
    questions: Questions,
    seen: Arc<Seen>,
    noticed: Arc<Noticed>,
    diagnosed: Option<Arc<Diagnosed>>,
    context: Arc<SessionContext>,
    shell: Arc<Shell>,
    pool: Pool,
    /// Whether prompts wait for the running task to take them.
    queued: watch::Sender<bool>,
    briefing: OnceCell<Briefing>,
    cancel: CancellationToken,
    state: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    title: String,
    /// In the tasks that are over, and for the title.
    spent: Spending,
    /// In the task that runs.
    spent_now: Spending,
    /// Who answers in the task that runs, and whether it is no language model; `None`: nobody was asked yet.
    answering: Option<(String, bool)>,
    running: Option<Running>,
    /// The running one, or the one before.
    last_task: Option<TaskId>,
    /// As it was told last.
    told_mode: PermissionMode,
    queue: VecDeque<Prompt>,
    transcript: Transcript,
}

#[derive(Clone)]
struct Running {
    task: TaskId,
    cancel: CancellationToken,
}

impl Session {
    pub(super) fn new(deps: Arc<SessionDeps>, hub: Arc<Hub>, cancel: CancellationToken) -> Arc<Self> {
        let id = SessionId(format!("s_{}", uuid::Uuid::new_v4().simple()));
        let shell = Arc::new(deps.shell.shell(&id));
        let results = deps.state_folder.as_ref().map(|folder| folder.join(id.as_str()).join("tool-results"));
        let seen = Arc::new(Seen::new(&deps.context));
        let context = Arc::new(SessionContext::new(deps.context.clone(), results));
        let setup = &deps.permissions;
        let Beginning { mode, no_bypass } = setup.beginning.clone();
        let policy = Policy {
            home: setup.home.clone(),
            plans: setup.plans.clone(),
            ..Policy::of(deps.workspace.clone())
        };
        let mode = SessionMode::new(mode, no_bypass);
        let questions = Questions::new(policy, mode, setup.book.clone(), deps.clock.clone())
            .trusted_by(setup.trust_by, deps.editor.clone());
        let tells = deps.editor.features().copydesk.diagnostics;
        let diagnosed = tells.then(|| Arc::new(Diagnosed::new(deps.editor.clone())));
        let pool = Pool::new(&deps);
        Arc::new(Self {
            id,
            deps,
            hub,
            questions,
            seen,
            noticed: Arc::default(),
            diagnosed,
            context,
            shell,
            pool,
            queued: watch::Sender::new(false),
            briefing: OnceCell::new(),
            cancel,
            state: Mutex::default(),
        })
    }

    pub(super) fn id(&self) -> &SessionId {
        &self.id
    }

    pub(super) fn questions(&self) -> &Questions {
        &self.questions
    }

    pub(super) fn shell(&self) -> &Shell {
        &self.shell
    }

    /// An error is text for a person.
    pub(super) fn set_mode(&self, mode: PermissionMode) -> Result<(), String> {
        self.questions.mode().set(mode)?;
        self.questions.mode_changed();
        self.deps.desk.set_acceptance(self.id.clone(), acceptance(self.questions.mode().get()));
        let task = self.lock().last_task.clone();
        if let Some(task) = task {
            self.changed(&task);
        }
        Ok(())
    }

    pub(super) fn info(&self) -> SessionInfo {
        let state = self.lock();
        let (model, offline) = state.answering.clone().unwrap_or_else(|| {
            let usual = self.deps.provider.info();
            (usual.label, usual.offline)
        });
        let mut spent = state.spent.clone();
        spent.add_all(&state.spent_now);
        SessionInfo {
            session: self.id.clone(),
            title: state.title.clone(),
            state: match (&state.running, self.questions.open()) {
                (None, _) => SessionState::Idle,
                (Some(_), None) => SessionState::Running,
                (Some(_), Some(_)) => SessionState::Waiting,
            },
            model,
            offline,
            mode: self.questions.mode().get(),
            cost: spent.cost(&self.deps.prices),
            spent,
        }
    }

    /// Into the running task, else the first of a new one.
    pub(super) fn send(self: &Arc<Self>, prompt: Prompt) -> Sent {
        let mut state = self.lock();
        let is_first = state.title.is_empty();
        if is_first {
            state.title = prompt::title(&prompt.content);
        }
        if let Some(running) = &state.running {
            let task = running.task.clone();
            state.queue.push_back(prompt);
            self.queued.send_replace(messages_in(&state.queue) > 0);
            return Sent { task, queued: true };
        }
        let running = self.new_task();
        state.running = Some(running.clone());
        state.last_task = Some(running.task.clone());
        drop(state);
        let task = running.task.clone();
        if let Some(small) = self.deps.small.clone().filter(|_| is_first) {
            tokio::spawn(self.clone().name(small, prompt.content.clone(), task.clone()));
        }
        tokio::spawn(self.clone().run(running, prompt));
        Sent { task, queued: false }
    }

    /// Whether `task` is the running one. What is queued behind it goes on as the next task.
    pub(super) fn cancel(&self, task: &TaskId) -> bool {
        let running = self.lock().running.clone().filter(|running| running.task == *task);
        running.is_some_and(|running| {
            running.cancel.cancel();
            true
        })
    }

    /// The running task, and all that is queued behind it.
    pub(super) fn cancel_everything(&self) {
        let mut state = self.lock();
        state.queue.clear();
        self.queued.send_replace(false);
        if let Some(running) = &state.running {
            running.cancel.cancel();
        }
    }

    /// Gives the session a better title than its first words. Nobody waits for it.
    async fn name(self: Arc<Self>, small: Arc<dyn Provider>, prompt: Vec<ContentBlock>, task: TaskId) {
        let title = self.cancel.run_until_cancelled(background::title(small, &prompt)).await;
        let Some(Short { text, model, usage }) = title.flatten() else { return };
        {
            let mut state = self.lock();
            state.title = text;
            state.spent.add(&model, usage);
        }
        self.changed(&task);
    }

    /// Runs one task after another until nothing is queued.
    async fn run(self: Arc<Self>, mut running: Running, mut prompt: Prompt) {
        loop {
            let ran = AssertUnwindSafe(Box::pin(self.run_task(&running, prompt))).catch_unwind().await;
            if ran.is_err() {
                tracing::error!(session = %self.id, "a task panicked");
                let terminal = Terminal {
                    reason: TerminalReason::ModelError,
                    turns: 0,
                    spent: self.lock().spent_now.clone(),
                    cost: None,
                    denials: Vec::new(),
                    account: TaskAccount::default(),
                    message: Some(
                        "Copydesk has a fault and stopped this task. The next prompt goes on.".to_owned(),
                    ),
                };
                self.take_in(&running.task, SessionEvent::Loop(LoopEvent::Done(terminal)));
            }
            let mut state = self.lock();
            let next = state.queue.pop_front();
            self.queued.send_replace(messages_in(&state.queue) > 0);
            state.running = next.as_ref().map(|_| self.new_task());
            if let Some(running) = &state.running {
                let task = running.task.clone();
                state.last_task = Some(task);
            }
            let following = state.running.clone().zip(next);
            drop(state);
            self.changed(&running.task);
            match following {
                Some(following) => (running, prompt) = following,
                None => return,
            }
        }
    }

    /// Keeps what an event says and passes it on.
    fn take_in(&self, task: &TaskId, event: SessionEvent) {
        let mut tells_more = false;
        match &event {
            SessionEvent::Loop(event) => {
                let mut state = self.lock();
                state.transcript.record(event);
                match event {
                    LoopEvent::RequestStart { model, offline, .. } => {
                        let answers = Some((model.clone(), *offline));
                        let before = std::mem::replace(&mut state.answering, answers.clone());
                        tells_more = before.is_some() && before != answers;
                    }
                    LoopEvent::Done(terminal) => {
                        state.answering = None;
                        state.spent_now = Spending::default();
                        state.spent.add_all(&terminal.spent);
                    }
                    LoopEvent::Stream(_)
                    | LoopEvent::Message(_)
                    | LoopEvent::Tombstone { .. }
                    | LoopEvent::ToolUseSummary { .. } => {}
                }
            }
            SessionEvent::PermissionAsked(_) | SessionEvent::PermissionResolved { .. } => tells_more = true,
            SessionEvent::Spent(spent) => {
                tells_more = self.lock().spent_now != *spent;
                self.lock().spent_now = spent.clone();
            }
            // A call may have changed the mode.
            SessionEvent::ToolCall(_) => tells_more = self.lock().told_mode != self.questions.mode().get(),
            SessionEvent::Plan(_)
            | SessionEvent::Transition(_)
            | SessionEvent::Compaction(_)
            | SessionEvent::SessionChanged(_) => {}
        }
        self.hub.publish(&self.id, task, event);
        if tells_more {
            self.changed(task);
        }
    }

    fn changed(&self, task: &TaskId) {
        let info = self.info();
        self.lock().told_mode = info.mode;
        self.hub.publish(&self.id, task, SessionEvent::SessionChanged(info));
    }

    fn new_task(&self) -> Running {
        Running {
            task: TaskId(format!("t_{}", uuid::Uuid::new_v4().simple())),
            cancel: self.cancel.child_token(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
