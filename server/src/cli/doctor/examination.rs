//! `copydesk doctor --model`: what the model says and does when it is asked.

use std::time::Duration;

use anyhow::Result;

use super::tell;
use crate::cli::Exit;
use crate::cli::config::places;
use crate::cli::terminal::{Look, Terminal};
use crate::config::{ModelChoice, Override, ProviderKind, choose_model, load, missing_model};
use crate::doctor::{Finding, GET_A_MODEL, local_model, look_at_model};
use crate::models::{Ability, Examination, ModelError, ModelErrorKind, examine, provider};

/// A model that has not answered five short questions by then is no help in an editor.
const LONGEST: Duration = Duration::from_secs(600);

/// Less than this is used up by a file or two.
const SMALL: u64 = 16_384;

pub(in crate::cli) async fn examine_model(terminal: &mut Terminal, overrides: Vec<Override>) -> Result<Exit> {
    let settings = load(&places(&overrides)).settings;
    let choice = choose_model(&settings);
    let mut next = Vec::new();
    let (mut findings, usable) = look_at_model(&settings, &mut next);
    let asked_at = choice.provider;
    let is_local = asked_at == ProviderKind::Local;
    if is_local && choice.bar.is_none() {
        // Here it is tried.
        let (what, why) = (local_model(&choice), &choice.why);
        findings = vec![Finding::note(format!("{what}, if one answers at its usual port: {why}"))];
    }
    show(terminal, "Model", &findings);
    if !usable {
        return Ok(finish(terminal, &next, Exit::Failed));
    }
    if choice.provider == ProviderKind::Offline {
        tell(terminal, &Finding::note("there is nothing to ask it"));
        return Ok(finish(terminal, &next, Exit::Done));
    }
    // One wrong answer is enough to know.
    let asked = ModelChoice { attempts: 1, ..choice };
    let again = asked.clone();
    let provider = provider(asked, move || again.clone());
    let Ok(found) = tokio::time::timeout(LONGEST, examine(&*provider)).await else {
        tell(terminal, &Finding::bad("it did not answer in ten minutes"));
        return Ok(finish(terminal, &["try a smaller model, or another server".to_owned()], Exit::Failed));
    };
    let missing = missing_model(&settings).filter(|_| provider.info().offline);
    if let Some(missing) = missing {
        show(terminal, "Asked: nobody", &[Finding::bad(missing.what)]);
        return Ok(finish(terminal, &[missing.step, GET_A_MODEL.to_owned()], Exit::Failed));
    }
    if provider.info().offline {
        // It stands in where no server answers; that is what its error says.
        let why = found.answers.err().map(|error| error.message).unwrap_or_default();
        show(
            terminal,
            "Asked: nobody",
            &[Finding::bad(format!("no model was asked: {}", uncapitalised(&why)))],
        );
        let elsewhere = "for a server elsewhere, name it: `openai.base_url` in your config.toml";
        return Ok(finish(terminal, &[GET_A_MODEL.to_owned(), elsewhere.to_owned()], Exit::Failed));
    }
    let (findings, next, exit) = said(&found, asked_at);
    show(terminal, &format!("Asked: {}", found.label), &findings);
    Ok(finish(terminal, &next, exit))
}

fn show(terminal: &mut Terminal, title: &str, findings: &[Finding]) {
    terminal.styled(Look::Heading, title);
    for finding in findings {
        tell(terminal, finding);
    }
}

fn finish(terminal: &mut Terminal, next: &[String], exit: Exit) -> Exit {
    if !next.is_empty() {
        terminal.styled(Look::Heading, "Next");
    }
    for step in next {
        terminal.line(&format!("  - {step}"));
    }
    exit
}

fn uncapitalised(sentence: &str) -> String {
    let mut rest = sentence.chars();
    rest.next().map(|first| first.to_lowercase().chain(rest).collect()).unwrap_or_default()
}

