//! Putting files into the layer of a trial tree, and taking them out again.

use std::fs;
use std::io;
use std::os::unix::fs::DirBuilderExt as _;

use camino::{Utf8Path, Utf8PathBuf};

use super::super::layer::{self, Content, Stamp};
use super::super::whiteout;
use super::{Known, OverlayTree};

impl OverlayTree {
    /// The tree has `bytes` at `path`.
    pub(super) fn place(&mut self, path: &Utf8Path, bytes: &[u8]) -> io::Result<()> {
        let (at, content) = (self.upper.join(path), Content::of(bytes));
        if let Some(Known::Has { content: known, stamp }) = self.known.get(path)
            && *known == content
            && Stamp::at(&at) == Some(*stamp)
        {
            return Ok(());
        }
        self.make_folders(path)?;
        make_way(&at)?;
        let lower = fs::symlink_metadata(self.lower.join(path)).ok();
        layer::write(&at, bytes, layer::mode(lower.as_ref()))?;
        self.know(path, content)
    }

    /// The tree has nothing at `path`.
    pub(super) fn hide(&mut self, path: &Utf8Path) -> io::Result<()> {
        if !self.is_hidden(path) {
            let at = self.upper.join(path);
            self.make_folders(path)?;
            remove(&at)?;
            whiteout::make(&at)?;
        }
        self.known.insert(path.to_owned(), Known::Gone);
        Ok(())
    }

    /// The tree has at `path` what the disk has.
    ///
    /// A build tool goes by the time of a file. If the real one is older than what the tree had there until now, its
    /// content stays in the layer with a time of its own, or a build of the other text would pass for one of this.
    pub(super) fn show_real(&mut self, path: &Utf8Path) -> io::Result<()> {
        let (at, real) = (self.upper.join(path), self.lower.join(path));
        let Some(known) = self.known.get(path).copied() else { return Ok(()) };
        let lower = fs::symlink_metadata(&real).ok();
        match (known, lower) {
            (Known::Gone, Some(_)) => self.uncover(path)?,
            (Known::Gone, None) => {}
            (Known::Has { .. }, None) => remove(&at)?,
            (Known::Has { content, stamp }, Some(lower)) => {
                let is_newer = Stamp::of(&lower).is_newer(stamp);
                if !lower.is_file() || is_newer {
                    remove(&at)?;
                } else {
                    if !content.is_at(&real) {
                        let bytes = fs::read(&real)?;
                        make_way(&at)?;
                        layer::write(&at, &bytes, layer::mode(Some(&lower)))?;
                        return self.know(path, Content::of(&bytes));
                    }
                    return Ok(());
                }
            }
        }
        self.known.remove(path);
        Ok(())
    }

    /// Notes what the layer has at `path` by now.
    pub(super) fn know(&mut self, path: &Utf8Path, content: Content) -> io::Result<()> {
        let stamp = Stamp::of(&fs::symlink_metadata(self.upper.join(path))?);
        self.known.insert(path.to_owned(), Known::Has { content, stamp });
        Ok(())
    }

    /// Whether the layer hides what the disk has at `path`.
    fn is_hidden(&self, path: &Utf8Path) -> bool {
        let own = fs::symlink_metadata(self.upper.join(path));
        own.as_ref().is_ok_and(whiteout::is_whiteout)
            || (own.is_err() && self.covering_folder(path).is_some())
    }

    /// The outermost folder above `path` that hides what the disk has in it.
    fn covering_folder(&self, path: &Utf8Path) -> Option<Utf8PathBuf> {
        let mut folders: Vec<&Utf8Path> = path.ancestors().skip(1).collect();
        folders.reverse();
        let covers = |folder: &&Utf8Path| {
            let at = self.upper.join(folder);
            fs::symlink_metadata(&at).is_ok_and(|metadata| !metadata.is_dir()) || whiteout::is_opaque(&at)
        };
        folders.into_iter().find(covers).map(Utf8Path::to_owned)
    }

    /// Lets the real file at `path` be seen, and of what was hidden with it nothing else.
    fn uncover(&mut self, path: &Utf8Path) -> io::Result<()> {
        while let Some(folder) = self.covering_folder(path) {
            let (at, real) = (self.upper.join(&folder), self.lower.join(&folder));
            if whiteout::is_opaque(&at) {
                whiteout::make_clear(&at);
            } else {
                remove(&at)?;
                self.make_folder(&folder)?;
            }
            for entry in real.read_dir_utf8()?.flatten() {
                let inside = at.join(entry.file_name());
                if fs::symlink_metadata(&inside).is_err() {
                    whiteout::make(&inside)?;
                }
            }
        }
        let at = self.upper.join(path);
        if fs::symlink_metadata(&at).is_ok_and(|metadata| whiteout::is_whiteout(&metadata)) {
            remove(&at)?;
        }
        Ok(())
    }

    /// The folders above `path`, with the permissions of the real ones. One that hides the real one goes on doing so.
    fn make_folders(&self, path: &Utf8Path) -> io::Result<()> {
        let mut folders: Vec<&Utf8Path> =
            path.ancestors().skip(1).filter(|folder| !folder.as_str().is_empty()).collect();
        folders.reverse();
        for folder in folders {
            let at = self.upper.join(folder);
            match fs::symlink_metadata(&at) {
                Ok(metadata) if metadata.is_dir() => {}
                Ok(_) => {
                    remove(&at)?;
                    self.make_folder(folder)?;
                    if self.lower.join(folder).is_dir() {
                        whiteout::make_opaque(&at)?;
                    }
                }
                Err(_) => self.make_folder(folder)?,
            }
        }
        Ok(())
    }

    fn make_folder(&self, folder: &Utf8Path) -> io::Result<()> {
        let real = fs::metadata(self.lower.join(folder)).ok().filter(fs::Metadata::is_dir);
        let mode = real.map_or(0o755, |real| layer::mode(Some(&real)));
        fs::DirBuilder::new().mode(mode).create(self.upper.join(folder))
    }
}

/// Removes what is no regular file where one is to be written.
fn make_way(at: &Utf8Path) -> io::Result<()> {
    match fs::symlink_metadata(at) {
        Ok(metadata) if !metadata.is_file() => remove(at),
        Ok(_) | Err(_) => Ok(()),
    }
}

/// Whatever it is, if there is anything.
fn remove(at: &Utf8Path) -> io::Result<()> {
    match fs::symlink_metadata(at) {
        Ok(metadata) if metadata.is_dir() => fs::remove_dir_all(at),
        Ok(_) => fs::remove_file(at),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}
