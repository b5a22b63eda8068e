//! A person's decision in parts: one for each file whose buffer or bytes it changes.

use crate::conversation::SessionId;
use crate::documents::AbsPath;
use crate::review::{DecisionResult, HunkId, HunkRef, Outcome};

/// What is left to do, and what is done already.
pub(super) struct Plan {
    pub results: Vec<DecisionResult>,
    pub parts: Vec<Part>,
    /// The first part that fails ends it.
    pub bulk: bool,
}

/// One file's share of a decision.
#[derive(Debug)]
pub(super) struct Part {
    pub path: AbsPath,
    pub session: SessionId,
    pub act: Act,
}

#[derive(Debug)]
pub(super) enum Act {
    /// Without hunks: the file as a whole is created, deleted or renamed.
    Accept(Vec<HunkRef>),
    /// Without a person's word, if nobody may mind when it is its turn.
    AsItComes(Vec<HunkRef>),
    AcceptLines {
        hunk: HunkRef,
        minus: Vec<usize>,
        plus: Vec<usize>,
    },
    TakeAgents(HunkRef),
    /// What is proposed of the file beside its text, in this revision.
    Whole(u32),
}

impl Act {
    pub(super) fn hunks(&self) -> &[HunkRef] {
        match self {
            Self::Accept(hunks) | Self::AsItComes(hunks) => hunks,
            Self::AcceptLines { hunk, .. } | Self::TakeAgents(hunk) => std::slice::from_ref(hunk),
            Self::Whole(_) => &[],
        }
    }
}

pub(super) fn result(
    path: &AbsPath,
    hunk: Option<&HunkId>,
    outcome: Outcome,
    message: Option<String>,
) -> DecisionResult {
    DecisionResult { path: path.clone(), hunk: hunk.cloned(), outcome, message }
}
