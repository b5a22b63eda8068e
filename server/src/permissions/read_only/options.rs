//! The options that a program may be given, written as a row of words, and a command line read by them.
//!
//! An option that is not in the row is not understood, and neither is a shortened one.

use crate::shell::command::{Expansion, Word};

/// Options as a row of words: `-n` alone, `-A:` with a text, `-f<` with a file that is read, `-O?` with a text that can only
/// stand directly behind it; `--all`, `--format=`, `--file<` and `--color?` likewise; `-NUM` a number such as `-20`.
pub(in crate::permissions) type Row = &'static str;

/// A command line that holds nothing but what its row allows.
#[derive(Debug, Default)]
pub(in crate::permissions) struct Given {
    /// Each option by its name, with its value.
    pub(in crate::permissions) options: Vec<(String, Option<Word>)>,
    pub(in crate::permissions) operands: Vec<Word>,
    /// Files that options name.
    pub(in crate::permissions) files: Vec<Word>,
}

impl Given {
    pub(in crate::permissions) fn has(&self, names: &[&str]) -> bool {
        self.options.iter().any(|(name, _)| names.contains(&name.as_str()))
    }

    /// The values given to any of `names`.
    pub(in crate::permissions) fn values<'a>(&'a self, names: &'a [&str]) -> impl Iterator<Item = &'a Word> {
        self.options
            .iter()
            .filter(|(name, _)| names.contains(&name.as_str()))
            .filter_map(|(_, value)| value.as_ref())
    }
}

/// What may follow an option's name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Value {
    None,
    Text,
    File,
    Attached,
}

/// What becomes of a word that is only known when the program runs and that might turn out an option.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::permissions) enum Unknown {
    /// No option of the program does harm: it is taken for an operand.
    Operand,
    Refused,
}

/// Reads `words`, the arguments without the program, by `rows`. `None` if anything in them is not allowed.
pub(in crate::permissions) fn read(words: &[Word], rows: &[Row], unknown: Unknown) -> Option<Given> {
    let mut given = Given::default();
    let mut left = words.iter();
    while let Some(word) = left.next() {
        let start = word.starts_with.as_str();
        match word.literal.as_deref() {
            Some("--") => {
                given.operands.extend(left.cloned());
                break;
            }
            Some("-") => given.operands.push(word.clone()),
            _ if start.starts_with("--") => long(word, rows, &mut left, &mut given)?,
            Some(cluster) if cluster.starts_with('-') => short(cluster, rows, &mut left, &mut given)?,
            Some(_) => given.operands.push(word.clone()),
            None if word.expansion != Expansion::Any && !start.is_empty() && !start.starts_with('-') => {
                given.operands.push(word.clone());
            }
            None if unknown == Unknown::Operand => given.operands.push(word.clone()),
            None => return None,
        }
    }
    Some(given)
}

fn long<'a>(
    word: &Word,
    rows: &[Row],
    left: &mut impl Iterator<Item = &'a Word>,
    given: &mut Given,
) -> Option<()> {
    let (name, attached) = match word.starts_with.split_once('=') {
        Some((name, value)) => (name, Some(part(word, value)?)),
        // Its name is not known whole.
        None if word.literal.is_none() => return None,
        None => (word.starts_with.as_str(), None),
    };
    let value = match (lookup(rows, name)?, attached) {
        (Value::None, Some(_)) => return None,
        (Value::None | Value::Attached, None) => None,
        (Value::Attached | Value::Text | Value::File, Some(value)) => Some(value),
        (Value::Text | Value::File, None) => Some(next(left)?),
    };
    keep(rows, name, value, given);
    Some(())
}

fn short<'a>(
    cluster: &str,
    rows: &[Row],
    left: &mut impl Iterator<Item = &'a Word>,
    given: &mut Given,
) -> Option<()> {
    let letters = cluster.strip_prefix('-')?;
    if letters.bytes().all(|b| b.is_ascii_digit()) && lookup(rows, "-NUM").is_some() {
        given.options.push(("-NUM".to_owned(), Some(Word::plain(letters))));
        return Some(());
    }
    for (at, letter) in letters.char_indices() {
        let name = format!("-{letter}");
        let behind = letters.get(at + letter.len_utf8()..)?;
        match lookup(rows, &name)? {
            Value::None => given.options.push((name, None)),
            Value::Attached => {
                given.options.push((name, Some(Word::plain(behind))));
                return Some(());
            }
            Value::Text | Value::File => {
                let value = if behind.is_empty() { next(left)? } else { Word::plain(behind) };
                keep(rows, &name, Some(value), given);
                return Some(());
            }
        }
    }
    Some(())
}

fn keep(rows: &[Row], name: &str, value: Option<Word>, given: &mut Given) {
    if lookup(rows, name) == Some(Value::File) {
        given.files.extend(value.clone());
    }
    given.options.push((name.to_owned(), value));
}

/// The next word as a value: it has to stay one word.
fn next<'a>(left: &mut impl Iterator<Item = &'a Word>) -> Option<Word> {
    left.next().filter(|word| word.expansion == Expansion::One).cloned()
}

/// The end of `word` that starts with `value`, and that has to stay one word or names of files.
fn part(word: &Word, value: &str) -> Option<Word> {
    (word.expansion != Expansion::Any).then(|| Word {
        source: word.source.clone(),
        literal: word.literal.as_ref().map(|_| value.to_owned()),
        starts_with: value.to_owned(),
        expansion: word.expansion,
    })
}

fn lookup(rows: &[Row], name: &str) -> Option<Value> {
    rows.iter().flat_map(|row| row.split_whitespace()).find_map(|entry| match entry.strip_prefix(name)? {
        "" => Some(Value::None),
        ":" | "=" => Some(Value::Text),
        "<" => Some(Value::File),
        "?" => Some(Value::Attached),
        _ => None,
    })
}
