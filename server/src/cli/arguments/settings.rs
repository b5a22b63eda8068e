//! The options that stand for a setting, of which any command takes any.

use super::{UsageError, error};
use crate::config::{Key, Override, ProviderKind};
use crate::documents::{AbsPath, PathCase};
use crate::permissions::{Behavior, PermissionMode, Rule, SettledRule, Source, Starts};

/// The words, without the settings among them.
pub(super) struct Words {
    pub(super) words: std::vec::IntoIter<String>,
    pub(super) overrides: Vec<Override>,
}

impl Words {
    pub(super) fn next(&mut self) -> Option<String> {
        while let Some(word) = self.words.next() {
            match word.as_str() {
                "--trust" => self.set(Key::PermissionsTrusted, ".".to_owned(), "--trust"),
                "--offline" => self.set(Key::ModelProvider, "offline".to_owned(), "--offline"),
                // Without a name, the command decides what it means.
                "--model" => match self.words.next() {
                    Some(name) => self.set(Key::ModelName, name, "--model"),
                    None => return Some(word),
                },
                _ => match word.strip_prefix("--model=") {
                    Some(name) => self.set(Key::ModelName, name.to_owned(), "--model"),
                    None => match valued(&word) {
                        Some((key, flag, Some(value))) => self.set(key, value.to_owned(), flag),
                        Some((key, flag, None)) => match self.words.next() {
                            Some(value) => self.set(key, value, flag),
                            None => return Some(word),
                        },
                        None => return Some(word),
                    },
                },
            }
        }
        None
    }

    pub(super) fn value(&mut self, option: &str) -> Result<String, UsageError> {
        self.words.next().ok_or_else(|| error(format!("`{option}` needs a value")))
    }

    fn set(&mut self, key: Key, value: String, flag: &'static str) {
        self.overrides.push(Override { key, value, flag });
    }
}

/// With these settings no change goes in as it comes because of the configuration: a mode counts only if the command line
/// says it.
pub(in crate::cli) fn asked_by_default(mut overrides: Vec<Override>) -> Vec<Override> {
    if !overrides.iter().any(|given| given.key == Key::PermissionsMode) {
        let value = PermissionMode::Default.name().to_owned();
        overrides.push(Override { key: Key::PermissionsMode, value, flag: "--permission-mode" });
    }
    overrides
}

/// Whether changes go in unasked in the mode that is given here.
pub(super) fn accepts(given: &Override) -> bool {
    given.key == Key::PermissionsMode && matches!(given.value.as_str(), "acceptEdits" | "bypassPermissions")
}

/// Whether the word is a setting that lacks its value.
pub(super) fn wants_value(word: &str) -> bool {
    word == "--model" || valued(word).is_some()
}

/// An option that gives a setting its value: the setting, the option's name, and what stands behind a `=`.
fn valued(word: &str) -> Option<(Key, &'static str, Option<&str>)> {
    const OPTIONS: [(&str, Key); 5] = [
        ("--max-turns", Key::MaxTurns),
        ("--permission-mode", Key::PermissionsMode),
        ("--allow", Key::PermissionsAllow),
        ("--deny", Key::PermissionsDeny),
        ("--add-dir", Key::PermissionsFolders),
    ];
    OPTIONS.into_iter().find_map(|(flag, key)| {
        let rest = word.strip_prefix(flag)?;
        let value = rest.strip_prefix('=');
        (rest.is_empty() || value.is_some()).then_some((key, flag, value))
    })
}

/// The arguments that give a server of ours the same settings.
pub(in crate::cli) fn as_arguments(overrides: &[Override]) -> Vec<String> {
    overrides
        .iter()
        .map(|Override { key, value, flag }| match key {
            Key::ModelProvider | Key::PermissionsTrusted => (*flag).to_owned(),
            _ => format!("{flag}={value}"),
        })
        .collect()
}

/// What can't be meant: a mode that is none, a rule that can't be read or followed, a model on the network without network.
pub(super) fn check(overrides: &[Override]) -> Result<(), UsageError> {
    let is_offline = |given: &Override| given.key == Key::ModelProvider && given.flag == "--offline";
    let is_elsewhere = |given: &&Override| {
        given.key == Key::ModelName && given.value != "offline" && !given.value.starts_with("offline/")
    };
    if let Some(model) = overrides.iter().find(is_elsewhere).filter(|_| overrides.iter().any(is_offline)) {
        return Err(error(format!(
            "`--offline` asks no model, and `--model {}` does: choose one",
            model.value
        )));
    }
    let is_count = |given: &Override| given.value.parse::<u32>().is_ok_and(|count| count > 0);
    let is_nameless = |given: &Override| {
        let name = ProviderKind::named_in(&given.value).map_or(Some(given.value.as_str()), |(_, name)| name);
        name.is_some_and(|name| name.trim().is_empty())
    };
    overrides.iter().try_for_each(|given| match given.key {
        Key::ModelName if is_nameless(given) => Err(error(format!(
            "`--model {}` names no model: `--model openai/gpt-5`, say, or `--model local` for what there is",
            given.value
        ))),
        Key::MaxTurns if !is_count(given) => {
            Err(error(format!("`--max-turns {}`: expected a whole number of 1 or more", given.value)))
        }
        Key::PermissionsMode if PermissionMode::named(&given.value).is_none() => {
            let modes = PermissionMode::ALL.map(PermissionMode::name).join(", ");
            Err(error(format!("there is no permission mode `{}`: {modes}", given.value)))
        }
        Key::PermissionsAllow => check_rule(given, Behavior::Allow),
        Key::PermissionsDeny => check_rule(given, Behavior::Deny),
        _ => Ok(()),
    })
}

