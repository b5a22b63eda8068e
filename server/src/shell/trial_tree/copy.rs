//! The trial tree as a copy of the folder, for systems that have no overlay: what git ignores is left out or linked to. What a
//! command that still runs has written since somebody looked is never put over.

mod walk;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use camino::{Utf8Path, Utf8PathBuf};

use super::below::{self, Spot};
use super::ignored::{Ignored, REPOSITORY};
use super::layer::{self, Content, Look, Stamp};
use super::{
    Aside, Before, ChangeKind, FileContent, FileView, LARGEST_KEPT, TextRule, TreeChange, Whole, real,
};

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
    /// When the copy was last made to say what it should, or looked at.
    known_at: SystemTime,
}

#[derive(Clone, Debug)]
struct Copied {
    /// Of the real file, if the copy says the same.
    lower: Option<Stamp>,
    stamp: Stamp,
    /// The permissions that the copy has.
    mode: u32,
    /// What it holds, if that is known and not what the real file holds.
    content: Option<Content>,
    /// Of a text that is not the disk's: what the next change of it is made from.
    text: Option<Arc<[u8]>>,
    /// The file outside of the copy that it holds the same as.
    from: Option<Utf8PathBuf>,
}

impl Copied {
    /// As the copy was found.
    fn found(metadata: &Metadata, content: Option<Content>) -> Self {
        let (stamp, mode) = (Stamp::of(metadata), layer::mode(Some(metadata)));
        Self { lower: None, stamp, mode, content, text: None, from: None }
    }
}

impl CopyTree {
    /// The tree of `lower`, to be made in the folder `copy`.
    pub(in crate::shell) fn new(lower: &Utf8Path, copy: &Utf8Path) -> io::Result<Self> {
        fs::create_dir_all(copy)?;
        let (known, links, gone) = (BTreeMap::new(), BTreeSet::new(), BTreeSet::new());
        Ok(Self {
            lower: lower.to_owned(),
            copy: copy.to_owned(),
            known,
            links,
            gone,
            known_at: SystemTime::now(),
        })
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
        self.known_at = SystemTime::now();
        let inside = views
            .iter()
            .filter_map(|view| Some((view.path.strip_prefix(&self.lower).ok()?.to_owned(), view)));
        let views: BTreeMap<Utf8PathBuf, &FileView> = inside.collect();
        let is_real =
            |path: &Utf8Path| views.get(path).is_none_or(|view| matches!(view.content, FileContent::Real));
        let real: Vec<(Utf8PathBuf, Metadata)> = files(&self.lower, &self.lower).collect();
        let mut there: BTreeSet<&Utf8Path> = real.iter().map(|(path, _)| path.as_path()).collect();
        let odd: Vec<(Utf8PathBuf, Metadata)> = odd_names(&self.lower, &self.copy).collect();
        there.extend(odd.iter().map(|(path, _)| path.as_path()));
        let is_lost = |path: &Utf8PathBuf| {
            !there.contains(path.as_path())
                && is_real(path)
                && !self.links.contains(path)
                && !self.is_unseen(path)
        };
        // Before anything is put there: a folder may have to take the place of a file.
        for path in self.known.keys().filter(|path| is_lost(path)).cloned().collect::<Vec<_>>() {
            self.remove(&path)?;
            self.known.remove(&path);
        }
        for (path, metadata) in &real {
            if is_real(path) && !metadata.is_dir() {
                self.follow(path, metadata)?;
            }
        }
        let gone = std::mem::take(&mut self.gone);
        self.gone = gone.into_iter().filter(|path| self.is_unseen(path)).collect();
        for (path, view) in views {
            self.show(path, view)?;
        }
        self.link_what_is_ignored();
        Ok(())
    }

