//! The trial tree as a layer over the real folder: what is pending is put into the layer before a command, and what the
//! command left there is told after it.
//!
//! Invariant: between commands, the layer holds of what git does not ignore only files that differ from the disk, and such
//! as a build tool would otherwise take for unchanged.

mod differences;
mod place;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::time::SystemTime;

use camino::{Utf8Path, Utf8PathBuf};

use super::layer::{self, Content, Stamp};
use super::{FileContent, FileView, TextRule, TreeChange, real};

/// One root of the workspace with its layer.
#[derive(Debug)]
pub(in crate::shell) struct OverlayTree {
    /// The real folder, which nothing here writes to.
    lower: Utf8PathBuf,
    upper: Utf8PathBuf,
    /// What is known of the layer's files that git does not ignore, by path below the root.
    known: BTreeMap<Utf8PathBuf, Known>,
    /// What can't be brought back: kept as the command left it.
    kept: BTreeMap<Utf8PathBuf, Kept>,
    /// Files outside of the tree that files of the layer are known to be copies of.
    copies: BTreeMap<Utf8PathBuf, Utf8PathBuf>,
}

/// A file of the layer as it is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Known {
    Has {
        content: Content,
        stamp: Stamp,
        /// Its permissions.
        mode: u32,
    },
    /// Hidden, if the real folder has it.
    Gone,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Kept {
    stamp: Stamp,
    /// Of the real file that it was made from.
    lower: Option<Stamp>,
}

impl OverlayTree {
    /// The tree over `lower`, with its layer in the folder `upper`, which is made.
    pub(in crate::shell) fn new(lower: &Utf8Path, upper: &Utf8Path) -> io::Result<Self> {
        fs::create_dir_all(upper)?;
        let (lower, upper) = (lower.to_owned(), upper.to_owned());
        let (known, kept, copies) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        Ok(Self { lower, upper, known, kept, copies })
    }

    pub(in crate::shell) fn root(&self) -> &Utf8Path {
        &self.lower
    }

    pub(in crate::shell) fn upper(&self) -> &Utf8Path {
        &self.upper
    }

    /// Makes the tree say what `views` say, and elsewhere what the disk says. Views of other roots are passed over.
    pub(in crate::shell) fn put(&mut self, views: &[FileView]) -> io::Result<()> {
        self.let_go_of_overtaken();
        let mut wanted = BTreeSet::new();
        for view in views {
            let Ok(path) = view.path.strip_prefix(&self.lower) else { continue };
            let path = path.to_owned();
            let real = real::metadata(&self.lower, &path);
            let has_mode = view.mode.is_none_or(|mode| {
                real.as_ref().is_some_and(|real| real.is_file() && layer::mode(Some(real)) == mode)
            });
            let is_real = match &view.content {
                FileContent::Absent => real.is_none(),
                FileContent::Bytes(bytes) => has_mode && real::holds(&self.lower, &path, Content::of(bytes)),
                FileContent::Kept(_) => false,
                FileContent::Real => has_mode || !real.is_some_and(|real| real.is_file()),
            };
            if is_real {
                continue;
            }
            match view.content {
                FileContent::Absent => self.hide(&path)?,
                FileContent::Bytes(_) | FileContent::Kept(_) | FileContent::Real => {
                    self.place(&path, &view.content, view.mode)?;
                }
            }
            wanted.insert(path);
        }
        let others: Vec<Utf8PathBuf> =
            self.known.keys().filter(|path| !wanted.contains(*path)).cloned().collect();
        others.iter().try_for_each(|path| self.show_real(path))
    }

    /// What differs in the tree from what was put there, or was found the last time. `begun`: when the command was started.
    pub(in crate::shell) fn changes(&mut self, rule: TextRule, begun: SystemTime) -> Vec<TreeChange> {
        differences::Differences::of(self, rule, begun).found()
    }

    /// A file that can't be merged gives way to the real one when that changes.
    fn let_go_of_overtaken(&mut self) {
        let is_overtaken =
            |(path, kept): &(&Utf8PathBuf, &Kept)| real::stamp(&self.lower, path) != kept.lower;
        let overtaken = self.kept.iter().filter(is_overtaken).map(|(path, _)| path.clone());
        for path in overtaken.collect::<Vec<_>>() {
            self.remove_file(&path);
            self.kept.remove(&path);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_folder_that_somebody_swaps_for_a_link_brings_nothing_of_what_is_behind_it() {
        let folder = tempfile::tempdir().unwrap();
        let base = Utf8Path::from_path(folder.path()).unwrap();
        for (name, text) in
            [("ws/d/a", "line"), ("ws/d/b", "line"), ("outside/a", "secret"), ("outside/b", "secret")]
        {
            fs::create_dir_all(base.join(name).parent().unwrap()).unwrap();
            fs::write(base.join(name), text).unwrap();
        }
        let mut tree = OverlayTree::new(&base.join("ws"), &base.join("upper")).unwrap();
        let rule = TextRule { largest: 100, is_text: |_| true };
        // As a command would.
        fs::create_dir_all(base.join("upper/d")).unwrap();
        fs::write(base.join("upper/d/a"), "edited").unwrap();
        fs::write(base.join("upper/d/b"), "edited").unwrap();
        assert_eq!(tree.changes(rule, SystemTime::now()).len(), 2);
        fs::rename(base.join("ws/d"), base.join("ws/old")).unwrap();
        symlink("../outside", base.join("ws/d")).unwrap();
        let view = |content, mode| FileView { path: base.join("ws/d/b"), content, mode };
        for views in [
            vec![],
            vec![view(FileContent::Real, Some(0o600))],
            vec![view(FileContent::Bytes(b"x".into()), None)],
        ] {
            // What can't be put there is refused or left out.
            let _ = tree.put(&views);
            for name in ["a", "b"] {
                let text = fs::read_to_string(base.join("upper/d").join(name)).unwrap_or_default();
                assert!(!text.contains("secret"), "{views:?} {name}: {text}");
            }
        }
    }
}
