//! Symbolic links that commands have made in a trial tree, where the workspace has none: a path that goes through one means
//! another file.

use std::fs;

use camino::{Utf8Component, Utf8Path, Utf8PathBuf};

/// Links followed before a loop is assumed, as Linux does it.
const MOST: usize = 40;

/// Where `path` leads by the links that the trees below `folder` have and `roots` do not; `None`: no such link is on its
/// way. A loop of links leads where it was begun.
pub(in crate::shell) fn led_by(
    path: &Utf8Path,
    roots: &[Utf8PathBuf],
    folder: &Utf8Path,
) -> Option<Utf8PathBuf> {
    let mut led = None;
    let mut now = path.to_owned();
    for _ in 0..MOST {
        let Some(next) = once(&now, roots, folder) else { return led };
        now = next.clone();
        led = Some(next);
    }
    led
}

/// The path behind the first such link.
fn once(path: &Utf8Path, roots: &[Utf8PathBuf], folder: &Utf8Path) -> Option<Utf8PathBuf> {
    let numbered = super::outer(roots).enumerate();
    let (number, root) = numbered.into_iter().find(|(_, root)| path.starts_with(root))?;
    let layer = folder.join(number.to_string());
    let inside = path.strip_prefix(root).ok()?;
    let mut above = Utf8PathBuf::new();
    for part in inside.components() {
        let at = above.join(part);
        let is_link =
            |path: &Utf8Path| fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink());
        if is_link(&layer.join(&at)) && !is_link(&root.join(&at)) {
            let target = layer.join(&at).read_link_utf8().ok()?;
            let rest = inside.strip_prefix(&at).ok()?;
            return Some(plain(&root.join(above).join(target).join(rest)));
        }
        above = at;
    }
    None
}

/// `path` without `.` and `..`, as its text reads.
fn plain(path: &Utf8Path) -> Utf8PathBuf {
    let mut plain = Utf8PathBuf::new();
    for part in path.components() {
        match part {
            Utf8Component::CurDir => {}
            Utf8Component::ParentDir => {
                plain.pop();
            }
            part => plain.push(part),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[track_caller]
    fn check(base: &Utf8Path, path: &str, want: Option<&str>) {
        let roots = [base.join("ws")];
        let led = led_by(&base.join("ws").join(path), &roots, &base.join("tree"));
        assert_eq!(led, want.map(|want| base.join(want)), "{path}");
    }

    #[test]
    fn a_path_is_followed_through_links_that_only_the_tree_has() {
        let folder = tempfile::tempdir().unwrap();
        let base = Utf8Path::from_path(folder.path()).unwrap();
        let (root, layer) = (base.join("ws"), base.join("tree/0"));
        fs::create_dir_all(root.join("sub")).unwrap();
        fs::create_dir_all(layer.join("sub")).unwrap();
        for (link, target) in [
            ("file", "sub/a.txt"),
            ("folder", "sub"),
            ("out", "../elsewhere/x"),
            ("absolute", "/etc/hosts"),
            ("chain", "folder/b"),
            ("loop", "loop"),
            ("real", "sub"),
        ] {
            symlink(target, layer.join(link)).unwrap();
        }
        symlink("sub/inner", layer.join("sub/up")).unwrap();
        symlink("sub", root.join("real")).unwrap();
        check(base, "sub/a.txt", None);
        check(base, "file", Some("ws/sub/a.txt"));
        check(base, "folder/new/b.txt", Some("ws/sub/new/b.txt"));
        check(base, "out", Some("elsewhere/x"));
        check(base, "absolute", Some("/etc/hosts"));
        check(base, "chain", Some("ws/sub/b"));
        check(base, "sub/up", Some("ws/sub/sub/inner"));
        check(base, "loop", Some("ws/loop"));
        check(base, "real/a", None);
        check(base, "../other", None);
    }
}
