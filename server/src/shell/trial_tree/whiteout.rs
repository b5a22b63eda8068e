//! How the upper layer of an overlay says that something of the lower one is gone (kernel documentation, overlayfs).

use std::fs::Metadata;
use std::io;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};

use camino::Utf8Path;
use rustix::fs::{CWD, FileType, Mode, XattrFlags, getxattr, mknodat, removexattr, setxattr};

/// Of a folder that hides all of the lower one.
const OPAQUE: &str = "user.overlay.opaque";

pub(super) fn is_whiteout(metadata: &Metadata) -> bool {
    metadata.file_type().is_char_device() && metadata.rdev() == 0
}

/// Makes what the lower layer has at the place of `path` vanish.
pub(super) fn make(path: &Utf8Path) -> io::Result<()> {
    Ok(mknodat(CWD, path.as_std_path(), FileType::CharacterDevice, Mode::empty(), 0)?)
}

pub(super) fn is_opaque(folder: &Utf8Path) -> bool {
    let mut value = [0; 1];
    getxattr(folder.as_std_path(), OPAQUE, &mut value[..]).is_ok_and(|length| length == 1 && value == *b"y")
}

pub(super) fn make_opaque(folder: &Utf8Path) -> io::Result<()> {
    Ok(setxattr(folder.as_std_path(), OPAQUE, b"y", XattrFlags::empty())?)
}

/// The lower folder shows through again.
pub(super) fn make_clear(folder: &Utf8Path) {
    // It need not have been opaque.
    let _ = removexattr(folder.as_std_path(), OPAQUE);
}
