//! The contract of a tool.

use std::sync::Arc;

use futures::future::BoxFuture;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::Searcher;
use crate::conversation::{Message, SessionId, ToolResultContent, ToolUseId, Usage};
use crate::documents::{AbsPath, FileStateCache, Places, Seen, Workspace};
use crate::editor::{Editor, EditorFeatures};
use crate::models::Provider;
use crate::permissions::{Access, Policy, SessionMode};
use crate::review::DeskHandle;
use crate::shell::Shell;

/// One tool. The doc comments of its input type are the text the model reads.
///
/// Defaults fail closed: not concurrency-safe, not read-only.
pub trait Tool: Send + Sync + 'static {
    fn name(&self) -> &'static str;

    /// Older names that rules and transcripts may still use.
    fn aliases(&self) -> &'static [&'static str] {
        &[]
    }

    fn description(&self) -> String;

    /// Whether it can work with what there is: a tool that can't is not offered.
    fn is_enabled(&self, _offers: &Offers) -> bool {
        true
    }

    /// The model is told its name only, and the rest when it asks for it by ToolSearch.
    fn should_defer(&self) -> bool {
        false
    }

    fn kind(&self) -> ToolKind;

    /// JSON Schema of the input, from the same type that validates it.
    fn input_schema(&self) -> Value;

    /// Whether `input` is legal, before any permission is asked: text for the model that names the field.
    fn validate(&self, input: &Value) -> Result<(), ToolError>;

    /// What a person reads while it runs: `Read src/a.rs`. Must work on any input.
    fn title(&self, input: &Value) -> String;

    /// The files the call is about, for following along.
    fn locations(&self, _input: &Value, _context: &ToolUseContext) -> Vec<AbsPath> {
        Vec::new()
    }

    fn is_concurrency_safe(&self, _input: &Value) -> bool {
        false
    }

    fn is_read_only(&self, _input: &Value) -> bool {
        false
    }

    fn is_destructive(&self, _input: &Value) -> bool {
        false
    }

    /// What becomes of a running call when the person sends a new message.
    fn interrupt_behavior(&self) -> InterruptBehavior {
        InterruptBehavior::Block
    }

    /// Whether an error of this call makes the other calls of the same answer pointless: they are cancelled then.
    fn cancels_siblings_on_error(&self) -> bool {
        false
    }

    /// The longest result in characters before it is cut; `None` if the tool bounds its results itself.
    fn max_result_chars(&self) -> Option<usize> {
        Some(50_000)
    }

    /// What the call would touch, for any valid input: what the rules are matched against. Until a tool says otherwise,
    /// the person is asked.
    fn access(&self, _input: &Value, _context: &ToolUseContext) -> Access {
        Access::Unknown
    }

    /// Runs the call. Dropping the future cancels it; it also watches `context.cancel`.
    fn call(
        &self,
        input: Value,
        context: ToolUseContext,
    ) -> BoxFuture<'static, Result<ToolResult, ToolError>>;
}

/// Whether a running call makes way for a new message of the person. A cancelled task stops either.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InterruptBehavior {
    /// The message waits until the call is finished.
    Block,
    /// The call is stopped.
    Cancel,
}

/// ACP tool kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

/// What a call is given: never the history itself, only this round's view of it.
#[derive(Clone)]
pub struct ToolUseContext {
    pub session: SessionId,
    pub tool_use_id: ToolUseId,
    pub workspace: Arc<Workspace>,
    pub documents: Arc<FileStateCache>,
    /// Where the paths lead that the call names: what it was judged by, so what it opens.
    pub places: Arc<Places>,
    pub desk: DeskHandle,
    /// What this session's model has been shown (`readFileState`).
    pub seen: Arc<Seen>,
    /// This round's messages, read only.
    pub messages: Arc<[Message]>,
    pub cancel: CancellationToken,
    /// How much is asked in this session; a tool that asked the person may change it.
    pub mode: SessionMode,
    /// Runs commands.
    pub shell: Arc<Shell>,
    /// What the call was judged by: a search passes by what must not be read.
    pub policy: Arc<Policy>,
    /// A line for the person while the call runs.
    pub progress: Arc<dyn Fn(String) + Send + Sync>,
    /// Shows the person the steps of the task, in the place of those shown before.
    pub plan: Arc<dyn Fn(Vec<PlanEntry>) + Send + Sync>,
    pub person: Arc<dyn Person>,
    pub editor: Arc<dyn Editor>,
    /// For work that needs no large model; `None`: there is none.
    pub small_model: Option<Arc<dyn Provider>>,
    /// Searches the web; `None`: nobody does.
    pub searcher: Option<Arc<Searcher>>,
}

/// What there is besides the tools themselves.
#[derive(Clone, Debug, Default)]
pub struct Offers {
    pub editor: EditorFeatures,
    /// Somebody searches the web.
    pub web_search: bool,
}

/// The person, as a tool may ask them.
pub trait Person: Send + Sync {
    /// Puts a choice to them. Only a choice is an answer: silence, errors and closed windows leave it open. Dropping the
    /// future takes the question back.
    fn choose(&self, choice: Choice) -> BoxFuture<'static, Chosen>;
}

/// A question with its answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    pub title: String,
    /// What has to be known to choose.
    pub explanation: String,
    pub options: Vec<String>,
    /// The answer that is none of them; always offered, last.
    pub decline: String,
}

/// What the person said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Chosen {
    /// By its place in the options, with their own words if they gave some.
    Option(usize, Option<String>),
    /// With their own words if they gave some.
    Declined(Option<String>),
    /// There is nobody to be asked.
    Nobody,
}

/// A step of the task (ACP plan entry).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanEntry {
    pub content: String,
    pub status: PlanStatus,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlanStatus {
    Pending,
    InProgress,
    Completed,
}

/// What a call changes for the calls after it.
#[derive(Clone)]
pub struct ContextModifier(pub Arc<dyn Fn(ToolUseContext) -> ToolUseContext + Send + Sync>);

/// What a call gives back.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolResult {
    /// For the model.
    pub content: Vec<ToolResultContent>,
    /// The same, structured, for editors and hooks.
    pub data: Value,
    /// Messages that go into the history after the results.
    pub new_messages: Vec<Message>,
    /// For the person alone.
    pub notes: Vec<String>,
    /// The call came to an end that is an error, and has all this to say of it.
    pub failed: bool,
    /// Of a call that runs alone; that of another is passed over.
    pub context_modifier: Option<ContextModifier>,
    /// For the editor, never for the model (an MCP result's `_meta`).
    pub mcp_meta: Option<Value>,
    /// Tokens that other models were paid for, by model.
    pub spent: Vec<(String, Usage)>,
    /// The person has said no to what was asked.
    pub declined: bool,
}

impl ToolResult {
    /// A result that is nothing but text.
    pub fn text(text: impl Into<String>) -> Self {
        Self { content: vec![ToolResultContent::Text(text.into())], ..Self::default() }
    }
}

impl PlanStatus {
    /// As the protocol writes it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::InProgress => "in_progress",
            Self::Completed => "completed",
        }
    }
}

impl std::fmt::Debug for ContextModifier {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ContextModifier")
    }
}

impl PartialEq for ContextModifier {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// Why a call failed: text written for the model, which it can act on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ToolError(pub String);
