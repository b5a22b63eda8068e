//! Which model answers: the one that the configuration makes possible.

use std::sync::Arc;
use std::time::Duration;

use super::{Anthropic, AnthropicConfig, ApiKey, OfflineModel, Provider};

/// What the configuration says of models, already resolved from all its layers.
#[derive(Clone, Debug, Default)]
pub struct ModelSettings {
    pub provider: Option<ProviderChoice>,
    pub key: Option<ApiKey>,
    pub base_url: Option<String>,
    pub model: Option<String>,
    /// Overrides the pause between two pieces of an offline answer.
    pub offline_pace: Option<Duration>,
}

/// A provider that the configuration names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProviderChoice {
    Anthropic,
    Offline,
}

/// The model that is asked where none is configured.
pub const DEFAULT_MODEL: &str = "claude-sonnet-5";

/// What was selected, not yet made.
#[derive(Clone, Debug)]
pub enum Selected {
    Anthropic(AnthropicConfig),
    Offline { pace: Duration },
}

/// Chooses the named provider, else Anthropic if there is a key, else the offline model. The error, for a person: the
/// named provider lacks its key.
pub fn select(settings: ModelSettings) -> Result<Selected, String> {
    let offline = Selected::Offline { pace: settings.offline_pace.unwrap_or(OfflineModel::NATURAL_PACE) };
    match (settings.provider, settings.key) {
        (Some(ProviderChoice::Offline), _) | (None, None) => Ok(offline),
        (Some(ProviderChoice::Anthropic), None) => {
            Err("The provider `anthropic` is configured, but there is no key: set ANTHROPIC_API_KEY."
                .to_owned())
        }
        (Some(ProviderChoice::Anthropic) | None, Some(key)) => {
            let model = settings.model.unwrap_or_else(|| DEFAULT_MODEL.to_owned());
            let mut config = AnthropicConfig::new(key, model);
            config.base_url = settings.base_url.unwrap_or(config.base_url);
            Ok(Selected::Anthropic(config))
        }
    }
}

impl Selected {
    pub fn provider(self) -> Arc<dyn Provider> {
        match self {
            Self::Anthropic(config) => Arc::new(Anthropic::new(config)),
            Self::Offline { pace } => Arc::new(OfflineModel::new(pace)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key() -> ApiKey {
        ApiKey::Key("sk-test".into())
    }

    /// Compares the label of what is selected, or the error.
    #[track_caller]
    fn check(settings: ModelSettings, wanted: Result<&str, &str>) {
        let label = select(settings).map(|selected| selected.provider().info().label);
        assert_eq!(label.as_deref().map_err(String::as_str), wanted);
    }

    #[test]
    fn a_key_is_enough() {
        check(ModelSettings { key: Some(key()), ..ModelSettings::default() }, Ok("claude-sonnet-5"));
        let model = Some("claude-x".to_owned());
        check(ModelSettings { key: Some(key()), model, ..ModelSettings::default() }, Ok("claude-x"));
    }

    #[test]
    fn without_one_the_offline_model_answers() {
        check(ModelSettings::default(), Ok("offline model (no language model)"));
        let provider = Some(ProviderChoice::Offline);
        check(
            ModelSettings { provider, key: Some(key()), ..ModelSettings::default() },
            Ok("offline model (no language model)"),
        );
    }

    #[test]
    fn a_named_provider_without_its_key_is_an_error() {
        check(
            ModelSettings { provider: Some(ProviderChoice::Anthropic), ..ModelSettings::default() },
            Err("The provider `anthropic` is configured, but there is no key: set ANTHROPIC_API_KEY."),
        );
    }

    #[test]
    fn a_key_is_never_shown() {
        let settings = ModelSettings { key: Some(key()), ..ModelSettings::default() };
        assert!(!format!("{:?}", select(settings)).contains("sk-test"));
    }
}
