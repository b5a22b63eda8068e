//! What becomes of the `.diff` files when they are over: each program removes its own at its end, and those of a program that
//! came to none. A file is one of ours if its name says what is in it, so what somebody else put or changed there stays.

use std::fs::{self, File};

use camino::Utf8Path;

use super::super::own_folder::{own_folder, refuse_link};
use crate::documents::{AbsPath, Workspace};

/// Where the files of this workspace are.
pub(super) fn folder(workspace: &Workspace) -> Option<AbsPath> {
    own_folder(workspace).map(|folder| folder.join("review"))
}

/// A name for a file with this text: `s_1-2-9f86d081.diff`.
pub(super) fn name(task: &str, number: usize, text: &str) -> String {
    let task: String =
        task.chars().map(|char| if char.is_ascii_alphanumeric() { char } else { '_' }).collect();
    format!("{task}-{number}-{:08x}.diff", sum(text.as_bytes()))
}

/// Removes a file that this program has written, if it is as it was written.
pub(super) fn remove(path: &Utf8Path) {
    if is_ours(path)
        && let Err(error) = fs::remove_file(path)
    {
        tracing::debug!(%error, %path, "a review file stays");
    }
}

/// Removes the files that no running program holds. Blocking.
pub fn remove_left_over(workspace: &Workspace) {
    let Some(folder) = folder(workspace) else { return };
    if own_folder(workspace).iter().chain([&folder]).any(|folder| refuse_link(folder).is_err()) {
        return;
    }
    for entry in folder.as_path().read_dir_utf8().into_iter().flatten().flatten() {
        let path = entry.path();
        // Who has shown it holds a lock that the system lets go of when that program ends, however it does.
        if is_ours(path) && File::open(path).is_ok_and(|file| file.try_lock().is_ok()) {
            remove(path);
        }
    }
    remove_folder(&folder);
}

/// Only if nothing is left in it.
pub(super) fn remove_folder(folder: &AbsPath) {
    let _ = fs::remove_dir(folder.as_path());
}

/// A plain file whose name has the sum of what is in it.
fn is_ours(path: &Utf8Path) -> bool {
    let is_plain = path.symlink_metadata().is_ok_and(|metadata| metadata.is_file());
    let name = path.file_name().and_then(|name| name.strip_suffix(".diff"));
    let written = name.filter(|_| is_plain).and_then(|name| Some(name.rsplit_once('-')?.1));
    written.is_some_and(|sum_of| fs::read(path).is_ok_and(|bytes| format!("{:08x}", sum(&bytes)) == sum_of))
}

/// FNV-1a, which is the same in every release of this program.
fn sum(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0x811c_9dc5, |sum, byte| (sum ^ u32::from(*byte)).wrapping_mul(0x0100_0193))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::super::sample::scene;
    use super::super::ReviewFiles;
    use super::*;
    use crate::review::ReviewView;

    struct Place {
        _folder: tempfile::TempDir,
        workspace: Workspace,
    }

    impl Place {
        fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            let root = AbsPath::new(folder.path().to_str().unwrap()).unwrap();
            Self { workspace: Workspace::new(vec![root], false), _folder: folder }
        }

        fn show(&self, files: &ReviewFiles) -> AbsPath {
            let review: Arc<ReviewView> = scene().review;
            files.show(&review, &self.workspace).unwrap().path().clone()
        }

        fn names(&self) -> Vec<String> {
            let all =
                fs::read_dir(folder(&self.workspace).unwrap().as_path()).into_iter().flatten().flatten();
            let mut names: Vec<_> =
                all.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
            names.sort();
            names
        }
    }

    #[test]
    fn at_the_end_nothing_is_left() {
        let place = Place::new();
        let files = ReviewFiles::default();
        place.show(&files);
        assert_eq!(place.names().len(), 1);
        files.remove(&place.workspace);
        assert!(!folder(&place.workspace).unwrap().as_path().exists());
    }

    #[test]
    fn what_somebody_wrote_there_stays() {
        let place = Place::new();
        let files = ReviewFiles::default();
        let shown = place.show(&files);
        let name = shown.file_name().to_owned();
        fs::write(shown.as_path(), "my own notes\n").unwrap();
        fs::write(shown.parent().unwrap().join("s_1-2.diff").as_path(), "mine\n").unwrap();
        fs::write(shown.parent().unwrap().join("notes.txt").as_path(), "mine\n").unwrap();
        files.remove(&place.workspace);
        drop(files);
        remove_left_over(&place.workspace);
        assert_eq!(place.names(), ["notes.txt".to_owned(), name, "s_1-2.diff".to_owned()]);
    }

    #[test]
    fn what_a_killed_program_left_goes_and_what_a_running_one_shows_stays() {
        let place = Place::new();
        let running = ReviewFiles::default();
        place.show(&running);
        remove_left_over(&place.workspace);
        assert_eq!(place.names().len(), 1, "another editor shows it");
        drop(running);
        remove_left_over(&place.workspace);
        assert_eq!(place.names(), Vec::<String>::new());
    }

    #[cfg(unix)]
    #[test]
    fn nothing_is_removed_where_a_link_leads() {
        let place = Place::new();
        let files = ReviewFiles::default();
        let shown = place.show(&files);
        drop(files);
        let elsewhere = tempfile::tempdir().unwrap();
        let kept = elsewhere.path().join(shown.file_name());
        fs::copy(shown.as_path(), &kept).unwrap();
        let folder = folder(&place.workspace).unwrap();
        fs::remove_dir_all(folder.as_path()).unwrap();
        std::os::unix::fs::symlink(elsewhere.path(), folder.as_path()).unwrap();
        remove_left_over(&place.workspace);
        assert!(kept.exists());
    }
}
