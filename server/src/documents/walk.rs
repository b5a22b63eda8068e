//! The files of a folder as Glob and Grep see them: what the disk has, without what is ignored, plus what is open only.

use std::sync::{Mutex, PoisonError};

use ignore::{WalkBuilder, WalkState};

use super::{AbsPath, FileStateCache, links};

/// Whether `.gitignore`, `.ignore` and git's own exclude files count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IgnoreFiles {
    Respected,
    Disregarded,
}

/// Where version control keeps its own files: never the user's text.
const VERSION_CONTROL: [&str; 7] = [".git", ".hg", ".svn", ".jj", ".bzr", "_darcs", "CVS"];

/// Every regular file at or below `folder` that `wanted` makes something of, by real path and in order; hidden files too.
/// Links are not followed, so nothing outside the folder is listed and nothing is listed twice. Documents that are open but
/// not yet on disk come last.
///
/// Folders that can't be read and names that are not UTF-8 are passed over. The disk is walked by as many threads as the
/// machine has cores, on which `wanted` runs; the walk ends early once `is_over`.
pub fn files<T: Send>(
    documents: &FileStateCache,
    folder: &AbsPath,
    ignore_files: IgnoreFiles,
    is_over: impl Fn() -> bool + Sync,
    wanted: impl Fn(&AbsPath) -> Option<T> + Sync,
) -> Vec<(AbsPath, T)> {
    let folder = links::follow(folder).unwrap_or_else(|_| folder.clone());
    let respected = ignore_files == IgnoreFiles::Respected;
    let found = Mutex::new(Vec::new());
    let walk = WalkBuilder::new(folder.as_path())
        .standard_filters(respected)
        .hidden(false)
        .require_git(false)
        .follow_links(false)
        .filter_entry(|entry| entry.depth() == 0 || !is_version_control(entry.file_name()))
        .threads(cores())
        .build_parallel();
    walk.run(|| {
        // Each thread keeps its own list until it ends.
        let mut own = Own { found: &found, list: Vec::new() };
        let (is_over, wanted) = (&is_over, &wanted);
        Box::new(move |entry| {
            if is_over() {
                return WalkState::Quit;
            }
            let Ok(entry) = entry else { return WalkState::Continue };
            if entry.file_type().is_some_and(|kind| kind.is_file())
                && let Some(path) = entry.path().to_str().and_then(AbsPath::new)
                && let Some(kept) = wanted(&path)
            {
                own.list.push((path, kept));
            }
            WalkState::Continue
        })
    });
    let mut found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
    found.sort_by(|(one, _), (other, _)| one.cmp(other));
    let only_open = documents
        .open_documents()
        .into_iter()
        .map(|document| document.path)
        .filter(|path| path.is_in(&folder) && !path.as_path().exists());
    found.extend(only_open.filter_map(|path| wanted(&path).map(|kept| (path, kept))));
    found
}

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
        self.found.lock().unwrap_or_else(PoisonError::into_inner).append(&mut self.list);
    }
}

fn is_version_control(name: &std::ffi::OsStr) -> bool {
    VERSION_CONTROL.iter().any(|folder| name == *folder)
}

#[cfg(test)]
mod tests {
    use super::*;
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
        assert_eq!(walked(&tree, "ws", IgnoreFiles::Disregarded), ["ws/a"]);
    }
}
