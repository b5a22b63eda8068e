//! `find`: an expression of which every word is a test, or prints.

use crate::shell::command::{Expansion, Word};

/// Words of an expression that stand alone. `-exec`, `-ok`, `-delete`, `-fprint` and their like are not among them, and
/// neither is what follows links.
const ALONE: &[&str] = &[
    "!",
    "(",
    ")",
    ",",
    "-a",
    "-and",
    "-o",
    "-or",
    "-not",
    "-print",
    "-print0",
    "-ls",
    "-prune",
    "-quit",
    "-depth",
    "-mount",
    "-xdev",
    "-daystart",
    "-noleaf",
    "-empty",
    "-readable",
    "-writable",
    "-executable",
    "-nouser",
    "-nogroup",
    "-true",
    "-false",
    "-ignore_readdir_race",
    "-noignore_readdir_race",
    "-nowarn",
    "-warn",
];

/// Words of an expression that take the next.
const WITH_ONE: &[&str] = &[
    "-name",
    "-iname",
    "-path",
    "-ipath",
    "-wholename",
    "-iwholename",
    "-regex",
    "-iregex",
    "-regextype",
    "-type",
    "-xtype",
    "-size",
    "-mtime",
    "-mmin",
    "-atime",
    "-amin",
    "-ctime",
    "-cmin",
    "-perm",
    "-user",
    "-group",
    "-uid",
    "-gid",
    "-links",
    "-inum",
    "-lname",
    "-ilname",
    "-maxdepth",
    "-mindepth",
    "-fstype",
    "-printf",
    "-used",
];

/// Those whose next word is a file.
const WITH_FILE: &[&str] = &["-newer", "-anewer", "-cnewer", "-samefile"];

/// The folders that `find` walks through.
pub(super) fn reads(arguments: &[Word]) -> Option<Vec<Word>> {
    let mut reads = Vec::new();
    let mut left = arguments.iter().skip_while(|word| word.literal.as_deref() == Some("-P")).peekable();
    while let Some(word) = left.next_if(|word| is_path(word)) {
        reads.push(word.clone());
    }
    if reads.is_empty() {
        reads.push(Word::plain("."));
    }
    while let Some(word) = left.next() {
        let name = word.literal.as_deref()?;
        if ALONE.contains(&name) {
            continue;
        }
        let value = left.next().filter(|value| value.expansion == Expansion::One)?;
        if WITH_FILE.contains(&name) {
            reads.push(value.clone());
        } else if !WITH_ONE.contains(&name) {
            return None;
        }
    }
    Some(reads)
}

/// A folder in front of the expression, which begins with a dash, a parenthesis or an exclamation mark.
fn is_path(word: &Word) -> bool {
    word.expansion != Expansion::Any
        && !word.starts_with.is_empty()
        && !word.starts_with.starts_with(['-', '(', ')', '!', ','])
}
