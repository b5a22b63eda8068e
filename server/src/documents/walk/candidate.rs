//! A file that a walk has come to. Most are passed over, so nothing is copied or asked of the disk before it is wanted.

use std::ffi::CStr;
use std::os::fd::BorrowedFd;
use std::time::{Duration, SystemTime};

use rustix::fs::{AtFlags, statat};

use crate::documents::AbsPath;

/// A file below the folder of a walk.
#[derive(Clone, Copy, Debug)]
pub struct Candidate<'walk> {
    path: &'walk str,
    /// Bytes of it that name the folder.
    folder: usize,
    entry: Entry<'walk>,
}

/// What the disk gave for it.
#[derive(Clone, Copy, Debug)]
pub(super) enum Entry<'walk> {
    /// A name in its open folder.
    Plain(BorrowedFd<'walk>, &'walk CStr),
    Chosen(&'walk ignore::DirEntry),
    None,
}

impl<'walk> Candidate<'walk> {
    /// `path`: real and normal, below `folder`.
    pub(super) fn new(path: &'walk str, folder: &AbsPath, entry: Entry<'walk>) -> Self {
        Self { path, folder: folder.as_str().len(), entry }
    }

    /// A file below `folder` that the disk does not have.
    pub fn unsaved(path: &'walk AbsPath, folder: &AbsPath) -> Self {
        Self::new(path.as_str(), folder, Entry::None)
    }

    /// The real path.
    pub const fn path(&self) -> &'walk str {
        self.path
    }

    /// The path from the folder of the walk on.
    pub fn below(&self) -> &'walk str {
        self.path.get(self.folder..).unwrap_or_default().trim_start_matches('/')
    }

    /// The last part of the path.
    pub fn name(&self) -> &'walk str {
        self.path.rsplit_once('/').map_or(self.path, |(_, name)| name)
    }

    /// When it was changed last; `None`: that can't be seen, or it is not on disk.
    pub fn modified(&self) -> Option<SystemTime> {
        match self.entry {
            Entry::Plain(folder, name) => {
                let found = statat(folder, name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
                let nanoseconds = u32::try_from(found.st_mtime_nsec).ok()?;
                let since_epoch = Duration::new(u64::try_from(found.st_mtime).ok()?, nanoseconds);
                SystemTime::UNIX_EPOCH.checked_add(since_epoch)
            }
            Entry::Chosen(entry) => entry.metadata().ok()?.modified().ok(),
            Entry::None => None,
        }
    }

    pub fn to_path(&self) -> AbsPath {
        AbsPath::of_normal(self.path.to_owned())
    }
}
