//! The shapes of a request as the Messages API documents them, borrowed from ours and written without a copy.

use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::conversation::{ContentBlock, ImageSource, ToolResultContent};
use crate::models::anthropic::thinking::ThinkingForm;
use crate::models::{
    ClearedInputs, ContextEdit, EditTrigger, KeptThinking, SearchDomains, ServerTool, ToolDefinition,
};

/// The API summarises no conversation of fewer tokens.
const LEAST_BEFORE_A_SUMMARY: u64 = 50_000;

/// The fields before the messages, in the order in which they are written.
#[derive(Serialize)]
pub(super) struct Head<'a> {
    pub(super) model: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) max_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) stream: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) thinking: Option<Thinking>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) output_config: Option<OutputConfig>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) context_management: Option<ContextManagement<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tool_choice: Option<TypeOnly>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tools: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) system: Vec<Marked<Block<'a>>>,
}

#[derive(Serialize)]
pub(super) struct TypeOnly {
    #[serde(rename = "type")]
    pub(super) kind: &'static str,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Thinking {
    /// Without `display`, newer models think in silence.
    Adaptive {
        display: &'static str,
    },
    Enabled {
        budget_tokens: u32,
    },
    Disabled,
}

#[derive(Serialize)]
pub(super) struct OutputConfig {
    pub(super) effort: &'static str,
}

#[derive(Serialize)]
pub(super) struct Tool<'a> {
    pub(super) name: &'a str,
    description: &'a str,
    input_schema: &'a Value,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    defer_loading: bool,
}

#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Offered<'a> {
    Ours(Marked<Tool<'a>>),
    Service(ServiceTool<'a>),
}

/// A tool that runs at the service (Messages API, "Web search tool").
#[derive(Serialize)]
#[serde(tag = "type")]
pub(super) enum ServiceTool<'a> {
    #[serde(rename = "web_search_20250305")]
    WebSearch {
        name: &'static str,
        max_uses: u32,
        #[serde(skip_serializing_if = "<[String]>::is_empty")]
        allowed_domains: &'a [String],
        #[serde(skip_serializing_if = "<[String]>::is_empty")]
        blocked_domains: &'a [String],
    },
}

#[derive(Serialize)]
pub(super) struct Message<'a> {
    pub(super) role: &'static str,
    pub(super) content: Vec<Marked<Block<'a>>>,
}

/// Something behind which the cached prefix may end.
#[derive(Serialize)]
pub(super) struct Marked<T> {
    #[serde(flatten)]
    pub(super) inner: T,
    #[serde(skip_serializing_if = "Option::is_none")]
    cache_control: Option<TypeOnly>,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Block<'a> {
    Text {
        text: &'a str,
    },
    Thinking {
        thinking: &'a str,
        signature: &'a str,
    },
    RedactedThinking {
        data: &'a str,
    },
    ToolUse {
        id: &'a str,
        name: &'a str,
        input: &'a Value,
    },
    ToolResult {
        tool_use_id: &'a str,
        content: Vec<Part<'a>>,
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        is_error: bool,
    },
    Image {
        source: Source<'a>,
    },
    ServerToolUse {
        id: &'a str,
        name: &'a str,
        input: &'a Value,
    },
    Compaction {
        content: &'a str,
    },
    #[serde(untagged)]
    Raw(&'a Value),
}

/// Of a tool's result.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Part<'a> {
    Text { text: &'a str },
    Image { source: Source<'a> },
    ToolReference { tool_name: &'a str },
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Source<'a> {
    Base64 { media_type: &'a str, data: &'a str },
}

#[derive(Serialize)]
pub(super) struct ContextManagement<'a> {
    edits: Vec<Edit<'a>>,
}

#[derive(Serialize)]
#[serde(tag = "type")]
pub(super) enum Edit<'a> {
    #[serde(rename = "clear_tool_uses_20250919")]
    ClearToolUses {
        trigger: Amount,
        keep: Amount,
        #[serde(skip_serializing_if = "Option::is_none")]
        clear_at_least: Option<Amount>,
        #[serde(skip_serializing_if = "<[String]>::is_empty")]
        exclude_tools: &'a [String],
        clear_tool_inputs: bool,
    },
    #[serde(rename = "clear_thinking_20251015")]
    ClearThinking { keep: Kept },
    #[serde(rename = "compact_20260112")]
    Compact { trigger: Amount },
}

#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Kept {
    Turns(Amount),
    All(&'static str),
}

#[derive(Serialize)]
#[serde(tag = "type", content = "value", rename_all = "snake_case")]
pub(super) enum Amount {
    InputTokens(u64),
    ToolUses(u32),
    ThinkingTurns(u32),
}

impl<'a> ContextManagement<'a> {
    /// `None` if there is nothing to be done.
    pub(super) fn of(edits: Vec<Edit<'a>>) -> Option<Self> {
        (!edits.is_empty()).then_some(Self { edits })
    }
}

impl<T> Marked<T> {
    pub(super) const fn not(inner: T) -> Self {
        Self { inner, cache_control: None }
    }

