//! The one trait every model stands behind.

use futures::stream::BoxStream;

use super::ProviderEvent;
use crate::conversation::ApiMessage;

/// A language model, or what stands in for one.
pub trait Provider: Send + Sync + 'static {
    fn info(&self) -> ProviderInfo;

    /// Asks once. The stream ends after `MessageStop` or the first error; dropping it drops the connection.
    /// Retries that show nothing to the user happen inside and are announced as `ProviderEvent::Retry`.
    fn stream(&self, request: ModelRequest) -> BoxStream<'static, Result<ProviderEvent, ModelError>>;
}

/// Who answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProviderInfo {
    /// For people, as every surface shows it: `claude-sonnet-5`, or `offline model (no language model)`.
    pub label: String,
    /// The model's id as the provider knows it.
    pub model: String,
    /// No language model answers: every surface says so.
    pub offline: bool,
}

/// One request. The order of `system` and `tools` is part of the cached prefix and never varies within a session.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelRequest {
    pub max_tokens: u32,
    /// Sections in order: the static ones first, what differs by session last.
    pub system: Vec<String>,
    pub tools: Vec<ToolDefinition>,
    pub messages: Vec<ApiMessage>,
}

/// A tool as a model is told of it.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolDefinition {
    pub name: String,
    pub description: String,
    /// JSON Schema of the input object.
    pub input_schema: serde_json::Value,
}

/// Why a model gave no answer, in words for the person, with the next step. Never holds a key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ModelError {
    pub kind: ModelErrorKind,
    pub message: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ModelErrorKind {
    /// No connection, or it broke.
    Unreachable,
    /// Wrong or missing key.
    Authentication,
    Permission,
    Billing,
    UnknownModel,
    RateLimit,
    Overloaded,
    Server,
    PromptTooLong,
    InvalidRequest,
    /// The stream ended before the answer did.
    StreamCut,
    /// What came back was no valid answer.
    Malformed,
}
