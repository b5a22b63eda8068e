//! Which files git would not look at, in a tree of two layers.

use std::collections::HashMap;
use std::io;

use camino::{Utf8Path, Utf8PathBuf};
use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::below::{self, Spot};
use super::real;

/// The rules of one look at the tree.
pub(super) struct Ignored {
    lower: Utf8PathBuf,
    upper: Utf8PathBuf,
    /// By folder, relative to the root.
    of_folders: HashMap<Utf8PathBuf, Gitignore>,
    /// The repository's own and the user's, the stronger first.
    of_all: [Gitignore; 2],
}

/// A repository's own files.
pub(super) const REPOSITORY: &str = ".git";

/// Bytes of a file of rules: a command could make one of any size, and rules take many times their size in memory.
const LARGEST_RULES: u64 = 1 << 20;

/// Whether git ignores the folder `path` of `root`, or one that it lies in.
pub(in crate::shell) fn is_ignored(root: &Utf8Path, path: &Utf8Path) -> bool {
    let mut ignored = Ignored::new(root, root);
    path.ancestors().filter(|folder| !folder.as_str().is_empty()).any(|folder| ignored.is(folder, true))
}

impl Ignored {
    /// `upper` lies over `lower`.
    pub(super) fn new(lower: &Utf8Path, upper: &Utf8Path) -> Self {
        let exclude = lower.join(".git/info/exclude");
        let own = parsed(lower, &exclude, below::read_plain(exclude.as_std_path(), LARGEST_RULES));
        let user = GitignoreBuilder::new(lower).build_global().0;
        let of_all = [own, user];
        Self { lower: lower.to_owned(), upper: upper.to_owned(), of_folders: HashMap::new(), of_all }
    }

    /// Whether git ignores the file `path`, relative to the root, or a folder that it lies in.
    pub(super) fn is_below(&mut self, path: &Utf8Path) -> bool {
        let mut folders = path.ancestors().skip(1).filter(|folder| !folder.as_str().is_empty());
        folders.any(|folder| self.is(folder, true)) || self.is(path, false)
    }

    /// Whether git ignores `path`, relative to the root, whose folders are not ignored.
    pub(super) fn is(&mut self, path: &Utf8Path, is_folder: bool) -> bool {
        let whole = self.lower.join(path);
        for folder in path.ancestors().skip(1) {
            match self.rules(folder).matched(&whole, is_folder) {
                Match::Ignore(_) => return true,
                Match::Whitelist(_) => return false,
                Match::None => {}
            }
        }
        self.of_all
            .iter()
            .map(|rules| rules.matched(&whole, is_folder))
            .find(|m| !m.is_none())
            .is_some_and(|m| m.is_ignore())
    }

    fn rules(&mut self, folder: &Utf8Path) -> &Gitignore {
        let (lower, upper) = (&self.lower, &self.upper);
        self.of_folders.entry(folder.to_owned()).or_insert_with(|| {
            let path = folder.join(".gitignore");
            let spot = Spot::find(upper.as_std_path(), path.as_std_path());
            let is_in_upper = |spot: &Spot| spot.metadata().is_ok_and(|metadata| metadata.is_file());
            let text = match spot {
                Ok(spot) if is_in_upper(&spot) => spot.read(LARGEST_RULES),
                Ok(_) | Err(_) => real::read(lower, &path, LARGEST_RULES),
            };
            parsed(&lower.join(folder), &path, text)
        })
    }
}

/// The rules that the file at `path` has for `folder`. One that is not there, or rules that don't parse, ignore nothing.
fn parsed(folder: &Utf8Path, path: &Utf8Path, bytes: io::Result<Vec<u8>>) -> Gitignore {
    let bytes = match bytes {
        Ok(bytes) => bytes,
        Err(error) => {
            if error.kind() == io::ErrorKind::FileTooLarge {
                tracing::warn!(%path, "the file has more than {LARGEST_RULES} bytes, so its rules are not read");
            }
            return Gitignore::empty();
        }
    };
    let mut builder = GitignoreBuilder::new(folder);
    let text = String::from_utf8_lossy(&bytes);
    for line in text.trim_start_matches('\u{feff}').lines() {
        let _ = builder.add_line(None, line);
    }
    builder.build().unwrap_or_else(|_| Gitignore::empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rules_are_those_of_the_tree_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let root = Utf8PathBuf::from_path_buf(folder.path().to_owned()).unwrap();
        let (lower, upper) = (root.join("lower"), root.join("upper"));
        for (path, text) in [
            ("lower/.gitignore", "target/\n*.log\n"),
            ("lower/a/.gitignore", "!keep.log\n"),
            ("lower/.git/info/exclude", "notes\n"),
            ("upper/b/.gitignore", "made.*\n"),
        ] {
            std::fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
            std::fs::write(root.join(path), text).unwrap();
        }
        let mut ignored = Ignored::new(&lower, &upper);
        let mut check =
            |path: &str, is_folder, wanted| assert_eq!(ignored.is(path.into(), is_folder), wanted, "{path}");
        check("target", true, true);
        check("target", false, false);
        check("x.log", false, true);
        check("a/keep.log", false, false);
        check("a/other.log", false, true);
        check("notes", false, true);
        check("b/made.rs", false, true);
        check("b/own.rs", false, false);
    }

    #[test]
    fn a_file_of_rules_that_is_too_large_has_none() {
        let folder = tempfile::tempdir().unwrap();
        let root = Utf8PathBuf::from_path_buf(folder.path().to_owned()).unwrap();
        let rules = |size: u64| {
            std::fs::write(root.join(".gitignore"), "*.log\n# ").unwrap();
            std::fs::File::options()
                .append(true)
                .open(root.join(".gitignore"))
                .unwrap()
                .set_len(size)
                .unwrap();
            Ignored::new(&root, &root).is("x.log".into(), false)
        };
        assert_eq!((rules(LARGEST_RULES), rules(LARGEST_RULES + 1)), (true, false));
    }
}
