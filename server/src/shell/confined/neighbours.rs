//! The other commands that run on the same trees, whose files this one is to see while it runs.
//!
//! Each command has an overlay of its own over the same layer. The kernel remembers for each overlay what it has looked up
//! there, so that what another one made or changed meanwhile would never be seen: a command that waits for a file of
//! one in the background would wait for ever. A remount makes it forget.

use std::fs::File;
use std::os::fd::OwnedFd;
use std::os::unix::fs::FileExt as _;
use std::time::SystemTime;

use camino::Utf8PathBuf;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use super::super::order::{Namespaces, Tree};
use super::{Refused, Step, mounts};

/// How long a command may see what was.
const PAUSE: Timespec = Timespec { tv_sec: 0, tv_nsec: 200_000_000 };

/// What is known of the others.
pub(super) struct Neighbours {
    /// Says how many run.
    running: File,
    /// When it said so last.
    written: Option<SystemTime>,
    overlays: Vec<Utf8PathBuf>,
}

impl Neighbours {
    /// `None`: nobody else writes where this command reads, or what it writes is seen at once.
    pub(super) fn of(spaces: &Namespaces) -> Result<Option<Self>, Refused> {
        let overlay = |tree: &Tree| match tree {
            Tree::Overlay { at, .. } => Some(at.clone()),
            Tree::Copy { .. } => None,
        };
        let overlays: Vec<Utf8PathBuf> = spaces.trees.iter().filter_map(overlay).collect();
        let Some(running) = spaces.running.as_ref().filter(|_| !overlays.is_empty()) else { return Ok(None) };
        let running = File::open(running).step("list of commands")?;
        let written = written(&running);
        Ok(Some(Self { running, written, overlays }))
    }

    /// Threads can't be started here any more: the next process would be in another name space.
    pub(super) fn heed_until_the_end_of(mut self, process: &OwnedFd) {
        loop {
            match poll(&mut [PollFd::new(process, PollFlags::IN)], Some(&PAUSE)) {
                Ok(0) if self.may_have_written() => self.overlays.iter().for_each(|at| mounts::forget(at)),
                Ok(0) | Err(Errno::INTR) => {}
                Ok(_) | Err(_) => return,
            }
        }
    }

    /// Others run, or did since this was asked the last time.
    fn may_have_written(&mut self) -> bool {
        let mut number = [0; 20];
        let read = self.running.read_at(&mut number, 0).unwrap_or_default();
        let is_alone = number.get(..read) == Some(b"1");
        let before = std::mem::replace(&mut self.written, written(&self.running));
        !is_alone || before != self.written
    }
}

fn written(file: &File) -> Option<SystemTime> {
    file.metadata().and_then(|metadata| metadata.modified()).ok()
}
