//! Files of a trial tree, reached from its folder through no link: commands make links, and may still be running.

use std::ffi::{OsStr, OsString};
use std::fs::{File, Metadata, Permissions};
use std::io::{self, Read as _};
use std::os::fd::{AsFd, AsRawFd as _, OwnedFd};
use std::os::unix::ffi::OsStringExt as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Component, Path, PathBuf};

use rustix::fs::{AtFlags, CWD, Dir, Mode, OFlags, mkdirat, openat, renameat, symlinkat, unlinkat};
use rustix::io::Errno;

/// Folders that are held open at once while one is removed.
const HELD: usize = 64;

/// Parts of the path of a folder that is looked into. A command can nest folders without end, and each costs time for all
/// that are around it.
const MOST_PARTS: usize = 200;

/// A name in a folder that is held open.
#[derive(Debug)]
pub(in crate::shell) struct Spot {
    folder: OwnedFd,
    name: OsString,
}

/// The folder `path` of the tree at `root`.
///
/// # Errors
/// There is none, or what is there is no folder (`is_in_the_way`).
pub(super) fn folder(root: &Path, path: &Path) -> io::Result<OwnedFd> {
    let mut at = openat(CWD, root, OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
    for part in path.components() {
        at = step(&at, name_of(part)?)?;
    }
    Ok(at)
}

/// Whether a folder could not be opened because something else has its name.
pub(super) fn is_in_the_way(error: &io::Error) -> bool {
    matches!(Errno::from_io_error(error), Some(Errno::NOTDIR | Errno::LOOP))
}

/// Whether the folder `path` is not looked into.
pub(super) fn is_too_deep(path: &Path) -> bool {
    path.components().count() > MOST_PARTS
}

/// What a folder has.
pub(super) fn names(folder: &OwnedFd) -> io::Result<Vec<OsString>> {
    let readable = openat(folder, ".", OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
    let mut names = Vec::new();
    for entry in Dir::read_from(readable)? {
        let name = entry?.file_name().to_owned();
        if !matches!(name.to_bytes(), b"." | b"..") {
            names.push(OsString::from_vec(name.into_bytes()));
        }
    }
    Ok(names)
}

/// Of `name` in `folder` itself, be it a link.
pub(super) fn metadata(folder: &OwnedFd, name: &OsStr) -> io::Result<Metadata> {
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    File::from(openat(folder, name, flags, Mode::empty())?).metadata()
}

/// The bytes of the regular file at `path`, which may be in a place where commands write.
///
/// # Errors
/// It is a link or no file, or has more than `largest` bytes.
pub(in crate::shell) fn read_plain(path: &Path, largest: u64) -> io::Result<Vec<u8>> {
    read(open_plain(path)?, largest)
}

/// That file to be read, and what it is.
pub(super) fn open_plain(path: &Path) -> io::Result<(File, Metadata)> {
    open(CWD, path)
}

/// Removes what is at `path`, where commands have written: whatever it is, and nothing that its links lead to.
pub(in crate::shell) fn remove_all(path: &Path) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new(""));
    Spot { folder: self::folder(folder, Path::new(""))?, name: last(path)? }.remove()
}

impl Spot {
    /// `path` of the tree at `root`, which has the folders above it.
    pub(super) fn find(root: &Path, path: &Path) -> io::Result<Self> {
        let above = path.parent().unwrap_or(Path::new(""));
        Ok(Self { folder: folder(root, above)?, name: last(path)? })
    }

