//! One line taken out, with its line break.

use super::{File, Plan, line_at, start_of_line};
use crate::models::offline::edits::Change;
use crate::models::offline::grammar::Line;

/// Deletes the line with that number, or every line that says that and nothing else.
pub(super) fn deleted(file: File<'_>, line: &Line) -> Plan {
    let count = file.text.split('\n').count();
    let lines: Vec<usize> = match line {
        Line::Number(number) => number.checked_sub(1).filter(|line| *line < count).into_iter().collect(),
        Line::Text(wanted) => {
            let says_it = |(at, line): (usize, &str)| (line.trim() == wanted.trim()).then_some(at);
            file.text.split('\n').enumerate().filter_map(says_it).collect()
        }
    };
    if lines.is_empty() {
        return Plan::nothing(match line {
            Line::Number(0) => "Lines count from 1, so there is no line 0.".to_owned(),
            Line::Number(number) => {
                format!("`{}` has {count} lines, so there is no line {number}.", file.path)
            }
            Line::Text(wanted) => format!("No line of `{}` says just `{wanted}`.", file.path),
        });
    }
    Plan::of(lines.into_iter().map(|line| without(file.text, line)).collect())
}

/// The change that takes the zero-based `line` out; the last line goes with the line break before it.
pub(super) fn without(text: &str, line: usize) -> Change {
    let start = start_of_line(text, line);
    let end = start + line_at(text, line).len();
    let span = if end < text.len() { start..end + 1 } else { start.saturating_sub(1)..end };
    Change { span, new: String::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, line: Line, wanted: &str) {
        let mut made = text.to_owned();
        for change in deleted(File { path: "a.rs", text, context: None }, &line).changes.iter().rev() {
            made.replace_range(change.span.clone(), &change.new);
        }
        assert_eq!(made, wanted);
    }

    #[test]
    fn a_line_goes_with_its_line_break() {
        check("a\nb\nc", Line::Number(1), "b\nc");
        check("a\nb\nc", Line::Number(3), "a\nb");
        check("a", Line::Number(1), "");
        check("a\nb\nc", Line::Number(4), "a\nb\nc");
        check("a\nb\nc", Line::Number(0), "a\nb\nc");
        check("x\n  a b;\ny\na b;", Line::Text("a b;".to_owned()), "x\ny");
    }
}
