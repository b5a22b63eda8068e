//! Instructions in a comment, such as `// copydesk: make this async`: what is asked, and about which lines.

mod syntax;

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use crate::documents::Text;
use syntax::CommentSyntax;

/// An instruction that stands in a comment. Lines are zero-based and half-open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Marker {
    pub instruction: String,
    /// The lines of the comment itself.
    pub comment: Range<usize>,
    /// What it is about: the line it ends, or the block of code below it; with the comment's own lines.
    pub about: Range<usize>,
}

/// Where the name stands in a comment; case does not matter, and `@copydesk` is fine too.
static MARK: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"(?i)^\s*@?copydesk:\s*(.*)$").ok());

/// Looking further up for the start of a block comment would cost more than it finds.
const LONGEST_COMMENT: usize = 12;

/// The marker comment on `line` of a file in `language` (LSP language id), known by `file_name` where the id says nothing.
pub fn marker_at(text: &Text, language: &str, file_name: &str, line: usize) -> Option<Marker> {
    let syntax = syntax::of(language, file_name)?;
    let (instruction, comment, alone) =
        in_line_comment(text, &syntax, line).or_else(|| in_block_comment(text, &syntax, line))?;
    let about = if alone { comment.start..block_below(text, comment.end) } else { comment.clone() };
    Some(Marker { instruction, comment, about })
}

type Found = (String, Range<usize>, bool);

fn in_line_comment(text: &Text, syntax: &CommentSyntax, line: usize) -> Option<Found> {
    let content = text.line(line);
    let content = content.trim_end();
    let (before, comment) = syntax.line.iter().find_map(|token| split_at_comment(content, token))?;
    // `///` and `;;;` are comments too.
    let instruction = instruction(comment.trim_start_matches(['/', '#', ';', '-', '%', '!', '*', '"']))?;
    Some((instruction, line..line + 1, before.trim().is_empty()))
}

/// A block comment that begins on `line` or shortly above and holds `line`.
fn in_block_comment(text: &Text, syntax: &CommentSyntax, line: usize) -> Option<Found> {
    let (open, close) = syntax.block?;
    let first =
        (line.saturating_sub(LONGEST_COMMENT)..=line).rev().find(|&at| text.line(at).contains(open))?;
    let content = text.line(first);
    let (before, opened) = split_at_comment(content.trim_end_matches(['\r', '\n']), open)?;
    let mut comment = String::new();
    let mut rest = opened.to_owned();
    for last in first..first + LONGEST_COMMENT {
        if let Some((inside, _)) = rest.split_once(close) {
            comment.push_str(inside);
            let whole = first..last + 1;
            let instruction = instruction(&one_line(&comment))?;
            return whole.contains(&line).then_some((instruction, whole, before.trim().is_empty()));
        }
        comment.push_str(&rest);
        comment.push('\n');
        if last + 1 >= text.line_count() {
            return None;
        }
        text.line(last + 1).trim_end_matches(['\r', '\n']).clone_into(&mut rest);
    }
    None
}

/// What stands before and after `token`, unless it stands in a string that began on the same line.
fn split_at_comment<'a>(line: &'a str, token: &str) -> Option<(&'a str, &'a str)> {
    let mut from = 0;
    while let Some(at) = line.get(from..)?.find(token).map(|at| from + at) {
        let (before, rest) = (line.get(..at)?, line.get(at + token.len()..)?);
        // A word such as REM must not be the end of another.
        let is_word = token.starts_with(|char: char| char.is_alphabetic());
        let within_word = is_word && before.ends_with(|char: char| char.is_alphanumeric());
        if !in_string(before) && !within_word {
            return Some((before, rest));
        }
        from = at + token.len();
    }
    None
}

/// An odd number of quotes is open. A lone `'` is an apostrophe or a lifetime in too many languages to count.
fn in_string(before: &str) -> bool {
    let mut open = false;
    let mut escaped = false;
    for char in before.chars() {
        match char {
            '\\' if !escaped => {
                escaped = true;
                continue;
            }
            '"' if !escaped => open = !open,
            _ => {}
        }
        escaped = false;
    }
    open
}

fn instruction(comment: &str) -> Option<String> {
    let found = MARK.as_ref()?.captures(comment)?.get(1)?.as_str().trim();
    (!found.is_empty()).then(|| found.to_owned())
}

/// Lines joined by blanks, without the stars that some write at their beginning.
fn one_line(comment: &str) -> String {
    comment
        .lines()
        .map(|line| line.trim().trim_start_matches('*').trim())
        .filter(|line| !line.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

/// End of the code that begins at or after `line`: its first line and all that belongs to it by indent, with the line
/// that closes it.
fn block_below(text: &Text, line: usize) -> usize {
    let count = text.line_count();
    let Some(first) = (line..count).take(3).find(|&at| !is_blank(text, at)) else { return line };
    let base = indent(text, first);
    let mut end = first + 1;
    for at in first + 1..count {
        if is_blank(text, at) {
            continue;
        }
        let closes = indent(text, at) == base && text.line(at).trim_start().starts_with(['}', ')', ']']);
        let closes = closes || (indent(text, at) == base && text.line(at).trim_start().starts_with("end"));
        if closes {
            return at + 1;
        }
        // An opening brace on its own line begins the block that the line above names.
        let opens = at == first + 1 && indent(text, at) == base && text.line(at).trim() == "{";
        if indent(text, at) <= base && !opens {
            break;
        }
        end = at + 1;
    }
    end
}

fn is_blank(text: &Text, line: usize) -> bool {
    text.line(line).trim().is_empty()
}

fn indent(text: &Text, line: usize) -> usize {
    let line = text.line(line);
    line.len() - line.trim_start().len()
}

#[cfg(test)]
mod tests;
