//! The difference of two texts, for the model (unified diff) and for editors (`structuredPatch`).

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use similar::{ChangeTag, TextDiff};

use crate::documents::Text;

/// After this a diff is finished coarsely: never wrong, only longer.
const DEADLINE: Duration = Duration::from_millis(500);
/// Lines of context around a change.
const CONTEXT: usize = 3;

/// The changes as `[{oldStart, oldLines, newStart, newLines, lines}]`: starts count from 1, each line begins with ` `, `-`
/// or `+`.
pub(super) fn structured(before: Option<&Text>, after: Option<&Text>) -> Value {
    let text = |side: Option<&Text>| side.map(ToString::to_string).unwrap_or_default();
    let (before, after) = (text(before), text(after));
    let diff = diff(&before, &after);
    let hunks = diff.grouped_ops(CONTEXT).into_iter().map(|ops| {
        let lines: Vec<String> = ops.iter().flat_map(|op| diff.iter_changes(op)).map(|change| prefixed(&change)).collect();
        let (old, new) = spans(&ops);
        json!({
            "oldStart": old.0 + 1, "oldLines": old.1, "newStart": new.0 + 1, "newLines": new.1, "lines": lines,
        })
    });
    Value::Array(hunks.collect())
}

/// The changes as a unified diff without context, at most `limit` lines; `None` if there are none.
pub(super) fn unified_diff(before: &Text, after: &Text, limit: usize) -> Option<String> {
    if before == after {
        return None;
    }
    let (before, after) = (before.to_string(), after.to_string());
    let diff = diff(&before, &after);
    let mut lines = Vec::new();
    for ops in diff.grouped_ops(0) {
        let (old, new) = spans(&ops);
        lines.push(format!("@@ -{} +{} @@", span(old), span(new)));
        lines.extend(ops.iter().flat_map(|op| diff.iter_changes(op)).map(|change| prefixed(&change)));
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

fn prefixed(change: &similar::Change<&str>) -> String {
    let sign = match change.tag() {
        ChangeTag::Equal => ' ',
        ChangeTag::Delete => '-',
        ChangeTag::Insert => '+',
    };
    format!("{sign}{}", change.value().trim_end_matches(['\r', '\n']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_patch_has_context_and_counts_from_one() {
        let before = Text::from("a\nb\nc\nd\ne\n");
        let after = Text::from("a\nb\nc\nD\ne\n");
        assert_eq!(
            structured(Some(&before), Some(&after)),
            json!([{"oldStart": 1, "oldLines": 5, "newStart": 1, "newLines": 5,
                "lines": [" a", " b", " c", "-d", "+D", " e"]}])
        );
        assert_eq!(
            structured(None, Some(&Text::from("x\n"))),
            json!([{"oldStart": 1, "oldLines": 0, "newStart": 1, "newLines": 1, "lines": ["+x"]}])
        );
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
