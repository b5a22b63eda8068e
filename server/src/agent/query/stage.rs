//! A task on a stage: scripted models, tools, hooks and a user, played to the end of the task.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::future::BoxFuture;
use futures::pin_mut;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::*;
use crate::agent::executor::{CanUseTool, Permission};
use crate::agent::fixture::{Asked, Piece, ScriptedModel, clock, line, tools};
use crate::agent::outbox::user;
use crate::agent::params::{Limits, QueryParams};
use crate::agent::session_context::SessionContext;
use crate::agent::{CompactInput, CompactVerdict, Continue, Hooks, ToolHookInput, ToolHookVerdict};
use crate::config::{ContextSettings, Prices};
use crate::context::{Decision, Fold};
use crate::conversation::{ContentBlock, ToolUseId};
use crate::models::Provider;
use crate::permissions::{Call, SessionMode};
use crate::tools::fixture::Fixture;
use crate::tools::{Choice, Chosen};

/// What is played. The prompt is `go`.
#[derive(Clone, Debug, Default)]
pub(super) struct Play {
    /// The answers of the model, one a request; what is left over is not asked for, what is missing says "done".
    pub(super) model: Vec<Vec<Piece>>,
    /// The same of the models that are asked in its stead.
    pub(super) others: Vec<Vec<Vec<Piece>>>,
    /// What Stop hooks say, one a question; then they pass.
    pub(super) stop_hooks: Vec<StopVerdict>,
    /// What hooks say to a summary, one a question; then they pass.
    pub(super) compact_hooks: Vec<CompactVerdict>,
    /// Nothing is summarised without asking.
    pub(super) no_auto_compact: bool,
    /// The tool after which a hook stops the task.
    pub(super) hook_stops_after: Option<&'static str>,
    /// What the small model says, if there is one.
    pub(super) small: Option<Vec<Vec<Piece>>>,
    pub(super) limits: Option<Limits>,
    pub(super) token_budget: Option<u64>,
    /// A fold waits for the need of it.
    pub(super) staged: bool,
    /// The line at which the user cancels.
    pub(super) cancel_at: Option<&'static str>,
    /// The number of the event at which the user cancels.
    pub(super) cancel_after: Option<usize>,
    /// The line at which the user sends `and this`.
    pub(super) send_at: Option<&'static str>,
    /// The number of the event at which the user sends `and this`.
    pub(super) send_after: Option<usize>,
}

/// What came of it.
#[derive(Debug)]
pub(super) struct Played {
    /// The events, one a line.
    pub(super) lines: Vec<String>,
    pub(super) transitions: Vec<Continue>,
    pub(super) terminal: Terminal,
    /// The requests, with the name of the model that got each.
    pub(super) requests: Vec<Asked>,
    /// The stored conversation at the end.
    pub(super) history: Vec<Message>,
}

const NAMES: [&str; 3] = ["second", "third", "fourth"];

/// Plays it. A user who sees nothing happen any more cancels.
pub(super) fn play(play: Play) -> Played {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
    runtime.block_on(played(play))
}

async fn played(play: Play) -> Played {
    let fixture = Fixture::new(&[]);
    let cancel = CancellationToken::new();
    let model = ScriptedModel::new(play.model.clone());
    let mut params = params(&fixture, model.clone(), cancel.clone());
    params.fallbacks = (NAMES.iter().zip(play.others.clone()))
        .map(|(name, script)| model.beside(name, script) as Arc<dyn Provider>)
        .collect();
    params.small =
        play.small.clone().map(|script| ScriptedModel::named("small", script) as Arc<dyn Provider>);
    params.prices = Arc::new(Prices::default().with(&["scripted = 1/1000000".to_owned()]).unwrap());
    params.hooks = Arc::new(ScriptedHooks {
        stop: Mutex::new(play.stop_hooks.clone().into()),
        compact: Mutex::new(play.compact_hooks.clone().into()),
        after: play.hook_stops_after,
    });
    params.limits = play.limits.unwrap_or(params.limits);
    params.token_budget = play.token_budget;
    if play.no_auto_compact {
        let mut settings = ContextSettings::default();
        settings.auto_compact.value = false;
        params.context = Arc::new(SessionContext::new(settings, None));
    }
    let mut history = params.messages.clone();
    if play.staged {
        let messages = history.iter().map(|message| message.id().clone()).collect();
        params.context.record([Decision::Staged(Fold::Span { messages, line: "go".into() })]);
    }
    let queued = watch::Sender::new(false);
    params.queued = queued.subscribe();
    let waiting = Arc::new(Mutex::new(Vec::new()));
    let (taken, told) = (waiting.clone(), queued.clone());
    params.take_queued = Box::new(move || {
        told.send_replace(false);
        future::ready(std::mem::take(&mut *taken.lock().unwrap())).boxed()
    });

    let events = query(params);
    pin_mut!(events);
    let (mut lines, mut transitions, mut terminal) = (Vec::new(), Vec::new(), None);
    let mut number = 0;
    loop {
        let event = match tokio::time::timeout(Duration::from_secs(3_600), events.next()).await {
            Ok(Some(event)) => event,
            Ok(None) => break,
            Err(_) => {
                assert!(!cancel.is_cancelled(), "the task hangs after {lines:?}");
                cancel.cancel();
                continue;
            }
        };
        assert!(terminal.is_none(), "nothing comes after the end: {event:?}");
        match &event {
            SessionEvent::Transition(reason) => transitions.push(*reason),
            SessionEvent::Loop(LoopEvent::Done(end)) => terminal = Some(end.clone()),
            SessionEvent::Loop(LoopEvent::Message(Message::Progress(_))) => {}
            SessionEvent::Loop(LoopEvent::Message(message)) => history.push(message.clone()),
            SessionEvent::Loop(LoopEvent::Tombstone { message_id }) => {
                let shown = history.len();
                history.retain(|message| message.id() != message_id);
                assert_eq!(history.len() + 1, shown, "only what was shown is taken back, once");
            }
            _ => {}
        }
        let line = line(&event);
        let is_at = |at: Option<&str>, after: Option<usize>| {
            (at.is_some() && at == line.as_deref()) || after == Some(number)
        };
        if is_at(play.cancel_at, play.cancel_after) {
            cancel.cancel();
        }
        if is_at(play.send_at, play.send_after) {
            waiting.lock().unwrap().push(user(clock()(), vec![ContentBlock::text("and this")]));
            queued.send_replace(true);
        }
        lines.extend(line);
        number += 1;
    }
    let terminal = terminal.expect("every task has an end");
    Played { lines, transitions, terminal, requests: model.all_requests(), history }
}

