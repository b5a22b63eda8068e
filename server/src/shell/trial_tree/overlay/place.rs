//! Putting files into the layer of a trial tree, and taking them out again.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};

use super::super::below::{self, Spot};
use super::super::layer::{self, Content, Stamp};
use super::super::{FileContent, Others, real, whiteout};
use super::{Known, OverlayTree};

impl OverlayTree {
    /// The tree has at `path` a file with this content, which is not [`FileContent::Absent`], and these permissions.
    pub(super) fn place(
        &mut self,
        path: &Utf8Path,
        content: &FileContent,
        mode: Option<u32>,
    ) -> io::Result<()> {
        let lower = real::metadata(&self.lower, path).filter(fs::Metadata::is_file);
        let open_real = || real::open(&self.lower, path).map(|(file, _)| file);
        let mode = mode.unwrap_or_else(|| layer::mode(lower.as_ref()));
        let open = |path: &Utf8Path| below::open_plain(path.as_std_path()).map(|(file, _)| file);
        let there = match self.known.get(path) {
            Some(Known::Has { content, stamp, mode, .. }) if self.stamp(path) == Some(*stamp) => {
                Some((*content, *mode))
            }
            Some(Known::Has { .. } | Known::Gone) | None => None,
        };
        let now = match content {
            FileContent::Absent => return self.hide(path),
            FileContent::Bytes(bytes) => Content::of(bytes),
            FileContent::Kept(from) => match there {
                Some((content, _)) if self.copies.get(path) == Some(from) => content,
                Some(_) | None => Content::of_all(open(from)?)?,
            },
            FileContent::Real => Content::of_all(open_real()?)?,
        };
        if there != Some((now, mode)) {
            let spot = self.make_room(path)?;
            if there.is_none_or(|(there, _)| there != now) {
                match content {
                    FileContent::Absent => {}
                    FileContent::Bytes(bytes) => spot.write(bytes.as_slice(), mode)?,
                    FileContent::Kept(from) => spot.write(open(from)?, mode)?,
                    FileContent::Real => spot.write(open_real()?, mode)?,
                }
            }
            spot.set_mode(mode)?;
            let text = match content {
                FileContent::Bytes(bytes) => Some(bytes.as_slice().into()),
                FileContent::Absent | FileContent::Kept(_) | FileContent::Real => None,
            };
            self.know(path, now, text)?;
        }
        match content {
            FileContent::Kept(from) => self.copies.insert(path.to_owned(), from.clone()),
            FileContent::Absent | FileContent::Bytes(_) | FileContent::Real => self.copies.remove(path),
        };
        Ok(())
    }

    /// The tree has nothing at `path`.
    pub(super) fn hide(&mut self, path: &Utf8Path) -> io::Result<()> {
        if !self.is_hidden(path) {
            let spot = self.make_room(path)?;
            spot.remove()?;
            whiteout::make(spot.parent(), spot.name())?;
        }
        self.known.insert(path.to_owned(), Known::Gone);
        Ok(())
    }

    /// The tree has at `path` what the disk has.
    ///
    /// A build tool goes by the time of a file. If the real one is older than what the tree had there until now, its
    /// content stays in the layer with a time of its own, or a build of the other text would pass for one of this.
    pub(super) fn show_real(&mut self, path: &Utf8Path, others: Others) -> io::Result<()> {
        let Some(known) = self.known.get(path).cloned() else { return Ok(()) };
        let lower = real::metadata(&self.lower, path);
        match (known, lower) {
            (Known::Gone, Some(_)) => self.uncover(path)?,
            (Known::Gone, None) => {}
            (Known::Has { .. }, None) => self.remove(path)?,
            (Known::Has { content, stamp, mode, .. }, Some(lower)) => {
                let is_newer = Stamp::of(&lower).is_newer(stamp);
                // A command that runs may have the file open: it goes on writing to the same one.
                let may_go = is_newer && others == Others::None;
                if !lower.is_file() || may_go {
                    self.remove(path)?;
                    self.uncover(path)?;
                } else if !real::holds(&self.lower, path, content) || mode != layer::mode(Some(&lower)) {
                    return self.place(path, &FileContent::Real, None);
                } else {
                    return Ok(());
                }
            }
        }
        self.known.remove(path);
        Ok(())
    }

    /// Notes what the layer has at `path` by now; `text`, unless that is the disk's or none.
    pub(super) fn know(
        &mut self,
        path: &Utf8Path,
        content: Content,
        text: Option<Arc<[u8]>>,
    ) -> io::Result<()> {
        let now = self.spot(path)?.metadata()?;
        let (stamp, mode) = (Stamp::of(&now), layer::mode(Some(&now)));
        self.known.insert(path.to_owned(), Known::Has { content, text, stamp, mode });
        Ok(())
    }

