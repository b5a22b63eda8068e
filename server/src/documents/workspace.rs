//! The folders a session works in.

use super::AbsPath;

/// The workspace: its roots, and how paths compare there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Workspace {
    /// At least one; the first is where relative paths start.
    pub roots: Vec<AbsPath>,
    /// Two spellings that differ in case name one file (usual on macOS and Windows).
    pub case_insensitive: bool,
}

impl Workspace {
    pub fn new(roots: Vec<AbsPath>, case_insensitive: bool) -> Self {
        Self { roots, case_insensitive }
    }

    /// Whether `path`, with its symbolic links followed, lies at or below a root (followed too). A missing last part is
    /// judged by the folder it would be made in.
    pub fn contains(&self, path: &AbsPath) -> bool {
        self.roots.iter().any(|root| path.is_in(root))
    }

    /// How a person reads `path`: relative to the root it lies in, else whole.
    pub fn display(&self, path: &AbsPath) -> String {
        self.roots
            .iter()
            .find_map(|root| path.as_path().strip_prefix(root.as_path()).ok())
            .map_or_else(|| path.to_string(), ToString::to_string)
    }
}
