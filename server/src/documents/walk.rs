//! The files of a folder as Glob and Grep see them: what the disk has, without what is ignored, plus what is open only.

use ignore::WalkBuilder;

use super::{AbsPath, FileStateCache, links};

/// Whether `.gitignore`, `.ignore` and git's own exclude files count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IgnoreFiles {
    Respected,
    Disregarded,
}

/// Where version control keeps its own files: never the user's text.
const VERSION_CONTROL: [&str; 7] = [".git", ".hg", ".svn", ".jj", ".bzr", "_darcs", "CVS"];

/// Every regular file at or below `folder`, by real path and in order; hidden files too. Links are not followed, so nothing
/// outside the folder is listed and nothing is listed twice. Documents that are open but not yet on disk come last.
///
/// Folders that can't be read and names that are not UTF-8 are passed over.
pub fn files(
    documents: &FileStateCache,
    folder: &AbsPath,
    ignore_files: IgnoreFiles,
) -> impl Iterator<Item = AbsPath> + use<> {
    let folder = links::follow(folder).unwrap_or_else(|_| folder.clone());
    let respected = ignore_files == IgnoreFiles::Respected;
    let on_disk = WalkBuilder::new(folder.as_path())
        .standard_filters(respected)
        .hidden(false)
        .require_git(false)
        .follow_links(false)
        .filter_entry(|entry| entry.depth() == 0 || !is_version_control(entry.file_name()))
        .sort_by_file_name(Ord::cmp)
        .build()
        .filter_map(Result::ok)
        .filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()))
        .filter_map(|entry| AbsPath::new(entry.path().to_str()?));
    let only_open: Vec<AbsPath> = documents
        .open_documents()
        .into_iter()
        .map(|document| document.path)
        .filter(|path| path.is_in(&folder) && !path.as_path().exists())
        .collect();
    on_disk.chain(only_open)
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
        files(&documents, &root.join(from), ignore_files)
            .map(|path| path.as_path().strip_prefix(root.as_path()).unwrap().to_string())
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
