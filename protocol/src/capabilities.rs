//! `experimental.copydesk` in both directions: features are used only when announced, never probed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// What a client can do, in `initialize.capabilities.experimental.copydesk`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", default)]
pub struct ClientCapability {
    /// Of this protocol: 1.
    pub version: u32,
    /// Takes `copydesk/event` and `copydesk/session/changed`.
    pub events: bool,
    /// Takes `copydesk/proposal/changed` and draws hunks itself.
    pub review: bool,
    /// Takes `copydesk/permission/asked` and answers by `copydesk/permission/answer`.
    pub permissions: bool,
    /// Answers `copydesk/prompt/ask`.
    pub prompts: bool,
    /// Answers `copydesk/file/save`.
    pub save_files: bool,
    /// Answers `copydesk/diagnostics/get`.
    pub diagnostics: bool,
    /// Answers `copydesk/definition`, `copydesk/references` and `copydesk/hover`.
    pub navigation: bool,
}

/// What the server offers, in the result's `capabilities.experimental.copydesk`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct ServerCapability {
    pub version: u32,
    /// The client-to-server methods that this server answers.
    pub methods: Vec<String>,
}
