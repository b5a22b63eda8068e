//! The five kinds of local messages, and the two that a model is sent.

use std::sync::Arc;
use std::time::SystemTime;

use super::{ContentBlock, MessageId, ToolUseId};

/// A record of the conversation as the program keeps it. Local fields never reach a model. Cheap to clone, since every round
/// makes a view of all records and every listener is handed them.
#[derive(Clone, Debug, PartialEq)]
pub enum Message {
    User(Arc<UserMessage>),
    Assistant(Arc<AssistantMessage>),
    /// For people only.
    System(Arc<SystemMessage>),
    Attachment(Arc<Attachment>),
    /// Of a running tool; never kept as history.
    Progress(Arc<ProgressMessage>),
}

#[derive(Clone, Debug, PartialEq)]
pub struct UserMessage {
    pub id: MessageId,
    pub at: SystemTime,
    pub content: Vec<ContentBlock>,
    /// Written by the program on the user's behalf.
    pub is_meta: bool,
    /// Shown to people, never sent.
    pub is_virtual: bool,
    pub is_compact_summary: bool,
    /// What a tool result looks like to a person or a hook (structured).
    pub tool_use_result: Option<serde_json::Value>,
    /// The assistant message whose call this answers.
    pub source_tool_assistant: Option<MessageId>,
    /// An MCP result's `_meta`, for the editor only.
    pub mcp_meta: Option<serde_json::Value>,
}

/// One finished content block of an answer; the blocks of one answer share `response_id`.
#[derive(Clone, Debug, PartialEq)]
pub struct AssistantMessage {
    pub id: MessageId,
    pub at: SystemTime,
    /// The provider's id of the whole answer (Messages API `message.id`).
    pub response_id: String,
    pub request_id: Option<String>,
    pub model: String,
    pub content: Vec<ContentBlock>,
    pub stop_reason: Option<StopReason>,
    pub usage: Usage,
    /// Made here to show an API failure; never sent back.
    pub is_api_error: bool,
    pub is_virtual: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct SystemMessage {
    pub id: MessageId,
    pub at: SystemTime,
    pub kind: SystemKind,
    pub text: String,
    /// With `SystemKind::CompactBoundary`.
    pub compaction: Option<CompactMetadata>,
}

/// What a boundary says of the summary behind it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompactMetadata {
    pub trigger: CompactTrigger,
    /// Tokens of the conversation before.
    pub tokens_before: u64,
    /// Earlier messages that stand again behind the summary, by id.
    pub kept: Vec<MessageId>,
    /// They stand there without their pictures.
    pub without_images: bool,
}

/// Who asked for a summary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompactTrigger {
    Manual,
    Auto,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SystemKind {
    Informational,
    Warning,
    ApiRetry,
    ModelFallback,
    PermissionChange,
    CompactBoundary,
    /// The one kind that is sent: as user text.
    LocalCommand,
    TurnDuration,
}

/// Something that came up beside the conversation: sent as meta user text inside a `system-reminder` tag.
#[derive(Clone, Debug, PartialEq)]
pub struct Attachment {
    pub id: MessageId,
    pub at: SystemTime,
    pub kind: AttachmentKind,
    pub text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AttachmentKind {
    /// What the user decided about hunks, told once and net.
    Decisions,
    /// What changed in a file the model has seen.
    FileChanged,
    /// A file the model has worked with, shown again after a summary.
    ReattachedFile,
    MemoryFile,
    QueuedPrompt,
    TaskStatus,
    Diagnostics,
    DateChange,
    IdeSelection,
    MaxTurnsReached,
    /// That it is planning.
    PlanMode,
    /// The steps it wrote down and has not spoken of for a while.
    TodoReminder,
    /// What a hook has to say.
    HookContext,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ProgressMessage {
    pub id: MessageId,
    pub at: SystemTime,
    pub tool_use_id: ToolUseId,
    pub text: String,
}

/// Why the model stopped (Messages API `stop_reason`).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StopReason {
    EndTurn,
    ToolUse,
    MaxTokens,
    StopSequence,
    PauseTurn,
    Refusal,
    ContextWindowExceeded,
    /// The provider made a summary and waits to be asked again.
    Compaction,
    Other(String),
}

/// Tokens of one answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    pub input_tokens: u64,
    pub output_tokens: u64,
    pub cache_creation_input_tokens: u64,
    pub cache_read_input_tokens: u64,
}

