//! What a command left in the layer of a trial tree.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs::Metadata;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::time::SystemTime;

use camino::{Utf8Path, Utf8PathBuf};

use super::super::below;
use super::super::ignored::{Ignored, REPOSITORY};
use super::super::layer::{self, Look, Stamp};
use super::super::{Aside, Before, ChangeKind, LARGEST_KEPT, TextRule, TreeChange, Whole, real, whiteout};
use super::{Kept, Known, OverlayTree};

/// One look at the layer.
pub(super) struct Differences<'t> {
    tree: &'t mut OverlayTree,
    ignored: Ignored,
    rule: TextRule,
    /// When somebody last looked, or something was put there.
    since: SystemTime,
    found: Vec<TreeChange>,
    /// Paths of the layer that have something of their own.
    present: BTreeSet<Utf8PathBuf>,
    /// Folders of the layer that are still to be looked at, and what shows through the ones around them.
    left: Vec<(Utf8PathBuf, Real)>,
}

/// Whether what the real folder holds shows through a folder of the layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Real {
    Shown,
    Hidden,
}

impl<'t> Differences<'t> {
    pub(super) fn of(tree: &'t mut OverlayTree, rule: TextRule, since: SystemTime) -> Self {
        let ignored = Ignored::new(&tree.lower, &tree.upper);
        let left = vec![(Utf8PathBuf::new(), Real::Shown)];
        Self { tree, ignored, rule, since, found: Vec::new(), present: BTreeSet::new(), left }
    }

    pub(super) fn found(mut self) -> Vec<TreeChange> {
        while let Some((folder, around)) = self.left.pop() {
            self.folder(&folder, around);
        }
        let is_vanished = |(path, known): (&Utf8PathBuf, &Known)| {
            let has = matches!(known, Known::Has { .. }) && !self.present.contains(path);
            (has && !self.tree.has_file(path)).then(|| path.clone())
        };
        let vanished: Vec<Utf8PathBuf> = self.tree.known.iter().filter_map(is_vanished).collect();
        for path in vanished {
            self.gone(&path);
        }
        let present = &self.present;
        self.tree.kept.retain(|path, _| present.contains(path));
        self.found.sort_by(|one, other| one.path.cmp(&other.path));
        self.found
    }

    /// `above`: in the folder around it. A folder that was made in one which hides the real one hides it too, and is not
    /// marked.
    fn folder(&mut self, folder: &Utf8Path, above: Real) {
        let Ok(at) = self.tree.folder(folder) else { return };
        let real = if whiteout::is_opaque(&at) { Real::Hidden } else { above };
        let (mut names, mut odd): (Vec<String>, Vec<OsString>) = (Vec::new(), Vec::new());
        for name in below::names(&at).unwrap_or_default() {
            match name.into_string() {
                Ok(name) => names.push(name),
                Err(name) => odd.push(name),
            }
        }
        names.sort();
        for name in odd {
            self.odd_name(&at, folder, &name);
        }
        for name in &names {
            let path = folder.join(name);
            let Ok(metadata) = below::metadata(&at, OsStr::new(name)) else { continue };
            if name == REPOSITORY {
                self.repository(&path, &metadata);
            } else if !self.ignored.is(&path, self.is_folder(&path, &metadata)) {
                self.entry(&path, &metadata, real);
            }
        }
        if real == Real::Hidden {
            for hidden in self.real_names(folder) {
                if !names.contains(&hidden) {
                    self.hidden(&folder.join(hidden));
                }
            }
        }
    }

    /// What it holds is not looked at: no path of ours could name it.
    fn odd_name(&mut self, at: &OwnedFd, folder: &Utf8Path, name: &OsStr) {
        let path = folder.join(name.to_string_lossy().as_ref());
        let Ok(metadata) = below::metadata(at, name) else { return };
        if !self.ignored.is(&path, metadata.is_dir()) {
            self.present.insert(path.clone());
            self.whole(&path, &metadata, Whole::OddName);
        }
    }

    fn entry(&mut self, path: &Utf8Path, metadata: &Metadata, around: Real) {
        if whiteout::is_whiteout(metadata) {
            self.hidden(path);
            return;
        }
        let real = real::metadata(&self.tree.lower, path);
        let real_is_folder = real.as_ref().is_some_and(Metadata::is_dir);
        if metadata.is_dir() {
            if real.is_some() && !real_is_folder {
                self.gone(path);
            }
            if below::is_too_deep(path.as_std_path()) {
                self.present.insert(path.to_owned());
                self.whole(path, metadata, Whole::Deep);
            } else {
                self.left.push((path.to_owned(), around));
            }
            return;
        }
        if real_is_folder {
            self.hidden_folder(path);
        }
        self.present.insert(path.to_owned());
        if metadata.is_file() {
            self.file(path, metadata, real.filter(Metadata::is_file).as_ref());
        } else {
            let what = if metadata.is_symlink() { Whole::Link } else { Whole::Special };
            self.whole(path, metadata, what);
        }
    }

