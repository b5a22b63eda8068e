//! Whether a command line removes what nobody means to remove: the home folder, a folder of the system, the workspace, its
//! repository.
//!
//! What it is for: in a mode that asks nothing, the few removals that can't be taken back are asked about all the same. In a
//! trial tree no real file goes, and what a command removes there comes to the person as deletions; so the net holds where a
//! command works on the files themselves, for what git ignores and so is never proposed, and to spare the person a review of
//! a thousand deletions. It is for accidents, in whatever spelling of the shell they come: where it can't be told what a
//! removal removes, or which program a line starts, it asks. It is no wall: what a program of another language removes does
//! not show in a command line.

mod place;
mod scripts;
mod targets;
mod values;

use self::place::{Named, Scene, named};
use self::scripts::{Script, of_environment, of_items, runs_a_text, scripts};
use self::targets::{linked, removed};
use self::values::{Values, is_assignment};
use super::part::{CARRIERS, SHELLS, base_name};
use super::wrappers;
use crate::documents::AbsPath;
use crate::shell::command::{Direction, Expansion, Parsed, SimpleCommand, Word, parse};

/// What is not to be lost.
#[derive(Clone, Copy)]
pub(in crate::permissions) struct Kept<'a> {
    pub(in crate::permissions) home: Option<&'a AbsPath>,
    /// The folders of the workspace.
    pub(in crate::permissions) roots: &'a [AbsPath],
}

/// Why a command line is asked about, in a sentence for the person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::permissions) enum Loss {
    /// It removes what is kept.
    OfKept(String),
    /// What it removes, or which program it starts, is only known when it runs.
    NotKnown(String),
}

/// Further programs whose arguments are commands.
const MORE_CARRIERS: &[&str] = &["command", "builtin", "trap", "npx", "bunx", "pnpx"];
/// Those of them whose next argument is the program.
const DIRECT: &[&str] = &["env", "sudo", "doas", "exec"];
/// How deeply a command may stand in the text of another.
const DEEPEST: usize = 4;

/// What `text`, run in `cwd`, may remove that is not to be lost.
pub(in crate::permissions) fn removes_too_much(text: &str, cwd: &AbsPath, kept: &Kept<'_>) -> Option<Loss> {
    let mut search = Search { kept, links: Vec::new(), not_known: None };
    let of_kept = search.line(text, Some(cwd), &Values::default(), Depth { left: DEEPEST, run: Run::Surely });
    of_kept.map(Loss::OfKept).or(search.not_known.map(Loss::NotKnown))
}

/// One look through a line and the texts in it.
struct Search<'a> {
    kept: &'a Kept<'a>,
    /// The links that the line makes, each with where it leads.
    links: Vec<(AbsPath, AbsPath)>,
    /// The first thing that could not be told.
    not_known: Option<String>,
}

#[derive(Clone, Copy)]
struct Depth {
    left: usize,
    run: Run,
}

/// Whether a text is run, or only may be: it stands among the arguments of a program that runs some.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Run {
    Surely,
    Perhaps,
}

