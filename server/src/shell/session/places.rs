//! The folders of one command.

use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt as _;

use camino::{Utf8Path, Utf8PathBuf};

/// Gone with the command.
pub(super) struct Places {
    pub(super) folder: Utf8PathBuf,
    /// The session's temporary folder, and names of files of this command in it.
    pub(super) temporary: Utf8PathBuf,
    pub(super) cwd: String,
    pub(super) command: String,
}

impl Places {
    /// For the command of this number, below the session's folder.
    pub(super) fn make(session: &Utf8Path, number: u64) -> io::Result<Self> {
        let folder = session.join("commands").join(number.to_string());
        fs::create_dir_all(folder.join("scratch"))?;
        let temporary = session.join("tmp");
        fs::create_dir_all(&temporary)?;
        let name = |what: &str| format!(".{what}-{number}");
        Ok(Self { folder, temporary, cwd: name("cwd"), command: name("command") })
    }

    /// Where the command said that it was at its end.
    pub(super) fn told_cwd(&self) -> Option<Utf8PathBuf> {
        let told = fs::read_to_string(self.temporary.join(&self.cwd)).ok()?;
        Some(Utf8PathBuf::from(told.trim_end_matches('\n'))).filter(|cwd| cwd.is_absolute())
    }
}

impl Drop for Places {
    fn drop(&mut self) {
        for name in [&self.cwd, &self.command] {
            // It need not have been made.
            let _ = fs::remove_file(self.temporary.join(name));
        }
        if let Err(error) = remove_all(&self.folder) {
            tracing::debug!(%error, "the folder of a command stays");
        }
    }
}

/// What an overlay leaves in its folder of work can't be entered as it is.
fn remove_all(folder: &Utf8Path) -> io::Result<()> {
    for entry in folder.read_dir_utf8()?.flatten() {
        let inner = entry.path().join("work");
        if inner.is_dir() {
            fs::set_permissions(&inner, fs::Permissions::from_mode(0o700))?;
        }
    }
    fs::remove_dir_all(folder)
}
