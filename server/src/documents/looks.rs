//! Closed files as they were last read, and whether their metadata alone show that they still say the same.
//!
//! Invariant: in doubt a file is read again. A file that was changed shortly before it was read may be changed once more
//! without another time stamp, so its metadata prove nothing.

use std::collections::HashMap;
use std::fs::Metadata;
use std::time::{Duration, SystemTime};

use super::AbsPath;

/// Two changes closer than this may leave the same time stamp: that coarse is the clock of the coarsest file system.
const SAME_STAMP: Duration = Duration::from_secs(2);
/// At most so many files are remembered. Beyond that all are forgotten, which costs each one reading.
const PLACES: usize = 4096;

/// Metadata of which at least one differs after any later change of the bytes, and after another file took the place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Print {
    size: u64,
    modified: Option<SystemTime>,
    /// When anything of it was changed last: programs can set `modified`, and not this.
    changed: Option<SystemTime>,
    node: Node,
}

/// Which file it is.
#[cfg(unix)]
type Node = (u64, u64);
#[cfg(not(unix))]
type Node = Option<SystemTime>;

/// The hash of the bytes that were read, by real path.
#[derive(Debug, Default)]
pub(super) struct Looks {
    of: HashMap<AbsPath, (Print, u64)>,
}

impl Looks {
    /// The hash of what was read at `path`, if its metadata `now` say that it is still there.
    pub(super) fn get(&self, path: &AbsPath, now: Print) -> Option<u64> {
        self.of.get(path).filter(|(then, _)| *then == now).map(|(_, hash)| *hash)
    }

    /// `print`: taken before the bytes were read, at the time `at`.
    pub(super) fn put(&mut self, path: AbsPath, print: Print, at: SystemTime, hash: u64) {
        if !print.is_settled(at) {
            self.of.remove(&path);
            return;
        }
        if self.of.len() >= PLACES {
            self.of.clear();
        }
        self.of.insert(path, (print, hash));
    }
}

impl Print {
    pub(super) fn of(metadata: &Metadata) -> Self {
        Self {
            size: metadata.len(),
            modified: metadata.modified().ok(),
            changed: changed(metadata),
            node: node(metadata),
        }
    }

    /// Whether any change after `at` leaves other metadata.
    pub(super) fn is_settled(&self, at: SystemTime) -> bool {
        let age = self.modified.max(self.changed).and_then(|last| at.duration_since(last).ok());
        age.is_some_and(|age| age >= SAME_STAMP)
    }
}

#[cfg(unix)]
fn node(metadata: &Metadata) -> Node {
    use std::os::unix::fs::MetadataExt as _;
    (metadata.dev(), metadata.ino())
}

#[cfg(unix)]
fn changed(metadata: &Metadata) -> Option<SystemTime> {
    use std::os::unix::fs::MetadataExt as _;
    let since_epoch =
        Duration::new(metadata.ctime().try_into().ok()?, metadata.ctime_nsec().try_into().ok()?);
    SystemTime::UNIX_EPOCH.checked_add(since_epoch)
}

#[cfg(not(unix))]
fn node(metadata: &Metadata) -> Node {
    metadata.created().ok()
}

#[cfg(not(unix))]
const fn changed(_: &Metadata) -> Option<SystemTime> {
    None
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// Whether a file whose last change was so long before it was read is known again while nothing happens to it.
    #[track_caller]
    fn check(age: Duration, want: bool) {
        let file = tempfile::NamedTempFile::new().unwrap();
        let print = Print::of(&file.as_file().metadata().unwrap());
        let path = AbsPath::new("/w/a").unwrap();
        let mut looks = Looks::default();
        looks.put(path.clone(), print, print.modified.max(print.changed).unwrap() + age, 7);
        assert_eq!(looks.get(&path, print), want.then_some(7));
    }

    #[test]
    fn a_file_that_was_changed_just_before_it_was_read_is_read_again() {
        check(Duration::ZERO, false);
        check(Duration::from_millis(1_999), false);
        check(SAME_STAMP, true);
    }

    #[test]
    fn another_file_of_the_same_size_and_time_in_its_place_is_another() {
        let folder = tempfile::tempdir().unwrap();
        let (one, other) = (folder.path().join("one"), folder.path().join("other"));
        fs::write(&one, "one").unwrap();
        fs::copy(&one, &other).unwrap();
        let time = fs::metadata(&one).unwrap().modified().unwrap();
        fs::File::options().append(true).open(&other).unwrap().set_modified(time).unwrap();
        let (one, other) = (fs::metadata(&one).unwrap(), fs::metadata(&other).unwrap());
        assert_eq!((one.len(), one.modified().unwrap()), (other.len(), other.modified().unwrap()));
        #[cfg(unix)]
        assert_ne!(Print::of(&one), Print::of(&other));
    }

    #[test]
    fn no_more_than_so_many_are_remembered() {
        let print =
            Print { size: 0, modified: Some(SystemTime::UNIX_EPOCH), changed: None, node: Node::default() };
        let mut looks = Looks::default();
        for number in 0..2 * PLACES {
            let path = AbsPath::new(format!("/w/{number}")).unwrap();
            looks.put(path.clone(), print, SystemTime::now(), 0);
            assert!(looks.of.len() <= PLACES);
        }
    }
}
