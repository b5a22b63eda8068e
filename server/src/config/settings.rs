//! Every setting there is, with its default.

use std::time::Duration;

use super::{ApiKey, Origin};

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
    pub model: ModelSettings,
    /// Requests to the model in one task.
    pub max_turns: Setting<u32>,
    pub review: ReviewSettings,
    pub files: FileSettings,
    pub log_level: Setting<LogLevel>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelSettings {
    /// `None`: chosen by what is there.
    pub provider: Setting<Option<ProviderKind>>,
    /// The model's id as the provider knows it; `None`: the provider's default.
    pub name: Setting<Option<String>>,
    /// Without a slash at the end; `None`: the provider's own.
    pub base_url: Setting<Option<String>>,
    pub api_key: Setting<Option<ApiKey>>,
    /// Tokens of one answer; `None`: the provider's default.
    pub max_tokens: Setting<Option<u32>>,
}

/// Who answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ProviderKind {
    Anthropic,
    /// No language model, no network, no key.
    Offline,
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
            model: ModelSettings::default(),
            max_turns: Setting::default_to(100),
            review: ReviewSettings::default(),
            files: FileSettings::default(),
            log_level: Setting::default_to(LogLevel::Info),
        }
    }
}

impl Default for ModelSettings {
    fn default() -> Self {
        Self {
            provider: Setting::default_to(None),
            name: Setting::default_to(None),
            base_url: Setting::default_to(None),
            api_key: Setting::default_to(None),
            max_tokens: Setting::default_to(None),
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
    pub const fn name(self) -> &'static str {
        match self {
            Self::Anthropic => "anthropic",
            Self::Offline => "offline",
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
