//! Where an Edit's `old_string` stands and what takes its place: exact on characters, line breaks compared as line breaks.
//!
//! Nothing is guessed: no fuzzy match, no regular expression, no decoding. What comes in as `new_string` goes into the
//! file byte for byte, but for its line breaks, which are the file's.

use std::ops::Range;

use super::line_ends::{Unified, around, ending, spelled, unify};
use crate::documents::{Change, Text};

/// Which of the places are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Occurrences {
    /// The one there is.
    Single,
    All,
}

/// Why there is no edit. Line numbers count from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Mismatch {
    NotFound,
    /// `count` places, the first of them on these lines.
    NotUnique {
        count: usize,
        lines: Vec<usize>,
    },
    /// An empty `old_string` names a place only in an empty file.
    EmptyOld,
    /// The new text is the old one.
    Identical,
    /// They differ in nothing but line breaks, and those are the file's.
    LineEndsOnly,
}

/// How many lines a `NotUnique` names.
const LINES_NAMED: usize = 20;

/// The edits of `text` that put `new` in the place of `old`: ascending, not overlapping, each cut down to the lines that
/// differ.
pub(super) fn edits(
    text: &Text,
    old: &str,
    new: &str,
    occurrences: Occurrences,
) -> Result<Vec<Change>, Mismatch> {
    if old == new {
        return Err(Mismatch::Identical);
    }
    if old.is_empty() {
        return if text.is_empty() {
            Ok(vec![Change { range: 0..0, text: new.to_owned() }])
        } else {
            Err(Mismatch::EmptyOld)
        };
    }
    let unified = Unified::of(text);
    let (old, new) = (unify(old), unify(new));
    let found: Vec<usize> = unified.text.match_indices(&old).map(|(at, _)| at).collect();
    let Some(first) = found.first() else { return Err(Mismatch::NotFound) };
    if occurrences == Occurrences::Single {
        let places = if found.len() == 1 { with_overlap(&unified.text, &old, *first) } else { found.clone() };
        if places.len() > 1 {
            let lines = places.iter().take(LINES_NAMED);
            return Err(Mismatch::NotUnique {
                count: places.len(),
                lines: lines.map(|at| text.line_of(unified.original(*at)) + 1).collect(),
            });
        }
    }
    if old == new {
        return Err(Mismatch::LineEndsOnly);
    }
    Ok(found.into_iter().map(|at| replacement(text, &unified, at, &old, &new)).collect())
}

/// The one match that a search without overlap found, and the next one that overlaps it: both could be meant.
fn with_overlap(text: &str, old: &str, first: usize) -> Vec<usize> {
    let step = old.chars().next().map_or(1, char::len_utf8);
    let next = text.get(first + step..).and_then(|rest| rest.find(old)).map(|at| first + step + at);
    std::iter::once(first).chain(next).collect()
}

/// The change at one match. Whole lines that old and new share at their ends are left alone, so that they keep their line
/// breaks and the user's view shows no more than what changes.
fn replacement(text: &Text, unified: &Unified, at: usize, old: &str, new: &str) -> Change {
    let (head, tail) = shared_lines(old, new);
    let range = unified.original(at + head)..unified.original(at + old.len() - tail);
    let middle = new.get(head..new.len() - tail).unwrap_or_default();
    let breaks = line_breaks(text, &range);
    Change { text: spelled(middle, &breaks, around(text, range.start)), range }
}

/// Bytes of the whole lines that both begin with, and that both end with. The end goes first: of equal lines it is the
/// upper one that is taken away or added, the place where the call is anchored.
fn shared_lines(old: &str, new: &str) -> (usize, usize) {
    let lines = |text: &str| text.split_inclusive('\n').map(str::len).collect::<Vec<_>>();
    let mut tail = 0;
    for (old_line, new_line) in lines(old).iter().rev().zip(lines(new).iter().rev()) {
        let next = tail + old_line;
        let same = old_line == new_line && old.get(old.len() - next..) == new.get(new.len() - next..);
        if !same {
            break;
        }
        tail = next;
    }
    let rest = |text: &str| text.get(..text.len() - tail).unwrap_or_default().to_owned();
    let (old, new) = (rest(old), rest(new));
    let head = old
        .split_inclusive('\n')
        .zip(new.split_inclusive('\n'))
        .take_while(|(old, new)| old == new && old.ends_with('\n'))
        .map(|(line, _)| line.len())
        .sum();
    (head, tail)
}

