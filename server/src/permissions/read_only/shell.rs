//! What the shell does itself, and so changes nothing: `echo`, `cd`, `test` and their like.

use crate::shell::command::{Expansion, Word};

pub(super) const NAMES: &[&str] =
    &[":", "[", "cd", "command", "echo", "exit", "false", "printf", "test", "true", "type"];

/// `None` if it is none of these, or may do more.
pub(super) fn reads(name: &str, arguments: &[Word]) -> Option<Vec<Word>> {
    match name {
        ":" | "true" | "false" => Some(Vec::new()),
        "echo" => is_known_text(arguments).then(Vec::new),
        // `-v` sets a variable, whose name may be calculated.
        "printf" => {
            let format = arguments.first()?;
            let is_format = !format.starts_with.starts_with('-') && !format.starts_with.is_empty();
            (is_format && is_known_text(arguments)).then(Vec::new)
        }
        "exit" => arguments.iter().all(|word| word.literal.is_some()).then(Vec::new),
        "cd" => match arguments {
            [folder] if is_folder(folder) => Some(vec![folder.clone()]),
            _ => None,
        },
        "test" | "[" => tested(arguments),
        "type" => arguments.iter().all(is_name).then(Vec::new),
        "command" => match arguments.split_first() {
            Some((option, names)) if matches!(option.literal.as_deref(), Some("-v" | "-V")) => {
                names.iter().all(is_name).then(Vec::new)
            }
            Some(_) | None => None,
        },
        _ => None,
    }
}

/// Text that is known, or of which only the names of variables are: what they hold is shown, not run.
fn is_known_text(words: &[Word]) -> bool {
    const SHOWN: &[&str] = &["$?", "$HOME", "$PWD", "$USER", "$SHELL", "$PATH", "$LANG", "$0", "$$", "$#"];
    words.iter().all(|word| {
        let bare = word.source.trim_matches('"');
        word.literal.is_some() || word.expansion == Expansion::Names || SHOWN.contains(&bare)
    })
}

fn is_folder(word: &Word) -> bool {
    word.literal.as_deref().is_some_and(|name| !name.is_empty() && !name.starts_with('-'))
}

fn is_name(word: &Word) -> bool {
    word.literal.as_deref().is_some_and(|name| !name.starts_with('-'))
}

/// A test of known words. `-v` looks at a variable, whose place in an array is calculated.
fn tested(arguments: &[Word]) -> Option<Vec<Word>> {
    const OPERATORS: &[&str] = &[
        "!", "]", "=", "==", "!=", "-a", "-b", "-c", "-d", "-e", "-eq", "-f", "-g", "-ge", "-gt", "-h", "-k",
        "-L", "-le", "-lt", "-n", "-ne", "-nt", "-o", "-O", "-ot", "-p", "-r", "-s", "-S", "-t", "-u", "-w",
        "-x", "-z",
    ];
    let mut reads = Vec::new();
    for word in arguments {
        let text = word.literal.as_deref()?;
        if OPERATORS.contains(&text) {
            continue;
        }
        if text.starts_with('-') {
            return None;
        }
        reads.push(Word::plain(text));
    }
    Some(reads)
}
