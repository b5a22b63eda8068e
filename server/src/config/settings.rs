//! Every setting there is, with its default.

use std::sync::Arc;
use std::time::Duration;

use super::{
    ApiKey, CommandSettings, ContextSettings, Dollars, Origin, PermissionSettings, Prices, TaskSettings,
    ToolSettings, UserAction,
};

/// Files above this many bytes are not edited, only read in parts.
pub const DEFAULT_EDIT_LIMIT: u64 = 50 * 1024 * 1024;

/// A value and where it came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting<T> {
    pub value: T,
    pub origin: Origin,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// What is wrong with the settings that say who is asked, and for how much. Nobody is, until it is mended.
    pub bar: Option<String>,
    pub model: ModelSettings,
    pub anthropic: Account,
    pub openai: Account,
    /// Requests to the model in one task.
    pub max_turns: Setting<u32>,
    /// The user's own entries in the menu of code actions.
    pub actions: Setting<Arc<[UserAction]>>,
    /// What one task may cost; `None`: whatever it takes.
    pub max_budget: Setting<Option<Dollars>>,
    pub task: TaskSettings,
    pub tools: ToolSettings,
    pub shell: CommandSettings,
    pub permissions: PermissionSettings,
    pub review: ReviewSettings,
    pub files: FileSettings,
    pub context: ContextSettings,
    pub log_level: Setting<LogLevel>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelSettings {
    /// `None`: chosen by what is there.
    pub provider: Setting<Option<ProviderKind>>,
    /// The model's id as the provider knows it; `None`: the provider's default.
    pub name: Setting<Option<String>>,
    /// Tokens of one answer; `None`: the provider's default.
    pub max_tokens: Setting<Option<u32>>,
    /// Tokens of a request and its answer together; `None`: what the provider says, or a table.
    pub context_window: Setting<Option<u64>>,
    /// Which chat-completions server it is; `None`: told by its address.
    pub server: Setting<Option<ChatServer>>,
    pub tool_calls: Setting<ToolCallFormat>,
    /// With nothing else set, a server on this machine is looked for.
    pub detect_local: Setting<bool>,
    /// `None`: as the model does by itself.
    pub thinking: Setting<Option<ThinkingChoice>>,
    /// `None`: the model's own default.
    pub effort: Setting<Option<Effort>>,
    /// Requests at most until one is answered.
    pub attempts: Setting<u32>,
    /// Before the second of them; each further wait is twice as long.
    pub retry_wait: Setting<Duration>,
    /// Nobody is there who could ask again: what will pass is waited out.
    pub unattended: Setting<bool>,
    /// Asked where the model can't answer, one after the other, for the rest of a task each.
    pub fallback: Setting<Vec<String>>,
    /// For titles and summaries that nobody waits for; `None`: there are none.
    pub small: Setting<Option<String>>,
    pub prices: Setting<Prices>,
}

/// How one provider is reached. A key is only ever sent to the address of its own account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Account {
    /// Without a slash at the end; `None`: the provider's own.
    pub base_url: Setting<Option<String>>,
    pub api_key: Setting<Option<ApiKey>>,
    /// Sent instead of the key, in another header: what gateways ask for.
    pub auth_token: Setting<Option<ApiKey>>,
    /// Silence after which a stream counts as dead; zero: never; `None`: as long as the provider may take.
    pub idle_timeout: Setting<Option<Duration>>,
}

/// Who answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ProviderKind {
    Anthropic,
    /// Any server that speaks OpenAI's chat completions.
    OpenAi,
    /// The first server on this machine that answers on its usual port, else the offline model.
    Local,
    /// No language model, no network, no key.
    Offline,
}

/// A chat-completions server with ways of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChatServer {
    OpenAi,
    OpenRouter,
    Ollama,
    LlamaCpp,
    LmStudio,
    Vllm,
    DeepSeek,
    Mistral,
    Kimi,
    /// None of these: only what all of them take is sent.
    Generic,
}

/// How a model of a chat-completions server is told of tools, and calls them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolCallFormat {
    /// In the fields that the server has for them.
    Native,
    /// In the text, for servers without such fields: `<tool_call>{…}</tool_call>`.
    Prompt,
}

/// Whether a model thinks before it answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ThinkingChoice {
    Off,
    /// As much as the model likes.
    Adaptive,
    /// At most so many tokens.
    Budget(u32),
}