    /// The same, with folders made that are missing, as `mode` says. What has the name of one gives way to it, which
    /// `replaced` is told.
    pub(super) fn make(
        root: &Path,
        path: &Path,
        mode: impl Fn(&Path) -> u32,
        replaced: impl Fn(&Path, &OwnedFd) -> io::Result<()>,
    ) -> io::Result<Self> {
        let mut at = folder(root, Path::new(""))?;
        let mut above = PathBuf::new();
        for part in path.parent().into_iter().flat_map(Path::components) {
            let name = name_of(part)?;
            above.push(name);
            at = match step(&at, name) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    mkdirat(&at, name, Mode::from(mode(&above)))?;
                    step(&at, name)?
                }
                Err(error) if is_in_the_way(&error) => {
                    remove(&at, name)?;
                    mkdirat(&at, name, Mode::from(mode(&above)))?;
                    let made = step(&at, name)?;
                    replaced(&above, &made)?;
                    made
                }
                found => found?,
            };
        }
        Ok(Self { folder: at, name: last(path)? })
    }

    pub(super) fn parent(&self) -> &OwnedFd {
        &self.folder
    }

    pub(super) fn name(&self) -> &OsStr {
        &self.name
    }

    pub(super) fn metadata(&self) -> io::Result<Metadata> {
        metadata(&self.folder, &self.name)
    }

    /// The regular file that is here, to be read, and what it is now, if its permissions let it be read.
    ///
    /// # Errors
    /// It is a link or no file.
    pub(super) fn open_as_it_is(&self) -> io::Result<(File, Metadata)> {
        open(&self.folder, Path::new(&self.name))
    }

    /// The same of a file of this program's own trees: permissions that keep its owner from it do not
    /// keep this program from it.
    ///
    /// # Errors
    /// It is a link or no file.
    pub(super) fn open(&self) -> io::Result<(File, Metadata)> {
        match open(&self.folder, Path::new(&self.name)) {
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                let mode = self.metadata()?.mode() & 0o7777;
                self.set_mode(mode | 0o400)?;
                let opened = open(&self.folder, Path::new(&self.name));
                self.set_mode(mode)?;
                let (file, _) = opened?;
                let metadata = file.metadata()?;
                Ok((file, metadata))
            }
            opened => opened,
        }
    }

    /// The bytes of that file, at most `largest` of them.
    pub(super) fn read(&self, largest: u64) -> io::Result<Vec<u8>> {
        read(self.open()?, largest)
    }

    /// Gives the regular file that is here these permissions.
    pub(super) fn set_mode(&self, mode: u32) -> io::Result<()> {
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = File::from(openat(&self.folder, &self.name, flags, Mode::empty())?);
        if !file.metadata()?.is_file() {
            return Err(no_file());
        }
        // A descriptor that is good for its path only is named by the link that `/proc` has to it.
        let name = format!("/proc/self/fd/{}", file.as_raw_fd());
        std::fs::set_permissions(name, Permissions::from_mode(mode))
    }

    /// Writes what `bytes` gives into the file, which is made with `mode` if it is not here. Whoever has it open sees it.
    /// What is no file, or has other names too, gives way to one.
    pub(super) fn write(&self, mut bytes: impl io::Read, mode: u32) -> io::Result<()> {
        let flags = OFlags::WRONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let there = openat(&self.folder, &self.name, flags, Mode::empty()).map(File::from);
        let is_ours = |file: &File| file.metadata().is_ok_and(|now| now.is_file() && now.nlink() == 1);
        let mut file = match there {
            Ok(file) if is_ours(&file) => {
                file.set_len(0)?;
                file
            }
            Ok(_) | Err(_) => {
                // Read only, too, keeps nobody from replacing it.
                self.remove()?;
                self.create(mode)?
            }
        };
        io::copy(&mut bytes, &mut file)?;
        Ok(())
    }

    /// A copy of `from` with its permissions, in place of what is here.
    pub(super) fn copy(&self, (mut from, metadata): (File, Metadata)) -> io::Result<File> {
        self.remove()?;
        let mut file = self.create(0o600)?;
        // Shares the blocks of the file where the file system can.
        io::copy(&mut from, &mut file)?;
        file.set_permissions(Permissions::from_mode(metadata.mode() & 0o7777))?;
        Ok(file)
    }

    /// A link to `target`, in place of what is here.
    pub(super) fn link(&self, target: &Path) -> io::Result<()> {
        self.remove()?;
        Ok(symlinkat(target, &self.folder, &self.name)?)
    }

    /// Whatever it is, if there is anything.
    pub(super) fn remove(&self) -> io::Result<()> {
        remove(&self.folder, &self.name)
    }

    fn create(&self, mode: u32) -> io::Result<File> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(openat(&self.folder, &self.name, flags, Mode::from(mode))?.into())
    }
}

