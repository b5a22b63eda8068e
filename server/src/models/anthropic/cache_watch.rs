//! Notices when the service no longer finds the cached prefix of a conversation, and what of the request has changed: a
//! prefix that breaks unseen costs ten times as much with each request.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Mutex, PoisonError};

use crate::conversation::{ContentBlock, Usage};
use crate::models::ModelRequest;

/// Fewer tokens than this are noise.
const NOISE: u64 = 2_000;
/// So many percent less than before are noise too.
const NOISE_PERCENT: u64 = 5;
/// Conversations that are remembered. Beyond that, all are forgotten: the watch only ever logs.
const CONVERSATIONS: usize = 64;

/// What a cached prefix is found by, beside the messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Prefix {
    system: u64,
    tools: u64,
    /// Betas, and how the model is asked to think.
    settings: u64,
}

impl Prefix {
    pub(super) fn of(request: &ModelRequest, settings: impl Hash) -> Self {
        let tools: Vec<_> = request.tools.iter().map(|tool| (&tool.name, &tool.description)).collect();
        Self { system: hashed(&request.system), tools: hashed(&tools), settings: hashed(&settings) }
    }
}

/// The last answer of each conversation.
#[derive(Debug, Default)]
pub(super) struct CacheWatch(Mutex<HashMap<u64, (Prefix, u64)>>);

impl CacheWatch {
    /// Takes the figures of an answer to `request`, and logs a broken prefix. A conversation that was summarised is another
    /// one: it begins with its summary.
    pub(super) fn note(&self, request: &ModelRequest, prefix: Prefix, usage: Usage) {
        if let Some(Broken { before, changed }) = self.broken(request, prefix, usage) {
            tracing::warn!(
                before,
                now = usage.cache_read_input_tokens,
                changed = changed.join(", "),
                "the cached prefix of a conversation was not found again"
            );
        }
    }

    fn broken(&self, request: &ModelRequest, prefix: Prefix, usage: Usage) -> Option<Broken> {
        let conversation = conversation(request)?;
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if seen.len() >= CONVERSATIONS && !seen.contains_key(&conversation) {
            seen.clear();
        }
        let (old, before) = seen.insert(conversation, (prefix, usage.cache_read_input_tokens))?;
        let broken = Broken { before, changed: changed(old, prefix) };
        is_broken(before, usage.cache_read_input_tokens).then_some(broken)
    }
}

/// Less was found than before.
#[derive(Debug, PartialEq, Eq)]
struct Broken {
    /// Tokens that were found then.
    before: u64,
    /// Parts of the request that are others now.
    changed: Vec<&'static str>,
}

fn is_broken(before: u64, now: u64) -> bool {
    let lost = before.saturating_sub(now);
    lost > NOISE && lost * 100 > before * NOISE_PERCENT
}

fn changed(before: Prefix, now: Prefix) -> Vec<&'static str> {
    let parts = [
        (before.system != now.system, "the system prompt"),
        (before.tools != now.tools, "the tools"),
        (before.settings != now.settings, "the model's settings"),
    ];
    let changed: Vec<_> = parts.into_iter().filter_map(|(changed, part)| changed.then_some(part)).collect();
    // Time passes too: a prefix is kept for minutes.
    if changed.is_empty() { vec!["the messages, or the prefix was too old"] } else { changed }
}

/// Conversations are told apart by their first text.
fn conversation(request: &ModelRequest) -> Option<u64> {
    let blocks = request.messages.first()?.content.iter();
    let texts: Vec<&str> = blocks
        .filter_map(|block| match block {
            ContentBlock::Text { text } => Some(text.as_str()),
            _ => None,
        })
        .collect();
    Some(hashed(&texts))
}

fn hashed(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::{ApiMessage, Role};

    #[test]
    fn a_prefix_is_broken_if_much_of_it_is_lost() {
        assert!(is_broken(40_000, 0));
        assert!(is_broken(40_000, 37_000));
        assert!(!is_broken(40_000, 38_500), "fewer than two thousand");
        assert!(!is_broken(100_000, 96_000), "less than five percent");
        assert!(!is_broken(1_500, 0) && !is_broken(0, 9_000));
    }

    #[test]
    fn after_a_summary_the_figures_begin_anew() {
        let request = |texts: &[&str]| {
            let content = texts.iter().copied().map(ContentBlock::text).collect();
            let first = ApiMessage { role: Role::User, content };
            ModelRequest::new(vec!["You edit.".into()], [], [first], 1)
        };
        let reading = |cache_read_input_tokens| Usage { cache_read_input_tokens, ..Usage::default() };
        let (watch, long) = (CacheWatch::default(), request(&["<instructions>", "go"]));
        let prefix = Prefix::of(&long, "a");
        assert_eq!(watch.broken(&long, prefix, reading(0)), None);
        assert_eq!(watch.broken(&long, prefix, reading(90_000)), None);
        let summarised = request(&["<instructions>", "So far …"]);
        assert_eq!(watch.broken(&summarised, prefix, reading(4_000)), None, "it is another beginning");
        let changed = vec!["the messages, or the prefix was too old"];
        let broken = Broken { before: 90_000, changed };
        assert_eq!(watch.broken(&long, prefix, reading(4_000)), Some(broken));
    }

    #[test]
    fn what_changed_is_named() {
        let request = ModelRequest::new(vec!["You edit.".into()], [], Vec::<ApiMessage>::new(), 1);
        let prefix = Prefix::of(&request, "a");
        assert_eq!(changed(prefix, prefix), ["the messages, or the prefix was too old"]);
        assert_eq!(changed(prefix, Prefix::of(&request, "b")), ["the model's settings"]);
        let other = ModelRequest { system: vec!["You read.".into()], ..request };
        assert_eq!(changed(prefix, Prefix::of(&other, "b")), ["the system prompt", "the model's settings"]);
    }
}
