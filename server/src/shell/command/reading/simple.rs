//! A simple command put together from its tokens.

use crate::shell::command::lexer::Unclear;
use crate::shell::command::token::{Token, TokenKind};
use crate::shell::command::{Assignment, Place, SimpleCommand, Word};

/// Words that are no programs where a program is named, but for `time`, which is read as a wrapper.
const KEYWORDS: &[&str] = &[
    "!", "[[", "]]", "case", "coproc", "do", "done", "elif", "else", "esac", "fi", "for", "function", "if",
    "in", "select", "then", "until", "while", "{", "}",
];

/// Whether `token` is spelled as a keyword is.
pub(super) fn is_keyword(token: &Token) -> bool {
    matches!(&token.kind, TokenKind::Word(word, _) if KEYWORDS.contains(&word.source.as_str()))
}

/// The command that `tokens` are, none of which ends one.
pub(super) fn simple_command(source: &str, tokens: &[Token], place: Place) -> Result<SimpleCommand, Unclear> {
    let source = source.to_owned();
    let (words, assignments, redirections) = (Vec::new(), Vec::new(), Vec::new());
    let mut command = SimpleCommand { source, words, assignments, redirections, place };
    for token in tokens {
        match &token.kind {
            TokenKind::Redirection(redirection, _) => command.redirections.push(redirection.clone()),
            TokenKind::Word(word, _) if command.words.is_empty() => match assignment(word)? {
                Some(assignment) => command.assignments.push(assignment),
                None => command.words.push(word.clone()),
            },
            TokenKind::Word(word, _) => command.words.push(word.clone()),
            TokenKind::Operator(_) | TokenKind::Newline => {
                return Err("A command goes on behind its end.".into());
            }
        }
    }
    let program = command.words.first().map_or("", |word| word.source.as_str());
    if KEYWORDS.contains(&program) {
        return Err(format!("`{program}` stands where a program is named."));
    }
    Ok(command)
}

/// `word` as an assignment in front of a program, if it is one.
fn assignment(word: &Word) -> Result<Option<Assignment>, Unclear> {
    let source = word.source.as_str();
    let length = source.bytes().take_while(|b| b.is_ascii_alphanumeric() || *b == b'_').count();
    let (name, behind) = source.split_at_checked(length).unwrap_or_default();
    if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
        return Ok(None);
    }
    if behind.starts_with('[') {
        return Err("It may set a part of an array, whose place is calculated.".into());
    }
    let Some(value) = behind.strip_prefix("+=").or_else(|| behind.strip_prefix('=')) else {
        return Ok(None);
    };
    let known = word.starts_with.get(source.len() - value.len()..).unwrap_or_default();
    Ok(Some(Assignment {
        name: name.to_owned(),
        appends: behind.starts_with('+'),
        value: Word {
            source: value.to_owned(),
            literal: word.literal.as_ref().map(|_| known.to_owned()),
            starts_with: known.to_owned(),
            // An assigned value is neither split nor made file names.
            expansion: crate::shell::command::Expansion::One,
        },
    }))
}
