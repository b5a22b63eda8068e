//! Which model answers, and why.

use super::{ApiKey, ProviderKind, Settings};

/// The model that the settings and the environment lead to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelChoice {
    pub provider: ProviderKind,
    /// `None`: the provider's default.
    pub name: Option<String>,
    pub base_url: Option<String>,
    pub api_key: Option<ApiKey>,
    pub max_tokens: Option<u32>,
    /// For people: what decided it.
    pub why: String,
}

/// The provider that is set; with none, Anthropic where there is a key, else the offline model.
pub fn choose_model(settings: &Settings) -> ModelChoice {
    let model = &settings.model;
    let (provider, why) = match (&model.provider.value, &model.api_key.value) {
        (Some(provider), _) => {
            (*provider, format!("`model.provider` is \"{}\" ({})", provider.name(), model.provider.origin))
        }
        (None, Some(_)) => (ProviderKind::Anthropic, format!("there is a key ({})", model.api_key.origin)),
        (None, None) => (ProviderKind::Offline, "there is no key for a language model".to_owned()),
    };
    match provider {
        ProviderKind::Anthropic => ModelChoice {
            provider,
            name: model.name.value.clone(),
            base_url: model.base_url.value.clone(),
            api_key: model.api_key.value.clone(),
            max_tokens: model.max_tokens.value,
            why,
        },
        // The key of another provider has no business here.
        ProviderKind::Offline => ModelChoice {
            provider,
            name: None,
            base_url: None,
            api_key: None,
            max_tokens: model.max_tokens.value,
            why,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Entry, Layer, Origin, Value, settle};

    #[track_caller]
    fn check(entries: &[(&str, &str)], provider: ProviderKind, why: &str) {
        let entries = entries
            .iter()
            .map(|(key, value)| Entry {
                key: (*key).to_owned(),
                value: Value::Text((*value).to_owned()),
                origin: Origin::Environment { variable: "V".into() },
            })
            .collect();
        let (settings, diagnostics) = settle(&[Layer { entries, diagnostics: vec![] }]);
        assert_eq!(diagnostics, []);
        let choice = choose_model(&settings);
        assert_eq!((choice.provider, choice.why.as_str()), (provider, why));
    }

    #[test]
    fn what_is_set_comes_first_then_the_key_then_offline() {
        check(&[], ProviderKind::Offline, "there is no key for a language model");
        check(&[("model.api_key", "k")], ProviderKind::Anthropic, "there is a key ($V)");
        let offline = [("model.api_key", "k"), ("model.provider", "offline")];
        check(&offline, ProviderKind::Offline, "`model.provider` is \"offline\" ($V)");
        check(
            &[("model.provider", "anthropic")],
            ProviderKind::Anthropic,
            "`model.provider` is \"anthropic\" ($V)",
        );
    }
}
