use std::fs::{Permissions, create_dir, hard_link, set_permissions};
use std::os::unix::fs::{PermissionsExt as _, symlink};

use super::super::tests::Folder;
use super::*;

const TEXT: fn() -> Intended = || Intended::Text { added: "x".to_owned() };

fn of_mode(path: &AbsPath, mode: u32) {
    set_permissions(path.as_path(), Permissions::from_mode(mode)).unwrap();
}

#[track_caller]
fn check(path: &AbsPath, intended: &Intended, wanted: Result<(), WriteError>) {
    assert_eq!(look_ahead(path, intended, &BTreeSet::new(), 1_000), wanted);
}

#[test]
fn what_can_be_done_is_not_refused_and_leaves_no_trace() {
    let folder = Folder::new();
    let path = folder.put("f", b"a\n");
    hard_link(path.as_path(), folder.path("twin").as_path()).unwrap();
    of_mode(&path, 0o644);
    let to = folder.path("new/deep/f");
    for intended in [TEXT(), Intended::Mode { from: 0o644 }, Intended::Deleted, Intended::Moved { to }] {
        check(&path, &intended, Ok(()));
    }
    check(&folder.path("new/deep/g"), &Intended::Made(None), Ok(()));
    assert_eq!(folder.names(), ["f", "twin"]);
}

#[test]
fn a_read_only_file_is_refused_also_to_root_but_takes_permissions() {
    let folder = Folder::new();
    let path = folder.put("f", b"a\n");
    of_mode(&path, 0o444);
    let to = folder.path("g");
    for intended in [TEXT(), Intended::Deleted, Intended::Moved { to }] {
        check(&path, &intended, Err(WriteError::ReadOnly { path: path.clone() }));
    }
    check(&path, &Intended::Mode { from: 0o444 }, Ok(()));
    check(&path, &Intended::Mode { from: 0o644 }, Err(WriteError::Changed { path: path.clone() }));
}

#[test]
fn a_link_or_a_folder_in_the_place_of_a_file_is_refused() {
    let folder = Folder::new();
    folder.put("other", b"a\n");
    let link = folder.path("link");
    symlink("other", link.as_path()).unwrap();
    let made = Intended::Made(None);
    for intended in [TEXT(), Intended::Deleted, Intended::Mode { from: 0o777 }, made.clone()] {
        check(&link, &intended, Err(WriteError::Linked { path: link.clone() }));
    }
    let below = link.join("f");
    check(&below, &made, Err(WriteError::Linked { path: below.clone() }));
    let place = folder.path("place");
    create_dir(place.as_path()).unwrap();
    check(&place, &TEXT(), Err(WriteError::Read(super::super::ReadError::Folder { path: place.clone() })));
    check(&place, &made, Err(WriteError::Exists { path: place.clone() }));
    check(&place, &Intended::Mode { from: 0o755 }, Err(WriteError::Changed { path: place.clone() }));
}

#[test]
fn a_new_file_needs_its_place_and_folders_on_its_way() {
    let folder = Folder::new();
    let (file, made) = (folder.put("f", b"a\n"), Intended::Made(None));
    check(&file, &made, Err(WriteError::Exists { path: file.clone() }));
    let below = folder.path("f/deep/g");
    check(&below, &made, Err(WriteError::NoFolder { path: below.clone() }));
    let moved = Intended::Moved { to: below.clone() };
    check(&folder.put("g", b""), &moved, Err(WriteError::NoFolder { path: below.clone() }));
    // What is decided together is done in order.
    let leaving = BTreeSet::from([file.clone()]);
    for path in [&file, &below] {
        assert_eq!(look_ahead(path, &made, &leaving, 1_000), Ok(()));
    }
}

#[test]
fn a_character_that_the_files_encoding_does_not_have_is_found() {
    let folder = Folder::new();
    let path = folder.put("f", b"caf\xe9 au lait, d\xe9j\xe0 vu, na\xefve\n");
    check(&path, &Intended::Text { added: "à la carte".to_owned() }, Ok(()));
    let refused = look_ahead(&path, &Intended::Text { added: "中".to_owned() }, &BTreeSet::new(), 1_000);
    assert!(matches!(refused, Err(WriteError::Unmappable { character: '中', .. })), "{refused:?}");
}

#[test]
fn a_folder_that_takes_nothing_is_named() {
    let folder = Folder::new();
    let place = folder.path("d");
    create_dir(place.as_path()).unwrap();
    let file = folder.put("d/f", b"a\n");
    of_mode(&place, 0o555);
    // Root writes there all the same.
    if !rustix::process::geteuid().is_root() {
        let refused =
            |path: &AbsPath| Err(WriteError::FolderReadOnly { path: path.clone(), folder: place.clone() });
        let new = place.join("new");
        check(&new, &Intended::Made(None), refused(&new));
        check(&file, &Intended::Deleted, refused(&file));
    }
    check(&file, &TEXT(), Ok(()));
    of_mode(&place, 0o755);
}

/// Where this user may make such marks, and the file system has them.
#[cfg(target_os = "linux")]
#[test]
fn what_is_marked_as_immutable_is_refused() {
    let chattr = |mark: &str, path: &AbsPath| {
        std::process::Command::new("chattr")
            .args([mark, path.as_str()])
            .output()
            .is_ok_and(|ran| ran.status.success())
    };
    let folder = Folder::new();
    let path = folder.put("f", b"a\n");
    of_mode(&path, 0o644);
    for (mark, off) in [("+i", "-i"), ("+a", "-a")] {
        if !chattr(mark, &path) {
            return;
        }
        let looks = [TEXT(), Intended::Deleted, Intended::Mode { from: 0o644 }]
            .map(|intended| look_ahead(&path, &intended, &BTreeSet::new(), 1_000));
        assert!(chattr(off, &path));
        assert_eq!(looks, [(); 3].map(|()| Err(WriteError::Marked { path: path.clone() })), "{mark}");
    }
}
