//! Settings that are right each by itself and make no sense together. They count as they are; the person is told.

use super::{CommandNumber, Diagnostic, Origin, ProviderKind, Settings, choose_model, other_model};

/// What is doubtful in `settings`, each with the place of the setting that is likeliest to be wrong.
pub(super) fn doubts(settings: &Settings) -> Vec<Diagnostic> {
    [timeouts(settings), web_search(settings)].into_iter().flatten().collect()
}

fn timeouts(settings: &Settings) -> Option<Diagnostic> {
    let shell = &settings.shell;
    let (usual, longest) = (CommandNumber::DefaultTimeout, CommandNumber::LongestTimeout);
    let (given, most) = (shell.number(usual), shell.number(longest));
    let origin =
        if *shell.origin(usual) == Origin::Default { shell.origin(longest) } else { shell.origin(usual) };
    (given > most).then(|| Diagnostic {
        origin: origin.clone(),
        message: format!(
            "`{}` ({given}) is more than `{}` ({most}), so a command gets {most}",
            usual.name(),
            longest.name()
        ),
    })
}

/// Only Anthropic's service, and gateways to it, search the web.
fn web_search(settings: &Settings) -> Option<Diagnostic> {
    let wanted = &settings.tools.web_search;
    let small = settings.model.small.value.as_deref().map(|model| other_model(settings, model).provider);
    let mut asked = small.into_iter().chain([choose_model(settings).provider]);
    let searches = asked.any(|provider| provider == ProviderKind::Anthropic);
    (wanted.value == Some(true) && !searches).then(|| Diagnostic {
        origin: wanted.origin.clone(),
        message: "`tools.web_search`: only Anthropic's service and gateways to it search the web, and another model is \
                  asked here, so there is no search"
            .to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Key, Value};

    #[track_caller]
    fn check(set: &[(&str, Value)], want: &[&str]) {
        let mut settings = Settings::default();
        for (key, value) in set {
            Key::named(key).unwrap().set(&mut settings, value, Origin::Editor).unwrap();
        }
        let told: Vec<String> = doubts(&settings).iter().map(ToString::to_string).collect();
        assert_eq!(told, want);
    }

    #[test]
    fn no_command_gets_more_than_the_longest_time() {
        let text = "the editor's settings: `shell.default_timeout_ms` (700000) is more than \
                    `shell.longest_timeout_ms` (600000), so a command gets 600000";
        check(&[("shell.default_timeout_ms", Value::Whole(700_000))], &[text]);
        let text = "the editor's settings: `shell.default_timeout_ms` (120000) is more than \
                    `shell.longest_timeout_ms` (1000), so a command gets 1000";
        check(&[("shell.longest_timeout_ms", Value::Whole(1_000))], &[text]);
        check(&[("shell.default_timeout_ms", Value::Whole(600_000))], &[]);
    }

    #[test]
    fn a_search_needs_somebody_who_searches() {
        let text = |text: &str| Value::Text(text.to_owned());
        let wanted = ("tools.web_search", Value::Flag(true));
        let told = "the editor's settings: `tools.web_search`: only Anthropic's service and gateways to it search the web, \
                    and another model is asked here, so there is no search";
        check(&[("model.provider", text("openai")), wanted.clone()], &[told]);
        check(&[("model.provider", text("anthropic")), wanted.clone()], &[]);
        let small = ("model.small", text("anthropic/claude-x"));
        check(&[("model.provider", text("openai")), small, wanted.clone()], &[]);
        check(&[("model.provider", text("openai")), ("tools.web_search", Value::Flag(false))], &[]);
    }
}
