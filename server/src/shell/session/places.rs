//! The folders of one command.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use camino::{Utf8Path, Utf8PathBuf};

use super::super::trial_tree::read_plain;

/// Which folders are in use, by number. Those of a command that is over are taken again by the next: what is made and
/// removed for each command is what its start waits for on a busy disk.
#[derive(Clone, Debug, Default)]
pub(super) struct Slots(Arc<Mutex<BTreeSet<usize>>>);

/// A command's own while it runs.
pub(super) struct Places {
    pub(super) folder: Utf8PathBuf,
    /// The session's temporary folder, which all its commands within walls write to.
    pub(super) temporary: Utf8PathBuf,
    /// Where the command says in which folder it ended.
    cwd: Utf8PathBuf,
    slot: usize,
    slots: Slots,
}

/// Where a command says in which folder it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ToldIn {
    /// The temporary folder: within walls it can write nowhere else.
    Temporary,
    /// A folder that no other command reaches. One without walls would follow a link that others put in its way to any file
    /// of the user.
    Own,
}

/// The folder of the commands' folders, below the session's.
const COMMANDS: &str = "commands";
/// How many commands run, in that folder.
const RUNNING: &str = "running";

/// Bytes of a path; no system takes a longer one.
const LONGEST_PATH: u64 = 64 << 10;

impl Slots {
    /// For the next command, below the session's folder.
    pub(super) fn take(&self, session: &Utf8Path, told_in: ToldIn) -> io::Result<Places> {
        let commands = session.join(COMMANDS);
        fs::create_dir_all(&commands)?;
        let slot = {
            let mut taken = self.lock();
            let most = taken.len();
            let free = (0..most).find(|number| !taken.contains(number)).unwrap_or(most);
            taken.insert(free);
            note_running(&commands, taken.len());
            free
        };
        let (folder, temporary) = (commands.join(slot.to_string()), session.join("tmp"));
        let cwd = match told_in {
            ToldIn::Temporary => temporary.join(format!(".cwd-{slot}")),
            ToldIn::Own => folder.join("cwd"),
        };
        let places = Places { folder, temporary, cwd, slot, slots: self.clone() };
        fs::create_dir_all(places.scratch())?;
        fs::create_dir_all(&places.temporary)?;
        places.clear();
        Ok(places)
    }

    fn lock(&self) -> MutexGuard<'_, BTreeSet<usize>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Places {
    /// Where it builds what is put over other folders.
    pub(super) fn scratch(&self) -> Utf8PathBuf {
        self.folder.join("scratch")
    }

    /// The file in which it says where it ended, as it is named where the temporary folder is `temporary`.
    pub(super) fn cwd_as_seen(&self, temporary: &Utf8Path) -> Utf8PathBuf {
        self.cwd.strip_prefix(&self.temporary).map_or_else(|_| self.cwd.clone(), |name| temporary.join(name))
    }

    /// Where the command said that it was at its end.
    pub(super) fn told_cwd(&self) -> Option<Utf8PathBuf> {
        // A command may have made a link or a pipe of it.
        let told = read_plain(self.cwd.as_std_path(), LONGEST_PATH).ok()?;
        let told = String::from_utf8(told).ok()?;
        Some(Utf8PathBuf::from(told.trim_end_matches('\n'))).filter(|cwd| cwd.is_absolute())
    }

    /// The file that says how many commands run.
    pub(super) fn running(&self) -> Utf8PathBuf {
        self.folder.with_file_name(RUNNING)
    }

    /// Nothing of an earlier command of this slot is taken for this one's.
    fn clear(&self) {
        // It need not be there.
        let _ = fs::remove_file(&self.cwd);
    }
}

impl Drop for Places {
    fn drop(&mut self) {
        self.clear();
        let mut taken = self.slots.lock();
        taken.remove(&self.slot);
        if let Some(commands) = self.folder.parent() {
            note_running(commands, taken.len());
        }
    }
}

/// The same file each time: whoever has it open sees the new number.
fn note_running(commands: &Utf8Path, number: usize) {
    if let Err(error) = fs::write(commands.join(RUNNING), number.to_string()) {
        tracing::warn!(%error, "commands that run at the same time may not see each other's files");
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Seek as _};

    use super::*;

    fn session() -> (tempfile::TempDir, Utf8PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = Utf8PathBuf::from_path_buf(folder.path().to_owned()).unwrap();
        (folder, path)
    }

    #[test]
    fn commands_at_once_have_folders_of_their_own_and_later_ones_take_theirs_over() {
        let (_folder, session) = session();
        let slots = Slots::default();
        let (first, second) = (
            slots.take(&session, ToldIn::Temporary).unwrap(),
            slots.take(&session, ToldIn::Temporary).unwrap(),
        );
        assert_ne!(first.folder, second.folder);
        let freed = first.folder.clone();
        drop(first);
        let third = slots.take(&session, ToldIn::Temporary).unwrap();
        assert_eq!(third.folder, freed);
        assert_ne!(third.folder, second.folder);
    }

    #[test]
    fn how_many_run_is_said_in_one_file_that_stays() {
        let (_folder, session) = session();
        let slots = Slots::default();
        let first = slots.take(&session, ToldIn::Temporary).unwrap();
        let running = fs::File::open(first.running()).unwrap();
        let said = || {
            let mut said = String::new();
            (&running).rewind().unwrap();
            (&running).read_to_string(&mut said).unwrap();
            said
        };
        assert_eq!(said(), "1");
        let second = slots.take(&session, ToldIn::Temporary).unwrap();
        assert_eq!(said(), "2");
        drop((first, second));
        assert_eq!(said(), "0");
    }

    #[test]
    fn what_an_earlier_command_left_is_not_taken_for_a_later_one_s() {
        let (_folder, session) = session();
        let slots = Slots::default();
        let first = slots.take(&session, ToldIn::Temporary).unwrap();
        fs::write(&first.cwd, "/somewhere\n").unwrap();
        assert_eq!(first.told_cwd(), Some("/somewhere".into()));
        drop(first);
        assert_eq!(slots.take(&session, ToldIn::Temporary).unwrap().told_cwd(), None);
    }

    #[test]
    fn neither_a_link_nor_a_pipe_that_a_command_made_leads_this_program_anywhere() {
        let (_folder, session) = session();
        let outside = session.join("outside");
        fs::write(&outside, "/outside\n").unwrap();
        let places = Slots::default().take(&session, ToldIn::Temporary).unwrap();
        std::os::unix::fs::symlink(&outside, &places.cwd).unwrap();
        assert_eq!(places.told_cwd(), None);
        fs::remove_file(&places.cwd).unwrap();
        let at = places.cwd.as_std_path();
        rustix::fs::mknodat(rustix::fs::CWD, at, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
        assert_eq!(places.told_cwd(), None);
    }
}
