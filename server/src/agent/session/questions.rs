//! Questions to the person, one at a time: later ones wait, and a grant for one answers those it covers.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures::FutureExt as _;
use futures::future::{self, BoxFuture};
use tokio::sync::oneshot;

use super::super::Clock;
use super::super::SessionEvent;
use super::super::executor::{CanUseTool, Permission};
use super::super::outbox::{Outbox, notice};
use crate::conversation::ToolUseId;
use crate::editor::{Editor, Loudness};
use crate::permissions::{
    AnsweredBy, Behavior, Call, How, Keep, OWN_WORDS, PermissionAnswer, PermissionDenial,
    PermissionOptionKind, PermissionRequest, PermissionUpdate, Policy, Question, Rule, RuleBook, SAVE,
    SessionMode, SettingsFile, TrustBy, Update, Verdict, choice_request, decide, request, unasked,
};
use crate::tools::{Choice, Chosen};

/// The questions of one session. Cheap to clone.
#[derive(Clone)]
pub(super) struct Questions {
    mode: SessionMode,
    book: RuleBook,
    trust_by: TrustBy,
    editor: Option<Arc<dyn Editor>>,
    clock: Clock,
    inner: Arc<Mutex<Inner>>,
}

struct Inner {
    /// What the person granted in this session, without what is written down.
    policy: Policy,
    denials: Vec<PermissionDenial>,
    /// Problems with what is written that the person was told of.
    told: Vec<String>,
    /// The first is the one that is asked now.
    waiting: VecDeque<Waiting>,
}

struct Waiting {
    request: PermissionRequest,
    outbox: Outbox,
    reply: Reply,
}

/// A call that waited for leave to run.
struct Asked {
    call: Call,
    /// What an "always" adds.
    rules: Vec<Rule>,
    request: PermissionRequest,
    outbox: Outbox,
}

/// Who waits for the answer.
enum Reply {
    /// A call, for leave to run. `rules`: what an "always" adds.
    Leave { call: Box<Call>, rules: Vec<Rule>, reply: oneshot::Sender<Permission> },
    /// A tool, for what the person chooses.
    Choice(oneshot::Sender<Chosen>),
}

impl Questions {
    /// `policy`: what the calls of the session are judged by besides what is written in `book`. Both the mode and the book
    /// are looked at for each call.
    pub(super) fn new(policy: Policy, mode: SessionMode, book: RuleBook, clock: Clock) -> Self {
        let told = book.current().problems.clone();
        let inner = Inner { policy, denials: Vec::new(), told, waiting: VecDeque::new() };
        let (trust_by, inner) = (TrustBy::default(), Arc::new(Mutex::new(inner)));
        Self { mode, book, trust_by, editor: None, clock, inner }
    }

    /// The person is told, in this editor, that they can trust the folder in this way.
    pub(super) fn trusted_by(self, trust_by: TrustBy, editor: Arc<dyn Editor>) -> Self {
        Self { trust_by, editor: Some(editor), ..self }
    }

    /// What calls are judged by now.
    pub(super) fn policy(&self) -> Policy {
        self.policy_of(&self.lock())
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
        match reply {
            Reply::Leave { call, rules, reply } => {
                let permission = self.permission(
                    &mut inner,
                    kind,
                    answer,
                    &Asked { call: *call, rules, request, outbox: outbox.clone() },
                );
                outbox.send(SessionEvent::PermissionResolved { request_id, option });
                let _ = reply.send(permission);
            }
            Reply::Choice(reply) => {
                outbox.send(SessionEvent::PermissionResolved { request_id, option });
                let _ = reply.send(chosen(&request, kind, answer));
            }
        }
        self.go_on(&mut inner);
        true
    }

    /// What an answer to a question for leave comes to.
    fn permission(
        &self,
        inner: &mut Inner,
        kind: PermissionOptionKind,
        answer: &PermissionAnswer,
        asked: &Asked,
    ) -> Permission {
        match kind {
            PermissionOptionKind::AllowOnce | PermissionOptionKind::AllowAlways => {
                for update in &answer.updates {
                    if let Err(why) = self.update(inner, update) {
                        asked.outbox.message(notice((self.clock)(), &why));
                    }
                }
                // A rule that was made for another call was not agreed to.
                if let Some(input) = answer.updated_input.clone().filter(|input| *input != asked.call.input) {
                    return Permission::Changed(input);
                }
                if kind == PermissionOptionKind::AllowAlways {
                    self.keep(inner, &asked.rules, &answer.option_id, &asked.outbox);
                }
                Permission::Granted
            }
            PermissionOptionKind::RejectOnce | PermissionOptionKind::RejectAlways => {
                inner.deny(&asked.call, &asked.request.tool_use_id);
                let why = match answer.by {
                    AnsweredBy::Person => denial(answer.feedback.as_deref()),
                    AnsweredBy::Nobody => unasked(&asked.request.explanation, &asked.request.rules),
                };
                if answer.interrupt { Permission::Interrupted(why) } else { Permission::Denied(why) }
            }
        }
    }

    /// For the session, and for good if that was chosen. What can't be saved is told.
    fn keep(&self, inner: &mut Inner, rules: &[Rule], option: &str, outbox: &Outbox) {
        inner.policy.grant(rules);
        if option == SAVE
            && let Err(why) = self.book.save(SettingsFile::Local, Behavior::Allow, rules)
        {
            outbox.message(notice((self.clock)(), &why));
        }
    }

