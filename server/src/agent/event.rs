//! What a running task tells: the query loop's own five kinds and its end, and what the session adds.

use super::{Continue, Spending, Terminal};
use crate::conversation::{Message, MessageId, SessionId, TaskId, ToolUseId};
use crate::documents::AbsPath;
use crate::models::ProviderEvent;
use crate::permissions::PermissionRequest;
use crate::tools::{PlanEntry, ToolKind};

/// What the query loop yields: five kinds, and exactly one `Done`, last.
#[derive(Clone, Debug, PartialEq)]
pub enum LoopEvent {
    /// At the top of every iteration, and again where another model takes over in the middle of it.
    RequestStart {
        turn: u32,
        /// Who is asked, as people call it.
        model: String,
        /// No language model answers.
        offline: bool,
    },
    Stream(ProviderEvent),
    Message(Message),
    /// An emitted message is void.
    Tombstone {
        message_id: MessageId,
    },
    ToolUseSummary {
        summary: String,
        tool_use_ids: Vec<ToolUseId>,
    },
    Done(Terminal),
}

/// An event of a session, numbered without gaps.
#[derive(Clone, Debug, PartialEq)]
pub struct SessionUpdate {
    pub session: SessionId,
    pub task: TaskId,
    pub seq: u64,
    pub event: SessionEvent,
}

#[derive(Clone, Debug, PartialEq)]
pub enum SessionEvent {
    Loop(LoopEvent),
    Transition(Continue),
    /// What the task has spent so far.
    Spent(Spending),
    /// The conversation is being shortened to a summary, or was.
    Compaction(CompactionStatus),
    /// One for each stage of a call's life.
    ToolCall(ToolCallUpdate),
    /// The steps of the task, in the place of those told before; none: they are done.
    Plan(Vec<PlanEntry>),
    PermissionAsked(PermissionRequest),
    /// `option`: what was chosen; `None`: the task ended first.
    PermissionResolved {
        request_id: String,
        option: Option<String>,
    },
    /// Title, state or usage changed.
    SessionChanged(super::SessionInfo),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CompactionStatus {
    Started,
    Done,
    /// Why, for the person; `None`: the end of the task says it.
    Failed(Option<String>),
}

#[derive(Clone, Debug, PartialEq)]
pub struct ToolCallUpdate {
    pub id: ToolUseId,
    pub tool: String,
    /// `Read src/a.rs`.
    pub title: String,
    pub kind: ToolKind,
    pub status: ToolCallStatus,
    pub locations: Vec<AbsPath>,
    /// Progress, result or error, for a person.
    pub text: Option<String>,
    /// Structured result.
    pub data: serde_json::Value,
    /// The first of the calls that may run side by side with this one: they can be shown as one.
    pub group: Option<ToolUseId>,
}

/// ACP tool call statuses, and `Rejected` for a denied one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolCallStatus {
    Pending,
    InProgress,
    Completed,
    Failed,
    Rejected,
}