    /// What differs in the copy from what was put there, or was found the last time.
    pub(in crate::shell) fn changes(&mut self, rule: TextRule) -> Vec<TreeChange> {
        let since = std::mem::replace(&mut self.known_at, SystemTime::now());
        let mut found = Vec::new();
        let mut there = BTreeSet::new();
        for (path, metadata) in files(&self.lower, &self.copy) {
            let before = self.before(&path);
            for kind in self.change(&path, &metadata, rule, since) {
                found.push(TreeChange { path: self.lower.join(&path), before: before.clone(), kind });
            }
            there.insert(path);
        }
        for (path, metadata) in odd_names(&self.lower, &self.copy) {
            let before = self.known.insert(path.clone(), Copied::found(&metadata, None));
            if before.is_none_or(|before| before.stamp != Stamp::of(&metadata)) {
                let kind = ChangeKind::Whole { what: Whole::OddName, size: metadata.len() };
                found.push(TreeChange { path: self.lower.join(&path), before: Before::Disk, kind });
            }
            there.insert(path);
        }
        let lost = |path: &&Utf8PathBuf| {
            !there.contains(*path) && self.spot(path).and_then(|spot| spot.metadata()).is_err()
        };
        for path in self.known.keys().filter(lost).cloned().collect::<Vec<_>>() {
            let before = self.before(&path);
            self.known.remove(&path);
            self.gone.insert(path.clone());
            // Nobody but commands ever saw such a link.
            if !self.links.remove(&path) {
                found.push(TreeChange { path: self.lower.join(path), before, kind: ChangeKind::Deleted });
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
        since: SystemTime,
    ) -> Vec<ChangeKind> {
        let whole = |what| vec![ChangeKind::Whole { what, size: metadata.len() }];
        let known = self.known.get(path).cloned();
        if known.as_ref().is_some_and(|known| known.stamp == Stamp::of(metadata)) {
            return Vec::new();
        }
        self.known.insert(path.to_owned(), Copied::found(metadata, None));
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
        if metadata.len() > LARGEST_KEPT {
            return whole(Whole::Huge);
        }
        let look = self.spot(path).and_then(|spot| Look::at(&spot, rule));
        let Ok(Look { content, text, metadata }) = look else { return Vec::new() };
        let now = Copied { text: text.as_deref().map(Arc::from), ..Copied::found(&metadata, Some(content)) };
        self.known.insert(path.to_owned(), now);
        self.gone.remove(path);
        let real = real::metadata(&self.lower, path);
        let usual = layer::mode(real.as_ref().filter(|real| real.is_file()));
        let shown_mode = known.as_ref().map_or(usual, |known| known.mode);
        let mode = Some(layer::mode(Some(&metadata))).filter(|mode| *mode != shown_mode);
        let mode =
            mode.map(|mode| if mode == usual { ChangeKind::UsualMode } else { ChangeKind::Mode(mode) });
        let was_real = known.as_ref().is_some_and(|known| known.lower.is_some());
        // What was put there for a view is judged by whoever made the view.
        let is_same = known.is_some_and(|known| known.content == Some(content))
            || was_real && real::holds(&self.lower, path, content);
        let changed = real.and_then(|real| real.modified().ok());
        let written = match text {
            _ if is_same => None,
            _ if was_real && changed.is_some_and(|changed| changed > since) => Some(ChangeKind::Overtaken),
            Some(text) => Some(ChangeKind::Written(text)),
            None => Some(ChangeKind::Bytes(Aside::of(self.spot(path), metadata.len(), &self.copy))),
        };
        written.into_iter().chain(mode).collect()
    }

    /// The copy has at `path` what the disk has.
    fn follow(&mut self, path: &Utf8Path, real: &Metadata) -> io::Result<()> {
        if self.is_unseen(path) {
            return Ok(());
        }
        let lower = Stamp::of(real);
        let (before, mode) = (self.known.get(path), layer::mode(Some(real)));
        let now = self.spot(path).and_then(|spot| spot.metadata()).map(|now| Stamp::of(&now)).ok();
        if let Some(known) = before
            && known.lower == Some(lower)
            && now == Some(known.stamp)
        {
            if real.is_file() && known.mode != mode {
                let spot = self.spot(path)?;
                spot.set_mode(mode)?;
                let copied = Copied { lower: Some(lower), ..Copied::found(&spot.metadata()?, None) };
                self.known.insert(path.to_owned(), copied);
            }
            return Ok(());
        }
        let is_new = before.is_none();
        let (spot, real_path) = (self.make_room(path)?, self.lower.join(path));
        if real.is_symlink() {
            let target = fs::read_link(&real_path)?;
            let leads_out = |real: &PathBuf| target.is_relative() && !real.starts_with(&self.lower);
            // From the copy, a relative way out would lead elsewhere.
            let out = fs::canonicalize(&real_path).ok().filter(leads_out);
            spot.link(&out.unwrap_or(target))?;
        } else {
            let opened = match real::open(&self.lower, path) {
                Err(error) if error.kind() == io::ErrorKind::NotFound || below::is_in_the_way(&error) => {
                    // Gone since it was listed.
                    return self.remove(path);
                }
                opened => opened?,
            };
            let file = spot.copy(opened)?;
            // A build tool goes by the time: what the tree had there before may have been newer.
            if is_new && let Ok(modified) = real.modified() {
                let _ = file.set_modified(modified);
            }
        }
        let copied = Copied { lower: Some(lower), ..Copied::found(&spot.metadata()?, None) };
        self.known.insert(path.to_owned(), copied);
        Ok(())
    }

    fn show(&mut self, path: Utf8PathBuf, view: &FileView) -> io::Result<()> {
        if self.is_unseen(&path) {
            return Ok(());
        }
        let real = real::metadata(&self.lower, &path).filter(Metadata::is_file);
        let mode = view.mode.unwrap_or_else(|| layer::mode(real.as_ref()));
        let (content, text, from) = match &view.content {
            FileContent::Absent => {
                self.remove(&path)?;
                self.known.remove(&path);
                self.gone.insert(path);
                return Ok(());
            }
            FileContent::Real if real.is_none() => return Ok(()),
            FileContent::Real => (None, None, None),
            FileContent::Bytes(bytes) => {
                let (spot, content) = (self.make_room(&path)?, Content::of(bytes));
                if !content.is_in(&spot) {
                    spot.write(bytes.as_slice(), mode)?;
                }
                (Some(content), Some(bytes.as_slice().into()), None)
            }
            FileContent::Kept(from) => (Some(self.copy_in(&path, from, mode)?), None, Some(from.clone())),
        };
        let spot = self.make_room(&path)?;
        if layer::mode(Some(&spot.metadata()?)) != mode {
            spot.set_mode(mode)?;
        }
        let lower = self.known.get(&path).and_then(|known| known.lower).filter(|_| content.is_none());
        let copied = Copied { lower, text, from, ..Copied::found(&spot.metadata()?, content) };
        self.known.insert(path, copied);
        Ok(())
    }

    /// A command has changed the file since somebody looked, and still runs: what came of it is told at the next look.
    fn is_unseen(&self, path: &Utf8Path) -> bool {
        let own = self.spot(path).and_then(|spot| spot.metadata()).ok();
        let differs = match (self.known.get(path), &own) {
            (Some(_), Some(own)) if own.is_dir() => false,
            (Some(known), Some(own)) => {
                !Stamp::of(own).is_as_written(known.stamp) || layer::mode(Some(own)) != known.mode
            }
            (Some(_), None) => true,
            (None, own) => own.as_ref().is_some_and(Metadata::is_file),
        };
        // What git ignores nobody looks at.
        differs && !Ignored::new(&self.lower, &self.copy).is_below(path)
    }

    /// What the file at `path` was when it was put there or looked at.
    fn before(&self, path: &Utf8Path) -> Before {
        match self.known.get(path).and_then(|known| known.text.clone()) {
            Some(text) => Before::Text(text),
            None if self.gone.contains(path) => Before::Absent,
            None => Before::Disk,
        }
    }

    /// The copy holds what the file `from` does.
    fn copy_in(&self, path: &Utf8Path, from: &Utf8Path, mode: u32) -> io::Result<Content> {
        let spot = self.make_room(path)?;
        let now = spot.metadata().map(|now| Stamp::of(&now)).ok();
        if let Some(Copied { stamp, content: Some(content), from: Some(known), .. }) = self.known.get(path)
            && known == from
            && now == Some(*stamp)
        {
            return Ok(*content);
        }
        let open = || below::open_plain(from.as_std_path()).map(|(file, _)| file);
        let content = Content::of_all(open()?)?;
        if !content.is_in(&spot) {
            spot.write(open()?, mode)?;
        }
        Ok(content)
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
