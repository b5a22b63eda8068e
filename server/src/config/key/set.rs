//! How the value of each setting is read and checked.

use std::time::Duration;

use super::Key;
use crate::config::address::address;
use crate::config::permissions::{self, RuleList};
use crate::config::settings::{
    Account, ChatServer, Effort, LogLevel, ProviderKind, Setting, Settings, ThinkingChoice, ToolCallFormat,
};
use crate::config::{
    ApiKey, NetworkChoice, Origin, ToolMode, ToolSearchChoice, TrialTreeChoice, Value, user_action,
};

impl Key {
    /// Puts `value` into `settings`; an error says what was expected, and nothing changes.
    pub(in crate::config) fn set(
        self,
        settings: &mut Settings,
        value: &Value,
        origin: Origin,
    ) -> Result<(), String> {
        match self {
            Self::ModelProvider => settings.model.provider.put(provider(value.text()?)?, origin),
            Self::ModelName => {
                let name = if *value == Value::Unset { None } else { Some(filled(value)?) };
                settings.model.name.put(name, origin);
            }
            Self::ModelMaxTokens => settings.model.max_tokens.put(Some(count(value)?), origin),
            Self::ModelContextWindow => settings.model.context_window.put(Some(window(value)?), origin),
            Self::ModelServer => settings.model.server.put(server(value.text()?)?, origin),
            Self::ModelToolCalls => {
                let format = one_of(value.text()?, ToolCallFormat::ALL, ToolCallFormat::name)?;
                settings.model.tool_calls.put(format, origin);
            }
            Self::ModelDetectLocal => settings.model.detect_local.put(value.flag()?, origin),
            Self::AnthropicBaseUrl => {
                let url = address(value.text()?, "https://api.anthropic.com")?;
                settings.anthropic.base_url.put(Some(url), origin);
            }
            Self::ModelThinking => settings.model.thinking.put(thinking(value)?, origin),
            Self::ModelEffort => {
                let effort = one_of(value.text()?, Effort::ALL, Effort::name)?;
                settings.model.effort.put(Some(effort), origin);
            }
            Self::ModelAttempts => settings.model.attempts.put(attempts(value)?, origin),
            Self::ModelRetryWait => settings.model.retry_wait.put(milliseconds(value, 0)?, origin),
            Self::ModelUnattended => settings.model.unattended.put(value.flag()?, origin),
            Self::AnthropicApiKey => settings.anthropic.take_key(key(value)?, origin),
            Self::AnthropicAuthToken => settings.anthropic.take_auth_token(key(value)?, origin),
            Self::AnthropicIdleTimeout => {
                settings.anthropic.idle_timeout.put(Some(milliseconds(value, 0)?), origin);
            }
            Self::OpenAiBaseUrl => {
                let url = address(value.text()?, "https://api.openai.com/v1")?;
                settings.openai.base_url.put(Some(url), origin);
            }
            Self::OpenAiApiKey => settings.openai.take_key(key(value)?, origin),
            Self::OpenAiIdleTimeout => {
                settings.openai.idle_timeout.put(Some(milliseconds(value, 0)?), origin);
            }
            Self::ModelFallback => settings.model.fallback.put(fallback(value)?, origin),
            Self::ModelSmall => settings.model.small.put(Some(filled(value)?), origin),
            Self::ModelPrices => {
                let prices = settings.model.prices.value.with(&value.texts()?)?;
                settings.model.prices.put(prices, origin);
            }
            Self::MaxBudget => settings.max_budget.put(Some(value.dollars()?), origin),
            Self::Task(number) => settings.task.set(number, value, origin)?,
            Self::ToolsMode => {
                let mode = one_of(value.text()?, ToolMode::ALL, ToolMode::name)?;
                settings.tools.mode.put(mode, origin);
            }
            Self::ToolsSearch => settings.tools.search.put(ToolSearchChoice::named(value.text()?)?, origin),
            Self::ToolsWebSearch => settings.tools.web_search.put(Some(value.flag()?), origin),
            Self::ShellTrialTree => {
                let choice = one_of(value.text()?, TrialTreeChoice::ALL, TrialTreeChoice::name)?;
                settings.shell.trial_tree.put(choice, origin);
            }
            Self::ShellNetwork => {
                let choice = one_of(value.text()?, NetworkChoice::ALL, NetworkChoice::name)?;
                settings.shell.network.put(choice, origin);
            }
            Self::ShellEnvironment => permissions::join(&mut settings.shell.environment, value, &origin)?,
            Self::ShellPassThrough => permissions::join(&mut settings.shell.pass_through, value, &origin)?,
            Self::Shell(number) => settings.shell.set(number, value, origin)?,
            Self::MaxTurns => settings.max_turns.put(count(value)?, origin),
            Self::Actions => settings.actions.put(user_action::read(value)?.into(), origin),
            Self::PermissionsMode => {
                settings.permissions.mode.put(Some(permissions::mode(value.text()?)?), origin);
            }
            Self::PermissionsAllow => settings.permissions.add(RuleList::Allow, value, &origin)?,
            Self::PermissionsAsk => settings.permissions.add(RuleList::Ask, value, &origin)?,
            Self::PermissionsDeny => settings.permissions.add(RuleList::Deny, value, &origin)?,
            Self::PermissionsFolders => {
                permissions::join(&mut settings.permissions.more_folders, value, &origin)?;
            }
            Self::PermissionsTrusted => {
                permissions::join(&mut settings.permissions.trusted_folders, value, &origin)?;
            }
            Self::ReviewAdvance => settings.review.advance.put(value.flag()?, origin),
            Self::ReviewEchoTimeout => settings.review.echo_timeout.put(milliseconds(value, 1)?, origin),
            Self::FilesEditLimit => settings.files.edit_limit.put(value.whole(1)?, origin),
            Self::ReviewInlayHints => settings.review.inlay_hints.put(value.flag()?, origin),
            Self::ContextAutoCompact => settings.context.auto_compact.put(value.flag()?, origin),
            Self::ContextCollapse => settings.context.collapse.put(value.flag()?, origin),
            Self::ContextSnip => settings.context.snip.put(value.flag()?, origin),
            Self::Context(number) => settings.context.set(number, value, origin)?,
            Self::LogLevel => settings.log_level.put(log_level(value.text()?)?, origin),
        }
        Ok(())
    }
}

