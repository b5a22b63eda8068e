//! The desk's own task: one message after the other, and what time brings.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use tokio::sync::mpsc::{UnboundedReceiver, WeakUnboundedSender};
use tokio::sync::oneshot::Sender;
use tokio::sync::watch;
use tokio::time::Instant;

use super::Waits;
use super::file::File;
use super::message::Message;
use super::went_in::WentIn;
use super::whole::{Key, Whole};
use crate::conversation::SessionId;
use crate::documents::{AbsPath, FileStateCache, Workspace};
use crate::editor::Editor;
use crate::review::{HunkIds, ReviewView, Told};

/// What is typed is shown this long after the first key of it: about one picture on a screen. Whoever asks sees it at once.
const FRAME: Duration = Duration::from_millis(16);

/// Everything under review. Its folder's files each add what it does about one thing.
pub(super) struct Desk {
    pub documents: Arc<FileStateCache>,
    pub workspace: Arc<Workspace>,
    pub editor: Arc<dyn Editor>,
    pub waits: Waits,
    /// For answers of the editor that come back as messages; weak, so that the desk ends with its last handle.
    pub messages: WeakUnboundedSender<Message>,
    /// By real path: every open file, and every file that a session has a draft of.
    pub files: BTreeMap<AbsPath, File>,
    /// Where the user moved files with drafts.
    pub moved: HashMap<AbsPath, AbsPath>,
    /// The agent's own renames that wait for a decision: new path to old.
    pub renames: HashMap<(SessionId, AbsPath), AbsPath>,
    /// What commands propose of files beside their text.
    pub whole: BTreeMap<Key, Whole>,
    /// The last revision that one of them got: none is given twice.
    pub whole_revisions: u32,
    /// What became of them, until the session is told.
    pub whole_told: Vec<(SessionId, Told)>,
    /// Sessions whose changes are accepted as they come.
    pub as_they_come: HashSet<SessionId>,
    /// What was accepted so and written to disk.
    pub went_in: Vec<WentIn>,
    /// Files of which it was said which encoding they are read in.
    pub guesses_told: HashSet<AbsPath>,
    /// Hunk names, unique over all drafts.
    pub ids: HunkIds,
    pub claims_made: u64,
    /// When to look after a file again. It may name a time that means nothing any more.
    pub timers: BTreeSet<(Instant, AbsPath)>,
    pub shown: Arc<ReviewView>,
    /// When the view has to be made anew, if something may have changed since.
    show_by: Option<Instant>,
    answers: Vec<Box<dyn FnOnce() + Send + Sync>>,
}

pub(super) async fn run(
    mut desk: Desk,
    mut inbox: UnboundedReceiver<Message>,
    show: watch::Sender<Arc<ReviewView>>,
) {
    loop {
        let due = desk.timers.first().map(|(due, _)| *due);
        let message = tokio::select! {
            biased;
            message = inbox.recv() => match message {
                Some(message) => Some(message),
                None => return,
            },
            () = at(due.into_iter().chain(desk.show_by).min()) => None,
        };
        let can_wait = matches!(message, Some(Message::Changed(_))) || !inbox.is_empty();
        let step = async {
            desk.time_passed().await;
            if let Some(message) = message {
                desk.handle(message).await;
            }
        };
        if AssertUnwindSafe(step).catch_unwind().await.is_err() {
            tracing::error!("a message to the review desk was dropped: handling it panicked");
        }
        let now = Instant::now();
        let by = *desk.show_by.get_or_insert(now + FRAME);
        if !can_wait || by <= now || !desk.answers.is_empty() {
            desk.show_by = None;
            desk.show(&show);
            desk.answers.drain(..).for_each(|answer| answer());
        }
    }
}

async fn at(due: Option<Instant>) {
    match due {
        Some(due) => tokio::time::sleep_until(due).await,
        None => std::future::pending().await,
    }
}

