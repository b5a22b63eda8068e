//! How the value of each setting is shown.

use super::{Key, Shown};
use crate::config::settings::{Account, Setting, Settings, ThinkingChoice};
use crate::config::{ApiKey, Origin, shown_url, user_action};

impl Key {
    /// The value and its origin.
    pub fn show(self, settings: &Settings) -> (Shown, &Origin) {
        let Settings {
            bar: _,
            model,
            anthropic,
            openai,
            max_turns,
            max_budget,
            task,
            tools,
            shell,
            actions,
            permissions,
            review,
            files,
            context,
            log_level,
        } = settings;
        match self {
            Self::ToolsMode => shown(&tools.mode, |mode| quoted(mode.name())),
            Self::ToolsSearch => shown(&tools.search, |choice| quoted(&choice.shown())),
            Self::ToolsWebSearch => shown(&tools.web_search, |told| set(told.as_ref(), plain)),
            Self::ShellTrialTree => shown(&shell.trial_tree, |choice| quoted(choice.name())),
            Self::ShellNetwork => shown(&shell.network, |choice| quoted(choice.name())),
            Self::ShellEnvironment => joined(&shell.environment),
            Self::ShellPassThrough => joined(&shell.pass_through),
            Self::Shell(number) => (plain(&shell.number(number)), shell.origin(number)),
            Self::ModelProvider => {
                shown(&model.provider, |provider| set(provider.as_ref(), |provider| quoted(provider.name())))
            }
            Self::ModelName => shown(&model.name, |name| set(name.as_ref(), |name| quoted(name))),
            Self::ModelMaxTokens => shown(&model.max_tokens, |most| set(most.as_ref(), plain)),
            Self::ModelContextWindow => shown(&model.context_window, |most| set(most.as_ref(), plain)),
            Self::ModelServer => {
                shown(&model.server, |server| set(server.as_ref(), |server| quoted(server.name())))
            }
            Self::ModelToolCalls => shown(&model.tool_calls, |format| quoted(format.name())),
            Self::ModelDetectLocal => shown(&model.detect_local, plain),
            Self::ModelThinking => {
                shown(&model.thinking, |choice| set(choice.as_ref(), |choice| thinking_shown(*choice)))
            }
            Self::ModelEffort => {
                shown(&model.effort, |effort| set(effort.as_ref(), |effort| quoted(effort.name())))
            }
            Self::ModelAttempts => shown(&model.attempts, plain),
            Self::ModelRetryWait => shown(&model.retry_wait, |wait| plain(&wait.as_millis())),
            Self::ModelUnattended => shown(&model.unattended, plain),
            Self::AnthropicBaseUrl => address(anthropic),
            Self::AnthropicApiKey => secret(&anthropic.api_key),
            Self::AnthropicAuthToken => secret(&anthropic.auth_token),
            Self::AnthropicIdleTimeout => {
                shown(&anthropic.idle_timeout, |idle| set(idle.as_ref(), |idle| plain(&idle.as_millis())))
            }
            Self::OpenAiBaseUrl => address(openai),
            Self::OpenAiApiKey => secret(&openai.api_key),
            Self::OpenAiIdleTimeout => {
                shown(&openai.idle_timeout, |idle| set(idle.as_ref(), |idle| plain(&idle.as_millis())))
            }
            Self::PermissionsMode => shown(&permissions.mode, |mode| set(mode.as_ref(), |mode| quoted(mode))),
            Self::PermissionsAllow => joined(&permissions.allow),
            Self::PermissionsAsk => joined(&permissions.ask),
            Self::PermissionsDeny => joined(&permissions.deny),
            Self::PermissionsFolders => joined(&permissions.more_folders),
            Self::PermissionsTrusted => joined(&permissions.trusted_folders),
            Self::MaxTurns => shown(max_turns, plain),
            Self::Actions => shown(actions, |actions| {
                set(Some(actions).filter(|actions| !actions.is_empty()), |actions| {
                    Shown::Value(user_action::shown(actions))
                })
            }),
            Self::ModelFallback => shown(&model.fallback, |models| match models.as_slice() {
                [] => Shown::Unset,
                models => {
                    Shown::Value(models.iter().map(String::as_str).collect::<toml_edit::Array>().to_string())
                }
            }),
            Self::ModelSmall => shown(&model.small, |name| set(name.as_ref(), |name| quoted(name))),
            Self::ModelPrices => shown(&model.prices, |prices| quoted(&prices.to_string())),
            Self::MaxBudget => shown(max_budget, |most| set(most.as_ref(), plain)),
            Self::Task(number) => (plain(&task.number(number)), task.origin(number)),
            Self::ReviewAdvance => shown(&review.advance, plain),
            Self::ReviewEchoTimeout => shown(&review.echo_timeout, |echo| plain(&echo.as_millis())),
            Self::FilesEditLimit => shown(&files.edit_limit, plain),
            Self::ReviewInlayHints => shown(&review.inlay_hints, plain),
            Self::ContextAutoCompact => shown(&context.auto_compact, plain),
            Self::ContextCollapse => shown(&context.collapse, plain),
            Self::ContextSnip => shown(&context.snip, plain),
            Self::Context(number) => (plain(&context.number(number)), context.origin(number)),
            Self::LogLevel => shown(log_level, |level| quoted(level.name())),
        }
    }
}

fn shown<T>(setting: &Setting<T>, value: impl Fn(&T) -> Shown) -> (Shown, &Origin) {
    (value(&setting.value), &setting.origin)
}

fn plain<T: ToString>(value: &T) -> Shown {
    Shown::Value(value.to_string())
}

fn quoted(text: &str) -> Shown {
    Shown::Value(toml_edit::Value::from(text).to_string())
}

fn set<T>(value: Option<&T>, show: impl Fn(&T) -> Shown) -> Shown {
    value.map_or(Shown::Unset, show)
}

fn address(account: &Account) -> (Shown, &Origin) {
    shown(&account.base_url, |url| set(url.as_ref(), |url| quoted(&shown_url(url))))
}

fn secret(secret: &Setting<Option<ApiKey>>) -> (Shown, &Origin) {
    shown(secret, |key| set(key.as_ref(), |_| Shown::Hidden))
}

/// With the origin of the last, which is the strongest.
fn joined(list: &[Setting<String>]) -> (Shown, &Origin) {
    let values: toml_edit::Array = list.iter().map(|setting| setting.value.as_str()).collect();
    (Shown::Value(values.to_string()), list.last().map_or(&Origin::Default, |setting| &setting.origin))
}

fn thinking_shown(choice: ThinkingChoice) -> Shown {
    match choice {
        ThinkingChoice::Off => quoted("off"),
        ThinkingChoice::Adaptive => quoted("adaptive"),
        ThinkingChoice::Budget(tokens) => plain(&tokens),
    }
}
