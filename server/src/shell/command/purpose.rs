//! What a command line is for, so that a client can fold what merely looked.

use super::{Direction, Parsed, SimpleCommand, parse};

/// What a command that changes nothing to be told of does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    Search,
    Read,
    List,
}

const SEARCH: &[&str] = &["find", "grep", "egrep", "fgrep", "rg", "ag", "ack", "locate", "which", "whereis"];
const READ: &[&str] = &[
    "cat", "head", "tail", "less", "more", "wc", "stat", "file", "strings", "jq", "awk", "cut", "sort",
    "uniq", "tr",
];
const LIST: &[&str] = &["ls", "tree", "du"];
const NEUTRAL: &[&str] = &["echo", "printf", "true", "false", ":"];

/// `None` unless every command of `text` that counts searches, reads or lists. One that searches makes it a search, one
/// that reads makes it reading. For display only: nothing is allowed by it.
pub fn purpose(text: &str) -> Option<Purpose> {
    let Parsed::Script(script) = parse(text) else { return None };
    let mut found = Vec::new();
    for command in &script.commands {
        let program = command.program().filter(|_| !writes(command))?;
        if !NEUTRAL.contains(&program) {
            found.push(of_program(program)?);
        }
    }
    [Purpose::Search, Purpose::Read, Purpose::List].into_iter().find(|purpose| found.contains(purpose))
}

fn of_program(program: &str) -> Option<Purpose> {
    [(SEARCH, Purpose::Search), (READ, Purpose::Read), (LIST, Purpose::List)]
        .into_iter()
        .find_map(|(programs, purpose)| programs.contains(&program).then_some(purpose))
}

fn writes(command: &SimpleCommand) -> bool {
    command.redirections.iter().any(|redirection| {
        redirection.direction == Direction::Write
            && redirection.target.literal.as_deref() != Some("/dev/null")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, want: Option<Purpose>) {
        assert_eq!(purpose(text), want, "{text}");
    }

    #[test]
    fn every_command_that_counts_has_to() {
        check("grep -rn x src | head -5", Some(Purpose::Search));
        check("cat a && echo --- && wc -l b", Some(Purpose::Read));
        check("ls; ls src 2>/dev/null", Some(Purpose::List));
        check("ls $(which cargo)", Some(Purpose::Search));
        check("cat a | tee b", None);
        check("cat a > b", None);
        check("cd x && ls", None);
        check("echo a", None);
        check("ls (", None);
    }
}