impl<T> Setting<T> {
    fn put(&mut self, value: T, origin: Origin) {
        *self = Self { value, origin };
    }
}

impl Account {
    fn take_key(&mut self, key: ApiKey, origin: Origin) {
        take_secret(&self.base_url, &mut self.api_key, key, origin);
    }

    fn take_auth_token(&mut self, token: ApiKey, origin: Origin) {
        take_secret(&self.base_url, &mut self.auth_token, token, origin);
    }
}

/// A time that is written as its milliseconds, so many at least.
fn milliseconds(value: &Value, least: u64) -> Result<Duration, String> {
    value.whole(least).map(Duration::from_millis)
}

/// A secret that was set together with an address is for that address: one that merely stands in the environment, which
/// is usually for the provider's own, does not replace it.
fn take_secret(
    base_url: &Setting<Option<String>>,
    secret: &mut Setting<Option<ApiKey>>,
    value: ApiKey,
    origin: Origin,
) {
    let is_from_environment = |origin: &Origin| matches!(origin, Origin::Environment { .. });
    let is_elsewhere = base_url.value.is_some() && !is_from_environment(&base_url.origin);
    if secret.value.is_none() || !is_elsewhere || !is_from_environment(&origin) {
        *secret = Setting { value: Some(value), origin };
    }
}

fn provider(name: &str) -> Result<Option<ProviderKind>, String> {
    if name == "auto" {
        return Ok(None);
    }
    one_of(name, ProviderKind::ALL, ProviderKind::name)
        .map(Some)
        .map_err(|wrong| format!("{wrong}, or \"auto\""))
}

/// The system prompt and the tools alone fill half of a smaller one.
const SMALLEST_WINDOW: u64 = 1_000;

