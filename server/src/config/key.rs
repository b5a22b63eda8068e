//! The names of the settings, and who may set each.

mod about;
mod set;
mod show;

use super::settings::Settings;
use super::{CommandNumber, ContextNumber, TaskNumber};

/// One setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Key {
    ModelProvider,
    ModelName,
    ModelMaxTokens,
    ModelContextWindow,
    ModelServer,
    ModelToolCalls,
    ModelDetectLocal,
    ModelThinking,
    ModelEffort,
    ModelAttempts,
    ModelRetryWait,
    ModelUnattended,
    ModelFallback,
    ModelSmall,
    ModelPrices,
    AnthropicBaseUrl,
    AnthropicApiKey,
    AnthropicAuthToken,
    AnthropicIdleTimeout,
    OpenAiBaseUrl,
    OpenAiApiKey,
    OpenAiIdleTimeout,
    MaxTurns,
    Actions,
    MaxBudget,
    Task(TaskNumber),
    ToolsMode,
    ToolsSearch,
    ToolsWebSearch,
    ShellTrialTree,
    ShellNetwork,
    ShellEnvironment,
    ShellPassThrough,
    Shell(CommandNumber),
    PermissionsMode,
    PermissionsAllow,
    PermissionsAsk,
    PermissionsDeny,
    PermissionsFolders,
    PermissionsTrusted,
    ReviewAdvance,
    ReviewInlayHints,
    ReviewEchoTimeout,
    FilesEditLimit,
    ContextAutoCompact,
    ContextCollapse,
    ContextSnip,
    Context(ContextNumber),
    LogLevel,
}

/// Whether a folder that somebody else may have written has a say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trust {
    /// Nothing there can hurt.
    Anyone,
    /// It decides where text, keys or money go: only the user's own hand sets it.
    UserOnly,
}

/// A value as it may be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shown {
    /// As `config.toml` would have it.
    Value(String),
    Unset,
    /// There is one, and it is a secret.
    Hidden,
}

impl Key {
    const PLAIN: [Self; 46] = [
        Self::ModelProvider,
        Self::ModelName,
        Self::ModelMaxTokens,
        Self::ModelContextWindow,
        Self::ModelServer,
        Self::ModelToolCalls,
        Self::ModelDetectLocal,
        Self::ModelThinking,
        Self::ModelEffort,
        Self::ModelAttempts,
        Self::ModelRetryWait,
        Self::ModelUnattended,
        Self::ModelFallback,
        Self::ModelSmall,
        Self::ModelPrices,
        Self::AnthropicBaseUrl,
        Self::AnthropicApiKey,
        Self::AnthropicAuthToken,
        Self::AnthropicIdleTimeout,
        Self::OpenAiBaseUrl,
        Self::OpenAiApiKey,
        Self::OpenAiIdleTimeout,
        Self::MaxTurns,
        Self::MaxBudget,
        Self::Actions,
        Self::ToolsMode,
        Self::ToolsSearch,
        Self::ToolsWebSearch,
        Self::ShellTrialTree,
        Self::ShellNetwork,
        Self::ShellEnvironment,
        Self::ShellPassThrough,
        Self::PermissionsMode,
        Self::PermissionsAllow,
        Self::PermissionsAsk,
        Self::PermissionsDeny,
        Self::PermissionsFolders,
        Self::PermissionsTrusted,
        Self::ReviewAdvance,
        Self::ReviewInlayHints,
        Self::ReviewEchoTimeout,
        Self::FilesEditLimit,
        Self::LogLevel,
        Self::ContextAutoCompact,
        Self::ContextCollapse,
        Self::ContextSnip,
    ];

    /// Every setting, in the order people are shown them.
    pub fn all() -> impl Iterator<Item = Self> {
        Self::PLAIN
            .into_iter()
            .chain(CommandNumber::ALL.map(Self::Shell))
            .chain(TaskNumber::ALL.map(Self::Task))
            .chain(ContextNumber::ALL.map(Self::Context))
    }

