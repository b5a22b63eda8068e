//! Text as a person may see it: nothing hidden, and no longer than its place.

use std::borrow::Cow;

use crate::permissions::{Asks, PermissionRequest, has_hidden, is_hidden, visible};
use crate::review::FileReview;

/// Words on one line: hidden characters by their names, line breaks too.
pub(in crate::lsp) fn one_line(text: &str) -> Cow<'_, str> {
    if has_hidden(text) { Cow::Owned(visible(text)) } else { Cow::Borrowed(text) }
}

/// The question, on one line, with its question mark. That of a choice may bring its own; the title of a call may end in the
/// name of a file, so nothing is taken from it.
pub(super) fn asked(request: &PermissionRequest) -> String {
    let title = one_line(&request.title);
    let mark = if request.asks == Asks::Choice && title.ends_with('?') { "" } else { "?" };
    format!("{title}{mark}")
}

/// A line of a file without its break: hidden characters by their names, but for the tabs it may hold.
pub(super) fn code_line(line: &str) -> Cow<'_, str> {
    let line = line.trim_end_matches(['\n', '\r']);
    if !has_hidden(line) {
        return Cow::Borrowed(line);
    }
    Cow::Owned(line.split('\t').map(|piece| one_line(piece)).collect::<Vec<_>>().join("\t"))
}

/// Cut to `width` characters, the last of them `…`.
pub(in crate::lsp) fn shortened(text: &str, width: usize) -> Cow<'_, str> {
    if text.chars().count() <= width {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().take(width.saturating_sub(1)).chain(['…']).collect())
}

/// What is said of a file whose changes can't be offered now.
pub(super) fn out_of_step(file: &FileReview) -> String {
    format!(
        "What you see of {} is not known to Copydesk: a change of it could not be read.\nIts changes wait until you close the file and open it again.",
        file.path.file_name()
    )
}

/// `a, b and c`; of more than three names the first two, and how many others there are.
pub(super) fn listed(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [only] => only.clone(),
        [first, second, _, _, ..] => format!("{first}, {second} and {} more", names.len() - 2),
        [before @ .., last] => format!("{} and {last}", before.join(", ")),
    }
}

/// The hidden characters of a file's text, each once, in order: `U+202E`. What joins or colours an emoji or a word that
/// is not ASCII is doing its work and does not count.
pub(super) fn hidden_characters(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~' | b'\n' | b'\r' | b'\t')) {
        return found;
    }
    let mut before = '\n';
    for char in text.chars() {
        let usual = matches!(char, '\n' | '\r' | '\t');
        let joins = match char {
            '\u{200c}' | '\u{fe0e}' | '\u{fe0f}' => !before.is_ascii() && !is_hidden(before),
            '\u{200d}' => !before.is_ascii() && (before == '\u{fe0f}' || !is_hidden(before)),
            _ => false,
        };
        if !usual && !joins && is_hidden(char) {
            let name = code_point(char);
            if !found.contains(&name) {
                found.push(name);
            }
        }
        before = char;
    }
    found
}

/// Those of a file's name, in which nothing is usual.
pub(super) fn hidden_in_name(name: &str) -> Vec<String> {
    name.chars().filter(|&char| is_hidden(char)).map(code_point).collect()
}

fn code_point(char: char) -> String {
    format!("U+{:04X}", u32::from(char))
}

/// That there is no summary, and why.
pub(in crate::lsp) fn not_summed_up(why: &str) -> String {
    format!("The conversation could not be summed up: {why}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_listed_and_many_are_counted() {
        let listed =
            |names: &[&str]| listed(&names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>());
        assert_eq!(listed(&["a"]), "a");
        assert_eq!(listed(&["a", "b"]), "a and b");
        assert_eq!(listed(&["a", "b", "c"]), "a, b and c");
        assert_eq!(listed(&["a", "b", "c", "d"]), "a, b and 2 more");
    }

    #[test]
    fn a_line_of_code_keeps_its_tabs_and_its_own_escapes() {
        assert_eq!(code_line("\tlet a = \"\\u{202e}\";\r\n"), "\tlet a = \"\\u{202e}\";");
        assert_eq!(code_line("\tlet a = \u{202e}1;\n"), "\tlet a = \\u{202e}1;");
        assert_eq!(one_line("rm x\nls"), "rm x\\u{a}ls");
    }

    #[test]
    fn only_what_deceives_is_called_hidden() {
        assert_eq!(hidden_characters("a\u{202e}b\u{200b}c\u{202e}"), ["U+202E", "U+200B"]);
        assert_eq!(hidden_characters("fn a() {\r\n\tgröße 👩\u{200d}🚀 ❤\u{fe0f}\n"), Vec::<String>::new());
        assert_eq!(hidden_characters("a\u{200d}b"), ["U+200D"]);
        // One of a row joins nothing: in a row they spell what nobody sees.
        assert_eq!(hidden_characters("é\u{fe0f}\u{fe0e}\u{fe0f}"), ["U+FE0E", "U+FE0F"]);
        assert_eq!(hidden_characters("👁\u{fe0f}\u{200d}🗨\u{fe0f}"), Vec::<String>::new());
    }

    #[test]
    fn what_is_too_long_ends_in_dots() {
        assert_eq!(shortened("größer", 6), "größer");
        assert_eq!(shortened("größer", 4), "grö…");
    }
}
