//! A hunk: a place where buffer and draft differ.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use super::claim::Claim;
use super::line::Line;
use crate::conversation::ToolUseId;

use super::{Accept, HunkId, HunkState, InlineMark, Reason};

/// A place where buffer and draft differ: these lines of the one against those of the other.
#[derive(Clone, Debug)]
pub(super) struct Hunk {
    pub(super) id: HunkId,
    /// Names of hunks that were joined into this one.
    pub(super) aliases: Vec<HunkId>,
    pub(super) revision: u32,
    pub(super) buffer: Range<usize>,
    pub(super) draft: Range<usize>,
    /// The buffer's lines when the agent's side was last clean. Equal to the buffer's lines now unless there is a conflict.
    pub(super) base: Vec<Line>,
    /// An insertion whose neighbours the user deleted: nobody can say that it is still wanted.
    pub(super) orphan: Option<Orphan>,
    /// What the buffer's lines would be had the user accepted an earlier revision; newest last.
    pub(super) offered: Vec<Vec<Line>>,
    pub(super) reasons: Arc<[Reason]>,
    /// What it is of that which its reasons speak of.
    pub(super) share: Share,
    /// Accepted once, and taken back by the user.
    pub(super) undone: bool,
    pub(super) claim: Option<Claim>,
    pub(super) conflicted: bool,
    /// One side changed and the state was not computed again yet.
    pub(super) dirty: bool,
    pub(super) shown: OnceLock<Shown>,
}

/// What a view of a hunk shows of its lines.
#[derive(Clone, Debug)]
pub(super) struct Shown {
    pub(super) removed: Arc<str>,
    pub(super) added: Arc<str>,
    pub(super) inline: Arc<[InlineMark]>,
    pub(super) line_ends_only: bool,
    /// How many lines down it is shown.
    pub(super) slide: isize,
    /// The edit that accepts it, as it was when the hunk began at the line that it names.
    pub(super) accept: Accept,
}

/// The tool call that a hunk comes from, and what it was for.
pub(super) type Call = (ToolUseId, String);

/// How much of a proposal a hunk is, as the agent is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Share {
    Whole,
    /// It was decided apart from the rest.
    Part,
    /// What is left, a part having been decided.
    Rest,
}

/// The deleted neighbours of an insertion. It is whole again when they are back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Orphan {
    pub(super) above: Vec<Line>,
    pub(super) below: Vec<Line>,
}

/// Accepts of this many earlier revisions are recognised.
const OFFERED: usize = 4;

impl Hunk {
    pub(super) fn new(
        id: HunkId,
        buffer: Range<usize>,
        draft: Range<usize>,
        base: Vec<Line>,
        reasons: Arc<[Reason]>,
    ) -> Self {
        Self {
            id,
            aliases: Vec::new(),
            revision: 1,
            buffer,
            draft,
            base,
            orphan: None,
            offered: Vec::new(),
            reasons,
            share: Share::Whole,
            undone: false,
            claim: None,
            conflicted: false,
            dirty: true,
            shown: OnceLock::new(),
        }
    }

    pub(super) fn state(&self) -> HunkState {
        match (&self.claim, self.conflicted) {
            (Some(_), _) => HunkState::Applying,
            (None, true) => HunkState::Conflicted,
            (None, false) => HunkState::Pending,
        }
    }

    pub(super) fn is_called(&self, id: &HunkId) -> bool {
        self.id == *id || self.aliases.contains(id)
    }

    /// One of its sides changed.
    pub(super) fn touch(&mut self) {
        self.dirty = true;
        self.shown = OnceLock::new();
    }

    /// The agent's side changes: what was offered until now is remembered, as the buffer's lines would be.
    pub(super) fn offer(&mut self, lines: Vec<Line>) {
        if !self.offered.contains(&lines) {
            self.offered.push(lines);
        }
        if self.offered.len() > OFFERED {
            self.offered.remove(0);
        }
    }

    /// The agent's last.
    fn own_reason(&self) -> Option<&Reason> {
        self.reasons.iter().rev().find(|reason| !reason.by_user).or(self.reasons.last())
    }

    pub(super) fn call(&self) -> Option<Call> {
        self.own_reason().map(|reason| (reason.tool_use_id.clone(), reason.summary.clone()))
    }

    /// What the agent is told it was about, in the words of its own proposal.
    pub(super) fn summary(&self) -> String {
        let summary = self.own_reason().map(|reason| reason.summary.as_str()).unwrap_or_default();
        match self.share {
            Share::Whole => summary.to_owned(),
            Share::Part => format!("a part of: {summary}"),
            Share::Rest => format!("the rest of: {summary}"),
        }
    }
}