    /// Takes what the layer has at `path` out of it.
    pub(super) fn remove(&self, path: &Utf8Path) -> io::Result<()> {
        match self.spot(path) {
            Ok(spot) => spot.remove(),
            Err(error) if error.kind() == io::ErrorKind::NotFound || below::is_in_the_way(&error) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Unless the command has made a folder of it by now.
    pub(super) fn remove_file(&self, path: &Utf8Path) {
        if let Ok(spot) = self.spot(path)
            && spot.metadata().is_ok_and(|metadata| !metadata.is_dir())
        {
            let _ = spot.remove();
        }
    }

    /// Whether the layer has something at `path` that is no folder, and does not only hide what the real one has.
    pub(super) fn has_file(&self, path: &Utf8Path) -> bool {
        let own = self.spot(path).and_then(|spot| spot.metadata());
        own.is_ok_and(|own| !own.is_dir() && !whiteout::is_whiteout(&own))
    }

    pub(super) fn spot(&self, path: &Utf8Path) -> io::Result<Spot> {
        Spot::find(self.upper.as_std_path(), path.as_std_path())
    }

    fn stamp(&self, path: &Utf8Path) -> Option<Stamp> {
        Some(Stamp::of(&self.spot(path).ok()?.metadata().ok()?))
    }

    /// Whether the layer hides what the disk has at `path`.
    pub(super) fn is_hidden(&self, path: &Utf8Path) -> bool {
        let own = self.spot(path).and_then(|spot| spot.metadata());
        own.as_ref().is_ok_and(whiteout::is_whiteout)
            || (own.is_err() && self.covering_folder(path).is_some())
    }

    /// The outermost folder above `path` that hides what the disk has in it.
    fn covering_folder(&self, path: &Utf8Path) -> Option<Utf8PathBuf> {
        let mut folders: Vec<&Utf8Path> = path.ancestors().skip(1).collect();
        folders.reverse();
        let covers = |folder: &&Utf8Path| match self.folder(folder) {
            Ok(folder) => whiteout::is_opaque(&folder),
            Err(error) => below::is_in_the_way(&error),
        };
        folders.into_iter().find(covers).map(Utf8Path::to_owned)
    }

    pub(super) fn folder(&self, path: &Utf8Path) -> io::Result<OwnedFd> {
        below::folder(self.upper.as_std_path(), path.as_std_path())
    }

    /// Lets the real file at `path` be seen, and of what was hidden with it nothing else.
    fn uncover(&mut self, path: &Utf8Path) -> io::Result<()> {
        while let Some(folder) = self.covering_folder(path) {
            let at = match self.folder(&folder) {
                Ok(at) => at,
                Err(_) => self.make_anew(&folder)?,
            };
            whiteout::make_clear(&at);
            for name in real::names(&self.lower, &folder) {
                let name = OsStr::new(&name);
                if below::metadata(&at, name).is_err() {
                    whiteout::make(&at, name)?;
                }
            }
        }
        match self.spot(path) {
            Ok(spot) if spot.metadata().is_ok_and(|metadata| whiteout::is_whiteout(&metadata)) => {
                spot.remove()
            }
            Ok(_) | Err(_) => Ok(()),
        }
    }

    /// A folder in place of what hides the real one.
    fn make_anew(&self, folder: &Utf8Path) -> io::Result<OwnedFd> {
        // As if for a file in it.
        self.make_room(&folder.join("_"))?;
        self.folder(folder)
    }

    /// The place of `path`, in folders with the permissions of the real ones. One that hides the real one goes on doing
    /// so.
    fn make_room(&self, path: &Utf8Path) -> io::Result<Spot> {
        let mode = |folder: &Path| {
            let folder = Utf8Path::from_path(folder);
            let real = folder.and_then(|folder| real::metadata(&self.lower, folder));
            let real = real.filter(fs::Metadata::is_dir);
            real.map_or(0o755, |real| layer::mode(Some(&real)))
        };
        let replaced = |folder: &Path, made: &OwnedFd| {
            let is_real =
                Utf8Path::from_path(folder).is_some_and(|folder| real::is_folder(&self.lower, folder));
            if is_real { whiteout::make_opaque(made) } else { Ok(()) }
        };
        Spot::make(self.upper.as_std_path(), path.as_std_path(), mode, replaced)
    }
}
