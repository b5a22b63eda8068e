//! Language models behind one trait: what is asked, what streams back, and what can go wrong.

mod event;
mod generate;
mod offline;
mod provider;

pub use event::{BlockDelta, ProviderEvent};
pub use offline::{OFFLINE_LABEL, OfflineModel};
pub use provider::{ModelError, ModelErrorKind, ModelRequest, Provider, ProviderInfo, ToolDefinition};