fn name_of(part: Component<'_>) -> io::Result<&OsStr> {
    match part {
        Component::Normal(name) => Ok(name),
        Component::Prefix(_) | Component::RootDir | Component::CurDir | Component::ParentDir => {
            Err(io::Error::new(io::ErrorKind::InvalidInput, "the path leads out of the tree"))
        }
    }
}

fn last(path: &Path) -> io::Result<OsString> {
    let nameless = || io::Error::new(io::ErrorKind::InvalidInput, "the path has no name of a file");
    path.file_name().map(OsStr::to_owned).ok_or_else(nameless)
}

fn step(folder: &OwnedFd, name: &OsStr) -> io::Result<OwnedFd> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(openat(folder, name, flags, Mode::empty())?)
}

fn open(folder: impl AsFd, name: &Path) -> io::Result<(File, Metadata)> {
    // A pipe would be waited for.
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = File::from(openat(folder, name, flags, Mode::empty())?);
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(no_file());
    }
    Ok((file, metadata))
}

fn no_file() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "this is no regular file")
}

fn read((file, metadata): (File, Metadata), largest: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if metadata.len() <= largest {
        file.take(largest.saturating_add(1)).read_to_end(&mut bytes)?;
    }
    if metadata.len().max(bytes.len() as u64) > largest {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, "the file is too large to be read"));
    }
    Ok(bytes)
}

/// Folders are removed without recursion, those that can't be entered or changed as they are too, and deeper ones than are held open at once from a place further up.
fn remove(folder: &OwnedFd, name: &OsStr) -> io::Result<()> {
    struct Level {
        name: OsString,
        at: OwnedFd,
        left: Vec<OsString>,
    }
    let enter = |above: &OwnedFd, name: OsString| -> io::Result<Level> {
        let at = step(above, &name)?;
        open_up(&at);
        Ok(Level { left: names(&at)?, at, name })
    };
    if !is_left_folder(folder, name)? {
        return Ok(());
    }
    let mut levels = vec![enter(folder, name.to_owned())?];
    while let Some(mut level) = levels.pop() {
        let Some(child) = level.left.pop() else {
            let above = levels.last().map_or(folder, |above| &above.at);
            match unlinkat(above, &level.name, AtFlags::REMOVEDIR) {
                Ok(()) | Err(Errno::NOENT) => continue,
                Err(error) => return Err(error.into()),
            }
        };
        if !is_left_folder(&level.at, &child)? {
            levels.push(level);
            continue;
        }
        if levels.len() + 1 >= HELD
            && let Some(top) = levels.first_mut()
        {
            let moved = OsString::from(format!(".{}", uuid::Uuid::new_v4().simple()));
            renameat(&level.at, &child, &top.at, &moved)?;
            top.left.push(moved);
            levels.push(level);
        } else {
            let below = enter(&level.at, child)?;
            levels.extend([level, below]);
        }
    }
    Ok(())
}

/// A command may have closed it to everybody.
fn open_up(folder: &OwnedFd) {
    const OWN: u32 = 0o700;
    let mode = rustix::fs::fstat(folder).map(|found| found.st_mode);
    if mode.is_ok_and(|mode| mode & OWN != OWN) {
        // The folder that is held, whatever has its name by now.
        let _ = std::fs::set_permissions(
            format!("/proc/self/fd/{}", folder.as_raw_fd()),
            Permissions::from_mode(OWN),
        );
    }
}

