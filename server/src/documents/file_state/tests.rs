use super::*;
use crate::editor::Position;

/// A folder of files with a cache over it.
struct Fixture {
    folder: tempfile::TempDir,
    cache: FileStateCache,
}

impl Fixture {
    fn new(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        Self { folder, cache: FileStateCache::new() }
    }

    fn path(&self, name: &str) -> AbsPath {
        AbsPath::new(self.folder.path().to_str().unwrap()).unwrap().join(name)
    }

    fn open(&self, name: &str, text: &str) -> Opened {
        self.cache.open(&uri::from_path(&self.path(name)), "text", 1, text).unwrap()
    }

    #[track_caller]
    fn check(&self, name: &str, want: &str) {
        assert_eq!(self.cache.snapshot(&self.path(name)).unwrap().text, want, "{name}");
    }
}

fn insert(text: &str) -> Vec<ContentChange> {
    let at = Position::new(0, 0);
    vec![ContentChange { range: Some(Range::new(at, at)), text: text.into() }]
}

#[test]
fn the_buffer_speaks_while_a_file_is_open_and_the_disk_before_and_after() {
    let files = Fixture::new(&[("a.rs", "disk")]);
    files.check("a.rs", "disk");
    let uri = files.open("a.rs", "buffer").uri;
    files.check("a.rs", "buffer");
    files.cache.change(&uri, 9, &insert("my "), PositionEncoding::Utf8).unwrap();
    let snapshot = files.cache.snapshot(&files.path("a.rs")).unwrap();
    assert_eq!(snapshot.text, "my buffer");
    assert_eq!(snapshot.stamp, Stamp::Open { version: 9, uri: uri.clone() });
    assert_eq!(files.cache.on_disk(&snapshot.path).unwrap().text, "disk");
    files.cache.close(&uri).unwrap();
    files.check("a.rs", "disk");
}

#[test]
fn a_snapshot_does_not_change() {
    let files = Fixture::new(&[]);
    let uri = files.open("a.rs", "one").uri;
    let before = files.cache.snapshot(&files.path("a.rs")).unwrap();
    files.cache.change(&uri, 2, &insert("x"), PositionEncoding::Utf8).unwrap();
    assert_eq!(before.text, "one");
}

#[test]
fn a_buffer_is_dirty_when_the_editor_has_what_the_disk_has_not() {
    let files = Fixture::new(&[("same", "a\r\nb\r\n"), ("other", "a")]);
    let dirty = |name: &str| files.cache.open_document(&files.path(name)).unwrap().dirty;
    let uri = files.open("same", "a\nb").uri;
    files.open("other", "unsaved");
    files.open("new", "");
    assert_eq!((dirty("same"), dirty("other"), dirty("new")), (false, true, true));
    files.cache.change(&uri, 2, &insert("x"), PositionEncoding::Utf8).unwrap();
    assert!(dirty("same"));
    files.cache.saved(&uri).unwrap();
    assert!(!dirty("same"));
}

#[test]
fn documents_without_a_file_path_leave_no_trace() {
    let files = Fixture::new(&[]);
    for uri in
        ["untitled:Untitled-1", "git:/repo/a.rs?ref=HEAD", "inmemory://model/1", "file:relative.rs", ""]
    {
        assert_eq!(files.cache.open(uri, "", 1, "scratch\n").unwrap_err().uri, uri);
        files.cache.change(uri, 2, &insert("x"), PositionEncoding::Utf16).unwrap_err();
        files.cache.close(uri).unwrap_err();
    }
    assert_eq!(files.cache.open_documents(), []);
}

#[test]
fn the_uri_goes_back_as_the_client_spelled_it() {
    let files = Fixture::new(&[]);
    let uri = uri::from_path(&files.path("a b.rs")).replace("%20", " ").replace("/a", "/%61");
    let opened = files.cache.open(&uri, "rust", 1, "").unwrap();
    assert_eq!(opened.path.file_name(), "a b.rs");
    assert_eq!(files.cache.open_document(&files.path("a b.rs")).unwrap().uri, uri);
}

#[test]
fn an_unchanged_file_shares_its_text_whatever_its_time() {
    let files = Fixture::new(&[("a", "text")]);
    let first = files.cache.snapshot(&files.path("a")).unwrap();
    std::fs::write(files.path("a").as_path(), "text").unwrap();
    assert_eq!(files.cache.snapshot(&files.path("a")).unwrap(), first);
    std::fs::write(files.path("a").as_path(), "next").unwrap();
    files.check("a", "next");
}

