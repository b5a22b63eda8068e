//! The commands that a text which is not understood seems to hold: good enough to refuse, never to allow.

use super::token::{Token, TokenKind};
use super::{Expansion, Join, Place, SimpleCommand, Word};

/// From tokens, of which it is not known how they are joined.
pub(super) fn from_tokens(tokens: &[Token]) -> Vec<SimpleCommand> {
    let mut found = Vec::new();
    for run in tokens.split(Token::ends_command) {
        let mut words = Vec::new();
        for token in run {
            if let TokenKind::Word(word, _) = &token.kind {
                words.push(word.clone());
            }
        }
        found.extend(in_braces(&words));
        found.extend(command(words));
    }
    for nested in tokens.iter().flat_map(Token::nested) {
        found.extend(from_tokens(&nested.tokens));
    }
    found
}

/// From a text that can't even be cut into tokens.
pub(super) fn from_text(text: &str) -> Vec<SimpleCommand> {
    let readable: String = text.chars().take(super::LONGEST).collect();
    let ends = |c: char| ";&|()`\n\r".contains(c);
    readable
        .split(ends)
        .filter_map(|piece| {
            let bare = piece.replace(['\'', '"', '\\'], "");
            let words = bare.split_whitespace().map(|word| Word {
                source: word.to_owned(),
                literal: Some(word.to_owned()),
                starts_with: word.to_owned(),
                // Whether it is this word, and the only one, is not sure.
                expansion: Expansion::Any,
            });
            command(words.collect())
        })
        .collect()
}

/// What stands behind a brace in a command, which may be the first of a group: `coproc NAME { …`, `function f { …`.
fn in_braces(words: &[Word]) -> Option<SimpleCommand> {
    let brace = words.iter().rposition(|word| word.source == "{").filter(|at| *at > 0)?;
    command(words.get(brace..)?.to_vec())
}

/// A command of `words`, whatever keywords stand in front of its program.
fn command(words: Vec<Word>) -> Option<SimpleCommand> {
    const IN_FRONT: &[&str] = &["!", "{", "coproc", "do", "elif", "else", "if", "then", "until", "while"];
    let words: Vec<Word> =
        words.into_iter().skip_while(|word| IN_FRONT.contains(&word.source.as_str())).collect();
    if words.is_empty() {
        return None;
    }
    let sources: Vec<&str> = words.iter().map(|word| word.source.as_str()).collect();
    Some(SimpleCommand {
        source: sources.join(" "),
        words,
        assignments: Vec::new(),
        redirections: Vec::new(),
        place: Place { join: Join::First, depth: 0, repeats: false, substitution: false },
    })
}