/// How hard a model tries (Messages API, `output_config.effort`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Effort {
    Low,
    Medium,
    High,
    XHigh,
    Max,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReviewSettings {
    /// After a decision the cursor goes to the next hunk.
    pub advance: Setting<bool>,
    /// Pending changes are inlay hints too, in every editor that shows any.
    pub inlay_hints: Setting<bool>,
    /// How long an accepted edit may take to show in the editor's text before it is pending again.
    pub echo_timeout: Setting<Duration>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileSettings {
    /// In bytes.
    pub edit_limit: Setting<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogLevel {
    Error,
    Warn,
    Info,
    Debug,
    Trace,
}

impl<T> Setting<T> {
    const fn default_to(value: T) -> Self {
        Self { value, origin: Origin::Default }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            bar: None,
            model: ModelSettings::default(),
            anthropic: Account::default(),
            openai: Account::default(),
            max_turns: Setting::default_to(100),
            actions: Setting::default_to(Arc::default()),
            max_budget: Setting::default_to(None),
            task: TaskSettings::default(),
            tools: ToolSettings::default(),
            shell: CommandSettings::default(),
            permissions: PermissionSettings::default(),
            review: ReviewSettings::default(),
            files: FileSettings::default(),
            context: ContextSettings::default(),
            log_level: Setting::default_to(LogLevel::Info),
        }
    }
}

impl Default for ModelSettings {
    fn default() -> Self {
        Self {
            provider: Setting::default_to(None),
            name: Setting::default_to(None),
            max_tokens: Setting::default_to(None),
            context_window: Setting::default_to(None),
            server: Setting::default_to(None),
            tool_calls: Setting::default_to(ToolCallFormat::Native),
            detect_local: Setting::default_to(true),
            thinking: Setting::default_to(None),
            effort: Setting::default_to(None),
            attempts: Setting::default_to(10),
            retry_wait: Setting::default_to(Duration::from_millis(500)),
            unattended: Setting::default_to(false),
            fallback: Setting::default_to(Vec::new()),
            small: Setting::default_to(None),
            prices: Setting { value: Prices::default(), origin: Origin::Default },
        }
    }
}

impl Default for Account {
    fn default() -> Self {
        Self {
            base_url: Setting::default_to(None),
            api_key: Setting::default_to(None),
            auth_token: Setting::default_to(None),
            idle_timeout: Setting::default_to(None),
        }
    }
}

impl Default for ReviewSettings {
    fn default() -> Self {
        Self {
            advance: Setting::default_to(true),
            inlay_hints: Setting::default_to(false),
            echo_timeout: Setting::default_to(Duration::from_secs(1)),
        }
    }
}

impl Default for FileSettings {
    fn default() -> Self {
        Self { edit_limit: Setting::default_to(DEFAULT_EDIT_LIMIT) }
    }
}

impl ProviderKind {
    pub const ALL: [Self; 4] = [Self::Anthropic, Self::OpenAi, Self::Local, Self::Offline];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Anthropic => "anthropic",
            Self::OpenAi => "openai",
            Self::Local => "local",
            Self::Offline => "offline",
        }
    }

    /// `openai/gpt-5` is a provider and its model, `local` a provider and whatever model it has; another name without a
    /// provider's in front stands for itself.
    pub fn named_in(model: &str) -> Option<(Self, Option<&str>)> {
        let (provider, name) = match model.split_once('/') {
            Some((provider, name)) => (provider, Some(name)),
            None => (model, None),
        };
        let provider = Self::ALL.into_iter().find(|kind| kind.name() == provider)?;
        Some((provider, name))
    }
}

impl Effort {
    pub const ALL: [Self; 5] = [Self::Low, Self::Medium, Self::High, Self::XHigh, Self::Max];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::XHigh => "xhigh",
            Self::Max => "max",
        }
    }
}

impl ChatServer {
    pub const ALL: [Self; 10] = [
        Self::OpenAi,
        Self::OpenRouter,
        Self::Ollama,
        Self::LlamaCpp,
        Self::LmStudio,
        Self::Vllm,
        Self::DeepSeek,
        Self::Mistral,
        Self::Kimi,
        Self::Generic,
    ];

    /// As the setting has it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::OpenRouter => "openrouter",
            Self::Ollama => "ollama",
            Self::LlamaCpp => "llama.cpp",
            Self::LmStudio => "lmstudio",
            Self::Vllm => "vllm",
            Self::DeepSeek => "deepseek",
            Self::Mistral => "mistral",
            Self::Kimi => "kimi",
            Self::Generic => "generic",
        }
    }
}

impl ToolCallFormat {
    pub const ALL: [Self; 2] = [Self::Native, Self::Prompt];

    /// As the setting has it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Native => "native",
            Self::Prompt => "prompt",
        }
    }
}

impl LogLevel {
    pub const ALL: [Self; 5] = [Self::Error, Self::Warn, Self::Info, Self::Debug, Self::Trace];

    /// As `tracing` names it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warn => "warn",
            Self::Info => "info",
            Self::Debug => "debug",
            Self::Trace => "trace",
        }
    }
}