impl Usage {
    /// Tokens of the request, wherever they were read from.
    pub const fn request(self) -> u64 {
        self.input_tokens
            .saturating_add(self.cache_creation_input_tokens)
            .saturating_add(self.cache_read_input_tokens)
    }
}

/// Whose turn (Messages API `role`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    User,
    Assistant,
}

/// A message as every provider takes it: normalised, so that roles alternate and every call is answered.
#[derive(Clone, Debug, PartialEq)]
pub struct ApiMessage {
    pub role: Role,
    pub content: Vec<ContentBlock>,
}

impl StopReason {
    /// In the words of the Messages API.
    pub fn as_str(&self) -> &str {
        match self {
            Self::EndTurn => "end_turn",
            Self::ToolUse => "tool_use",
            Self::MaxTokens => "max_tokens",
            Self::StopSequence => "stop_sequence",
            Self::PauseTurn => "pause_turn",
            Self::Refusal => "refusal",
            Self::ContextWindowExceeded => "model_context_window_exceeded",
            Self::Compaction => "compaction",
            Self::Other(reason) => reason,
        }
    }
}

impl Message {
    pub fn id(&self) -> &MessageId {
        match self {
            Self::User(message) => &message.id,
            Self::Assistant(message) => &message.id,
            Self::System(message) => &message.id,
            Self::Attachment(message) => &message.id,
            Self::Progress(message) => &message.id,
        }
    }

    pub fn at(&self) -> SystemTime {
        match self {
            Self::User(message) => message.at,
            Self::Assistant(message) => message.at,
            Self::System(message) => message.at,
            Self::Attachment(message) => message.at,
            Self::Progress(message) => message.at,
        }
    }

    /// Whether both are the same record in memory, which costs nothing to see.
    pub fn is(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::User(one), Self::User(other)) => Arc::ptr_eq(one, other),
            (Self::Assistant(one), Self::Assistant(other)) => Arc::ptr_eq(one, other),
            (Self::System(one), Self::System(other)) => Arc::ptr_eq(one, other),
            (Self::Attachment(one), Self::Attachment(other)) => Arc::ptr_eq(one, other),
            (Self::Progress(one), Self::Progress(other)) => Arc::ptr_eq(one, other),
            _ => false,
        }
    }

    /// The same without the provider's count of tokens, which is that of a conversation that is no more.
    #[must_use]
    pub fn uncounted(mut self) -> Self {
        if let Self::Assistant(answer) = &mut self {
            Arc::make_mut(answer).usage = Usage::default();
        }
        self
    }
}

impl From<UserMessage> for Message {
    fn from(message: UserMessage) -> Self {
        Self::User(Arc::new(message))
    }
}

impl From<AssistantMessage> for Message {
    fn from(message: AssistantMessage) -> Self {
        Self::Assistant(Arc::new(message))
    }
}

impl From<SystemMessage> for Message {
    fn from(message: SystemMessage) -> Self {
        Self::System(Arc::new(message))
    }
}

impl From<ProgressMessage> for Message {
    fn from(message: ProgressMessage) -> Self {
        Self::Progress(Arc::new(message))
    }
}

impl From<Attachment> for Message {
    fn from(message: Attachment) -> Self {
        Self::Attachment(Arc::new(message))
    }
}

impl std::ops::AddAssign for Usage {
    fn add_assign(&mut self, more: Self) {
        self.input_tokens += more.input_tokens;
        self.output_tokens += more.output_tokens;
        self.cache_creation_input_tokens += more.cache_creation_input_tokens;
        self.cache_read_input_tokens += more.cache_read_input_tokens;
    }
}

impl MessageId {
    /// A new one, never given before.
    pub fn fresh() -> Self {
        Self(uuid::Uuid::new_v4().to_string())
    }
}
