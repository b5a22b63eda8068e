//! Which model answers, and why.

use std::time::Duration;

use super::{Account, ApiKey, ChatServer, Effort, ProviderKind, Settings, ThinkingChoice, ToolCallFormat};

/// The model that the settings and the environment lead to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelChoice {
    /// Nobody is to be asked, and why.
    pub bar: Option<String>,
    pub provider: ProviderKind,
    /// `None`: the provider's default.
    pub name: Option<String>,
    pub base_url: Option<String>,
    pub api_key: Option<ApiKey>,
    pub auth_token: Option<ApiKey>,
    /// Zero: silence never counts as an end; `None`: as the provider has it.
    pub idle_timeout: Option<Duration>,
    /// `None`: as the model does by itself.
    pub thinking: Option<ThinkingChoice>,
    /// `None`: the model's own default.
    pub effort: Option<Effort>,
    /// Requests at most until one is answered.
    pub attempts: u32,
    /// Before the second of them.
    pub retry_wait: Duration,
    /// Throttles and overloads are waited out.
    pub unattended: bool,
    pub max_tokens: Option<u32>,
    pub context_window: Option<u64>,
    /// `None`: told by the address.
    pub server: Option<ChatServer>,
    pub tool_calls: ToolCallFormat,
    /// For people: what decided it.
    pub why: String,
}

/// The provider that is set; with none, the first of these that there is: Anthropic's key, OpenAI's key or the address of
/// a compatible server, a server on this machine, the offline model.
pub fn choose_model(settings: &Settings) -> ModelChoice {
    let model = &settings.model;
    let (provider, why) = match model.provider.value {
        Some(provider) => {
            (provider, format!("`model.provider` is \"{}\" ({})", provider.name(), model.provider.origin))
        }
        None => unasked(settings),
    };
    // The key of another provider has no business here.
    let account = match provider {
        ProviderKind::Anthropic => settings.anthropic.clone(),
        ProviderKind::OpenAi => settings.openai.clone(),
        ProviderKind::Local | ProviderKind::Offline => Account::default(),
    };
    ModelChoice {
        // Where the offline model is chosen, nobody is asked, whatever else can't be read.
        bar: settings.bar.clone().filter(|_| model.provider.value != Some(ProviderKind::Offline)),
        provider,
        name: model.name.value.clone().filter(|_| provider != ProviderKind::Offline),
        base_url: account.base_url.value,
        api_key: account.api_key.value,
        auth_token: account.auth_token.value,
        idle_timeout: account.idle_timeout.value,
        thinking: model.thinking.value,
        effort: model.effort.value,
        attempts: model.attempts.value,
        retry_wait: model.retry_wait.value,
        unattended: model.unattended.value,
        max_tokens: model.max_tokens.value,
        context_window: model.context_window.value,
        server: model.server.value,
        tool_calls: model.tool_calls.value,
        why,
    }
}

/// A model that the settings ask for and that is not there, in words for a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingModel {
    /// What is not there: no sentence yet, without its full stop.
    pub what: String,
    /// What to do, in the imperative.
    pub step: String,
}

impl MissingModel {
    /// For a person whom the offline model answers.
    pub fn told(&self) -> String {
        let Self { what, step } = self;
        format!("{what}, so the offline model answers, which is no language model. To have one, {step}.")
    }
}

/// What the settings ask for that only a server on this machine could be, if it is not there.
pub fn missing_model(settings: &Settings) -> Option<MissingModel> {
    let provider = &settings.model.provider;
    if provider.value == Some(ProviderKind::Local) {
        let what = format!(
            "no model server answers at its usual port on this machine, which `model.provider` asks for ({})",
            provider.origin
        );
        let step = "start Ollama, llama.cpp, LM Studio or vLLM, or name another model".to_owned();
        return Some(MissingModel { what, step });
    }
    let name = settings.model.name.value.as_ref().filter(|_| settings.model.provider.value.is_none())?;
    let (keys, provider) = if name.starts_with("claude") {
        ("ANTHROPIC_API_KEY", ProviderKind::Anthropic)
    } else {
        ("ANTHROPIC_API_KEY or OPENAI_API_KEY", ProviderKind::OpenAi)
    };
    Some(MissingModel {
        what: format!(
            "there is no key and no server for the model `{name}` ({})",
            settings.model.name.origin
        ),
        step: format!("set {keys}, and name the provider: `{}/{name}`", provider.name()),
    })
}

/// Another model than the one that `choose_model` leads to: its own provider, if it names one, else the same.
pub fn other_model(settings: &Settings, model: &str) -> ModelChoice {
    let mut settings = settings.clone();
    let name = match ProviderKind::named_in(model) {
        Some((provider, name)) => {
            settings.model.provider.value = Some(provider);
            name
        }
        None => Some(model),
    };
    settings.model.name.value = name.map(str::to_owned);
    choose_model(&settings)
}

