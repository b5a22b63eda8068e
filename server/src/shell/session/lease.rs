//! Whose the folder of a session is: its trial tree is kept while the program that made it runs, and removed by a later one.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt as _;

use camino::{Utf8Path, Utf8PathBuf};

use super::TREE;

/// Held while a session's trial tree is in use. The system lets go of it when this program ends, however it does.
#[derive(Debug)]
pub(super) struct Lease(#[expect(dead_code, reason = "held, not read")] File);

const LOCK: &str = "lock";
/// What only commands need, and nobody when their session is over. It holds what they built, which may be large.
const OF_COMMANDS: [&str; 3] = [TREE, "commands", "tmp"];

impl Lease {
    /// Waits while another program removes what was left there.
    pub(super) fn take(session: &Utf8Path) -> io::Result<Self> {
        fs::create_dir_all(session)?;
        let lock = OpenOptions::new().create(true).truncate(false).write(true).open(session.join(LOCK))?;
        lock.lock()?;
        Ok(Self(lock))
    }
}

/// Removes the trial trees below `sessions` that no program holds.
pub(super) fn remove_left_over(sessions: &Utf8Path) {
    for session in sessions.read_dir_utf8().into_iter().flatten().flatten() {
        let session = session.path();
        let Ok(lock) = OpenOptions::new().write(true).open(session.join(LOCK)) else { continue };
        // Until the lock is let go, no program can begin there.
        if lock.try_lock().is_err() {
            continue;
        }
        for left in OF_COMMANDS.map(|name| session.join(name)) {
            if left.symlink_metadata().is_ok()
                && let Err(error) = remove_all(&left)
            {
                tracing::debug!(%error, %left, "what a session left stays");
            }
        }
    }
}

/// Removes a folder, also one that holds folders which can't be entered as they are: a command, or the overlay's own.
fn remove_all(folder: &Utf8Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            open_up(folder);
            fs::remove_dir_all(folder)
        }
        removed => removed,
    }
}

fn open_up(folder: &Utf8Path) {
    let _ = fs::set_permissions(folder, Permissions::from_mode(0o700));
    for entry in folder.read_dir_utf8().into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            open_up(&Utf8PathBuf::from(entry.path()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trial_tree_is_removed_when_nobody_holds_its_session_any_more() {
        let folder = tempfile::tempdir().unwrap();
        let sessions = Utf8Path::from_path(folder.path()).unwrap();
        let session = |name: &str| {
            let session = sessions.join(name);
            fs::create_dir_all(session.join("tree/0/target")).unwrap();
            fs::create_dir_all(session.join("tool-results")).unwrap();
            let closed = session.join("commands/0/work0/work");
            fs::create_dir_all(&closed).unwrap();
            fs::write(closed.join("left"), "").unwrap();
            fs::set_permissions(&closed, Permissions::from_mode(0o0)).unwrap();
            (Lease::take(&session).unwrap(), session)
        };
        let ((held, running), (let_go, over)) = (session("running"), session("over"));
        drop(let_go);
        remove_left_over(sessions);
        let there = |at: &Utf8Path, names: [&str; 3]| names.map(|name| at.join(name).exists());
        assert_eq!(there(&running, ["tree", "commands", "tool-results"]), [true, true, true]);
        assert_eq!(there(&over, ["tree", "commands", "tool-results"]), [false, false, true]);
        drop(held);
        remove_left_over(sessions);
        assert_eq!(there(&running, ["tree", "commands", "tool-results"]), [false, false, true]);
    }
}
