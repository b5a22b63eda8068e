//! Absolute paths, and when two of them name one file.

use camino::{Utf8Path, Utf8PathBuf};

/// An absolute, lexically normalised path: no `.` or `..`, no trailing slash. Says nothing about existence or links.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
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
        self.0.starts_with(&folder.0)
    }
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