/// Removes what is no folder.
fn is_left_folder(folder: &OwnedFd, name: &OsStr) -> io::Result<bool> {
    match unlinkat(folder, name, AtFlags::empty()) {
        Ok(()) | Err(Errno::NOENT) => Ok(false),
        Err(Errno::ISDIR) => Ok(true),
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    fn tree() -> (tempfile::TempDir, PathBuf, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let (root, outside) = (folder.path().join("tree"), folder.path().join("outside"));
        for (path, text) in [(root.join("sub/a.txt"), "a"), (outside.join("a.txt"), "secret")] {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        (folder, root, outside)
    }

    #[track_caller]
    fn check_read(root: &Path, path: &str, largest: u64, wanted: Option<&str>) {
        let read = Spot::find(root, Path::new(path)).and_then(|spot| spot.read(largest));
        assert_eq!(read.ok(), wanted.map(|text| text.as_bytes().to_vec()), "{path}");
    }

    #[test]
    fn only_regular_files_are_read_and_only_without_a_link_on_the_way() {
        let (_folder, root, outside) = tree();
        symlink(&outside, root.join("link")).unwrap();
        symlink(outside.join("a.txt"), root.join("file")).unwrap();
        symlink("sub", root.join("within")).unwrap();
        rustix::fs::mknodat(CWD, root.join("pipe"), rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
        check_read(&root, "sub/a.txt", 1, Some("a"));
        check_read(&root, "sub/a.txt", 0, None);
        for path in ["link/a.txt", "file", "within/a.txt", "pipe", "sub", "../outside/a.txt", "none"] {
            check_read(&root, path, 100, None);
        }
    }

    #[test]
    fn only_the_tree_is_written() {
        let (_folder, root, outside) = tree();
        symlink(&outside, root.join("link")).unwrap();
        symlink(outside.join("a.txt"), root.join("sub/file")).unwrap();
        fs::hard_link(outside.join("a.txt"), root.join("sub/second")).unwrap();
        for path in ["link/a.txt", "link/new/b.txt", "sub/file", "sub/second", "sub/a.txt"] {
            let spot = Spot::make(&root, Path::new(path), |_| 0o755, |_, _| Ok(())).unwrap();
            spot.write(&b"written"[..], 0o644).unwrap();
            assert_eq!(fs::read_to_string(root.join(path)).unwrap(), "written");
        }
        symlink(&outside, root.join("again")).unwrap();
        assert!(Spot::find(&root, Path::new("again/a.txt")).is_err());
        Spot::find(&root, Path::new("again")).unwrap().remove().unwrap();
        assert_eq!(fs::read_to_string(outside.join("a.txt")).unwrap(), "secret");
        assert_eq!(fs::read_dir(&outside).unwrap().count(), 1);
    }

    #[test]
    fn what_is_closed_is_removed_too() {
        let (_folder, root, outside) = tree();
        symlink(&outside, root.join("sub/link")).unwrap();
        for mode in [0o0, 0o500, 0o200] {
            let closed = root.join("sub/closed/in");
            fs::create_dir_all(&closed).unwrap();
            fs::write(closed.join("left"), "").unwrap();
            fs::set_permissions(&closed, Permissions::from_mode(mode)).unwrap();
            fs::set_permissions(root.join("sub/closed"), Permissions::from_mode(mode)).unwrap();
            remove_all(&root.join("sub/closed")).unwrap();
            assert!(!root.join("sub/closed").exists(), "{mode:o}");
        }
        remove_all(&root.join("sub")).unwrap();
        assert!(!root.join("sub").exists() && outside.join("a.txt").exists());
    }

    #[test]
    fn a_nest_of_any_depth_is_removed_but_not_what_its_links_lead_to() {
        let (_folder, root, outside) = tree();
        let mut at = folder(&root, Path::new("sub")).unwrap();
        for _ in 0..5_000 {
            mkdirat(&at, "d", 0o755.into()).unwrap();
            symlinkat(&outside, &at, "link").unwrap();
            at = step(&at, OsStr::new("d")).unwrap();
        }
        Spot::find(&root, Path::new("sub")).unwrap().remove().unwrap();
        assert!(!root.join("sub").exists() && outside.join("a.txt").exists());
    }
}
