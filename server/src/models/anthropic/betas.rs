//! Features that a request must ask for by name (`anthropic-beta`). Once sent, a name is sent with every further request:
//! it is part of what the cached prefix is found by.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

pub(super) const CONTEXT_MANAGEMENT: &str = "context-management-2025-06-27";
/// Thinking between calls, for models that think with a budget.
pub(super) const INTERLEAVED_THINKING: &str = "interleaved-thinking-2025-05-14";
/// The stop reason `model_context_window_exceeded`, for models before Sonnet 4.5.
pub(super) const WINDOW_EXCEEDED: &str = "model-context-window-exceeded-2025-08-26";
/// Summaries made by the service: asked for, or still part of a conversation.
pub(super) const COMPACTION: &str = "compact-2026-01-12";

/// The names sent so far.
#[derive(Debug, Default)]
pub(super) struct StickyBetas(Mutex<BTreeSet<&'static str>>);

impl StickyBetas {
    /// The header's value with `needed` in it; `None`: no name was ever needed.
    pub(super) fn header(&self, needed: &[&'static str]) -> Option<String> {
        let mut sent = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        sent.extend(needed);
        (!sent.is_empty()).then(|| sent.iter().copied().collect::<Vec<_>>().join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_sent_once_is_sent_again_in_the_same_order() {
        let betas = StickyBetas::default();
        assert_eq!(betas.header(&[]), None);
        assert_eq!(betas.header(&["b"]).as_deref(), Some("b"));
        assert_eq!(betas.header(&["c", "a"]).as_deref(), Some("a,b,c"));
        assert_eq!(betas.header(&[]).as_deref(), Some("a,b,c"));
    }
}
