//! Exit codes that are an answer and no failure.

use super::{Join, Parsed, SimpleCommand, parse};

/// Programs that exit with 1 to say "nothing found", "they differ" or "not so".
const ANSWERING: &[&str] = &["grep", "rg", "egrep", "fgrep", "find", "diff", "test", "["];

/// Subcommands of git that do.
const ANSWERING_OF_GIT: &[&str] = &["diff", "grep"];

/// Whether `text` that ended with `code` may well have done what it should: 1, where every command that can have decided the
/// code answers with it.
pub fn is_benign_exit(text: &str, code: i32) -> bool {
    if code == 0 {
        return true;
    }
    let Parsed::Script(script) = parse(text) else { return false };
    let own: Vec<&SimpleCommand> =
        script.commands.iter().filter(|command| !command.place.substitution).collect();
    let deciding = deciding(&own);
    code == 1
        && !deciding.is_empty()
        && deciding.iter().all(|command| command.place.depth == 0 && answers(command))
}

/// The last command of the last pipeline, and those whose result lets a later one be skipped.
fn deciding<'a>(commands: &[&'a SimpleCommand]) -> Vec<&'a SimpleCommand> {
    let mut found = Vec::new();
    let mut ends_pipeline = true;
    for command in commands.iter().rev() {
        if ends_pipeline {
            found.push(*command);
        }
        match command.place.join {
            Join::Pipe => ends_pipeline = false,
            Join::And | Join::Or => ends_pipeline = true,
            Join::First | Join::Next => break,
        }
    }
    found
}

fn answers(command: &SimpleCommand) -> bool {
    match command.program() {
        // A folder that is not there is told in the output.
        Some("cd") => true,
        Some("git") => {
            let subcommand = command.words.get(1).and_then(|word| word.literal.as_deref());
            subcommand.is_some_and(|name| ANSWERING_OF_GIT.contains(&name))
        }
        Some(program) => ANSWERING.contains(&program),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(code: i32, benign: &[&str], failed: &[&str]) {
        for text in benign {
            assert!(is_benign_exit(text, code), "{text}");
        }
        for text in failed {
            assert!(!is_benign_exit(text, code), "{text}");
        }
    }

    #[test]
    fn one_is_an_answer_of_those_that_ask() {
        check(
            1,
            &[
                "grep x f",
                "rg x",
                "egrep x f",
                "fgrep x f",
                "find . -name x",
                "diff a b",
                "test -f x",
                "[ -f x ]",
                "git diff --exit-code",
                "git grep x",
                "cat f | grep x",
                "cd src && grep x f",
                "make; grep x f",
                "grep $(cat p) f",
            ],
            &[
                "cargo test",
                "grep x f | cargo fmt",
                "cargo test && grep x f",
                "grep x f; false",
                "git push",
                "(grep x f)",
                "grep (",
            ],
        );
        check(2, &[], &["grep x f", "git diff"]);
        check(0, &["cargo test", "("], &[]);
    }
}
