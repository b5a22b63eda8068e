//! What handlers and the tasks beside them share: the core, the line out, and what was shown so far.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use super::answers::Answers;
use super::commands::{AcceptedFile, CommandIds};
use super::configuration::Configuration;
use super::core::Core;
use super::outgoing::Outgoing;
use super::progress::Running;
use super::remote_editor::RemoteEditor;
use super::shown_so_far::ShownSoFar;
use super::surface::chat::{Chat, ChatParts};
use super::surface::question::Asker;
use super::surface::{HalfDone, ReviewFiles, Scene, items};
use crate::agent::{SessionState, StartTask};
use crate::conversation::{ContentBlock, SessionId};
use crate::editor::{Editor, Loudness};
use crate::review::{Decide, Decision, DecisionResult};

type Partner = Arc<Mutex<Option<SessionId>>>;

/// Cheap to clone.
#[derive(Clone)]
pub(super) struct Stage {
    pub(super) core: Core,
    pub(super) editor: Arc<RemoteEditor>,
    pub(super) outgoing: Outgoing,
    pub(super) commands: CommandIds,
    pub(super) configuration: Configuration,
    pub(super) review_files: Arc<ReviewFiles>,
    pub(super) shown: ShownSoFar,
    pub(super) running: Running,
    pub(super) asker: Asker,
    pub(super) answers: Answers,
    pub(super) chat: Chat,
    /// The session that the chat file speaks with; `None`: a new one.
    partner: Partner,
    half_done: Arc<Mutex<Option<Arc<HalfDone>>>>,
    /// Something beside the review has changed what is shown.
    redraw: Arc<Notify>,
}

impl Stage {
    /// Must be called within a runtime.
    pub(super) fn new(
        core: Core,
        editor: Arc<RemoteEditor>,
        outgoing: Outgoing,
        commands: CommandIds,
    ) -> Self {
        let partner = Partner::default();
        let chat = chat(&core, editor.clone(), partner.clone());
        let (sessions, editor_of_answers) = (core.sessions.clone(), editor.clone());
        let answers =
            Answers { sessions, editor: editor_of_answers, outgoing: outgoing.clone(), chat: chat.clone() };
        let taken = answers.clone();
        let answer = move |id: &str, answer| {
            taken.answer(id, answer);
        };
        Self {
            asker: Asker::start(editor.clone(), answer),
            answers,
            chat,
            partner,
            half_done: Arc::default(),
            configuration: Configuration::of(&core),
            core,
            editor,
            outgoing,
            commands,
            review_files: Arc::default(),
            shown: ShownSoFar::default(),
            running: Running::default(),
            redraw: Arc::default(),
        }
    }

    /// Everything that surfaces are drawn from, as it is now.
    pub(super) fn scene(&self) -> Scene {
        Scene {
            review: self.core.desk.view(),
            features: self.editor.features(),
            workspace: self.core.workspace.clone(),
            settings: self.configuration.surfaces(),
            own_actions: self.configuration.now().settings.actions.value.clone(),
            questions: self.asker.open().as_ref().clone(),
            review_files: self.review_files.all(),
            half_done: lock(&self.half_done).clone(),
            running: self.core.sessions.list().iter().any(|session| session.state != SessionState::Idle),
            asks_for_trust: !self.core.rules.current().waiting_for_trust.is_empty(),
            commands: self.commands.clone(),
        }
    }

    /// The chat file speaks with this session from now on.
    pub(super) fn talk_with(&self, session: SessionId) {
        *lock(&self.partner) = Some(session);
    }

    /// Carries a decision out, and remembers what it leaves half done.
    pub(super) async fn decide(&self, decision: Decision) -> (Vec<DecisionResult>, Option<Arc<HalfDone>>) {
        let accepts = matches!(decision.decide, Decide::Accept);
        let before = self.core.desk.settled().await;
        let results = self.core.desk.decide(decision).await;
        let half_done = if accepts { HalfDone::of(&results, &before, &self.core.workspace) } else { None };
        let half_done = half_done.map(Arc::new);
        lock(&self.half_done).clone_from(&half_done);
        (results, half_done)
    }

    /// All that was left half done has been taken back but for this.
    pub(super) fn still_half_done(&self, left: &[AcceptedFile]) {
        let mut half_done = lock(&self.half_done);
        *half_done = half_done.as_ref().and_then(|all| all.only(left)).map(Arc::new);
    }

    /// The editor goes: whatever runs is cancelled, and what is of no use without an editor is removed.
    pub(super) fn close(&self) {
        self.core.sessions.cancel_all();
        self.review_files.remove(&self.core.workspace);
    }

    /// Has the surfaces drawn again.
    pub(super) fn redraw(&self) {
        self.redraw.notify_one();
    }

    /// Wakes when `redraw` was called.
    pub(super) async fn redrawn(&self) {
        self.redraw.notified().await;
    }
}

/// The keeper of the chat file.
fn chat(core: &Core, editor: Arc<dyn Editor>, partner: Partner) -> Chat {
    let sessions = core.sessions.clone();
    let teller = editor.clone();
    let send = move |text: String| {
        let prompt = vec![ContentBlock::text(text)];
        let mut partner = lock(&partner);
        let (session, task) =
            sessions.start(StartTask { session: partner.take(), prompt, context: None, token_budget: None });
        // Until the first paragraph of the answer comes, nothing else is to be seen in most editors.
        let features = teller.features();
        if !features.copydesk.events && !features.messages_wait {
            let info = sessions.list().into_iter().find(|info| info.session == session);
            let who = info.map(|info| format!(": {}", info.model)).unwrap_or_default();
            teller.show_message(Loudness::Info, format!("Copydesk is at work{who}"));
        }
        *partner = Some(session);
        task
    };
    let desk = core.desk.clone();
    Chat::start(ChatParts {
        documents: core.documents.clone(),
        workspace: core.workspace.clone(),
        editor,
        updates: core.sessions.subscribe(),
        send: Box::new(send),
        to_review: Box::new(move || items(&desk.view()).count()),
    })
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
