//! Commands that change nothing and start no other program, told from their options.
//!
//! A program is read-only by what it is given, never by its name: an option or a form that no table lists is not.

mod find;
mod git;
mod jq;
pub(super) mod options;
mod sed;
mod shell;
mod shows;
mod table;

pub(super) use self::git::may_write_output as git_may_write_output;
use self::options::Given;
pub(super) use self::shows::{Shows, shows};
use self::table::{Operands, PROGRAMS, Program};
use crate::shell::command::{Expansion, Word};

/// Files and folders that `words`, a program and its arguments, reads; `None` if it may do more than read.
pub(super) fn reads(words: &[Word]) -> Option<Vec<Word>> {
    let (program, arguments) = words.split_first()?;
    match program.literal.as_deref()? {
        "git" => git::reads(arguments),
        "find" => find::reads(arguments),
        "sed" => sed::reads(arguments),
        "jq" => jq::reads(arguments),
        name => match shell::reads(name, arguments) {
            Some(reads) => Some(reads),
            None => by_table(PROGRAMS.iter().find(|program| program.names.contains(&name))?, arguments),
        },
    }
}

/// The programs that a command whose [`reads`] are known may start: its own, by name.
pub fn read_only_programs() -> Vec<&'static str> {
    let special = ["git", "find", "sed", "jq"];
    let tables = PROGRAMS.iter().flat_map(|program| program.names);
    special.iter().chain(shell::NAMES).chain(tables).copied().collect()
}

fn by_table(program: &Program, arguments: &[Word]) -> Option<Vec<Word>> {
    let given = options::read(arguments, &[program.options], program.unknown)?;
    let Given { operands, mut files, .. } = match program.operands {
        Operands::Texts => return Some(given.files),
        Operands::Files => given,
        Operands::FilesOrHere => or_here(given),
        Operands::OneFile if is_at_most_one(&given.operands) => given,
        Operands::OneFile => return None,
        Operands::PatternThenFiles => without_pattern(program, given),
    };
    files.extend(operands.into_iter().filter(|word| word.literal.as_deref() != Some("-")));
    Some(files)
}

fn or_here(mut given: Given) -> Given {
    if given.operands.is_empty() {
        given.operands.push(Word::plain("."));
    }
    given
}

fn is_at_most_one(operands: &[Word]) -> bool {
    match operands {
        [] => true,
        [one] => one.expansion == Expansion::One,
        _ => false,
    }
}

/// Takes the pattern from the operands. Where no file is named, `rg` and a recursive `grep` read the folder they run in.
fn without_pattern(program: &Program, mut given: Given) -> Given {
    let has_pattern = given.has(&["-e", "-f", "--regexp", "--file", "--files", "--type-list"]);
    if !has_pattern && !given.operands.is_empty() {
        let pattern = given.operands.remove(0);
        // It may become several words, of which the second is a file.
        if pattern.expansion != Expansion::One {
            given.operands.push(pattern);
        }
    }
    let walks = program.names.contains(&"rg") || given.has(&["-r", "--recursive"]);
    if walks { or_here(given) } else { given }
}

/// The words that are known.
fn literal_words(words: &[Word]) -> impl Iterator<Item = &str> {
    words.iter().filter_map(|word| word.literal.as_deref())
}

#[cfg(test)]
mod tests;
