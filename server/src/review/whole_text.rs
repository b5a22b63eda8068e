//! Whether a change puts another text in the place of all that a file held, whoever made it and however.

use std::collections::HashMap;

use super::line::{Line, read};
use crate::documents::{Change, Text};

/// A change that keeps one line in so many is a change of parts.
const ONE_LINE_IN: usize = 4;
/// So is one that keeps one word in so many: of a file of one line nothing smaller can be told.
const ONE_WORD_IN: usize = 2;

/// Whether next to nothing of `before` is left in `after`. Where it stands does not matter: what is put in another order or
/// indented is still there.
pub fn replaces_all(before: &Text, after: &Text) -> bool {
    let (before, after) = (lines(before), lines(after));
    let (old, new) = (said(&before), said(&after));
    if kept(&old, &new) * ONE_LINE_IN >= old.len() && !old.is_empty() {
        return false;
    }
    let (old, new) = (words(&before), words(&after));
    if old.is_empty() {
        return before.iter().any(|line| !line.is_blank()) && before != after;
    }
    kept(&old, &new) * ONE_WORD_IN < old.len()
}

/// Whether these edits of `before` name all of its text, whatever they put there. Of a text of one line that says nothing:
/// who changes a word names the line that it stands in.
pub(super) fn names_all(edits: &[Change], before: &Text) -> bool {
    if lines(before).iter().filter(|line| !line.is_blank()).count() < 2 {
        return false;
    }
    let named: usize = edits.iter().map(|edit| edit.range.len()).sum();
    if named * 2 < before.len() {
        return false;
    }
    let mut left = String::new();
    let mut at = 0;
    for edit in edits {
        left.push_str(&before.slice(at..edit.range.start));
        at = edit.range.end;
    }
    left.push_str(&before.slice(at..before.len()));
    left.trim().is_empty()
}

fn lines(text: &Text) -> Vec<Line> {
    read(text, 0..text.line_count())
}

/// The lines that say something, indents aside: braces and rules look the same in any two files.
fn said(lines: &[Line]) -> Vec<&str> {
    let texts = lines.iter().map(|line| line.text.trim());
    texts.filter(|text| text.chars().any(char::is_alphanumeric)).collect()
}

fn words(lines: &[Line]) -> Vec<&str> {
    let words = lines.iter().flat_map(|line| line.text.split(|c: char| !c.is_alphanumeric()));
    words.filter(|word| !word.is_empty()).collect()
}

/// How many of `old` are in `new`, each as often as it is there.
fn kept(old: &[&str], new: &[&str]) -> usize {
    let mut left: HashMap<&str, usize> = HashMap::new();
    for item in new {
        *left.entry(item).or_default() += 1;
    }
    let mut kept = 0;
    for item in old {
        if let Some(count) = left.get_mut(item).filter(|count| **count > 0) {
            *count -= 1;
            kept += 1;
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(before: &str, after: &str, want: bool) {
        assert_eq!(replaces_all(&Text::from(before), &Text::from(after)), want, "{before:?} {after:?}");
    }

    #[test]
    fn another_text_is_none_of_the_old_one() {
        check("one\ntwo\n", "", true);
        check("one\ntwo\n", "other\nlines\n", true);
        check("fn a() {\n    b();\n}\n", "struct C {\n    d: E,\n}\n", true);
        check("{}\n", "x\n", true);
        check("1\n2\n3\n4\n5\n6\n7\n8\n", "8\na\nb\nc\n", true);
    }

    #[test]
    fn what_is_changed_in_parts_is_still_there() {
        check("one\ntwo\n", "one\n2\n", false);
        check("one\n", "one\ntwo\n", false);
        check("version = 1\n", "version = 2\n", false);
        check("b\na\n", "a\nb\n", false);
        check("if x {\n\ta(b);\n}\n", "if x {\n  a(\n    b,\n  );\n}\n", false);
        check("a\nb\n", "# a\n# b\n", false);
        check("a\r\nb\r\n", "a\nb\n", false);
        check("load(x)\nload(y)\n", "open(x)\nopen(y)\n", false);
        check("", "x\n", false);
        check("{}\n", "{}\n", false);
    }

    #[test]
    fn an_edit_that_names_the_whole_text_keeps_nothing_by_itself() {
        let text = Text::from("a\nb\n");
        let edit = |range| Change { range, text: "a\n".to_owned() };
        assert!(names_all(&[edit(0..4)], &text));
        assert!(names_all(&[edit(0..3)], &text), "the break is no text");
        assert!(names_all(&[edit(0..1), edit(2..3)], &text));
        assert!(!names_all(&[edit(0..2)], &text));
        assert!(!names_all(&[edit(0..2)], &Text::from("a\n")), "the only line there is");
    }
}
