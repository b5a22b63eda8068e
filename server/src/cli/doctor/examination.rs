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
    let is_local = choice.provider == ProviderKind::Local;
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
    let (findings, mut next, exit) = said(&found);
    if is_local && found.answers.is_err() {
        next.push(GET_A_MODEL.to_owned());
        next.push("for a server elsewhere, name it: `openai.base_url` in your config.toml".to_owned());
    }
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

/// What there is to say of it, and what to do next.
fn said(found: &Examination) -> (Vec<Finding>, Vec<String>, Exit) {
    if let Err(ModelError { kind, message, .. }) = &found.answers {
        let named = *kind == ModelErrorKind::UnknownModel;
        let step = "name one that it has: `--model openai/NAME`, or `model.name` in your config.toml";
        let next = named.then(|| step.to_owned()).into_iter().collect();
        return (vec![Finding::bad(message)], next, Exit::Failed);
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
        let (findings, next, told) = said(found);
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
}
