//! Compaction: a summary, made by the model itself, takes the place of a conversation that has grown too long.

use super::query::QueryParams;
use super::state::RoundContext;
use crate::conversation::{Message, Usage};

/// Why a summary is made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Compaction {
    /// The conversation has reached the threshold.
    Auto,
    /// The provider refused it as too long, by so many tokens if it said so.
    Reactive { over_by: Option<u64> },
    /// The user asked for it, perhaps with a word on what matters.
    Manual { instructions: String },
}

/// The conversation from here on.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Compacted {
    /// Boundary, summary, kept messages, files shown again.
    pub(super) messages: Vec<Message>,
    pub(super) usage: Usage,
}

/// Why there is no summary. The conversation is as it was.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum CompactionFailure {
    #[error("The task was cancelled.")]
    Cancelled,
    #[error("{0}")]
    Failed(String),
}

/// Asks the model for a summary of `view`. Nothing is changed but what counts as seen.
pub(super) async fn compact(
    _params: &QueryParams,
    _view: &[Message],
    _how: Compaction,
    _context: &RoundContext,
) -> Result<Compacted, CompactionFailure> {
    Err(CompactionFailure::Failed("The conversation is too long: start a new one to go on.".to_owned()))
}