impl Desk {
    pub(super) fn new(
        documents: Arc<FileStateCache>,
        workspace: Arc<Workspace>,
        editor: Arc<dyn Editor>,
        waits: Waits,
        messages: WeakUnboundedSender<Message>,
    ) -> Self {
        Self {
            documents,
            workspace,
            editor,
            waits,
            messages,
            files: BTreeMap::new(),
            moved: HashMap::new(),
            renames: HashMap::new(),
            whole: BTreeMap::new(),
            whole_revisions: 0,
            whole_told: Vec::new(),
            as_they_come: HashSet::new(),
            went_in: Vec::new(),
            guesses_told: HashSet::new(),
            ids: HunkIds::default(),
            claims_made: 0,
            timers: BTreeSet::new(),
            shown: Arc::default(),
            show_by: None,
            answers: Vec::new(),
        }
    }

    async fn handle(&mut self, message: Message) {
        match message {
            Message::Opened(opened) => self.opened(opened).await,
            Message::Changed(changed) => self.changed(changed),
            Message::Closed(closed) => self.closed(closed).await,
            Message::Lost(paths) => self.lost(&paths),
            Message::Saved(path) => self.saved(&path),
            Message::DiskChanged { paths, command_of } => self.disk_changed(paths, command_of.as_ref()).await,
            Message::Renamed { from, to } => self.renamed(&from, &to),
            Message::Acceptance { session, acceptance } => self.set_acceptance(session, acceptance),
            Message::AgentView { session, path, reply } => {
                let view = self.agent_view(&session, &path).await;
                self.answer(reply, view);
            }
            Message::Drafts { session, reply } => {
                let drafts = self.drafts(&session);
                self.answer(reply, drafts);
            }
            Message::Propose { propose, reply } => {
                let proposed = self.propose(propose).await;
                self.answer(reply, proposed);
            }
            Message::ProposeWhole { propose, reply } => {
                let proposed = self.propose_whole(propose).await;
                self.answer(reply, proposed);
            }
            Message::Wholes { session, reply } => {
                let wholes = self.agents_wholes(&session).await;
                self.answer(reply, wholes);
            }
            Message::TakeTold { session, reply } => {
                let told = self.take_told(&session);
                self.answer(reply, told);
            }
            Message::WentIn { session, reply } => {
                let went_in = self.what_went_in(&session);
                self.answer(reply, went_in);
            }
            Message::Plan { decision, reply } => {
                let plan = self.plan(decision).await;
                self.answer(reply, plan);
            }
            Message::Carry { part, reply } => self.carry(part, reply).await,
            Message::Claimed(hunks) => self.claimed(hunks),
            Message::Replied { claim, reply } => self.replied(claim, reply),
            Message::TakeBack(edit) => self.take_back(edit),
            Message::TakeBackAccepts { path, hunks, reply } => {
                self.take_back_accepts(&path, &hunks, reply).await;
            }
            Message::EchoWait(time) => self.waits.echo = time,
            Message::Settled(reply) => {
                self.make_view();
                self.answer(reply, self.shown.clone());
            }
        }
    }

    /// Answers once the view shows what the answer speaks of.
    pub(super) fn answer<T: Send + Sync + 'static>(&mut self, reply: Sender<T>, answer: T) {
        // Nobody waits any more: then nobody needs it.
        self.answers.push(Box::new(move || drop(reply.send(answer))));
    }

    /// Looks after `path` again then.
    pub(super) fn set_timer(&mut self, due: Instant, path: &AbsPath) {
        self.timers.insert((due, path.clone()));
    }

    /// How a person reads `path`.
    pub(super) fn display(&self, path: &AbsPath) -> String {
        self.workspace.display(path)
    }

    async fn time_passed(&mut self) {
        let now = Instant::now();
        while let Some((due, path)) = self.timers.pop_first() {
            if due > now {
                self.timers.insert((due, path));
                break;
            }
            self.closing_due(&path, now).await;
            self.claims_due(&path, now);
        }
    }
}
