//! Which words differ inside the lines of a hunk.

use std::ops::Range;
use std::time::{Duration, Instant};

use similar::{Algorithm, DiffTag};

use super::{InlineMark, Side};

/// Longer texts get no marks: nobody reads them word by word.
const LONGEST: usize = 16 * 1024;
const DEADLINE: Duration = Duration::from_millis(5);

/// Marks words of `removed` that are not in `added`, and the other way round. None where one of them is empty: then all of
/// the other one is new.
pub(super) fn inline_marks(removed: &str, added: &str) -> Vec<InlineMark> {
    if removed.is_empty() || added.is_empty() || removed.len() + added.len() > LONGEST {
        return Vec::new();
    }
    let (old, new) = (words(removed), words(added));
    let text = |text: &'_ str, words: &[Range<usize>]| -> Vec<String> {
        words.iter().filter_map(|word| text.get(word.clone()).map(str::to_owned)).collect()
    };
    let deadline = Some(Instant::now() + DEADLINE);
    let (old_words, new_words) = (text(removed, &old), text(added, &new));
    let ops = similar::capture_diff_slices_deadline(Algorithm::Myers, &old_words, &new_words, deadline);
    let mut marks = Vec::new();
    for op in ops.iter().filter(|op| op.tag() != DiffTag::Equal) {
        for (side, words, range) in
            [(Side::Removed, &old, op.old_range()), (Side::Added, &new, op.new_range())]
        {
            let words = words.get(range).unwrap_or_default();
            if let Some((first, last)) = words.first().zip(words.last()) {
                marks.push(InlineMark { side, range: first.start..last.end });
            }
        }
    }
    marks
}

/// Words, runs of blanks, and every other character by itself.
fn words(text: &str) -> Vec<Range<usize>> {
    let mut words: Vec<Range<usize>> = Vec::new();
    let mut kind_before = Kind::Other;
    for (at, character) in text.char_indices() {
        let kind = match character {
            '\n' | '\r' => Kind::Other,
            c if c.is_alphanumeric() || c == '_' => Kind::Word,
            c if c.is_whitespace() => Kind::Blank,
            _ => Kind::Other,
        };
        let end = at + character.len_utf8();
        match words.last_mut() {
            Some(word) if kind == kind_before && kind != Kind::Other => word.end = end,
            _ => words.push(at..end),
        }
        kind_before = kind;
    }
    words
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Word,
    Blank,
    Other,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The marked words of both sides.
    #[track_caller]
    fn check(removed: &str, added: &str, wanted: &[&str]) {
        let marks = inline_marks(removed, added);
        let words = marks.iter().map(|mark| match mark.side {
            Side::Removed => format!("-{}", &removed[mark.range.clone()]),
            Side::Added => format!("+{}", &added[mark.range.clone()]),
        });
        assert_eq!(words.collect::<Vec<_>>(), wanted);
    }

    #[test]
    fn words_that_differ_are_marked() {
        check("let a = load(x);\n", "let a = open(x);\n", &["-load", "+open"]);
        check("f(a)", "f(a, b)", &["+, b"]);
        check("x \u{1f600} y", "x \u{1f601} y", &["-\u{1f600}", "+\u{1f601}"]);
    }

    #[test]
    fn nothing_is_marked_where_everything_is_new() {
        check("", "N\n", &[]);
    }
}
