//! A line and its parts: indent, words, trailing blanks and line break.

use std::ops::Range;

use crate::documents::{Change, Text};

/// One line of a text whose lines are separated, not terminated: the last one has no break.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Line {
    pub(super) text: String,
    pub(super) end: End,
}

/// The break after a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum End {
    /// The line is the last of its text. It says nothing about line breaks, so it agrees with any.
    None,
    Lf,
    CrLf,
    Cr,
}

impl End {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Lf => "\n",
            Self::CrLf => "\r\n",
            Self::Cr => "\r",
        }
    }

    /// Itself, or `other` where there is none.
    pub(super) fn or(self, other: Self) -> Self {
        if self == Self::None { other } else { self }
    }

    fn agrees(self, other: Self) -> bool {
        self == other || self == Self::None || other == Self::None
    }
}

impl Line {
    /// `whole` with its line break.
    pub(super) fn new(whole: &str) -> Self {
        let (text, end) = if let Some(text) = whole.strip_suffix("\r\n") {
            (text, End::CrLf)
        } else if let Some(text) = whole.strip_suffix('\n') {
            (text, End::Lf)
        } else if let Some(text) = whole.strip_suffix('\r') {
            (text, End::Cr)
        } else {
            (whole, End::None)
        };
        Self { text: text.to_owned(), end }
    }

    /// The same words, blanks and break. A missing break is no difference: it belongs to whatever follows the line.
    pub(super) fn same(&self, other: &Self) -> bool {
        self.text == other.text && self.end.agrees(other.end)
    }

    pub(super) fn is_blank(&self) -> bool {
        self.text.trim().is_empty()
    }

    /// Indent, words and trailing blanks. A blank line is all trailing blanks.
    fn parts(&self) -> [&str; 3] {
        let words = self.text.trim_start();
        if words.is_empty() {
            return ["", "", &self.text];
        }
        let indent = self.text.strip_suffix(words).unwrap_or_default();
        let trimmed = words.trim_end();
        [indent, trimmed, words.strip_prefix(trimmed).unwrap_or_default()]
    }

    /// The line with what `mine` and `theirs` each changed of it, part by part; nothing if both changed one part.
    pub(super) fn merge(&self, mine: &Self, theirs: &Self) -> Option<Self> {
        let mut text = String::with_capacity(mine.text.len());
        for ((base, mine), theirs) in self.parts().into_iter().zip(mine.parts()).zip(theirs.parts()) {
            text.push_str(if base == theirs || mine == theirs {
                mine
            } else if base == mine {
                theirs
            } else {
                return None;
            });
        }
        let end = if self.end.agrees(theirs.end) || mine.end == theirs.end {
            mine.end.or(theirs.end)
        } else if self.end.agrees(mine.end) {
            theirs.end
        } else {
            return None;
        };
        Some(Self { text, end })
    }
}

/// Both lists hold the same lines.
pub(super) fn same(a: &[Line], b: &[Line]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.same(b))
}

/// The same words whatever the line breaks: how an editor that owns the line ends echoes an edit.
pub(super) fn same_words(a: &[Line], b: &[Line]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.text == b.text)
}

/// Some lines of a text.
pub(super) fn read(text: &Text, lines: Range<usize>) -> Vec<Line> {
    if lines.is_empty() {
        return Vec::new();
    }
    let mut read = split(&text.slice(text.line_start(lines.start)..text.line_start(lines.end)));
    if lines.end < text.line_count() {
        // What follows the last break is the next line's beginning.
        read.pop();
    }
    read
}

/// The lines of `text`; at least one.
pub(super) fn split(text: &str) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(['\n', '\r']) {
        let (head, tail) = rest.split_at(at);
        let width = if tail.starts_with("\r\n") { 2 } else { 1 };
        let (end, tail) = tail.split_at(width);
        lines.push(Line {
            text: head.to_owned(),
            end: match end {
                "\r\n" => End::CrLf,
                "\r" => End::Cr,
                _ => End::Lf,
            },
        });
        rest = tail;
    }
    lines.push(Line { text: rest.to_owned(), end: End::None });
    lines
}

