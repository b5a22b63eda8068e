//! `sed`: scripts that print, drop and replace, and write to nothing but the output.

use std::sync::LazyLock;

use regex::Regex;

use super::options::{self, Unknown};
use crate::shell::command::Word;

/// Without `-i`, which writes, and `-f`, whose script is not in the command line.
const OPTIONS: &str = "-n -E -r -s -u -z --quiet --silent --regexp-extended --separate --unbuffered --null-data \
    --posix -e: --expression=";

/// One command with its addresses: `p`, `d`, `q`, `=`, or a replacement whose flags neither run (`e`) nor write (`w`) it.
/// A pattern holds no bracket with a slash in it, of which seds make different things.
static COMMAND: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let piece = |end: &str| format!(r"(?:\\[^\n]|\[[^\]\[{end}\n\\]+\]|[^{end}\[\\\n])*");
    let address = format!(r"(?:\d+(?:~\d+)?|\$|/{}/I?)", piece("/"));
    let to = format!(r"(?:{address}|\+\d+|~\d+)");
    let replace = |mark: &str| format!("s{mark}{0}{mark}{0}{mark}[gpiI0-9]*", piece(mark));
    let replaces = ["/", "#", ",", "@"].map(replace).join("|");
    Regex::new(&format!(
        r"^[ \t]*(?:{address}(?:,{to})?)?[ \t]*!?[ \t]*(?:[pdq=]|{replaces})[ \t]*(?:[;\n]|$)"
    ))
    .ok()
});

pub(super) fn reads(arguments: &[Word]) -> Option<Vec<Word>> {
    let mut given = options::read(arguments, &[OPTIONS], Unknown::Refused)?;
    let mut scripts: Vec<Word> = given.values(&["-e", "--expression"]).cloned().collect();
    if scripts.is_empty() {
        if given.operands.is_empty() {
            return None;
        }
        scripts.push(given.operands.remove(0));
    }
    let only_prints = scripts.iter().all(|script| script.literal.as_deref().is_some_and(only_prints));
    only_prints
        .then(|| given.operands.into_iter().filter(|word| word.literal.as_deref() != Some("-")).collect())
}

fn only_prints(script: &str) -> bool {
    let Some(command) = COMMAND.as_ref() else { return false };
    let mut left = script;
    while !left.trim().is_empty() {
        match command.find(left).and_then(|found| left.get(found.end()..)) {
            Some(rest) => left = rest,
            None => return false,
        }
    }
    true
}
