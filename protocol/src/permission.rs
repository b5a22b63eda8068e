//! `copydesk/permission/*`: a tool call that waits for the person.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;

use crate::{PermissionMode, ToolKind};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct PermissionAskedParams {
    pub request_id: String,
    pub session_id: String,
    /// The sub-agent that asks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub agent: Option<String>,
    pub tool_call: PermissionToolCall,
    pub options: Vec<PermissionOption>,
    /// Why it is asked. Hidden characters are shown escaped.
    pub explanation: String,
    /// The rules that let such a call through, as they are written in settings or behind `--allow`; none: no rule does.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct PermissionToolCall {
    pub id: String,
    pub title: String,
    pub kind: ToolKind,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub command: Option<String>,
    /// As the model sent it: what `updatedInput` of the answer may stand for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "unknown")]
    pub input: Option<Value>,
}

/// A call that a rule or the person did not let through.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct PermissionDenial {
    pub tool_name: String,
    pub tool_use_id: String,
    #[ts(type = "unknown")]
    pub tool_input: Value,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct PermissionOption {
    pub id: String,
    pub kind: PermissionOptionKind,
    pub name: String,
}

/// ACP permission option kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "snake_case")]
pub enum PermissionOptionKind {
    AllowOnce,
    AllowAlways,
    RejectOnce,
    RejectAlways,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct PermissionAnswerParams {
    pub request_id: String,
    pub option_id: String,
    /// Told to the model with a denial.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub feedback: Option<String>,
    /// Runs in the stead of what was asked about, once it is checked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "unknown")]
    pub updated_input: Option<Value>,
    /// A denial ends the whole task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub interrupt: Option<bool>,
    /// What else is changed with leave to run: what is asked from now on. What can't be done of it is told as a warning.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub updated_permissions: Vec<PermissionUpdate>,
    /// Nobody was there to be asked, so this is no word of the user's: the model is told so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub unattended: Option<bool>,
}

/// A change of what is asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum PermissionUpdate {
    AddRules {
        rules: Vec<PermissionRule>,
        behavior: PermissionBehavior,
        destination: PermissionDestination,
    },
    /// In the place of all of this behavior that the session was given.
    ReplaceRules {
        rules: Vec<PermissionRule>,
        behavior: PermissionBehavior,
        destination: PermissionDestination,
    },
    RemoveRules {
        rules: Vec<PermissionRule>,
        behavior: PermissionBehavior,
        destination: PermissionDestination,
    },
    SetMode {
        mode: PermissionMode,
        destination: PermissionDestination,
    },
    AddDirectories {
        directories: Vec<String>,
        destination: PermissionDestination,
    },
    RemoveDirectories {
        directories: Vec<String>,
        destination: PermissionDestination,
    },
}

/// `Tool`, or `Tool(content)`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct PermissionRule {
    pub tool_name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub rule_content: Option<String>,
}

/// What a rule says of the calls that it matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub enum PermissionBehavior {
    Allow,
    Deny,
    Ask,
}

/// Where a change is kept. Files take new rules; anything else is for the session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub enum PermissionDestination {
    UserSettings,
    ProjectSettings,
    LocalSettings,
    Session,
    /// As if it had been said on the command line: for the session.
    CliArg,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct PermissionResolvedParams {
    pub request_id: String,
    /// Absent: the task ended before anybody answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub option_id: Option<String>,
}
