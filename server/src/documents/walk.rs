//! The files of a folder as Glob and Grep see them: what the disk has, without what is ignored, plus what is open only.

mod candidate;
mod whole;

use std::ffi::OsStr;
use std::sync::{Mutex, PoisonError};

use ignore::{WalkBuilder, WalkState};

pub use self::candidate::Candidate;
use self::candidate::Entry;
use super::{AbsPath, FileStateCache};

/// Whether `.gitignore`, `.ignore` and git's own exclude files count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IgnoreFiles {
    Respected,
    Disregarded,
}

/// Where version control keeps its own files: never the user's text.
const VERSION_CONTROL: [&str; 7] = [".git", ".hg", ".svn", ".jj", ".bzr", "_darcs", "CVS"];

/// Every regular file at or below the real path `folder` that `wanted` makes something of, by real path and in order; hidden
/// files too. Links are not followed, so nothing is listed twice. Where ignore files count, a folder that gives way to a link
/// during the walk may be listed as what the link leads to: who reads what was found opens it through none
/// ([`Ground`](super::Ground)). Documents that are open but not yet on disk come last.
///
/// Folders that can't be read and names that are not UTF-8 are passed over. The disk is walked by as many threads as the
/// machine has cores, on which `wanted` runs; the walk ends early once `is_over`.
pub fn files<T: Send>(
    documents: &FileStateCache,
    folder: &AbsPath,
    ignore_files: IgnoreFiles,
    is_over: impl Fn() -> bool + Sync,
    wanted: impl Fn(&Candidate<'_>) -> Option<T> + Sync,
) -> Vec<(AbsPath, T)> {
    let mut found = match ignore_files {
        IgnoreFiles::Respected => not_ignored(folder, &is_over, &wanted),
        IgnoreFiles::Disregarded => whole::files(folder, &is_over, &wanted),
    };
    // The lists of the threads are long runs, each of which is sorted.
    found.sort_by(|(one, _), (other, _)| one.cmp(other));
    let only_open = documents
        .open_documents()
        .into_iter()
        .map(|document| document.path)
        .filter(|path| path.is_in(folder) && !path.as_path().exists());
    found.extend(
        only_open
            .filter_map(|path| wanted(&Candidate::unsaved(&path, folder)).map(|kept| (path.clone(), kept))),
    );
    found
}

/// The files below `folder` that no ignore file names and `wanted` makes something of.
fn not_ignored<T: Send>(
    folder: &AbsPath,
    is_over: &(impl Fn() -> bool + Sync),
    wanted: &(impl Fn(&Candidate<'_>) -> Option<T> + Sync),
) -> Vec<(AbsPath, T)> {
    let found = Mutex::new(Vec::new());
    let walk = WalkBuilder::new(folder.as_path())
        .hidden(false)
        .require_git(false)
        .follow_links(false)
        .filter_entry(|entry| entry.depth() == 0 || !is_version_control(entry.file_name()))
        .threads(cores())
        .build_parallel();
    walk.run(|| {
        // Each thread keeps its own list until it ends.
        let mut own = Own { found: &found, list: Vec::new() };
        let mut looks = 0;
        Box::new(move |entry| {
            looks += 1;
            if looks % LOOKS == 1 && is_over() {
                return WalkState::Quit;
            }
            let Ok(entry) = entry else { return WalkState::Continue };
            if entry.file_type().is_some_and(|kind| kind.is_file())
                && let Some(path) = entry.path().to_str()
                && let Some(kept) = wanted(&Candidate::new(path, folder, Entry::Chosen(&entry)))
                && let Ok(path) = entry.into_path().into_os_string().into_string()
            {
                own.list.push((AbsPath::of_normal(path), kept));
            }
            WalkState::Continue
        })
    });
    found.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// Files that a thread looks at before it asks again whether the walk is over.
const LOOKS: usize = 64;

/// Threads that a walk or a search may use.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get).min(MOST_THREADS)
}

/// More threads only wait for the disk.
const MOST_THREADS: usize = 12;

/// What one thread has found, handed over when the thread ends.
struct Own<'all, T> {
    found: &'all Mutex<Vec<(AbsPath, T)>>,
    list: Vec<(AbsPath, T)>,
}

impl<T> Drop for Own<'_, T> {
    fn drop(&mut self) {
        self.list.sort_by(|(one, _), (other, _)| one.cmp(other));
        self.found.lock().unwrap_or_else(PoisonError::into_inner).append(&mut self.list);
    }
}

fn is_version_control(name: &OsStr) -> bool {
    VERSION_CONTROL.iter().any(|folder| name == *folder)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::documents::links;
    use crate::documents::uri;

    /// Names of the files below a folder of these `files`, walked from its folder `from`.
    fn walked(files_made: &[(&str, &str)], from: &str, ignore_files: IgnoreFiles) -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        let root = links::follow(&AbsPath::new(folder.path().to_str().unwrap()).unwrap()).unwrap();
        for (name, text) in files_made {
            let path = root.join(name);
            std::fs::create_dir_all(path.parent().unwrap().as_path()).unwrap();
            match text.strip_prefix("-> ") {
                #[cfg(unix)]
                Some(target) => std::os::unix::fs::symlink(target, path.as_path()).unwrap(),
                _ => std::fs::write(path.as_path(), text).unwrap(),
            }
        }
        let documents = FileStateCache::new();
        for open in ["src/a.rs", "src/unsaved.rs"] {
            documents.open(&uri::from_path(&root.join(open)), "rust", 1, "").unwrap();
        }
        files(&documents, &root.join(from), ignore_files, || false, |_| Some(()))
            .into_iter()
            .map(|(path, ())| path.as_path().strip_prefix(root.as_path()).unwrap().to_string())
            .collect()
    }

    const TREE: [(&str, &str); 7] = [
        (".git/config", ""),
        (".github/ci.yml", ""),
        (".gitignore", "target/\n*.log\n"),
        ("src/a.rs", ""),
        ("src/b.log", ""),
        ("target/x", ""),
        ("z", ""),
    ];

    #[test]
    fn ignored_files_are_left_out_unless_asked_for() {
        let respected = [".github/ci.yml", ".gitignore", "src/a.rs", "z", "src/unsaved.rs"];
        assert_eq!(walked(&TREE, "", IgnoreFiles::Respected), respected);
        let all =
            [".github/ci.yml", ".gitignore", "src/a.rs", "src/b.log", "target/x", "z", "src/unsaved.rs"];
        assert_eq!(walked(&TREE, "", IgnoreFiles::Disregarded), all);
    }

    #[test]
    fn ignore_files_of_the_folders_above_count() {
        assert_eq!(walked(&TREE, "src", IgnoreFiles::Respected), ["src/a.rs", "src/unsaved.rs"]);
    }

    #[cfg(unix)]
    #[test]
    fn links_are_not_followed() {
        let tree = [("ws/a", ""), ("outside/secret", ""), ("ws/out", "-> ../outside"), ("ws/twin", "-> a")];
        for ignore_files in [IgnoreFiles::Respected, IgnoreFiles::Disregarded] {
            assert_eq!(walked(&tree, "ws", ignore_files), ["ws/a"]);
        }
    }

    #[test]
    fn a_wide_and_deep_tree_is_walked_to_its_end_in_the_order_of_paths() {
        let deep = "d/".repeat(60);
        let names: Vec<String> =
            (0..300).map(|n| format!("{}{n:03}/{n:03}", if n % 7 == 0 { &deep } else { "w" })).collect();
        let made: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "")).collect();
        let mut wanted = names.clone();
        wanted.sort_by(|one, other| camino::Utf8Path::new(one).cmp(camino::Utf8Path::new(other)));
        wanted.push("src/a.rs".to_owned());
        wanted.push("src/unsaved.rs".to_owned());
        for ignore_files in [IgnoreFiles::Respected, IgnoreFiles::Disregarded] {
            assert_eq!(walked(&made, "", ignore_files), wanted);
        }
    }

    #[test]
    fn a_walk_that_is_over_ends_and_a_panic_of_whoever_looks_does_not_hang_it() {
        let folder = tempfile::tempdir().unwrap();
        let root = AbsPath::new(folder.path().to_str().unwrap()).unwrap();
        for n in 0..20 {
            std::fs::create_dir(root.join(format!("{n}")).as_path()).unwrap();
            std::fs::write(root.join(format!("{n}/file")).as_path(), "").unwrap();
        }
        let documents = FileStateCache::new();
        for ignore_files in [IgnoreFiles::Respected, IgnoreFiles::Disregarded] {
            assert_eq!(files(&documents, &root, ignore_files, || true, |_| Some(())), []);
            let panicking = std::panic::AssertUnwindSafe(|| {
                files(&documents, &root, ignore_files, || false, |_| -> Option<()> { panic!("a fault") })
            });
            assert!(std::panic::catch_unwind(panicking).is_err());
        }
    }

    #[test]
    fn a_candidate_tells_its_name_from_the_folder_on() {
        for (folder, path, below, name) in
            [("/", "/a", "a", "a"), ("/w", "/w/src/a.rs", "src/a.rs", "a.rs"), ("/w", "/w/ü/ä", "ü/ä", "ä")]
        {
            let path = AbsPath::new(path).unwrap();
            let candidate = Candidate::unsaved(&path, &AbsPath::new(folder).unwrap());
            assert_eq!((candidate.below(), candidate.name(), candidate.modified()), (below, name, None));
            assert_eq!(candidate.to_path(), path);
        }
    }
}
