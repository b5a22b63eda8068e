//! Questions to the person, one at a time: later ones wait, and a grant for one answers those it covers.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures::FutureExt as _;
use futures::future::{self, BoxFuture};
use tokio::sync::oneshot;

use super::super::SessionEvent;
use super::super::executor::{CanUseTool, Permission};
use super::super::outbox::Outbox;
use crate::conversation::ToolUseId;
use crate::permissions::{
    Call, OWN_WORDS, PermissionAnswer, PermissionMode, PermissionOptionKind, PermissionRequest, Policy, Rule,
    SessionMode, Verdict, choice_request, decide, request,
};
use crate::tools::{Choice, Chosen};

/// The questions of one session. Cheap to clone.
#[derive(Clone)]
pub(super) struct Questions {
    mode: SessionMode,
    inner: Arc<Mutex<Inner>>,
}

struct Inner {
    policy: Policy,
    /// The first is the one that is asked now.
    waiting: VecDeque<Waiting>,
}

struct Waiting {
    request: PermissionRequest,
    outbox: Outbox,
    reply: Reply,
}

/// Who waits for the answer.
enum Reply {
    /// A call, for leave to run. `rules`: what an "always" adds.
    Leave { call: Box<Call>, rules: Vec<Rule>, reply: oneshot::Sender<Permission> },
    /// A tool, for what the person chooses.
    Choice(oneshot::Sender<Chosen>),
}

impl Questions {
    /// With what the calls of the session are judged by; the mode is read for each call.
    pub(super) fn new(policy: Policy, mode: SessionMode) -> Self {
        Self { mode, inner: Arc::new(Mutex::new(Inner { policy, waiting: VecDeque::new() })) }
    }

    pub(super) fn mode(&self) -> &SessionMode {
        &self.mode
    }

    /// The one that is asked now.
    pub(super) fn open(&self) -> Option<PermissionRequest> {
        self.lock().waiting.front().map(|waiting| waiting.request.clone())
    }

    /// Whether it was the open question, and the answer one of its options.
    pub(super) fn answer(&self, request_id: &str, answer: &PermissionAnswer) -> bool {
        let mut inner = self.lock();
        let Some(asked) = inner.waiting.front().filter(|waiting| waiting.request.id == request_id) else {
            return false;
        };
        let Some(kind) =
            asked.request.options.iter().find(|option| option.id == answer.option_id).map(|it| it.kind)
        else {
            return false;
        };
        let Some(Waiting { request, outbox, reply }) = inner.waiting.pop_front() else { return false };
        let (request_id, option) = (request_id.to_owned(), Some(answer.option_id.clone()));
        outbox.send(SessionEvent::PermissionResolved { request_id, option });
        match reply {
            Reply::Leave { rules, reply, .. } => {
                let permission = match kind {
                    PermissionOptionKind::AllowOnce => Permission::Granted,
                    PermissionOptionKind::AllowAlways => {
                        inner.policy.grant(&rules);
                        Permission::Granted
                    }
                    PermissionOptionKind::RejectOnce | PermissionOptionKind::RejectAlways => {
                        Permission::Denied(denial(answer.feedback.as_deref()))
                    }
                };
                let _ = reply.send(permission);
            }
            Reply::Choice(reply) => {
                let _ = reply.send(chosen(&request, kind, answer));
            }
        }
        inner.go_on(self.mode.get());
        true
    }

    /// Puts a question behind those that wait.
    fn put(&self, request: PermissionRequest, reply: Reply, outbox: &Outbox) -> Withdrawal {
        let mut inner = self.lock();
        let request_id = request.id.clone();
        let first = inner.waiting.is_empty();
        inner.waiting.push_back(Waiting { request, outbox: outbox.clone(), reply });
        if first {
            inner.go_on(self.mode.get());
        }
        Withdrawal { questions: self.clone(), request_id }
    }

    /// Whether every call of the tool that has these names is denied, so that a model need not be told of it.
    pub(super) fn denies_whole(&self, tool: &str, aliases: &[&str]) -> bool {
        self.lock().policy.denies_whole(tool, aliases)
    }

    /// The call ended before its question was answered.
    fn withdraw(&self, request_id: &str) {
        let mut inner = self.lock();
        let Some(place) = inner.waiting.iter().position(|waiting| waiting.request.id == request_id) else {
            return;
        };
        let withdrawn = inner.waiting.remove(place);
        if place == 0
            && let Some(Waiting { outbox, request, .. }) = withdrawn
        {
            outbox.send(SessionEvent::PermissionResolved { request_id: request.id, option: None });
            inner.go_on(self.mode.get());
        }
    }

