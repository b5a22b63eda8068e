//! The arguments of the program, by hand: there are few.

mod file;
mod settings;

use std::ffi::OsString;

pub(super) use self::file::FileArgument;
use self::file::file_argument;
use self::settings::{Words, accepts, check, wants_value};
pub(super) use self::settings::{as_arguments, asked_by_default, missing_folder};
use crate::config::{Key, Override, distance};

/// What the person wants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Invocation {
    /// The language server on stdin and stdout.
    Serve {
        overrides: Vec<Override>,
    },
    Help {
        topic: Topic,
    },
    Version,
    Try {
        overrides: Vec<Override>,
    },
    Run(RunArguments),
    Doctor {
        overrides: Vec<Override>,
        about: About,
    },
    Setup {
        editor: SetupEditor,
        languages: Vec<String>,
    },
    Config {
        overrides: Vec<Override>,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RunArguments {
    pub(super) prompt: String,
    pub(super) files: Vec<FileArgument>,
    pub(super) decide: Decide,
    pub(super) output: Output,
    pub(super) overrides: Vec<Override>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Decide {
    /// Per hunk, if there is somebody to ask.
    Ask,
    /// `--yes`
    AcceptAll,
    /// `--diff`
    ShowOnly,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Output {
    Text,
    /// One object at the end.
    Json,
    /// Each event as it comes, one a line.
    StreamJson,
}

/// What the doctor looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum About {
    Installation,
    /// `--model`, with a name or for the configured one: the model is asked what it can do.
    Model,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SetupEditor {
    Neovim,
    Helix,
    VsCode,
    Emacs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Topic {
    All,
    Try,
    Run,
    Doctor,
    Setup,
    Config,
}

/// What is wrong with the arguments, in a line for the person, and the help to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct UsageError {
    pub(super) message: String,
    pub(super) topic: Topic,
}

/// Without a command it is the language server, unless a person sits at stdin.
pub(super) fn parse(
    arguments: impl IntoIterator<Item = OsString>,
    stdin_is_terminal: bool,
) -> Result<Invocation, UsageError> {
    let words = arguments
        .into_iter()
        .map(|word| word.into_string().map_err(|word| error(format!("{} is not UTF-8", word.display()))))
        .collect::<Result<Vec<_>, _>>()?;
    let mut words = Words { words: words.into_iter(), overrides: Vec::new() };
    let mut stdio = false;
    while let Some(word) = words.next() {
        let topic = match word.as_str() {
            "--stdio" => {
                stdio = true;
                continue;
            }
            "--version" | "-V" => return nothing_after(&mut words).map(|()| Invocation::Version),
            "--help" | "-h" => return Ok(Invocation::Help { topic: Topic::All }),
            "help" => return help(&mut words),
            option if wants_value(option) => return Err(error(format!("`{option}` needs a value"))),
            option if option.starts_with('-') => return Err(unknown_option(option)),
            command => topic(command)?,
        };
        return command(topic, words).map_err(|error| UsageError { topic, ..error });
    }
    match (stdio, stdin_is_terminal) {
        (false, true) => Ok(Invocation::Help { topic: Topic::All }),
        _ => check(&words.overrides).map(|()| Invocation::Serve { overrides: words.overrides }),
    }
}

/// What follows `help`, which asks for help once more or not.
fn help(words: &mut Words) -> Result<Invocation, UsageError> {
    let mut asked = Topic::All;
    while let Some(word) = words.next() {
        match word.as_str() {
            "--help" | "-h" => {}
            word if asked == Topic::All => asked = topic(word)?,
            word => return Err(too_many(word)),
        }
    }
    Ok(Invocation::Help { topic: asked })
}

fn nothing_after(words: &mut Words) -> Result<(), UsageError> {
    words.next().map_or(Ok(()), |word| Err(too_many(&word)))
}

fn topic(word: &str) -> Result<Topic, UsageError> {
    match word {
        "try" => Ok(Topic::Try),
        "run" => Ok(Topic::Run),
        "doctor" => Ok(Topic::Doctor),
        "setup" => Ok(Topic::Setup),
        "config" => Ok(Topic::Config),
        "help" => Ok(Topic::All),
        other => Err(error(match near(other) {
            Some(near) => format!("there is no command `{other}`; did you mean `{near}`?"),
            None => format!("there is no command `{other}`"),
        })),
    }
}

/// The command that a slip of the keys makes `word` of.
fn near(word: &str) -> Option<&'static str> {
    let named = ["try", "run", "doctor", "setup", "config", "help"].map(|name| (distance(word, name), name));
    let (slips, name) = named.into_iter().min()?;
    let letters = |word: &str| {
        let mut letters: Vec<char> = word.chars().collect();
        letters.sort_unstable();
        letters
    };
    // Two letters that have changed places are two slips; of a short word two others leave nothing.
    let is_near = slips <= 1 || (slips == 2 && (name.len() > 4 || letters(word) == letters(name)));
    is_near.then_some(name)
}

fn command(topic: Topic, mut words: Words) -> Result<Invocation, UsageError> {
    let mut plain = Vec::new();
    let mut decide = Decide::Ask;
    let mut output = Output::Text;
    let mut about = About::Installation;
    let mut only_plain = false;
    while let Some(word) = if only_plain { words.words.next() } else { words.next() } {
        match word.as_str() {
            word if only_plain || !word.starts_with('-') => plain.push(word.to_owned()),
            "--" => only_plain = true,
            "-" if topic == Topic::Run && plain.is_empty() => {
                return Err(error(
                    "the prompt is not read from stdin: give it as an argument, as in `copydesk run \"$(cat FILE)\"`",
                ));
            }
            "--help" | "-h" => return Ok(Invocation::Help { topic }),
            "--model" if topic == Topic::Doctor => about = About::Model,
            option if wants_value(option) => return Err(error(format!("`{option}` needs a value"))),
            "--yes" | "-y" if topic == Topic::Run => decide = decided(decide, Decide::AcceptAll)?,
            "--diff" if topic == Topic::Run => decide = decided(decide, Decide::ShowOnly)?,
            "--output" | "-o" if topic == Topic::Run => output = output_named(&words.value("--output")?)?,
            option => match option.strip_prefix("--output=") {
                Some(name) if topic == Topic::Run => output = output_named(name)?,
                _ => return Err(unknown_option(option)),
            },
        }
    }
    let overrides = words.overrides;
    if overrides.iter().any(|given| given.key == Key::ModelName) {
        about = About::Model;
    }
    check(&overrides)?;
    let nothing_more = |plain: &[String]| match plain.first() {
        Some(word) => Err(too_many(word)),
        None => Ok(()),
    };
    match topic {
        Topic::All => Ok(Invocation::Help { topic }),
        Topic::Try => nothing_more(&plain).map(|()| Invocation::Try { overrides }),
        Topic::Doctor => nothing_more(&plain).map(|()| Invocation::Doctor { overrides, about }),
        Topic::Config => nothing_more(&plain).map(|()| Invocation::Config { overrides }),
        Topic::Setup => {
            if let Some(Override { flag, .. }) = overrides.first() {
                return Err(error(format!("`{flag}` means nothing here: `setup` only prints")));
            }
            let mut plain = plain.into_iter();
            let editor = plain.next().ok_or_else(|| error("which editor? nvim, helix, vscode or emacs"))?;
            let (editor, languages) = (setup_editor(&editor)?, plain.collect::<Vec<_>>());
            match (editor, languages.first()) {
                (SetupEditor::Neovim | SetupEditor::VsCode | SetupEditor::Emacs, Some(word)) => Err(error(
                    format!("`{word}` is one argument too many: only Helix has to be told languages"),
                )),
                _ => Ok(Invocation::Setup { editor, languages }),
            }
        }
        Topic::Run => {
            let mut plain = plain.into_iter();
            let prompt = plain.next().filter(|prompt| !prompt.trim().is_empty());
            let prompt =
                prompt.ok_or_else(|| error("what is to be done? `copydesk run \"rename load to open\"`"))?;
            let files = plain.map(|word| file_argument(&word)).collect::<Result<_, _>>()?;
            if decide == Decide::ShowOnly && overrides.iter().any(accepts) {
                return Err(error(
                    "`--diff` changes nothing, and in that mode changes go in as they come: choose one",
                ));
            }
            Ok(Invocation::Run(RunArguments { prompt, files, decide, output, overrides }))
        }
    }
}

fn decided(before: Decide, now: Decide) -> Result<Decide, UsageError> {
    if before == Decide::Ask || before == now {
        Ok(now)
    } else {
        Err(error("`--yes` accepts and `--diff` only shows: choose one"))
    }
}

fn output_named(name: &str) -> Result<Output, UsageError> {
    match name {
        "text" => Ok(Output::Text),
        "json" => Ok(Output::Json),
        "stream-json" => Ok(Output::StreamJson),
        other => Err(error(format!("`--output` is text, json or stream-json, not `{other}`"))),
    }
}

fn setup_editor(name: &str) -> Result<SetupEditor, UsageError> {
    match name {
        "nvim" | "neovim" => Ok(SetupEditor::Neovim),
        "helix" | "hx" => Ok(SetupEditor::Helix),
        "vscode" | "code" => Ok(SetupEditor::VsCode),
        "emacs" => Ok(SetupEditor::Emacs),
        other => Err(error(format!(
            "there is nothing for `{other}`; there is nvim, helix, vscode and emacs. Another editor needs to be told, \
                 in its own settings for language servers, to start `copydesk`"
        ))),
    }
}

fn too_many(word: &str) -> UsageError {
    error(format!("`{word}` is one argument too many"))
}

fn unknown_option(option: &str) -> UsageError {
    error(format!("there is no option `{option}` here"))
}

fn error(message: impl Into<String>) -> UsageError {
    UsageError { message: message.into(), topic: Topic::All }
}

#[cfg(test)]
mod tests;
