//! `copydesk/event`: a session's stream, numbered without gaps.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::{ModelUsage, PermissionDenial, Range};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct EventParams {
    pub session_id: String,
    pub task_id: String,
    /// Rises by one with each event of a session.
    #[ts(type = "number")]
    pub seq: u64,
    /// The call that started the sub-agent this event comes from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub parent_tool_use_id: Option<String>,
    pub event: Event,
}

/// The query loop's five kinds and its end, and what the session adds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Event {
    /// A model is about to be asked.
    RequestStart {
        model: String,
        turn: u32,
        /// No language model answers.
        offline: bool,
    },
    /// A piece of the answer.
    Stream {
        delta: Delta,
    },
    Message {
        message: MessageRecord,
    },
    /// An earlier message is void: take it off the screen.
    Tombstone {
        message_id: String,
    },
    ToolUseSummary {
        summary: String,
        tool_use_ids: Vec<String>,
    },
    /// Why the loop went on.
    Transition {
        reason: String,
    },
    /// One for each stage of a call's life.
    ToolCall {
        id: String,
        title: String,
        kind: ToolKind,
        status: ToolCallStatus,
        locations: Vec<Location>,
        content: Vec<ToolCallContent>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        group: Option<String>,
    },
    Plan {
        entries: Vec<PlanEntry>,
    },
    Compaction {
        /// `started`, `done` or `failed`.
        status: String,
        /// Why it failed, for the person, where the end of the task does not say it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        reason: Option<String>,
    },
    Retry {
        attempt: u32,
        max: u32,
        #[ts(type = "number")]
        delay_ms: u64,
        reason: String,
    },
    /// The end of the task; nothing of it follows.
    Terminal {
        /// `completed`, `aborted_streaming`, `model_error`, `max_turns`, …
        reason: String,
        turns: u32,
        usage: Usage,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        cost: Option<Cost>,
        /// For the person, if it was no plain end: what happened and what to do.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        message: Option<String>,
        /// The calls that a rule or the person did not let through.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        permission_denials: Vec<PermissionDenial>,
        #[serde(default)]
        account: TaskAccount,
        /// What waits for a decision by then, if the task has left something of it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        to_review: Option<ToReview>,
    },
}

/// All that waits for a decision.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct ToReview {
    pub changes: u32,
    /// The files they are in, in the order of the review.
    pub uris: Vec<String>,
}

/// How the asking of models went in a task.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct TaskAccount {
    /// Milliseconds that were waited for them.
    #[ts(type = "number")]
    pub model_ms: u64,
    /// Tokens of each, by name.
    pub models: Vec<ModelUsage>,
    /// Why the last one stopped that answered: `end_turn`, `max_tokens`, `refusal`, …
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub stop_reason: Option<String>,
    /// What went wrong, for the person, in the order in which it did.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Delta {
    Text {
        text: String,
    },
    Thinking {
        text: String,
    },
    /// A call's input as it grows: JSON cut anywhere.
    ToolInput {
        id: String,
        json: String,
    },
}

/// A message of the conversation, for display.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct MessageRecord {
    pub id: String,
    pub role: MessageRole,
    pub text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub enum MessageRole {
    User,
    Assistant,
    System,
    Attachment,
    Progress,
}

/// ACP tool kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "snake_case")]
pub enum ToolKind {
    Read,
    Edit,
    Delete,
    Move,
    Search,
    Execute,
    Think,
    Fetch,
    Other,
}

/// ACP tool call statuses, and `rejected`: the person said no.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "snake_case")]
pub enum ToolCallStatus {
    Pending,
    InProgress,
    Completed,
    Failed,
    Rejected,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
pub struct Location {
    pub uri: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub range: Option<Range>,
}

/// What a call has to show.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ToolCallContent {
    Text {
        text: String,
    },
    /// The structured result; its shape is the tool's.
    Data {
        #[ts(type = "unknown")]
        data: serde_json::Value,
    },
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
pub struct PlanEntry {
    pub content: String,
    /// `pending`, `in_progress`, `completed`.
    pub status: String,
}

/// Tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", default)]
pub struct Usage {
    #[ts(type = "number")]
    pub input_tokens: u64,
    #[ts(type = "number")]
    pub output_tokens: u64,
    #[ts(type = "number")]
    pub cache_creation_input_tokens: u64,
    #[ts(type = "number")]
    pub cache_read_input_tokens: u64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct Cost {
    pub amount: f64,
    /// ISO 4217.
    pub currency: String,
    /// Models whose price is not known: what they took is not in the amount.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unknown_models: Vec<String>,
}
