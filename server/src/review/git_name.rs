//! A file's name in the lines of a diff, as git writes it there.

use std::fmt::Write as _;

/// A name that those lines can't hold is put into quotes, in the escapes of C (`core.quotePath` in git-config); so is one
/// with a character of which `hides` says that nobody would see it.
pub fn git_name(name: &str, hides: impl Fn(char) -> bool) -> String {
    let is_plain = |c: char| !c.is_ascii_control() && !matches!(c, '"' | '\\') && !hides(c);
    if name.chars().all(is_plain) {
        return name.to_owned();
    }
    let mut quoted = String::from("\"");
    for c in name.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            '\r' => quoted.push_str("\\r"),
            c if is_plain(c) => quoted.push(c),
            c => {
                for byte in c.encode_utf8(&mut [0; 4]).bytes() {
                    // Writing to a string can't fail.
                    let _ = write!(quoted, "\\{byte:03o}");
                }
            }
        }
    }
    quoted + "\""
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_quoted_where_git_would_not_read_it_or_nobody_would_see_it() {
        let check = |name: &str, want: &str| assert_eq!(git_name(name, |c| c == '\u{202e}'), want);
        check("a/größe b.rs", "a/größe b.rs");
        check("a/\"b\"\t\u{1}\\", r#""a/\"b\"\t\001\\""#);
        check("a/ev\u{202e}ilö.py", r#""a/ev\342\200\256ilö.py""#);
    }
}
