//! The names of the settings, and how each one's value is read and shown.

use std::time::Duration;

use super::settings::{LogLevel, ProviderKind, Setting, Settings};
use super::{ApiKey, Origin, Value, shown_url};

/// One setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Key {
    ModelProvider,
    ModelName,
    ModelBaseUrl,
    ModelApiKey,
    ModelMaxTokens,
    MaxTurns,
    ReviewAdvance,
    ReviewInlayHints,
    ReviewEchoTimeout,
    FilesEditLimit,
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
    pub const ALL: [Self; 11] = [
        Self::ModelProvider,
        Self::ModelName,
        Self::ModelBaseUrl,
        Self::ModelApiKey,
        Self::ModelMaxTokens,
        Self::MaxTurns,
        Self::ReviewAdvance,
        Self::ReviewInlayHints,
        Self::ReviewEchoTimeout,
        Self::FilesEditLimit,
        Self::LogLevel,
    ];

    /// As `config.toml` has it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ModelProvider => "model.provider",
            Self::ModelName => "model.name",
            Self::ModelBaseUrl => "model.base_url",
            Self::ModelApiKey => "model.api_key",
            Self::ModelMaxTokens => "model.max_tokens",
            Self::MaxTurns => "max_turns",
            Self::ReviewAdvance => "review.advance",
            Self::ReviewInlayHints => "review.inlay_hints",
            Self::ReviewEchoTimeout => "review.echo_timeout_ms",
            Self::FilesEditLimit => "files.edit_limit",
            Self::LogLevel => "log.level",
        }
    }

    /// The key that `written` means: editors write `maxTurns` for `max_turns`.
    pub fn named(written: &str) -> Option<Self> {
        let plain = |name: &str| name.replace('_', "").to_lowercase();
        Self::ALL.into_iter().find(|key| plain(key.name()) == plain(written))
    }

    pub const fn trust(self) -> Trust {
        match self {
            Self::ModelProvider
            | Self::ModelBaseUrl
            | Self::ModelApiKey
            | Self::ModelName
            | Self::ModelMaxTokens
            | Self::MaxTurns
            | Self::LogLevel => Trust::UserOnly,
            Self::ReviewAdvance | Self::ReviewEchoTimeout | Self::FilesEditLimit | Self::ReviewInlayHints => {
                Trust::Anyone
            }
        }
    }

    /// Puts `value` into `settings`; an error says what was expected, and nothing changes.
    pub(super) fn set(self, settings: &mut Settings, value: &Value, origin: Origin) -> Result<(), String> {
        fn put<T>(setting: &mut Setting<T>, value: T, origin: Origin) {
            *setting = Setting { value, origin };
        }
        match self {
            Self::ModelProvider => put(&mut settings.model.provider, provider(value.text()?)?, origin),
            Self::ModelName => put(&mut settings.model.name, Some(filled(value)?), origin),
            Self::ModelBaseUrl => put(&mut settings.model.base_url, Some(url(value.text()?)?), origin),
            Self::ModelApiKey => put(&mut settings.model.api_key, Some(key(value)?), origin),
            Self::ModelMaxTokens => put(&mut settings.model.max_tokens, Some(count(value)?), origin),
            Self::MaxTurns => put(&mut settings.max_turns, count(value)?, origin),
            Self::ReviewAdvance => put(&mut settings.review.advance, value.flag()?, origin),
            Self::ReviewEchoTimeout => {
                let echo = Duration::from_millis(value.whole(1)?);
                put(&mut settings.review.echo_timeout, echo, origin);
            }
            Self::FilesEditLimit => put(&mut settings.files.edit_limit, value.whole(1)?, origin),
            Self::ReviewInlayHints => put(&mut settings.review.inlay_hints, value.flag()?, origin),
            Self::LogLevel => put(&mut settings.log_level, log_level(value.text()?)?, origin),
        }
        Ok(())
    }

    /// The value and its origin.
    pub fn show(self, settings: &Settings) -> (Shown, &Origin) {
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
        let Settings { model, max_turns, review, files, log_level } = settings;
        match self {
            Self::ModelProvider => {
                shown(&model.provider, |provider| set(provider.as_ref(), |provider| quoted(provider.name())))
            }
            Self::ModelName => shown(&model.name, |name| set(name.as_ref(), |name| quoted(name))),
            Self::ModelBaseUrl => {
                shown(&model.base_url, |url| set(url.as_ref(), |url| quoted(&shown_url(url))))
            }
            Self::ModelApiKey => shown(&model.api_key, |key| set(key.as_ref(), |_| Shown::Hidden)),
            Self::ModelMaxTokens => shown(&model.max_tokens, |most| set(most.as_ref(), plain)),
            Self::MaxTurns => shown(max_turns, plain),
            Self::ReviewAdvance => shown(&review.advance, plain),
            Self::ReviewEchoTimeout => shown(&review.echo_timeout, |echo| plain(&echo.as_millis())),
            Self::FilesEditLimit => shown(&files.edit_limit, plain),
            Self::ReviewInlayHints => shown(&review.inlay_hints, plain),
            Self::LogLevel => shown(log_level, |level| quoted(level.name())),
        }
    }
}

