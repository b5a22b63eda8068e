//! What the agent asks of the desk, and what it is told back.

use crate::conversation::ToolUseId;
use crate::documents::{AbsPath, Change, ReadError, Stamp, Text};

/// Which tool call wanted a change, and in what words a person reads it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    pub tool_use_id: ToolUseId,
    /// Imperative, at most 70 characters: `rename load to open`.
    pub summary: String,
    /// The sub-agent that made the call.
    pub agent: Option<String>,
    /// The amending hand was the user's.
    pub by_user: bool,
    /// Why the person decides on this by itself, whatever else was agreed; `None`: they need not.
    pub must_ask: Option<String>,
}

/// A file as the agent has it: its own draft, else the buffer, else the disk.
#[derive(Clone, Debug, PartialEq)]
pub struct AgentView {
    pub path: AbsPath,
    /// `None`: there is no such file on the agent's side.
    pub text: Option<Text>,
    /// Of the buffer side; `None` if there is no file.
    pub stamp: Option<Stamp>,
    /// The draft differs from the buffer.
    pub drafted: bool,
    /// Text that the user rejected in this file, newest last: an `old_string` found here was rejected.
    pub rejected: Vec<String>,
}

/// A change of the agent's side.
#[derive(Clone, Debug, PartialEq)]
pub enum Proposal {
    /// Against the text of the `AgentView` it was made from; ascending, no overlap.
    Edit(Vec<Change>),
    /// A whole new text, merged three ways: `seen` is what the model was last shown (`None`: it believes that there is no
    /// file).
    Write {
        content: String,
        seen: Option<Text>,
    },
    /// What a command made of the text it began from (`None`: there was no file), merged like a whole new text; but it is
    /// a change of what was there, and overwrites nothing unseen.
    Made {
        content: String,
        from: Option<Text>,
        extent: Extent,
    },
    Delete,
    Rename {
        to: AbsPath,
    },
}

/// How much of a file the making of a text was about, as far as that is known without looking at it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// The text itself tells.
    Parts,
    /// Another text takes the place of all there was, or it is the new half of a move whose other half deletes a file: it
    /// is never accepted without the person.
    Whole,
}

/// What became of a proposal.
#[derive(Clone, Debug, PartialEq)]
pub struct Proposed {
    pub before: Option<Text>,
    pub after: Option<Text>,
    /// The hunks that the call made or changed.
    pub hunks: Vec<super::HunkId>,
    pub comes_in: ComesIn,
    /// It is the session's first change of this file.
    pub begins: bool,
}

/// Whether a change is accepted without asking.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ComesIn {
    /// The person decides.
    #[default]
    Nothing,
    /// These hunks are; the others are the person's to decide.
    Some(Vec<super::HunkId>),
    All,
}

#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ProposeError {
    #[error(transparent)]
    Read(#[from] ReadError),
    /// Text for the model.
    #[error("{0}")]
    Refused(String),
}

/// One thing the agent is told before its next request, once and net.
#[derive(Clone, Debug, PartialEq)]
pub struct Told {
    pub path: AbsPath,
    pub what: ToldWhat,
}

#[derive(Clone, Debug, PartialEq)]
pub enum ToldWhat {
    Accepted {
        summary: String,
    },
    /// A conflict in which the agent's side was taken: in the place of this text.
    AcceptedOver {
        summary: String,
        mine: String,
        /// The text may not be the user's own writing.
        by_others: bool,
    },
    /// By the user's own typing, or outside the editor.
    AcceptedByHand {
        summary: String,
    },
    Rejected {
        summary: String,
        reason: Option<String>,
        text: String,
        /// It was one half of a moved block, and the other is pending still.
        half: Option<HalfMove>,
    },
    /// Put in other words by the user, and pending still: a small diff.
    Amended {
        summary: String,
        diff: String,
    },
    /// Accepted, with words that the user changed before or after: a small diff.
    Altered {
        summary: String,
        diff: String,
    },
    /// Accepted, then taken back: pending again.
    Undone {
        summary: String,
    },
    Conflicted {
        summary: String,
        mine: String,
        agents: String,
        /// The agent's side is in the user's words.
        amended: bool,
        /// The other side may not be the user's own writing.
        by_others: bool,
    },
    /// It can't be accepted any more, since the file on disk is not the one that the command began from.
    Overtaken {
        summary: String,
    },
    /// The user or another program changed a file the model has seen: a small diff.
    FileChanged {
        by: &'static str,
        diff: String,
    },
    FileRenamed {
        to: AbsPath,
    },
}

/// Where the lines of a moved block stand in the agent's text, with one half of the move rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HalfMove {
    Twice,
    Nowhere,
}
