//! The provider that the configuration's choice of model stands for.

use std::sync::Arc;

use super::{Anthropic, AnthropicConfig, OfflineModel, Provider};
use crate::config::{ModelChoice, ProviderKind};

/// The model that Anthropic is asked for where none is named.
pub const DEFAULT_MODEL: &str = "claude-sonnet-5";

/// Makes the provider. It costs nothing yet: connections are made with the first request, and what is missing for that,
/// such as a key, is told then.
pub fn provider(choice: ModelChoice) -> Arc<dyn Provider> {
    match choice.provider {
        ProviderKind::Anthropic => {
            let mut config =
                AnthropicConfig::new(choice.api_key, choice.name.unwrap_or_else(|| DEFAULT_MODEL.to_owned()));
            config.base_url = choice.base_url.unwrap_or(config.base_url);
            Arc::new(Anthropic::new(config))
        }
        ProviderKind::OpenAi | ProviderKind::Local | ProviderKind::Offline => {
            Arc::new(OfflineModel::new(OfflineModel::NATURAL_PACE))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{ApiKey, ToolCallFormat};

    #[track_caller]
    fn check(provider_kind: ProviderKind, name: Option<&str>, label: &str) {
        let choice = ModelChoice {
            provider: provider_kind,
            name: name.map(str::to_owned),
            base_url: None,
            api_key: Some(ApiKey::new("k")),
            max_tokens: None,
            context_window: None,
            server: None,
            tool_calls: ToolCallFormat::Native,
            why: String::new(),
        };
        assert_eq!(provider(choice).info().label, label);
    }

    #[test]
    fn each_choice_has_its_provider() {
        check(ProviderKind::Anthropic, None, "claude-sonnet-5");
        check(ProviderKind::Anthropic, Some("claude-x"), "claude-x");
        check(ProviderKind::Offline, None, "offline model (no language model)");
    }
}
