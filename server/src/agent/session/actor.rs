//! One conversation: its history, the task that runs in it, and the prompts that wait behind that task.

use std::collections::VecDeque;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures::{FutureExt as _, StreamExt as _, pin_mut};
use tokio::sync::OnceCell;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::hub::Hub;
use super::prompt::{self, Prompt};
use super::questions::Questions;
use super::transcript::Transcript;
use super::{Sent, SessionDeps, SessionInfo, SessionState};
use crate::agent::acceptance::acceptance;
use crate::agent::attachments::Noticed;
use crate::agent::background::{self, Short};
use crate::agent::briefing::{Briefing, briefing};
use crate::agent::diagnostics::Diagnosed;
use crate::agent::outbox::user;
use crate::agent::preparing::SessionContext;
use crate::agent::query::{QueryParams, query};
use crate::agent::state::RoundContext;
use crate::agent::{LoopEvent, SessionEvent, Spending, TaskAccount, Terminal, TerminalReason};
use crate::conversation::{ContentBlock, Message, SessionId, TaskId};
use crate::documents::Seen;
use crate::models::{Provider, SearchesWeb, ToolDefinition};
use crate::permissions::{Beginning, PermissionMode, Policy, SessionMode};
use crate::shell::Shell;
use crate::tools::{Loaded, Offers, SearchWire, Searcher, Tool, Tools};

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
    searcher: Option<Arc<Searcher>>,
    /// The tools that its model has asked for.
    loaded_tools: Loaded,
    /// The tools of the last round, and what they were chosen by.
    pooled: Mutex<Option<(Pooled, Tools)>>,
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

/// What decides on the tools of a round.
#[derive(PartialEq, Eq)]
struct Pooled {
    names: Vec<&'static str>,
    context: u64,
    wire: SearchWire,
}

#[derive(Clone)]
struct Running {
    task: TaskId,
    cancel: CancellationToken,
}

