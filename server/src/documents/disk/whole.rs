//! Closed files as wholes, whatever bytes they hold: what is there, other bytes in its place, and its permissions.

use std::io::{self, Read as _};
use std::os::unix::fs::MetadataExt as _;
use std::time::SystemTime;

use super::spot::Spot;
use super::write::{Source, create, failed, found, must_be_writable, put_in_place};
use super::{AbsPath, Expected, Print, ReadError, WriteError, hash_while_copying, open, print};
use crate::documents::Kept;

/// A regular file as it lies on disk.
#[derive(Clone, Copy, Debug)]
pub struct DiskFile {
    /// Of its bytes, as in [`Stamp::Disk`](crate::documents::Stamp::Disk).
    pub hash: u64,
    pub size: u64,
    /// Its permissions, as `chmod` has them.
    pub mode: u32,
    print: Print,
    read_at: SystemTime,
}

/// What is at `path`, read to its end in pieces if it has at most [`Kept::LARGEST`] bytes; `known` stands if its metadata show
/// that nothing was changed since.
pub(in crate::documents) fn disk_file(
    path: &AbsPath,
    known: Option<&DiskFile>,
) -> Result<Option<DiskFile>, ReadError> {
    if let Some(known) = known
        && print(path).is_some_and(|now| now == known.print && now.is_settled(known.read_at))
    {
        return Ok(Some(*known));
    }
    let read_at = SystemTime::now();
    let (mut file, metadata) = match open(path) {
        Err(ReadError::Missing { .. }) => return Ok(None),
        opened => opened?,
    };
    let (size, limit) = (metadata.len(), Kept::LARGEST);
    if size > limit {
        return Err(ReadError::TooLarge { path: path.clone(), size, limit });
    }
    let read = hash_while_copying(&mut file, &mut io::sink());
    let (hash, size) = read.map_err(|error| super::io_error(path, &error))?;
    let print = Print::of(&metadata);
    Ok(Some(DiskFile { hash, size, mode: metadata.mode() & 0o7777, print, read_at }))
}

