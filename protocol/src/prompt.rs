//! What the server may ask of a client that announced it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::{Location, Position};

/// `copydesk/prompt/ask`: an input box.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct PromptAskParams {
    pub title: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub placeholder: Option<String>,
    /// Choices instead of free text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
}

/// What was typed or chosen; null if the box was closed.
pub type PromptAskResult = Option<String>;

/// `copydesk/file/save`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
pub struct SaveFilesParams {
    pub uris: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
pub struct SaveFilesResult {
    /// Those that were saved.
    pub saved: Vec<String>,
}

/// `copydesk/diagnostics/get`: what all of the editor's language servers say, ours left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
pub struct DiagnosticsGetParams {
    /// Absent: of every file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub uri: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
pub struct DiagnosticsGetResult {
    pub files: Vec<FileDiagnostics>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
pub struct FileDiagnostics {
    pub uri: String,
    /// Of the document that they were made for; null if nobody knows.
    #[serde(default)]
    pub version: Option<i32>,
    /// LSP `Diagnostic`s.
    #[ts(type = "Array<unknown>")]
    pub diagnostics: Vec<serde_json::Value>,
}

/// `copydesk/definition`, `copydesk/references` and `copydesk/hover`: a place that the editor's own language servers are
/// asked about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct LookUpParams {
    pub uri: String,
    pub position: Position,
}

/// Where the name at that place is defined, or used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct PlacesResult {
    /// Of the asked document when the servers answered; null: nobody knows.
    pub version: Option<i32>,
    pub places: Vec<Location>,
}

/// What is shown of that place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct HoverResult {
    /// Of the asked document when the servers answered; null: nobody knows.
    pub version: Option<i32>,
    /// Markdown; null: there is nothing to show.
    pub text: Option<String>,
}
