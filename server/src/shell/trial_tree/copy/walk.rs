//! The files of a folder that git does not ignore, the links, and the folders that lie too deep to be looked into, without
//! following a link.

use std::ffi::OsStr;
use std::fs::Metadata;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use camino::{Utf8Path, Utf8PathBuf};

use super::super::below;
use super::super::ignored::{Ignored, REPOSITORY};

/// What is still to be told, by path below the root.
pub(super) struct Walk {
    root: Utf8PathBuf,
    lower: Utf8PathBuf,
    ignored: Ignored,
    folders: Vec<PathBuf>,
    files: Vec<(PathBuf, Metadata)>,
}

impl Walk {
    /// `copy`: of `lower`, or that itself.
    pub(super) fn of(lower: &Utf8Path, copy: &Utf8Path) -> Self {
        let ignored = Ignored::new(lower, copy);
        let (root, lower) = (copy.to_owned(), lower.to_owned());
        Self { root, lower, ignored, folders: vec![PathBuf::new()], files: Vec::new() }
    }

    fn folder(&mut self, folder: &Path) {
        let Ok(at) = below::folder(self.root.as_std_path(), folder) else { return };
        for name in below::names(&at).unwrap_or_default() {
            if name != REPOSITORY {
                self.entry(&at, folder, &name);
            }
        }
    }

    fn entry(&mut self, at: &OwnedFd, folder: &Path, name: &OsStr) {
        let Ok(metadata) = below::metadata(at, name) else { return };
        let path = folder.join(name);
        let is_told =
            metadata.is_dir() || metadata.is_file() || (metadata.is_symlink() && !self.is_own_link(&path));
        if !is_told || self.ignored.is(Utf8Path::new(&path.to_string_lossy()), metadata.is_dir()) {
            return;
        }
        if metadata.is_dir() && !below::is_too_deep(&path) {
            self.folders.push(path);
        } else {
            self.files.push((path, metadata));
        }
    }

    /// Whether the link leads to what it stands for in the real folder: this program made it for what git ignores.
    fn is_own_link(&self, path: &Path) -> bool {
        let target = std::fs::read_link(self.root.as_std_path().join(path));
        target.is_ok_and(|target| target == self.lower.as_std_path().join(path))
    }
}

impl Iterator for Walk {
    type Item = (PathBuf, Metadata);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(file) = self.files.pop() {
                return Some(file);
            }
            let folder = self.folders.pop()?;
            self.folder(&folder);
        }
    }
}
