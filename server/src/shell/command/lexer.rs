//! A command line cut into tokens, as bash cuts it.
//!
//! It knows less of the language than bash does, and says so: whatever it is not sure of is an error, never a guess.

mod heredoc;
mod word;

use std::ops::Range;

use self::heredoc::Heredoc;
use super::token::{Nested, Token, TokenKind};
use super::{Direction, Expansion, Redirection, Word};

/// Why a text was not cut into tokens: a sentence for the person.
pub(super) type Unclear = String;

/// Substitutions inside substitutions.
const DEEPEST: usize = 16;

/// Longest first, so that the first that fits is the one bash takes.
const OPERATORS: &[&str] = &[";;&", "&&", "||", "|&", ";;", ";&", "|", "&", ";", "(", ")"];

/// Longest first. Those that open a file, and the descriptors.
const REDIRECTIONS: &[&str] = &["&>>", "<<<", "<<-", "&>", ">>", ">|", ">&", "<&", "<>", "<<", "<", ">"];

/// All tokens of `text`.
pub(super) fn tokens(text: &str) -> Result<Vec<Token>, Unclear> {
    let mut lexer = Lexer { text, at: 0, end: text.len(), depth: 0, heredocs: Vec::new() };
    let found = lexer.line(Close::End)?;
    Ok(found)
}

/// Where a command line ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Close {
    End,
    Parenthesis,
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
    end: usize,
    depth: usize,
    /// Begun on this line; their bodies follow its end.
    heredocs: Vec<Heredoc>,
}

