//! The provider that the configuration's choice of model stands for.

use std::sync::Arc;

use super::barred::BarredModel;
use super::local::USUAL_PORTS;
use super::{
    Anthropic, AnthropicConfig, Credential, LocalModel, OPENAI_URL, OfflineModel, OpenAi, OpenAiConfig,
    Patience, Provider, Renewal, RetryPolicy, Thinking,
};
use crate::config::{ModelChoice, ProviderKind, ThinkingChoice};

/// The model that Anthropic is asked for where none is named.
pub const DEFAULT_MODEL: &str = "claude-sonnet-5";

/// Makes the provider. It costs nothing yet: connections are made with the first request, and what is missing for that,
/// such as a key, is told then. `again` makes the choice anew, for a key that was changed meanwhile. Only a model on
/// this machine is looked for at once, in the background.
pub fn provider(
    choice: ModelChoice,
    again: impl Fn() -> ModelChoice + Send + Sync + 'static,
) -> Arc<dyn Provider> {
    if let Some(why) = choice.bar {
        return Arc::new(BarredModel::new(why));
    }
    match choice.provider {
        ProviderKind::Anthropic => {
            let renewal = Renewal::new(move || {
                let choice = again();
                // A key whose address can't be read meanwhile is for nobody else.
                let (key, token) = (choice.api_key, choice.auth_token);
                if choice.bar.is_some() {
                    Credential::chosen(None, None)
                } else {
                    Credential::chosen(key, token)
                }
            });
            let config = AnthropicConfig { renewal: Some(renewal), ..anthropic(choice) };
            Arc::new(Anthropic::new(config))
        }
        ProviderKind::OpenAi => Arc::new(OpenAi::new(openai(choice))),
        ProviderKind::Local => {
            let model = LocalModel::new(USUAL_PORTS, openai(choice));
            let looking = model.clone();
            if let Ok(runtime) = tokio::runtime::Handle::try_current() {
                runtime.spawn(async move { looking.look().await });
            }
            Arc::new(model)
        }
        ProviderKind::Offline => Arc::new(OfflineModel::new(OfflineModel::NATURAL_PACE)),
    }
}

fn anthropic(choice: ModelChoice) -> AnthropicConfig {
    let retry = retry(&choice);
    let credential = Credential::chosen(choice.api_key, choice.auth_token);
    let name = choice.name.unwrap_or_else(|| DEFAULT_MODEL.to_owned());
    let usual = AnthropicConfig::new(credential, name);
    AnthropicConfig {
        base_url: choice.base_url.unwrap_or(usual.base_url),
        context_window: choice.context_window,
        thinking: choice.thinking.map(|thinking| match thinking {
            ThinkingChoice::Off => Thinking::Disabled,
            ThinkingChoice::Adaptive => Thinking::Adaptive,
            ThinkingChoice::Budget(budget_tokens) => Thinking::Enabled { budget_tokens },
        }),
        effort: choice.effort,
        patience: Patience {
            limit: choice.idle_timeout.or(usual.patience.limit).filter(|limit| !limit.is_zero()),
            ..usual.patience
        },
        retry,
        ..usual
    }
}

fn openai(choice: ModelChoice) -> OpenAiConfig {
    let retry = retry(&choice);
    let usual = OpenAiConfig::new(choice.base_url.unwrap_or_else(|| OPENAI_URL.to_owned()));
    OpenAiConfig {
        key: choice.api_key,
        model: choice.name,
        server: choice.server,
        tool_calls: choice.tool_calls,
        window: choice.context_window,
        idle_timeout: choice.idle_timeout,
        retry: RetryPolicy { least_output: usual.retry.least_output, ..retry },
        ..usual
    }
}

fn retry(choice: &ModelChoice) -> RetryPolicy {
    let policy =
        RetryPolicy { attempts: choice.attempts, first_wait: choice.retry_wait, ..RetryPolicy::default() };
    if choice.unattended { policy.unattended() } else { policy }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::config::{ApiKey, ToolCallFormat};

    #[track_caller]
    fn check(provider_kind: ProviderKind, name: Option<&str>, label: &str) {
        let choice = ModelChoice {
            bar: None,
            provider: provider_kind,
            name: name.map(str::to_owned),
            base_url: None,
            api_key: Some(ApiKey::new("k")),
            auth_token: None,
            idle_timeout: None,
            thinking: None,
            effort: None,
            attempts: 10,
            retry_wait: Duration::ZERO,
            unattended: false,
            max_tokens: None,
            context_window: None,
            server: None,
            tool_calls: ToolCallFormat::Native,
            why: String::new(),
        };
        let again = choice.clone();
        assert_eq!(provider(choice, move || again.clone()).info().label, label);
    }

    #[test]
    fn each_choice_has_its_provider() {
        check(ProviderKind::Anthropic, None, "claude-sonnet-5");
        check(ProviderKind::Anthropic, Some("claude-x"), "claude-x");
        check(ProviderKind::OpenAi, None, "gpt-5");
        check(ProviderKind::OpenAi, Some("gpt-x"), "gpt-x");
        check(ProviderKind::Local, None, "offline model (no language model)");
        check(ProviderKind::Offline, None, "offline model (no language model)");
    }
}
