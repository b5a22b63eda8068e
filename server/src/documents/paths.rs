//! Absolute paths, and when two of them name one file.

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};

use camino::{Utf8Path, Utf8PathBuf};

/// An absolute, lexically normalised path: no `.` or `..`, no trailing slash. Says nothing about existence or links.
///
/// Being normal, two are equal if their texts are: no path is taken apart to compare it.
#[derive(Clone, Debug)]
pub struct AbsPath(Utf8PathBuf);

impl AbsPath {
    /// `None` if `path` is not absolute.
    pub fn new(path: impl AsRef<Utf8Path>) -> Option<Self> {
        let path = path.as_ref();
        if !path.is_absolute() {
            return None;
        }
        let mut normal = Utf8PathBuf::new();
        for part in path.components() {
            match part {
                camino::Utf8Component::CurDir => {}
                camino::Utf8Component::ParentDir => {
                    normal.pop();
                }
                other => normal.push(other.as_str()),
            }
        }
        Some(Self(normal))
    }

    /// `path` as it stands, which somebody has put together from a normal path and names below it.
    pub(super) fn of_normal(path: String) -> Self {
        Self(path.into())
    }

    /// The folder that all others lie in.
    pub fn root() -> Self {
        Self(Utf8PathBuf::from("/"))
    }

    /// `path` as it stands if absolute, else below `self`.
    #[must_use]
    pub fn join(&self, path: impl AsRef<Utf8Path>) -> Self {
        Self::new(self.0.join(path)).unwrap_or_else(|| self.clone())
    }

    pub fn as_path(&self) -> &Utf8Path {
        &self.0
    }

    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    pub fn parent(&self) -> Option<Self> {
        self.0.parent().map(|parent| Self(parent.to_owned()))
    }

    pub fn file_name(&self) -> &str {
        self.0.file_name().unwrap_or_default()
    }

    /// Lexically at or below `folder`.
    pub fn is_in(&self, folder: &Self) -> bool {
        let rest = self.as_str().strip_prefix(folder.as_str());
        let ends = |bytes: &[u8]| bytes.last().is_some_and(|&last| is_separator(last));
        rest.is_some_and(|rest| {
            let next = rest.as_bytes().first();
            next.is_none_or(|&next| is_separator(next)) || ends(folder.as_str().as_bytes())
        })
    }
}

impl PartialEq for AbsPath {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for AbsPath {}

impl Hash for AbsPath {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_str().hash(state);
    }
}

impl Ord for AbsPath {
    /// Part by part: what lies in a folder comes right behind it.
    fn cmp(&self, other: &Self) -> Ordering {
        let (one, other) = (self.as_str().as_bytes(), other.as_str().as_bytes());
        let same = same_bytes(one, other);
        // A path's end comes before a separator, and that before every byte of a name.
        let rank = |bytes: &[u8]| bytes.get(same).map(|&byte| if is_separator(byte) { 0 } else { byte });
        rank(one).cmp(&rank(other))
    }
}

impl PartialOrd for AbsPath {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Bytes that both begin with. Paths of one folder have many, so they are looked at in blocks first.
fn same_bytes(one: &[u8], other: &[u8]) -> usize {
    const BLOCK: usize = 16;
    let blocks = one.as_chunks::<BLOCK>().0.iter().zip(other.as_chunks::<BLOCK>().0);
    let begin = BLOCK * blocks.take_while(|(one, other)| one == other).count();
    let rest = one.iter().zip(other).skip(begin);
    begin + rest.take_while(|(one, other)| one == other).count()
}

const fn is_separator(byte: u8) -> bool {
    byte == b'/' || (cfg!(windows) && byte == b'\\')
}

/// How a volume compares names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathCase {
    Sensitive,
    /// Spellings that differ in case only name one file.
    Insensitive,
}

impl PathCase {
    /// What is usual on this system.
    pub const fn usual() -> Self {
        if cfg!(any(windows, target_os = "macos")) { Self::Insensitive } else { Self::Sensitive }
    }

    /// The spelling under which `path` is compared; equal for two spellings of one file. Never shown, never opened.
    pub fn key(self, path: &AbsPath) -> AbsPath {
        match self {
            Self::Sensitive => path.clone(),
            Self::Insensitive => AbsPath(path.0.as_str().to_lowercase().into()),
        }
    }

    /// Both name the same file, links aside.
    pub fn same_file(self, a: &AbsPath, b: &AbsPath) -> bool {
        a == b || self.key(a) == self.key(b)
    }

    /// `path` is at or below `folder`, links aside.
    pub fn is_in(self, path: &AbsPath, folder: &AbsPath) -> bool {
        path.is_in(folder) || self.key(path).is_in(&self.key(folder))
    }
}

impl std::fmt::Display for AbsPath {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(path: &str) -> AbsPath {
        AbsPath::new(path).unwrap()
    }

    #[test]
    fn a_path_is_normalised() {
        assert_eq!(path("/w/./a/../b//c/").as_str(), "/w/b/c");
        assert_eq!(path("/../..").as_str(), "/");
        assert_eq!(AbsPath::new("w/a"), None);
        assert_eq!(path("/w").join("../x").as_str(), "/x");
        assert!(path("/w/a").is_in(&path("/w")) && !path("/wa").is_in(&path("/w")));
    }

    #[test]
    fn paths_are_in_the_order_of_their_parts() {
        let names =
            ["/", "/a", "/a/b", "/a/b/c", "/a/c", "/a b", "/a!/b", "/a-b/c", "/a.b", "/ab", "/ä", "/日本/x"];
        let deep = |name: &str| format!("/a/folder/that/is/deeper/than/a/block{name}");
        let all: Vec<String> = names.iter().map(|name| (*name).to_owned()).chain(names.map(deep)).collect();
        for (one, other) in all.iter().flat_map(|one| all.iter().map(move |other| (one, other))) {
            let wanted = Utf8Path::new(one).cmp(Utf8Path::new(other));
            assert_eq!(path(one).cmp(&path(other)), wanted, "{one} {other}");
        }
    }

    #[track_caller]
    fn check(case: PathCase, a: &str, b: &str, same: bool) {
        assert_eq!(case.same_file(&path(a), &path(b)), same, "{case:?} {a} {b}");
    }

    #[test]
    fn case_decides_whether_two_spellings_are_one_file() {
        check(PathCase::Insensitive, "/W/App/x.rs", "/W/App/X.rs", true);
        check(PathCase::Sensitive, "/W/App/x.rs", "/W/App/X.rs", false);
        check(PathCase::Insensitive, "/w/ÄÖ.rs", "/w/äö.rs", true);
        check(PathCase::Insensitive, "/w/x.rs", "/w/y.rs", false);
    }

    #[test]
    fn case_decides_whether_a_path_lies_inside() {
        assert!(PathCase::Insensitive.is_in(&path("/w/app/x.rs"), &path("/W/App")));
        assert!(!PathCase::Sensitive.is_in(&path("/w/app/x.rs"), &path("/W/App")));
        assert!(!PathCase::Insensitive.is_in(&path("/w/apple/x.rs"), &path("/W/App")));
    }
}
