//! What is said to the person when a decision is not carried out, or went wrong.

use crate::documents::Change;

/// Why a decision was not carried out; nothing was changed. For the person.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Refusal(pub String);

/// Something went wrong on the way between editor and server, or is likely to be a slip. For the person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    pub message: String,
    /// Edits of the buffer, as it is right after the change that caused the warning, that take the damage back.
    pub inverse: Option<Vec<Change>>,
}
