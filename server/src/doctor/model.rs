//! Which model would answer and why, without asking anybody.

use super::Finding;
use crate::config::{ModelChoice, ProviderKind, Settings, choose_model, missing_model, shown_url};
use crate::models::{DEFAULT_MODEL, OPENAI_MODEL, OPENAI_URL};

/// What somebody does who has no model.
pub const GET_A_MODEL: &str = "for a language model, set ANTHROPIC_API_KEY or OPENAI_API_KEY, or start a server on this \
                               machine (Ollama, llama.cpp, vLLM, LM Studio)";

/// What there is to say of it, and whether a model can answer; what is to be done goes to `next`.
pub fn look(settings: &Settings, next: &mut Vec<String>) -> (Vec<Finding>, bool) {
    let choice = choose_model(settings);
    if let Some(why) = &choice.bar {
        next.push("mend the setting that is broken: until then no model is asked".to_owned());
        let what = "no model is asked, since a setting that says which one, or how much it may do, is broken";
        return (vec![Finding::bad(format!("{what}: {why}"))], false);
    }
    let missing = missing_model(settings).filter(|_| choice.provider == ProviderKind::Offline);
    if let Some(missing) = missing {
        next.push(missing.step);
        return (vec![Finding::bad(missing.what)], false);
    }
    let mut found = Vec::new();
    let usable = tell(&mut found, &choice, next);
    (found, usable)
}

fn tell(found: &mut Vec<Finding>, choice: &ModelChoice, next: &mut Vec<String>) -> bool {
    let at = |usual: &str| {
        let url = choice.base_url.as_deref().unwrap_or(usual);
        if url.is_empty() { String::new() } else { format!(" at {}", shown_url(url)) }
    };
    let why = &choice.why;
    match choice.provider {
        ProviderKind::Anthropic => {
            let name = choice.name.as_deref().unwrap_or(DEFAULT_MODEL);
            let line = format!("{name} of Anthropic{}: {why}", at(""));
            keyed(found, &line, choice, "ANTHROPIC_API_KEY", "anthropic.api_key", next)
        }
        ProviderKind::OpenAi => {
            let url = choice.base_url.as_deref().unwrap_or(OPENAI_URL);
            let usual =
                if url.contains("api.openai.com") { OPENAI_MODEL } else { "the first model that is named" };
            let name = choice.name.as_deref().unwrap_or(usual);
            let line = format!("{name}{}: {why}", at(OPENAI_URL));
            if choice.api_key.is_none() && !url.contains("api.openai.com") {
                found.push(Finding::good(line));
                found.push(Finding::note("without a key, which servers on one's own machine don't ask for"));
                true
            } else {
                keyed(found, &line, choice, "OPENAI_API_KEY", "openai.api_key", next)
            }
        }
        ProviderKind::Local => {
            let of = choice.name.as_ref().map(|name| format!(" with `{name}`")).unwrap_or_default();
            found.push(Finding::note(format!(
                "{why}: `copydesk run` looks for a model server{of} on this machine (Ollama, llama.cpp, vLLM, LM Studio)"
            )));
            offline(found, "where none answers, the offline model does", next);
            next.push(
                "`copydesk doctor --model` looks for the server and asks its model what it can do".to_owned(),
            );
            true
        }
        ProviderKind::Offline => {
            found.push(Finding::good(format!("the offline model: {why}")));
            offline(found, "it is no language model", next);
            true
        }
    }
}

/// The model of a server that is still to be found.
pub fn local(choice: &ModelChoice) -> String {
    let name = choice.name.as_ref().map_or_else(|| "a model".to_owned(), |name| format!("`{name}`"));
    format!("{name} on this machine")
}

fn keyed(
    found: &mut Vec<Finding>,
    line: &str,
    choice: &ModelChoice,
    variable: &str,
    setting: &str,
    next: &mut Vec<String>,
) -> bool {
    let has_key = choice.api_key.is_some() || choice.auth_token.is_some();
    if has_key {
        found.push(Finding::good(line));
        found.push(Finding::note("there is a key (not shown)"));
        next.push("`copydesk doctor --model` asks the model what it can do".to_owned());
    } else {
        found.push(Finding::bad(format!("{line}, but there is no key")));
        next.push(format!("set {variable} in the environment, or `{setting}` in your config.toml"));
    }
    has_key
}

fn offline(found: &mut Vec<Finding>, what: &str, next: &mut Vec<String>) {
    found.push(Finding::note(format!("{what}: it knows a handful of instructions, to try everything out.")));
    next.push(GET_A_MODEL.to_owned());
}
