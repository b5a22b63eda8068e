//! The folders that the commands of a line may run in, and what their paths then name.

use super::{PathWord, wrappers};
use crate::documents::AbsPath;
use crate::shell::command::{Expansion, Script, SimpleCommand, Word};

/// More folders than these are not followed.
const MOST: usize = 8;

/// For each command, the folders it may run in: a `cd` may fail, and may stand in a subshell that has ended.
pub(super) struct Folders {
    /// `None`: any folder.
    of_command: Vec<Option<Vec<AbsPath>>>,
}

impl Folders {
    pub(super) fn of(script: &Script, cwd: &AbsPath) -> Self {
        let lost = script.commands.iter().any(|command| moves(command) && command.place.repeats);
        let mut now = if lost { None } else { Some(vec![cwd.clone()]) };
        let mut of_command = Vec::new();
        for command in &script.commands {
            of_command.push(now.clone());
            if moves(command) {
                now = now.and_then(|folders| after(command, folders));
            }
        }
        Self { of_command }
    }

    /// What `word` of the command at `at` may name: one path for each folder.
    pub(super) fn resolve(&self, at: usize, word: &Word) -> Vec<PathWord> {
        let pattern = word.literal.is_none();
        let named = |path| PathWord { source: word.source.clone(), path, pattern };
        let Some(name) = name(word) else { return vec![named(None)] };
        match self.of_command.get(at) {
            _ if name.starts_with('/') => vec![named(AbsPath::new(&name))],
            Some(Some(folders)) => folders.iter().map(|folder| named(Some(folder.join(&name)))).collect(),
            Some(None) | None => vec![named(None)],
        }
    }
}

/// Whether the commands behind this one run in another folder.
pub(super) fn moves(command: &SimpleCommand) -> bool {
    matches!(wrappers::stripped(command).program(), Some("cd" | "pushd" | "popd"))
}

fn after(command: &SimpleCommand, mut folders: Vec<AbsPath>) -> Option<Vec<AbsPath>> {
    let stripped = wrappers::stripped(command);
    let [program, target] = stripped.words.as_slice() else { return None };
    if program.literal.as_deref() != Some("cd") || target.starts_with.starts_with('-') {
        return None;
    }
    let target = target.literal.as_deref().filter(|target| is_direct(target))?;
    let more: Vec<AbsPath> = folders.iter().map(|folder| folder.join(target)).collect();
    folders.extend(more);
    (folders.len() <= MOST).then_some(folders)
}

/// The text that says which path a word names; `None` if that is not known. A pattern names files in a known folder, and
/// stands for them all.
fn name(word: &Word) -> Option<String> {
    let name = match &word.literal {
        Some(literal) => literal.clone(),
        None if word.expansion == Expansion::Names => {
            let (folder, _) = word.starts_with.rsplit_once('/').unwrap_or((".", ""));
            let behind = word.source.get(word.starts_with.len()..)?;
            if behind.contains("..") {
                return None;
            }
            if word.starts_with.starts_with('/') && folder.is_empty() {
                "/".to_owned()
            } else {
                folder.to_owned()
            }
        }
        None => return None,
    };
    is_direct(&name).then_some(name)
}

/// A `..` behind a name leads elsewhere if that name is a link, which the text doesn't say.
fn is_direct(path: &str) -> bool {
    let mut named = false;
    path.split('/').all(|piece| {
        named |= !matches!(piece, "" | "." | "..");
        !(named && piece == "..")
    })
}
