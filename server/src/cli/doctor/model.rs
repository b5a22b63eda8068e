//! Which model would answer and why, without asking anybody.

use super::{bad, good};
use crate::cli::terminal::Terminal;
use crate::config::{ModelChoice, ProviderKind, shown_url};
use crate::models::{DEFAULT_MODEL, OPENAI_URL};

/// Tells it, and adds what is to be done; `false` if no model can answer.
pub(super) fn tell(terminal: &mut Terminal, choice: &ModelChoice, next: &mut Vec<String>) -> bool {
    let at = |usual: &str| {
        let url = choice.base_url.as_deref().unwrap_or(usual);
        if url.is_empty() { String::new() } else { format!(" at {}", shown_url(url)) }
    };
    let why = &choice.why;
    match choice.provider {
        ProviderKind::Anthropic => {
            let name = choice.name.as_deref().unwrap_or(DEFAULT_MODEL);
            let line = format!("{name} of Anthropic{}: {why}", at(""));
            keyed(terminal, &line, choice, "ANTHROPIC_API_KEY", "anthropic.api_key", next)
        }
        ProviderKind::OpenAi => {
            let url = choice.base_url.as_deref().unwrap_or(OPENAI_URL);
            let name = choice.name.as_deref().unwrap_or("the usual model");
            let line = format!("{name}{}: {why}", at(OPENAI_URL));
            if choice.api_key.is_none() && !url.contains("api.openai.com") {
                good(terminal, &line);
                terminal.line("  without a key, which servers on one's own machine don't ask for");
                true
            } else {
                keyed(terminal, &line, choice, "OPENAI_API_KEY", "openai.api_key", next)
            }
        }
        ProviderKind::Local => {
            good(
                terminal,
                &format!(
                    "a model on this machine (Ollama, llama.cpp, vLLM, LM Studio), if one answers: {why}"
                ),
            );
            offline(terminal, "until then the offline model answers", next);
            true
        }
        ProviderKind::Offline => {
            good(terminal, &format!("the offline model: {why}"));
            offline(terminal, "it is no language model", next);
            true
        }
    }
}

fn keyed(
    terminal: &mut Terminal,
    line: &str,
    choice: &ModelChoice,
    variable: &str,
    setting: &str,
    next: &mut Vec<String>,
) -> bool {
    let has_key = choice.api_key.is_some() || choice.auth_token.is_some();
    if has_key {
        good(terminal, line);
        terminal.line("  there is a key (not shown)");
        next.push("`copydesk doctor --model` asks the model what it can do".to_owned());
    } else {
        bad(terminal, &format!("{line}, but there is no key"));
        next.push(format!("set {variable} in the environment, or `{setting}` in your config.toml"));
    }
    has_key
}

fn offline(terminal: &mut Terminal, what: &str, next: &mut Vec<String>) {
    terminal.line(&format!("  {what}: it knows a handful of instructions, to try everything out."));
    next.push(
        "for a language model, set ANTHROPIC_API_KEY or OPENAI_API_KEY, or start a server on this machine"
            .to_owned(),
    );
}
