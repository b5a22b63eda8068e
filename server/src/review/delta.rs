//! A change in bytes, put into line form: which whole lines went, and which came in their place.

use std::ops::Range;

use super::diff::diff;
use super::line::{End, Line, read, split};
use crate::documents::{Change, Text};

/// `new` in the place of `lines` of the text before the change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Delta {
    pub(super) lines: Range<usize>,
    pub(super) new: Vec<Line>,
    /// The break of the line before `new`, after the change.
    pub(super) lead: End,
    pub(super) tie: Tie,
}

/// Which neighbour an inserted line sticks to when something else stands at the same place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tie {
    /// The line above: it was typed at that line's end.
    Above,
    /// The line below: it was typed at that line's start, or nobody knows.
    Below,
}

/// The whole lines that `change` touches, cut down to those that differ afterwards. Ascending; each refers to `before`.
///
/// Inserting `"\nU"` at a line's end is inserting the line `U` below it, and inserting `"U\n"` at a line's start is
/// inserting it above: neither touches the line it was typed at.
pub(super) fn line_form(before: &Text, change: &Change) -> Vec<Delta> {
    let start = before.border(change.range.start);
    let end = before.border(change.range.end).max(start);
    let (first, last) = (before.line_of(start), before.line_of(end));
    let from_line_start = start == before.line_start(first);

    let mut block = before.slice(before.line_start(first)..start).into_owned();
    block.push_str(&change.text);
    block.push_str(&before.slice(end..before.line_start(last + 1)));
    // A `\n` that comes to stand after a lone `\r` makes one break of the two, so the line before takes part.
    let first = match first.checked_sub(1) {
        Some(above) if block.starts_with('\n') && before.line(above).ends_with('\r') => {
            block.insert_str(0, &before.line(above));
            above
        }
        _ => first,
    };

    let old = read(before, first..last + 1);
    let mut new = split(&block);
    if last + 1 < before.line_count() && new.last().is_some_and(|line| line.text.is_empty()) {
        new.pop();
    }
    cut(before, first, &old, &new, from_line_start)
}

/// The whole text became `after`, nobody said where.
pub(super) fn whole_text(before: &Text, after: &str) -> Vec<Delta> {
    let old = read(before, 0..before.line_count());
    let mut deltas = cut(before, 0, &old, &split(after), true);
    for delta in &mut deltas {
        delta.tie = Tie::Below;
    }
    deltas
}

/// Cuts the replacement of `old` (which begins at line `first`) by `new` down to what differs. Equal lines at both ends make
/// the place of an insertion or deletion ambiguous: `from_line_start` says that it began before the first line's words.
fn cut(before: &Text, first: usize, old: &[Line], new: &[Line], from_line_start: bool) -> Vec<Delta> {
    let most = old.len().min(new.len());
    let heads = old.iter().zip(new).take_while(|(old, new)| old.same(new)).count();
    let tails = old.iter().rev().zip(new.iter().rev()).take_while(|(old, new)| old.same(new)).count();
    let (head, tail) = if from_line_start {
        (heads.min(most - tails.min(most)), tails)
    } else {
        (heads, tails.min(most - heads.min(most)))
    };
    let old_middle = old.get(head..old.len() - tail).unwrap_or_default();
    let new_middle = new.get(head..new.len() - tail).unwrap_or_default();

    diff(old_middle, new_middle)
        .into_iter()
        .map(|replaced| {
            let at = head + replaced.new.start;
            let lead = match at.checked_sub(1) {
                Some(above) => new.get(above).map_or(End::None, |line| line.end),
                None => first.checked_sub(1).map_or(End::None, |above| Line::new(&before.line(above)).end),
            };
            let start = first + head + replaced.old.start;
            Delta {
                lines: start..first + head + replaced.old.end,
                new: new_middle.get(replaced.new).unwrap_or_default().to_vec(),
                lead,
                tie: if start > first && !from_line_start || head > 0 && tail == 0 {
                    Tie::Above
                } else {
                    Tie::Below
                },
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `wanted` lists the deltas as `lines new tie`.
    #[track_caller]
    fn check(before: &str, range: Range<usize>, text: &str, wanted: &[&str]) {
        let deltas = line_form(&Text::from(before), &Change { range, text: text.to_owned() });
        let shown = deltas.iter().map(|delta| {
            let new: Vec<&str> = delta.new.iter().map(|line| line.text.as_str()).collect();
            format!("{:?} {} {:?}", delta.lines, new.join("|"), delta.tie)
        });
        assert_eq!(shown.collect::<Vec<_>>(), wanted);
    }

    #[test]
    fn whole_lines_do_not_touch_the_line_they_were_typed_at() {
        check("a\nb\n", 1..1, "\nU", &["1..1 U Above"]);
        check("a\nb\n", 2..2, "U\n", &["1..1 U Below"]);
        check("a\nb", 3..3, "\n", &["2..2  Above"]);
    }

    #[test]
    fn equal_lines_are_told_apart_by_where_the_change_began() {
        check("x\nx\nx\n", 0..2, "", &["0..1  Below"]);
        check("x\nx\nx\n", 1..3, "", &["1..2  Above"]);
        check("b\n", 0..0, "b\n", &["0..0 b Below"]);
        check("b\n", 1..1, "\nb", &["1..1 b Above"]);
    }

    #[test]
    fn a_replacement_is_cut_down_to_what_differs() {
        check("b\nc\nd\n", 0..5, "B\nc\nD", &["0..1 B Below", "2..3 D Below"]);
        check("a\nb\n", 0..4, "a\nb\n", &[]);
    }

    #[test]
    fn two_breaks_that_become_one_take_the_line_above_along() {
        check("a\rb", 2..2, "\n", &["0..1 a Below"]);
    }
}