    /// An error is for the person. What can't be kept for good holds for the session all the same.
    fn update(&self, inner: &mut Inner, update: &PermissionUpdate) -> Result<(), String> {
        match (&update.what, update.keep) {
            (Update::Mode(mode), Keep::Session) => self.mode.set(*mode),
            (Update::Folders { how, folders }, Keep::Session) => inner.policy.change_folders(*how, folders),
            (Update::Rules { how, behavior, rules }, keep) => {
                inner.policy.change_rules(*how, *behavior, rules)?;
                match (how, keep) {
                    (_, Keep::Session) => Ok(()),
                    (How::Add, Keep::File(file)) => self.book.save(file, *behavior, rules),
                    (How::Replace | How::Remove, Keep::File(_)) => Err(FOR_SESSION_ONLY.to_owned()),
                }
            }
            (Update::Mode(_) | Update::Folders { .. }, Keep::File(_)) => Err(FOR_SESSION_ONLY.to_owned()),
        }
    }

    /// Puts a question behind those that wait.
    fn put(&self, request: PermissionRequest, reply: Reply, outbox: &Outbox) -> Withdrawal {
        let mut inner = self.lock();
        let request_id = request.id.clone();
        let first = inner.waiting.is_empty();
        inner.waiting.push_back(Waiting { request, outbox: outbox.clone(), reply });
        if first {
            self.go_on(&mut inner);
        }
        Withdrawal { questions: self.clone(), request_id }
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
            self.go_on(&mut inner);
        }
    }

    /// The mode is another now: questions that need not be asked any more are answered.
    pub(super) fn mode_changed(&self) {
        let mut inner = self.lock();
        let Some(permission) = inner.settled(&self.policy_of(&inner)) else { return };
        if let Some(Waiting { outbox, request, reply: Reply::Leave { reply, .. } }) =
            inner.waiting.pop_front()
        {
            outbox.send(SessionEvent::PermissionResolved { request_id: request.id, option: None });
            let _ = reply.send(permission);
            self.go_on(&mut inner);
        }
    }

    /// Asks the next question that is not answered by what was granted meanwhile.
    fn go_on(&self, inner: &mut Inner) {
        let policy = self.policy_of(inner);
        while let Some(next) = inner.waiting.front() {
            let Some(permission) = inner.settled(&policy) else {
                next.outbox.send(SessionEvent::PermissionAsked(next.request.clone()));
                return;
            };
            if let Some(Waiting { reply: Reply::Leave { reply, .. }, .. }) = inner.waiting.pop_front() {
                let _ = reply.send(permission);
            }
        }
    }

    fn policy_of(&self, inner: &Inner) -> Policy {
        let written = self.book.current();
        Policy { mode: self.mode.get(), ..written.policy(inner.policy.clone()) }
    }

    /// Says what is newly wrong with what is written.
    fn tell_problems(&self, inner: &mut Inner, outbox: &Outbox) {
        for problem in &self.book.current().problems {
            if !inner.told.contains(problem) {
                inner.told.push(problem.clone());
                outbox.message(notice((self.clock)(), problem));
            }
        }
        if let Some(editor) = &self.editor
            && let Some(waiting) = self.book.newly_waiting(self.trust_by)
        {
            editor.show_message(Loudness::Warning, format!("Copydesk: {waiting}"));
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    fn deny(&mut self, call: &Call, id: &ToolUseId) {
        let (tool, input) = (call.tool.clone(), call.input.clone());
        self.denials.push(PermissionDenial { tool, tool_use_id: id.clone(), input });
    }

    /// What comes of the first that waits, if it need not be asked any more.
    fn settled(&self, policy: &Policy) -> Option<Permission> {
        match &self.waiting.front()?.reply {
            Reply::Leave { call, .. } => settled(&decide(call, policy)),
            Reply::Choice(_) => None,
        }
    }
}

impl CanUseTool for Questions {
    fn can_use(&self, id: &ToolUseId, call: Call, outbox: &Outbox) -> BoxFuture<'static, Permission> {
        let mut inner = self.lock();
        self.tell_problems(&mut inner, outbox);
        let question = match decide(&call, &self.policy_of(&inner)) {
            Verdict::Allow => return future::ready(Permission::Granted).boxed(),
            Verdict::Deny(why) => {
                inner.deny(&call, id);
                return future::ready(Permission::Denied(why)).boxed();
            }
            Verdict::Ask(question) => {
                let save = question.save.in_folder(self.book.current().trusted, self.trust_by);
                Question { save, ..question }
            }
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

    fn forbidden(&self, call: &Call) -> Option<String> {
        match decide(call, &self.policy()) {
            Verdict::Deny(why) => Some(why),
            Verdict::Allow | Verdict::Ask(_) => None,
        }
    }

    fn take_denials(&self) -> Vec<PermissionDenial> {
        std::mem::take(&mut self.lock().denials)
    }
}

const FOR_SESSION_ONLY: &str = "A file of settings takes new rules only, so this was not saved: change the file by hand, or name the session.";

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
    if answer.by == AnsweredBy::Nobody {
        return Chosen::Nobody;
    }
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
