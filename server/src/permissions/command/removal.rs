//! Whether a command line removes what nobody means to remove: the home folder, a folder of the system, the workspace.
//!
//! A net for accidents, in whatever spelling they are likely to come; no wall: who wants to hide a removal can.

mod place;

use self::place::{Named, is_named_in, named};
use super::part::CARRIERS;
use super::wrappers;
use crate::documents::AbsPath;
use crate::shell::command::{Direction, Parsed, SimpleCommand, Word, parse};

/// What is not to be lost.
#[derive(Clone, Copy)]
pub(in crate::permissions) struct Kept<'a> {
    pub(in crate::permissions) home: Option<&'a AbsPath>,
    /// The folders of the workspace.
    pub(in crate::permissions) roots: &'a [AbsPath],
}

/// Programs that remove what they name.
const REMOVERS: &[&str] = &["rm", "rmdir", "unlink", "shred"];
/// What a text holds that removes something, in whatever spelling.
const SIGNS: &[&str] = &["rm", "unlink", "shred", "-delete"];
/// Programs that run a text which they are given.
const SHELLS: &[&str] = &["sh", "bash", "dash", "zsh", "ksh", "ssh"];
/// Further programs whose arguments are commands.
const MORE_CARRIERS: &[&str] = &["command", "builtin", "trap"];
/// Folders of the system in which things come and go.
const PASSING: &[&str] = &["/tmp", "/dev"];
/// How deeply a command may stand in the text of another.
const DEEPEST: usize = 4;

/// What `text`, run in `cwd`, would remove that is kept, in a sentence for the person.
pub(in crate::permissions) fn removes_too_much(text: &str, cwd: &AbsPath, kept: &Kept<'_>) -> Option<String> {
    within(text, cwd, kept, DEEPEST)
}

impl Kept<'_> {
    /// Neither the path nor one in it may go: the root, a folder of the system, home, the workspace, and what is above them.
    fn holds(&self, path: &AbsPath) -> bool {
        is_of_system(path) || self.is_home(path) || self.roots.iter().any(|root| root.is_in(path))
    }

    /// What nobody names by chance beside a removal in the workspace.
    fn is_far(&self, path: &AbsPath) -> bool {
        (is_of_system(path) || self.is_home(path))
            && !PASSING.contains(&path.as_str())
            && !self.roots.contains(path)
    }

    fn is_home(&self, path: &AbsPath) -> bool {
        self.home.is_some_and(|home| home.is_in(path))
    }
}

/// The root, or a folder in it.
fn is_of_system(path: &AbsPath) -> bool {
    path.parent().is_none_or(|above| above.parent().is_none())
}

fn within(text: &str, cwd: &AbsPath, kept: &Kept<'_>, depth: usize) -> Option<String> {
    if depth == 0 || !SIGNS.iter().any(|sign| text.contains(sign)) {
        return None;
    }
    let commands = match parse(text) {
        Parsed::Script(script) => script.commands,
        Parsed::NotUnderstood { seen, .. } => seen,
    };
    let text_is_run = commands.iter().any(runs_its_input);
    let mut blind = false;
    // The folders that were changed into, and how deep in the script that was: a subshell ends.
    let mut folders = vec![(0, cwd.clone())];
    for command in &commands {
        folders.retain(|(depth, _)| *depth <= command.place.depth);
        let now = folders.last().map_or_else(|| cwd.clone(), |(_, folder)| folder.clone());
        for words in invocations(command) {
            for target in targets(&words) {
                match named(&target, &now, kept.home, text) {
                    Named::Place(path) if is_kept(&path, kept) => {
                        return Some(format!("It removes {}.", target.source));
                    }
                    Named::IfEmpty(path) if kept.is_far(&path) => {
                        return Some(format!(
                            "It removes {}, which is all of {path} where that is empty.",
                            target.source
                        ));
                    }
                    Named::Unknown => blind = true,
                    Named::Place(_) | Named::IfEmpty(_) => {}
                }
            }
        }
        let inner = texts(command, text_is_run);
        if let Some(found) = inner.iter().find_map(|inner| within(inner, &now, kept, depth - 1)) {
            return Some(found);
        }
        if let Some(folder) = entered(command, &now, kept, text) {
            folders.push((command.place.depth, folder));
        }
    }
    let beside = blind.then(|| is_named_in(text, cwd, kept.home, |path| kept.is_far(path))).flatten()?;
    Some(format!("It removes what is only known when it runs, and {beside} is named beside it."))
}

/// The path, or what it is a link to.
fn is_kept(path: &AbsPath, kept: &Kept<'_>) -> bool {
    kept.holds(path) || path.followed().is_some_and(|real| kept.holds(&real))
}

/// The words of a command, and those of each command that its arguments may be.
fn invocations(command: &SimpleCommand) -> Vec<Vec<Word>> {
    let mut found = vec![command.words.clone(), wrappers::stripped(command).words];
    if is_carrier(command) {
        found.extend((1..command.words.len()).filter_map(|at| Some(command.words.get(at..)?.to_vec())));
    }
    // What is piped into it is behind its words.
    if matches!(base_name(command.words.first()), "xargs" | "parallel") {
        for words in &mut found {
            words.push(wrappers::unknown_word());
        }
    }
    found
}

