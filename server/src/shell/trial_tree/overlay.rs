//! The trial tree as a layer over the real folder: what is pending is put into the layer before a command, and what the
//! command left there is told after it. What a command that still runs has written since somebody looked is never put over.
//!
//! Invariant: between commands, the layer holds of what git does not ignore only files that differ from the disk, and such
//! as a build tool would otherwise take for unchanged.

mod differences;
mod place;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::sync::Arc;
use std::time::SystemTime;

use camino::{Utf8Path, Utf8PathBuf};

use super::ignored::Ignored;
use super::layer::{self, Content, Stamp};
use super::{Before, FileContent, FileView, Others, TextRule, TreeChange, real, whiteout};

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
    /// When the tree was last made to say what it should, or looked at.
    known_at: SystemTime,
}

/// A file of the layer as it is known.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Known {
    Has {
        content: Content,
        /// Of a text that is not the disk's: what the next change of it is made from.
        text: Option<Arc<[u8]>>,
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
        Ok(Self { lower, upper, known, kept, copies, known_at: SystemTime::now() })
    }

    pub(in crate::shell) fn root(&self) -> &Utf8Path {
        &self.lower
    }

    pub(in crate::shell) fn upper(&self) -> &Utf8Path {
        &self.upper
    }

    /// Makes the tree say what `views` say, and elsewhere what the disk says. Views of other roots are passed over.
    pub(in crate::shell) fn put(&mut self, views: &[FileView], others: Others) -> io::Result<()> {
        self.known_at = SystemTime::now();
        self.let_go_of_overtaken();
        let mut wanted = BTreeSet::new();
        for view in views {
            let Ok(path) = view.path.strip_prefix(&self.lower) else { continue };
            let path = path.to_owned();
            if self.is_unseen(&path) {
                wanted.insert(path);
                continue;
            }
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
        let is_rest = |path: &&Utf8PathBuf| !wanted.contains(*path) && !self.is_unseen(path);
        let rest: Vec<Utf8PathBuf> = self.known.keys().filter(is_rest).cloned().collect();
        rest.iter().try_for_each(|path| self.show_real(path, others))
    }

    /// What differs in the tree from what was put there, or was found the last time.
    pub(in crate::shell) fn changes(&mut self, rule: TextRule) -> Vec<TreeChange> {
        let since = std::mem::replace(&mut self.known_at, SystemTime::now());
        differences::Differences::of(self, rule, since).found()
    }

    /// A command has changed the file since somebody looked, and still runs: what came of it is told at the next look.
    fn is_unseen(&self, path: &Utf8Path) -> bool {
        let own = self.spot(path).and_then(|spot| spot.metadata()).ok();
        let is = |stamp: &Stamp| own.as_ref().is_some_and(|own| Stamp::of(own).is_as_written(*stamp));
        let has = |mode: u32| layer::mode(own.as_ref()) == mode;
        let is_hidden = own.as_ref().is_some_and(whiteout::is_whiteout);
        let has_folder = own.as_ref().is_some_and(fs::Metadata::is_dir);
        let differs = match self.known.get(path) {
            Some(Known::Has { stamp, mode, .. }) => !is(stamp) || !has(*mode),
            Some(Known::Gone) => own.is_some() && !is_hidden && !has_folder,
            None => match self.kept.get(path) {
                Some(kept) => !is(&kept.stamp),
                None if is_hidden || own.is_none() => {
                    self.is_hidden(path) && real::metadata(&self.lower, path).is_some()
                }
                None => !has_folder,
            },
        };
        // What git ignores nobody looks at.
        differs && !Ignored::new(&self.lower, &self.upper).is_below(path)
    }

    /// What the file at `path` was when it was put there or looked at.
    fn before(&self, path: &Utf8Path) -> Before {
        match self.known.get(path) {
            Some(Known::Gone) => Before::Absent,
            Some(Known::Has { text: Some(text), .. }) => Before::Text(text.clone()),
            Some(Known::Has { text: None, .. }) | None => Before::Disk,
        }
    }

    /// A file that can't be merged gives way to the real one when that changes.
    fn let_go_of_overtaken(&mut self) {
        let is_overtaken =
            |(path, kept): &(&Utf8PathBuf, &Kept)| real::stamp(&self.lower, path) != kept.lower;
        let overtaken = self.kept.iter().filter(is_overtaken).map(|(path, _)| path.clone());
        let overtaken = overtaken.filter(|path| !self.is_unseen(path));
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
        assert_eq!(tree.changes(rule).len(), 2);
        fs::rename(base.join("ws/d"), base.join("ws/old")).unwrap();
        symlink("../outside", base.join("ws/d")).unwrap();
        let view = |content, mode| FileView { path: base.join("ws/d/b"), content, mode };
        for views in [
            vec![],
            vec![view(FileContent::Real, Some(0o600))],
            vec![view(FileContent::Bytes(b"x".into()), None)],
        ] {
            // What can't be put there is refused or left out.
            let _ = tree.put(&views, Others::None);
            for name in ["a", "b"] {
                let text = fs::read_to_string(base.join("upper/d").join(name)).unwrap_or_default();
                assert!(!text.contains("secret"), "{views:?} {name}: {text}");
            }
        }
    }
}
