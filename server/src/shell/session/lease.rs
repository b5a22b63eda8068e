//! Whose the folder of a session is: its trial tree is kept while the program that made it runs, and removed at its end or by
//! a later one.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io;
use std::os::unix::fs::MetadataExt as _;

use camino::Utf8Path;

use super::TREE;
use crate::shell::trial_tree::remove_all;

/// Held while a session's trial tree is in use. The system lets go of it when this program ends, however it does.
#[derive(Debug)]
pub(super) struct Lease(#[expect(dead_code, reason = "held, not read")] File);

const LOCK: &str = "lock";
/// Times that a folder is made anew which another program has just removed.
const MOST_TRIES: u32 = 20;
/// What only commands need, and nobody when their session is over. It holds what they built, which may be large.
const OF_COMMANDS: [&str; 3] = [TREE, "commands", "tmp"];

impl Lease {
    /// Waits while another program removes what was left there, be it the folder itself.
    pub(super) fn take(session: &Utf8Path) -> io::Result<Self> {
        let at = session.join(LOCK);
        for _ in 0..MOST_TRIES {
            fs::create_dir_all(session)?;
            let lock = match OpenOptions::new().create(true).truncate(false).write(true).open(&at) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                lock => lock?,
            };
            lock.lock()?;
            if is_at(&lock, &at) {
                return Ok(Self(lock));
            }
        }
        Err(io::Error::other(format!("{session} is removed again and again")))
    }

    /// Removes what the session's commands made, and its folder, if nothing else is in it. Nobody may work there any more.
    #[expect(clippy::unused_self, reason = "only who holds it may")]
    pub(super) fn remove(&self, session: &Utf8Path) {
        remove(session);
    }
}

/// Removes the trial trees below `sessions` that no program holds.
pub(super) fn remove_left_over(sessions: &Utf8Path) {
    for session in sessions.read_dir_utf8().into_iter().flatten().flatten() {
        let session = session.path();
        let Ok(lock) = OpenOptions::new().write(true).open(session.join(LOCK)) else { continue };
        // Until the lock is let go, no program can begin there.
        if lock.try_lock().is_ok() && is_at(&lock, &session.join(LOCK)) {
            remove(session);
        }
    }
}

/// Whether this is still the file of that name.
fn is_at(file: &File, path: &Utf8Path) -> bool {
    let same = |one: &Metadata, other: &Metadata| (one.dev(), one.ino()) == (other.dev(), other.ino());
    file.metadata().is_ok_and(|file| path.metadata().is_ok_and(|path| same(&file, &path)))
}

/// Removes what commands made in a folder that is held, and the folder if only the lock is left in it.
fn remove(session: &Utf8Path) {
    for left in OF_COMMANDS.map(|name| session.join(name)) {
        if left.symlink_metadata().is_ok()
            && let Err(error) = remove_all(left.as_std_path())
        {
            tracing::debug!(%error, %left, "what a session left stays");
        }
    }
    let others = session
        .read_dir_utf8()
        .map(|all| all.filter(|entry| !entry.as_ref().is_ok_and(|entry| entry.file_name() == LOCK)).count());
    if matches!(others, Ok(0)) {
        let _ = fs::remove_file(session.join(LOCK)).and_then(|()| fs::remove_dir(session));
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
        assert!(!session.exists(), "nothing but its lock was left in it");
    }

    #[test]
    fn a_folder_goes_with_its_session_unless_something_in_it_may_be_read_later() {
        let folder = tempfile::tempdir().unwrap();
        let session = |name: &str, result: &str| {
            let session = Utf8Path::from_path(folder.path()).unwrap().join(name);
            let lease = Lease::take(&session).unwrap();
            fs::create_dir_all(session.join("tree/0/target")).unwrap();
            fs::create_dir_all(session.join(result)).unwrap();
            lease.remove(&session);
            session
        };
        assert!(!session("over", "tmp").exists());
        let told = session("told", "tool-results");
        assert!(
            told.join("tool-results").exists() && told.join(LOCK).exists() && !told.join("tree").exists()
        );
        let again = Lease::take(&Utf8Path::from_path(folder.path()).unwrap().join("over"));
        assert!(again.is_ok(), "it can begin anew");
    }

    const FLAGS: rustix::fs::OFlags = rustix::fs::OFlags::PATH.union(rustix::fs::OFlags::DIRECTORY);
}
