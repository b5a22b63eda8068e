//! What a command line would do, as far as its text says, and which rules speak of its parts.

mod assessment;
mod edits;
mod folders;
mod matching;
mod part;
mod removal;
mod suggestions;
mod wrappers;

pub use assessment::{Assessment, Part, PathWord, Side};
pub use matching::spec_matches;
pub(super) use removal::{Kept, Loss, removes_too_much};

use self::folders::Folders;
use super::has_hidden;
use crate::documents::AbsPath;
use crate::shell::command::{Direction, Parsed, Script, SimpleCommand, parse};

/// More commands in one line are not judged one by one.
const MOST_COMMANDS: usize = 50;

/// What `text`, run in `cwd`, would do. Whatever can't be told from the text ends in [`Assessment::ask`].
pub fn assess(text: &str, cwd: &AbsPath) -> Assessment {
    match parse(text) {
        Parsed::Script(script) => of_script(text, &script, cwd),
        Parsed::NotUnderstood { why, seen, heredocs } => Assessment {
            parts: part::with_heredocs(
                seen.iter().map(|command| part::of(command).part).collect(),
                &heredocs,
            ),
            ask: Some(format!("What this command does can't be told for sure. {why}")),
            read_only: false,
            reads: Vec::new(),
            edits: Vec::new(),
            replaces: Vec::new(),
            suggestions: Vec::new(),
            unoffered: None,
        },
    }
}

fn of_script(text: &str, script: &Script, cwd: &AbsPath) -> Assessment {
    let folders = Folders::of(script, cwd);
    let mut assessment = Assessment {
        parts: Vec::new(),
        ask: ask(text, script),
        read_only: false,
        reads: Vec::new(),
        edits: Vec::new(),
        replaces: Vec::new(),
        suggestions: Vec::new(),
        unoffered: None,
    };
    for (at, command) in script.commands.iter().enumerate() {
        let mut known = part::of(command);
        known.part.reads = known.reads.iter().flat_map(|word| folders.resolve(at, word)).collect();
        assessment.reads.extend(known.part.reads.iter().cloned());
        assessment.edits.extend(known.edits.iter().flat_map(|word| folders.resolve(at, word)));
        assessment.replaces.extend(known.replaces.iter().flat_map(|word| folders.resolve(at, word)));
        assessment.parts.push(known.part);
    }
    assessment.parts = part::with_heredocs(assessment.parts, &script.heredocs);
    let harmless = assessment.ask.is_none() && !assessment.parts.is_empty();
    assessment.read_only =
        harmless && assessment.edits.is_empty() && assessment.parts.iter().all(|part| part.read_only);
    if harmless {
        assessment.suggestions = suggestions::of(&script.commands, &assessment.parts);
        if assessment.suggestions.is_empty() {
            assessment.unoffered = suggestions::why_none(&script.commands, &assessment.parts);
        }
    }
    assessment
}

/// Why no rule can answer for the whole of `script`.
fn ask(text: &str, script: &Script) -> Option<String> {
    let commands = &script.commands;
    if commands.is_empty() {
        return Some("It holds no command.".into());
    }
    if commands.len() > MOST_COMMANDS {
        return Some(format!(
            "It runs {} commands; more than {MOST_COMMANDS} are not judged.",
            commands.len()
        ));
    }
    if has_hidden(&text.replace(['\n', '\t'], " ")) {
        return Some("It holds characters that can't be seen.".into());
    }
    if let Some(command) = commands.iter().find(|command| program_is_hidden(command)) {
        return Some(format!("Which program `{}` starts is only known when it runs.", command.source));
    }
    if let Some(name) = commands.iter().find_map(part::lasting_assignment) {
        return Some(format!("It sets {name} for the commands after it."));
    }
    let network = commands.iter().flat_map(|command| &command.redirections).find(|redirection| {
        let target = redirection.target.starts_with.as_str();
        redirection.direction != Direction::Text
            && (target.starts_with("/dev/tcp") || target.starts_with("/dev/udp"))
    });
    if let Some(redirection) = network {
        return Some(format!("`{}` opens a connection.", redirection.source));
    }
    let moves = commands.iter().any(folders::moves);
    if moves && commands.iter().any(|command| wrappers::stripped(command).program() == Some("git")) {
        return Some(
            "It changes the folder and then runs git, which obeys the folder's own configuration.".into(),
        );
    }
    if moves && commands.iter().any(part::writes_by_redirection) {
        return Some("It changes the folder and writes a file, so where that lies is not sure.".into());
    }
    None
}

fn program_is_hidden(command: &SimpleCommand) -> bool {
    let stripped = wrappers::stripped(command);
    stripped.words.first().is_some_and(|program| program.literal.is_none())
}

#[cfg(test)]
mod tests;
