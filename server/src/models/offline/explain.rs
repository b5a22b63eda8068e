//! What the offline model can truly say about a file: its size and what is defined where.

use std::fmt::Write;

use super::code::{DefinitionKind, definitions};

/// Definitions named at most.
const MOST: usize = 12;

/// Describes `text`, or its lines `from..=to` (one-based), as Markdown.
pub(super) fn explain(path: &str, text: &str, lines: Option<(usize, usize)>) -> String {
    let count = text.split('\n').count();
    let (from, to) = lines.unwrap_or((1, count));
    let (from, to) = (from.clamp(1, count), to.clamp(1, count));
    let found: Vec<_> =
        definitions(text).into_iter().filter(|it| (from..=to).contains(&(it.line + 1))).collect();
    let mut said = if from == 1 && to == count {
        format!("`{path}` has {}.", lines_of(count))
    } else if from == to {
        format!("This is line {from} of {count} in `{path}`.")
    } else {
        format!("These are lines {from} to {to} of {count} in `{path}`.")
    };
    if found.is_empty() {
        said.push_str(" I see no definition of a function or a type there.");
        if let Some(around) = definitions(text).into_iter().rev().find(|it| it.line < from) {
            let _ = write!(said, " The last one before it is `{}` on line {}.", around.name, around.line + 1);
        }
    } else {
        said.push_str(" What is defined there:\n\n");
    }
    for definition in found.iter().take(MOST) {
        let kind = match definition.kind {
            DefinitionKind::Function => "function",
            DefinitionKind::Type => "type",
        };
        let _ = write!(said, "- line {}: the {kind} `{}`", definition.line + 1, definition.name);
        if !definition.parameters.is_empty() {
            let _ = write!(said, ", which takes `{}`", definition.parameters.join("`, `"));
        }
        if let Some(returns) = &definition.returns {
            let joint = if definition.parameters.is_empty() { ", which" } else { " and" };
            let _ = write!(said, "{joint} returns `{returns}`");
        }
        said.push('\n');
    }
    if found.len() > MOST {
        let _ = writeln!(said, "- and {} more", found.len() - MOST);
    }
    said.trim_end().to_owned() + "\n\nWhat the code is meant to do, only a language model could say."
}

fn lines_of(count: usize) -> String {
    if count == 1 { "1 line".to_owned() } else { format!("{count} lines") }
}

#[cfg(test)]
mod tests {
    use super::explain;

    #[test]
    fn it_says_what_it_sees_and_no_more() {
        let text = "struct Store;\n\nfn load(path: &str) -> Store {\n    Store\n}";
        assert_eq!(
            explain("a.rs", text, None),
            "`a.rs` has 5 lines. What is defined there:\n\n- line 1: the type `Store`\n\
             - line 3: the function `load`, which takes `path` and returns `Store`\n\n\
             What the code is meant to do, only a language model could say."
        );
        assert_eq!(
            explain("a.rs", text, Some((4, 4))),
            "This is line 4 of 5 in `a.rs`. I see no definition of a function or a type there. The last one before it \
             is `load` on line 3.\n\nWhat the code is meant to do, only a language model could say."
        );
    }
}
