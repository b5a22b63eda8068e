//! Runs the calls of one answer, each as soon as it is finished and may run, while the answer still comes in.

mod call;
mod schedule;
mod stages;

use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use futures::future::{self, BoxFuture};
use futures::stream::FuturesUnordered;
use futures::{FutureExt as _, StreamExt as _};
use serde_json::Value;
use tokio::sync::watch;

use self::call::{Batch, Finished};
use self::schedule::Schedule;
use super::Hooks;
use super::outbox::Outbox;
use super::state::{Clock, RoundContext};
use crate::conversation::Usage;
use crate::conversation::{Message, MessageId, ToolUseId};
use crate::permissions::{Call, PermissionDenial};
use crate::tools::{Choice, Chosen, ContextModifier, Tools};

/// Whether a call may run, which may take as long as a person needs.
pub(super) trait CanUseTool: Send + Sync {
    /// Dropping the future withdraws the question.
    fn can_use(&self, id: &ToolUseId, call: Call, outbox: &Outbox) -> BoxFuture<'static, Permission>;

    /// Puts a choice of a tool's to the person. Dropping the future withdraws it.
    fn choose(
        &self,
        id: &ToolUseId,
        tool: &str,
        choice: Choice,
        outbox: &Outbox,
    ) -> BoxFuture<'static, Chosen>;
    /// Why a call must not run that a person has changed before they allowed it.
    fn forbidden(&self, _call: &Call) -> Option<String> {
        None
    }

    /// What was denied since this was asked last.
    fn take_denials(&self) -> Vec<PermissionDenial> {
        Vec::new()
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Permission {
    Granted,
    /// With this input in the stead of what was asked about.
    Changed(Value),
    /// Why not, for the model.
    Denied(String),
    /// The same, and the task ends.
    Interrupted(String),
}

/// A finished call of the model's.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ToolCall {
    pub(super) id: ToolUseId,
    pub(super) name: String,
    pub(super) input: Value,
    /// The record that holds it.
    pub(super) assistant: MessageId,
}

/// What the executor of one answer works with.
pub(super) struct Kit {
    pub(super) tools: Tools,
    pub(super) context: RoundContext,
    pub(super) can_use_tool: Arc<dyn CanUseTool>,
    pub(super) hooks: Arc<dyn Hooks>,
    /// Whether a message of the user's waits.
    pub(super) queued: watch::Receiver<bool>,
    pub(super) outbox: Outbox,
    pub(super) clock: Clock,
    /// The most calls at the same time.
    pub(super) at_once: usize,
}

/// The calls of one answer. Dropping it ends those that run.
pub(super) struct Executor {
    batch: Arc<Batch>,
    schedule: Schedule,
    /// Calls by number that have not begun.
    waiting: Vec<Option<(ToolCall, Option<ToolUseId>)>>,
    running: FuturesUnordered<BoxFuture<'static, (usize, Finished)>>,
    /// By number, until it is the turn of each.
    finished: Vec<Option<Finished>>,
    results: Vec<Message>,
    added: Vec<Message>,
    stop: Option<String>,
    spent: Vec<(String, Usage)>,
    /// The first of the calls that may run side by side, as far as they follow each other.
    group: Option<ToolUseId>,
}

/// What came of all calls.
pub(super) struct Results {
    /// The results in the order of the calls, then what tools added.
    pub(super) messages: Vec<Message>,
    /// A hook's reason to end the turn.
    pub(super) stop: Option<String>,
    /// What calls change for the rounds to come.
    pub(super) modifiers: Vec<ContextModifier>,
    /// Tokens that tools paid other models for, by model.
    pub(super) spent: Vec<(String, Usage)>,
}

impl Executor {
    pub(super) fn new(kit: Kit) -> Self {
        let Kit { tools, mut context, can_use_tool, hooks, queued, outbox, clock, at_once } = kit;
        let task = context.cancel.clone();
        context.cancel = task.child_token();
        let (culprit, effects, modifiers) = (OnceLock::new(), AtomicBool::new(false), Mutex::default());
        Self {
            batch: Arc::new(Batch {
                tools,
                context,
                task,
                can_use_tool,
                hooks,
                queued,
                outbox,
                clock,
                culprit,
                effects,
                modifiers,
            }),
            schedule: Schedule::new(at_once),
            waiting: Vec::new(),
            running: FuturesUnordered::new(),
            finished: Vec::new(),
            results: Vec::new(),
            added: Vec::new(),
            stop: None,
            spent: Vec::new(),
            group: None,
        }
    }

    /// Takes a call in; it begins now if it may.
    pub(super) fn add(&mut self, call: ToolCall) {
        let safe = self.is_safe(&call);
        self.schedule.add(safe);
        self.group = safe.then(|| self.group.take().unwrap_or_else(|| call.id.clone()));
        self.waiting.push(Some((call, self.group.clone())));
        self.finished.push(None);
        self.begin();
    }

    /// Goes on with the calls until one more has ended. It does not return while there are none. Dropping the future loses
    /// nothing.
    pub(super) async fn advance(&mut self) {
        match self.running.next().await {
            Some((number, finished)) => self.ended(number, finished),
            None => future::pending().await,
        }
    }

    /// Runs all calls to their results; also when the task is cancelled meanwhile.
    pub(super) async fn finish(mut self) -> Results {
        while let Some((number, finished)) = self.running.next().await {
            self.ended(number, finished);
        }
        for message in &self.added {
            self.batch.outbox.message(message.clone());
        }
        let mut messages = self.results;
        messages.append(&mut self.added);
        Results { messages, stop: self.stop, modifiers: self.batch.modifiers(), spent: self.spent }
    }

    /// Ends all calls without a result. Gives the results that were shown already.
    pub(super) fn discard(self) -> Vec<MessageId> {
        self.results.iter().map(|result| result.id().clone()).collect()
    }

    /// Whether a call has begun that changes something.
    pub(super) fn has_effects(&self) -> bool {
        self.batch.effects.load(Ordering::Relaxed)
    }

    fn begin(&mut self) {
        for number in self.schedule.begin() {
            let Some((call, group)) = self.waiting.get_mut(number).and_then(Option::take) else { continue };
            let running = self.batch.clone().call(call, group);
            self.running.push(running.map(move |finished| (number, finished)).boxed());
        }
    }

    fn ended(&mut self, number: usize, finished: Finished) {
        self.schedule.complete(number);
        if let Some(place) = self.finished.get_mut(number) {
            *place = Some(finished);
        }
        while let Some(next) = self.schedule.yield_next() {
            let Some(finished) = self.finished.get_mut(next).and_then(Option::take) else { continue };
            self.batch.outbox.message(finished.result.clone());
            self.results.push(finished.result);
            self.added.extend(finished.added);
            self.spent.extend(finished.spent);
            self.stop = self.stop.take().or(finished.stop);
        }
        self.begin();
    }

    /// In doubt, not: an unknown tool, an input that does not parse, or a tool that fails over the question.
    fn is_safe(&self, call: &ToolCall) -> bool {
        let Some(tool) = self.batch.tools.find(&call.name) else { return false };
        let judged = || tool.validate(&call.input).is_ok() && tool.is_concurrency_safe(&call.input);
        std::panic::catch_unwind(AssertUnwindSafe(judged)).unwrap_or_default()
    }
}
