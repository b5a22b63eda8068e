//! What a person decides, about which hunks, and what came of it.

use std::collections::HashMap;
use std::sync::Arc;

use super::{FileKind, FileReview, HunkId};
use crate::conversation::SessionId;
use crate::documents::AbsPath;

/// One decision.
#[derive(Clone, Debug, PartialEq)]
pub struct Decision {
    pub decide: Decide,
    pub target: Target,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Decide {
    Accept,
    Reject {
        reason: Option<String>,
    },
    /// Part of one hunk: indexes into its old and its new lines.
    AcceptLines {
        minus: Vec<usize>,
        plus: Vec<usize>,
    },
    RejectLines {
        minus: Vec<usize>,
        plus: Vec<usize>,
    },
    /// Settle a conflict.
    Resolve(Take),
    /// The user's own words in the place of the agent's: whole lines.
    Amend {
        text: String,
    },
}

/// Who says yes to what a session's agent proposes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Acceptance {
    /// The person, to each change.
    Asked,
    /// Nobody: each change is accepted as it comes, unless somebody may mind. What deletes a file or replaces
    /// its text as a whole, what conflicts, lines in which the user typed just now, what the user took back before, and
    /// what [`Reason::must_ask`](super::Reason::must_ask) is about wait for the person.
    AsTheyCome,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Take {
    Mine,
    Agents,
    /// The draft becomes the buffer, and the agent is asked to do it again with both texts before it.
    Redo,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Target {
    All {
        session: Option<SessionId>,
    },
    File(AbsPath),
    /// All of a file that one session offers, unless it offers something else by now.
    Offer {
        path: AbsPath,
        session: SessionId,
        /// [`FileReview::offer`](super::FileReview::offer) as it was shown.
        offer: u32,
    },
    /// All that is pending in these files, unless one of them holds something that was not shown.
    Shown(Vec<ShownFile>),
    Hunk(HunkRef),
    /// What is proposed of a file beside its hunks, and nothing else of it.
    Whole {
        path: AbsPath,
        session: SessionId,
        /// [`WholeFile::revision`](super::WholeFile::revision) as it was shown.
        revision: u32,
    },
}

/// What was shown of one session's changes of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct ShownFile {
    pub path: AbsPath,
    pub session: SessionId,
    /// `None`: nothing.
    pub shown: Option<Arc<FileReview>>,
}

impl ShownFile {
    /// Whether everything there is to decide on now was shown as it is now.
    pub fn covers(&self, now: &FileReview) -> bool {
        let Some(shown) = &self.shown else { return false };
        let whole = |file: &FileReview| file.whole.as_ref().map(|whole| whole.revision);
        if whole(now).is_some() && whole(shown) != whole(now) {
            return false;
        }
        let is_text = now.buffer != now.draft || matches!(now.kind, FileKind::Rename { .. });
        if now.hunks.is_empty() && whole(now).is_some() && !is_text {
            return true;
        }
        if now.hunks.is_empty() || shown.hunks.is_empty() {
            return shown.offer() == now.offer();
        }
        let revisions: HashMap<&HunkId, u32> =
            shown.hunks.iter().map(|hunk| (&hunk.id, hunk.revision)).collect();
        shown.kind == now.kind && now.hunks.iter().all(|hunk| revisions.get(&hunk.id) == Some(&hunk.revision))
    }
}

/// A hunk as it was shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HunkRef {
    pub id: HunkId,
    /// A decision on an older revision decides nothing. `None`: whichever it is now.
    pub revision: Option<u32>,
}

/// What a decision did to one hunk, or to a file without hunks.
#[derive(Clone, Debug, PartialEq)]
pub struct DecisionResult {
    pub path: AbsPath,
    pub hunk: Option<HunkId>,
    pub outcome: Outcome,
    /// Why not, and what to do: for the person.
    pub message: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Seen in the editor's own text, or written to the closed file.
    Accepted,
    Rejected,
    Amended,
    Pending,
    Conflicted,
    /// Nothing of that name, or it changed since it was shown.
    Stale,
}