/// The model whose service searches the web: the small one, if it can.
fn searcher(deps: &SessionDeps) -> Option<Arc<dyn Provider>> {
    let searches = |provider: &&Arc<dyn Provider>| match (provider.searches_web(), deps.tool_setup.web_search)
    {
        (SearchesWeb::No, _) | (_, Some(false)) => false,
        (SearchesWeb::Yes, None | Some(true)) => true,
        (SearchesWeb::Perhaps, told) => told == Some(true),
    };
    deps.small.iter().chain([&deps.provider]).find(searches).cloned()
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
        let questions =
            Questions::new(policy, mode, setup.book.clone(), deps.clock.clone()).trusted_by(setup.trust_by);
        let tells = deps.editor.features().copydesk.diagnostics;
        let diagnosed = tells.then(|| Arc::new(Diagnosed::new(deps.editor.clone())));
        let searcher = searcher(&deps).map(|provider| Arc::new(Searcher::new(provider)));
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
            searcher,
            loaded_tools: Loaded::default(),
            pooled: Mutex::default(),
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

    async fn run_task(self: &Arc<Self>, running: &Running, prompt: Prompt) {
        self.changed(&running.task);
        let token_budget = prompt.token_budget.or_else(|| prompt::token_budget(&prompt.content));
        let summarise = prompt::wanted_summary(&prompt.content);
        let content = prompt::content(prompt, &self.id, &self.deps, &self.seen);
        let (content, system) = futures::join!(content, self.system());
        if summarise.is_none() {
            let words = Message::from(user((self.deps.clock)(), content));
            self.take_in(&running.task, SessionEvent::Loop(LoopEvent::Message(words)));
        }
        let events = query(QueryParams { summarise, ..self.params(running, system, token_budget) });
        pin_mut!(events);
        while let Some(event) = events.next().await {
            self.take_in(&running.task, event);
        }
    }

    /// The system prompt. What it says, and what else is told before the conversation, is looked for once.
    async fn system(&self) -> Vec<String> {
        let looked = async {
            let (documents, now) = (&self.deps.documents, (self.deps.clock)());
            let told = self.context.brief(&self.deps.workspace, documents, now);
            futures::join!(briefing(&self.deps), told).0
        };
        Box::pin(self.briefing.get_or_init(|| looked)).await.system.clone()
    }

    fn params(
        self: &Arc<Self>,
        running: &Running,
        system: Vec<String>,
        token_budget: Option<u64>,
    ) -> QueryParams {
        let deps = &self.deps;
        let (session, pooled) = (self.clone(), self.clone());
        QueryParams {
            messages: self.lock().transcript.messages(),
            summarise: None,
            system,
            tools: self.pool(),
            refresh_tools: Some(Box::new(move || pooled.pool())),
            tool_use_context: RoundContext {
                session: self.id.clone(),
                workspace: deps.workspace.clone(),
                documents: deps.documents.clone(),
                desk: deps.desk.clone(),
                seen: self.seen.clone(),
                messages: Arc::new([]),
                cancel: running.cancel.clone(),
                editor: deps.editor.clone(),
                small_model: deps.small.clone(),
                searcher: self.searcher.clone(),
                modifiers: Vec::new(),
                mode: self.questions.mode().clone(),
                shell: self.shell.clone(),
                policy: {
                    let questions = self.questions.clone();
                    Arc::new(move || Arc::new(questions.policy()))
                },
            },
            can_use_tool: Arc::new(self.questions.clone()),
            hooks: deps.hooks.clone(),
            provider: deps.provider.clone(),
            fallbacks: deps.fallbacks.clone().into(),
            small: deps.small.clone(),
            prices: deps.prices.clone(),
            take_queued: Box::new(move || {
                let session = session.clone();
                async move { session.take_queued().await }.boxed()
            }),
            queued: self.queued.subscribe(),
            noticed: self.noticed.clone(),
            diagnosed: self.diagnosed.clone(),
            context: self.context.clone(),
            limits: deps.limits,
            token_budget,
            clock: deps.clock.clone(),
        }
    }

    /// The tools that a task is given.
    fn pool(&self) -> Tools {
        let (deps, provider) = (&self.deps, self.deps.provider.info());
        let offers = Offers { editor: deps.editor.features(), web_search: self.searcher.is_some() };
        let (setup, policy) = (deps.tool_setup, self.questions.policy());
        let wanted = |tool: &dyn Tool| {
            setup.mode.has(tool.name()) && !policy.denies_whole(tool.name(), tool.aliases())
        };
        let pool = deps.tools.pool(wanted, &offers);
        let chosen = Pooled {
            names: pool.names(),
            context: provider.window.context,
            wire: if provider.tool_references { SearchWire::References } else { SearchWire::Schemas },
        };
        let mut pooled = self.pooled.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, same)) = pooled.as_ref().filter(|(before, _)| *before == chosen) {
            return same.clone();
        }
        let pool = if setup.search.defers(deferrable_tokens(&pool), chosen.context) {
            pool.deferring(&self.loaded_tools, chosen.wire)
        } else {
            pool
        };
        pooled.insert((chosen, pool)).1.clone()
    }

    /// What was sent since the task began, as messages, up to what only a task of its own can do.
    async fn take_queued(&self) -> Vec<crate::conversation::UserMessage> {
        let queued = {
            let mut state = self.lock();
            self.queued.send_replace(false);
            let messages = messages_in(&state.queue);
            let later = state.queue.split_off(messages);
            std::mem::replace(&mut state.queue, later)
        };
        let mut messages = Vec::with_capacity(queued.len());
        for prompt in queued {
            let content = prompt::content(prompt, &self.id, &self.deps, &self.seen).await;
            messages.push(user((self.deps.clock)(), content));
        }
        messages
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

/// How many of the prompts that wait can go into the running task, in their order: one that wants a summary can't.
fn messages_in(queue: &VecDeque<Prompt>) -> usize {
    let is_summary = |prompt: &Prompt| prompt::wanted_summary(&prompt.content).is_some();
    queue.iter().position(is_summary).unwrap_or(queue.len())
}

/// About what the definitions take of the tools that can wait.
fn deferrable_tokens(tools: &Tools) -> u64 {
    let bytes = |tool: &ToolDefinition| {
        tool.name.len() + tool.description.len() + tool.input_schema.to_string().len()
    };
    tools.deferrable().iter().map(|tool| bytes(tool) as u64 / BYTES_A_TOKEN).sum()
}

const BYTES_A_TOKEN: u64 = 4;
