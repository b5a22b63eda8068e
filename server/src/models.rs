//! Language models behind one trait: what is asked, what streams back, and what can go wrong.

mod event;
mod provider;

pub use event::{BlockDelta, ProviderEvent};
pub use provider::{ModelError, ModelErrorKind, ModelRequest, Provider, ProviderInfo, ToolDefinition};
