//! The trial tree as a copy of the folder, for systems that have no overlay: what git ignores is left out or linked to.

mod walk;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use camino::{Utf8Path, Utf8PathBuf};

use super::below::{self, Spot};
use super::ignored::REPOSITORY;
use super::layer::{self, Content, Stamp};
use super::{ChangeKind, FileView, TextRule, TreeChange, Whole};

/// Folders that commands write: each copy has its own. Other ignored folders hold what was installed.
const WRITTEN: [&str; 12] = [
    "target",
    "build",
    "dist",
    "out",
    "bin",
    "obj",
    "coverage",
    "tmp",
    "__pycache__",
    ".cache",
    ".next",
    ".pytest_cache",
];

/// One root of the workspace and its copy.
#[derive(Debug)]
pub(in crate::shell) struct CopyTree {
    lower: Utf8PathBuf,
    copy: Utf8PathBuf,
    /// What the copy has, by path below the root.
    known: BTreeMap<Utf8PathBuf, Copied>,
    /// Links that commands made: they can't be proposed, and are there for the commands that come.
    links: BTreeSet<Utf8PathBuf>,
    /// Files that the views took out of it.
    gone: BTreeSet<Utf8PathBuf>,
}

#[derive(Clone, Copy, Debug)]
struct Copied {
    /// Of the real file, if the copy says the same.
    lower: Option<Stamp>,
    stamp: Stamp,
}

impl CopyTree {
    /// The tree of `lower`, to be made in the folder `copy`.
    pub(in crate::shell) fn new(lower: &Utf8Path, copy: &Utf8Path) -> io::Result<Self> {
        fs::create_dir_all(copy)?;
        let (known, links, gone) = (BTreeMap::new(), BTreeSet::new(), BTreeSet::new());
        Ok(Self { lower: lower.to_owned(), copy: copy.to_owned(), known, links, gone })
    }

    pub(in crate::shell) fn root(&self) -> &Utf8Path {
        &self.lower
    }

    pub(in crate::shell) fn copy(&self) -> &Utf8Path {
        &self.copy
    }

    /// How many bytes a copy of `lower` would have; `None`: more than `most`.
    pub(in crate::shell) fn size(lower: &Utf8Path, most: u64) -> Option<u64> {
        let mut total = 0_u64;
        for (_, metadata) in files(lower, lower) {
            total += metadata.len().max(4_096);
            if total > most {
                return None;
            }
        }
        Some(total)
    }

    /// Makes the copy say what `views` say, and elsewhere what the disk says.
    pub(in crate::shell) fn put(&mut self, views: &[FileView]) -> io::Result<()> {
        let inside = |view: &FileView| {
            let path = view.path.strip_prefix(&self.lower).ok()?.to_owned();
            Some((path, view.bytes.clone()))
        };
        let views: BTreeMap<Utf8PathBuf, Option<Vec<u8>>> = views.iter().filter_map(inside).collect();
        let mut there = BTreeSet::new();
        for (path, metadata) in files(&self.lower, &self.lower) {
            if !views.contains_key(&path) && !metadata.is_dir() {
                self.follow(&path, &metadata)?;
            }
            there.insert(path);
        }
        there.extend(odd_names(&self.lower, &self.copy).map(|(path, _)| path));
        let is_lost = |path: &Utf8PathBuf| {
            !there.contains(path) && !views.contains_key(path) && !self.links.contains(path)
        };
        for path in self.known.keys().filter(|path| is_lost(path)).cloned().collect::<Vec<_>>() {
            self.remove(&path)?;
            self.known.remove(&path);
        }
        self.gone.clear();
        for (path, bytes) in views {
            self.show(path, bytes.as_deref())?;
        }
        self.link_what_is_ignored();
        Ok(())
    }

