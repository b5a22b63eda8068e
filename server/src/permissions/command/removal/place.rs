//! Which place a word of a removal names, once the shell has made of it what it is likely to make.

use crate::documents::AbsPath;
use crate::shell::command::{Expansion, Word};

/// What a word names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Named {
    /// This, or all that lies in it.
    Place(AbsPath),
    /// All that lies in this, should a variable that nobody has set be empty.
    IfEmpty(AbsPath),
    Unknown,
}

/// What `word` names in `cwd`. `text`: the whole line, which may set variables.
pub(super) fn named(word: &Word, cwd: &AbsPath, home: Option<&AbsPath>, text: &str) -> Named {
    match &word.literal {
        // Quotes keep the shell from reading anything into it.
        Some(literal) if *literal != word.source => Named::Place(cwd.join(literal)),
        Some(_) | None if word.source.is_empty() => Named::Unknown,
        Some(_) | None => spelled(&word.source, cwd, home, text),
    }
}

/// The first word of `text` that names a place which `is_kept`.
pub(super) fn is_named_in(
    text: &str,
    cwd: &AbsPath,
    home: Option<&AbsPath>,
    is_kept: impl Fn(&AbsPath) -> bool,
) -> Option<String> {
    let ends = |c: char| c.is_whitespace() || ";|&()<>=`".contains(c);
    let words = text.split(ends).filter(|word| word.starts_with(['/', '~', '$', '"', '\'']));
    let found = words.filter(|word| match spelled(word, cwd, home, text) {
        Named::Place(path) => is_kept(&path),
        Named::IfEmpty(_) | Named::Unknown => false,
    });
    found.map(str::to_owned).next()
}

/// The text of a word as a shell that is given it would read it.
pub(super) fn unquoted(word: &Word) -> String {
    if let Some(literal) = &word.literal {
        return literal.clone();
    }
    let inside = word.source.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
    inside.unwrap_or(&word.source).replace("\\\"", "\"").replace("\\$", "$")
}

/// A word for the folder that a command runs in.
pub(super) fn here() -> Word {
    let here = || ".".to_owned();
    Word { source: here(), literal: Some(here()), starts_with: here(), expansion: Expansion::One }
}

fn spelled(source: &str, cwd: &AbsPath, home: Option<&AbsPath>, text: &str) -> Named {
    let bare = source.replace(['"', '\'', '\\'], "");
    let home = home.map_or("/home/~", AbsPath::as_str);
    let known = with_home(&bare, home);
    let known = variable(&known, "HOME", home);
    let known = variable(&known, "PWD", cwd.as_str());
    let known = known.replace("$(pwd)", cwd.as_str()).replace("~+", cwd.as_str());
    match known.find(['$', '`']) {
        None if known.is_empty() => Named::Unknown,
        None => Named::Place(cwd.join(swept(&known))),
        Some(at) => {
            let (front, behind) = known.split_at(at);
            hanging(front, behind, cwd, text)
        }
    }
}

/// `~`, and the home of whomever is named behind it.
fn with_home(word: &str, home: &str) -> String {
    match word.strip_prefix('~') {
        Some(behind) if !behind.starts_with(['+', '-']) => {
            let rest = behind.find('/').and_then(|at| behind.get(at..)).unwrap_or_default();
            format!("{home}{rest}")
        }
        Some(_) | None => word.to_owned(),
    }
}

/// `word` with `value` for `$NAME`, and for `${NAME}` with whatever is said of it in the braces.
fn variable(word: &str, name: &str, value: &str) -> String {
    let mut out = String::new();
    let mut rest = word;
    while let Some(at) = rest.find('$') {
        let (front, behind) = rest.split_at(at);
        out.push_str(front);
        let plain = behind.strip_prefix('$').and_then(|it| it.strip_prefix(name));
        let plain = plain.filter(|it| !it.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_'));
        let braced = behind.strip_prefix("${").and_then(|it| it.strip_prefix(name));
        let braced = braced.filter(|it| it.starts_with(['}', ':', '%', '-', '?']));
        let braced = braced.and_then(|it| it.find('}').and_then(|end| it.get(end + 1..)));
        if let Some(left) = plain.or(braced) {
            out.push_str(value);
            rest = left;
        } else {
            out.push('$');
            rest = behind.get(1..).unwrap_or_default();
        }
    }
    out + rest
}

/// `path` without the patterns at its end that stand for all that lies there.
fn swept(path: &str) -> &str {
    let is_all = |name: &str| name.contains(['*', '?', '[']) && !name.chars().any(char::is_alphanumeric);
    let mut left = path.trim_end_matches('/');
    while let Some((folder, name)) = left.rsplit_once('/') {
        if !is_all(name) {
            break;
        }
        left = folder;
    }
    match left {
        "" => "/",
        name if is_all(name) => ".",
        left => left,
    }
}

/// `$X/*`: all of the root, if nobody has set the variable; `~/$X` in the same way.
fn hanging(front: &str, behind: &str, cwd: &AbsPath, text: &str) -> Named {
    let braced = behind.strip_prefix("${").and_then(|it| it.split_once('}'));
    let plain = behind.strip_prefix('$').map(|it| {
        let end = it.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(it.len());
        it.split_at(end)
    });
    let Some((name, rest)) = braced.or(plain) else { return Named::Unknown };
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let is_set =
        [format!("{name}="), format!("for {name} "), format!("read {name}"), format!("read -r {name}")]
            .iter()
            .any(|set| text.contains(set.as_str()));
    let stands_alone = front.is_empty() || front.ends_with('/');
    let whole = format!("{front}{rest}");
    let sweeps = whole.starts_with('/') && swept(rest.trim_start_matches('/')) == "."
        || rest.is_empty()
        || rest == "/";
    if !is_name || is_set || !stands_alone || !sweeps || !whole.starts_with('/') {
        return Named::Unknown;
    }
    Named::IfEmpty(cwd.join(swept(&whole)))
}
