use super::*;

/// A folder of its own, and paths in it.
pub(super) struct Folder(tempfile::TempDir);

impl Folder {
    pub(super) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(super) fn path(&self, name: &str) -> AbsPath {
        AbsPath::new(self.0.path().to_str().unwrap()).unwrap().join(name)
    }

    pub(super) fn put(&self, name: &str, bytes: &[u8]) -> AbsPath {
        let path = self.path(name);
        std::fs::write(path.as_path(), bytes).unwrap();
        path
    }

    pub(super) fn names(&self) -> Vec<String> {
        let mut names: Vec<_> = std::fs::read_dir(self.0.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }
}

const LIMIT: u64 = 1000;

mod reading {
    use super::*;

    #[test]
    fn regular_files_up_to_the_limit() {
        let folder = Folder::new();
        let path = folder.put("f", &[b'x'; LIMIT as usize]);
        assert_eq!(read(&path, LIMIT).unwrap().bytes.len(), 1000);
        let error = read(&path, LIMIT - 1).unwrap_err();
        assert_eq!(error, ReadError::TooLarge { path, size: 1000, limit: 999 });
    }

    #[test]
    fn what_is_no_file() {
        let folder = Folder::new();
        let missing = folder.path("missing");
        assert_eq!(read(&missing, LIMIT).unwrap_err(), ReadError::Missing { path: missing });
        let below = folder.put("f", b"").join("x");
        assert_eq!(read(&below, LIMIT).unwrap_err(), ReadError::Missing { path: below });
        let itself = folder.path("");
        assert_eq!(read(&itself, LIMIT).unwrap_err(), ReadError::Folder { path: itself });
    }

    #[cfg(unix)]
    #[test]
    fn pipes_devices_and_loops_are_refused_and_never_waited_for() {
        let folder = Folder::new();
        let pipe = folder.path("pipe");
        std::process::Command::new("mkfifo").arg(pipe.as_str()).status().unwrap();
        assert_eq!(read(&pipe, LIMIT).unwrap_err(), ReadError::Special { path: pipe, what: "a pipe" });
        let zero = AbsPath::new("/dev/zero").unwrap();
        assert_eq!(read(&zero, LIMIT).unwrap_err(), ReadError::Special { path: zero, what: "a device" });
        let knot = folder.path("knot");
        std::os::unix::fs::symlink("knot", knot.as_path()).unwrap();
        let what = "a loop of symbolic links";
        assert_eq!(read(&knot, LIMIT).unwrap_err(), ReadError::Special { path: knot, what });
    }
}

mod writing {
    use super::*;

    fn hash_of(path: &AbsPath) -> Expected {
        Expected::Hash(read(path, LIMIT).unwrap().hash)
    }

    #[track_caller]
    fn check(before: &[u8], text: &str, after: &[u8]) {
        let folder = Folder::new();
        let path = folder.put("f", before);
        let hash = write(&path, text, hash_of(&path), LIMIT).unwrap();
        assert_eq!(std::fs::read(path.as_path()).unwrap(), after);
        assert_eq!(hash, read(&path, LIMIT).unwrap().hash);
        assert_eq!(folder.names(), ["f"], "no temporary file is left");
    }

    #[test]
    fn encoding_mark_and_line_ends_are_kept() {
        check(b"a\r\nb", "a\r\nB", b"a\r\nB");
        check(b"\xef\xbb\xbfa", "b", b"\xef\xbb\xbfb");
        check(b"\xef\xbb\xbfa", "\u{feff}b", b"\xef\xbb\xbfb");
        check(b"a", "\u{feff}b", b"b");
        check(b"\xff\xfea\0", "中", b"\xff\xfe\x2d\x4e");
        check(
            b"\x90\xdd\x92\xe8=1\r\n\x96\xbc\x91O=\x91\xbe\x98Y\r\n",
            "設定=1\r\n追加=二\r\n名前=太郎\r\n",
            b"\x90\xdd\x92\xe8=1\r\n\x92\xc7\x89\xc1=\x93\xf1\r\n\x96\xbc\x91O=\x91\xbe\x98Y\r\n",
        );
    }

    #[test]
    fn a_character_that_the_encoding_does_not_have_is_an_error() {
        let folder = Folder::new();
        let path = folder.put("f", b"\x90\xdd\x92\xe8=1\r\n\x96\xbc\x91O=\x91\xbe\x98Y\r\n");
        let error = write(&path, "設定😀", hash_of(&path), LIMIT).unwrap_err().to_string();
        assert!(error.contains("f is written in Shift_JIS, which has no '😀'"), "{error}");
    }

