//! Deleting and renaming a closed file: the entry in its folder, whatever it says.

use super::write::{failed, make_folders};
use super::{AbsPath, WriteError, disk_file};

/// Deletes the file at `path` if its bytes still have `hash`. A link is deleted itself, not what it points to.
pub(in crate::documents) fn delete(path: &AbsPath, hash: u64) -> Result<(), WriteError> {
    unchanged(path, hash)?;
    std::fs::remove_file(path.as_path()).map_err(|error| failed(path, &error))
}

/// Renames the file at `from` if its bytes still have `hash`. Folders on the way are made; an existing file at `to` is never
/// replaced.
pub(in crate::documents) fn rename(from: &AbsPath, to: &AbsPath, hash: u64) -> Result<(), WriteError> {
    unchanged(from, hash)?;
    if let Some(folder) = to.parent() {
        make_folders(&folder).map_err(|error| failed(to, &error))?;
    }
    rename_without_replacing(from, to).map_err(|error| failed(to, &error))
}

fn unchanged(path: &AbsPath, hash: u64) -> Result<(), WriteError> {
    match disk_file(path, None)? {
        Some(now) if now.hash == hash => Ok(()),
        Some(_) | None => Err(WriteError::Changed { path: path.clone() }),
    }
}

fn rename_without_replacing(from: &AbsPath, to: &AbsPath) -> std::io::Result<()> {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{CWD, RenameFlags, renameat_with};
        use rustix::io::Errno;
        let (from, to) = (from.as_path().as_std_path(), to.as_path().as_std_path());
        match renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
            // A file system that can't do it in one step.
            Err(Errno::INVAL | Errno::NOSYS) => {}
            result => return result.map_err(Into::into),
        }
    }
    if to.as_path().symlink_metadata().is_ok() {
        return Err(std::io::ErrorKind::AlreadyExists.into());
    }
    std::fs::rename(from.as_path(), to.as_path())
}
