//! A folder walked whole, whatever ignore files say: several threads take one folder after the other.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use rustix::fs::{AtFlags, FileType, statat};

use super::candidate::{Candidate, Entry};
use super::{LOOKS, cores, is_version_control};
use crate::documents::AbsPath;
use crate::documents::straight::Ground;

/// The files below `folder` that `wanted` makes something of, in no order.
pub(super) fn files<T: Send>(
    folder: &AbsPath,
    is_over: &(impl Fn() -> bool + Sync),
    wanted: &(impl Fn(&Candidate<'_>) -> Option<T> + Sync),
) -> Vec<(AbsPath, T)> {
    let Ok(ground) = Ground::open(folder) else { return Vec::new() };
    let folders = Folders::from(folder);
    let work = || {
        let mut found = Vec::new();
        while let Some(next) = folders.next() {
            let below = look_through(&ground, &next.path, folder, is_over, wanted, &mut found);
            folders.put(below);
        }
        found
    };
    std::thread::scope(|scope| {
        let others: Vec<_> = (1..cores()).map(|_| scope.spawn(work)).collect();
        let mut found = work();
        for other in others {
            match other.join() {
                Ok(mut more) => found.append(&mut more),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        found
    })
}

/// Adds what is wanted of the files in the folder at `path`; gives the folders there.
fn look_through<T>(
    ground: &Ground,
    path: &str,
    folder: &AbsPath,
    is_over: &impl Fn() -> bool,
    wanted: &impl Fn(&Candidate<'_>) -> Option<T>,
    found: &mut Vec<(AbsPath, T)>,
) -> Vec<String> {
    let mut folders = Vec::new();
    let Ok(mut entries) = ground.entries(path) else { return folders };
    let mut path = format!("{}/", path.trim_end_matches('/'));
    let names = path.len();
    let mut number = 0;
    while let Some(entry) = entries.next() {
        if number % LOOKS == 0 && is_over() {
            return Vec::new();
        }
        number += 1;
        let (Ok(entry), Ok(here)) = (entry, entries.fd()) else { continue };
        let Ok(name) = entry.file_name().to_str() else { continue };
        if matches!(name, "." | "..") || is_version_control(name.as_ref()) {
            continue;
        }
        path.truncate(names);
        path.push_str(name);
        let kind = match entry.file_type() {
            // Some file systems do not say it in a listing.
            FileType::Unknown => statat(here, entry.file_name(), AtFlags::SYMLINK_NOFOLLOW)
                .map_or(FileType::Unknown, |found| FileType::from_raw_mode(found.st_mode)),
            told => told,
        };
        if kind == FileType::Directory {
            folders.push(path.clone());
        } else if kind == FileType::RegularFile {
            let candidate = Candidate::new(&path, folder, Entry::Plain(here, entry.file_name()));
            found.extend(wanted(&candidate).map(|kept| (candidate.to_path(), kept)));
        }
    }
    folders
}

/// The folders that nobody has looked through yet.
struct Folders {
    waiting: Mutex<Waiting>,
    news: Condvar,
}

struct Waiting {
    paths: Vec<String>,
    /// How many are being looked through: each may bring more.
    taken: usize,
}

/// A folder that is being looked through, until this is dropped.
struct Taken<'all> {
    path: String,
    all: &'all Folders,
}

impl Folders {
    fn from(first: &AbsPath) -> Self {
        let waiting = Waiting { paths: vec![first.as_str().to_owned()], taken: 0 };
        Self { waiting: Mutex::new(waiting), news: Condvar::new() }
    }

    /// Waits for one; `None`: none will come any more.
    fn next(&self) -> Option<Taken<'_>> {
        let mut waiting = self.lock();
        loop {
            if let Some(path) = waiting.paths.pop() {
                waiting.taken += 1;
                return Some(Taken { path, all: self });
            }
            if waiting.taken == 0 {
                return None;
            }
            waiting = self.news.wait(waiting).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn put(&self, mut more: Vec<String>) {
        if !more.is_empty() {
            self.lock().paths.append(&mut more);
            self.news.notify_all();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        let mut waiting = self.all.lock();
        waiting.taken -= 1;
        if waiting.taken == 0 && waiting.paths.is_empty() {
            self.all.news.notify_all();
        }
    }
}