fn window(value: &Value) -> Result<u64, String> {
    value.whole(SMALLEST_WINDOW).map_err(|wrong| {
        format!("{wrong}: it is the model's window in tokens, of a request and its answer together")
    })
}

fn server(name: &str) -> Result<Option<ChatServer>, String> {
    if name == "auto" {
        return Ok(None);
    }
    one_of(name, ChatServer::ALL, ChatServer::name).map(Some).map_err(|wrong| format!("{wrong}, or \"auto\""))
}

fn one_of<T: Copy, const N: usize>(
    written: &str,
    all: [T; N],
    name: impl Fn(T) -> &'static str,
) -> Result<T, String> {
    all.into_iter().find(|one| name(*one) == written).ok_or_else(|| {
        let names: Vec<String> = all.into_iter().map(|one| format!("{:?}", name(one))).collect();
        format!("{written:?} is none of {}", names.join(", "))
    })
}

/// The most models that are asked in the stead of one.
const MOST_FALLBACKS: usize = 3;

fn fallback(value: &Value) -> Result<Vec<String>, String> {
    let models = value.texts()?;
    if models.len() > MOST_FALLBACKS || models.iter().any(String::is_empty) {
        return Err(format!("expected the names of {MOST_FALLBACKS} models at most, got {models:?}"));
    }
    Ok(models)
}

fn filled(value: &Value) -> Result<String, String> {
    let text = value.text()?.trim();
    if text.is_empty() { Err("expected a text that is not empty".to_owned()) } else { Ok(text.to_owned()) }
}

/// The message names no part of what was written: it may well be the key.
fn key(value: &Value) -> Result<ApiKey, String> {
    let text = value.text().map_err(|_| "expected a text".to_owned())?.trim();
    if text.is_empty() || !text.chars().all(|c| c.is_ascii_graphic()) {
        return Err("expected a key without spaces or special characters".to_owned());
    }
    Ok(ApiKey::new(text))
}

fn thinking(value: &Value) -> Result<Option<ThinkingChoice>, String> {
    match value {
        Value::Text(text) if text == "auto" => Ok(None),
        Value::Text(text) if text == "off" => Ok(Some(ThinkingChoice::Off)),
        Value::Text(text) if text == "adaptive" => Ok(Some(ThinkingChoice::Adaptive)),
        _ => {
            let tokens =
                count(value).map_err(|wrong| format!("{wrong}, or \"adaptive\", \"off\", \"auto\""))?;
            Ok(Some(ThinkingChoice::Budget(tokens)))
        }
    }
}

