//! Many files searched on several threads, with the result of one after the other.

use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::OutputMode;
use super::report::Hits;
use super::search::Search;
use crate::documents::walk::cores;
use crate::documents::{AbsPath, Ground};
use crate::tools::folder::{Overlay, Stopped, Watchdog};

/// Files that a thread takes at once: few enough that the threads end together.
const TAKEN: usize = 16;

/// The hits of `files`, in their order, opened from the folder `ground`; without one, only what is open has any. Once more than `enough` entries are found, no further file is begun; those before are
/// all searched.
pub(super) fn in_all(
    (files, ground): (&[AbsPath], Option<&Ground>),
    search: &Search,
    overlay: &Overlay,
    watchdog: &Watchdog,
    enough: usize,
) -> Result<Vec<Hits>, Stopped> {
    let (next, entries) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let found: Mutex<Vec<(usize, Hits)>> = Mutex::default();
    let stopped: Mutex<Option<Stopped>> = Mutex::default();
    let work = |mut search: Search| {
        let mut own = Vec::new();
        while entries.load(Ordering::Relaxed) <= enough {
            let first = next.fetch_add(TAKEN, Ordering::Relaxed);
            let Some(taken) = files.get(first..).filter(|rest| !rest.is_empty()) else { break };
            if let Err(why) = watchdog.check() {
                *stopped.lock().unwrap_or_else(PoisonError::into_inner) = Some(why);
                break;
            }
            for (number, path) in (first..).zip(taken.iter().take(TAKEN)) {
                let hits = search.file(path, ground, overlay);
                if hits.matches > 0 {
                    let more = if search.mode() == OutputMode::Content { hits.lines.len() } else { 1 };
                    entries.fetch_add(more, Ordering::Relaxed);
                    own.push((number, hits));
                }
            }
        }
        found.lock().unwrap_or_else(PoisonError::into_inner).append(&mut own);
    };
    let threads = cores().min(files.len().div_ceil(TAKEN));
    let work = &work;
    std::thread::scope(|scope| {
        for search in (1..threads).map(|_| search.clone()) {
            scope.spawn(move || work(search));
        }
        work(search.clone());
    });
    if let Some(why) = stopped.into_inner().unwrap_or_else(PoisonError::into_inner) {
        return Err(why);
    }
    let mut found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
    found.sort_by_key(|(number, _)| *number);
    Ok(found.into_iter().map(|(_, hits)| hits).collect())
}