impl Search<'_> {
    /// What `text` removes that is kept.
    fn line(&mut self, text: &str, cwd: Option<&AbsPath>, values: &Values, depth: Depth) -> Option<String> {
        let inner = Depth { left: depth.left.checked_sub(1)?, ..depth };
        let (commands, heredocs) = match parse(text) {
            Parsed::Script(script) => (script.commands, script.heredocs),
            Parsed::NotUnderstood { seen, heredocs, .. } => (seen, heredocs),
        };
        let values = values.with(&commands);
        let text_is_run =
            commands.iter().any(|command| invocations(command).iter().any(|words| runs_a_text(words)));
        // The folders that were changed into, and how deep in the script that was: a subshell ends.
        let mut folders = vec![(0, cwd.cloned())];
        for (at, command) in commands.iter().enumerate() {
            let before = at.checked_sub(1).and_then(|at| commands.get(at));
            folders.retain(|(depth, _)| *depth <= command.place.depth);
            let now = folders.last().and_then(|(_, folder)| folder.clone());
            let scene = Scene { cwd: now.as_ref(), kept: self.kept, values: &values };
            for command in self.with_program(command, &scene, depth.run) {
                if let Some(why) = self.command(&command, &scene) {
                    return Some(why);
                }
                for (text, run) in texts(&command, text_is_run) {
                    let found = self.line(&text, scene.cwd, &values, Depth { run, ..inner });
                    if found.is_some() {
                        return found;
                    }
                }
                let invocations = invocations(&command);
                self.links.extend(invocations.iter().flat_map(|words| linked(words, &scene)));
                let scripts = invocations.iter().flat_map(|words| scripts(words, &command, before, &scene));
                for script in scripts.chain(of_environment(&command, &scene)).chain(of_items(&command)) {
                    match script {
                        Script::Text(text) => {
                            let run = Depth { run: Run::Perhaps, ..inner };
                            let found = self.line(&text, scene.cwd, &Values::default(), run);
                            if found.is_some() {
                                return found;
                            }
                        }
                        Script::Unknown(why) => self.not_known(why),
                    }
                }
                folders
                    .extend(entered(&command, &scene).map(|folder| (command.place.depth, folder.into_one())));
            }
        }
        let is_shell = |word: &Word| SHELLS.contains(&base_name(Some(word)));
        let reads_text = |command: &SimpleCommand| {
            command.words.iter().any(is_shell) || matches!(command.program(), Some("source" | "."))
        };
        if !commands.iter().any(reads_text) {
            return None;
        }
        heredocs.iter().find_map(|text| self.line(text, cwd, &values, inner))
    }

    /// The command with each program that its name may stand for.
    fn with_program(&mut self, command: &SimpleCommand, scene: &Scene<'_>, run: Run) -> Vec<SimpleCommand> {
        let words = wrappers::stripped(command).words;
        let is_direct = DIRECT.contains(&base_name(words.first()));
        let is_program =
            |word: &&Word| !(is_assignment(word) || is_direct && word.starts_with.starts_with('-'));
        let at = words.iter().skip(usize::from(is_direct)).position(|word| is_program(&word));
        let at = at.map(|at| at + usize::from(is_direct));
        let Some((program, behind)) = at.and_then(|at| words.get(at..)?.split_first()) else {
            return vec![command.clone()];
        };
        if !is_hidden(program) {
            return vec![command.clone()];
        }
        let Some(texts) = scene.values.texts(&program.source, scene) else {
            if run == Run::Surely {
                self.not_known(format!(
                    "Which program `{}` starts is only known when it runs.",
                    command.source
                ));
            }
            return vec![command.clone()];
        };
        let spelled = |text: &String| {
            let words = text.split_whitespace().map(Word::plain).chain(behind.iter().cloned());
            SimpleCommand { words: words.collect(), ..command.clone() }
        };
        texts.iter().map(spelled).collect()
    }

    /// What one command removes that is kept.
    fn command(&mut self, command: &SimpleCommand, scene: &Scene<'_>) -> Option<String> {
        for words in invocations(command) {
            let removal = removed(&words);
            let folder = match &removal.folder {
                None => scene.cwd.cloned(),
                Some(word) => named(word, scene).into_one(),
            };
            let scene = Scene { cwd: folder.as_ref(), ..*scene };
            for word in &removal.words {
                match named(word, &scene) {
                    Named::Places(places) if places.iter().any(|path| self.holds(path)) => {
                        return Some(format!("It removes {}.", word.source));
                    }
                    Named::Unknown if !removal.only_what_is_empty => {
                        let what = if word.source.is_empty() { "what it is given" } else { &word.source };
                        self.not_known(format!("What it removes is only known when it runs: {what}."));
                    }
                    // A word that was only guessed at.
                    Named::Places(_) if word.literal.is_some() && word.expansion == Expansion::Any => {
                        self.not_known(format!("It is not sure that all it removes is {}.", word.source));
                    }
                    Named::Places(_) | Named::Unknown => {}
                }
            }
        }
        None
    }

    /// Whether the path is kept, or lies behind a link of this line to what is.
    fn holds(&self, path: &AbsPath) -> bool {
        let behind = |(link, target): &(AbsPath, AbsPath)| {
            let rest = path.as_path().strip_prefix(link.as_path()).ok()?;
            Some(if rest.as_str().is_empty() { target.clone() } else { target.join(rest.as_str()) })
        };
        self.kept.holds(path) || self.links.iter().filter_map(behind).any(|real| self.kept.holds(&real))
    }

    fn not_known(&mut self, why: String) {
        self.not_known.get_or_insert(why);
    }
}

