//! A copy of a file as a command left it: the tree goes on changing under commands that still run, and gets what is pending
//! before the next one.

use std::fs::{self, File};
use std::io;
use std::sync::Arc;

use camino::Utf8Path;
use tempfile::{NamedTempFile, TempPath};

use super::below::Spot;

/// Cheap to clone; with the last clone the copy is removed.
#[derive(Clone, Debug)]
pub struct Aside {
    /// The error is why there is none.
    copy: Result<Arc<TempPath>, io::ErrorKind>,
    size: u64,
}

impl Aside {
    /// Of the regular file at `spot`, in a folder beside the trial tree at `tree`.
    pub(super) fn of(spot: io::Result<Spot>, size: u64, tree: &Utf8Path) -> Self {
        let copy = || {
            let folder = tree.with_file_name("aside");
            fs::create_dir_all(&folder)?;
            let mut copy = NamedTempFile::new_in(&folder)?;
            io::copy(&mut spot?.open()?.0, copy.as_file_mut())?;
            Ok::<_, io::Error>(Arc::new(copy.into_temp_path()))
        };
        Self { copy: copy().map_err(|error| error.kind()), size }
    }

    /// In bytes.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// The bytes from their beginning.
    ///
    /// # Errors
    /// It could not be copied, as where there is no room.
    pub fn open(&self) -> io::Result<File> {
        match &self.copy {
            Ok(path) => File::open(&**path),
            Err(kind) => Err((*kind).into()),
        }
    }
}

/// The same copy.
impl PartialEq for Aside {
    fn eq(&self, other: &Self) -> bool {
        match (&self.copy, &other.copy) {
            (Ok(one), Ok(other)) => Arc::ptr_eq(one, other),
            (Err(one), Err(two)) => one == two && self.size == other.size,
            (Ok(_), Err(_)) | (Err(_), Ok(_)) => false,
        }
    }
}

impl Eq for Aside {}