/// What to do about a model that does not answer.
fn step_after(kind: ModelErrorKind, asked_at: ProviderKind) -> String {
    let (key, address) = match asked_at {
        ProviderKind::Anthropic => (
            "ANTHROPIC_API_KEY, or `anthropic.api_key` in your config.toml",
            "ANTHROPIC_BASE_URL, or `anthropic.base_url` in your config.toml",
        ),
        ProviderKind::OpenAi | ProviderKind::Local | ProviderKind::Offline => (
            "OPENAI_API_KEY, or `openai.api_key` in your config.toml",
            "OPENAI_BASE_URL, or `openai.base_url` in your config.toml",
        ),
    };
    match kind {
        ModelErrorKind::UnknownModel => {
            let name = asked_at.name();
            let name = if asked_at == ProviderKind::Anthropic { name } else { ProviderKind::OpenAi.name() };
            format!("name one that it has: `--model {name}/NAME`, or `model.name` in your config.toml")
        }
        ModelErrorKind::Authentication => format!("set a key that counts there: {key}"),
        ModelErrorKind::Permission => format!("set a key that may ask this model: {key}"),
        ModelErrorKind::Billing => {
            "look at the plan and the limits of the account, or name another model".to_owned()
        }
        ModelErrorKind::Unreachable => {
            format!(
                "look whether a server listens there and the network lets you through, or set another address: {address}"
            )
        }
        ModelErrorKind::RateLimit | ModelErrorKind::Overloaded | ModelErrorKind::Server => {
            "try again in a while, or name another model: `--model PROVIDER/NAME`".to_owned()
        }
        ModelErrorKind::PromptTooLong
        | ModelErrorKind::RequestTooLarge
        | ModelErrorKind::MediaRefused
        | ModelErrorKind::InvalidRequest
        | ModelErrorKind::StreamCut
        | ModelErrorKind::Stalled
        | ModelErrorKind::Malformed => {
            format!("look whether a model's service is at that address ({address}), or name another model")
        }
    }
}

