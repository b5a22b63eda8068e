//! `copydesk/session/*`: the conversations there are.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::Usage;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct SessionInfo {
    pub session_id: String,
    pub title: String,
    pub state: SessionState,
    pub model: String,
    /// No language model answers.
    pub offline: bool,
    pub usage: Usage,
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
