//! The files that a command writes, where its words say so.

use crate::permissions::read_only::options::{self, Given, Row, Unknown};
use crate::permissions::read_only::{self, git_may_write_output};
use crate::shell::command::{Expansion, Word};

/// A program whose operands are the files it changes.
struct Editor {
    name: &'static str,
    options: Row,
    changes: Changes,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Changes {
    All,
    /// The last; the others are read.
    Last,
    /// All but the first, which says how.
    AllButFirst,
}

const EDITORS: &[Editor] = &[
    Editor {
        name: "touch",
        options: "-a -c -m -d: -t: -h --no-create --date= --time=",
        changes: Changes::All,
    },
    Editor { name: "mkdir", options: "-p -v -m: --parents --verbose --mode=", changes: Changes::All },
    Editor {
        name: "rmdir",
        options: "-p -v --parents --verbose --ignore-fail-on-non-empty",
        changes: Changes::All,
    },
    Editor {
        name: "rm",
        options: "-f -i -I -r -R -d -v --force --recursive --dir --verbose --one-file-system --preserve-root",
        changes: Changes::All,
    },
    Editor { name: "tee", options: "-a -i -p --append --ignore-interrupts", changes: Changes::All },
    Editor { name: "truncate", options: "-c -s: --no-create --size=", changes: Changes::All },
    Editor {
        name: "mv",
        options: "-f -i -n -u -v -T --force --no-clobber --update --verbose",
        changes: Changes::All,
    },
    Editor {
        name: "cp",
        options: "-a -d -f -i -n -p -P -r -R -u -v -T --archive --force --no-clobber --recursive --update --verbose",
        changes: Changes::Last,
    },
    Editor {
        name: "ln",
        options: "-s -f -n -v -T -r --symbolic --force --relative --verbose",
        changes: Changes::Last,
    },
    Editor {
        name: "chmod",
        options: "-R -v -c -f --recursive --verbose --changes --quiet",
        changes: Changes::AllButFirst,
    },
];

/// Programs that put another content in the place of whatever the files hold that they write.
const REPLACERS: &[&str] = &["cp", "mv", "ln", "install", "dd", "rsync", "truncate", "split", "csplit"];

/// Whether nothing stays of the files that the command `words` writes.
pub(super) fn replaces(words: &[Word]) -> bool {
    let Some((program, arguments)) = words.split_first() else { return false };
    let appends = |word: &Word| matches!(word.literal.as_deref(), Some("-a" | "--append"));
    match program.literal.as_deref() {
        Some("tee") => !arguments.iter().any(appends),
        Some(name) => REPLACERS.contains(&name),
        None => false,
    }
}

/// What the command `words` reads and what it writes. A word without source stands for files that are not known.
pub(super) fn of(words: &[Word]) -> (Vec<Word>, Vec<Word>) {
    let Some((program, arguments)) = words.split_first() else { return Default::default() };
    let Some(name) = program.literal.as_deref() else { return Default::default() };
    let any = |edits: bool| (Vec::new(), if edits { vec![unknown(program)] } else { Vec::new() });
    let starts = |options: &[&str]| {
        arguments.iter().any(|word| options.iter().any(|o| word.starts_with.starts_with(o)))
    };
    let has_unknown = arguments.iter().any(|word| word.literal.is_none() && !is_plain_operand(word));
    match name {
        "sed" => in_place(program, arguments),
        "git" => git(program, arguments, has_unknown),
        "sort" => any(has_unknown || !reads_only(words)),
        "uniq" => any(!reads_only(words)),
        "find" => any(has_unknown || starts(&["-delete", "-fprint", "-fls", "-exec", "-ok"])),
        "tree" | "dd" | "patch" | "install" | "rsync" | "unzip" | "tar" | "cpio" | "split" | "csplit" => {
            any(!reads_only(words))
        }
        _ => match EDITORS.iter().find(|editor| editor.name == name) {
            Some(editor) => by_operands(editor, program, arguments),
            None => any(false),
        },
    }
}

fn by_operands(editor: &Editor, program: &Word, arguments: &[Word]) -> (Vec<Word>, Vec<Word>) {
    let Some(Given { mut operands, .. }) = options::read(arguments, &[editor.options], Unknown::Refused)
    else {
        return (Vec::new(), vec![unknown(program)]);
    };
    match editor.changes {
        Changes::All => (Vec::new(), operands),
        Changes::AllButFirst => {
            let changed = operands.split_off(operands.len().min(1));
            (Vec::new(), changed)
        }
        Changes::Last => {
            let changed = operands.split_off(operands.len().saturating_sub(1));
            (operands, changed)
        }
    }
}

/// `sed -i` changes its files, and only them if its script does no more than it would without `-i`.
fn in_place(program: &Word, arguments: &[Word]) -> (Vec<Word>, Vec<Word>) {
    let is_in_place = |word: &Word| matches!(word.literal.as_deref(), Some("-i" | "--in-place"));
    let mut without: Vec<Word> = vec![program.clone()];
    without.extend(arguments.iter().filter(|word| !is_in_place(word)).cloned());
    match read_only::reads(&without) {
        Some(files) if arguments.iter().any(is_in_place) => (Vec::new(), files),
        Some(_) => Default::default(),
        None => (Vec::new(), vec![unknown(program)]),
    }
}

/// Stands for files that are not known.
fn unknown(program: &Word) -> Word {
    Word { literal: None, starts_with: String::new(), expansion: Expansion::Any, ..program.clone() }
}

fn git(program: &Word, arguments: &[Word], has_unknown: bool) -> (Vec<Word>, Vec<Word>) {
    let subcommand =
        arguments.iter().filter_map(|word| word.literal.as_deref()).find(|word| !word.starts_with('-'));
    if !subcommand.is_some_and(git_may_write_output) {
        return Default::default();
    }
    // A shortened `--output` counts too.
    let writes = arguments.iter().any(|word| {
        let name = word.starts_with.split('=').next().unwrap_or_default();
        name.len() > 3 && "--output-directory".starts_with(name) || name == "-o"
    });
    (Vec::new(), if writes || has_unknown { vec![unknown(program)] } else { Vec::new() })
}

fn reads_only(words: &[Word]) -> bool {
    read_only::reads(words).is_some()
}

/// A word that, whatever it becomes, is no option.
fn is_plain_operand(word: &Word) -> bool {
    word.expansion != Expansion::Any && !word.starts_with.is_empty() && !word.starts_with.starts_with('-')
}
