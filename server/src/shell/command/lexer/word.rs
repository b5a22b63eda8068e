//! One word: its quotes taken off, its expansions found.

use super::{Lexer, Unclear, unknown};
use crate::shell::command::token::Nested;
use crate::shell::command::{Expansion, Word};

const JOINED: &str = "A line that goes on joins two halves of a word.";

/// What is known of a word so far.
#[derive(Default)]
struct Known {
    /// Up to the first thing that is not known.
    start: String,
    is_whole: bool,
    several: Option<Expansion>,
    nested: Vec<Nested>,
    /// An unquoted `{`, and behind it an unquoted `,` or `..`.
    braces: Braces,
}

#[derive(Default, PartialEq, Eq)]
enum Braces {
    #[default]
    None,
    Open,
    Expand,
}

impl Known {
    fn push(&mut self, c: char) {
        if self.is_whole {
            self.start.push(c);
        }
    }

    /// What follows is not known, and stays inside this word.
    fn hide(&mut self) {
        self.is_whole = false;
    }

    fn become_several(&mut self, expansion: Expansion) {
        self.is_whole = false;
        if self.several != Some(Expansion::Any) {
            self.several = Some(expansion);
        }
    }
}

impl Lexer<'_> {
    /// The word at `at`, and the command lines in it.
    pub(super) fn word(&mut self) -> Result<(Word, Vec<Nested>), Unclear> {
        let start = self.at;
        let mut known = Known { is_whole: true, ..Known::default() };
        if let Some(word) = self.tilde() {
            known.start.push_str(word);
            known.hide();
        }
        while let Some(c) = self.peek() {
            match c {
                ' ' | '\t' | '\n' | ';' | '&' | '|' | ')' => break,
                '<' | '>' => {
                    if !self.process_substitution(&mut known)? {
                        break;
                    }
                }
                '(' => return Err("A parenthesis inside a word: an array, a pattern or a function.".into()),
                '\\' => self.backslash(&mut known)?,
                '\'' => self.single_quotes(&mut known)?,
                '"' => self.double_quotes(&mut known)?,
                '`' => {
                    self.at += 1;
                    known.nested.push(self.backquoted_line()?);
                    known.become_several(Expansion::Any);
                }
                '$' => self.dollar(&mut known, Quotes::None)?,
                _ => self.plain(c, &mut known),
            }
        }
        let source = self.slice(start..self.at).to_owned();
        if source.is_empty() {
            return Err("A redirection has no target.".into());
        }
        if !self.heredocs.is_empty() && source.contains('\n') {
            return Err("A line ends inside a word while a here-document is open.".into());
        }
        if known.braces == Braces::Expand {
            return Ok((unknown(&source), known.nested));
        }
        let literal = known.is_whole.then(|| known.start.clone());
        let expansion = known.several.unwrap_or(Expansion::One);
        let starts_with = known.start;
        Ok((Word { source, literal, starts_with, expansion }, known.nested))
    }

    /// A home folder at the start of a word: passes the `~`, and says what the word then begins with.
    fn tilde(&mut self) -> Option<&'static str> {
        let behind = self.rest().strip_prefix('~')?;
        let is_own = behind.is_empty() || behind.starts_with(['/', ' ', '\t', '\n', ';', '&', '|', ')']);
        self.at += 1;
        Some(if is_own { "/" } else { "" })
    }

    /// A character without a meaning of its own, or one that makes a pattern or a list of the word.
    fn plain(&mut self, c: char, known: &mut Known) {
        let ends_word =
            |rest: &str| rest.is_empty() || rest.starts_with([' ', '\t', '\n', ';', '&', '|', ')']);
        let behind = &self.rest()[c.len_utf8()..];
        match c {
            '*' | '?' => known.become_several(Expansion::Names),
            // Alone it is the name of a program.
            '[' if !(known.start.is_empty() && ends_word(behind)) => known.become_several(Expansion::Names),
            '{' => known.braces = Braces::Open,
            ',' if known.braces == Braces::Open => known.braces = Braces::Expand,
            '.' if known.braces == Braces::Open && behind.starts_with('.') => known.braces = Braces::Expand,
            // A home folder, as in an assignment.
            '~' if known.start.ends_with(['=', ':']) => known.hide(),
            _ => {}
        }
        known.push(c);
        self.at += c.len_utf8();
    }

    fn backslash(&mut self, known: &mut Known) -> Result<(), Unclear> {
        self.at += 1;
        match self.peek() {
            None => return Err("A backslash at the end.".into()),
            Some('\n') => return Err(JOINED.into()),
            Some(c) => {
                known.push(c);
                self.at += c.len_utf8();
            }
        }
        Ok(())
    }

    fn single_quotes(&mut self, known: &mut Known) -> Result<(), Unclear> {
        self.at += 1;
        let Some(length) = self.rest().find('\'') else {
            return Err("A quote is not closed.".into());
        };
        for c in self.slice(self.at..self.at + length).to_owned().chars() {
            known.push(c);
        }
        self.at += length + 1;
        Ok(())
    }

    fn double_quotes(&mut self, known: &mut Known) -> Result<(), Unclear> {
        self.at += 1;
        loop {
            match self.peek() {
                None => return Err("A double quote is not closed.".into()),
                Some('"') => {
                    self.at += 1;
                    return Ok(());
                }
                Some('`') => {
                    self.at += 1;
                    let nested = self.backquoted_line()?;
                    if self.slice(nested.span.clone()).contains('"') {
                        return Err("Double quotes in backquotes in double quotes.".into());
                    }
                    known.nested.push(nested);
                    known.hide();
                }
                Some('$') => self.dollar(known, Quotes::Double)?,
                Some('\\') => {
                    self.at += 1;
                    match self.peek() {
                        Some('\n') => return Err(JOINED.into()),
                        Some(c @ ('$' | '`' | '"' | '\\')) => {
                            known.push(c);
                            self.at += 1;
                        }
                        _ => known.push('\\'),
                    }
                }
                Some(c) => {
                    known.push(c);
                    self.at += c.len_utf8();
                }
            }
        }
    }

    /// An expansion, or a dollar sign that is none.
    fn dollar(&mut self, known: &mut Known, quotes: Quotes) -> Result<(), Unclear> {
        self.at += 1;
        let rest = self.rest();
        let unquoted = quotes == Quotes::None;
        let next = rest.chars().next();
        if let Some(sum) = rest.strip_prefix("((") {
            let length = sum.find("))").filter(|length| is_sum(&sum[..*length]));
            let Some(length) = length else {
                return Err("`$((` calculates with names, which can run commands.".into());
            };
            self.at += length + 4;
            known.hide();
            return Ok(());
        }
        match next {
            Some('(') => {
                self.at += 1;
                known.nested.push(self.nested_line()?);
            }
            Some('{') => {
                let length = rest.find('}').unwrap_or(0);
                if !is_plain_parameter(rest.get(1..length).unwrap_or_default()) {
                    return Err("`${…}` does more than to name a variable.".into());
                }
                if rest.get(1..length) == Some("@") {
                    known.become_several(Expansion::Any);
                }
                self.at += length + 1;
            }
            Some('[') => return Err("`$[` calculates, which can run commands.".into()),
            Some('\'' | '"') if unquoted => {
                return Err("`$'…'` and `$\"…\"` spell text in a way of their own.".into());
            }
            Some(c) if c.is_ascii_alphabetic() || c == '_' => {
                self.at += rest.bytes().take_while(|b| b.is_ascii_alphanumeric() || *b == b'_').count();
            }
            Some(c) if c.is_ascii_digit() || "@*#?-$!".contains(c) => {
                self.at += 1;
                if c == '@' {
                    known.become_several(Expansion::Any);
                }
            }
            _ => {
                known.push('$');
                return Ok(());
            }
        }
        if unquoted {
            known.become_several(Expansion::Any);
        } else {
            known.hide();
        }
        Ok(())
    }

    /// `<(…)` or `>(…)`, which becomes the name of a descriptor; `false` if a redirection stands here.
    fn process_substitution(&mut self, known: &mut Known) -> Result<bool, Unclear> {
        if !(self.rest().starts_with("<(") || self.rest().starts_with(">(")) {
            return Ok(false);
        }
        self.at += 2;
        known.nested.push(self.nested_line()?);
        for c in "/dev/fd/".chars() {
            known.push(c);
        }
        known.hide();
        Ok(true)
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Quotes {
    None,
    Double,
}

/// A sum of numbers: no name, since a name's value can be a text that is run.
fn is_sum(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_digit() || " +-*/%".contains(c))
}

/// The inside of `${…}`: a name, or a name with a plain default or a plain piece to cut off.
pub(super) fn is_plain_parameter(inside: &str) -> bool {
    if matches!(inside, "@" | "*" | "#" | "?" | "-" | "$" | "!") {
        return true;
    }
    let inside = inside.strip_prefix('#').unwrap_or(inside);
    let name = inside.bytes().take_while(|b| b.is_ascii_alphanumeric() || *b == b'_').count();
    let Some(more) = inside.get(name..) else { return false };
    if name == 0 {
        return false;
    }
    if more.is_empty() {
        return true;
    }
    let operand =
        [":-", ":+", "%%", "##", "-", "+", "%", "#"].iter().find_map(|sign| more.strip_prefix(sign));
    operand.is_some_and(|text| text.chars().all(|c| c.is_ascii_alphanumeric() || "_./*?-".contains(c)))
}