/// What there is to say of it, and what to do next.
fn said(found: &Examination, asked_at: ProviderKind) -> (Vec<Finding>, Vec<String>, Exit) {
    if let Err(ModelError { kind, message, .. }) = &found.answers {
        return (vec![Finding::bad(message)], vec![step_after(*kind, asked_at)], Exit::Failed);
    }
    let mut findings = vec![Finding::good("it is reached, knows the model, and answers")];
    let abilities = [
        (&found.streams, "it streams", "it does not stream: answers come all at once"),
        (&found.counts, "it counts tokens", "it does not count tokens: they are estimated"),
        (&found.calls_tools, "it calls a tool when it should", "it does not call a tool when it should"),
        (&found.calls_forced, "it calls a tool when it must", "it calls none even when it must"),
        (
            &found.calls_in_parallel,
            "it calls several tools at once",
            "it calls one tool at a time, which is slower",
        ),
        (&found.sees_images, "it sees images", "it does not see images"),
    ];
    if found.counts_beforehand == Ability::Yes {
        findings.push(Finding::good("it counts a request before it answers it"));
    }
    findings.extend(abilities.map(|(ability, yes, no)| match ability {
        Ability::Yes => Finding::good(yes),
        Ability::No => Finding::bad(no),
        Ability::Refused(why) => Finding::bad(format!("{no}: {why}")),
        Ability::Unasked => Finding::note(format!("not asked: whether {yes}")),
    }));
    let mut next = Vec::new();
    if found.calls_tools != Ability::Yes {
        next.push(
            "choose a model made for tool calls, or try `model.tool_calls = \"prompt\"`: without them it can't work in files"
                .to_owned(),
        );
    }
    if let Some(window) = found.window {
        findings.push(Finding::good(format!("its window is {window} tokens")));
    } else {
        findings.push(Finding::note("nobody says how long its window is; 200000 tokens are assumed"));
        next.push("set `model.context_window` if it is another".to_owned());
    }
    if found.window.is_some_and(|window| window < SMALL) {
        next.push(format!("give it a window of {SMALL} tokens or more: files and answers need room"));
    }
    (findings, next, if found.calls_tools == Ability::Yes { Exit::Done } else { Exit::Failed })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::Mark;

    #[track_caller]
    fn check(found: &Examination, exit: Exit, wanted: &[&str], steps: &[&str]) {
        let (findings, next, told) = said(found, ProviderKind::OpenAi);
        let lines: Vec<String> = findings
            .iter()
            .map(|finding| match finding.mark {
                Mark::Good => format!("✓ {}", finding.text),
                Mark::Bad => format!("✗ {}", finding.text),
                Mark::Note => format!("- {}", finding.text),
            })
            .collect();
        assert_eq!(
            (told, lines, next),
            (
                exit,
                wanted.iter().map(ToString::to_string).collect(),
                steps.iter().map(ToString::to_string).collect()
            )
        );
    }

    fn able() -> Examination {
        Examination {
            label: "m".to_owned(),
            answers: Ok(()),
            streams: Ability::Yes,
            counts: Ability::Yes,
            counts_beforehand: Ability::Yes,
            calls_tools: Ability::Yes,
            calls_forced: Ability::Yes,
            calls_in_parallel: Ability::Yes,
            sees_images: Ability::Yes,
            window: Some(128_000),
        }
    }

    #[test]
    fn an_able_model_needs_nothing() {
        check(
            &able(),
            Exit::Done,
            &[
                "✓ it is reached, knows the model, and answers",
                "✓ it counts a request before it answers it",
                "✓ it streams",
                "✓ it counts tokens",
                "✓ it calls a tool when it should",
                "✓ it calls a tool when it must",
                "✓ it calls several tools at once",
                "✓ it sees images",
                "✓ its window is 128000 tokens",
            ],
            &[],
        );
    }

    #[test]
    fn what_is_missing_is_told_with_the_next_step() {
        let found = Examination {
            counts: Ability::No,
            counts_beforehand: Ability::No,
            calls_tools: Ability::Refused("tools are not supported".to_owned()),
            calls_forced: Ability::Unasked,
            calls_in_parallel: Ability::Unasked,
            sees_images: Ability::No,
            window: None,
            ..able()
        };
        check(
            &found,
            Exit::Failed,
            &[
                "✓ it is reached, knows the model, and answers",
                "✓ it streams",
                "✗ it does not count tokens: they are estimated",
                "✗ it does not call a tool when it should: tools are not supported",
                "- not asked: whether it calls a tool when it must",
                "- not asked: whether it calls several tools at once",
                "✗ it does not see images",
                "- nobody says how long its window is; 200000 tokens are assumed",
            ],
            &[
                "choose a model made for tool calls, or try `model.tool_calls = \"prompt\"`: without them it can't work in files",
                "set `model.context_window` if it is another",
            ],
        );
    }

    #[test]
    fn who_does_not_answer_is_asked_no_more() {
        let error = ModelError::new(ModelErrorKind::UnknownModel, "There is no model `x`.");
        check(
            &Examination { answers: Err(error), ..able() },
            Exit::Failed,
            &["✗ There is no model `x`."],
            &["name one that it has: `--model openai/NAME`, or `model.name` in your config.toml"],
        );
    }

    #[test]
    fn every_failure_has_a_next_step() {
        let step = |kind, asked_at| step_after(kind, asked_at);
        for (asked_at, name) in [(ProviderKind::Anthropic, "anthropic"), (ProviderKind::OpenAi, "openai")] {
            let variable = name.to_uppercase();
            for (kind, wanted) in [
                (ModelErrorKind::Authentication, format!("{variable}_API_KEY, or `{name}.api_key`")),
                (ModelErrorKind::Unreachable, format!("{variable}_BASE_URL, or `{name}.base_url`")),
                (ModelErrorKind::UnknownModel, format!("--model {name}/NAME")),
                (ModelErrorKind::Overloaded, "try again in a while".to_owned()),
                (ModelErrorKind::Malformed, format!("`{name}.base_url`")),
            ] {
                assert!(step(kind, asked_at).contains(&wanted), "{kind:?}: {}", step(kind, asked_at));
            }
        }
    }
}