    /// What differs in the copy from what was put there, or was found the last time.
    pub(in crate::shell) fn changes(&mut self, rule: TextRule, begun: SystemTime) -> Vec<TreeChange> {
        let mut found = Vec::new();
        let mut there = BTreeSet::new();
        for (path, metadata) in files(&self.lower, &self.copy) {
            for kind in self.change(&path, &metadata, rule, begun) {
                found.push(TreeChange { path: self.lower.join(&path), kind });
            }
            there.insert(path);
        }
        for (path, metadata) in odd_names(&self.lower, &self.copy) {
            let stamp = Stamp::of(&metadata);
            let before = self.known.insert(path.clone(), Copied { lower: None, stamp });
            if before.is_none_or(|before| before.stamp != stamp) {
                let kind = ChangeKind::Whole { what: Whole::OddName, size: metadata.len() };
                found.push(TreeChange { path: self.lower.join(&path), kind });
            }
            there.insert(path);
        }
        let lost = |path: &&Utf8PathBuf| {
            !there.contains(*path) && self.spot(path).and_then(|spot| spot.metadata()).is_err()
        };
        for path in self.known.keys().filter(lost).cloned().collect::<Vec<_>>() {
            self.known.remove(&path);
            self.gone.insert(path.clone());
            // Nobody but commands ever saw such a link.
            if !self.links.remove(&path) {
                found.push(TreeChange { path: self.lower.join(path), kind: ChangeKind::Deleted });
            }
        }
        found.sort_by(|one, other| one.path.cmp(&other.path));
        found
    }

    fn change(
        &mut self,
        path: &Utf8Path,
        metadata: &Metadata,
        rule: TextRule,
        begun: SystemTime,
    ) -> Vec<ChangeKind> {
        let whole = |what| vec![ChangeKind::Whole { what, size: metadata.len() }];
        let stamp = Stamp::of(metadata);
        let known = self.known.get(path).copied();
        if known.is_some_and(|known| known.stamp == stamp) {
            return Vec::new();
        }
        self.known.insert(path.to_owned(), Copied { lower: None, stamp });
        if metadata.is_dir() {
            return whole(Whole::Deep);
        }
        if metadata.is_symlink() {
            if known.is_none() {
                self.links.insert(path.to_owned());
            }
            return whole(Whole::Link);
        }
        self.links.remove(path);
        if metadata.len() > rule.largest {
            return whole(Whole::Huge);
        }
        let read = self.spot(path).and_then(|spot| spot.read(rule.largest));
        let Ok((bytes, metadata)) = read else { return Vec::new() };
        let whole = |what| vec![ChangeKind::Whole { what, size: metadata.len() }];
        self.known.insert(path.to_owned(), Copied { lower: None, stamp: Stamp::of(&metadata) });
        let real = fs::symlink_metadata(self.lower.join(path)).ok();
        let mode = layer::other_mode(real.as_ref().filter(|real| real.is_file()), &metadata);
        let mode = mode.map(ChangeKind::Mode).into_iter();
        // What was put there for a view is judged by whoever made the view.
        if known.is_some_and(|known| known.lower.is_some())
            && Content::of(&bytes).is_at(&self.lower.join(path))
        {
            return mode.collect();
        }
        if !(rule.is_text)(&bytes) {
            return whole(Whole::Binary);
        }
        let changed = real.and_then(|real| real.modified().ok());
        let overtaken = known.is_some_and(|known| known.lower.is_some())
            && changed.is_some_and(|changed| changed > begun);
        let written = if overtaken { ChangeKind::Overtaken } else { ChangeKind::Written(bytes) };
        std::iter::once(written).chain(mode).collect()
    }

