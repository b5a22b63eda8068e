//! Watches what a provider reads from its cache, and says what may have broken it.

use std::hash::{DefaultHasher, Hash, Hasher};

use crate::models::ModelRequest;

/// A fall that is worth a word: more than a twentieth and more than this many tokens.
const LEAST_FALL: u64 = 2_000;
const FALL_DIVISOR: u64 = 20;

/// One for each session.
#[derive(Clone, Copy, Debug, Default)]
pub struct CacheMonitor {
    last: Option<(CacheKey, u64)>,
}

/// What a cached prefix depends on beside the messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CacheKey {
    model: u64,
    system: u64,
    tools: u64,
    edits: u64,
}

impl CacheKey {
    pub fn of(request: &ModelRequest, model: &str) -> Self {
        let tools = request.tools.iter().map(|tool| (&tool.name, &tool.description));
        Self {
            model: hash(model),
            system: hash(&request.system),
            tools: hash(tools.collect::<Vec<_>>()),
            edits: hash(format!("{:?}{:?}", request.context_edits, request.thinking)),
        }
    }

    fn differences(self, other: Self) -> Vec<&'static str> {
        let parts = [
            ("the model", self.model == other.model),
            ("the system prompt", self.system == other.system),
            ("the tools", self.tools == other.tools),
            ("the context edits or the thinking", self.edits == other.edits),
        ];
        parts.into_iter().filter(|(_, same)| !same).map(|(part, _)| part).collect()
    }
}

impl CacheMonitor {
    /// After an answer for which `read` tokens came from the cache. `Some`: fewer than before by so much that the cache is
    /// broken, and what has changed.
    pub fn observe(&mut self, key: CacheKey, read: u64) -> Option<String> {
        let (before, tokens) = self.last.replace((key, read))?;
        let fall = tokens.saturating_sub(read);
        if fall <= LEAST_FALL || fall <= tokens / FALL_DIVISOR {
            return None;
        }
        let changed = before.differences(key);
        let why = if changed.is_empty() {
            "only messages have changed, or it has expired".to_owned()
        } else {
            format!("changed: {}", changed.join(", "))
        };
        Some(format!("{fall} fewer of {tokens} tokens were read from the cache; {why}"))
    }

    /// A summary was made: the next request shares no messages with the last one.
    pub fn begin_anew(&mut self) {
        self.last = None;
    }
}

fn hash(value: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(system: &str, model: &str) -> CacheKey {
        let request = ModelRequest::new(vec![system.to_owned()], Vec::new(), Vec::new(), 1);
        CacheKey::of(&request, model)
    }

    #[track_caller]
    fn check(first: (CacheKey, u64), second: (CacheKey, u64), want: Option<&str>) {
        let mut monitor = CacheMonitor::default();
        assert_eq!(monitor.observe(first.0, first.1), None);
        assert_eq!(monitor.observe(second.0, second.1).as_deref(), want);
    }

    #[test]
    fn only_a_fall_is_told_with_its_cause() {
        let same = key("a", "m");
        check((same, 10_000), (same, 12_000), None);
        check((same, 100_000), (same, 95_000), None);
        check((same, 10_000), (same, 8_000), None);
        check(
            (same, 10_000),
            (same, 7_999),
            Some(
                "2001 fewer of 10000 tokens were read from the cache; only messages have changed, or it has expired",
            ),
        );
        check(
            (same, 10_000),
            (key("b", "n"), 0),
            Some(
                "10000 fewer of 10000 tokens were read from the cache; changed: the model, the system prompt",
            ),
        );
    }

    #[test]
    fn after_a_summary_nothing_is_expected_of_the_cache() {
        let mut monitor = CacheMonitor::default();
        monitor.observe(key("a", "m"), 10_000);
        monitor.begin_anew();
        assert_eq!(monitor.observe(key("a", "m"), 0), None);
    }
}
