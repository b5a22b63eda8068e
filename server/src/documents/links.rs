//! Following symbolic links, also where the last part does not exist yet.

use std::collections::VecDeque;

use camino::{Utf8Component, Utf8Path, Utf8PathBuf};

use super::AbsPath;

/// Links followed before a loop is assumed, as Linux does it.
const MOST_LINKS: usize = 40;

/// Why a path leads nowhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Unresolvable {
    #[error("a loop of symbolic links")]
    Loop,
    #[error("a symbolic link to a path that is not UTF-8")]
    NotUtf8,
}

/// `path` with every link followed. What does not exist is kept as it is spelled, so a dangling link gives the path of the
/// file that writing through it would make.
pub(super) fn follow(path: &AbsPath) -> Result<AbsPath, Unresolvable> {
    let mut real = Utf8PathBuf::new();
    let mut rest: VecDeque<String> = parts(path.as_path()).collect();
    let mut links = 0;
    while let Some(part) = rest.pop_front() {
        if part == ".." {
            real.pop();
            continue;
        }
        let next = real.join(&part);
        match std::fs::symlink_metadata(&next) {
            Ok(metadata) if metadata.is_symlink() => {
                links += 1;
                if links > MOST_LINKS {
                    return Err(Unresolvable::Loop);
                }
                let target = next.read_link_utf8().map_err(|_| Unresolvable::NotUtf8)?;
                for part in parts(&target).collect::<Vec<_>>().into_iter().rev() {
                    rest.push_front(part);
                }
                // A target that starts at the root replaces `real` by the join with its root part.
            }
            Ok(_) | Err(_) => real = next,
        }
    }
    AbsPath::new(real).ok_or(Unresolvable::NotUtf8)
}

impl AbsPath {
    /// The path with its links followed as they are now; `None` if it leads nowhere. What is not there yet is where its
    /// folder says.
    pub fn followed(&self) -> Option<Self> {
        follow(self).ok()
    }
}

/// The parts of a path, its root and `..` among them.
fn parts(path: &Utf8Path) -> impl Iterator<Item = String> {
    path.components().filter(|part| *part != Utf8Component::CurDir).map(|part| part.as_str().to_owned())
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn links_are_followed_to_what_they_name() {
        let folder = tempfile::tempdir().unwrap();
        let root = follow(&AbsPath::new(folder.path().to_str().unwrap()).unwrap()).unwrap();
        std::fs::create_dir_all(root.join("src/deep").as_path()).unwrap();
        for (link, target) in [
            ("inner", "src"),
            ("up", "src/deep/../.."),
            ("chain", "inner/deep"),
            ("absolute", root.join("src").as_str()),
            ("dangling", "src/not-yet.txt"),
            ("loop-a", "loop-b"),
            ("loop-b", "loop-a"),
        ] {
            symlink(target, root.join(link).as_path()).unwrap();
        }
        let check = |path: &str, want: Option<&str>| {
            assert_eq!(follow(&root.join(path)).ok(), want.map(|want| root.join(want)), "{path}");
        };
        check("src/a.txt", Some("src/a.txt"));
        check("inner/a.txt", Some("src/a.txt"));
        check("up/inner/a.txt", Some("src/a.txt"));
        check("chain/x/y", Some("src/deep/x/y"));
        check("absolute/a.txt", Some("src/a.txt"));
        check("dangling", Some("src/not-yet.txt"));
        check("missing/a.txt", Some("missing/a.txt"));
        check("loop-a", None);
        check("loop-a/x", None);
    }
}
