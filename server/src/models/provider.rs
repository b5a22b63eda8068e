//! The one trait every model stands behind.

use std::sync::Arc;

use futures::future::{BoxFuture, FutureExt};
use futures::stream::BoxStream;

use super::ProviderEvent;
use super::call_input::LongestInput;
use crate::conversation::ApiMessage;

/// A language model, or what stands in for one.
pub trait Provider: Send + Sync + 'static {
    fn info(&self) -> ProviderInfo;

    /// Ends, within seconds, when `info` tells who would be asked now: a model that has to be looked for is looked for.
    fn settled(&self) -> BoxFuture<'static, ()> {
        std::future::ready(()).boxed()
    }

    /// Whether its service searches the web by itself.
    fn searches_web(&self) -> SearchesWeb {
        SearchesWeb::No
    }

    /// Tokens that `request` would take, as the service counts them without answering it; `None`: it does not. For people
    /// who want to know: no request waits for it.
    fn count(&self, _request: ModelRequest) -> BoxFuture<'static, Option<u64>> {
        std::future::ready(None).boxed()
    }

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
    pub window: Window,
    pub context_edits: ContextEditing,
    /// A result may refer to a deferred tool, which the model is shown then (Messages API, `tool_reference`).
    pub tool_references: bool,
}

/// Whether a service searches the web for its model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchesWeb {
    No,
    /// It may stand behind a gateway that does not pass it on.
    Perhaps,
    Yes,
}

/// A tool that runs at the service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServerTool {
    WebSearch {
        /// Searches in one answer.
        max_uses: u32,
        domains: SearchDomains,
    },
}

/// Whose pages are looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SearchDomains {
    All,
    Only(Vec<String>),
    Except(Vec<String>),
}

/// How much a model takes and gives, in tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Of the request and its answer together.
    pub context: u64,
    /// Of one answer.
    pub max_output: u32,
}

/// Who drops old tool results from a long conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContextEditing {
    /// The provider, told by `ModelRequest::context_edits`.
    Server,
    /// Nobody but us.
    Client,
}

/// One request. The order of `system` and `tools` is part of the cached prefix and never varies within a session.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelRequest {
    pub max_tokens: u32,
    /// Sections in order: the static ones first, what differs by session last.
    pub system: Vec<String>,
    pub tools: Arc<[ToolDefinition]>,
    /// Passed over by providers without `SearchesWeb`.
    pub server_tools: Vec<ServerTool>,
    /// What was sent before is the same in memory, as far as it is the same.
    pub messages: Vec<Arc<ApiMessage>>,
    pub tool_choice: ToolChoice,
    pub thinking: Thinking,
    /// Bytes of the input of one call that are taken from the answer.
    pub longest_input: usize,
    /// Passed over by providers with `ContextEditing::Client`.
    pub context_edits: Vec<ContextEdit>,
    pub purpose: Purpose,
    pub on_overload: OnOverload,
}

impl ModelRequest {
    /// A request of the conversation itself: tools as the model likes, thinking as it is configured.
    pub fn new(
        system: Vec<String>,
        tools: impl Into<Arc<[ToolDefinition]>>,
        messages: impl IntoIterator<Item = impl Into<Arc<ApiMessage>>>,
        max_tokens: u32,
    ) -> Self {
        Self {
            max_tokens,
            system,
            tools: tools.into(),
            server_tools: Vec::new(),
            messages: messages.into_iter().map(Into::into).collect(),
            tool_choice: ToolChoice::Auto,
            thinking: Thinking::Adaptive,
            longest_input: LongestInput::default().0,
            context_edits: Vec::new(),
            purpose: Purpose::Main,
            on_overload: OnOverload::Wait,
        }
    }
}

/// Whether the model may call tools. They stay in the request either way, since they are part of the cached prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolChoice {
    Auto,
    /// It has to call one.
    Any,
    None,
}

/// How much the model thinks before it answers. A provider sends the nearest form that its model takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Thinking {
    Disabled,
    /// As the configuration says; without a word there, as much as the model likes.
    Adaptive,
    Enabled {
        /// At most so many tokens of the answer.
        budget_tokens: u32,
    },
}

/// What a request is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Somebody waits for it.
    Main,
    /// A title or a summary that nobody waits for: an overloaded service isn't asked again.
    Background,
}

/// What to do with a service that stays overloaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnOverload {
    /// Ask until the attempts are used up.
    Wait,
    /// After three overloads in a row, end with `ModelErrorKind::Overloaded`: another model can be asked.
    Yield,
}

/// Something the provider drops from the conversation before its model reads it (Messages API,
/// `context_management.edits`). What is sent stays whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ContextEdit {
    /// The oldest results of tools (`clear_tool_uses_20250919`).
    ClearToolUses {
        trigger: EditTrigger,
        /// The newest calls that stay.
        keep: u32,
        /// Fewer tokens than this are not worth a broken cache.
        clear_at_least: Option<u64>,
        /// Tools whose results stay.
        exclude_tools: Vec<String>,
        inputs: ClearedInputs,
    },
    /// Thinking of earlier turns (`clear_thinking_20251015`).
    ClearThinking { keep: KeptThinking },
    /// A summary takes the place of all that came before, from so many tokens of the request on (`compact_20260112`). It
    /// comes as a block of the answer, and goes back with it.
    Compact { at_input_tokens: u64 },
}

/// From where on an edit is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EditTrigger {
    InputTokens(u64),
    ToolUses(u32),
}

/// Whether the calls go with their results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClearedInputs {
    Kept,
    Cleared,
}

/// The turns whose thinking stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeptThinking {
    /// The newest ones, at least one.
    Turns(u32),
    All,
}

/// A tool as a model is told of it.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolDefinition {
    pub name: String,
    pub description: String,
    /// JSON Schema of the input object.
    pub input_schema: serde_json::Value,
    /// The model is not shown it before a search names it (Messages API, `defer_loading`).
    pub deferred: bool,
}

/// Why a model gave no answer, in words for the person, with the next step. Never holds a key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ModelError {
    pub kind: ModelErrorKind,
    pub message: String,
    /// With `PromptTooLong`: the tokens too many, if the provider said so.
    pub over_by: Option<u64>,
}

impl ModelError {
    pub fn new(kind: ModelErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), over_by: None }
    }
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
    /// More tokens than the model's window holds.
    PromptTooLong,
    /// More bytes than the service takes, whatever they mean.
    RequestTooLarge,
    /// An image or a document that the service refuses: too large, too many, or not readable.
    MediaRefused,
    InvalidRequest,
    /// The stream ended before the answer did.
    StreamCut,
    /// Nothing came for too long.
    Stalled,
    /// What came back was no valid answer.
    Malformed,
}

impl Window {
    /// What is assumed of a model that nobody knows.
    pub const USUAL: Self = Self { context: 200_000, max_output: 32_000 };
}