/// Writes the bytes to the file at `path` if what is there is `expected`. The file gets the permissions `mode`; without them
/// an existing one keeps its own, and a new one has what the umask gives.
pub(in crate::documents) fn write_whole(
    path: &AbsPath,
    kept: &Kept,
    expected: Expected,
    mode: Option<u32>,
) -> Result<(), WriteError> {
    let Expected::Hash(hash) = expected else {
        return create(path, Source::Kept(kept), mode);
    };
    let (mut file, metadata, spot) = found(path)?;
    let read = hash_while_copying(&mut file, &mut io::sink());
    let (now, _) = read.map_err(|error| super::io_error(path, &error))?;
    if now != hash {
        return Err(WriteError::Changed { path: path.clone() });
    }
    must_be_writable(path, &metadata, &spot)?;
    let old = || {
        let mut bytes = Vec::new();
        spot.open()?.read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    put_in_place(path, &spot, Source::Kept(kept), &metadata, mode, old)
}

/// Gives the file at `path` the permissions `to`, if it has the permissions `from`.
pub(in crate::documents) fn set_mode(path: &AbsPath, from: u32, to: u32) -> Result<(), WriteError> {
    let changed = Spot::find(path).and_then(|spot| spot.change_mode(from, to));
    if changed.map_err(|error| failed(path, &error))? {
        return Ok(());
    }
    Err(WriteError::Changed { path: path.clone() })
}

#[cfg(test)]
mod tests {
    use std::fs::{Permissions, hard_link, metadata, read, read_dir, set_permissions, write};
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};

    use camino::Utf8Path;

    use super::*;

    const OLD: &[u8] = b"\x89PNG\0old";
    const NEW: &[u8] = b"\x89PNG\0a new one that is longer";

    struct Place(tempfile::TempDir);

    impl Place {
        fn new() -> Self {
            Self(tempfile::tempdir().unwrap())
        }

        fn path(&self, name: &str) -> AbsPath {
            AbsPath::new(self.0.path().canonicalize().unwrap().join(name).to_str().unwrap()).unwrap()
        }

        fn put(&self, name: &str, mode: u32) -> AbsPath {
            let path = self.path(name);
            write(path.as_path(), OLD).unwrap();
            set_permissions(path.as_path(), Permissions::from_mode(mode)).unwrap();
            path
        }
    }

    /// Outside of the folder that is looked at.
    fn kept() -> (tempfile::TempDir, Kept) {
        let folder = tempfile::tempdir().unwrap();
        let kept = Kept::copy(NEW, Utf8Path::from_path(folder.path()).unwrap(), 1_000).unwrap();
        (folder, kept)
    }

    fn expected(path: &AbsPath) -> Expected {
        disk_file(path, None).unwrap().map_or(Expected::Absent, |now| Expected::Hash(now.hash))
    }

    #[track_caller]
    fn check(path: &AbsPath, bytes: &[u8], mode: u32) {
        assert_eq!(read(path.as_path()).unwrap(), bytes);
        let now = disk_file(path, None).unwrap().unwrap();
        assert_eq!((now.hash, now.size), (super::super::hash(bytes), bytes.len() as u64));
        assert_eq!(format!("{:o}", now.mode), format!("{mode:o}"));
    }

    #[test]
    fn other_bytes_leave_everything_else_and_a_mode_comes_with_them() {
        let place = Place::new();
        let (_folder, kept) = kept();
        let (a, b) = (place.put("a", 0o640), place.put("b", 0o640));
        write_whole(&a, &kept, expected(&a), None).unwrap();
        write_whole(&b, &kept, expected(&b), Some(0o755)).unwrap();
        check(&a, NEW, 0o640);
        check(&b, NEW, 0o755);
        let made = place.path("new/deep/c");
        write_whole(&made, &kept, Expected::Absent, Some(0o700)).unwrap();
        check(&made, NEW, 0o700);
        let usual = place.path("d");
        write_whole(&usual, &kept, Expected::Absent, None).unwrap();
        write(place.path("by-the-system").as_path(), "").unwrap();
        check(&usual, NEW, metadata(place.path("by-the-system").as_path()).unwrap().mode() & 0o7777);
    }

    #[test]
    fn hard_links_stay_one_file() {
        let place = Place::new();
        let (_folder, kept) = kept();
        let (path, twin) = (place.put("a", 0o644), place.path("twin"));
        hard_link(path.as_path(), twin.as_path()).unwrap();
        write_whole(&path, &kept, expected(&path), Some(0o600)).unwrap();
        check(&twin, NEW, 0o600);
    }

    #[test]
    fn what_is_another_file_by_now_is_not_touched() {
        let place = Place::new();
        let (_folder, kept) = kept();
        let path = place.put("a", 0o644);
        let changed = || Err(WriteError::Changed { path: path.clone() });
        assert_eq!(write_whole(&path, &kept, Expected::Hash(1), None), changed());
        let exists = Err(WriteError::Exists { path: path.clone() });
        assert_eq!(write_whole(&path, &kept, Expected::Absent, None), exists);
        assert_eq!(set_mode(&path, 0o600, 0o755), changed());
        check(&path, OLD, 0o644);
        let gone = place.path("gone");
        let refused = write_whole(&gone, &kept, Expected::Hash(1), None);
        assert_eq!(refused, Err(WriteError::Changed { path: gone }));
        assert_eq!(read_dir(place.0.path()).unwrap().count(), 1, "nothing is left beside it");
    }

    #[test]
    fn a_mode_changes_nothing_else_and_follows_no_link() {
        let place = Place::new();
        let path = place.put("a", 0o000);
        let before = metadata(path.as_path()).unwrap();
        set_mode(&path, 0o000, 0o755).unwrap();
        check(&path, OLD, 0o755);
        let after = metadata(path.as_path()).unwrap();
        assert_eq!((before.ino(), before.mtime_nsec()), (after.ino(), after.mtime_nsec()));
        let link = place.path("link");
        symlink(path.as_path(), link.as_path()).unwrap();
        assert_eq!(set_mode(&link, 0o777, 0o600), Err(WriteError::Linked { path: link }));
        check(&path, OLD, 0o755);
    }

    #[test]
    fn a_read_only_file_is_refused() {
        let place = Place::new();
        let (_folder, kept) = kept();
        let path = place.put("a", 0o444);
        let refused = write_whole(&path, &kept, expected(&path), None);
        assert_eq!(refused, Err(WriteError::ReadOnly { path: path.clone() }));
        check(&path, OLD, 0o444);
    }
}
