//! Absolute paths.

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

impl std::fmt::Display for AbsPath {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}