/// What a program with these words removes: no word of another program.
fn targets(words: &[Word]) -> Vec<Word> {
    let Some((_, arguments)) = words.split_first() else { return Vec::new() };
    match base_name(words.first()) {
        "find" => found_by(arguments),
        name if REMOVERS.contains(&name) => {
            let mut options = true;
            let is_operand = |word: &&Word| {
                let is_option = options && word.starts_with.starts_with('-');
                options &= word.literal.as_deref() != Some("--");
                !is_option
            };
            arguments.iter().filter(is_operand).cloned().collect()
        }
        _ => Vec::new(),
    }
}

/// Where `find` deletes all there is; nothing, where it picks some by their name, age or the like.
fn found_by(arguments: &[Word]) -> Vec<Word> {
    let of = |word: &Word| word.literal.clone().unwrap_or_else(|| word.source.clone());
    let texts: Vec<String> = arguments.iter().map(of).collect();
    let runs = |pair: &[String]| match pair {
        [option, program] => {
            let program = program.rsplit('/').next().unwrap_or_default();
            (option.starts_with("-exec") || option.starts_with("-ok")) && REMOVERS.contains(&program)
        }
        _ => false,
    };
    let deletes = texts.iter().any(|text| text == "-delete") || texts.windows(2).any(runs);
    let picks = |text: &String| {
        let name = text.trim_start_matches('-');
        let by_name = name.trim_start_matches('i');
        ["name", "path", "wholename", "regex", "empty", "newer", "size", "perm", "user", "group"]
            .iter()
            .any(|test| by_name.starts_with(test))
            || (["amin", "atime", "cmin", "ctime", "mmin", "mtime"].contains(&name) && text.starts_with('-'))
    };
    let picked = texts.iter().any(|text| text.starts_with('-') && picks(text));
    let turned = texts.iter().any(|text| matches!(text.as_str(), "!" | "-not" | "-o" | "-or" | ","));
    if !deletes || picked && !turned {
        return Vec::new();
    }
    let is_option = |text: &String| matches!(text.as_str(), "-H" | "-L" | "-P");
    let begin = texts.iter().take_while(|text| is_option(text)).count();
    let is_place = |text: &&String| !text.starts_with(['-', '(', '!']);
    let count = texts.iter().skip(begin).take_while(is_place).count();
    match arguments.get(begin..begin + count) {
        None | Some([]) => vec![place::here()],
        Some(places) => places.to_vec(),
    }
}

/// Texts that the command runs, or that a shell beside it is fed with.
fn texts(command: &SimpleCommand, text_is_run: bool) -> Vec<String> {
    let arguments = command.words.get(1..).unwrap_or_default();
    let program = base_name(command.words.first());
    let joined = || arguments.iter().map(place::unquoted).collect::<Vec<_>>().join(" ");
    let mut found = Vec::new();
    if program == "eval" || text_is_run && matches!(program, "echo" | "printf") {
        found.push(joined());
    }
    if is_carrier(command) {
        found.extend(arguments.iter().map(place::unquoted).filter(|text| text.contains(' ')));
    }
    if SHELLS.contains(&program) {
        let given = command.redirections.iter().filter(|it| it.direction == Direction::Text);
        found.extend(given.map(|redirection| place::unquoted(&redirection.target)));
    }
    found
}

/// A shell that is given no script: it runs what it reads.
fn runs_its_input(command: &SimpleCommand) -> bool {
    let mut arguments = command.words.iter().skip(1);
    SHELLS.contains(&base_name(command.words.first()))
        && arguments.all(|word| word.starts_with.starts_with('-'))
}

/// The folder that a `cd` leads to.
fn entered(command: &SimpleCommand, cwd: &AbsPath, kept: &Kept<'_>, text: &str) -> Option<AbsPath> {
    let words = wrappers::stripped(command).words;
    let (program, arguments) = words.split_first()?;
    if !matches!(program.literal.as_deref(), Some("cd" | "pushd")) {
        return None;
    }
    match arguments.iter().find(|word| !word.starts_with.starts_with('-')) {
        None => kept.home.cloned(),
        Some(word) => match named(word, cwd, kept.home, text) {
            Named::Place(path) => Some(path),
            Named::IfEmpty(_) | Named::Unknown => None,
        },
    }
}

fn is_carrier(command: &SimpleCommand) -> bool {
    let program = base_name(command.words.first());
    CARRIERS.contains(&program) || MORE_CARRIERS.contains(&program)
}

fn base_name(program: Option<&Word>) -> &str {
    let name = program.and_then(|word| word.literal.as_deref()).unwrap_or_default();
    name.rsplit('/').next().unwrap_or_default()
}

#[cfg(test)]
mod tests;