    fn file(&mut self, path: &Utf8Path, metadata: &Metadata, real: Option<&Metadata>) {
        let known = self.tree.known.get(path).cloned();
        let stamp = Stamp::of(metadata);
        if matches!(known, Some(Known::Has { stamp: known, .. }) if known == stamp)
            || self.tree.kept.get(path).is_some_and(|kept| kept.stamp == stamp)
        {
            return;
        }
        if metadata.len() > LARGEST_KEPT {
            self.whole(path, metadata, Whole::Huge);
            return;
        }
        let look = self.tree.spot(path).and_then(|spot| Look::at(&spot, self.rule));
        // Replaced since, by a command that still runs: the next look finds what it is then.
        let Ok(Look { content, text, metadata }) = look else { return };
        let (is_same, shown_mode, before_text) = match &known {
            Some(Known::Has { content: known, mode, text, .. }) => (*known == content, *mode, text.clone()),
            Some(Known::Gone) => (false, layer::mode(real), None),
            None => (real::holds(&self.tree.lower, path, content), layer::mode(real), None),
        };
        let before = self.tree.before(path);
        let known_text = if is_same { before_text } else { text.as_deref().map(Arc::from) };
        let (now, mode) = (Stamp::of(&metadata), layer::mode(Some(&metadata)));
        self.tree.known.insert(path.to_owned(), Known::Has { content, text: known_text, stamp: now, mode });
        self.tree.kept.remove(path);
        if !is_same {
            self.tree.copies.remove(path);
            let overtaken = known.is_none() && self.is_newer(real);
            self.add(
                path,
                before.clone(),
                match text {
                    _ if overtaken => ChangeKind::Overtaken,
                    Some(text) => ChangeKind::Written(text),
                    None => {
                        let spot = self.tree.spot(path);
                        ChangeKind::Bytes(Aside::of(spot, metadata.len(), &self.tree.upper))
                    }
                },
            );
        }
        if mode != shown_mode {
            let is_usual = mode == layer::mode(real);
            let kind = if is_usual { ChangeKind::UsualMode } else { ChangeKind::Mode(mode) };
            self.add(path, before, kind);
        }
    }

    /// Something of the real folder that the layer hides, and all that is in it.
    fn hidden(&mut self, path: &Utf8Path) {
        let mut left = vec![path.to_owned()];
        while let Some(path) = left.pop() {
            let is_folder = real::is_folder(&self.tree.lower, &path);
            if path.file_name() == Some(REPOSITORY) || self.ignored.is(&path, is_folder) {
                continue;
            }
            match real::metadata(&self.tree.lower, &path) {
                Some(metadata) if metadata.is_dir() => {
                    left.extend(self.real_names(&path).into_iter().map(|name| path.join(name)));
                }
                Some(_) => self.gone(&path),
                None => {}
            }
        }
    }

    fn hidden_folder(&mut self, folder: &Utf8Path) {
        for name in self.real_names(folder) {
            self.hidden(&folder.join(name));
        }
    }

    fn gone(&mut self, path: &Utf8Path) {
        if !matches!(self.tree.known.get(path), Some(Known::Gone)) {
            let before = self.tree.before(path);
            self.tree.known.insert(path.to_owned(), Known::Gone);
            self.add(path, before, ChangeKind::Deleted);
        }
    }

    fn whole(&mut self, path: &Utf8Path, metadata: &Metadata, what: Whole) {
        let kept = Kept { stamp: Stamp::of(metadata), lower: real::stamp(&self.tree.lower, path) };
        let before = self.tree.before(path);
        self.tree.known.remove(path);
        if self.tree.kept.insert(path.to_owned(), kept).is_none_or(|before| before.stamp != kept.stamp) {
            self.add(path, before, ChangeKind::Whole { what, size: metadata.len() });
        }
    }

    /// The real repository goes its own way: a layer over it would mix two histories.
    fn repository(&mut self, path: &Utf8Path, metadata: &Metadata) {
        // Looking at the state of a repository writes its index anew, which changes nothing.
        let is_more_than_index =
            !metadata.is_dir()
                || self.tree.folder(path).and_then(|at| below::names(&at)).is_ok_and(|names| {
                    names.iter().any(|name| !name.as_encoded_bytes().starts_with(b"index"))
                });
        if is_more_than_index {
            self.add(path, Before::Disk, ChangeKind::Repository);
        }
        if let Err(error) = self.tree.remove(path) {
            tracing::warn!(%error, "the changes of a repository can't be undone");
        }
    }

    fn add(&mut self, path: &Utf8Path, before: Before, kind: ChangeKind) {
        self.found.push(TreeChange { path: self.tree.lower.join(path), before, kind });
    }

    /// The real file was written since.
    fn is_newer(&self, real: Option<&Metadata>) -> bool {
        real.and_then(|real| real.modified().ok()).is_some_and(|modified| modified > self.since)
    }

    /// A whiteout is a folder if it hides one.
    fn is_folder(&self, path: &Utf8Path, metadata: &Metadata) -> bool {
        metadata.is_dir() || (whiteout::is_whiteout(metadata) && real::is_folder(&self.tree.lower, path))
    }

    fn real_names(&self, folder: &Utf8Path) -> Vec<String> {
        real::names(&self.tree.lower, folder)
    }
}