impl Lexer<'_> {
    /// Everything up to `close`, which is left where it is.
    fn line(&mut self, close: Close) -> Result<Vec<Token>, Unclear> {
        let mut found = Vec::new();
        let mut open = 0_usize;
        loop {
            self.skip_blanks();
            let start = self.at;
            let Some(next) = self.peek() else {
                if close == Close::Parenthesis {
                    return Err("A parenthesis is not closed.".into());
                }
                break;
            };
            if next == '\n' {
                self.at += 1;
                self.bodies()?;
                found.push(Token { kind: TokenKind::Newline, span: start..self.at });
                continue;
            }
            if next == '#' {
                self.skip_comment();
                continue;
            }
            if let Some(operator) = self.operator() {
                match operator {
                    "(" => open += 1,
                    ")" if open == 0 && close == Close::Parenthesis => break,
                    ")" if open == 0 => return Err("A parenthesis is closed that was not opened.".into()),
                    ")" => open -= 1,
                    _ => {}
                }
                self.at += operator.len();
                if operator == "(" && self.peek() == Some('(') {
                    return Err("`((` calculates, which can run commands.".into());
                }
                found.push(Token { kind: TokenKind::Operator(operator), span: start..self.at });
                continue;
            }
            found.push(self.word_or_redirection()?);
        }
        if self.heredocs.is_empty() { Ok(found) } else { Err("A here-document has no text.".into()) }
    }

    fn word_or_redirection(&mut self) -> Result<Token, Unclear> {
        let start = self.at;
        let digits = self.rest().bytes().take_while(u8::is_ascii_digit).count();
        self.at += digits;
        match self.redirection_operator() {
            Some(operator) if digits == 0 || !operator.starts_with('&') => {
                return self.redirection(start, operator);
            }
            Some(_) | None => self.at = start,
        }
        let (word, nested) = self.word()?;
        if self.redirection_operator().is_some() && word.source.ends_with('}') && word.source.starts_with('{')
        {
            return Err("`{name}` in front of a redirection sets a variable.".into());
        }
        Ok(Token { kind: TokenKind::Word(word, nested), span: start..self.at })
    }

    fn redirection(&mut self, start: usize, operator: &str) -> Result<Token, Unclear> {
        self.at += operator.len();
        self.skip_blanks();
        if operator == "<<" || operator == "<<-" {
            let target = self.heredoc_start(operator == "<<-")?;
            let source = self.slice(start..self.at).to_owned();
            let redirection = Redirection { source, direction: Direction::Text, target };
            return Ok(Token { kind: TokenKind::Redirection(redirection, Vec::new()), span: start..self.at });
        }
        let (target, nested) = self.word()?;
        let is_descriptor = target.literal.as_deref().is_some_and(|name| {
            name == "-" || name.trim_end_matches('-').bytes().all(|b| b.is_ascii_digit())
        });
        let direction = match operator {
            "<" => Direction::Read,
            "<<<" => Direction::Text,
            ">&" | "<&" if is_descriptor => Direction::Descriptor,
            "<&" => return Err(format!("`<&{}` does not name a descriptor.", target.source)),
            _ => Direction::Write,
        };
        let source = self.slice(start..self.at).to_owned();
        let redirection = Redirection { source, direction, target };
        Ok(Token { kind: TokenKind::Redirection(redirection, nested), span: start..self.at })
    }

    /// The command line of a substitution that begins at `at`, up to its parenthesis, which is passed.
    fn nested_line(&mut self) -> Result<Nested, Unclear> {
        if self.depth == DEEPEST {
            return Err("Substitutions are nested too deeply.".into());
        }
        let start = self.at;
        let mut inner =
            Lexer { text: self.text, at: start, end: self.end, depth: self.depth + 1, heredocs: Vec::new() };
        let tokens = inner.line(Close::Parenthesis)?;
        let span = start..inner.at;
        self.at = inner.at + 1;
        Ok(Nested { span, tokens })
    }

    /// The command line in backquotes, behind the first of them; passes the second.
    fn backquoted_line(&mut self) -> Result<Nested, Unclear> {
        let Some(length) = self.rest().find('`') else {
            return Err("A backquote is not closed.".into());
        };
        let span = self.at..self.at + length;
        if self.slice(span.clone()).contains('\\') || self.depth == DEEPEST {
            return Err("A backslash in backquotes means something else than outside.".into());
        }
        let mut inner = Lexer {
            text: self.text,
            at: span.start,
            end: span.end,
            depth: self.depth + 1,
            heredocs: Vec::new(),
        };
        let tokens = inner.line(Close::End)?;
        self.at = span.end + 1;
        Ok(Nested { span, tokens })
    }

    /// Blanks, and lines that go on. Only behind a blank is it sure that a line that goes on joins nothing.
    fn skip_blanks(&mut self) {
        loop {
            let rest = self.rest();
            let blanks = rest.len() - rest.trim_start_matches([' ', '\t']).len();
            self.at += blanks;
            let behind_blank = self.slice(0..self.at).ends_with([' ', '\t', '\n']);
            if !(behind_blank && self.rest().starts_with("\\\n")) {
                return;
            }
            self.at += 2;
        }
    }

    fn skip_comment(&mut self) {
        let rest = self.rest();
        self.at += rest.find('\n').unwrap_or(rest.len());
    }

    /// The operator that stands at `at`. A redirection is none, and neither is `<(`.
    fn operator(&self) -> Option<&'static str> {
        if self.redirection_operator().is_some() {
            return None;
        }
        OPERATORS.iter().find(|operator| self.rest().starts_with(**operator)).copied()
    }

    fn redirection_operator(&self) -> Option<&'static str> {
        let rest = self.rest();
        if rest.starts_with("<(") || rest.starts_with(">(") {
            return None;
        }
        REDIRECTIONS.iter().find(|operator| rest.starts_with(**operator)).copied()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn rest(&self) -> &str {
        self.slice(self.at..self.end)
    }

    fn slice(&self, range: Range<usize>) -> &str {
        self.text.get(range).unwrap_or_default()
    }
}

/// A word of which nothing is known.
fn unknown(source: &str) -> Word {
    Word { source: source.to_owned(), literal: None, starts_with: String::new(), expansion: Expansion::Any }
}
