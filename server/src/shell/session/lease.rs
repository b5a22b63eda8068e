//! Whose the folder of a session is: its trial tree is kept while the program that made it runs, and removed by a later one.

use std::fs::{self, File, OpenOptions};
use std::io;

use camino::Utf8Path;

use super::TREE;
use crate::shell::trial_tree::remove_all;

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
                && let Err(error) = remove_all(left.as_std_path())
            {
                tracing::debug!(%error, %left, "what a session left stays");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt as _;

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

    #[test]
    fn a_nest_of_any_depth_that_a_command_left_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let sessions = Utf8Path::from_path(folder.path()).unwrap();
        let session = sessions.join("over");
        drop(Lease::take(&session).unwrap());
        let tree = session.join("tree/0");
        fs::create_dir_all(&tree).unwrap();
        // Deeper than a path can name, and than a recursion has room for.
        let mut at = rustix::fs::open(tree.as_std_path(), FLAGS, 0.into()).unwrap();
        for _ in 0..1_500 {
            rustix::fs::mkdirat(&at, "d", 0o755.into()).unwrap();
            at = rustix::fs::openat(&at, "d", FLAGS, 0.into()).unwrap();
        }
        drop(at);
        let removing = std::thread::Builder::new().stack_size(64 * 1024);
        let below = sessions.to_owned();
        removing.spawn(move || remove_left_over(&below)).unwrap().join().unwrap();
        assert!(!session.join("tree").exists());
    }

    const FLAGS: rustix::fs::OFlags = rustix::fs::OFlags::PATH.union(rustix::fs::OFlags::DIRECTORY);
}
