//! A piece of a text as a model reads it: numbered lines, bounded in every direction.

use std::fmt::Write as _;
use std::ops::Range;

use crate::documents::Text;

/// Bounds of one Read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bounds {
    pub(super) lines: usize,
    /// A longer line is cut there and marked.
    pub(super) line_chars: usize,
    /// All lines together, in bytes.
    pub(super) bytes: usize,
}

/// What was shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Page {
    /// Each line's number right-aligned in six columns, a tab, the line.
    pub(super) text: String,
    /// Lines shown, zero-based and half-open.
    pub(super) lines: Range<usize>,
    /// Lines of the whole text, as an editor's last line number counts them.
    pub(super) total: usize,
    /// Some of the shown lines were cut.
    pub(super) cut: bool,
}

/// The page of `text` that begins at `first` (zero-based).
pub(super) fn page(text: &Text, first: usize, bounds: Bounds) -> Page {
    let total = line_total(text);
    let mut page = Page { text: String::new(), lines: first..first, total, cut: false };
    for number in (first..total).take(bounds.lines) {
        let start = page.text.len();
        let line = text.slice(text.line_start(number)..text.line_end(number));
        let line = if number == 0 { line.trim_start_matches('\u{feff}') } else { &line };
        page.cut |= write_line(&mut page.text, number, line, bounds.line_chars);
        if page.text.len() > bounds.bytes && start > 0 {
            page.text.truncate(start);
            break;
        }
        page.lines.end = number + 1;
    }
    page
}

/// Adds one numbered line; whether it was cut.
pub(super) fn write_line(out: &mut String, number: usize, line: &str, line_chars: usize) -> bool {
    let end = line.char_indices().nth(line_chars).map(|(at, _)| at);
    let shown = end.and_then(|end| line.get(..end)).unwrap_or(line);
    // Writing to a string can't fail.
    let _ = write!(out, "{:>6}\t{shown}", number + 1);
    if shown.len() < line.len() {
        let _ = write!(out, "[… cut here: the line has {} more bytes]", line.len() - shown.len());
    }
    out.push('\n');
    shown.len() < line.len()
}

/// Lines of a text, not counting the empty one after a final line break.
pub(super) fn line_total(text: &Text) -> usize {
    let last = text.line_count() - 1;
    if text.line(last).is_empty() { last } else { last + 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOUNDS: Bounds = Bounds { lines: 3, line_chars: 5, bytes: 100 };

    #[track_caller]
    fn check(text: &str, first: usize, bounds: Bounds, want: &str, lines: Range<usize>) {
        let page = page(&Text::from(text), first, bounds);
        assert_eq!((page.text.as_str(), page.lines), (want, lines));
    }

    #[test]
    fn lines_are_numbered_from_one_and_tabs_stay() {
        check("all:\n\techo\n", 0, BOUNDS, "     1\tall:\n     2\t\techo\n", 0..2);
        check("a\r\nb", 0, BOUNDS, "     1\ta\n     2\tb\n", 0..2);
    }

    #[test]
    fn a_byte_order_mark_is_not_shown() {
        check("\u{feff}first\n", 0, BOUNDS, "     1\tfirst\n", 0..1);
    }

    #[test]
    fn no_bound_is_passed() {
        check("a\nb\nc\nd\n", 0, BOUNDS, "     1\ta\n     2\tb\n     3\tc\n", 0..3);
        check("a\nb\nc\nd\n", 2, BOUNDS, "     3\tc\n     4\td\n", 2..4);
        check("größere\n", 0, BOUNDS, "     1\tgröße[… cut here: the line has 2 more bytes]\n", 0..1);
        check("aaaa\nbbbb\ncccc\n", 0, Bounds { bytes: 25, ..BOUNDS }, "     1\taaaa\n     2\tbbbb\n", 0..2);
        check("aaaa\n", 0, Bounds { bytes: 3, ..BOUNDS }, "     1\taaaa\n", 0..1);
    }

    #[test]
    fn past_the_end_there_is_nothing() {
        check("a\n", 1, BOUNDS, "", 1..1);
        check("", 0, BOUNDS, "", 0..0);
        assert_eq!(line_total(&Text::from("a\nb")), 2);
        assert_eq!(line_total(&Text::from("a\nb\n")), 2);
    }
}
