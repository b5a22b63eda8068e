//! What a real path names, reached through no symbolic link, so that what was judged is what is opened.
//!
//! Invariant: nothing here follows a link. One that was put in the way since the path was judged is an error, wherever it
//! leads.

use std::ffi::OsStr;
use std::fs::{File, Metadata};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Component, Path};
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags, fstat, mkdirat, openat, statat};
use rustix::io::Errno;

use super::AbsPath;

/// To look at something without opening it, where the system can.
#[cfg(any(target_os = "linux", target_os = "android", target_os = "freebsd"))]
const LOOK: OFlags = OFlags::PATH;
#[cfg(not(any(target_os = "linux", target_os = "android", target_os = "freebsd")))]
const LOOK: OFlags = READ;

/// A pipe that was put here is not waited for.
const READ: OFlags = OFlags::RDONLY.union(OFlags::NONBLOCK).union(OFlags::NOCTTY);

/// Whether it was refused because there is a symbolic link where none was.
pub(super) fn is_link_in_the_way(error: &io::Error) -> bool {
    Errno::from_io_error(error) == Some(Errno::LOOP)
}

/// Of what is at `path`; a link there is an error too.
pub(super) fn metadata(path: &AbsPath) -> io::Result<Metadata> {
    File::from(open(CWD, path.as_path().as_std_path(), LOOK)?).metadata()
}

/// A folder that is held open, and where it is: what lies below it is opened from there, by its real path.
#[derive(Debug)]
pub struct Ground {
    path: AbsPath,
    folder: Folder,
}

impl Ground {
    pub fn open(path: &AbsPath) -> io::Result<Self> {
        Ok(Self { path: path.clone(), folder: Folder::open(path)? })
    }

    /// The file at `path`, to be read. It may be anything but a link.
    pub fn file(&self, path: &AbsPath) -> io::Result<File> {
        Ok(open(&self.folder, self.below(path.as_str()), READ)?.into())
    }

    /// What the folder at `path` has.
    pub(super) fn entries(&self, path: &str) -> io::Result<Dir> {
        Ok(Dir::new(open(&self.folder, self.below(path), OFlags::RDONLY | OFlags::DIRECTORY)?)?)
    }

    fn below<'path>(&self, path: &'path str) -> &'path Path {
        // One that lies elsewhere is whole, and opened through no link either.
        let below = path.strip_prefix(self.path.as_str()).map(|below| below.trim_start_matches('/'));
        Path::new(match below {
            Some("") => ".",
            below => below.unwrap_or(path),
        })
    }
}

/// Names of what the folder at `path` has; none, if they can't be read.
pub fn names_in(path: &AbsPath) -> Vec<String> {
    let ground = Ground::open(path);
    let entries = ground.and_then(|ground| ground.entries(path.as_str())).into_iter().flatten();
    let names = entries.filter_map(|entry| entry.ok()?.file_name().to_str().ok().map(str::to_owned));
    names.filter(|name| name != "." && name != "..").collect()
}

/// A folder that is held open.
#[derive(Debug)]
pub(super) struct Folder(OwnedFd);

impl Folder {
    pub(super) fn open(path: &AbsPath) -> io::Result<Self> {
        Ok(Self(open(CWD, path.as_path().as_std_path(), LOOK | OFlags::DIRECTORY)?))
    }

    /// The folder at `path` with those it lies in, made as far as they are missing.
    pub(super) fn make(path: &AbsPath) -> io::Result<Self> {
        let missing = |error: &io::Error| error.kind() == io::ErrorKind::NotFound;
        let above = match (Self::open(path), path.parent()) {
            (Err(error), Some(above)) if missing(&error) => Self::make(&above)?,
            (opened, _) => return opened,
        };
        match mkdirat(&above.0, path.file_name(), Mode::from_raw_mode(0o777)) {
            // Somebody else may have made it meanwhile.
            Ok(()) | Err(Errno::EXIST) => above.folder(path.file_name().as_ref()),
            Err(error) => Err(error.into()),
        }
    }