/// The lines with their breaks.
pub(super) fn joined(lines: &[Line]) -> String {
    lines.iter().flat_map(|line| [line.text.as_str(), line.end.as_str()]).collect()
}

/// The change of `text` that puts `new` in the place of `lines`.
///
/// Every line but the last of the result gets a break, the last gets none: a missing one is taken from the line replaced,
/// else from the line before, else from the line after. `lead` is the break that stood before `new` where it comes from: at
/// the end of a text the break that separates an added line from its predecessor is part of the addition.
pub(super) fn replacement(text: &Text, lines: Range<usize>, new: &[Line], lead: End) -> Change {
    let at_end = lines.end >= text.line_count();
    let kept = end_near(text, &lines);
    if at_end && lines.start > 0 && (lines.is_empty() || new.is_empty()) {
        let before = text.line_end(lines.start - 1);
        let mut added = String::new();
        if let Some(last) = new.last() {
            let kept = lead.or(last.end).or(kept);
            added.push_str(kept.as_str());
            push_lines(&mut added, new, kept, End::None);
        }
        return Change { range: before..text.len(), text: added };
    }
    let mut added = String::new();
    if let Some(last) = new.last() {
        let end = if at_end { End::None } else { last.end.or(kept) };
        push_lines(&mut added, new, kept, end);
    }
    Change { range: text.line_start(lines.start)..text.line_start(lines.end), text: added }
}

/// Writes `lines` out; the last one ends with `end`, an inner one without a break with `kept`.
fn push_lines(out: &mut String, lines: &[Line], kept: End, end: End) {
    for (index, line) in lines.iter().enumerate() {
        out.push_str(&line.text);
        let end = if index + 1 == lines.len() { end } else { line.end.or(kept) };
        out.push_str(end.as_str());
    }
}

/// The break that a new line in the place of `lines` takes on.
fn end_near(text: &Text, lines: &Range<usize>) -> End {
    let of = |line: usize| Line::new(&text.slice(text.line_end(line)..text.line_start(line + 1))).end;
    let replaced = if lines.is_empty() { End::None } else { of(lines.end - 1) };
    let before = lines.start.checked_sub(1).map_or(End::None, of);
    replaced.or(before).or(of(lines.start)).or(End::Lf)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Replaces `lines` of `text` by the lines of `new`, `lead` being the break before them where they come from.
    #[track_caller]
    fn check(text: &str, lines: Range<usize>, new: &str, lead: End, wanted: &str) {
        let new = if new == "-" { Vec::new() } else { split(new) };
        let mut text = Text::from(text);
        let change = replacement(&text, lines, &new, lead);
        text.apply(&change);
        assert_eq!(text.to_string(), wanted);
    }

    #[test]
    fn a_line_takes_the_break_of_the_one_it_replaces_or_follows() {
        check("a\r\nb\nc", 0..1, "x", End::None, "x\r\nb\nc");
        check("a\r\nb\nc", 1..1, "x", End::None, "a\r\nx\r\nb\nc");
        check("a\r\nb\nc", 0..0, "x", End::None, "x\r\na\r\nb\nc");
        check("a\nb", 1..2, "x\ny", End::None, "a\nx\ny");
    }

    #[test]
    fn at_the_end_the_break_belongs_to_what_is_added_or_removed() {
        check("a", 1..1, "N", End::CrLf, "a\r\nN");
        check("a", 1..1, "N\n", End::None, "a\nN\n");
        check("a\nb", 1..2, "-", End::None, "a");
        check("a\nb\n", 2..3, "-", End::None, "a\nb");
    }

    #[test]
    fn lines_are_separated_not_terminated() {
        let text = Text::from("a\r\nb\rc\n");
        let all: Vec<(String, End)> =
            read(&text, 0..4).into_iter().map(|line| (line.text, line.end)).collect();
        let wanted = [("a", End::CrLf), ("b", End::Cr), ("c", End::Lf), ("", End::None)];
        assert_eq!(all, wanted.map(|(text, end)| (text.to_owned(), end)));
        assert_eq!(read(&text, 1..2), [Line { text: "b".to_owned(), end: End::Cr }]);
    }
}
