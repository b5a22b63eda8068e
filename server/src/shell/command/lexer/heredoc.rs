//! Here-documents: the delimiter behind `<<`, and the text after the end of the line.

use super::word::is_plain_parameter;
use super::{Lexer, Unclear};
use crate::shell::command::{Expansion, Word};

/// One that is begun and not yet read.
pub(super) struct Heredoc {
    delimiter: String,
    /// `<<-`: tabs in front of each line don't count.
    strips_tabs: bool,
    /// The delimiter is quoted: nothing is expanded in the text.
    is_literal: bool,
}

impl Lexer<'_> {
    /// Reads the delimiter, which has to be a plain name, quoted whole or not at all.
    pub(super) fn heredoc_start(&mut self, strips_tabs: bool) -> Result<Word, Unclear> {
        let (word, _) = self.word()?;
        let quoted = word.source.starts_with(['\'', '"']);
        let name = word.source.trim_matches(['\'', '"']);
        let is_plain =
            !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
        let whole = word.literal.as_deref() == Some(name)
            && word.source.len() == name.len() + if quoted { 2 } else { 0 };
        if !is_plain || !whole {
            return Err(format!("The here-document's delimiter {} is unusual.", word.source));
        }
        self.heredocs.push(Heredoc { delimiter: name.to_owned(), strips_tabs, is_literal: quoted });
        Ok(Word { expansion: Expansion::One, ..word })
    }

    /// Passes the texts of all here-documents that were begun on the line that just ended.
    pub(super) fn bodies(&mut self) -> Result<(), Unclear> {
        for heredoc in std::mem::take(&mut self.heredocs) {
            loop {
                let rest = self.rest();
                if rest.is_empty() {
                    return Err(format!(
                        "The here-document does not end: no line says {}.",
                        heredoc.delimiter
                    ));
                }
                let length = rest.find('\n').unwrap_or(rest.len());
                let line = &rest[..length];
                let told = if heredoc.strips_tabs { line.trim_start_matches('\t') } else { line };
                if told == heredoc.delimiter {
                    self.at += length;
                    // The end of this line ends the command too; the last of several texts leaves it.
                    break;
                }
                if !heredoc.is_literal {
                    expands_plainly(line)?;
                }
                self.at += (length + 1).min(rest.len());
            }
            if self.peek() == Some('\n') {
                self.at += 1;
            }
        }
        Ok(())
    }
}

/// Nothing in it is run, it is one line, and of variables it holds no more than the values.
fn expands_plainly(line: &str) -> Result<(), Unclear> {
    const RUNS: &str = "Its here-document runs commands, since the delimiter is not quoted.";
    let mut rest = line;
    while let Some(at) = rest.find(['\\', '`', '$']) {
        let (sign, behind) = rest.get(at..).unwrap_or_default().split_at(1);
        rest = match sign {
            "`" => return Err(RUNS.into()),
            "\\" if behind.is_empty() => {
                return Err("A line of its here-document goes on in the next.".into());
            }
            "\\" => behind.strip_prefix(['$', '`', '\\']).unwrap_or(behind),
            _ if behind.starts_with(['(', '[']) => return Err(RUNS.into()),
            _ => match behind.strip_prefix('{') {
                None => behind,
                Some(inside) => match inside.split_once('}') {
                    Some((parameter, behind)) if is_plain_parameter(parameter) => behind,
                    Some(_) | None => {
                        return Err("`${…}` in its here-document does more than to name a variable.".into());
                    }
                },
            },
        };
    }
    Ok(())
}
