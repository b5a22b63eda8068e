//! Writing over a file that must stay the same file, so that a failure on the way loses nothing of what it said.

use std::fs::File;
use std::io::{Result, Seek, SeekFrom, Write};

/// Replaces `old`, the bytes of the file, by `new`. After an error the file says `old` again, unless the device itself is
/// failing.
pub(super) fn write_in_place(file: &mut File, old: &[u8], new: &[u8]) -> Result<()> {
    overwrite(file, old, new)
}

/// What a file can do here.
trait Overwritten: Write + Seek {
    fn set_len(&self, length: u64) -> Result<()>;
    fn sync(&self) -> Result<()>;
}

impl Overwritten for File {
    fn set_len(&self, length: u64) -> Result<()> {
        File::set_len(self, length)
    }

    fn sync(&self) -> Result<()> {
        self.sync_all()
    }
}

fn overwrite(file: &mut impl Overwritten, old: &[u8], new: &[u8]) -> Result<()> {
    let replaced = replace(file, old, new);
    if replaced.is_err() {
        // It takes no room that the file did not have.
        write_at(file, 0, old)?;
        file.set_len(old.len() as u64)?;
        file.sync()?;
    }
    replaced
}

/// What needs more room comes first: if there is none, the old bytes have not been touched.
fn replace(file: &mut impl Overwritten, old: &[u8], new: &[u8]) -> Result<()> {
    let (over, behind) = new.split_at(new.len().min(old.len()));
    write_at(file, old.len() as u64, behind)?;
    if !behind.is_empty() {
        // Some file systems find out only now that there is no room.
        file.sync()?;
    }
    write_at(file, 0, over)?;
    file.set_len(new.len() as u64)?;
    file.sync()
}

fn write_at(file: &mut impl Overwritten, offset: u64, bytes: &[u8]) -> Result<()> {
    file.seek(SeekFrom::Start(offset))?;
    file.write_all(bytes)
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::io::{Cursor, ErrorKind};

    use super::*;

    /// A file on a disk with so much room, which may fail once while it writes.
    struct Small {
        bytes: RefCell<Cursor<Vec<u8>>>,
        room: usize,
        /// The writes that succeed before one fails.
        before_failure: Option<usize>,
    }

    impl Write for Small {
        fn write(&mut self, bytes: &[u8]) -> Result<usize> {
            match self.before_failure {
                Some(0) => {
                    self.before_failure = None;
                    return Err(ErrorKind::Other.into());
                }
                Some(writes) => self.before_failure = Some(writes - 1),
                None => {}
            }
            let mut file = self.bytes.borrow_mut();
            let room = self.room - usize::try_from(file.position()).unwrap();
            match file.write(&bytes[..bytes.len().min(room)])? {
                0 => Err(ErrorKind::StorageFull.into()),
                written => Ok(written),
            }
        }

        fn flush(&mut self) -> Result<()> {
            Ok(())
        }
    }

    impl Seek for Small {
        fn seek(&mut self, to: SeekFrom) -> Result<u64> {
            self.bytes.borrow_mut().seek(to)
        }
    }

    impl Overwritten for Small {
        fn set_len(&self, length: u64) -> Result<()> {
            self.bytes.borrow_mut().get_mut().truncate(usize::try_from(length).unwrap());
            Ok(())
        }

        fn sync(&self) -> Result<()> {
            Ok(())
        }
    }

    #[track_caller]
    fn check(old: &str, new: &str, room: usize, before_failure: Option<usize>, wanted: &str) {
        let bytes = RefCell::new(Cursor::new(old.as_bytes().to_vec()));
        let mut file = Small { bytes, room, before_failure };
        let outcome = overwrite(&mut file, old.as_bytes(), new.as_bytes());
        assert_eq!(String::from_utf8(file.bytes.into_inner().into_inner()).unwrap(), wanted);
        assert_eq!(outcome.is_ok(), new == wanted);
    }

    #[test]
    fn the_new_bytes_take_the_place_of_the_old_ones() {
        check("old", "longer", 9, None, "longer");
        check("longer", "old", 6, None, "old");
        check("", "new", 3, None, "new");
        check("old", "", 3, None, "");
    }

    #[test]
    fn a_full_disk_leaves_the_old_bytes() {
        check("old text", "new text, and more of it", 8, None, "old text");
        check("old text", "new text, and more of it", 12, None, "old text");
    }

    #[test]
    fn a_failure_on_the_way_leaves_the_old_bytes() {
        check("old text", "new text, and more of it", 99, Some(0), "old text");
        check("old text", "new text, and more of it", 99, Some(1), "old text");
    }
}
