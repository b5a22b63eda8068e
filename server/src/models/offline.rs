//! The offline model: no language model, but a small grammar of instructions, carried out with the real tools.
//!
//! Architecture Invariant: it keeps no state. Each turn is worked out from the conversation in the request alone, as a
//! language model's is.

mod changes;
mod code;
mod comment;
mod edits;
mod explain;
mod grammar;
mod reading;
mod replay;
mod task;
mod turn;

#[cfg(test)]
mod tests;

use std::time::Duration;

use futures::stream::BoxStream;

use super::generate::generate;
use super::{ContextEditing, ModelError, ModelRequest, Provider, ProviderEvent, ProviderInfo, Window};

/// What every surface calls it.
pub const OFFLINE_LABEL: &str = "offline model (no language model)";

/// Stands in where no language model is configured.
#[derive(Clone, Copy, Debug)]
pub struct OfflineModel {
    pace: Duration,
}

impl OfflineModel {
    /// A pause between two pieces that a person can follow.
    pub const NATURAL_PACE: Duration = Duration::from_millis(12);

    /// `pace`: the pause between two pieces of an answer; zero for none.
    pub const fn new(pace: Duration) -> Self {
        Self { pace }
    }
}

/// Whether what the offline model does for this prompt, if it understands it, is to say something: it changes no file.
pub fn wants_only_words(prompt: &str) -> bool {
    grammar::parse(prompt).is_some_and(|sentence| sentence.instruction == grammar::Instruction::Explain)
}

impl Provider for OfflineModel {
    fn info(&self) -> ProviderInfo {
        ProviderInfo {
            label: OFFLINE_LABEL.to_owned(),
            model: "offline".to_owned(),
            offline: true,
            window: Window::USUAL,
            context_edits: ContextEditing::Client,
            tool_references: false,
        }
    }

    fn stream(&self, request: ModelRequest) -> BoxStream<'static, Result<ProviderEvent, ModelError>> {
        let pace = self.pace;
        generate(move |emit| async move {
            for event in replay::events(&turn::next(&request), &request) {
                let piece = matches!(event, ProviderEvent::BlockDelta { .. });
                emit.event(event).await;
                if piece && !pace.is_zero() {
                    tokio::time::sleep(pace).await;
                }
            }
            Ok(())
        })
    }
}
