//! The scripts that a command runs: files, and what a shell is fed with.

use std::fs;
use std::io::Read as _;

use super::super::part::{SHELLS, base_name};
use super::place::{Named, Scene, named, unquoted};
use crate::documents::AbsPath;
use crate::shell::command::{Direction, Join, LONGEST, Parsed, SimpleCommand, Word, parse};

/// What is known of a script.
pub(super) enum Script {
    /// A piece of its text.
    Text(String),
    /// Why nothing is, in a sentence for the person.
    Unknown(String),
}

/// Bytes of a script that are read.
const MOST: u64 = 256 * 1024;
/// Names of what a shell is fed with.
const INPUT: &[&str] = &["-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"];
/// Options of shells whose next word is no script.
const WITH_VALUE: &[&str] = &["-o", "+o", "-O", "+O", "--rcfile", "--init-file"];

/// Where a shell has its commands from.
enum From<'w> {
    /// Its arguments.
    Words,
    Input,
    File(&'w Word),
}

/// The scripts that `words` run, the command itself or one among its arguments. `before`: the command in front.
pub(super) fn scripts(
    words: &[Word],
    command: &SimpleCommand,
    before: Option<&SimpleCommand>,
    scene: &Scene<'_>,
) -> Vec<Script> {
    match from(words) {
        Some(From::Words) => Vec::new(),
        Some(From::Input) => fed(command, before, scene),
        Some(From::File(word)) if INPUT.contains(&word.source.as_str()) => fed(command, before, scene),
        Some(From::File(word)) => of_word(word, scene),
        None => started(words, scene),
    }
}

/// The scripts that a shell runs before all else, because a variable names them.
pub(super) fn of_environment(command: &SimpleCommand, scene: &Scene<'_>) -> Vec<Script> {
    let is_shell = |word: &Word| SHELLS.contains(&base_name(Some(word)));
    let is_interactive = |word: &Word| {
        let option = word.source.as_str();
        option.starts_with('-') && !option.starts_with("--") && option.contains('i')
    };
    let reads_env = command.words.iter().any(is_shell) && command.words.iter().any(is_interactive);
    let is_meant = |name: &str| name == "BASH_ENV" || name == "ENV" && reads_env;
    let in_front = command.assignments.iter().map(|it| (it.name.as_str(), it.value.source.as_str()));
    let as_words = command.words.iter().filter_map(|word| word.source.split_once('='));
    let named = in_front.chain(as_words).filter(|(name, value)| is_meant(name) && !value.is_empty());
    named.flat_map(|(_, value)| of_word(&Word::plain(value), scene)).collect()
}

/// Why it is not known what a shell runs whose command is read from elsewhere (`xargs sh -c`).
pub(super) fn of_items(command: &SimpleCommand) -> Option<Script> {
    if !matches!(base_name(command.words.first()), "xargs" | "parallel") {
        return None;
    }
    let mut words = command.words.iter().map(|word| word.source.as_str());
    let mut place = "{}";
    let at = command.words.iter().position(|word| SHELLS.contains(&base_name(Some(word))))?;
    let mut options = words.by_ref().take(at);
    while let Some(option) = options.next() {
        match option.strip_prefix("-I") {
            Some("") => place = options.next().unwrap_or(place),
            Some(named) => place = named,
            None => {}
        }
    }
    let is_script = |word: &&Word| {
        let option = word.source.as_str();
        option.starts_with('-') && !option.starts_with("--") && option.ends_with('c')
    };
    let behind = command.words.get(at + 1..)?;
    let mut behind = behind.iter().skip_while(|word| !is_script(word));
    behind.next()?;
    let is_item = |word: &Word| unquoted(word).trim_start_matches(['"', '\'', ' ']).starts_with(place);
    let is_open = behind.next().is_none_or(is_item);
    is_open.then(|| Script::Unknown("What the shell is fed with is only known when it runs.".to_owned()))
}

/// Whether the command of these words runs a text that another one may have written.
pub(super) fn runs_a_text(words: &[Word]) -> bool {
    matches!(from(words), Some(From::Input | From::File(_)))
}

