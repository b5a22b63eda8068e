//! The wire types of Copydesk's custom LSP methods.
//!
//! Everything here can also be reached with standard LSP alone. Words follow the Agent Client Protocol where it has one.
//! Names are camelCase on the wire, ids are opaque strings, unions carry a `type` or `decision` tag, and unknown fields
//! are tolerated. The TypeScript and the JSON Schema under `generated/` are made from these types; a test keeps them up
//! to date.

mod capabilities;
mod content;
mod doctor;
mod event;
pub mod methods;
mod permission;
mod prompt;
mod proposal;
mod session;
mod task;

pub mod generate;

pub use capabilities::{ClientCapability, ServerCapability};
pub use content::ContentBlock;
pub use doctor::{DoctorFinding, DoctorMark, DoctorResult, DoctorSection};
pub use event::{
    Cost, Delta, Event, EventParams, Location, MessageRecord, MessageRole, PlanEntry, TaskAccount, ToReview,
    ToolCallContent, ToolCallStatus, ToolKind, Usage,
};
pub use permission::{
    PermissionAnswerParams, PermissionAskedParams, PermissionBehavior, PermissionDenial,
    PermissionDestination, PermissionOption, PermissionOptionKind, PermissionResolvedParams, PermissionRule,
    PermissionToolCall, PermissionUpdate,
};
pub use prompt::{
    DiagnosticsGetParams, DiagnosticsGetResult, FileDiagnostics, HoverResult, LookUpParams, PlacesResult,
    PromptAskParams, PromptAskResult, SaveFilesParams, SaveFilesResult,
};
pub use proposal::{
    DecideOutcome, DecideParams, DecideResult, DecideTarget, Decision, File, FileKind, HalfDone, Hunk,
    HunkLines, HunkState, InlineMark, InlineSide, ModeChange, ProposalAcceptedParams, ProposalAcceptedResult,
    ProposalAmendParams, ProposalChangedParams, ProposalDecideResult, ProposalListParams, ProposalListResult,
    ProposalShowParams, ProposalShowResult, SizeChange, TextEdit,
};
pub use session::{
    EndedCommand, ModelUsage, PermissionMode, SessionChangedParams, SessionCompactParams,
    SessionEndCommandsParams, SessionEndCommandsResult, SessionInfo, SessionListResult, SessionSetModeParams,
    SessionState, SessionUsageParams, SessionUsageResult,
};
pub use task::{
    EditorContext, Empty, TaskCancelParams, TaskSendParams, TaskSendResult, TaskStartParams, TaskStartResult,
};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// A place in a document, counted in the position encoding negotiated at `initialize` (LSP `Position`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
pub struct Position {
    /// Zero-based.
    pub line: u32,
    pub character: u32,
}

/// A half-open stretch of a document (LSP `Range`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
pub struct Range {
    pub start: Position,
    pub end: Position,
}

/// `data` of a JSON-RPC error of ours; `message` beside it is for people.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct ErrorData {
    /// Such as `unknownSession`, `staleHunk`, `notAvailable`.
    pub kind: String,
    /// What to do next.
    pub hint: String,
}

/// JSON-RPC error codes of ours, outside the ranges that JSON-RPC and LSP reserve.
pub mod error_code {
    /// No session, task, hunk, file or question of that name.
    pub const UNKNOWN: i64 = -31001;
    /// It changed since it was shown; nothing was done.
    pub const STALE: i64 = -31002;
    /// Part of the protocol, but not of this version.
    pub const NOT_AVAILABLE: i64 = -31003;
    /// Understood, and refused for the reason in the message.
    pub const REFUSED: i64 = -31004;
}
