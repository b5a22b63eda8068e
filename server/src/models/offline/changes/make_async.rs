//! `async` in front of a function: the keyword only, since who calls it is beyond a grammar.

use super::{File, Plan, line_at, meant_functions, start_of_line};
use crate::models::offline::code::{Definition, extension};
use crate::models::offline::edits::Change;

/// Makes the function that is meant async.
pub(super) fn made(file: File<'_>, target: Option<&str>) -> Plan {
    let functions = meant_functions(file, target);
    let Some(function) = functions.first() else {
        return Plan::nothing(format!("I see no function to make async there in `{}`.", file.path));
    };
    if function.head.split_whitespace().any(|word| word == "async") {
        return Plan::nothing(format!("`{}` is async already.", function.name));
    }
    let Some(at) = place(file, function) else {
        return Plan::nothing(format!("The language of `{}` has no `async` that I know.", file.path));
    };
    Plan {
        changes: vec![Change { span: at..at, new: "async ".to_owned() }],
        notes: vec![format!(
            "Only the keyword is added: each caller of `{}` must now wait for it, which a grammar can't do for you.",
            function.name
        )],
    }
}

/// Where the keyword goes: in Rust behind the visibility and `const`, elsewhere before the function's own keyword.
fn place(file: File<'_>, function: &Definition) -> Option<usize> {
    let keywords: &[&str] = match extension(file.path)? {
        "rs" => &["unsafe ", "extern ", "fn "],
        "js" | "jsx" | "ts" | "tsx" | "mjs" | "cjs" => &["function ", "function* "],
        "py" | "pyi" => &["def "],
        _ => return None,
    };
    let line = line_at(file.text, function.line);
    let at = keywords.iter().filter_map(|keyword| line.find(keyword)).min()?;
    Some(start_of_line(file.text, function.line) + at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(path: &str, text: &str, wanted: &str) {
        let mut made_async = text.to_owned();
        for change in made(File { path, text, context: None }, Some("load")).changes.iter().rev() {
            made_async.replace_range(change.span.clone(), &change.new);
        }
        assert_eq!(made_async, wanted);
    }

    #[test]
    fn the_keyword_goes_where_the_language_wants_it() {
        check("a.rs", "    pub(crate) unsafe fn load() {}", "    pub(crate) async unsafe fn load() {}");
        check("a.ts", "export function load() {}", "export async function load() {}");
        check("a.py", "def load():", "async def load():");
    }

    #[test]
    fn what_is_async_or_can_not_be_stays() {
        check("a.rs", "async fn load() {}", "async fn load() {}");
        check("a.go", "func load() {}", "func load() {}");
    }
}
