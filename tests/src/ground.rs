//! What the machine that the tests run on lets be tried.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Says that a test was not tried, and why. Where CI runs, that is an error, unless the machine can't have what it takes
/// at all: `can_have` says whether it could.
#[track_caller]
#[allow(clippy::print_stderr, reason = "whoever runs the tests is to know")]
pub fn not_tried(why: &str, can_have: bool) {
    eprintln!("not tried: {why}");
    assert!(!can_have || std::env::var("CI").as_deref() != Ok("true"), "in CI this must be tried: {why}");
}

/// Whether somebody who is root in a name space of users can be had here, which most grounds are made with.
pub fn makes_name_spaces() -> bool {
    let tried = Command::new("unshare").args(["--user", "--map-root-user", "--mount", "true"]).output();
    tried.is_ok_and(|tried| tried.status.success())
}

/// A folder that commands see as it is: not below those for temporary files, of which they have their own. `None`: there is
/// none that this user may write to.
pub fn lasting_folder(preferred: &Path) -> Option<PathBuf> {
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let others = ["/opt", "/srv", "/var/lib", "/root"].map(PathBuf::from);
    let is_temporary = |folder: &PathBuf| ["/tmp", "/var/tmp"].iter().any(|made| folder.starts_with(made));
    let mut folders = std::iter::once(preferred.to_owned()).chain(home).chain(others);
    folders.find(|folder| !is_temporary(folder) && tempfile::tempdir_in(folder).is_ok())
}
