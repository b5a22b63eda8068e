//! The folders a session works in.

use super::links::{self, Unresolvable};
use super::{AbsPath, PathCase};

/// The workspace: its roots, and how paths compare there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Workspace {
    /// At least one; the first is where relative paths start.
    pub roots: Vec<AbsPath>,
    /// Two spellings that differ in case name one file (usual on macOS and Windows).
    pub case_insensitive: bool,
    /// The roots with their links followed, in the same order.
    real_roots: Vec<AbsPath>,
    /// Where this program keeps what it saved for its models, which they may read.
    own_folder: Option<AbsPath>,
}

impl Workspace {
    pub fn new(roots: Vec<AbsPath>, case_insensitive: bool) -> Self {
        let real_roots =
            roots.iter().map(|root| links::follow(root).unwrap_or_else(|_| root.clone())).collect();
        Self { roots, case_insensitive, real_roots, own_folder: None }
    }

    /// The same with a folder of the program's own, made by nobody else.
    #[must_use]
    pub fn with_own_folder(self, folder: AbsPath) -> Self {
        Self { own_folder: Some(folder), ..self }
    }

    /// Whether the real path `real` lies in the program's own folder.
    pub fn is_own(&self, real: &AbsPath) -> bool {
        let folder = self.own_folder.as_ref().and_then(AbsPath::followed);
        folder.is_some_and(|folder| self.case().is_in(real, &folder))
    }

    /// Whether `path`, with its symbolic links followed, lies at or below a root (followed too). A missing last part is
    /// judged by the folder it would be made in, a dangling link by where it points.
    ///
    /// The answer holds for the links as they are now: who opens something asks [`holds`](Self::holds) of what is opened.
    pub fn contains(&self, path: &AbsPath) -> bool {
        match links::follow(path) {
            Ok(real) => self.holds(&real),
            // Nothing can be read or written through a loop, so where it is spelled is where it is.
            Err(Unresolvable::Loop) => {
                self.roots.iter().any(|root| self.case().is_in(path, root)) || self.holds(path)
            }
            Err(Unresolvable::NotUtf8) => false,
        }
    }

    /// Whether the real path `real` lies at or below a root. No link is followed: what is opened there through none lies
    /// there too.
    pub fn holds(&self, real: &AbsPath) -> bool {
        self.real_roots.iter().any(|root| self.case().is_in(real, root))
    }

    /// The roots with their links followed, as they were when the workspace was opened.
    pub fn real_roots(&self) -> &[AbsPath] {
        &self.real_roots
    }

    /// How a person reads `path`: relative to the root it lies in, else whole.
    pub fn display(&self, path: &AbsPath) -> String {
        self.roots
            .iter()
            .chain(&self.real_roots)
            .find_map(|root| path.as_path().strip_prefix(root.as_path()).ok())
            .filter(|relative| !relative.as_str().is_empty())
            .map_or_else(|| path.to_string(), ToString::to_string)
    }

    /// The path that a person or the model means by `written`: as it stands if absolute, else below the first root.
    pub fn resolve(&self, written: &str) -> Option<AbsPath> {
        match self.roots.first() {
            Some(root) => Some(root.join(written)),
            None => AbsPath::new(written),
        }
    }

    pub fn case(&self) -> PathCase {
        if self.case_insensitive { PathCase::Insensitive } else { PathCase::Sensitive }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(path: &str) -> AbsPath {
        AbsPath::new(path).unwrap()
    }

    #[test]
    fn case_counts_where_the_volume_says_so() {
        let contains =
            |insensitive| Workspace::new(vec![path("/W/App")], insensitive).contains(&path("/w/app/x.rs"));
        assert_eq!((contains(true), contains(false)), (true, false));
    }

    #[test]
    fn paths_are_shown_from_their_root() {
        let workspace = Workspace::new(vec![path("/w/one"), path("/w/two")], false);
        assert_eq!(workspace.display(&path("/w/one/src/a.rs")), "src/a.rs");
        assert_eq!(workspace.display(&path("/w/two/b.rs")), "b.rs");
        assert_eq!(workspace.display(&path("/x/c.rs")), "/x/c.rs");
        assert_eq!(workspace.display(&path("/w/one")), "/w/one");
        assert_eq!(workspace.resolve("src/../a.rs"), Some(path("/w/one/a.rs")));
        assert_eq!(workspace.resolve("/x/a.rs"), Some(path("/x/a.rs")));
    }

    #[cfg(unix)]
    #[test]
    fn links_and_dot_dot_lead_out_or_stay_in() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().unwrap();
        let base = path(folder.path().to_str().unwrap());
        for made in ["ws/src", "outside"] {
            std::fs::create_dir_all(base.join(made).as_path()).unwrap();
        }
        for (file, text) in
            [("outside/victim.txt", "original\n"), ("outside/x", "secret\n"), ("ws/src/a.txt", "a\n")]
        {
            std::fs::write(base.join(file).as_path(), text).unwrap();
        }
        for (link, target) in [
            ("ws/outbox", "../outside"),
            ("ws/notes.md", "../outside/victim.txt"),
            ("ws/draft.txt", "../outside/not-yet.txt"),
            ("ws/inner", "src"),
            ("ws/knot", "knot"),
            ("ws-link", "ws"),
        ] {
            symlink(target, base.join(link).as_path()).unwrap();
        }
        for root in ["ws", "ws-link"] {
            let root = base.join(root);
            let workspace = Workspace::new(vec![root.clone()], false);
            let check =
                |path: &str, want: bool| assert_eq!(workspace.contains(&root.join(path)), want, "{path}");
            for outside in ["outbox/x", "outbox/new.txt", "notes.md", "draft.txt", "src/../../outside/x"] {
                check(outside, false);
            }
            for inside in ["knot", "inner/a.txt", "src/a.txt", "src/new.txt", "new/deep/b.txt", ""] {
                check(inside, true);
            }
            assert!(!workspace.contains(&base.join("outside/x")));
        }
        let workspace = Workspace::new(vec![base.join("ws-link")], false);
        assert!(workspace.contains(&base.join("ws/src/a.txt")));
        assert_eq!(workspace.display(&links::follow(&base.join("ws-link/src/a.txt")).unwrap()), "src/a.txt");
    }
}
