//! Bytes that are kept aside in a file of their own until somebody decides on them: they may be many, and are nothing that
//! could be shown as text.

use std::fs::File;
use std::io::{self, Read, Write as _};
use std::sync::Arc;

use camino::Utf8Path;
use tempfile::TempPath;

use super::disk;

/// A copy of a file as it was. Cheap to clone; with the last clone the copy is removed.
#[derive(Clone, Debug)]
pub struct Kept(Arc<Copied>);

#[derive(Debug)]
struct Copied {
    path: TempPath,
    size: u64,
    hash: u64,
}

impl Kept {
    /// In bytes: a file of more is neither kept nor compared as a whole.
    pub const LARGEST: u64 = 256 << 20;

    /// All that `from` gives, copied into `folder`, which is made; nobody but this user can read it there.
    ///
    /// # Errors
    /// Of reading and writing; `FileTooLarge` if there are more than `most` bytes.
    pub fn copy(from: impl Read, folder: &Utf8Path, most: u64) -> io::Result<Self> {
        std::fs::create_dir_all(folder)?;
        // The mode of a temporary file lets only its owner at it.
        let mut file = tempfile::Builder::new().prefix("kept-").tempfile_in(folder)?;
        let (hash, size) = disk::hash_while_copying(from.take(most.saturating_add(1)), &mut file)?;
        if size > most {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        file.flush()?;
        Ok(Self(Arc::new(Copied { path: file.into_temp_path(), size, hash })))
    }

    /// In bytes.
    pub fn size(&self) -> u64 {
        self.0.size
    }

    /// Of the bytes, as in [`Stamp::Disk`](super::Stamp::Disk).
    pub fn hash(&self) -> u64 {
        self.0.hash
    }

    /// Where the copy lies as long as this is held. It is never changed.
    pub fn path(&self) -> Option<&Utf8Path> {
        Utf8Path::from_path(&self.0.path)
    }

    /// The bytes from their beginning.
    pub fn open(&self) -> io::Result<File> {
        File::open(&self.0.path)
    }
}

/// The same bytes.
impl PartialEq for Kept {
    fn eq(&self, other: &Self) -> bool {
        (self.size(), self.hash()) == (other.size(), other.hash())
    }
}

impl Eq for Kept {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_copy_is_private_and_goes_with_the_last_who_holds_it() {
        let folder = tempfile::tempdir().unwrap();
        let folder = Utf8Path::from_path(folder.path()).unwrap().join("kept");
        let bytes: Vec<u8> = (0..300_000_u32).map(|number| (number % 251) as u8).collect();
        let kept = Kept::copy(bytes.as_slice(), &folder, bytes.len() as u64).unwrap();
        let again = kept.clone();
        drop(kept);
        let mut read = Vec::new();
        again.open().unwrap().read_to_end(&mut read).unwrap();
        assert!(read == bytes);
        assert_eq!((again.size(), again.hash()), (bytes.len() as u64, disk::hash(&bytes)));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = again.path().unwrap().metadata().unwrap().permissions().mode();
            assert_eq!(mode & 0o7777, 0o600);
        }
        drop(again);
        assert_eq!(folder.read_dir_utf8().unwrap().count(), 0);
    }

    #[test]
    fn too_many_bytes_are_not_kept() {
        let folder = tempfile::tempdir().unwrap();
        let folder = Utf8Path::from_path(folder.path()).unwrap();
        let refused = Kept::copy(&b"four"[..], folder, 3).unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::FileTooLarge);
        assert_eq!(folder.read_dir_utf8().unwrap().count(), 0);
    }
}
