//! From places in a text to Edit calls: one for each place, with just enough lines around it to be found once.

use std::ops::Range;

/// A stretch of the text, in bytes, and what is to stand there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Change {
    pub(super) span: Range<usize>,
    pub(super) new: String,
}

/// What an Edit call says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Edit {
    pub(super) old: String,
    pub(super) new: String,
}

/// Edits to be made in this order. `changes` are sorted and do not overlap; those on one line share an edit. Each old
/// text occurs exactly once in the text as the edits before it leave it.
pub(super) fn edits(text: &str, changes: &[Change]) -> Vec<Edit> {
    let mut current = text.to_owned();
    // How far the edits so far have moved what stands behind them.
    let mut grown = 0_isize;
    let mut edits = Vec::new();
    for group in by_line(text, changes) {
        let (Some(first), Some(last)) = (group.first(), group.last()) else { continue };
        let moved = |at: usize| at.saturating_add_signed(grown);
        let start = moved(first.span.start);
        let end = moved(last.span.end);
        let Some(region) = found_once(&current, start..end) else { continue };
        let Some(old) = current.get(region.clone()).map(str::to_owned) else { continue };
        let new = changed(&old, region.start, group, grown);
        grown += new.len().cast_signed() - old.len().cast_signed();
        current.replace_range(region, &new);
        edits.push(Edit { old, new });
    }
    edits
}

/// Changes whose lines touch, together.
fn by_line<'a>(text: &str, changes: &'a [Change]) -> Vec<&'a [Change]> {
    changes
        .chunk_by(|one, next| {
            text.get(one.span.end..next.span.start).is_some_and(|between| !between.contains('\n'))
        })
        .collect()
}

/// The whole lines around `span`, and as many more as it takes to be found once; `None` if nothing of the text is.
fn found_once(text: &str, span: Range<usize>) -> Option<Range<usize>> {
    let mut region = line_start(text, span.start)..line_end(text, span.end);
    let mut upwards = true;
    loop {
        let old = text.get(region.clone())?;
        if !old.is_empty() && occurs_once(text, old) {
            return Some(region);
        }
        let (can_go_up, can_go_down) = (region.start > 0, region.end < text.len());
        if can_go_up && (upwards || !can_go_down) {
            region.start = line_start(text, region.start - 1);
        } else if can_go_down {
            region.end = line_end(text, region.end + 1);
        } else {
            return None;
        }
        upwards = !upwards;
    }
}

fn occurs_once(text: &str, old: &str) -> bool {
    let Some(first) = text.find(old) else { return false };
    let after_first = first + old.chars().next().map_or(1, char::len_utf8);
    !text.get(after_first..).is_some_and(|rest| rest.contains(old))
}

fn line_start(text: &str, at: usize) -> usize {
    text.get(..at).and_then(|before| before.rfind('\n')).map_or(0, |newline| newline + 1)
}

fn line_end(text: &str, at: usize) -> usize {
    text.get(at..).and_then(|behind| behind.find('\n')).map_or(text.len(), |newline| at + newline)
}

/// `old`, which stands at `start` of the current text, with the group's changes made in it.
fn changed(old: &str, start: usize, group: &[Change], grown: isize) -> String {
    let mut new = old.to_owned();
    for change in group.iter().rev() {
        let within = |at: usize| at.saturating_add_signed(grown).saturating_sub(start);
        new.replace_range(within(change.span.start)..within(change.span.end), &change.new);
    }
    new
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// `text` has the stretches to be changed in brackets; each becomes `X`.
    #[track_caller]
    fn check(text: &str, wanted: &[(&str, &str)]) {
        let mut plain = String::new();
        let mut changes: Vec<Change> = Vec::new();
        for c in text.chars() {
            match c {
                '[' => changes.push(Change { span: plain.len()..plain.len(), new: "X".to_owned() }),
                ']' => changes.last_mut().expect("an opening bracket").span.end = plain.len(),
                _ => plain.push(c),
            }
        }
        let edits = edits(&plain, &changes);
        let drawn: Vec<(&str, &str)> =
            edits.iter().map(|edit| (edit.old.as_str(), edit.new.as_str())).collect();
        assert_eq!(drawn, wanted);
    }

    #[test]
    fn a_line_that_stands_alone_needs_no_context() {
        check("fn [load]() {}", &[("fn load() {}", "fn X() {}")]);
        check("a\n[b] [b]\nc\n", &[("b b", "X X")]);
    }

    #[test]
    fn a_line_that_occurs_twice_takes_just_enough_around_it() {
        check("a\n[x]\nb\n[x]\nc", &[("a\nx", "a\nX"), ("x", "X")]);
        check("x\na\n[x]\na\nx", &[("a\nx\na", "a\nX\na")]);
    }

    #[test]
    fn lines_that_follow_each_other_are_edited_one_by_one() {
        check("[a]\n[b]\nc", &[("a", "X"), ("b", "X")]);
        check("[x]\n[x]\nc", &[("x\nx", "X\nx"), ("x", "X")]);
    }

    #[test]
    fn a_deleted_line_takes_its_neighbour_along() {
        let text = "a\nb\nc";
        let delete = Change { span: 2..4, new: String::new() };
        assert_eq!(edits(text, &[delete]), [Edit { old: "b\nc".into(), new: "c".into() }]);
    }

    proptest! {
        #[test]
        fn edits_made_one_after_the_other_give_the_wanted_text(text in "[ab\n]{1,40}", places in prop::collection::btree_set(0..40_usize, 0..6)) {
            let changes: Vec<Change> = places
                .into_iter()
                .filter(|&at| at < text.len() && text.as_bytes()[at] != b'\n')
                .map(|at| Change { span: at..at + 1, new: "XX".to_owned() })
                .collect();
            let mut wanted = text.clone();
            for change in changes.iter().rev() {
                wanted.replace_range(change.span.clone(), &change.new);
            }
            let mut made = text.clone();
            for Edit { old, new } in edits(&text, &changes) {
                prop_assert!(occurs_once(&made, &old), "{old:?} in {made:?}");
                made = made.replacen(&old, &new, 1);
            }
            prop_assert_eq!(made, wanted);
        }
    }
}