    #[test]
    fn a_change_that_was_not_seen_is_not_overwritten() {
        let folder = Folder::new();
        let path = folder.put("f", b"v1");
        let seen = hash_of(&path);
        folder.put("f", b"v2");
        assert_eq!(write(&path, "mine", seen, LIMIT), Err(WriteError::Changed { path: path.clone() }));
        assert_eq!(
            write(&path, "mine", Expected::Absent, LIMIT),
            Err(WriteError::Exists { path: path.clone() })
        );
        assert_eq!(delete(&path, 0), Err(WriteError::Changed { path: path.clone() }));
        assert_eq!(std::fs::read(path.as_path()).unwrap(), b"v2");
        std::fs::remove_file(path.as_path()).unwrap();
        assert_eq!(write(&path, "mine", seen, LIMIT), Err(WriteError::Changed { path }));
        assert_eq!(folder.names(), [""; 0]);
    }

    #[test]
    fn touching_a_file_is_no_change() {
        let folder = Folder::new();
        let path = folder.put("f", b"v1");
        let seen = hash_of(&path);
        folder.put("f", b"v1");
        let file = File::options().write(true).open(path.as_path()).unwrap();
        file.set_modified(std::time::SystemTime::UNIX_EPOCH).unwrap();
        write(&path, "v2", seen, LIMIT).unwrap();
    }

    #[test]
    fn new_files_and_their_folders_are_made() {
        let folder = Folder::new();
        let path = folder.path("new/deep/f");
        write(&path, "ä\n", Expected::Absent, LIMIT).unwrap();
        assert_eq!(std::fs::read(path.as_path()).unwrap(), "ä\n".as_bytes());
    }

    #[test]
    fn a_file_in_the_place_of_a_folder_is_named_as_the_cause() {
        let folder = Folder::new();
        folder.put("a", b"a file");
        for name in ["a/b", "a/b/c/d"] {
            let path = folder.path(name);
            let refused = write(&path, "x", Expected::Absent, LIMIT);
            assert_eq!(refused, Err(WriteError::NoFolder { path }), "{name}");
        }
        assert_eq!(folder.names(), ["a"]);
    }

    #[test]
    fn a_file_moves_only_where_none_is() {
        let folder = Folder::new();
        let (from, taken, free) = (folder.put("a", b"x"), folder.put("b", b"y"), folder.path("sub/c"));
        let hash = read(&from, LIMIT).unwrap().hash;
        assert_eq!(rename(&from, &taken, hash), Err(WriteError::Exists { path: taken }));
        rename(&from, &free, hash).unwrap();
        assert_eq!(folder.names(), ["b", "sub"]);
        delete(&free, hash).unwrap();
        assert_eq!(read(&free, LIMIT).unwrap_err(), ReadError::Missing { path: free });
    }

    #[cfg(unix)]
    mod unix {
        use std::os::unix::fs::{MetadataExt, PermissionsExt};

        use super::*;

        fn mode(path: &AbsPath) -> u32 {
            std::fs::metadata(path.as_path()).unwrap().mode() & 0o7777
        }

        fn set_mode(path: &AbsPath, mode: u32) {
            std::fs::set_permissions(path.as_path(), std::fs::Permissions::from_mode(mode)).unwrap();
        }

        #[test]
        fn mode_and_owner_are_kept() {
            for bits in [0o755, 0o600, 0o4711] {
                let folder = Folder::new();
                let path = folder.put("run.sh", b"1");
                set_mode(&path, bits);
                let before = std::fs::metadata(path.as_path()).unwrap();
                write(&path, "2", hash_of(&path), LIMIT).unwrap();
                let after = std::fs::metadata(path.as_path()).unwrap();
                assert_eq!((mode(&path), after.uid(), after.gid()), (bits, before.uid(), before.gid()));
            }
        }

        #[test]
        fn a_new_file_has_the_mode_that_any_new_file_has() {
            let folder = Folder::new();
            let path = folder.path("new");
            write(&path, "", Expected::Absent, LIMIT).unwrap();
            assert_eq!(mode(&path), mode(&folder.put("by-the-system", b"")));
        }

        #[test]
        fn hard_links_stay_one_file() {
            let folder = Folder::new();
            let (path, twin) = (folder.put("run.sh", b"echo 1, a longer text"), folder.path("twin.sh"));
            std::fs::hard_link(path.as_path(), twin.as_path()).unwrap();
            write(&path, "echo 2", hash_of(&path), LIMIT).unwrap();
            assert_eq!(std::fs::read(twin.as_path()).unwrap(), b"echo 2");
        }

        #[test]
        fn a_read_only_file_is_refused_also_to_root() {
            let folder = Folder::new();
            let path = folder.put("ro.txt", b"keep\n");
            set_mode(&path, 0o444);
            let error = write(&path, "lost", hash_of(&path), LIMIT).unwrap_err().to_string();
            assert!(error.contains("ro.txt is read-only"), "{error}");
            assert_eq!((mode(&path), folder.names()), (0o444, vec!["ro.txt".to_owned()]));
            assert_eq!(std::fs::read(path.as_path()).unwrap(), b"keep\n");
        }
    }
}
