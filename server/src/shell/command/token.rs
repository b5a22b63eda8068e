//! The tokens of a command line: what the shell sees before it knows of commands.

use std::ops::Range;

use super::{Redirection, Word};

/// A piece of the text between blanks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) span: Range<usize>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// Keywords too: which words are keywords depends on where they stand.
    Word(Word, Vec<Nested>),
    Redirection(Redirection, Vec<Nested>),
    /// `;`, `&&`, `(` and their like.
    Operator(&'static str),
    /// The end of a line, with the here-documents that follow it.
    Newline,
}

/// A command line inside a word: of `$(…)`, backquotes, `<(…)` or `>(…)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Nested {
    /// Between the parentheses or backquotes.
    pub(super) span: Range<usize>,
    pub(super) tokens: Vec<Token>,
}

impl Token {
    /// The command lines inside it.
    pub(super) fn nested(&self) -> &[Nested] {
        match &self.kind {
            TokenKind::Word(_, nested) | TokenKind::Redirection(_, nested) => nested,
            TokenKind::Operator(_) | TokenKind::Newline => &[],
        }
    }

    /// Whether it is `<<` with its delimiter; the text follows the end of the line.
    pub(super) fn begins_heredoc(&self) -> bool {
        let TokenKind::Redirection(redirection, _) = &self.kind else { return false };
        let operator = redirection.source.trim_start_matches(|c: char| c.is_ascii_digit());
        operator.starts_with("<<") && !operator.starts_with("<<<")
    }

    /// Whether a simple command can't go past it.
    pub(super) fn ends_command(&self) -> bool {
        matches!(self.kind, TokenKind::Operator(_) | TokenKind::Newline)
    }
}
