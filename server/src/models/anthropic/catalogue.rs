//! What is known of each Claude model: how much it holds, and how it thinks (Anthropic, "Models overview").

use crate::models::Window;

/// What a model can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Known {
    pub(super) window: Window,
    pub(super) thinking: ThinkingAbility,
    /// It takes `output_config.effort`.
    pub(super) effort: bool,
    /// A full window ends its answer with a stop reason of its own only if a beta header asks for that.
    pub(super) window_end_is_beta: bool,
}

/// The ways of thinking a model takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ThinkingAbility {
    None,
    /// Only with a budget.
    Budget,
    /// As much as it likes, if it is asked to think.
    Adaptive,
    /// The same, unless it is told not to.
    AdaptiveUnlessDisabled,
    /// The same, always.
    AdaptiveAlways,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Family {
    Haiku,
    Sonnet,
    Opus,
    /// Fable, and Mythos beside it.
    Fable,
}

/// Looks `model` up by its family and version: `claude-opus-4-6`, `claude-3-5-sonnet-20241022`, or such a name as the
/// clouds write it, `us.anthropic.claude-sonnet-4-5-v1:0`. `None`: no Claude model, or none that is known.
pub(super) fn known(model: &str) -> Option<Known> {
    use Family::{Fable, Haiku, Opus, Sonnet};
    let (family, version) = parsed(model)?;
    let window = |context, max_output| Window { context, max_output };
    let (window, thinking) = match (family, version) {
        (_, ..305) => (window(200_000, 4_096), ThinkingAbility::None),
        (Haiku, ..400) | (_, 305) => (window(200_000, 8_192), ThinkingAbility::None),
        (Opus, ..405) => (window(200_000, 32_000), ThinkingAbility::Budget),
        (Haiku, ..500) | (_, ..406) => (window(200_000, 64_000), ThinkingAbility::Budget),
        (Sonnet | Opus, ..500) => (window(1_000_000, 128_000), ThinkingAbility::Adaptive),
        (Sonnet | Opus, ..505) => (window(1_000_000, 128_000), ThinkingAbility::AdaptiveUnlessDisabled),
        (Sonnet | Opus | Fable, _) => (window(1_000_000, 128_000), ThinkingAbility::AdaptiveAlways),
        // Nothing is said of its window: what is safe is taken.
        (Haiku, _) => (window(200_000, 64_000), ThinkingAbility::AdaptiveAlways),
    };
    let adaptive = !matches!(thinking, ThinkingAbility::None | ThinkingAbility::Budget);
    Some(Known { window, thinking, effort: adaptive, window_end_is_beta: version < 405 })
}

/// The family, and the version in hundreds: 405 is 4.5.
fn parsed(model: &str) -> Option<(Family, u32)> {
    let (_, name) = model.split_once("claude-")?;
    let mut family = None;
    let mut version = Vec::new();
    for part in name.split(['-', '.', '@', ':']) {
        match part {
            "haiku" => family = Some(Family::Haiku),
            "sonnet" => family = Some(Family::Sonnet),
            "opus" => family = Some(Family::Opus),
            "fable" | "mythos" => family = Some(Family::Fable),
            // A longer number is a date.
            _ if part.len() <= 2 => version.extend(part.parse::<u32>().ok()),
            _ => {}
        }
    }
    let major = *version.first()?;
    Some((family?, major * 100 + version.get(1).copied().unwrap_or(0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(model: &str, context: u64, max_output: u32, thinking: ThinkingAbility) {
        let known = known(model).expect("a known model");
        assert_eq!((known.window, known.thinking), (Window { context, max_output }, thinking), "{model}");
    }

    #[test]
    fn models_by_their_names() {
        check("claude-3-haiku-20240307", 200_000, 4_096, ThinkingAbility::None);
        check("claude-3-5-sonnet-20241022", 200_000, 8_192, ThinkingAbility::None);
        check("claude-3-7-sonnet-latest", 200_000, 64_000, ThinkingAbility::Budget);
        check("claude-sonnet-4-20250514", 200_000, 64_000, ThinkingAbility::Budget);
        check("claude-opus-4-1-20250805", 200_000, 32_000, ThinkingAbility::Budget);
        check("claude-opus-4-5", 200_000, 64_000, ThinkingAbility::Budget);
        check("claude-haiku-4-5-20251001", 200_000, 64_000, ThinkingAbility::Budget);
        check("us.anthropic.claude-sonnet-4-5-20250929-v1:0", 200_000, 64_000, ThinkingAbility::Budget);
        check("claude-sonnet-4-6", 1_000_000, 128_000, ThinkingAbility::Adaptive);
        check("anthropic.claude-opus-4-6-v1", 1_000_000, 128_000, ThinkingAbility::Adaptive);
        check("claude-opus-4-8", 1_000_000, 128_000, ThinkingAbility::Adaptive);
        check("claude-sonnet-5", 1_000_000, 128_000, ThinkingAbility::AdaptiveUnlessDisabled);
        check("claude-opus-5@20260724", 1_000_000, 128_000, ThinkingAbility::AdaptiveUnlessDisabled);
        check("claude-opus-5-5", 1_000_000, 128_000, ThinkingAbility::AdaptiveAlways);
        check("claude-fable-5", 1_000_000, 128_000, ThinkingAbility::AdaptiveAlways);
        check("claude-haiku-5-5", 200_000, 64_000, ThinkingAbility::AdaptiveAlways);
    }

    #[test]
    fn the_stop_reason_of_a_full_window_is_a_beta_before_sonnet_4_5() {
        assert!(known("claude-opus-4-1").expect("known").window_end_is_beta);
        assert!(!known("claude-sonnet-4-5").expect("known").window_end_is_beta);
    }

    #[test]
    fn other_names_are_not_known() {
        for model in ["claude-x", "gpt-5", "claude-", "claude-sonnet", "claude-5", ""] {
            assert_eq!(known(model), None, "{model}");
        }
    }
}
