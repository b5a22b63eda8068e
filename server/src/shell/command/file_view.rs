//! Command lines that show one file, and so count as having read it.

use super::{Parsed, SimpleCommand, parse};

/// One file that a command showed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileView {
    /// As the command names it.
    pub path: String,
    pub shown: Shown,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    Whole,
    Part,
}

/// The one file that `text` shows: `cat`, `nl`, `bat`, `head`, `tail`, `sed -n 'X,Yp'`, `grep` or `rg` on a single file, without
/// a pipe or a redirection.
pub fn file_view(text: &str) -> Option<FileView> {
    let Parsed::Script(script) = parse(text) else { return None };
    let [command] = script.commands.as_slice() else { return None };
    if !command.redirections.is_empty() || command.place.depth > 0 {
        return None;
    }
    let arguments = literals(command)?;
    let view = |path: &str, shown| Some(FileView { path: path.to_owned(), shown });
    match command.program()? {
        "cat" | "nl" | "bat" => view(only(&operands(&arguments, &[])?)?, Shown::Whole),
        "head" | "tail" => view(only(&operands(&arguments, &["-n", "-c"])?)?, Shown::Part),
        "sed" => match arguments.as_slice() {
            ["-n", script, path] if prints_lines(script) && !path.starts_with('-') => view(path, Shown::Part),
            _ => None,
        },
        "grep" | "egrep" | "fgrep" | "rg" => {
            let shows = !arguments.iter().any(|word| hides_lines(word));
            let found = operands(&arguments, &["-A", "-B", "-C", "-m"]).filter(|_| shows)?;
            match found.as_slice() {
                [_pattern, path] => view(path, Shown::Part),
                _ => None,
            }
        }
        _ => None,
    }
}

fn literals(command: &SimpleCommand) -> Option<Vec<&str>> {
    command.words.iter().skip(1).map(|word| word.literal.as_deref()).collect()
}

/// The words that are no options; those in `with_value` take the next.
fn operands<'a>(words: &[&'a str], with_value: &[&str]) -> Option<Vec<&'a str>> {
    let mut found = Vec::new();
    let mut left = words.iter();
    while let Some(word) = left.next() {
        if *word == "--" {
            found.extend(left.copied());
            break;
        }
        if with_value.contains(word) {
            left.next()?;
        } else if !word.starts_with('-') {
            found.push(*word);
        }
    }
    Some(found)
}

fn only<'a>(words: &[&'a str]) -> Option<&'a str> {
    match words {
        [one] => Some(one),
        _ => None,
    }
}

/// `5p`, `1,20p` or `3,$p`.
fn prints_lines(script: &str) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    script.strip_suffix('p').is_some_and(|lines| match lines.split_once(',') {
        Some((first, last)) => is_number(first) && (is_number(last) || last == "$"),
        None => is_number(lines),
    })
}

/// An option with which the lines themselves are not shown, or with which it is not sure what is the pattern.
fn hides_lines(word: &str) -> bool {
    let shows = |c: char| "nHhiwxvEFPasAUBCm0123456789".contains(c);
    match word.strip_prefix("--") {
        Some("") => false,
        Some(name) => {
            !matches!(name, "line-number" | "ignore-case" | "fixed-strings" | "word-regexp" | "with-filename")
        }
        None => word.len() > 1 && word.strip_prefix('-').is_some_and(|letters| !letters.chars().all(shows)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, want: Option<(&str, Shown)>) {
        let told = file_view(text);
        assert_eq!(told.as_ref().map(|view| (view.path.as_str(), view.shown)), want, "{text}");
    }

    #[test]
    fn one_file_that_is_shown() {
        check("cat a.rs", Some(("a.rs", Shown::Whole)));
        check("cat -n 'a b'", Some(("a b", Shown::Whole)));
        check("nl a", Some(("a", Shown::Whole)));
        check("head -n 5 a", Some(("a", Shown::Part)));
        check("tail -20 a", Some(("a", Shown::Part)));
        check("sed -n '10,20p' a", Some(("a", Shown::Part)));
        check("grep -n -A 3 x a", Some(("a", Shown::Part)));
        check("rg x -- a", Some(("a", Shown::Part)));
    }

    #[test]
    fn more_or_less_than_one() {
        for text in [
            "cat a b",
            "cat",
            "cat a | head",
            "cat a > b",
            "cat < a",
            "cat *.rs",
            "cat $x",
            "cat a; cat b",
            "sed -n '1p;w b' a",
            "sed 1p a",
            "grep -l x a",
            "grep -c x a",
            "grep -r x a",
            "grep -e x a",
            "grep -f p a",
            "grep x",
            "(cat a)",
            "cat $(ls)",
            "ls a",
        ] {
            check(text, None);
        }
    }
}
