//! A name in a folder that is held open: where a file is read and written, wherever its path leads meanwhile.

use std::fs::{File, Metadata, Permissions};
use std::io::{self, ErrorKind};
#[cfg(target_os = "linux")]
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};

use rustix::fs::{Access, AtFlags, Mode, OFlags, accessat, linkat, openat, renameat, statat, unlinkat};
#[cfg(target_os = "linux")]
use rustix::fs::{StatxAttributes, StatxFlags, statx};
use rustix::io::Errno;

use crate::documents::AbsPath;
use crate::documents::straight::Folder;

#[derive(Debug)]
pub(super) struct Spot {
    folder: Folder,
    name: String,
}

impl Spot {
    /// The one at `path`, whose folder there is.
    pub(super) fn find(path: &AbsPath) -> io::Result<Self> {
        Self::of(path, Folder::open)
    }

    /// The one at `path`, whose folders are made.
    pub(super) fn make(path: &AbsPath) -> io::Result<Self> {
        Self::of(path, Folder::make)
    }

    fn of(path: &AbsPath, folder: impl FnOnce(&AbsPath) -> io::Result<Folder>) -> io::Result<Self> {
        // The root has no name.
        let above = path.parent().ok_or(ErrorKind::IsADirectory)?;
        Ok(Self { folder: folder(&above)?, name: path.file_name().to_owned() })
    }

    /// A link is an error.
    pub(super) fn metadata(&self) -> io::Result<Metadata> {
        self.folder.metadata(&self.name)
    }

    /// What is here, to be read; a link is an error.
    pub(super) fn open(&self) -> io::Result<File> {
        self.folder.file(&self.name)
    }

    /// The same, to be written.
    pub(super) fn open_to_write(&self) -> io::Result<File> {
        self.folder.file_to_write(&self.name)
    }

    /// Gives what is here these permissions if it is a regular file that has the permissions `from`, whether or not it can
    /// be read. False: it is not.
    pub(super) fn change_mode(&self, from: u32, to: u32) -> io::Result<bool> {
        let file = self.folder.look_at(&self.name)?;
        let metadata = file.metadata()?;
        if !metadata.is_file() || metadata.mode() & 0o7777 != from {
            return Ok(false);
        }
        let to = Permissions::from_mode(to);
        // A descriptor that is only good for looking is named to the kernel by the link that `/proc` has to it.
        #[cfg(target_os = "linux")]
        std::fs::set_permissions(format!("/proc/self/fd/{}", file.as_raw_fd()), to)?;
        #[cfg(not(target_os = "linux"))]
        file.set_permissions(to)?;
        Ok(true)
    }

    /// Whether the system says that this user can't write it.
    pub(super) fn is_read_only(&self) -> bool {
        accessat(&self.folder, &self.name, Access::WRITE_OK, AtFlags::empty()).is_err()
    }

    /// Whether nobody can write it, since the whole file system it is on is read-only.
    pub(super) fn is_on_read_only_disk(&self) -> bool {
        accessat(&self.folder, &self.name, Access::WRITE_OK, AtFlags::empty()) == Err(Errno::ROFS)
    }

    /// Whether it bears a mark that keeps it as it is whatever its mode bits say, also from root.
    pub(super) fn is_marked(&self) -> bool {
        is_marked(&self.folder, &self.name)
    }

    pub(super) fn folder_is_marked(&self) -> bool {
        is_marked(&self.folder, ".")
    }

    /// An error if the system says that this user can't make or remove anything in the folder.
    pub(super) fn folder_takes_entries(&self) -> io::Result<()> {
        Ok(accessat(&self.folder, ".", Access::WRITE_OK | Access::EXEC_OK, AtFlags::empty())?)
    }

    pub(super) fn folder_metadata(&self) -> io::Result<Metadata> {
        self.folder.metadata(".")
    }

    pub(super) fn delete(&self) -> io::Result<()> {
        Ok(unlinkat(&self.folder, &self.name, AtFlags::empty())?)
    }

    /// Moves what is here to `to`, if nothing is there.
    pub(super) fn move_to(&self, to: &Self) -> io::Result<()> {
        move_entry((&self.folder, &self.name), (&to.folder, &to.name))
    }

    /// A new file beside this one that is to take its place.
    pub(super) fn successor(&self) -> io::Result<Successor<'_>> {
        let name = format!(".copydesk-{}.tmp", uuid::Uuid::new_v4().simple());
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        // The umask takes its bits away, as for any new file.
        let file = openat(&self.folder, &name, flags, Mode::from_raw_mode(0o666))?.into();
        Ok(Successor { of: self, name, file, has_its_place: false })
    }

    /// So that a rename itself survives a power cut. Some file systems refuse; the text is safe either way.
    pub(super) fn sync_folder(&self) {
        if let Ok(folder) = self.folder.readable() {
            let _ = rustix::fs::fsync(folder);
        }
    }
}

/// Removed again when dropped before it has its place, so no failure leaves one behind.
pub(super) struct Successor<'spot> {
    of: &'spot Spot,
    name: String,
    file: File,
    has_its_place: bool,
}

impl Successor<'_> {
    pub(super) const fn file(&self) -> &File {
        &self.file
    }

    pub(super) fn set_permissions(&self, permissions: Permissions) -> io::Result<()> {
        self.file.set_permissions(permissions)
    }

    /// In place of the file that is here.
    pub(super) fn replace(mut self) -> io::Result<()> {
        renameat(&self.of.folder, &self.name, &self.of.folder, &self.of.name)?;
        self.has_its_place = true;
        self.of.sync_folder();
        Ok(())
    }

    /// Where no file is.
    pub(super) fn settle(mut self) -> io::Result<()> {
        move_entry((&self.of.folder, &self.name), (&self.of.folder, &self.of.name))?;
        self.has_its_place = true;
        self.of.sync_folder();
        Ok(())
    }
}

impl Drop for Successor<'_> {
    fn drop(&mut self) {
        if !self.has_its_place {
            let _ = unlinkat(&self.of.folder, &self.name, AtFlags::empty());
        }
    }
}

/// `chattr +i` or `+a`. Elsewhere than on Linux, asking for access tells of such marks.
#[cfg(target_os = "linux")]
fn is_marked(folder: &Folder, name: &str) -> bool {
    let looked = statx(folder, name, AtFlags::SYMLINK_NOFOLLOW, StatxFlags::empty());
    let marks = StatxAttributes::IMMUTABLE | StatxAttributes::APPEND;
    looked.is_ok_and(|found| found.stx_attributes.intersects(marks))
}

#[cfg(not(target_os = "linux"))]
fn is_marked(_folder: &Folder, _name: &str) -> bool {
    false
}

/// Never over what is there.
fn move_entry((from, name): (&Folder, &str), (to, new_name): (&Folder, &str)) -> io::Result<()> {
    #[cfg(any(target_os = "linux", target_os = "macos"))]
    match rustix::fs::renameat_with(from, name, to, new_name, rustix::fs::RenameFlags::NOREPLACE) {
        // A file system that can't do it in one step.
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {}
        result => return Ok(result?),
    }
    match linkat(from, name, to, new_name, AtFlags::empty()) {
        Ok(()) => return Ok(unlinkat(from, name, AtFlags::empty())?),
        Err(Errno::EXIST) => return Err(Errno::EXIST.into()),
        // A file system without hard links.
        Err(_) => {}
    }
    match statat(to, new_name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(_) => Err(Errno::EXIST.into()),
        Err(_) => Ok(renameat(from, name, to, new_name)?),
    }
}