fn from(words: &[Word]) -> Option<From<'_>> {
    let (_, arguments) = words.split_first()?;
    let program = base_name(words.first());
    if matches!(program, "source" | ".") {
        return arguments.iter().find(|word| word.source != "--").map(From::File);
    }
    // What another machine runs is not removed here.
    if !SHELLS.contains(&program) || program == "ssh" {
        return None;
    }
    let mut left = arguments.iter();
    while let Some(word) = left.next() {
        let option = word.source.as_str();
        if WITH_VALUE.contains(&option) {
            left.next();
        } else if option == "-" || !option.starts_with(['-', '+']) {
            return Some(From::File(word));
        } else if !option.starts_with("--") && option.contains('c') {
            return Some(From::Words);
        } else if !option.starts_with("--") && option.contains('s') {
            return Some(From::Input);
        } else if !option.starts_with("--") && option.ends_with(['o', 'O']) {
            // One of several options in a word, as in `-euo pipefail`.
            left.next();
        }
    }
    Some(From::Input)
}

/// What comes in from a file or from the command in front. Texts that stand in the line are looked at with it.
fn fed(command: &SimpleCommand, before: Option<&SimpleCommand>, scene: &Scene<'_>) -> Vec<Script> {
    if let Some(given) = command.redirections.iter().rev().find(|it| it.direction == Direction::Read) {
        return of_word(&given.target, scene);
    }
    if command.place.join != Join::Pipe || has_text(command) {
        return Vec::new();
    }
    match before {
        Some(writer) if has_text(writer) || is_writer(writer) => Vec::new(),
        Some(writer) if writer.program() == Some("cat") => {
            writer.words.iter().skip(1).flat_map(|word| of_word(word, scene)).collect()
        }
        Some(_) | None => {
            vec![Script::Unknown("What the shell is fed with is only known when it runs.".to_owned())]
        }
    }
}

fn has_text(command: &SimpleCommand) -> bool {
    command.redirections.iter().any(|it| it.direction == Direction::Text)
}

/// It writes what stands in the line.
fn is_writer(command: &SimpleCommand) -> bool {
    matches!(command.program(), Some("echo" | "printf"))
}

/// The script that `word` names, be it what a command in it writes.
fn of_word(word: &Word, scene: &Scene<'_>) -> Vec<Script> {
    let unknown = || {
        vec![Script::Unknown(format!("Which script it runs is only known when it runs: {}.", word.source))]
    };
    if let Some(inside) = word.source.strip_prefix("<(") {
        let inside = inside.strip_suffix(')').unwrap_or(inside);
        return match parse(inside) {
            Parsed::Script(script) if script.commands.iter().all(is_writer) => Vec::new(),
            Parsed::Script(_) | Parsed::NotUnderstood { .. } => unknown(),
        };
    }
    match named(word, scene) {
        Named::Places(places) => places.iter().flat_map(|path| of_file(path, scene)).collect(),
        Named::Unknown => unknown(),
    }
}

/// A file that only the trial tree has was made by a call that was judged.
fn of_file(path: &AbsPath, scene: &Scene<'_>) -> Vec<Script> {
    match text(path) {
        Some(text) => pieces(&text),
        None if scene.kept.roots.iter().any(|root| path.is_in(root)) => Vec::new(),
        None => vec![Script::Unknown(format!("What {path} says is only known when it runs."))],
    }
}

/// The program itself, if it is a script for a shell.
fn started(words: &[Word], scene: &Scene<'_>) -> Vec<Script> {
    let Some(word) = words.first().filter(|word| word.source.contains('/')) else { return Vec::new() };
    let Named::Places(places) = named(word, scene) else { return Vec::new() };
    let is_for_shell = |text: &String| {
        let Some(behind) = text.strip_prefix("#!") else {
            // A text that names no program is run by the shell.
            return !text.contains('\0');
        };
        let program = behind.lines().next().unwrap_or_default();
        program.split_whitespace().any(|word| SHELLS.contains(&word.rsplit('/').next().unwrap_or(word)))
    };
    places.iter().filter_map(text).filter(is_for_shell).flat_map(|text| pieces(&text)).collect()
}

fn text(path: &AbsPath) -> Option<String> {
    // A pipe would be waited for.
    if !fs::metadata(path.as_path()).is_ok_and(|metadata| metadata.is_file()) {
        return None;
    }
    let mut bytes = Vec::new();
    fs::File::open(path.as_path()).ok()?.take(MOST).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// As much as is read as one command line, cut where lines end.
fn pieces(text: &str) -> Vec<Script> {
    let mut pieces = vec![String::new()];
    for line in text.split_inclusive('\n') {
        let is_full = pieces.last().is_some_and(|piece| piece.len() + line.len() > LONGEST);
        if is_full {
            pieces.push(String::new());
        }
        if let Some(piece) = pieces.last_mut() {
            piece.push_str(line);
        }
    }
    pieces.into_iter().map(Script::Text).collect()
}
