//! What a command shows of the files it reads: their names alone, what stands in them, or what a repository kept of them.

use super::literal_words;
use crate::shell::command::Word;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::permissions) enum Shows {
    Names,
    Content,
    /// Of whatever a repository keeps, also of files that are gone.
    History,
    /// Of what it keeps of the files and folders that the command names.
    HistoryOfNamed,
}

/// Programs that show names, sizes and times.
const NAMES: &[&str] = &[
    "ls", "find", "tree", "du", "stat", "pwd", "cd", "test", "[", "echo", "printf", "type", "command",
    "which", "realpath", "readlink", "basename", "dirname", "touch", "mkdir", "rmdir", "rm", "chmod", "true",
    "false", ":",
];

/// Options in front of git's subcommand that take the next word.
const WITH_VALUE: &[&str] = &["-C", "-c", "--git-dir", "--work-tree", "--namespace", "--config-env"];

/// `words` are a program and its arguments, without wrappers in front.
pub(in crate::permissions) fn shows(words: &[Word]) -> Shows {
    let Some((program, arguments)) = words.split_first() else { return Shows::Names };
    match program.literal.as_deref() {
        Some("git") => of_git(arguments),
        Some(name) if NAMES.contains(&name) => Shows::Names,
        Some(_) | None => Shows::Content,
    }
}

fn of_git(arguments: &[Word]) -> Shows {
    let mut front = 0;
    while let Some(option) = arguments.get(front).filter(|word| word.starts_with.starts_with('-')) {
        front += if option.literal.as_deref().is_some_and(|name| WITH_VALUE.contains(&name)) { 2 } else { 1 };
    }
    let rest: Vec<&str> = literal_words(arguments.get(front..).unwrap_or_default()).collect();
    let Some((name, rest)) = rest.split_first() else { return Shows::Names };
    let shows_content = match *name {
        "grep" | "archive" | "format-patch" | "bundle" | "fast-export" | "range-diff" | "difftool" => true,
        "blame" | "annotate" => return Shows::Content,
        "diff" | "diff-index" | "diff-files" | "diff-tree" | "show" | "whatchanged" => {
            asks_for_patch(rest) || !rest.iter().any(|word| is_summary(word))
        }
        "log" | "reflog" | "rev-list" | "stash" => asks_for_patch(rest),
        "status" => rest.iter().any(|word| *word == "--verbose" || has_letter(word, "v")),
        "cat-file" => {
            rest.iter().any(|word| has_letter(word, "p")) || !rest.iter().any(|word| has_letter(word, "tse"))
        }
        _ => false,
    };
    let names_files = arguments.iter().rev().take_while(|word| word.literal.as_deref() != Some("--")).count();
    let is_named = names_files > 0 && names_files < arguments.len();
    match (shows_content, is_named) {
        (false, _) => Shows::Names,
        (true, true) => Shows::HistoryOfNamed,
        (true, false) => Shows::History,
    }
}

/// Options that show lines, of a subcommand that would show names otherwise.
fn asks_for_patch(words: &[&str]) -> bool {
    const LONG: &[&str] = &[
        "--patch",
        "--unified",
        "--word-diff",
        "--color-words",
        "--function-context",
        "--binary",
        "--cc",
        "--check",
        "--diff-merges",
        "--inter-hunk-context",
    ];
    words.iter().any(|word| has_letter(word, "puUSGLcmW") || LONG.iter().any(|long| word.starts_with(long)))
}

fn is_summary(word: &str) -> bool {
    const LONG: &[&str] = &[
        "--stat",
        "--shortstat",
        "--numstat",
        "--name-only",
        "--name-status",
        "--dirstat",
        "--summary",
        "--quiet",
        "--no-patch",
        "--raw",
        "--compact-summary",
    ];
    word == "-s"
        || LONG
            .iter()
            .any(|long| word == *long || word.strip_prefix(long).is_some_and(|rest| rest.starts_with('=')))
}

/// Whether one of these letters is among the short options of `word`.
fn has_letter(word: &str, letters: &str) -> bool {
    word.strip_prefix('-')
        .is_some_and(|rest| !rest.starts_with('-') && rest.contains(|c| letters.contains(c)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shell::command::{Parsed, parse};

    #[track_caller]
    fn check(want: Shows, texts: &[&str]) {
        for text in texts {
            let Parsed::Script(script) = parse(text) else { panic!("{text}") };
            assert_eq!(shows(&script.commands[0].words), want, "{text}");
        }
    }

    #[test]
    fn what_is_shown_depends_on_program_and_options() {
        check(
            Shows::Names,
            &["ls -la", "find . -name x", "stat a", "git status", "git log --oneline -5", "git branch"],
        );
        check(
            Shows::Names,
            &["git diff --stat", "git show --name-only HEAD", "git show -s HEAD", "git cat-file -t HEAD"],
        );
        check(Shows::Content, &["cat a", "grep -r x .", "rg x", "git blame a", "cp -r a b", "python3 x.py"]);
        check(
            Shows::History,
            &[
                "git diff",
                "git show HEAD",
                "git show HEAD:.env",
                "git log -p",
                "git log -Skey",
                "git grep key",
                "git diff --stat -p",
                "git cat-file -p x",
                "git -P diff",
                "git -C sub -c a=b diff",
                "git status -v",
                "git stash show -p",
            ],
        );
        check(Shows::HistoryOfNamed, &["git diff -- src/a.rs", "git log -p HEAD -- src"]);
    }
}