    /// The copy has at `path` what the disk has.
    fn follow(&mut self, path: &Utf8Path, real: &Metadata) -> io::Result<()> {
        let lower = Stamp::of(real);
        let before = self.known.get(path).copied();
        let now = self.spot(path).and_then(|spot| spot.metadata()).map(|now| Stamp::of(&now)).ok();
        if before.is_some_and(|known| known.lower == Some(lower) && now == Some(known.stamp)) {
            return Ok(());
        }
        let (spot, real_path) = (self.make_room(path)?, self.lower.join(path));
        if real.is_symlink() {
            let target = fs::read_link(&real_path)?;
            let leads_out = |real: &PathBuf| target.is_relative() && !real.starts_with(&self.lower);
            // From the copy, a relative way out would lead elsewhere.
            let out = fs::canonicalize(&real_path).ok().filter(leads_out);
            spot.link(&out.unwrap_or(target))?;
        } else {
            let file = spot.copy(real_path.as_std_path())?;
            // A build tool goes by the time: what the tree had there before may have been newer.
            if before.is_none()
                && let Ok(modified) = real.modified()
            {
                let _ = file.set_modified(modified);
            }
        }
        let stamp = Stamp::of(&spot.metadata()?);
        self.known.insert(path.to_owned(), Copied { lower: Some(lower), stamp });
        Ok(())
    }

    fn show(&mut self, path: Utf8PathBuf, bytes: Option<&[u8]>) -> io::Result<()> {
        let Some(bytes) = bytes else {
            self.remove(&path)?;
            self.known.remove(&path);
            self.gone.insert(path);
            return Ok(());
        };
        let spot = self.make_room(&path)?;
        if !Content::of(bytes).is_in(&spot) {
            let real = fs::metadata(self.lower.join(&path)).ok();
            spot.write(bytes, layer::mode(real.as_ref()))?;
        }
        let stamp = Stamp::of(&spot.metadata()?);
        self.known.insert(path, Copied { lower: None, stamp });
        Ok(())
    }

    fn spot(&self, path: &Utf8Path) -> io::Result<Spot> {
        Spot::find(self.copy.as_std_path(), path.as_std_path())
    }

    fn make_room(&self, path: &Utf8Path) -> io::Result<Spot> {
        Spot::make(self.copy.as_std_path(), path.as_std_path(), |_: &Path| 0o755, |_, _| Ok(()))
    }

    fn remove(&self, path: &Utf8Path) -> io::Result<()> {
        match self.spot(path) {
            Ok(spot) => spot.remove(),
            Err(error) if error.kind() == io::ErrorKind::NotFound || below::is_in_the_way(&error) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Installed packages and the repository are the real ones, which can't be written through the link.
    fn link_what_is_ignored(&self) {
        let entries = self.lower.read_dir_utf8().into_iter().flatten().flatten();
        for entry in entries.filter(|entry| entry.path().is_dir()) {
            let (name, at) = (entry.file_name(), self.copy.join(entry.file_name()));
            if !WRITTEN.contains(&name) && fs::symlink_metadata(&at).is_err() && !has_files(entry.path()) {
                // A command that needs it will say so.
                let _ = symlink(entry.path(), &at);
            }
        }
    }
}

/// Every file of the copy that git does not ignore, and the links.
fn files(lower: &Utf8Path, copy: &Utf8Path) -> impl Iterator<Item = (Utf8PathBuf, Metadata)> + use<> {
    let walk = walk::Walk::of(lower, copy);
    walk.filter_map(|(path, metadata)| Some((Utf8PathBuf::from_path_buf(path).ok()?, metadata)))
}

/// Those among them whose names no path of ours has, as far as they can be read.
fn odd_names(lower: &Utf8Path, copy: &Utf8Path) -> impl Iterator<Item = (Utf8PathBuf, Metadata)> + use<> {
    let odd = walk::Walk::of(lower, copy).filter(|(path, _)| path.to_str().is_none());
    odd.map(|(path, metadata)| (Utf8PathBuf::from(path.to_string_lossy().into_owned()), metadata))
}

/// Whether there is a file in it that git does not ignore: then it was made while the files were copied.
fn has_files(folder: &Utf8Path) -> bool {
    folder.file_name() != Some(REPOSITORY)
        && folder.parent().is_some_and(|root| {
            files(root, root).any(|(path, _)| path.starts_with(folder.file_name().unwrap_or_default()))
        })
}
