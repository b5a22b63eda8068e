//! The difference of two texts as people and models read it: a small unified diff, or hunks with context.

use std::time::{Duration, Instant};

use similar::{ChangeTag, TextDiff};

use crate::documents::Text;

/// After this a diff is finished coarsely: never wrong, only longer.
const DEADLINE: Duration = Duration::from_millis(500);
/// Lines of context around a change.
const CONTEXT: usize = 3;

/// One stretch of changes with the lines around it (`structuredPatch` of an Edit's result).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatchHunk {
    /// Counts from 1.
    pub old_start: usize,
    pub old_lines: usize,
    pub new_start: usize,
    pub new_lines: usize,
    /// Each begins with ` `, `-` or `+`, and has no line break; one that begins with `\\` says of the line before it that it
    /// ends the file without a line break.
    pub lines: Vec<String>,
}

/// The changes with their context. `None` on a side: there is no file.
pub fn patch(before: Option<&Text>, after: Option<&Text>) -> Vec<PatchHunk> {
    let text = |side: Option<&Text>| side.map(ToString::to_string).unwrap_or_default();
    let (before, after) = (text(before), text(after));
    let diff = diff(&before, &after);
    let hunk = |ops: Vec<similar::DiffOp>| {
        let (old, new) = spans(&ops);
        PatchHunk {
            old_start: old.0 + 1,
            old_lines: old.1,
            new_start: new.0 + 1,
            new_lines: new.1,
            lines: ops
                .iter()
                .flat_map(|op| diff.iter_changes(op))
                .flat_map(|change| prefixed(&change))
                .collect(),
        }
    };
    diff.grouped_ops(CONTEXT).into_iter().map(hunk).collect()
}

/// The changes as a unified diff without context, at most `limit` lines; `None` if there are none.
pub fn unified_diff(before: &Text, after: &Text, limit: usize) -> Option<String> {
    if before == after {
        return None;
    }
    let (before, after) = (before.to_string(), after.to_string());
    let diff = diff(&before, &after);
    let mut lines = Vec::new();
    for ops in diff.grouped_ops(0) {
        let (old, new) = spans(&ops);
        lines.push(format!("@@ -{} +{} @@", span(old), span(new)));
        lines.extend(ops.iter().flat_map(|op| diff.iter_changes(op)).flat_map(|change| prefixed(&change)));
    }
    let more = lines.len().saturating_sub(limit);
    lines.truncate(limit);
    if more > 0 {
        lines.push(format!("({more} more lines of changes)"));
    }
    Some(lines.join("\n"))
}

fn diff<'text>(before: &'text str, after: &'text str) -> TextDiff<'text, 'text, str> {
    TextDiff::configure().deadline(Instant::now() + DEADLINE).diff_lines(before, after)
}

/// Where a group of operations begins and how long it is, on both sides.
fn spans(ops: &[similar::DiffOp]) -> ((usize, usize), (usize, usize)) {
    let ends = ops.first().zip(ops.last());
    ends.map_or(((0, 0), (0, 0)), |(first, last)| {
        let (old, new) = (first.old_range().start, first.new_range().start);
        ((old, last.old_range().end - old), (new, last.new_range().end - new))
    })
}

/// `start,length` as unified diffs write it: an empty span names the line before it.
fn span((start, length): (usize, usize)) -> String {
    match length {
        0 => format!("{start},0"),
        1 => (start + 1).to_string(),
        _ => format!("{},{length}", start + 1),
    }
}

/// The line with its sign, and what unified diffs add to a last line without a line break.
fn prefixed(change: &similar::Change<&str>) -> impl Iterator<Item = String> + use<> {
    let sign = match change.tag() {
        ChangeTag::Equal => ' ',
        ChangeTag::Delete => '-',
        ChangeTag::Insert => '+',
    };
    let line = change.value().trim_end_matches(['\r', '\n']);
    let unended = (line.len() == change.value().len()).then(|| "\\ No newline at end of file".to_owned());
    std::iter::once(format!("{sign}{line}")).chain(unended)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_patch_has_context_and_counts_from_one() {
        let before = Text::from("a\nb\nc\nd\ne\n");
        let after = Text::from("a\nb\nc\nD\ne\n");
        let hunk = |old_lines, new_lines, lines: &[&str]| PatchHunk {
            old_start: 1,
            old_lines,
            new_start: 1,
            new_lines,
            lines: lines.iter().map(ToString::to_string).collect(),
        };
        assert_eq!(patch(Some(&before), Some(&after)), [hunk(5, 5, &[" a", " b", " c", "-d", "+D", " e"])]);
        assert_eq!(patch(None, Some(&Text::from("x\n"))), [hunk(0, 1, &["+x"])]);
        assert_eq!(patch(Some(&after), Some(&after)), []);
    }

    #[test]
    fn a_last_line_without_a_line_break_is_marked() {
        let hunks = patch(Some(&Text::from("a\nb")), Some(&Text::from("a\nc")));
        let lines: Vec<_> = hunks.into_iter().flat_map(|hunk| hunk.lines).collect();
        let unended = "\\ No newline at end of file";
        assert_eq!(lines, [" a", "-b", unended, "+c", unended]);
    }

    #[test]
    fn a_diff_is_short_and_none_for_equal_texts() {
        let before = Text::from("a\nb\nc\n");
        assert_eq!(unified_diff(&before, &before, 9), None);
        let after = Text::from("a\nc\nd\n");
        assert_eq!(unified_diff(&before, &after, 9).as_deref(), Some("@@ -2 +1,0 @@\n-b\n@@ -3,0 +3 @@\n+d"));
        assert_eq!(
            unified_diff(&before, &after, 2).as_deref(),
            Some("@@ -2 +1,0 @@\n-b\n(2 more lines of changes)")
        );
    }
}