    /// As `config.toml` has it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ModelProvider => "model.provider",
            Self::ModelName => "model.name",
            Self::ModelMaxTokens => "model.max_tokens",
            Self::ModelContextWindow => "model.context_window",
            Self::ModelServer => "model.server",
            Self::ModelToolCalls => "model.tool_calls",
            Self::ModelDetectLocal => "model.detect_local",
            Self::ModelThinking => "model.thinking",
            Self::ModelEffort => "model.effort",
            Self::ModelAttempts => "model.attempts",
            Self::ModelRetryWait => "model.retry_wait_ms",
            Self::ModelUnattended => "model.unattended",
            Self::ModelFallback => "model.fallback",
            Self::ModelSmall => "model.small",
            Self::ModelPrices => "model.prices",
            Self::AnthropicBaseUrl => "anthropic.base_url",
            Self::AnthropicApiKey => "anthropic.api_key",
            Self::AnthropicAuthToken => "anthropic.auth_token",
            Self::AnthropicIdleTimeout => "anthropic.idle_timeout_ms",
            Self::OpenAiBaseUrl => "openai.base_url",
            Self::OpenAiApiKey => "openai.api_key",
            Self::OpenAiIdleTimeout => "openai.idle_timeout_ms",
            Self::MaxTurns => "max_turns",
            Self::Actions => "actions",
            Self::MaxBudget => "max_budget_usd",
            Self::Task(number) => number.name(),
            Self::ToolsMode => "tools.mode",
            Self::ToolsSearch => "tools.search",
            Self::ToolsWebSearch => "tools.web_search",
            Self::ShellTrialTree => "shell.trial_tree",
            Self::ShellNetwork => "shell.network",
            Self::ShellEnvironment => "shell.environment",
            Self::ShellPassThrough => "shell.pass_through",
            Self::Shell(number) => number.name(),
            Self::PermissionsMode => "permissions.mode",
            Self::PermissionsAllow => "permissions.allow",
            Self::PermissionsAsk => "permissions.ask",
            Self::PermissionsDeny => "permissions.deny",
            Self::PermissionsFolders => "permissions.additional_directories",
            Self::PermissionsTrusted => "permissions.trusted_folders",
            Self::ReviewAdvance => "review.advance",
            Self::ReviewInlayHints => "review.inlay_hints",
            Self::ReviewEchoTimeout => "review.echo_timeout_ms",
            Self::FilesEditLimit => "files.edit_limit",
            Self::ContextAutoCompact => "context.auto_compact",
            Self::ContextCollapse => "context.collapse",
            Self::ContextSnip => "context.snip",
            Self::Context(number) => number.name(),
            Self::LogLevel => "log.level",
        }
    }

    /// The key that `written` means: editors write `maxTurns` for `max_turns`.
    pub fn named(written: &str) -> Option<Self> {
        let plain = |name: &str| name.replace('_', "").to_lowercase();
        Self::all().find(|key| plain(key.name()) == plain(written))
    }

    pub const fn trust(self) -> Trust {
        match self {
            Self::ModelProvider
            | Self::ModelName
            | Self::ModelMaxTokens
            | Self::ModelContextWindow
            | Self::ModelServer
            | Self::ModelToolCalls
            | Self::ModelDetectLocal
            | Self::ModelThinking
            | Self::ModelEffort
            | Self::ModelAttempts
            | Self::ModelRetryWait
            | Self::ModelUnattended
            | Self::ModelFallback
            | Self::ModelSmall
            | Self::ModelPrices
            | Self::AnthropicBaseUrl
            | Self::AnthropicApiKey
            | Self::AnthropicAuthToken
            | Self::AnthropicIdleTimeout
            | Self::OpenAiBaseUrl
            | Self::OpenAiApiKey
            | Self::OpenAiIdleTimeout
            | Self::MaxTurns
            | Self::Actions
            | Self::MaxBudget
            | Self::Task(_)
            | Self::ToolsMode
            | Self::ToolsSearch
            | Self::ToolsWebSearch
            | Self::ShellTrialTree
            | Self::ShellNetwork
            | Self::ShellEnvironment
            | Self::ShellPassThrough
            | Self::Shell(_)
            | Self::ContextAutoCompact
            | Self::ContextCollapse
            | Self::ContextSnip
            | Self::Context(_)
            | Self::PermissionsMode
            | Self::PermissionsAllow
            | Self::PermissionsFolders
            | Self::PermissionsTrusted
            | Self::LogLevel => Trust::UserOnly,
            Self::PermissionsAsk
            | Self::PermissionsDeny
            | Self::ReviewAdvance
            | Self::ReviewEchoTimeout
            | Self::FilesEditLimit
            | Self::ReviewInlayHints => Trust::Anyone,
        }
    }

    /// Who is asked hangs on it, or for how much. A broken value of such a setting must not stand for its default: that
    /// could be a service that the user never chose.
    pub const fn says_who_is_asked(self) -> bool {
        matches!(
            self,
            Self::ModelProvider
                | Self::ModelName
                | Self::ModelServer
                | Self::ModelDetectLocal
                | Self::ModelFallback
                | Self::ModelSmall
                | Self::AnthropicBaseUrl
                | Self::AnthropicApiKey
                | Self::AnthropicAuthToken
                | Self::OpenAiBaseUrl
                | Self::OpenAiApiKey
                | Self::MaxTurns
                | Self::MaxBudget
        )
    }

    /// A change of it counts while the server runs; of the others, from its next start.
    pub const fn counts_at_once(self) -> bool {
        matches!(
            self,
            Self::Actions
                | Self::ReviewAdvance
                | Self::ReviewInlayHints
                | Self::ReviewEchoTimeout
                | Self::LogLevel
        )
    }

    /// The two settings say something else here, secrets too.
    pub fn differs(self, before: &Settings, after: &Settings) -> bool {
        match self {
            Self::AnthropicApiKey => before.anthropic.api_key.value != after.anthropic.api_key.value,
            Self::AnthropicAuthToken => before.anthropic.auth_token.value != after.anthropic.auth_token.value,
            Self::OpenAiApiKey => before.openai.api_key.value != after.openai.api_key.value,
            _ => self.show(before).0 != self.show(after).0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_found_in_the_spelling_of_files_and_of_editors() {
        assert_eq!(Key::named("openai.base_url"), Some(Key::OpenAiBaseUrl));
        assert_eq!(Key::named("openai.baseUrl"), Some(Key::OpenAiBaseUrl));
        assert_eq!(Key::named("maxTurns"), Some(Key::MaxTurns));
        assert_eq!(Key::named("model.colour"), None);
        for key in Key::all() {
            assert_eq!(Key::named(key.name()), Some(key));
        }
    }
}