    pub(super) const fn mark(&mut self) {
        self.cache_control = Some(TypeOnly { kind: "ephemeral" });
    }
}

impl From<ThinkingForm> for Thinking {
    fn from(form: ThinkingForm) -> Self {
        match form {
            ThinkingForm::Adaptive => Self::Adaptive { display: "summarized" },
            ThinkingForm::Enabled { budget_tokens } => Self::Enabled { budget_tokens },
            ThinkingForm::Disabled => Self::Disabled,
        }
    }
}

impl<'a> From<&'a ServerTool> for Offered<'a> {
    fn from(tool: &'a ServerTool) -> Self {
        let ServerTool::WebSearch { max_uses, domains } = tool;
        let (allowed_domains, blocked_domains): (&[String], &[String]) = match domains {
            SearchDomains::All => (&[], &[]),
            SearchDomains::Only(domains) => (domains, &[]),
            SearchDomains::Except(domains) => (&[], domains),
        };
        let name = "web_search";
        Self::Service(ServiceTool::WebSearch { name, max_uses: *max_uses, allowed_domains, blocked_domains })
    }
}

impl<'a> From<&'a ToolDefinition> for Tool<'a> {
    fn from(tool: &'a ToolDefinition) -> Self {
        Self {
            name: &tool.name,
            description: &tool.description,
            input_schema: &tool.input_schema,
            defer_loading: tool.deferred,
        }
    }
}

impl Tool<'_> {
    /// The model is not shown it, so no cached prefix ends with it.
    pub(super) const fn is_deferred(&self) -> bool {
        self.defer_loading
    }
}

impl<'a> From<&'a ContentBlock> for Block<'a> {
    fn from(block: &'a ContentBlock) -> Self {
        match block {
            ContentBlock::Text { text } => Self::Text { text },
            ContentBlock::Thinking { thinking, signature } => Self::Thinking { thinking, signature },
            ContentBlock::RedactedThinking { data } => Self::RedactedThinking { data },
            ContentBlock::ToolUse { id, name, input } => Self::ToolUse { id: id.as_str(), name, input },
            ContentBlock::ToolResult { tool_use_id, content, is_error } => Self::ToolResult {
                tool_use_id: tool_use_id.as_str(),
                content: content.iter().map(Part::from).collect(),
                is_error: *is_error,
            },
            ContentBlock::Image(source) => Self::Image { source: source.into() },
            ContentBlock::ServerToolUse { id, name, input } => {
                Self::ServerToolUse { id: id.as_str(), name, input }
            }
            ContentBlock::ServerToolResult { raw, .. } => Self::Raw(raw),
            ContentBlock::Compaction { content } => Self::Compaction { content },
        }
    }
}

impl<'a> From<&'a ToolResultContent> for Part<'a> {
    fn from(part: &'a ToolResultContent) -> Self {
        match part {
            ToolResultContent::Text(text) => Self::Text { text },
            ToolResultContent::Image(source) => Self::Image { source: source.into() },
            ToolResultContent::ToolReference(tool_name) => Self::ToolReference { tool_name },
        }
    }
}

impl<'a> From<&'a ImageSource> for Source<'a> {
    fn from(source: &'a ImageSource) -> Self {
        Self::Base64 { media_type: &source.media_type, data: &source.data }
    }
}

impl<'a> From<&'a ContextEdit> for Edit<'a> {
    fn from(edit: &'a ContextEdit) -> Self {
        match edit {
            ContextEdit::ClearToolUses { trigger, keep, clear_at_least, exclude_tools, inputs } => {
                Self::ClearToolUses {
                    trigger: match *trigger {
                        EditTrigger::InputTokens(tokens) => Amount::InputTokens(tokens),
                        EditTrigger::ToolUses(uses) => Amount::ToolUses(uses),
                    },
                    keep: Amount::ToolUses(*keep),
                    clear_at_least: clear_at_least.map(Amount::InputTokens),
                    exclude_tools,
                    clear_tool_inputs: *inputs == ClearedInputs::Cleared,
                }
            }
            ContextEdit::ClearThinking { keep: KeptThinking::Turns(turns) } => {
                Self::ClearThinking { keep: Kept::Turns(Amount::ThinkingTurns((*turns).max(1))) }
            }
            ContextEdit::ClearThinking { keep: KeptThinking::All } => {
                Self::ClearThinking { keep: Kept::All("all") }
            }
            ContextEdit::Compact { at_input_tokens } => {
                Self::Compact { trigger: Amount::InputTokens((*at_input_tokens).max(LEAST_BEFORE_A_SUMMARY)) }
            }
        }
    }
}
