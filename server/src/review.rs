//! For each file there are two texts: the *buffer* (what the user has) and the *draft* (what the agent would have). A
//! hunk is a place where they differ. Accepting a hunk makes the buffer equal to the draft there; rejecting it makes the
//! draft equal to the buffer there. A change by the user goes into both.

mod accepted;
mod alignment;
mod at_end;
mod claim;
mod decide;
mod decision;
mod delta;
mod desk;
mod diff;
mod draft;
mod existence;
mod git_name;
mod hunk;
mod inline;
mod line;
mod merge;
mod moves;
mod partial;
mod patch;
mod place;
mod proposal;
mod propose;
mod reconcile;
mod refusal;
mod row;
mod settle;
mod shown;
mod take_back;
mod told;
mod view;
mod whole_file;
mod whole_text;
mod whole_words;

pub use decision::{Acceptance, Decide, Decision, DecisionResult, HunkRef, Outcome, ShownFile, Take, Target};
pub use desk::{DeskHandle, MakeProposal, Waits};
pub use draft::{Draft, Existence, ShownHunks};
pub use git_name::git_name;
pub use merge::{TextConflict, three_way};
pub use patch::{PatchHunk, patch, unified_diff};
pub use proposal::{
    AgentView, ComesIn, Extent, HalfMove, Proposal, ProposeError, Proposed, Reason, Told, ToldWhat,
};
pub use refusal::{Refusal, Warning};
pub use view::{
    Accept, FileKind, FileReview, HunkId, HunkIds, HunkState, HunkView, InlineMark, ReviewView, Side,
};
pub use whole_file::{AgentBytes, AgentWhole, ModeChange, WholeBytes, WholeChange, WholeFile};
pub use whole_text::replaces_all;
pub use whole_words::Bits;
