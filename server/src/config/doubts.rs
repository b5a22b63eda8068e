//! Settings that are right each by itself and make no sense together. They count as they are; the person is told.

use super::{
    CommandNumber, Diagnostic, ModelChoice, Origin, ProviderKind, Settings, choose_model, other_model,
};

/// What is doubtful in `settings`, each with the place of the setting that is likeliest to be wrong.
pub(super) fn doubts(settings: &Settings) -> Vec<Diagnostic> {
    let told = [timeouts(settings), web_search(settings), budget(settings)];
    told.into_iter().flatten().chain(others_without_key(settings)).collect()
}

fn timeouts(settings: &Settings) -> Option<Diagnostic> {
    let shell = &settings.shell;
    let (usual, longest) = (CommandNumber::DefaultTimeout, CommandNumber::LongestTimeout);
    let (given, most) = (shell.number(usual), shell.number(longest));
    let origin =
        if *shell.origin(usual) == Origin::Default { shell.origin(longest) } else { shell.origin(usual) };
    (given > most).then(|| Diagnostic {
        origin: origin.clone(),
        message: format!(
            "`{}` ({given}) is more than `{}` ({most}), so a command gets {most}",
            usual.name(),
            longest.name()
        ),
    })
}

/// Only Anthropic's service, and gateways to it, search the web.
fn web_search(settings: &Settings) -> Option<Diagnostic> {
    let wanted = &settings.tools.web_search;
    let small = settings.model.small.value.as_deref().map(|model| other_model(settings, model).provider);
    let mut asked = small.into_iter().chain([choose_model(settings).provider]);
    let searches = asked.any(|provider| provider == ProviderKind::Anthropic);
    (wanted.value == Some(true) && !searches).then(|| Diagnostic {
        origin: wanted.origin.clone(),
        message: "`tools.web_search`: only Anthropic's service and gateways to it search the web, and another model is \
                  asked here, so there is no search"
            .to_owned(),
    })
}

/// A model without a price costs nothing as far as is known here.
fn budget(settings: &Settings) -> Option<Diagnostic> {
    let most = &settings.max_budget;
    most.value?;
    let asked = std::iter::once(choose_model(settings)).chain(others(settings).map(|(_, _, choice)| choice));
    let mut unknown: Vec<String> = Vec::new();
    for model in asked.filter_map(|choice| without_price(settings, choice)) {
        if !unknown.contains(&model) {
            unknown.push(model);
        }
    }
    (!unknown.is_empty()).then(|| Diagnostic {
        origin: most.origin.clone(),
        message: format!(
            "`max_budget_usd` counts nothing that {} costs, since no price is known for that: `model.prices` takes one, such as \
             \"NAME = 3/15\"",
            unknown.join(" or ")
        ),
    })
}

/// How a person knows the model, if its price is not known and it may have one.
fn without_price(settings: &Settings, choice: ModelChoice) -> Option<String> {
    let is_known = |name: &str| settings.model.prices.value.of(name).is_some();
    match (choice.provider, choice.name) {
        (ProviderKind::Offline, _) | (ProviderKind::Anthropic, None) => None,
        (_, Some(name)) => (!is_known(&name)).then(|| format!("`{name}`")),
        (ProviderKind::OpenAi | ProviderKind::Local, None) => {
            Some("the model that the server names".to_owned())
        }
    }
}

/// The models that are asked beside the first one: the setting, the name there, and what it leads to.
fn others(settings: &Settings) -> impl Iterator<Item = (&Origin, String, ModelChoice)> {
    let model = &settings.model;
    let fallback = model.fallback.value.iter().map(|name| ("model.fallback", &model.fallback.origin, name));
    let small = model.small.value.iter().map(|name| ("model.small", &model.small.origin, name));
    fallback.chain(small).map(|(setting, origin, name)| {
        (origin, format!("`{setting}` names `{name}`"), other_model(settings, name))
    })
}

