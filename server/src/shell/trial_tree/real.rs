//! What the real folder has, reached from it through no link: anybody may swap a folder in it for one at any time.

use std::fs::{File, Metadata};
use std::io::{self, Read as _};

use camino::Utf8Path;

use super::below::{self, Spot};
use super::layer::{Content, Stamp};

/// Of what is at `path` of `root` itself, be it a link; `None`: there is nothing, or a link is on the way.
pub(super) fn metadata(root: &Utf8Path, path: &Utf8Path) -> Option<Metadata> {
    spot(root, path).and_then(|spot| spot.metadata()).ok()
}

/// The regular file at `path` of `root`, to be read, and what it is.
///
/// # Errors
/// It is a link or no file, a link is on the way, or its permissions forbid it.
pub(super) fn open(root: &Utf8Path, path: &Utf8Path) -> io::Result<(File, Metadata)> {
    spot(root, path)?.open_as_it_is()
}

/// The bytes of that file, of which there are at most `largest`.
pub(super) fn read(root: &Utf8Path, path: &Utf8Path, largest: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(root, path)?.0.take(largest.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > largest {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, "the file is too large to be read"));
    }
    Ok(bytes)
}

/// Whether that file holds these bytes.
pub(super) fn holds(root: &Utf8Path, path: &Utf8Path, content: Content) -> bool {
    content.is(open(root, path))
}

/// Whether there is a folder, and not a link to one.
pub(super) fn is_folder(root: &Utf8Path, path: &Utf8Path) -> bool {
    below::folder(root.as_std_path(), path.as_std_path()).is_ok()
}

/// What the folder has; nothing, if there is none or it can't be read.
pub(super) fn names(root: &Utf8Path, path: &Utf8Path) -> Vec<String> {
    let names =
        below::folder(root.as_std_path(), path.as_std_path()).and_then(|folder| below::names(&folder));
    names.unwrap_or_default().into_iter().filter_map(|name| name.into_string().ok()).collect()
}

pub(super) fn stamp(root: &Utf8Path, path: &Utf8Path) -> Option<Stamp> {
    metadata(root, path).map(|metadata| Stamp::of(&metadata))
}

fn spot(root: &Utf8Path, path: &Utf8Path) -> io::Result<Spot> {
    Spot::find(root.as_std_path(), path.as_std_path())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn nothing_is_seen_through_a_link() {
        let folder = tempfile::tempdir().unwrap();
        let base = Utf8Path::from_path(folder.path()).unwrap();
        let root = base.join("ws");
        for (name, text) in [("ws/sub/a", "inside"), ("outside/a", "secret")] {
            fs::create_dir_all(base.join(name).parent().unwrap()).unwrap();
            fs::write(base.join(name), text).unwrap();
        }
        symlink("../outside", root.join("link")).unwrap();
        symlink("../outside/a", root.join("file")).unwrap();
        let check = |path: &str, text: Option<&str>| {
            let path = Utf8Path::new(path);
            let read = read(&root, path, 100).ok().map(|bytes| String::from_utf8(bytes).unwrap());
            assert_eq!(read.as_deref(), text, "{path}");
            assert_eq!(holds(&root, path, Content::of(text.unwrap_or("secret").as_bytes())), text.is_some());
        };
        check("sub/a", Some("inside"));
        check("link/a", None);
        check("file", None);
        let seen = |path: &str| (metadata(&root, path.into()).is_some(), names(&root, path.into()));
        assert_eq!(seen("sub"), (true, vec!["a".to_owned()]));
        assert_eq!(seen("link"), (true, vec![]));
        assert_eq!(seen("link/a"), (false, vec![]));
        assert!(is_folder(&root, "sub".into()) && !is_folder(&root, "link".into()));
    }
}