#[test]
fn whatever_the_time_and_the_size_another_text_is_seen() {
    let files = Fixture::new(&[("a", "text")]);
    let file = || std::fs::File::options().write(true).open(files.path("a").as_path()).unwrap();
    let long_ago = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000);
    file().set_modified(long_ago).unwrap();
    files.check("a", "text");
    files.check("a", "text");
    std::fs::write(files.path("a").as_path(), "next").unwrap();
    file().set_modified(long_ago).unwrap();
    #[cfg(unix)]
    files.check("a", "next");
    std::fs::remove_file(files.path("a").as_path()).unwrap();
    assert!(matches!(files.cache.snapshot(&files.path("a")), Err(ReadError::Missing { .. })));
    // A thousand changes within a few ticks of the clock, each behind a reading.
    for number in 0..1_000 {
        std::fs::write(files.path("a").as_path(), format!("{number:04}")).unwrap();
        files.check("a", &format!("{number:04}"));
    }
}

#[test]
fn an_open_file_is_never_written() {
    let files = Fixture::new(&[("a", "disk")]);
    let path = files.open("a", "disk").path;
    let Stamp::Disk { hash } = files.cache.on_disk(&path).unwrap().stamp else { panic!("a file on disk") };
    let refused = WriteError::Open { path: path.clone() };
    assert_eq!(files.cache.write(&path, &"x".into(), Expected::Hash(hash)), Err(refused.clone()));
    assert_eq!(files.cache.delete(&path, hash), Err(refused.clone()));
    assert_eq!(files.cache.rename(&path, &files.path("b"), hash), Err(refused));
    assert_eq!(std::fs::read_to_string(path.as_path()).unwrap(), "disk");
}

#[test]
fn a_large_file_is_served_in_parts_only() {
    let files = Fixture::new(&[("a", "line 1\nline 2\nline 3\n")]);
    let cache = FileStateCache::with_rules(PathCase::Sensitive, 10);
    let error = cache.snapshot(&files.path("a")).unwrap_err();
    assert!(
        error.to_string().contains("has 21 bytes, over the limit of 10 for editing (`files.edit_limit`)"),
        "{error}"
    );
    let part = cache.read_part(&files.path("a"), 1..2, 100).unwrap();
    assert_eq!((part.text.as_str(), part.more), ("line 2\n", true));
}

#[cfg(unix)]
#[test]
fn a_link_and_its_target_are_one_document() {
    use std::os::unix::fs::symlink;
    let files = Fixture::new(&[("real.md", "disk")]);
    symlink("real.md", files.path("link.md").as_path()).unwrap();
    let uri = files.open("link.md", "buffer").uri;
    files.check("real.md", "buffer");
    let real = files.cache.real_path(&files.path("link.md"));
    assert_eq!(real, files.cache.real_path(&files.path("real.md")));
    assert_eq!(files.cache.open_document(&files.path("link.md")).unwrap().path, real);
    files.cache.close(&uri).unwrap();
    let disk = files.cache.snapshot(&real).unwrap();
    let Stamp::Disk { hash } = disk.stamp else { panic!("a file on disk") };
    files.cache.write(&real, &"through the link".into(), Expected::Hash(hash)).unwrap();
    assert!(files.path("link.md").as_path().is_symlink());
    assert_eq!(std::fs::read_to_string(files.path("real.md").as_path()).unwrap(), "through the link");
}

#[cfg(unix)]
#[test]
fn a_new_file_is_made_where_a_dangling_link_points() {
    let files = Fixture::new(&[]);
    std::os::unix::fs::symlink("target", files.path("link").as_path()).unwrap();
    let real = files.cache.real_path(&files.path("link"));
    files.cache.write(&real, &"x".into(), Expected::Absent).unwrap();
    assert!(files.path("link").as_path().is_symlink());
    assert_eq!(std::fs::read_to_string(files.path("target").as_path()).unwrap(), "x");
}

