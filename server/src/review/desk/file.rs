//! One file on the desk: what the user has, where that comes from, and every session's draft of it.

use std::collections::{BTreeMap, BTreeSet, HashSet, VecDeque};
use std::sync::Arc;

use tokio::sync::oneshot::Sender;
use tokio::time::Instant;

use super::part::Part;
use super::typed::TypedLines;
use super::under_way::Claim;
use crate::conversation::SessionId;
use crate::documents::{AbsPath, Stamp, Text};
use crate::review::{DecisionResult, Draft, FileReview, HunkId, Reason, ShownHunks, ToldWhat, unified_diff};

/// Lines of a diff that the agent is told.
pub(super) const DIFF_LINES: usize = 20;

/// Why nothing is accepted in a file of which a change was lost, as a part of a sentence.
pub(super) const LOST: &str = "what the editor shows there is not known: close the file and open it again";

pub(super) struct File {
    /// `None`: there is no such file.
    pub buffer: Option<Text>,
    pub source: Source,
    /// Open, and a change of it was lost: the buffer is not what the editor shows, so nothing is read from it or sent for it.
    pub lost: bool,
    /// What the editor last read from the disk or wrote to it, as far as that is known.
    pub saved: Option<Text>,
    /// Open with unsaved text, and another program has written something else to the disk.
    pub disk_differs: bool,
    pub drafts: BTreeMap<SessionId, DraftFile>,
    /// Where the user typed just now, while anything is accepted without asking.
    pub typed: TypedLines,
    pub claims: Vec<Claim>,
    /// Hunks whose claim came to nothing, for as long as their echo may still come.
    pub expired: Vec<(SessionId, HunkId, Instant)>,
    /// Accepts that wait for the one under way: an edit for a version that is about to pass would be refused.
    pub queue: VecDeque<(Part, Sender<Vec<DecisionResult>>)>,
}

/// Where the buffer's text comes from.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Source {
    Open {
        uri: String,
        version: i32,
    },
    /// Closed just now; if nobody opens it again until then, the disk speaks for it.
    Closing {
        until: Instant,
        was: Stamp,
    },
    /// `None`: no file.
    Disk {
        hash: Option<u64>,
    },
}

/// One session's draft of one file.
pub(super) struct DraftFile {
    pub draft: Draft,
    pub rename: Option<Rename>,
    /// Why the file as a whole is created, deleted or renamed.
    pub reasons: Vec<Reason>,
    /// The agent's side as the agent knows it: after its own last change, a decision, or the last telling.
    pub known: Option<Text>,
    /// Whose hands changed the buffer since then.
    pub hands: BTreeSet<Hand>,
    /// Others than the user have changed the buffer beside this draft.
    pub others: bool,
    /// What the desk itself has to tell: what the draft can't know.
    pub told: Vec<ToldWhat>,
    /// When edits that were sent are no longer looked for.
    pub forget_sent: Option<Instant>,
    /// Hunks that the person decides on whatever was agreed: they come from a change that leaves nothing of a text that was
    /// there.
    pub overwriting: HashSet<HunkId>,
    pub shown: Shown,
    /// The hunks of the last view that was made.
    pub last_hunks: ShownHunks,
}

/// What the view has of a draft.
pub(super) enum Shown {
    /// It must be made anew.
    Outdated,
    /// Nothing is left to decide.
    Nothing,
    File(Arc<FileReview>),
}

pub(super) struct Rename {
    pub to: AbsPath,
}

/// Who changed a buffer, as the agent is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Hand {
    User,
    /// Another program, on disk.
    Disk,
    /// A command of the same session's agent.
    OwnCommand,
    /// The user, by accepting what another session proposed.
    OtherSession,
}

impl File {
    pub(super) fn new(buffer: Option<Text>, source: Source) -> Self {
        Self {
            buffer,
            source,
            lost: false,
            saved: None,
            disk_differs: false,
            drafts: BTreeMap::new(),
            typed: TypedLines::default(),
            claims: Vec::new(),
            expired: Vec::new(),
            queue: VecDeque::new(),
        }
    }

    pub(super) fn is_open(&self) -> bool {
        matches!(self.source, Source::Open { .. })
    }

    /// Of the buffer; `None` if there is no file.
    pub(super) fn stamp(&self) -> Option<Stamp> {
        match &self.source {
            Source::Open { uri, version } => Some(Stamp::Open { version: *version, uri: uri.clone() }),
            Source::Closing { was, .. } => Some(was.clone()),
            Source::Disk { hash } => hash.map(|hash| Stamp::Disk { hash }),
        }
    }

    /// Every session's view of it must be made anew.
    pub(super) fn touch(&mut self) {
        for draft in self.drafts.values_mut() {
            draft.shown = Shown::Outdated;
        }
    }
}

impl DraftFile {
    pub(super) fn new(draft: Draft) -> Self {
        Self {
            known: draft.text(),
            draft,
            rename: None,
            reasons: Vec::new(),
            hands: BTreeSet::new(),
            others: false,
            told: Vec::new(),
            forget_sent: None,
            overwriting: HashSet::new(),
            shown: Shown::Outdated,
            last_hunks: ShownHunks::default(),
        }
    }

    /// Before the agent's side changes by the agent's hand or a decision: what others changed until now is put down, so
    /// that it is told as theirs.
    pub(super) fn note_changes(&mut self) {
        let hands = std::mem::take(&mut self.hands);
        if hands.is_empty() {
            return;
        }
        let now = self.draft.text();
        if let (Some(known), Some(now)) = (&self.known, &now)
            && let Some(diff) = unified_diff(known, now, DIFF_LINES)
        {
            self.told.push(ToldWhat::FileChanged { by: in_words(&hands), diff });
        }
        self.known = now;
    }

    /// After such a change: the agent knows of it.
    pub(super) fn is_known(&mut self) {
        self.known = self.draft.text();
        self.shown = Shown::Outdated;
    }

    /// Nothing is left to decide.
    pub(super) fn is_settled(&self) -> bool {
        self.rename.is_none() && self.draft.is_settled()
    }
}

fn in_words(hands: &BTreeSet<Hand>) -> &'static str {
    let mut hands = hands.iter();
    match (hands.next(), hands.next()) {
        (None | Some(Hand::User), None) => "the user",
        (Some(Hand::Disk), None) => "another program",
        (Some(Hand::OwnCommand), None) => "your own command",
        (Some(Hand::OtherSession), None) => "the user, by accepting a change of another session",
        (_, Some(_)) => "the user and others",
    }
}
