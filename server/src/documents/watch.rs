//! Our own eye on the disk, for editors that do not watch files: it polls the few files that matter.

use std::collections::HashMap;
use std::time::Duration;

use tokio::sync::mpsc;

use super::looks::Print;
use super::{AbsPath, ReadError, disk};

/// How often the named files are looked at.
pub const POLL_PERIOD: Duration = Duration::from_secs(1);

/// The way to the watcher; it ends when this is dropped. While it has no files it sleeps.
#[derive(Clone, Debug)]
pub struct DiskWatch {
    orders: mpsc::UnboundedSender<Order>,
}

#[derive(Debug)]
enum Order {
    Files(Vec<AbsPath>),
    CheckAll,
}

impl DiskWatch {
    /// Starts the watcher. The files whose bytes have changed, appeared or gone come out in batches; a new time on the same
    /// bytes is no change. Files of more than `limit` bytes are told apart by size and time alone.
    pub fn start(period: Duration, limit: u64) -> (Self, mpsc::UnboundedReceiver<Vec<AbsPath>>) {
        let (orders, inbox) = mpsc::unbounded_channel();
        let (changes, outbox) = mpsc::unbounded_channel();
        tokio::spawn(run(WatchedFiles { files: HashMap::new(), limit }, period, inbox, changes));
        (Self { orders }, outbox)
    }

    /// These files, by real path, and no others: those with drafts and those that a session has seen. A file counts from
    /// what it says now.
    pub fn set_files(&self, files: Vec<AbsPath>) {
        let _ = self.orders.send(Order::Files(files));
    }

    /// Reads every file again now, whatever its time says: after a command has run.
    pub fn check_all(&self) {
        let _ = self.orders.send(Order::CheckAll);
    }
}

async fn run(
    mut watched: WatchedFiles,
    period: Duration,
    mut orders: mpsc::UnboundedReceiver<Order>,
    changes: mpsc::UnboundedSender<Vec<AbsPath>>,
) {
    loop {
        let order = if watched.files.is_empty() {
            orders.recv().await.map(Some)
        } else {
            tokio::select! {
                order = orders.recv() => order.map(Some),
                () = tokio::time::sleep(period) => Some(None),
            }
        };
        let Some(order) = order else { return };
        // Reading may take a while on a slow disk.
        let looked = tokio::task::spawn_blocking(move || {
            let changed = match order {
                Some(Order::Files(files)) => watched.set(files),
                Some(Order::CheckAll) => watched.look(Look::AtBytes),
                None => watched.look(Look::AtTimesFirst),
            };
            (watched, changed)
        });
        let Ok((back, changed)) = looked.await else { return };
        watched = back;
        if !changed.is_empty() && changes.send(changed).is_err() {
            return;
        }
    }
}

