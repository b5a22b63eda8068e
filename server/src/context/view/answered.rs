//! A call that has its result, as far as every step asks about it in every round: found once, and small.

use crate::context::calls::{Call, Place};
use crate::context::log::{ContextLog, Fate};
use crate::conversation::ToolUseId;

#[derive(Clone, Copy, Debug)]
pub(in crate::context) struct Answered {
    pub(in crate::context) call: Place,
    pub(in crate::context) result: Place,
    /// Answers of the model before this one.
    pub(in crate::context) round: usize,
    /// Calls that are made in the same words have the same.
    pub(in crate::context) kind: usize,
    /// Calls that are about the same file have the same; `None`: it is about none.
    pub(in crate::context) file: Option<usize>,
    pub(in crate::context) tool: ToolClass,
    pub(in crate::context) fate: Fated,
    /// A fold of the result is made, or waits for the need of it.
    pub(in crate::context) folded: bool,
    /// Whether the result shows something.
    pub(in crate::context) shows: bool,
    pub(in crate::context) shows_whole_file: bool,
    pub(in crate::context) denied: bool,
    /// The result is nothing but blank text.
    pub(in crate::context) blank: bool,
    /// Bytes of text in the result.
    pub(in crate::context) bytes: usize,
    /// Characters of it; `None`: there is something else in it.
    pub(in crate::context) chars: Option<usize>,
}

/// What the steps tell apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::context) enum ToolClass {
    Read,
    /// It changes a file.
    Change,
    /// Its result can be had again.
    Again,
    Other,
}

/// What was decided on the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::context) enum Fated {
    Open,
    Kept,
    Replaced,
    Cleared,
}

impl Answered {
    /// `file`: its number.
    pub(super) fn new(
        of: &Call<'_>,
        place: Place,
        kind: usize,
        file: Option<usize>,
        log: &ContextLog,
    ) -> Self {
        Self {
            call: place,
            result: of.result.place,
            round: of.round,
            kind,
            file,
            tool: ToolClass::of(of.name),
            fate: Fated::of(of.id, log),
            folded: false,
            shows: of.shows(),
            shows_whole_file: of.shows_whole_file(),
            denied: of.was_denied(),
            blank: of.result.texts().is_some_and(|texts| texts.iter().all(|text| text.trim().is_empty())),
            bytes: of.result.bytes(),
            chars: of.result.chars(),
        }
    }

    pub(in crate::context) fn is_cleared(&self) -> bool {
        self.fate == Fated::Cleared
    }
}

impl ToolClass {
    fn of(name: &str) -> Self {
        match name {
            "Read" => Self::Read,
            "Edit" | "Write" => Self::Change,
            "Bash" | "Grep" | "Glob" | "WebSearch" | "WebFetch" => Self::Again,
            _ => Self::Other,
        }
    }

    /// Whether results of it can be had again, or were only a confirmation.
    pub(in crate::context) fn is_compactable(self) -> bool {
        self != Self::Other
    }
}

impl Fated {
    pub(super) fn of(id: &ToolUseId, log: &ContextLog) -> Self {
        match log.fate(id) {
            None => Self::Open,
            Some(Fate::Kept) => Self::Kept,
            Some(Fate::Replaced(_)) => Self::Replaced,
            Some(Fate::Cleared(_)) => Self::Cleared,
        }
    }
}