    /// What has that name here, to be read; a link is an error.
    pub(super) fn file(&self, name: &str) -> io::Result<File> {
        Ok(step(&self.0, name.as_ref(), READ)?.into())
    }

    /// Of what has that name here; a link is an error.
    pub(super) fn metadata(&self, name: &str) -> io::Result<Metadata> {
        self.look_at(name)?.metadata()
    }

    /// What has that name here, good for its metadata only; a link is an error.
    pub(super) fn look_at(&self, name: &str) -> io::Result<File> {
        Ok(step(&self.0, name.as_ref(), LOOK)?.into())
    }

    /// The file of that name, to be written.
    pub(super) fn file_to_write(&self, name: &str) -> io::Result<File> {
        let flags = OFlags::WRONLY | OFlags::NONBLOCK | OFlags::NOCTTY;
        Ok(step(&self.0, name.as_ref(), flags)?.into())
    }

    /// The folder of that name in this one.
    pub(super) fn folder(&self, name: &OsStr) -> io::Result<Self> {
        Ok(Self(step(&self.0, name, LOOK | OFlags::DIRECTORY)?))
    }

    /// The folder itself, as a file that the system can be asked to keep.
    pub(super) fn readable(&self) -> io::Result<OwnedFd> {
        Ok(openat(&self.0, ".", OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?)
    }
}

impl AsFd for Folder {
    fn as_fd(&self) -> std::os::fd::BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// In one call where the system has one for that.
fn open(at: impl AsFd, path: &Path, flags: OFlags) -> io::Result<OwnedFd> {
    #[cfg(target_os = "linux")]
    if let Some(opened) = at_once(&at, path, flags) {
        return opened;
    }
    part_by_part(at, path, flags)
}

/// `None`: an old kernel does not have the call, or a filter of calls refuses it.
#[cfg(target_os = "linux")]
fn at_once(at: impl AsFd, path: &Path, flags: OFlags) -> Option<io::Result<OwnedFd>> {
    static REFUSED: AtomicBool = AtomicBool::new(false);
    if REFUSED.load(Ordering::Relaxed) {
        return None;
    }
    let flags = flags | OFlags::CLOEXEC;
    match rustix::fs::openat2(at, path, flags, Mode::empty(), rustix::fs::ResolveFlags::NO_SYMLINKS) {
        Err(Errno::NOSYS | Errno::PERM) => {
            REFUSED.store(true, Ordering::Relaxed);
            None
        }
        opened => Some(opened.map_err(Into::into)),
    }
}

fn part_by_part(at: impl AsFd, path: &Path, flags: OFlags) -> io::Result<OwnedFd> {
    let begin = if path.is_absolute() { Path::new("/") } else { Path::new(".") };
    let mut parts =
        path.components().filter(|part| !matches!(part, Component::RootDir | Component::CurDir)).peekable();
    let from = if parts.peek().is_some() { LOOK | OFlags::DIRECTORY } else { flags };
    let mut at = openat(at, begin, from | OFlags::CLOEXEC, Mode::empty())?;
    while let Some(part) = parts.next() {
        let Component::Normal(name) = part else {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "the path is not a plain one"));
        };
        at = step(&at, name, if parts.peek().is_some() { LOOK | OFlags::DIRECTORY } else { flags })?;
    }
    Ok(at)
}

