//! Language models behind one trait: what is asked, what streams back, and what can go wrong.

mod anthropic;
mod aside;
mod barred;
mod call_input;
mod event;
mod examine;
mod failure;
mod follow;
mod generate;
mod http;
mod lines;
mod local;
pub(crate) mod lone_surrogates;
mod offline;
#[cfg(test)]
mod only_ours;
mod openai;
mod overflow;
mod provider;
mod redact;
mod retry;
mod select;
mod silence;
mod sse;

pub use anthropic::{ANTHROPIC_URL, Anthropic, AnthropicConfig, Credential, Renewal};
pub use aside::{Aside, AsideAnswer, ask_aside};
pub use event::{BlockDelta, ProviderEvent};
pub use examine::{Ability, Examination, examine};
pub use local::LocalModel;
pub use offline::{OFFLINE_LABEL, OfflineModel, wants_only_words};
pub use openai::{OPENAI_MODEL, OPENAI_URL, OpenAi, OpenAiConfig};
pub use provider::{
    ClearedInputs, ContextEdit, ContextEditing, EditTrigger, KeptThinking, ModelError, ModelErrorKind,
    ModelRequest, OnOverload, Provider, ProviderInfo, Purpose, SearchDomains, SearchesWeb, ServerTool,
    Thinking, ToolChoice, ToolDefinition, Window,
};
pub use retry::RetryPolicy;
pub use select::{DEFAULT_MODEL, provider};
pub use silence::Patience;
