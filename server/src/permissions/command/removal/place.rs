//! Which places a word of a removal names, once the shell has made of it what it is likely to make, and which of them are
//! kept.

use super::Kept;
use super::values::Values;
use crate::documents::AbsPath;
use crate::shell::command::Word;

/// What a word names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Named {
    /// These, or all that lies in them; a name may be a pattern.
    Places(Vec<AbsPath>),
    Unknown,
}

impl Named {
    /// The one folder that is meant, if that is known.
    pub(super) fn into_one(self) -> Option<AbsPath> {
        match self {
            Self::Places(places) => places.into_iter().next(),
            Self::Unknown => None,
        }
    }
}

/// Where and with what a word is read.
#[derive(Clone, Copy)]
pub(super) struct Scene<'a> {
    /// `None`: the command runs in a folder that is not known.
    pub(super) cwd: Option<&'a AbsPath>,
    pub(super) kept: &'a Kept<'a>,
    pub(super) values: &'a Values,
}

/// What `word` names.
pub(super) fn named(word: &Word, scene: &Scene<'_>) -> Named {
    let texts = match &word.literal {
        // Quotes keep the shell from reading anything into it.
        Some(literal) if *literal != word.source => Some(vec![literal.clone()]),
        Some(_) | None if word.source.is_empty() => None,
        Some(_) | None => scene.values.texts(&word.source, scene),
    };
    let Some(texts) = texts else { return Named::Unknown };
    let texts = texts.iter().flat_map(|text| alternatives(text)).filter(|text| !text.is_empty());
    let path = |text: String| match swept(&text) {
        name if name.starts_with('/') => AbsPath::new(name),
        name => scene.cwd.map(|cwd| cwd.join(name)),
    };
    texts.map(path).collect::<Option<Vec<AbsPath>>>().map_or(Named::Unknown, Named::Places)
}

impl Kept<'_> {
    /// Neither the path nor one in it may go: the root, a folder of the system, home, the workspace and what is above them,
    /// and what a repository keeps. Links are followed.
    pub(super) fn holds(&self, path: &AbsPath) -> bool {
        self.holds_name(path) || path.followed().is_some_and(|real| self.holds_name(&real))
    }

    fn holds_name(&self, path: &AbsPath) -> bool {
        let is_or_is_above = |kept: &AbsPath| above(kept).any(|kept| is_meant(path, &kept));
        is_of_system(path)
            || self.home.is_some_and(is_or_is_above)
            || self.roots.iter().any(is_or_is_above)
            || repository(path)
                .is_some_and(|of| self.roots.iter().any(|root| root.is_in(&of) || of.is_in(root)))
    }
}

/// The root, or a folder in it.
fn is_of_system(path: &AbsPath) -> bool {
    path.parent().is_none_or(|above| above.parent().is_none())
}

/// The folder whose `.git` this is, or lies in; a lock that was left there may go.
fn repository(path: &AbsPath) -> Option<AbsPath> {
    let git = above(path).filter(|it| fits(it.file_name(), ".git")).last()?;
    if path.as_path().extension() == Some("lock") { None } else { git.parent() }
}

/// The path and the folders that it lies in.
fn above(path: &AbsPath) -> impl Iterator<Item = AbsPath> {
    std::iter::successors(Some(path.clone()), AbsPath::parent)
}

/// Whether `path`, which may hold patterns, can mean `kept`.
fn is_meant(path: &AbsPath, kept: &AbsPath) -> bool {
    let (pattern, names) = (path.as_str().split('/'), kept.as_str().split('/'));
    path == kept
        || (pattern.clone().count() == names.clone().count() && pattern.zip(names).all(|(p, n)| fits(p, n)))
}

/// Whether the pattern of a name can mean `name`. A leading dot has to be written.
pub(super) fn fits(pattern: &str, name: &str) -> bool {
    if !pattern.contains(PATTERN) {
        return pattern == name;
    }
    let wide = without_sets(pattern).replace('?', "*");
    if name.starts_with('.') && !wide.starts_with('.') {
        return false;
    }
    let mut pieces = wide.split('*');
    let Some(mut left) = pieces.next().and_then(|first| name.strip_prefix(first)) else { return false };
    let mut pieces: Vec<&str> = pieces.collect();
    let last = pieces.pop().unwrap_or_default();
    for piece in pieces {
        match left.split_once(piece) {
            Some((_, rest)) => left = rest,
            None => return false,
        }
    }
    left.ends_with(last)
}

/// Characters that make a pattern of a name.
const PATTERN: [char; 3] = ['*', '?', '['];

/// `name` with `*` for each `[…]`.
fn without_sets(name: &str) -> String {
    let mut out = String::new();
    let mut rest = name;
    while let Some((front, set)) = rest.split_once('[') {
        out.push_str(front);
        match set.split_once(']') {
            Some((_, behind)) => {
                out.push('*');
                rest = behind;
            }
            None => return format!("{out}[{set}"),
        }
    }
    out + rest
}

/// Whether a name is a pattern that all names fit, but for a few.
pub(super) fn all_of(name: &str) -> bool {
    name.contains(PATTERN) && !without_sets(name).chars().any(char::is_alphanumeric)
}

/// The text of a word as a shell that is given it would read it.
pub(super) fn unquoted(word: &Word) -> String {
    if let Some(literal) = &word.literal {
        return literal.clone();
    }
    let inside = word.source.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
    inside.unwrap_or(&word.source).replace("\\\"", "\"").replace("\\$", "$")
}

/// `path` without the patterns at its end that stand for all that lies there.
fn swept(path: &str) -> &str {
    let mut left = path.trim_end_matches('/');
    while let Some((folder, name)) = left.rsplit_once('/') {
        if !all_of(name) {
            break;
        }
        left = folder;
    }
    match left {
        "" => "/",
        name if all_of(name) => ".",
        left => left,
    }
}

/// Each text that the first list in braces makes of `text`; a list in a list is left as it is.
fn alternatives(text: &str) -> Vec<String> {
    let list = text.split_once('{').and_then(|(front, rest)| Some((front, rest.split_once('}')?)));
    match list {
        Some((front, (inside, behind))) if inside.contains(',') && !inside.contains('{') => {
            inside.split(',').map(|one| format!("{front}{one}{behind}")).collect()
        }
        Some(_) | None => vec![text.to_owned()],
    }
}