fn others_without_key(settings: &Settings) -> Vec<Diagnostic> {
    let without_key = |choice: &ModelChoice| match choice.provider {
        ProviderKind::Anthropic if choice.api_key.is_none() && choice.auth_token.is_none() => {
            Some("ANTHROPIC_API_KEY")
        }
        // A server of one's own may want none.
        ProviderKind::OpenAi if choice.api_key.is_none() && choice.base_url.is_none() => {
            Some("OPENAI_API_KEY")
        }
        ProviderKind::Anthropic | ProviderKind::OpenAi | ProviderKind::Local | ProviderKind::Offline => None,
    };
    let told = others(settings).filter_map(|(origin, named, choice)| {
        let variable = without_key(&choice)?;
        let message = format!("{named}, for which there is no key, so it can't be asked: set {variable}");
        Some(Diagnostic { origin: origin.clone(), message })
    });
    told.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Key, Value};

    #[track_caller]
    fn check(set: &[(&str, Value)], want: &[&str]) {
        let mut settings = Settings::default();
        for (key, value) in set {
            Key::named(key).unwrap().set(&mut settings, value, Origin::Editor).unwrap();
        }
        let told: Vec<String> = doubts(&settings).iter().map(ToString::to_string).collect();
        assert_eq!(told, want);
    }

    #[test]
    fn no_command_gets_more_than_the_longest_time() {
        let text = "the editor's settings: `shell.default_timeout_ms` (700000) is more than \
                    `shell.longest_timeout_ms` (600000), so a command gets 600000";
        check(&[("shell.default_timeout_ms", Value::Whole(700_000))], &[text]);
        let text = "the editor's settings: `shell.default_timeout_ms` (120000) is more than \
                    `shell.longest_timeout_ms` (1000), so a command gets 1000";
        check(&[("shell.longest_timeout_ms", Value::Whole(1_000))], &[text]);
        check(&[("shell.default_timeout_ms", Value::Whole(600_000))], &[]);
    }

    #[test]
    fn a_search_needs_somebody_who_searches() {
        let text = |text: &str| Value::Text(text.to_owned());
        let wanted = ("tools.web_search", Value::Flag(true));
        let told = "the editor's settings: `tools.web_search`: only Anthropic's service and gateways to it search the web, \
                    and another model is asked here, so there is no search";
        check(&[("model.provider", text("openai")), wanted.clone()], &[told]);
        check(&[("model.provider", text("anthropic")), wanted.clone()], &[]);
        let small = [("model.small", text("anthropic/claude-x")), ("anthropic.api_key", text("k"))];
        check(&[&[("model.provider", text("openai")), wanted.clone()], &small[..]].concat(), &[]);
        check(&[("model.provider", text("openai")), ("tools.web_search", Value::Flag(false))], &[]);
    }

    #[test]
    fn a_budget_needs_prices() {
        let text = |text: &str| Value::Text(text.to_owned());
        let budget = ("max_budget_usd", text("2"));
        let told = |what: &str| {
            format!(
                "the editor's settings: `max_budget_usd` counts nothing that {what} costs, since no price is known for that: \
                 `model.prices` takes one, such as \"NAME = 3/15\""
            )
        };
        let model =
            |provider: &str, name: &str| [("model.provider", text(provider)), ("model.name", text(name))];
        let with = |more: &[(&'static str, Value)]| [std::slice::from_ref(&budget), more].concat();
        check(&with(&model("openai", "qwen3")), &[&told("`qwen3`")]);
        check(&with(&model("anthropic", "claude-sonnet-5")), &[]);
        check(&with(&[("model.provider", text("anthropic"))]), &[]);
        check(&with(&[("model.provider", text("offline"))]), &[]);
        check(&with(&[("model.provider", text("openai"))]), &[&told("the model that the server names")]);
        let priced = [&model("openai", "qwen3")[..], &[("model.prices", text("qwen = 0/0"))]].concat();
        check(&with(&priced), &[]);
        check(&model("openai", "qwen3"), &[]);
    }

    #[test]
    fn a_model_beside_the_first_needs_its_key() {
        let text = |text: &str| Value::Text(text.to_owned());
        let told = |setting: &str, name: &str, variable: &str| {
            format!(
                "the editor's settings: `{setting}` names `{name}`, for which there is no key, so it can't be asked: set {variable}"
            )
        };
        let offline = ("model.provider", text("offline"));
        let fallback = told("model.fallback", "openai/gpt-5", "OPENAI_API_KEY");
        check(&[offline.clone(), ("model.fallback", text("openai/gpt-5"))], &[&fallback]);
        let small = told("model.small", "anthropic/claude-haiku-4-5", "ANTHROPIC_API_KEY");
        check(&[offline.clone(), ("model.small", text("anthropic/claude-haiku-4-5"))], &[&small]);
        let server = ("openai.base_url", text("http://localhost:1"));
        check(&[offline, server, ("model.fallback", text("openai/qwen3"))], &[]);
    }
}