/// What each way to read and to write answers of a file whose real path was judged before `swap` happened to its folder `ws`.
#[track_caller]
fn check_swapped(path: &str, swap: impl Fn(&Fixture)) {
    let made = || {
        let files = Fixture::new(&[]);
        for (name, text) in [
            ("ws/sub/a.txt", "inside"),
            ("ws/kept/b.txt", "kept"),
            ("outside/a.txt", "secret"),
            ("outside/deep/a.txt", "secret"),
        ] {
            std::fs::create_dir_all(files.path(name).parent().unwrap().as_path()).unwrap();
            std::fs::write(files.path(name).as_path(), text).unwrap();
        }
        let judged = files.cache.real_path(&files.path(path));
        let hash = match files.cache.on_disk(&judged).map(|disk| disk.stamp) {
            Ok(Stamp::Disk { hash }) => hash,
            _ => 0,
        };
        swap(&files);
        (files, judged, hash)
    };
    let (files, judged, hash) = made();
    let cache = &files.cache;
    let read = ReadError::Linked { path: judged.clone() };
    assert_eq!(cache.snapshot(&judged), Err(read.clone()));
    assert_eq!(cache.on_disk(&judged), Err(read.clone()));
    assert_eq!(cache.unread(&judged), None);
    assert_eq!(cache.bytes(&judged, 100), Err(read.clone()));
    assert_eq!(cache.read_part(&judged, 0..9, 100), Err(read.clone()));
    assert_eq!(cache.kind(&judged), Err(read));
    let written = WriteError::Linked { path: judged.clone() };
    assert_eq!(cache.write(&judged, &"x".into(), Expected::Hash(hash)), Err(written.clone()));
    let kept = Kept::copy(&b"x"[..], camino::Utf8Path::from_path(files.folder.path()).unwrap(), 9).unwrap();
    assert_eq!(cache.disk_file(&judged, None).map(|_| ()), Err(ReadError::Linked { path: judged.clone() }));
    assert_eq!(cache.write_whole(&judged, &kept, Expected::Hash(hash), None), Err(written.clone()));
    assert_eq!(cache.set_mode(&judged, 0o644, 0o600), Err(written.clone()));
    cache.write_whole(&judged, &kept, Expected::Absent, None).unwrap_err();
    cache.write_new(&judged, &"x".into(), 0o644).unwrap_err();
    assert_eq!(cache.delete(&judged, hash), Err(written.clone()));
    assert_eq!(cache.rename(&judged, &files.path("ws/moved"), hash), Err(written));
    let kept = files.path("ws/kept/b.txt");
    let Stamp::Disk { hash } = cache.on_disk(&kept).unwrap().stamp else { panic!("a file on disk") };
    cache.rename(&kept, &judged, hash).unwrap_err();
    cache.write(&judged, &"x".into(), Expected::Absent).unwrap_err();
    let outside = |name: &str| std::fs::read_to_string(files.path(name).as_path()).unwrap();
    assert_eq!((outside("outside/a.txt"), outside("outside/deep/a.txt")), ("secret".into(), "secret".into()));
    assert_eq!(
        std::fs::read_dir(files.path("outside").as_path()).unwrap().count(),
        2,
        "nothing is made there"
    );
}

/// `name` gives way to a link to `target`.
fn put_link(files: &Fixture, name: &str, target: &str) {
    let _ = std::fs::rename(files.path(name).as_path(), files.path("away").as_path());
    std::os::unix::fs::symlink(files.path(target).as_path(), files.path(name).as_path()).unwrap();
}

#[test]
fn a_link_that_was_put_in_the_way_of_what_was_judged_leads_nowhere() {
    check_swapped("ws/sub/a.txt", |files| put_link(files, "ws/sub", "outside"));
    check_swapped("ws/sub/a.txt", |files| put_link(files, "ws/sub/a.txt", "outside/a.txt"));
    check_swapped("ws/new/a.txt", |files| put_link(files, "ws/new", "outside"));
    check_swapped("ws/deep/new/a.txt", |files| put_link(files, "ws/deep", "outside"));
    // One that leads to another file of the same folder was not judged either.
    check_swapped("ws/sub/a.txt", |files| put_link(files, "ws/sub/a.txt", "ws/kept/b.txt"));
}

#[test]
fn while_a_folder_flips_between_itself_and_a_link_nothing_outside_is_read_or_written() {
    use std::sync::atomic::{AtomicBool, Ordering};
    let files = Fixture::new(&[]);
    for (name, text) in [("ws/sub/a.txt", "inside"), ("outside/a.txt", "secret")] {
        std::fs::create_dir_all(files.path(name).parent().unwrap().as_path()).unwrap();
        std::fs::write(files.path(name).as_path(), text).unwrap();
    }
    let [sub, away, link] = ["ws/sub", "ws/away", "ws/link"].map(|name| files.path(name));
    std::os::unix::fs::symlink(files.path("outside").as_path(), link.as_path()).unwrap();
    let judged = files.cache.real_path(&files.path("ws/sub/a.txt"));
    let is_over = AtomicBool::new(false);
    let (mut inside, mut refused) = (0, 0);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                for (from, to) in [(&sub, &away), (&link, &sub), (&sub, &link), (&away, &sub)] {
                    std::fs::rename(from.as_path(), to.as_path()).unwrap();
                }
            }
        });
        for _ in 0..2_000 {
            match files.cache.snapshot(&judged) {
                Ok(read) => {
                    assert_ne!(read.text, "secret");
                    inside += 1;
                    let Stamp::Disk { hash } = read.stamp else { panic!("a file on disk") };
                    let _ = files.cache.write(
                        &judged,
                        &format!("inside {inside}").as_str().into(),
                        Expected::Hash(hash),
                    );
                }
                Err(_) => refused += 1,
            }
        }
        is_over.store(true, Ordering::Relaxed);
    });
    assert_eq!(inside + refused, 2_000);
    assert_eq!(std::fs::read_to_string(files.path("outside/a.txt").as_path()).unwrap(), "secret");
    assert_eq!(std::fs::read_dir(files.path("outside").as_path()).unwrap().count(), 1);
}
