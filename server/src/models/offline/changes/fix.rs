//! The few diagnostics whose mending is plain: an import or a variable that nobody uses.

use super::delete_line::without;
use super::{File, Plan, line_at, start_of_line};
use crate::models::offline::code::extension;
use crate::models::offline::edits::Change;
use crate::models::offline::grammar::is_word;

/// Mends what `message` complains about where the user stands.
pub(super) fn fixed(file: File<'_>, message: &str) -> Plan {
    let Some(line) = complained_about(file, message) else {
        return Plan::nothing("I don't see which line the message is about.");
    };
    let lower = message.to_lowercase();
    let change = if lower.contains("unused import") || lower.contains("imported but unused") {
        unused_import(file, line)
    } else if lower.contains("unused variable") {
        unused_variable(file, line, message)
    } else {
        return Plan::nothing(
            "That takes a language model: the fixes I know are for an unused import and an unused variable.",
        );
    };
    change.map_or_else(
        || Plan::nothing(format!("Line {} is not as plain as the fixes I know.", line + 1)),
        |change| Plan::of(vec![change]),
    )
}

/// The zero-based line of the diagnostic with that message, else where the user stands.
fn complained_about(file: File<'_>, message: &str) -> Option<usize> {
    let context = file.context?;
    let same =
        context.diagnostics.iter().find(|it| it.message.contains(message) || message.contains(&it.message));
    let line = same.map(|it| it.line).or_else(|| context.lines.map(|(from, _)| from))?;
    line.checked_sub(1)
}

/// The whole line goes, if it imports one thing only.
fn unused_import(file: File<'_>, line: usize) -> Option<Change> {
    let written = line_at(file.text, line).trim();
    let imports = match extension(file.path)? {
        "rs" => written.starts_with("use ") && written.ends_with(';'),
        "py" | "pyi" => written.starts_with("import ") || written.starts_with("from "),
        "js" | "jsx" | "ts" | "tsx" | "mjs" => written.starts_with("import "),
        "go" => written.starts_with("import \""),
        _ => false,
    };
    (imports && !written.contains([',', '*'])).then(|| without(file.text, line))
}

/// An underscore in front says that it is meant.
fn unused_variable(file: File<'_>, line: usize, message: &str) -> Option<Change> {
    if extension(file.path)? != "rs" {
        return None;
    }
    let name = message.split('`').nth(1).filter(|name| !name.is_empty() && name.chars().all(is_word))?;
    let written = line_at(file.text, line);
    let at = written.match_indices(name).map(|(at, _)| at).find(|&at| {
        let before = written.get(..at).and_then(|text| text.chars().next_back());
        let behind = written.get(at + name.len()..).and_then(|text| text.chars().next());
        !before.is_some_and(is_word) && !behind.is_some_and(is_word)
    })?;
    let at = start_of_line(file.text, line) + at;
    Some(Change { span: at..at, new: "_".to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::models::offline::task::{Context, Diagnostic};

    #[track_caller]
    fn check(text: &str, line: usize, message: &str, wanted: &str) {
        let diagnostics = vec![Diagnostic { line, message: message.to_owned() }];
        let context = Context { path: "a.rs".to_owned(), lines: Some((line, line)), diagnostics };
        let mut made = text.to_owned();
        for change in fixed(File { path: "a.rs", text, context: Some(&context) }, message).changes {
            made.replace_range(change.span, &change.new);
        }
        assert_eq!(made, wanted);
    }

    #[test]
    fn what_nobody_uses() {
        check("use a::B;\nfn x() {}", 1, "unused import: `a::B`", "fn x() {}");
        check("let xx = 1;\nlet x = xx;", 2, "unused variable: `x`", "let xx = 1;\nlet _x = xx;");
    }

    #[test]
    fn anything_else_is_left_alone() {
        check("use a::{B, C};", 1, "unused import: `B`", "use a::{B, C};");
        check("let x: u8 = \"\";", 1, "mismatched types", "let x: u8 = \"\";");
    }
}