/// The line breaks inside `range`, in order.
fn line_breaks(text: &Text, range: &Range<usize>) -> Vec<&'static str> {
    let (first, last) = (text.line_of(range.start), text.line_of(range.end));
    (first..last).filter_map(|line| ending(&text.line(line))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, old: &str, new: &str, occurrences: Occurrences, want: Result<&str, Mismatch>) {
        let text = Text::from(text);
        let got = edits(&text, old, new, occurrences).map(|edits| text.with_edits(&edits).to_string());
        assert_eq!(got, want.map(str::to_owned));
    }

    fn check_single(text: &str, old: &str, new: &str, want: &str) {
        check(text, old, new, Occurrences::Single, Ok(want));
    }

    #[test]
    fn line_breaks_are_compared_as_line_breaks_and_kept() {
        let crlf = "alpha\r\nbeta\r\ngamma\r\n";
        check_single(crlf, "beta\ngamma", "BETA\nextra\nGAMMA", "alpha\r\nBETA\r\nextra\r\nGAMMA\r\n");
        check_single(crlf, "beta", "b1\nb2", "alpha\r\nb1\r\nb2\r\ngamma\r\n");
        check(crlf, "beta\ngamma", "x\ny\nz", Occurrences::All, Ok("alpha\r\nx\r\ny\r\nz\r\n"));
        check_single("a\nb\n", "a\r\nb", "x\r\ny", "x\ny\n");
        check_single("a\rb\r", "a\nb", "x\nnew\ny", "x\rnew\ry\r");
    }

    #[test]
    fn a_mixed_file_keeps_every_break_that_stays() {
        check_single("a\nb\r\nc\nd", "a\nb\nc", "a\nx\nb\nc", "a\nx\nb\r\nc\nd");
        check_single("a\r\nb\nc", "a\nb\nc", "a\nB\nnew\nc", "a\r\nB\nnew\nc");
        check_single("a\r\nb\n", "\nb", "\nB", "a\r\nB\n");
    }

    #[test]
    fn a_change_of_line_breaks_alone_is_no_change() {
        check("a\r\nb\r\n", "a\r\nb", "a\nb", Occurrences::Single, Err(Mismatch::LineEndsOnly));
        check("a\n", "a", "a", Occurrences::Single, Err(Mismatch::Identical));
    }

    #[test]
    fn several_places_are_named_not_chosen() {
        let text = "a\nx\nb\nx\nc\nx\n";
        let not_unique = |count, lines: &[usize]| Err(Mismatch::NotUnique { count, lines: lines.to_vec() });
        check(text, "x", "y", Occurrences::Single, not_unique(3, &[2, 4, 6]));
        check_single(text, "b\nx", "b\ny", "a\nx\nb\ny\nc\nx\n");
        check(text, "x", "z", Occurrences::All, Ok("a\nz\nb\nz\nc\nz\n"));
        check("aaa", "aa", "b", Occurrences::Single, not_unique(2, &[1, 1]));
        check("aaa", "aa", "b", Occurrences::All, Ok("ba"));
    }

    #[test]
    fn an_empty_old_string_names_only_an_empty_file() {
        check("abc\n", "", "X", Occurrences::Single, Err(Mismatch::EmptyOld));
        check("abc\n", "", "X", Occurrences::All, Err(Mismatch::EmptyOld));
        check_single("", "", "X", "X");
    }

    #[test]
    fn new_text_goes_in_byte_for_byte() {
        for new in ["$&", "$$", "$1", "${name}", "\\1", "\\\\", "&", "&apos;", "\\n", "\t x ", "$`", "$'"] {
            check_single("log\nkeep\n", "log", new, &format!("{new}\nkeep\n"));
        }
        check("Tom &amp; Ann", "Tom & Ann", "x", Occurrences::Single, Err(Mismatch::NotFound));
        check_single("Tom &amp; Ann", "&amp;", "&lt;", "Tom &lt; Ann");
        check("\techo bye", "        echo bye", "x", Occurrences::Single, Err(Mismatch::NotFound));
    }

    #[test]
    fn the_last_line_needs_no_line_break() {
        check_single("x = 1\ny = 2", "y = 2", "y = 3", "x = 1\ny = 3");
        check_single("x = 1\r\ny = 2", "y = 2", "y = 2\nz = 3", "x = 1\r\ny = 2\r\nz = 3");
        check_single("a\nb\n", "b\n", "b\nc\n", "a\nb\nc\n");
        check_single("a\nb\n", "b\n", "", "a\n");
    }

    #[test]
    fn an_edit_is_cut_down_to_the_lines_that_differ() {
        let text = Text::from("one\ntwo\nthree\nfour\n");
        let got = edits(&text, "one\ntwo\nthree\n", "one\n2\nthree\n", Occurrences::Single);
        assert_eq!(got, Ok(vec![Change { range: 4..8, text: "2\n".into() }]));
        let got = edits(&text, "two\nthree", "two\nthree\nmore", Occurrences::Single);
        assert_eq!(got, Ok(vec![Change { range: 8..13, text: "three\nmore".into() }]));
    }
}