/// A task with the prompt `go` and the tools of the fixture, in which everything is allowed that no rule forbids.
pub(in crate::agent) fn params(
    fixture: &Fixture,
    model: Arc<ScriptedModel>,
    cancel: CancellationToken,
) -> QueryParams {
    let prompt = Message::from(user(clock()(), vec![ContentBlock::text("go")]));
    QueryParams {
        messages: vec![prompt],
        instead: None,
        system: vec!["be brief".into()],
        tools: tools(),
        refresh_tools: None,
        tool_use_context: RoundContext {
            session: fixture.session.clone(),
            workspace: fixture.workspace.clone(),
            documents: fixture.documents.clone(),
            desk: fixture.desk.clone(),
            seen: fixture.seen.clone(),
            messages: Arc::new([]),
            cancel,
            editor: fixture.editor.clone(),
            small_model: None,
            searcher: None,
            modifiers: Vec::new(),
            mode: SessionMode::default(),
            shell: fixture.shell.clone(),
            policy: {
                let policy = Arc::new(fixture.policy.clone());
                Arc::new(move || policy.clone())
            },
        },
        can_use_tool: Arc::new(AllowAll),
        hooks: Arc::new(crate::agent::NoHooks),
        provider: model,
        fallbacks: VecDeque::new(),
        small: None,
        prices: Arc::default(),
        take_queued: Box::new(|| future::ready(Vec::new()).boxed()),
        queued: watch::Sender::new(false).subscribe(),
        noticed: Arc::default(),
        diagnosed: None,
        context: Arc::new(SessionContext::new(ContextSettings::default(), None)),
        limits: Limits { max_turns: 6, ..Limits::default() },
        token_budget: None,
        clock: clock(),
    }
}

/// Allows what no rule forbids, without asking.
struct AllowAll;

impl CanUseTool for AllowAll {
    fn can_use(&self, _: &ToolUseId, call: Call, _: &Outbox) -> BoxFuture<'static, Permission> {
        let permission = match call.tool.as_str() {
            "Refuse" => Permission::Denied("It is forbidden.".to_owned()),
            _ => Permission::Granted,
        };
        future::ready(permission).boxed()
    }

    fn choose(&self, _: &ToolUseId, _: &str, _: Choice, _: &Outbox) -> BoxFuture<'static, Chosen> {
        future::ready(Chosen::Declined(None)).boxed()
    }
}

struct ScriptedHooks {
    stop: Mutex<VecDeque<StopVerdict>>,
    compact: Mutex<VecDeque<CompactVerdict>>,
    after: Option<&'static str>,
}

impl Hooks for ScriptedHooks {
    fn stop(&self, _: StopInput) -> BoxFuture<'static, StopVerdict> {
        let verdict = self.stop.lock().unwrap().pop_front().unwrap_or(StopVerdict::Pass);
        future::ready(verdict).boxed()
    }

    fn before_compact(&self, _: CompactInput) -> BoxFuture<'static, CompactVerdict> {
        let verdict = self.compact.lock().unwrap().pop_front();
        future::ready(verdict.unwrap_or_else(|| CompactVerdict::Pass(String::new()))).boxed()
    }

    fn after_tool(&self, call: ToolHookInput) -> BoxFuture<'static, ToolHookVerdict> {
        let stops = self.after == Some(call.tool.as_str());
        let verdict = if stops { ToolHookVerdict::Stop("enough".into()) } else { ToolHookVerdict::Pass };
        future::ready(verdict).boxed()
    }
}

/// Counts how often hooks were asked at an end, and what errors they were told.
#[derive(Default)]
pub(super) struct CountingHooks {
    pub(super) stops: AtomicUsize,
    pub(super) failures: Mutex<Vec<String>>,
}

impl Hooks for CountingHooks {
    fn stop(&self, _: StopInput) -> BoxFuture<'static, StopVerdict> {
        self.stops.fetch_add(1, Ordering::SeqCst);
        future::ready(StopVerdict::Pass).boxed()
    }

    fn stop_failure(&self, _: crate::conversation::SessionId, error: String) -> BoxFuture<'static, ()> {
        self.failures.lock().unwrap().push(error);
        future::ready(()).boxed()
    }
}