    /// The mode is another now: questions that need not be asked any more are answered.
    pub(super) fn mode_changed(&self) {
        let mut inner = self.lock();
        let asked = inner.waiting.front().map(|waiting| waiting.request.id.clone());
        inner.policy.mode = self.mode.get();
        let Some(permission) = inner.settled() else { return };
        if let Some(Waiting { outbox, reply: Reply::Leave { reply, .. }, .. }) = inner.waiting.pop_front() {
            let request_id = asked.unwrap_or_default();
            outbox.send(SessionEvent::PermissionResolved { request_id, option: None });
            let _ = reply.send(permission);
            inner.go_on(self.mode.get());
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    /// Asks the next question that is not answered by what was granted meanwhile.
    fn go_on(&mut self, mode: PermissionMode) {
        self.policy.mode = mode;
        while let Some(next) = self.waiting.front() {
            let Some(permission) = self.settled() else {
                next.outbox.send(SessionEvent::PermissionAsked(next.request.clone()));
                return;
            };
            if let Some(Waiting { reply: Reply::Leave { reply, .. }, .. }) = self.waiting.pop_front() {
                let _ = reply.send(permission);
            }
        }
    }

    /// What comes of the first that waits, if it need not be asked any more.
    fn settled(&self) -> Option<Permission> {
        match &self.waiting.front()?.reply {
            Reply::Leave { call, .. } => settled(&decide(call, &self.policy)),
            Reply::Choice(_) => None,
        }
    }
}

impl CanUseTool for Questions {
    fn can_use(&self, id: &ToolUseId, call: Call, outbox: &Outbox) -> BoxFuture<'static, Permission> {
        let mut inner = self.lock();
        inner.policy.mode = self.mode.get();
        let question = match decide(&call, &inner.policy) {
            Verdict::Allow => return future::ready(Permission::Granted).boxed(),
            Verdict::Deny(why) => return future::ready(Permission::Denied(why)).boxed(),
            Verdict::Ask(question) => question,
        };
        drop(inner);
        let request = request(fresh_id(), id.clone(), &call, &question);
        let (reply, answered) = oneshot::channel();
        let withdrawal =
            self.put(request, Reply::Leave { call: Box::new(call), rules: question.rules, reply }, outbox);
        async move {
            let permission = answered.await.unwrap_or_else(|_| Permission::Denied(denial(None)));
            drop(withdrawal);
            permission
        }
        .boxed()
    }

    fn choose(
        &self,
        id: &ToolUseId,
        tool: &str,
        choice: Choice,
        outbox: &Outbox,
    ) -> BoxFuture<'static, Chosen> {
        let Choice { title, explanation, options, decline } = choice;
        let request =
            choice_request(fresh_id(), id.clone(), tool, [&title, &explanation], &options, &decline);
        let (reply, answered) = oneshot::channel();
        let withdrawal = self.put(request, Reply::Choice(reply), outbox);
        async move {
            let chosen = answered.await.unwrap_or(Chosen::Declined(None));
            drop(withdrawal);
            chosen
        }
        .boxed()
    }
}

/// Takes a question back when nobody waits for its answer any more.
struct Withdrawal {
    questions: Questions,
    request_id: String,
}

impl Drop for Withdrawal {
    fn drop(&mut self) {
        self.questions.withdraw(&self.request_id);
    }
}

/// What comes of a call that need not be asked about.
fn settled(verdict: &Verdict) -> Option<Permission> {
    match verdict {
        Verdict::Allow => Some(Permission::Granted),
        Verdict::Deny(why) => Some(Permission::Denied(why.clone())),
        Verdict::Ask(_) => None,
    }
}

fn fresh_id() -> String {
    format!("p_{}", uuid::Uuid::new_v4().simple())
}

/// The options of a choice come first, in their order.
fn chosen(request: &PermissionRequest, kind: PermissionOptionKind, answer: &PermissionAnswer) -> Chosen {
    let words = answer.feedback.clone().filter(|words| !words.trim().is_empty());
    let at = request.options.iter().position(|option| option.id == answer.option_id);
    let declines = matches!(kind, PermissionOptionKind::RejectOnce | PermissionOptionKind::RejectAlways);
    match at.filter(|_| answer.option_id != OWN_WORDS && !declines) {
        Some(at) => Chosen::Option(at, words),
        None => Chosen::Declined(words),
    }
}

fn denial(feedback: Option<&str>) -> String {
    let feedback = feedback.map(str::trim).filter(|text| !text.is_empty());
    let reason = feedback.map_or(String::new(), |text| format!(" They say: {text}"));
    format!("The user rejected this call, so it was not run.{reason}")
}

#[cfg(test)]
mod tests;
