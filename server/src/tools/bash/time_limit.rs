//! What becomes of a command that takes longer than it may.

use crate::shell::command::{Parsed, parse};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AtLimit {
    /// It goes on, and the model can look after it.
    Background,
    Stop,
}

/// A command that merely waits is ended, and so is one that may hold a lock of the repository, or that nobody can read.
pub(super) fn at_limit(command: &str) -> AtLimit {
    let Parsed::Script(script) = parse(command) else { return AtLimit::Stop };
    let waits = script.commands.first().and_then(|first| first.program()) == Some("sleep");
    let is_git = |word: &str| word == "git" || word.ends_with("/git");
    let words = script.commands.iter().flat_map(|command| &command.words);
    let has_git = words.into_iter().any(|word| word.literal.as_deref().is_some_and(is_git));
    if waits || has_git { AtLimit::Stop } else { AtLimit::Background }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_nobody_can_read_is_stopped() {
        assert_eq!(at_limit("if ((("), AtLimit::Stop);
        assert_eq!(at_limit("sleep 1000"), AtLimit::Stop);
        assert_eq!(at_limit("cargo build && git push"), AtLimit::Stop);
    }
}