#[derive(Debug)]
struct WatchedFiles {
    files: HashMap<AbsPath, Known>,
    limit: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Known {
    /// Other metadata are never a proof of a change, only a reason to read.
    print: Option<Print>,
    content: Content,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Content {
    Missing,
    Hash(u64),
    /// Too large, or not to be read: its metadata stand for it.
    Unread(Option<Print>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Look {
    AtTimesFirst,
    AtBytes,
}

impl WatchedFiles {
    /// Files that stay are looked at, so that no change falls between two orders.
    fn set(&mut self, files: Vec<AbsPath>) -> Vec<AbsPath> {
        let mut before = std::mem::take(&mut self.files);
        for path in files {
            let known = before.remove(&path).unwrap_or_else(|| self.known(&path));
            self.files.insert(path, known);
        }
        self.look(Look::AtTimesFirst)
    }

    /// The files that have changed since the last look, in order.
    fn look(&mut self, look: Look) -> Vec<AbsPath> {
        let mut changed = Vec::new();
        for (path, known) in &mut self.files {
            let print = disk::print(path);
            if look == Look::AtTimesFirst && print == known.print {
                continue;
            }
            let content = content(path, print, self.limit);
            if content != known.content {
                changed.push(path.clone());
            }
            *known = Known { print, content };
        }
        changed.sort();
        changed
    }

    fn known(&self, path: &AbsPath) -> Known {
        let print = disk::print(path);
        let content = content(path, print, self.limit);
        Known { print, content }
    }
}

fn content(path: &AbsPath, print: Option<Print>, limit: u64) -> Content {
    match disk::read(path, limit) {
        Ok(bytes) => Content::Hash(bytes.hash),
        Err(ReadError::Missing { .. }) => Content::Missing,
        Err(_) => Content::Unread(print),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Fixture {
        folder: tempfile::TempDir,
        watched: WatchedFiles,
    }

    impl Fixture {
        fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            Self { folder, watched: WatchedFiles { files: HashMap::new(), limit: 1000 } }
        }

        fn put(&self, name: &str, text: &str) -> AbsPath {
            std::fs::write(self.folder.path().join(name), text).unwrap();
            self.path(name)
        }

        fn path(&self, name: &str) -> AbsPath {
            AbsPath::new(self.folder.path().to_str().unwrap()).unwrap().join(name)
        }
    }

    #[test]
    fn bytes_decide_not_times() {
        let mut files = Fixture::new();
        let (a, b) = (files.put("a", "one"), files.put("b", "one"));
        assert_eq!(files.watched.set(vec![a.clone(), b.clone()]), []);
        files.put("a", "one");
        files.put("b", "two");
        assert_eq!(files.watched.look(Look::AtTimesFirst), [b]);
        assert_eq!(files.watched.look(Look::AtTimesFirst), []);
    }

    #[test]
    fn a_change_behind_the_clock_is_found_by_reading() {
        let mut files = Fixture::new();
        let a = files.put("a", "one");
        files.watched.set(vec![a.clone()]);
        files.put("a", "two");
        files.watched.files.get_mut(&a).unwrap().print = disk::print(&a);
        assert_eq!(files.watched.look(Look::AtTimesFirst), []);
        assert_eq!(files.watched.look(Look::AtBytes), [a]);
    }

    #[test]
    fn files_come_and_go() {
        let mut files = Fixture::new();
        let a = files.path("a");
        assert_eq!(files.watched.set(vec![a.clone()]), []);
        files.put("a", "");
        assert_eq!(files.watched.look(Look::AtTimesFirst), std::slice::from_ref(&a));
        std::fs::remove_file(a.as_path()).unwrap();
        assert_eq!(files.watched.look(Look::AtTimesFirst), [a]);
    }

    #[test]
    fn a_file_too_large_to_read_is_known_by_its_size() {
        let mut files = Fixture::new();
        let a = files.put("a", &"x".repeat(2000));
        files.watched.set(vec![a.clone()]);
        files.put("a", &"x".repeat(2001));
        assert_eq!(files.watched.look(Look::AtTimesFirst), [a]);
    }

    #[test]
    fn a_change_between_two_orders_is_told() {
        let mut files = Fixture::new();
        let a = files.put("a", "one");
        files.watched.set(vec![a.clone()]);
        files.put("a", "two");
        assert_eq!(files.watched.set(vec![a.clone(), files.path("b")]), [a]);
    }

    #[tokio::test]
    async fn changes_come_out_and_the_end_is_seen() {
        let files = Fixture::new();
        let (a, b) = (files.put("a", "one"), files.path("b"));
        let (watch, mut changes) = DiskWatch::start(Duration::from_millis(1), 1000);
        watch.set_files(vec![a.clone(), b.clone()]);
        // The first thing told shows that the watcher has its files; what is written after it must be told too.
        while changes.is_empty() {
            std::fs::write(b.as_path(), format!("{:?}", std::time::Instant::now())).unwrap();
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        files.put("a", "other");
        while !changes.recv().await.unwrap().contains(&a) {}
        drop(watch);
        while changes.recv().await.is_some() {}
    }
}