fn unasked(settings: &Settings) -> (ProviderKind, String) {
    let Settings { anthropic, openai, model, .. } = settings;
    if anthropic.api_key.value.is_some() {
        (ProviderKind::Anthropic, format!("there is a key ({})", anthropic.api_key.origin))
    } else if anthropic.auth_token.value.is_some() {
        (ProviderKind::Anthropic, format!("there is a token ({})", anthropic.auth_token.origin))
    } else if openai.api_key.value.is_some() {
        (ProviderKind::OpenAi, format!("there is a key ({})", openai.api_key.origin))
    } else if openai.base_url.value.is_some() {
        (ProviderKind::OpenAi, format!("there is an address ({})", openai.base_url.origin))
    } else if model.detect_local.value {
        (ProviderKind::Local, "there is no key for a language model".to_owned())
    } else {
        (
            ProviderKind::Offline,
            format!(
                "there is no key for a language model, and none is looked for on this machine ({})",
                model.detect_local.origin
            ),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_nobody_can_be_asked_for_is_told_with_the_next_step() {
        let mut settings = Settings::default();
        assert_eq!(missing_model(&settings), None);
        settings.model.name.value = Some("gpt-5".to_owned());
        let told = missing_model(&settings).unwrap().told();
        assert!(told.contains("`gpt-5`") && told.contains("OPENAI_API_KEY") && told.contains("openai/gpt-5"));
        settings.model.name.value = Some("claude-sonnet-5".to_owned());
        let step = missing_model(&settings).unwrap().step;
        assert_eq!(step, "set ANTHROPIC_API_KEY, and name the provider: `anthropic/claude-sonnet-5`");
        settings.model.provider.value = Some(ProviderKind::Offline);
        assert_eq!(missing_model(&settings), None, "it was chosen");
        settings.model.provider.value = Some(ProviderKind::Local);
        let told = missing_model(&settings).unwrap().told();
        assert!(told.contains("no model server answers") && told.contains("start Ollama"), "{told}");
    }

    use crate::config::{Entry, Layer, Origin, Value, settle};

    fn chosen(entries: &[(&str, &str)]) -> ModelChoice {
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
        choose_model(&settings)
    }

    #[track_caller]
    fn check(entries: &[(&str, &str)], provider: ProviderKind, why: &str) {
        let choice = chosen(entries);
        assert_eq!((choice.provider, choice.why.as_str()), (provider, why));
    }

    #[test]
    fn a_broken_address_stops_every_model_but_an_offline_one_that_was_chosen() {
        let mut settings = Settings { bar: Some("the address is broken".to_owned()), ..Settings::default() };
        assert!(choose_model(&settings).bar.is_some());
        settings.model.provider.value = Some(ProviderKind::OpenAi);
        assert!(choose_model(&settings).bar.is_some());
        settings.model.provider.value = Some(ProviderKind::Offline);
        assert_eq!(choose_model(&settings).bar, None);
    }

    #[test]
    fn another_model_may_name_another_provider() {
        let mut settings = Settings::default();
        settings.anthropic.api_key.value = Some(ApiKey::new("a"));
        settings.openai.api_key.value = Some(ApiKey::new("o"));
        let chosen = |model: &str| {
            let choice = other_model(&settings, model);
            (choice.provider, choice.name.unwrap_or_default(), choice.api_key)
        };
        let anthropic = (ProviderKind::Anthropic, "claude-y".to_owned(), Some(ApiKey::new("a")));
        assert_eq!(chosen("claude-y"), anthropic);
        let openai = (ProviderKind::OpenAi, "gpt-x".to_owned(), Some(ApiKey::new("o")));
        assert_eq!(chosen("openai/gpt-x"), openai);
    }

    #[test]
    fn what_is_set_comes_first_then_the_keys_then_this_machine_then_offline() {
        let (anthropic, openai) = (("anthropic.api_key", "a"), ("openai.api_key", "o"));
        let local = ("model.detect_local", "false");
        check(&[], ProviderKind::Local, "there is no key for a language model");
        check(
            &[local],
            ProviderKind::Offline,
            "there is no key for a language model, and none is looked for on this machine ($V)",
        );
        check(&[openai, anthropic], ProviderKind::Anthropic, "there is a key ($V)");
        check(&[openai], ProviderKind::OpenAi, "there is a key ($V)");
        check(&[("anthropic.auth_token", "t"), openai], ProviderKind::Anthropic, "there is a token ($V)");
        check(&[("openai.base_url", "http://h:1")], ProviderKind::OpenAi, "there is an address ($V)");
        for (name, provider) in [
            ("offline", ProviderKind::Offline),
            ("local", ProviderKind::Local),
            ("openai", ProviderKind::OpenAi),
            ("anthropic", ProviderKind::Anthropic),
        ] {
            let why = format!("`model.provider` is \"{name}\" ($V)");
            check(&[anthropic, openai, ("model.provider", name)], provider, &why);
        }
    }

    #[test]
    fn each_provider_has_its_own_key_and_address_only() {
        let all = [
            ("anthropic.api_key", "a"),
            ("anthropic.base_url", "http://a"),
            ("openai.api_key", "o"),
            ("openai.base_url", "http://o"),
        ];
        let check = |provider: &str, key: Option<&str>, address: Option<&str>| {
            let mut entries = all.to_vec();
            entries.push(("model.provider", provider));
            let choice = chosen(&entries);
            assert_eq!(choice.api_key.as_ref().map(ApiKey::expose), key, "{provider}");
            assert_eq!(choice.base_url.as_deref(), address, "{provider}");
        };
        check("anthropic", Some("a"), Some("http://a"));
        check("openai", Some("o"), Some("http://o"));
        check("local", None, None);
        check("offline", None, None);
    }
}
