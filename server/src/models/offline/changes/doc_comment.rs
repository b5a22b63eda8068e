//! A doc comment that says what the definition's own line says, and no more.

use super::{File, Plan, line_at, meant, start_of_line};
use crate::models::offline::code::{CommentStyle, Definition, comment_style};
use crate::models::offline::edits::Change;

/// Adds a doc comment to what is meant and has none.
pub(super) fn added(file: File<'_>, target: Option<&str>) -> Plan {
    let definitions = meant(file, target);
    let Some(style) = comment_style(file.path) else {
        return Plan::nothing(format!("I don't know how comments are written in `{}`.", file.path));
    };
    if definitions.is_empty() {
        return match target {
            Some(target) => Plan::nothing(format!("I see no definition of `{target}` in `{}`.", file.path)),
            None => Plan::nothing(format!("I see nothing to document there in `{}`.", file.path)),
        };
    }
    let mut plan = Plan::default();
    for definition in definitions {
        if is_documented(file.text, &definition, style) {
            plan.notes.push(format!("`{}` has a comment already.", definition.name));
        } else {
            plan.changes.push(comment(file.text, &definition, style));
        }
    }
    if !plan.changes.is_empty() {
        plan.notes.push(
            "The comments say what the code's own lines say; what it is for is yours to add.".to_owned(),
        );
    }
    plan
}

fn comment(text: &str, definition: &Definition, style: CommentStyle) -> Change {
    let indent = &definition.indent;
    let said = sentence(definition);
    let (line, written) = match style {
        CommentStyle::Above(marker) => (first_line(text, definition), format!("{indent}{marker}{said}\n")),
        CommentStyle::Block => (first_line(text, definition), format!("{indent}/** {said} */\n")),
        CommentStyle::Docstring => {
            let at = start_of_line(text, definition.line) + line_at(text, definition.line).len();
            return Change { span: at..at, new: format!("\n{indent}    \"\"\"{said}\"\"\"") };
        }
    };
    let at = start_of_line(text, line);
    Change { span: at..at, new: written }
}

/// The name's own words, then what goes in and comes out: `Load store: takes `path` and returns `Store`.`
fn sentence(definition: &Definition) -> String {
    let mut said = capitalised(&words(&definition.name));
    let takes = (!definition.parameters.is_empty())
        .then(|| format!("takes `{}`", definition.parameters.join("`, `")));
    let returns = definition.returns.as_ref().map(|returns| format!("returns `{returns}`"));
    let facts: Vec<String> = takes.into_iter().chain(returns).collect();
    if !facts.is_empty() {
        said.push_str(": ");
        said.push_str(&facts.join(" and "));
    }
    said.push('.');
    said
}

/// `load_store` and `loadStore` as `load store`.
fn words(name: &str) -> String {
    let mut words = String::new();
    let mut after_lower = false;
    for c in name.chars() {
        if c == '_' {
            words.push(' ');
        } else if c.is_uppercase() && after_lower {
            words.push(' ');
            words.extend(c.to_lowercase());
        } else {
            words.push(c);
        }
        after_lower = c.is_lowercase();
    }
    words.trim().to_owned()
}

fn capitalised(words: &str) -> String {
    let mut rest = words.chars();
    rest.next().map(|first| first.to_uppercase().chain(rest).collect()).unwrap_or_default()
}

/// The definition's line, or that of the first attribute or decorator above it.
fn first_line(text: &str, definition: &Definition) -> usize {
    let above: Vec<&str> = text.split('\n').take(definition.line).collect();
    let attributes =
        above.iter().rev().take_while(|line| line.trim_start().starts_with(['#', '@']) && !is_comment(line));
    definition.line - attributes.count()
}

fn is_documented(text: &str, definition: &Definition, style: CommentStyle) -> bool {
    match style {
        CommentStyle::Above(_) | CommentStyle::Block => {
            let first = first_line(text, definition);
            first > 0 && is_comment(line_at(text, first - 1))
        }
        CommentStyle::Docstring => line_at(text, definition.line + 1).trim_start().starts_with(['"', '\'']),
    }
}

fn is_comment(line: &str) -> bool {
    let line = line.trim();
    ["//", "/*", "# ", "--", "*"].iter().any(|marker| line.starts_with(marker)) || line.ends_with("*/")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::models::offline::task::Context;

    #[track_caller]
    fn check(path: &str, text: &str, target: Option<&str>, lines: Option<(usize, usize)>, wanted: &str) {
        let context = Context { path: path.to_owned(), lines, diagnostics: Vec::new() };
        let mut made = text.to_owned();
        for change in added(File { path, text, context: Some(&context) }, target).changes.iter().rev() {
            made.replace_range(change.span.clone(), &change.new);
        }
        assert_eq!(made, wanted);
    }

    #[test]
    fn each_language_has_its_own_comment() {
        check(
            "a.rs",
            "#[inline]\nfn load_store(path: &str) -> Store {",
            Some("load_store"),
            None,
            "/// Load store: takes `path` and returns `Store`.\n#[inline]\nfn load_store(path: &str) -> Store {",
        );
        check(
            "a.ts",
            "    function loadAll() {",
            None,
            None,
            "    /** Load all. */\n    function loadAll() {",
        );
        check(
            "a.py",
            "def load(path):\n    x",
            None,
            None,
            "def load(path):\n    \"\"\"Load: takes `path`.\"\"\"\n    x",
        );
    }

    #[test]
    fn the_one_the_user_stands_in_is_meant() {
        let text = "fn a() {}\nfn b() {\n    x\n}\nfn c() {}";
        check("a.rs", text, None, Some((3, 3)), "fn a() {}\n/// B.\nfn b() {\n    x\n}\nfn c() {}");
        check("a.rs", text, None, Some((1, 2)), "/// A.\nfn a() {}\n/// B.\nfn b() {\n    x\n}\nfn c() {}");
    }

    #[test]
    fn what_has_one_keeps_it() {
        check("a.rs", "/// Yes.\n#[test]\nfn a() {}", None, None, "/// Yes.\n#[test]\nfn a() {}");
        check("a.py", "def a():\n    \"\"\"Yes.\"\"\"", None, None, "def a():\n    \"\"\"Yes.\"\"\"");
    }
}