/// What is at `name`, one part of a path. A link is told as such, whatever was wanted of it.
fn step(folder: &OwnedFd, name: &OsStr, flags: OFlags) -> io::Result<OwnedFd> {
    let is_link = |mode| FileType::from_raw_mode(mode) == FileType::Symlink;
    let opened = openat(folder, name, flags | OFlags::NOFOLLOW | OFlags::CLOEXEC, Mode::empty());
    let met_link = match &opened {
        // Looking at a link opens the link itself.
        Ok(opened) => flags.contains(LOOK) && fstat(opened).is_ok_and(|found| is_link(found.st_mode)),
        Err(Errno::NOTDIR) => {
            statat(folder, name, AtFlags::SYMLINK_NOFOLLOW).is_ok_and(|found| is_link(found.st_mode))
        }
        Err(_) => false,
    };
    if met_link { Err(Errno::LOOP.into()) } else { Ok(opened?) }
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;
    use std::os::unix::fs::symlink;

    use super::*;

    /// What reading the file says, in one call and part by part; and from the folder above it.
    #[track_caller]
    fn check(root: &AbsPath, name: &str, wanted: Result<&str, Errno>) {
        let path = root.join(name);
        let path = path.as_path().as_std_path();
        let folder = Folder::open(root).unwrap();
        let below = Path::new(name);
        for (way, opened) in [
            ("whole", open(CWD, path, READ)),
            ("part by part", part_by_part(CWD, path, READ)),
            ("from a folder", open(&folder, below, READ)),
            ("from a folder, part by part", part_by_part(&folder, below, READ)),
        ] {
            let text = opened.map(|file| {
                let mut text = String::new();
                let _ = File::from(file).read_to_string(&mut text);
                text
            });
            let found = text.map_err(|error| Errno::from_io_error(&error).unwrap());
            assert_eq!(found.as_deref().map_err(|errno| *errno), wanted, "{name} {way}");
        }
        let looks = [open(CWD, path, LOOK), part_by_part(CWD, path, LOOK)];
        for look in looks {
            let errno = look.err().map(|error| Errno::from_io_error(&error).unwrap());
            assert_eq!(errno, wanted.err(), "a look at {name}");
        }
    }

    fn tree() -> (tempfile::TempDir, AbsPath) {
        let folder = tempfile::tempdir().unwrap();
        let root = AbsPath::new(folder.path().canonicalize().unwrap().to_str().unwrap()).unwrap();
        std::fs::create_dir_all(root.join("ws/sub").as_path()).unwrap();
        std::fs::create_dir_all(root.join("outside").as_path()).unwrap();
        for (name, text) in [("ws/sub/a", "inside"), ("ws/top", "top"), ("outside/a", "secret")] {
            std::fs::write(root.join(name).as_path(), text).unwrap();
        }
        let root = root.join("ws");
        for (link, target) in [
            ("out", "../outside"),
            ("file", "../outside/a"),
            ("within", "sub"),
            ("knot", "knot"),
            ("none", "x"),
        ] {
            symlink(target, root.join(link).as_path()).unwrap();
        }
        (folder, root)
    }

    #[test]
    fn no_way_leads_through_a_link() {
        let (_folder, root) = tree();
        check(&root, "sub/a", Ok("inside"));
        check(&root, "top", Ok("top"));
        check(&root, "sub", Ok(""));
        for link in ["out/a", "out", "file", "within/a", "within", "knot", "knot/a", "none", "none/a"] {
            check(&root, link, Err(Errno::LOOP));
        }
        check(&root, "missing", Err(Errno::NOENT));
        check(&root, "missing/a", Err(Errno::NOENT));
        check(&root, "top/a", Err(Errno::NOTDIR));
        assert!(part_by_part(Folder::open(&root).unwrap(), Path::new("../outside/a"), READ).is_err());
    }

    #[test]
    fn folders_are_opened_and_made_through_no_link() {
        let (_folder, root) = tree();
        Folder::make(&root.join("new/deep")).unwrap();
        Folder::make(&root.join("new/deep/er")).unwrap();
        assert!(root.join("new/deep/er").as_path().is_dir());
        for (name, errno) in [
            ("out/new", Errno::LOOP),
            ("none/new", Errno::LOOP),
            ("none", Errno::LOOP),
            ("top/new", Errno::NOTDIR),
        ] {
            let error = Folder::make(&root.join(name)).unwrap_err();
            assert_eq!(Errno::from_io_error(&error), Some(errno), "{name}");
            assert!(is_link_in_the_way(&error) == (errno == Errno::LOOP), "{name}");
        }
        assert_eq!(std::fs::read_dir(root.join("../outside").as_path()).unwrap().count(), 1);
        assert_eq!(names_in(&root.join("new")), ["deep"]);
        assert_eq!(names_in(&root.join("out")), [""; 0]);
        assert!(Folder::open(&AbsPath::root()).is_ok() && metadata(&AbsPath::root()).unwrap().is_dir());
    }
}
