//! Where a user typed in the last moments: lines that nobody but the user should change.

use std::ops::Range;
use std::time::Duration;

use tokio::time::Instant;

use crate::documents::{Change, Text};

/// So long after a key, its lines are still the user's.
pub(super) const JUST_NOW: Duration = Duration::from_secs(2);

/// Lines of a buffer, and when they were typed in. They move with every change.
#[derive(Debug, Default)]
pub(super) struct TypedLines {
    /// Oldest first.
    list: Vec<(Instant, Range<usize>)>,
    /// How many of the last ones come from the change that is being looked at.
    newest: usize,
}

impl TypedLines {
    /// Follows one `didChange`. Whose hand it was is not known yet: `keep_newest` or `drop_newest` says it.
    pub(super) fn follow(&mut self, before: &Text, changes: &[Change], now: Instant) {
        self.list.retain(|(when, _)| now.duration_since(*when) < JUST_NOW);
        self.newest = changes.len();
        let mut text = before.clone();
        for Change { range, text: new } in changes {
            let old = text.line_of(range.start)..text.line_of(range.end) + 1;
            text.replace(range.clone(), new);
            let new = old.start..text.line_of(range.start + new.len()) + 1;
            for (_, lines) in &mut self.list {
                *lines = moved(lines, &old, &new);
            }
            self.list.push((now, new));
        }
    }

    /// The user made that change.
    pub(super) fn keep_newest(&mut self) {
        self.newest = 0;
    }

    /// The change was the echo of an accept.
    pub(super) fn drop_newest(&mut self) {
        self.list.truncate(self.list.len() - self.newest);
        self.newest = 0;
    }

    /// Zero-based, half-open.
    pub(super) fn just_now(&self, now: Instant) -> Vec<Range<usize>> {
        let recent = self.list.iter().filter(|(when, _)| now.duration_since(*when) < JUST_NOW);
        recent.map(|(_, lines)| lines.clone()).collect()
    }
}

/// Where `lines` are after `old` became `new`, which begins at the same line. What overlaps becomes one.
fn moved(lines: &Range<usize>, old: &Range<usize>, new: &Range<usize>) -> Range<usize> {
    let down = |line: usize| (line + new.end).saturating_sub(old.end);
    if lines.end <= old.start {
        lines.clone()
    } else if lines.start >= old.end {
        down(lines.start)..down(lines.end)
    } else {
        lines.start.min(new.start)..down(lines.end.max(old.end))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each change is a byte range and what it became, one `didChange` each.
    #[track_caller]
    fn check(changes: &[(Range<usize>, &str)], wanted: &str) {
        let (mut text, mut typed, now) = (Text::from("a\nb\nc\nd\n"), TypedLines::default(), Instant::now());
        for (range, new) in changes {
            let change = Change { range: range.clone(), text: (*new).to_owned() };
            typed.follow(&text, std::slice::from_ref(&change), now);
            typed.keep_newest();
            text.apply(&change);
        }
        assert_eq!(in_words(&typed, now), wanted);
        assert!(typed.just_now(now + JUST_NOW).is_empty());
    }

    fn in_words(typed: &TypedLines, now: Instant) -> String {
        let lines: Vec<String> = typed.just_now(now).iter().map(|lines| format!("{lines:?}")).collect();
        lines.join(" ")
    }

    #[test]
    fn a_word_is_its_line_and_a_line_break_two() {
        check(&[(2..2, "x")], "1..2");
        check(&[(3..3, "\n")], "1..3");
        check(&[(2..6, "")], "1..2");
    }

    #[test]
    fn lines_move_with_what_is_typed_above_them() {
        check(&[(6..6, "x"), (0..0, "1\n2\n")], "5..6 0..3");
        check(&[(6..6, "x"), (0..4, "")], "1..2 0..1");
        check(&[(2..2, "x"), (7..7, "y")], "1..2 3..4");
    }

    #[test]
    fn an_echo_moves_lines_and_is_none() {
        let (text, mut typed, now) = (Text::from("a\nb\n"), TypedLines::default(), Instant::now());
        typed.follow(&text, &[Change { range: 2..2, text: "x".to_owned() }], now);
        typed.keep_newest();
        typed.follow(&text, &[Change { range: 0..0, text: "1\n2\n".to_owned() }], now);
        typed.drop_newest();
        assert_eq!(in_words(&typed, now), "3..4");
    }
}
