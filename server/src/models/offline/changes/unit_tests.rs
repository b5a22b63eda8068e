//! A first test: that a function is there and, where that takes nothing, that it runs.

use std::fmt::Write;

use super::{File, Plan, meant_functions};
use crate::models::offline::code::{Definition, extension};
use crate::models::offline::edits::Change;

/// Adds a test module for the functions that are meant.
pub(super) fn written(file: File<'_>) -> Plan {
    if extension(file.path) != Some("rs") {
        return Plan::nothing("I can write a first test for Rust only.");
    }
    if file.text.contains("#[cfg(test)]") {
        return Plan::nothing(format!(
            "`{}` has tests already; better ones take a language model.",
            file.path
        ));
    }
    let functions: Vec<Definition> = meant_functions(file, None)
        .into_iter()
        .filter(|it| it.indent.is_empty() && it.name != "main" && !it.head.contains('<'))
        .collect();
    if functions.is_empty() {
        return Plan::nothing(format!("I see no plain function to test there in `{}`.", file.path));
    }
    let mut module = "\n\n#[cfg(test)]\nmod tests {\n    use super::*;\n".to_owned();
    for function in &functions {
        module.push_str(&test(function));
    }
    module.push('}');
    let at = file.text.trim_end().len();
    Plan {
        changes: vec![Change { span: at..at, new: module }],
        notes: vec!["The tests only show that the functions are there and run; what they should give is yours to say.".to_owned()],
    }
}

fn test(function: &Definition) -> String {
    let name = &function.name;
    let runs = function.head.contains("()")
        && function.returns.is_none()
        && !["async ", "unsafe "].iter().any(|modifier| function.head.contains(modifier));
    let (says, body) =
        if runs { ("runs", format!("{name}();")) } else { ("is_there", format!("let _ = {name};")) };
    let mut test = String::new();
    let _ = write!(test, "\n    #[test]\n    fn {name}_{says}() {{\n        {body}\n    }}\n");
    test
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_module_is_added_at_the_end() {
        let text = "fn load() {}\nfn sum(a: u8) -> u8 { a }";
        let plan = written(File { path: "a.rs", text, context: None });
        let module = "\n\n#[cfg(test)]\nmod tests {\n    use super::*;\n\n    #[test]\n    fn load_runs() {\n        \
                      load();\n    }\n\n    #[test]\n    fn sum_is_there() {\n        let _ = sum;\n    }\n}";
        assert_eq!(plan.changes, [Change { span: text.len()..text.len(), new: module.to_owned() }]);
    }

    #[test]
    fn it_says_so_when_it_can_not() {
        let none = |path, text| written(File { path, text, context: None });
        assert_eq!(none("a.py", "def load():").changes, []);
        assert_eq!(none("a.rs", "struct S;").changes, []);
        assert_eq!(none("a.rs", "fn a() {}\n#[cfg(test)]\nmod tests {}").changes, []);
    }
}