fn check_rule(given: &Override, behavior: Behavior) -> Result<(), UsageError> {
    // Where its patterns start makes no difference to whether it can be followed.
    let (settings, cwd, home) = (AbsPath::root(), AbsPath::root(), Some(AbsPath::root()));
    let starts = Starts { settings, cwd, home, case: PathCase::Sensitive };
    let rule = Rule::parse(&given.value);
    rule.and_then(|rule| SettledRule::new(behavior, rule, Source::CommandLine, given.flag, &starts))
        .map(drop)
        .map_err(|why| error(format!("`{}`: {why}", given.flag)))
}

/// The first folder that is to count as this one and is none.
pub(in crate::cli) fn missing_folder(
    overrides: &[Override],
    is_folder: impl Fn(&str) -> bool,
) -> Option<UsageError> {
    let folders = overrides.iter().filter(|given| given.key == Key::PermissionsFolders);
    let missing = folders.into_iter().find(|given| !is_folder(&given.value))?;
    Some(error(format!("`{}`: there is no folder `{}`", missing.flag, missing.value)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(key: Key, value: &str, flag: &'static str) -> Override {
        Override { key, value: value.to_owned(), flag }
    }

    #[test]
    fn settings_go_to_a_server_of_ours_as_they_came() {
        let overrides = [
            given(Key::ModelName, "m", "--model"),
            given(Key::ModelProvider, "offline", "--offline"),
            given(Key::PermissionsAllow, "Bash(a, b)", "--allow"),
            given(Key::PermissionsTrusted, ".", "--trust"),
        ];
        assert_eq!(as_arguments(&overrides), ["--model=m", "--offline", "--allow=Bash(a, b)", "--trust"]);
    }

    #[test]
    fn a_rule_that_can_not_be_followed_is_named_with_what_is_wrong() {
        let check = |key, rule: &str, flag, want: &str| {
            let error = check(&[given(key, rule, flag)]).unwrap_err();
            assert!(error.message.contains(flag) && error.message.contains(want), "{}", error.message);
        };
        check(Key::PermissionsAllow, "Bash(", "--allow", "`Bash(` is no rule: the parenthesis is not closed");
        check(Key::PermissionsDeny, "", "--deny", "it does not begin with the name of a tool");
        check(Key::PermissionsAllow, "WebFetch(example.com)", "--allow", "write `WebFetch(domain:");
        check(Key::PermissionsDeny, "WebSearch(x)", "--deny", "write `WebSearch`");
        for rule in ["Bash(cargo test:*)", "Read(~/notes/**)", "Edit(/src/**)", "mcp__a"] {
            assert_eq!(super::check(&[given(Key::PermissionsAllow, rule, "--allow")]), Ok(()), "{rule}");
        }
    }

    #[test]
    fn a_number_of_turns_is_one() {
        assert_eq!(check(&[given(Key::MaxTurns, "3", "--max-turns")]), Ok(()));
        for wrong in ["0", "x", "", "-1"] {
            let error = check(&[given(Key::MaxTurns, wrong, "--max-turns")]).unwrap_err();
            assert_eq!(error.message, format!("`--max-turns {wrong}`: expected a whole number of 1 or more"));
        }
    }

    #[test]
    fn a_model_has_a_name() {
        let model = |name| check(&[given(Key::ModelName, name, "--model")]);
        for wrong in ["", " ", "openai/", "local/ "] {
            let error = model(wrong).unwrap_err();
            assert!(
                error.message.starts_with(&format!("`--model {wrong}` names no model")),
                "{}",
                error.message
            );
        }
        for right in ["local", "offline", "gpt-5", "openai/gpt-5", "foo/bar"] {
            assert_eq!(model(right), Ok(()), "{right}");
        }
    }

    #[test]
    fn a_folder_that_is_not_there_is_named() {
        let overrides = [
            given(Key::PermissionsFolders, "lib", "--add-dir"),
            given(Key::PermissionsFolders, "/nope", "--add-dir"),
        ];
        let missing = missing_folder(&overrides, |folder| folder == "lib").unwrap();
        assert_eq!(missing.message, "`--add-dir`: there is no folder `/nope`");
        assert_eq!(missing_folder(&overrides, |_| true), None);
    }

    #[test]
    fn a_model_elsewhere_is_not_asked_offline() {
        let offline = given(Key::ModelProvider, "offline", "--offline");
        let model = |name| given(Key::ModelName, name, "--model");
        let refused = check(&[offline.clone(), model("openai/x")]).unwrap_err();
        assert!(refused.message.contains("choose one"), "{}", refused.message);
        assert!(check(&[model("openai/x"), offline.clone()]).is_err(), "in any order");
        assert!(check(&[offline, model("offline")]).is_ok());
    }
}
