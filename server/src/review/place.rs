//! Where an insertion or deletion is shown when several places mean the same: at a whole block rather than across two.

use std::ops::Range;

use super::line::Line;
use crate::documents::Text;

/// How far a block is looked at in either direction.
const FARTHEST: usize = 100;

/// How many lines up (negative) or down the block `lines` of `text` is best shown: after a blank line, else at the least
/// indent, else where it is. It moves over equal lines only, and stays between `above` and `below`.
pub(super) fn slide(text: &Text, lines: &Range<usize>, above: usize, below: usize) -> isize {
    if lines.is_empty() {
        return 0;
    }
    let line = |line: usize| Line::new(&text.line(line));
    let mut best = (rank(text, lines.start), 0);
    let mut consider = |start: usize, distance: isize| {
        let candidate = rank(text, start);
        if candidate < best.0 {
            best = (candidate, distance);
        }
    };
    let mut moved = lines.clone();
    while moved.start > above
        && lines.start - moved.start < FARTHEST
        && line(moved.start - 1) == line(moved.end - 1)
    {
        moved = moved.start - 1..moved.end - 1;
        consider(moved.start, -as_distance(lines.start - moved.start));
    }
    let mut moved = lines.clone();
    while moved.end < below && moved.start - lines.start < FARTHEST && line(moved.start) == line(moved.end) {
        moved = moved.start + 1..moved.end + 1;
        consider(moved.start, as_distance(moved.start - lines.start));
    }
    best.1
}

/// Lower is better.
fn rank(text: &Text, start: usize) -> (bool, usize) {
    let after_blank = start == 0 || Line::new(&text.line(start - 1)).is_blank();
    let first = text.line(start);
    if first.trim().is_empty() {
        return (true, usize::MAX);
    }
    (!after_blank, first.len() - first.trim_start().len())
}

fn as_distance(lines: usize) -> isize {
    isize::try_from(lines).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The block's lines begin with `+`; `wanted` is its first line after sliding.
    #[track_caller]
    fn check(marked: &str, wanted: usize) {
        let block: Vec<usize> =
            marked.lines().enumerate().filter(|(_, line)| line.starts_with('+')).map(|(at, _)| at).collect();
        let text = Text::from(marked.replace('+', ""));
        let lines = block[0]..block[block.len() - 1] + 1;
        let moved = slide(&text, &lines, 0, text.line_count());
        assert_eq!(lines.start.checked_add_signed(moved), Some(wanted));
    }

    #[test]
    fn a_function_is_shown_whole() {
        check("fn a {\n}\n+\n+fn b {\n+}\n\nfn c {\n}\n", 3);
        check("fn a {\n+}\n+\n+fn b {\n}\n\nfn c {\n}\n", 3);
    }

    #[test]
    fn where_all_places_are_alike_it_stays() {
        check("a\n+x\nx\n", 1);
        check("a\nx\n+x\n", 2);
        check("a\n+x\nb\n", 1);
    }

    #[test]
    fn the_least_indent_is_the_better_beginning() {
        check("if a {\n  b\n+  c\n+}\n+if a {\n+  b\n  c\n}\n", 0);
    }
}