/// A program whose name an expansion holds.
fn is_hidden(word: &Word) -> bool {
    let is_spelled = |literal: &str| literal != word.source || !literal.contains(['$', '`']);
    !word.source.is_empty() && !word.literal.as_deref().is_some_and(is_spelled)
}

/// The words of a command, and those of each command that its arguments may be.
fn invocations(command: &SimpleCommand) -> Vec<Vec<Word>> {
    let program = base_name(command.words.first());
    let mut words = command.words.clone();
    if matches!(program, "xargs" | "parallel") {
        // What is piped into it stands where it says, else behind its words.
        let is_place = |word: &Word| word.source.contains("{}") && !word.source.starts_with('-');
        let named = words.iter().any(is_place);
        words = words.into_iter().map(|word| if is_place(&word) { Word::unknown() } else { word }).collect();
        if !named {
            words.push(Word::unknown());
        }
    }
    let ends = |word: &Word| program == "find" && matches!(word.literal.as_deref(), Some(";" | "+"));
    let mut found = vec![words.clone(), wrappers::stripped(command).words];
    if is_carrier(command) {
        let inner = (1..words.len()).filter_map(|at| words.get(at..)?.split(ends).next());
        found.extend(inner.map(<[Word]>::to_vec));
    }
    found
}

/// Texts that the command runs, or that a shell beside it is fed with.
fn texts(command: &SimpleCommand, text_is_run: bool) -> Vec<(String, Run)> {
    let arguments = command.words.get(1..).unwrap_or_default();
    let program = base_name(command.words.first());
    let mut found = Vec::new();
    if program == "eval" || text_is_run && matches!(program, "echo" | "printf") {
        let joined = arguments.iter().map(place::unquoted).collect::<Vec<_>>().join(" ");
        found.push((joined, if program == "eval" { Run::Surely } else { Run::Perhaps }));
    }
    if is_carrier(command) {
        let several = arguments.iter().map(place::unquoted).filter(|text| text.contains([' ', '\n']));
        found.extend(several.map(|text| (text, Run::Perhaps)));
    }
    for words in invocations(command).iter().filter(|words| base_name(words.first()) == "git") {
        let settings = words.iter().map(place::unquoted).filter(|word| word.starts_with("alias."));
        let aliases = settings.filter_map(|word| Some(word.split_once("=!")?.1.to_owned()));
        found.extend(aliases.map(|text| (text, Run::Surely)));
    }
    let sources = matches!(program, "source" | ".");
    if sources || command.words.iter().any(|word| SHELLS.contains(&base_name(Some(word)))) {
        let is_script = |word: &&Word| {
            let option = word.starts_with.as_str();
            option.starts_with('-') && !option.starts_with("--") && option.ends_with('c')
        };
        let script = arguments.iter().skip_while(|word| !is_script(word)).nth(1);
        let given = command.redirections.iter().filter(|it| it.direction == Direction::Text);
        let given = given.map(|redirection| &redirection.target);
        found.extend(script.into_iter().chain(given).map(|word| (place::unquoted(word), Run::Surely)));
    }
    found
}

/// The folder that a command takes the shell to.
fn entered(command: &SimpleCommand, scene: &Scene<'_>) -> Option<Named> {
    let words = wrappers::stripped(command).words;
    let (program, arguments) = words.split_first()?;
    match program.literal.as_deref() {
        Some("cd" | "pushd") => {}
        Some("popd") => return Some(Named::Unknown),
        Some(_) | None => return None,
    }
    let is_option = |word: &Word| word.starts_with.starts_with('-') && word.source != "-";
    let Some(word) = arguments.iter().find(|word| !is_option(word)) else {
        return Some(scene.kept.home.cloned().map_or(Named::Unknown, |home| Named::Places(vec![home])));
    };
    // The folder before, or one of several.
    let is_open = word.source == "-" || word.expansion == Expansion::Names;
    Some(if is_open { Named::Unknown } else { named(word, scene) })
}

fn is_carrier(command: &SimpleCommand) -> bool {
    let program = base_name(command.words.first());
    CARRIERS.contains(&program) || MORE_CARRIERS.contains(&program)
}

#[cfg(test)]
mod tests;
