//! `copydesk/session/*`: the conversations there are.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::{Cost, Usage};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct SessionInfo {
    pub session_id: String,
    pub title: String,
    pub state: SessionState,
    pub model: String,
    /// No language model answers.
    pub offline: bool,
    pub mode: PermissionMode,
    pub usage: Usage,
    /// Absent where nothing was spent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub cost: Option<Cost>,
}

/// How calls are judged that no deny and no ask rule speaks of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub enum PermissionMode {
    /// What no rule allows is asked.
    #[default]
    Default,
    /// The agent's changes to files of the workspace are accepted as they come.
    AcceptEdits,
    /// Nothing but reading, and writing the plan.
    Plan,
    /// What would be asked is denied.
    DontAsk,
    /// Nothing is asked but what a rule says to ask.
    BypassPermissions,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct SessionSetModeParams {
    pub session_id: String,
    pub mode: PermissionMode,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub enum SessionState {
    Idle,
    Running,
    /// For the person.
    Waiting,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
pub struct SessionListResult {
    pub sessions: Vec<SessionInfo>,
}

/// `copydesk/session/changed`.
pub type SessionChangedParams = SessionInfo;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct SessionUsageParams {
    pub session_id: String,
}

/// `copydesk/session/compact`: a summary takes the place of the conversation, as after `/compact`. The answer is that of
/// `copydesk/task/send`; the end follows as events.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct SessionCompactParams {
    pub session_id: String,
    /// What matters in the summary.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub instructions: Option<String>,
}

/// `copydesk/session/endCommands`: ends the commands of the session that still run in the background. When the answer comes,
/// what they had changed by then is proposed, and waits for the person whatever the permission mode.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct SessionEndCommandsParams {
    pub session_id: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
pub struct SessionEndCommandsResult {
    /// Those that still ran.
    pub commands: Vec<EndedCommand>,
}

/// A command that was ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct EndedCommand {
    /// As the model knows it.
    pub id: String,
    /// The command line.
    pub command: String,
    /// How many files it had changed by then.
    pub changed: u32,
}

/// What a session has spent so far.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct SessionUsageResult {
    pub usage: Usage,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub cost: Option<Cost>,
    /// The same of each model, by name.
    pub models: Vec<ModelUsage>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct ModelUsage {
    pub model: String,
    pub usage: Usage,
}
