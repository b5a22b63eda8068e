//! How the upper layer of an overlay says that something of the lower one is gone (kernel documentation, overlayfs).

use std::ffi::OsStr;
use std::fs::Metadata;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};

use rustix::fs::{FileType, Mode, OFlags, XattrFlags, fgetxattr, fremovexattr, fsetxattr, mknodat, openat};

/// Of a folder that hides all of the lower one.
const OPAQUE: &str = "user.overlay.opaque";

pub(super) fn is_whiteout(metadata: &Metadata) -> bool {
    metadata.file_type().is_char_device() && metadata.rdev() == 0
}

/// Makes what the lower layer has at the place of `name` vanish.
pub(super) fn make(folder: &OwnedFd, name: &OsStr) -> io::Result<()> {
    Ok(mknodat(folder, name, FileType::CharacterDevice, Mode::empty(), 0)?)
}

pub(super) fn is_opaque(folder: &OwnedFd) -> bool {
    let mut value = [0; 1];
    readable(folder)
        .and_then(|folder| fgetxattr(folder, OPAQUE, &mut value[..]))
        .is_ok_and(|length| length == 1 && value == *b"y")
}

pub(super) fn make_opaque(folder: &OwnedFd) -> io::Result<()> {
    Ok(fsetxattr(readable(folder)?, OPAQUE, b"y", XattrFlags::empty())?)
}

/// The lower folder shows through again.
pub(super) fn make_clear(folder: &OwnedFd) {
    // It need not have been opaque.
    let _ = readable(folder).and_then(|folder| fremovexattr(folder, OPAQUE));
}

fn readable(folder: &OwnedFd) -> rustix::io::Result<OwnedFd> {
    openat(folder, ".", OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())
}