fn provider(name: &str) -> Result<Option<ProviderKind>, String> {
    match name {
        "auto" => Ok(None),
        "anthropic" => Ok(Some(ProviderKind::Anthropic)),
        "offline" => Ok(Some(ProviderKind::Offline)),
        "openai" => Err("OpenAI-compatible servers are not supported by this version".to_owned()),
        other => Err(format!("expected \"anthropic\", \"offline\" or \"auto\", got {other:?}")),
    }
}

fn filled(value: &Value) -> Result<String, String> {
    let text = value.text()?.trim();
    if text.is_empty() { Err("expected a text that is not empty".to_owned()) } else { Ok(text.to_owned()) }
}

fn url(text: &str) -> Result<String, String> {
    let text = text.trim().trim_end_matches('/');
    let host = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://")).unwrap_or_default();
    if host.is_empty() || host.contains(char::is_whitespace) {
        return Err(format!("expected an address such as \"https://api.anthropic.com\", got {text:?}"));
    }
    Ok(text.to_owned())
}

/// The message names no part of what was written: it may well be the key.
fn key(value: &Value) -> Result<ApiKey, String> {
    let text = value.text().map_err(|_| "expected a text".to_owned())?.trim();
    if text.is_empty() || !text.chars().all(|c| c.is_ascii_graphic()) {
        return Err("expected a key without spaces or special characters".to_owned());
    }
    Ok(ApiKey::new(text))
}

fn count(value: &Value) -> Result<u32, String> {
    let number = value.whole(1)?;
    u32::try_from(number).map_err(|_| format!("{number} is too large"))
}

fn log_level(name: &str) -> Result<LogLevel, String> {
    LogLevel::ALL.into_iter().find(|level| level.name() == name).ok_or_else(|| {
        format!("expected \"error\", \"warn\", \"info\", \"debug\" or \"trace\", got {name:?}")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_found_in_the_spelling_of_files_and_of_editors() {
        assert_eq!(Key::named("model.base_url"), Some(Key::ModelBaseUrl));
        assert_eq!(Key::named("model.baseUrl"), Some(Key::ModelBaseUrl));
        assert_eq!(Key::named("maxTurns"), Some(Key::MaxTurns));
        assert_eq!(Key::named("model.colour"), None);
        for key in Key::ALL {
            assert_eq!(Key::named(key.name()), Some(key));
        }
    }

    #[track_caller]
    fn check(key: Key, value: Value, want: Result<&str, &str>) {
        let mut settings = Settings::default();
        let got = key.set(&mut settings, &value, Origin::Editor).map(|()| key.show(&settings).0);
        match (got, want) {
            (Ok(got), Ok(want)) => assert_eq!(got, Shown::Value(want.to_owned())),
            (Err(got), Err(want)) => {
                assert!(got.contains(want), "{got}");
                assert_eq!(settings, Settings::default());
            }
            (got, want) => panic!("wanted {want:?}, got {got:?}"),
        }
    }

    #[test]
    fn values_are_checked() {
        let text = |text: &str| Value::Text(text.to_owned());
        check(Key::ModelProvider, text("offline"), Ok("\"offline\""));
        check(Key::ModelProvider, text("openai"), Err("not supported by this version"));
        check(Key::ModelProvider, Value::Whole(3), Err("expected a text, got 3"));
        check(Key::ModelBaseUrl, text("http://localhost:1/"), Ok("\"http://localhost:1\""));
        check(Key::ModelBaseUrl, text("http://me:pass@host/v1"), Ok("\"http://host/v1\""));
        check(Key::ModelBaseUrl, text("localhost"), Err("expected an address"));
        check(Key::MaxTurns, Value::Whole(0), Err("expected a whole number of 1 or more, got 0"));
        check(Key::MaxTurns, text("12"), Ok("12"));
        check(Key::ReviewAdvance, text("yes"), Err("expected true or false, got \"yes\""));
        check(Key::FilesEditLimit, text("1_000_000"), Ok("1000000"));
        check(Key::LogLevel, text("loud"), Err("got \"loud\""));
        check(Key::ReviewInlayHints, Value::Other("a list"), Err("got a list"));
    }

    #[test]
    fn a_key_is_in_no_message() {
        let mut settings = Settings::default();
        Key::ModelApiKey.set(&mut settings, &Value::Text("sk-FAKE".into()), Origin::Editor).unwrap();
        assert_eq!(Key::ModelApiKey.show(&settings).0, Shown::Hidden);
        let error = Key::ModelApiKey.set(&mut settings, &Value::Text("sk FAKE".into()), Origin::Editor);
        assert!(!error.unwrap_err().contains("FAKE"));
    }
}
