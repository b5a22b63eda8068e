//! An accept that the editor was handed and the text does not show yet.

use tokio::sync::oneshot::Sender;
use tokio::time::Instant;

use crate::conversation::SessionId;
use crate::review::{DecisionResult, HunkId};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ClaimId(pub u64);

/// Hunks whose edits the editor has, and whose echo is waited for.
pub(super) struct Claim {
    pub id: ClaimId,
    pub session: SessionId,
    pub kind: ClaimKind,
    /// Hunks that the text does not show yet.
    pub waiting: Vec<HunkId>,
    pub results: Vec<DecisionResult>,
    /// When it is void. The client's answer sets it anew; without one the text alone counts.
    pub until: Instant,
    /// Why the client did not apply it, in its own words.
    pub refusal: Option<String>,
    /// `None`: nobody asked, the editor took the edits from a code action.
    pub reply: Option<Sender<Vec<DecisionResult>>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ClaimKind {
    Whole,
    /// Some lines of a hunk: the rest stays pending.
    Lines,
}