/// More tries than these only wear out the service.
fn attempts(value: &Value) -> Result<u32, String> {
    let attempts = count(value)?;
    if attempts > 15 { Err(format!("expected 15 at most, got {attempts}")) } else { Ok(attempts) }
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
    use crate::config::{CommandNumber, Shown};

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
        check(Key::ModelProvider, text("openai"), Ok("\"openai\""));
        check(
            Key::ModelProvider,
            text("gpt"),
            Err("\"gpt\" is none of \"anthropic\", \"openai\", \"local\", \"offline\", or \"auto\""),
        );
        check(Key::ModelContextWindow, Value::Whole(8_192), Ok("8192"));
        check(
            Key::ModelContextWindow,
            Value::Whole(8),
            Err("expected a whole number of 1000 or more, got 8: it is"),
        );
        check(Key::ModelServer, text("llama.cpp"), Ok("\"llama.cpp\""));
        check(Key::ModelThinking, text("adaptive"), Ok("\"adaptive\""));
        check(Key::ModelThinking, Value::Whole(8_000), Ok("8000"));
        check(Key::ModelThinking, text("much"), Err("or \"adaptive\", \"off\", \"auto\""));
        check(Key::ModelEffort, text("xhigh"), Ok("\"xhigh\""));
        check(Key::ModelEffort, text("utmost"), Err("is none of \"low\""));
        check(Key::ModelAttempts, Value::Whole(15), Ok("15"));
        check(Key::ModelAttempts, Value::Whole(16), Err("expected 15 at most, got 16"));
        check(Key::AnthropicIdleTimeout, Value::Whole(0), Ok("0"));
        check(Key::ModelToolCalls, text("prompt"), Ok("\"prompt\""));
        check(Key::ModelToolCalls, text("xml"), Err("\"xml\" is none of \"native\", \"prompt\""));
        check(Key::ModelDetectLocal, text("false"), Ok("false"));
        check(Key::ModelProvider, Value::Whole(3), Err("expected a text, got 3"));
        check(Key::OpenAiBaseUrl, text("http://localhost:1/"), Ok("\"http://localhost:1\""));
        check(Key::OpenAiBaseUrl, text("http://me:pass@host/v1"), Ok("\"http://host/v1\""));
        check(Key::AnthropicBaseUrl, text("localhost"), Err("write \"http://localhost\""));
        check(Key::MaxTurns, Value::Whole(0), Err("expected a whole number of 1 or more, got 0"));
        check(Key::MaxTurns, text("12"), Ok("12"));
        check(Key::MaxBudget, Value::Fraction(2.5), Ok("2.5"));
        check(Key::MaxBudget, text("much"), Err("expected an amount of dollars"));
        check(Key::ModelFallback, text("a, openai/b"), Ok("[\"a\", \"openai/b\"]"));
        check(Key::ModelFallback, Value::Texts(vec!["a".into(); 4]), Err("3 models at most"));
        check(Key::ModelPrices, text("x = 1"), Err("expected prices"));
        check(Key::ReviewAdvance, text("yes"), Err("expected true or false, got \"yes\""));
        check(Key::FilesEditLimit, text("1_000_000"), Ok("1000000"));
        check(Key::LogLevel, text("loud"), Err("got \"loud\""));
        check(Key::ShellTrialTree, text("copy"), Ok("\"copy\""));
        check(Key::ShellTrialTree, text("btrfs"), Err("is none of \"auto\", \"overlay\""));
        check(Key::ShellNetwork, text("host"), Ok("\"host\""));
        check(Key::ShellEnvironment, Value::Texts(vec!["NPM_TOKEN".into()]), Ok("[\"NPM_TOKEN\"]"));
        check(Key::Shell(CommandNumber::DefaultTimeout), Value::Whole(0), Err("of 1 or more"));
        check(Key::ReviewInlayHints, Value::Other("a list"), Err("got a list"));
    }

    #[test]
    fn a_key_stays_with_the_address_it_was_set_with() {
        let check = |entries: &[(Key, &str, Origin)], wanted: &str| {
            let mut settings = Settings::default();
            for (key, value, origin) in entries {
                key.set(&mut settings, &Value::Text((*value).to_owned()), origin.clone()).unwrap();
            }
            assert_eq!(
                settings.openai.api_key.value.map(|key| key.expose().to_owned()).as_deref(),
                Some(wanted)
            );
        };
        let file = || Origin::UserFile { path: "config.toml".into(), line: 1 };
        let variable = || Origin::Environment { variable: "V".to_owned() };
        let address = |origin| (Key::OpenAiBaseUrl, "http://there", origin);
        let mine = || (Key::OpenAiApiKey, "mine", file());
        let usual = || (Key::OpenAiApiKey, "usual", variable());
        check(&[mine(), usual()], "usual");
        check(&[address(file()), usual()], "usual");
        check(&[address(file()), mine(), usual()], "mine");
        check(&[mine(), address(variable()), usual()], "usual");
    }

    #[test]
    fn a_key_is_in_no_message() {
        let mut settings = Settings::default();
        Key::OpenAiApiKey.set(&mut settings, &Value::Text("sk-FAKE".into()), Origin::Editor).unwrap();
        assert_eq!(Key::OpenAiApiKey.show(&settings).0, Shown::Hidden);
        let error = Key::OpenAiApiKey.set(&mut settings, &Value::Text("sk FAKE".into()), Origin::Editor);
        assert!(!error.unwrap_err().contains("FAKE"));
    }
}
