//! The file system that the command sees: everything read only, but for the trial tree and a temporary folder.

use std::ffi::CString;
use std::fs::{self, OpenOptions};
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::os::unix::fs::{FileTypeExt as _, OpenOptionsExt as _, PermissionsExt as _, symlink};

use camino::{Utf8Path, Utf8PathBuf};
use rustix::fs::{CWD, Mode, OFlags, openat};
use rustix::io::Errno;
use rustix::mount::{
    MountFlags, MountPropagationFlags, mount, mount_bind, mount_bind_recursive, mount_change, mount_remount,
};

use super::super::order::{Namespaces, Tree};
use super::{Refused, Step};

/// Devices that hold nothing.
const DEVICES: [&str; 6] = ["null", "zero", "full", "random", "urandom", "tty"];
const DEVICE_LINKS: [(&str, &str); 4] = [
    ("fd", "/proc/self/fd"),
    ("stdin", "/proc/self/fd/0"),
    ("stdout", "/proc/self/fd/1"),
    ("stderr", "/proc/self/fd/2"),
];
/// Where programs put what is temporary, whatever `TMPDIR` says.
const TEMPORARY: [&str; 2] = ["/tmp", "/var/tmp"];
/// Where the services of a system have their sockets, through which others would act for the command. It sees an empty
/// folder instead.
const RUNNING: &str = "/run";
/// What of it programs need: the system itself where it lies there, and what a link leads to that says how names are
/// looked up.
const KEPT_OF_RUNNING: [&str; 3] = ["/run/current-system", "/run/booted-system", "/run/opengl-driver"];
const RESOLVER: &str = "/etc/resolv.conf";
/// Sockets that are put out of reach, one by one.
const MOST_SOCKETS: usize = 4_096;

/// What a user who is root outside could change of the system through `/proc`.
const KNOBS: [&str; 6] =
    ["/proc/sys", "/proc/sysrq-trigger", "/proc/irq", "/proc/bus", "/proc/fs", "/proc/acpi"];

/// What keys there are, and whose.
const KEYS: [&str; 2] = ["/proc/keys", "/proc/key-users"];

/// What `/proc` is mounted with.
const OF_PROCESSES: MountFlags = MountFlags::NOSUID.union(MountFlags::NODEV).union(MountFlags::NOEXEC);

/// What an overlay is mounted with.
const OF_OVERLAY: MountFlags = MountFlags::NOSUID.union(MountFlags::NODEV);

/// Folders opened before anything is put over them.
struct Opened {
    at: Utf8PathBuf,
    kind: OpenedKind,
}

enum OpenedKind {
    Overlay { lower: OwnedFd, upper: OwnedFd, work: OwnedFd },
    Real(OwnedFd),
}

/// The sockets that this machine's programs have in its file system, wherever that is. Asked before the network is
/// another: no wall around that keeps anybody from a socket which has a name here.
pub(super) fn sockets() -> Vec<Utf8PathBuf> {
    let listed = fs::read("/proc/net/unix").unwrap_or_default();
    let listed = String::from_utf8_lossy(&listed);
    let mut found: Vec<Utf8PathBuf> = listed.lines().filter_map(socket).collect();
    found.sort();
    found.dedup();
    found.retain(|path| fs::symlink_metadata(path).is_ok_and(|metadata| metadata.file_type().is_socket()));
    found.truncate(MOST_SOCKETS);
    found
}

/// Builds all but `/proc`, which only a process of the new name space can mount. `sockets` are those of this machine.
pub(super) fn build(spaces: &Namespaces, sockets: &[Utf8PathBuf]) -> Result<(), Refused> {
    let private = MountPropagationFlags::PRIVATE | MountPropagationFlags::REC;
    mount_change("/", private).step("private mounts")?;
    let opened = open_all(spaces)?;
    let temporary = open(&spaces.temporary).step("temporary folder")?;

    let scratch = Utf8PathBuf::from(&spaces.scratch);
    tmpfs(&scratch).step("scratch folder")?;
    // Opened too, since it may lie below what is hidden.
    let (empty_folder, empty_file) = empty(&scratch).step("scratch folder")?;
    devices(&scratch.join("dev")).step("devices")?;
    running(&scratch.join("run")).step(RUNNING)?;

    let mut writable: Vec<Utf8PathBuf> = Vec::new();
    for place in TEMPORARY.map(Utf8Path::new) {
        if place.is_dir() && !place.is_symlink() {
            mount_bind(by_descriptor(&temporary), place.as_std_path()).step("temporary folder")?;
            writable.push(place.to_owned());
        }
    }
    for Opened { at, kind } in &opened {
        // It may have lain in the temporary folder, which is another now.
        fs::create_dir_all(at).step(at.as_str())?;
        match kind {
            OpenedKind::Overlay { lower, upper, work } => overlay(at, lower, upper, work)?,
            OpenedKind::Real(folder) => {
                mount_bind(by_descriptor(folder), at.as_std_path()).step(at.as_str())?;
            }
        }
        writable.push(at.clone());
    }
    for hidden in spaces.hidden.iter().chain(sockets) {
        let over = match fs::metadata(hidden) {
            Ok(metadata) if metadata.is_dir() => &empty_folder,
            Ok(_) => &empty_file,
            Err(_) => continue,
        };
        mount_bind(by_descriptor(over), hidden.as_std_path()).step(hidden.as_str())?;
    }
    read_only_but(&writable)
}

/// What the kernel knows of the overlay at `at` from before is looked up again.
pub(super) fn forget(at: &Utf8Path) {
    // Where a kernel refuses it, what was looked up once stays as it was.
    let _ = mount_remount(at.as_std_path(), OF_OVERLAY, "");
}

/// A view of the own processes only. Where mounting one is refused, as in some containers, the old one stays: its processes
/// are out of reach all the same.
pub(super) fn processes() {
    let _ = mount("proc", "/proc", "proc", OF_PROCESSES, None);
}

/// Nothing of the system can be changed through `/proc`.
pub(super) fn lock_knobs() -> Result<(), Refused> {
    for knob in KNOBS.map(Utf8Path::new) {
        if knob.exists() {
            mount_bind(knob.as_std_path(), knob.as_std_path()).step(knob.as_str())?;
            let flags = MountFlags::BIND | MountFlags::RDONLY | OF_PROCESSES;
            mount_remount(knob.as_std_path(), flags, "").step(knob.as_str())?;
        }
    }
    Ok(())
}

/// The names of keys are nobody's business. Where that is refused, a command learns what they are called, and no more.
pub(super) fn hide_keys() {
    for keys in KEYS {
        let _ = mount_bind("/dev/null", keys);
    }
}

impl Opened {
    fn real(folder: &Utf8Path, at: &Utf8Path) -> Result<Self, Refused> {
        Ok(Self { at: at.to_owned(), kind: OpenedKind::Real(open(folder).step(folder.as_str())?) })
    }
}

fn open_all(spaces: &Namespaces) -> Result<Vec<Opened>, Refused> {
    let tree = |tree: &Tree| match tree {
        Tree::Overlay { at, upper, work } => {
            let kind = OpenedKind::Overlay {
                lower: open(at).step(at.as_str())?,
                upper: open(upper).step(upper.as_str())?,
                work: open(work).step(work.as_str())?,
            };
            Ok(Opened { at: at.clone(), kind })
        }
        Tree::Copy { at, copy } => Opened::real(copy, at),
    };
    let real = |folder: &Utf8PathBuf| Opened::real(folder, folder);
    spaces.trees.iter().map(tree).chain(spaces.writable.iter().map(real)).collect()
}

fn open(folder: &Utf8Path) -> rustix::io::Result<OwnedFd> {
    openat(CWD, folder.as_std_path(), OFlags::PATH | OFlags::CLOEXEC, Mode::empty())
}

/// A name for an open folder that says nothing of what is mounted over it by now, and holds no character that would have
/// to be escaped.
fn by_descriptor(folder: &OwnedFd) -> String {
    format!("/proc/self/fd/{}", folder.as_raw_fd())
}

fn overlay(at: &Utf8Path, lower: &OwnedFd, upper: &OwnedFd, work: &OwnedFd) -> Result<(), Refused> {
    let [lower, upper, work] = [lower, upper, work].map(by_descriptor);
    forget_volatile(&work).step("overlay")?;
    // `userxattr`: what overlays without a privilege over the whole system must use. `volatile`, which every kernel with
    // the former has: the end of a command does not wait until the disk has what lies in the trial tree, since nobody
    // reads that after a crash.
    let options = format!("lowerdir={lower},upperdir={upper},workdir={work},userxattr,volatile");
    let options = CString::new(options).step("overlay")?;
    mount("overlay", at.as_std_path(), "overlay", OF_OVERLAY, options.as_c_str()).step("overlay")
}

/// Takes away the mark that says an earlier overlay on the same folders was volatile: with it, no other may be mounted.
fn forget_volatile(work: &str) -> std::io::Result<()> {
    match fs::remove_dir_all(Utf8Path::new(work).join("work/incompat")) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

fn tmpfs(at: &Utf8Path) -> rustix::io::Result<()> {
    mount("tmpfs", at.as_std_path(), "tmpfs", MountFlags::NOSUID, c"mode=755")
}

/// A folder and a file that hold nothing and can't be read.
fn empty(scratch: &Utf8Path) -> std::io::Result<(OwnedFd, OwnedFd)> {
    let (folder, file) = (scratch.join("folder"), scratch.join("file"));
    fs::create_dir(&folder)?;
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o0))?;
    OpenOptions::new().write(true).create_new(true).mode(0o0).open(&file)?;
    Ok((open(&folder)?, open(&file)?))
}

/// A `/dev` without disks, terminals of others, or memory.
fn devices(made: &Utf8Path) -> std::io::Result<()> {
    fs::create_dir(made)?;
    for name in DEVICES {
        let device = Utf8Path::new("/dev").join(name);
        if device.exists() {
            let at = made.join(name);
            fs::File::create(&at)?;
            mount_bind(device.as_std_path(), at.as_std_path())?;
        }
    }
    for (name, target) in DEVICE_LINKS {
        symlink(target, made.join(name))?;
    }
    fs::create_dir(made.join("shm"))?;
    mount(
        "tmpfs",
        made.join("shm").as_std_path(),
        "tmpfs",
        MountFlags::NOSUID | MountFlags::NODEV,
        c"mode=1777",
    )?;
    fs::create_dir(made.join("pts"))?;
    // Programs that open a terminal of their own do without it where it can't be had.
    let options = c"newinstance,ptmxmode=0666,mode=620";
    if mount(
        "devpts",
        made.join("pts").as_std_path(),
        "devpts",
        MountFlags::NOSUID | MountFlags::NOEXEC,
        options,
    )
    .is_ok()
    {
        symlink("pts/ptmx", made.join("ptmx"))?;
    }
    mount_bind_recursive(made.as_std_path(), "/dev")?;
    Ok(())
}

/// A `/run` without sockets.
fn running(made: &Utf8Path) -> std::io::Result<()> {
    let place = Utf8Path::new(RUNNING);
    if !place.is_dir() || place.is_symlink() {
        return Ok(());
    }
    fs::create_dir(made)?;
    let resolver = Utf8Path::new(RESOLVER).canonicalize_utf8().ok();
    let kept = KEPT_OF_RUNNING.iter().map(Utf8PathBuf::from).chain(resolver);
    for kept in kept.filter(|kept| kept.starts_with(place)) {
        let Ok(below) = kept.strip_prefix(place) else { continue };
        let at = made.join(below);
        // A link is one again, and leads where it led.
        if let Ok(target) = fs::read_link(&kept) {
            at.parent().map_or(Ok(()), fs::create_dir_all)?;
            symlink(target, &at)?;
        } else if kept.is_dir() {
            fs::create_dir_all(&at)?;
            mount_bind(kept.as_std_path(), at.as_std_path())?;
        } else if kept.is_file() {
            at.parent().map_or(Ok(()), fs::create_dir_all)?;
            fs::File::create(&at)?;
            mount_bind(kept.as_std_path(), at.as_std_path())?;
        }
    }
    Ok(mount_bind_recursive(made.as_std_path(), place.as_std_path())?)
}

/// Makes every mount read only but those at `writable` and the memory that programs share.
fn read_only_but(writable: &[Utf8PathBuf]) -> Result<(), Refused> {
    let listed = fs::read_to_string("/proc/self/mountinfo").step("mounts")?;
    for (at, flags) in listed.lines().filter_map(mounted) {
        if writable.contains(&at) || at == "/dev/shm" || at == "/dev/pts" {
            continue;
        }
        match mount_remount(at.as_std_path(), MountFlags::BIND | MountFlags::RDONLY | flags, "") {
            // Gone, or below what is out of reach for this user: out of reach for the command too. Or something else is
            // mounted over its place.
            Ok(()) | Err(Errno::NOENT | Errno::ACCESS | Errno::NOTDIR | Errno::INVAL) => {}
            Err(error) => return Err(Refused::new(format!("read only {at}"), error)),
        }
    }
    Ok(())
}

/// The name in a line of `/proc/net/unix`. One that does not begin at the root is known to nobody but its maker.
fn socket(line: &str) -> Option<Utf8PathBuf> {
    let (at, _) = line.match_indices(" /").next()?;
    line.get(at + 1..).map(Utf8PathBuf::from)
}

/// Where a line of `/proc/self/mountinfo` says that something is mounted, and with which flags.
fn mounted(line: &str) -> Option<(Utf8PathBuf, MountFlags)> {
    let mut fields = line.split(' ').skip(4);
    let at = unescaped(fields.next()?);
    let flags = fields.next()?.split(',').map(|option| match option {
        "nosuid" => MountFlags::NOSUID,
        "nodev" => MountFlags::NODEV,
        "noexec" => MountFlags::NOEXEC,
        "noatime" => MountFlags::NOATIME,
        "nodiratime" => MountFlags::NODIRATIME,
        "relatime" => MountFlags::RELATIME,
        _ => MountFlags::empty(),
    });
    Some((at.into(), flags.collect()))
}

/// Blanks are written as `\040` there, and so on.
fn unescaped(written: &str) -> String {
    let mut bytes = Vec::with_capacity(written.len());
    let mut rest = written.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        let code = (byte == b'\\').then(|| after.get(..3)).flatten();
        let code = code.and_then(|digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 8).ok());
        bytes.push(code.unwrap_or(byte));
        rest = if code.is_some() { after.get(3..).unwrap_or_default() } else { after };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, at: &str, flags: MountFlags) {
        assert_eq!(mounted(line), Some((at.into(), flags)));
    }

    #[test]
    fn the_kernel_s_list_of_sockets_is_read() {
        let line = |name: &str| format!("0000000000000000: 00000002 00000000 00010000 0001 01 17013 {name}");
        assert_eq!(socket(&line("/run/a b.sock")), Some("/run/a b.sock".into()));
        for name in ["", "@abstract", "relative/a.sock", "Path"] {
            assert_eq!(socket(&line(name)), None, "{name}");
        }
    }

    #[test]
    fn the_kernel_s_list_of_mounts_is_read() {
        check(
            "36 35 98:0 /mnt1 /mnt2 rw,noatime,nosuid master:1 - ext3 /dev/root rw,errors=continue",
            "/mnt2",
            MountFlags::NOATIME | MountFlags::NOSUID,
        );
        check(r"21 1 0:5 / /my\040disk\134x ro - tmpfs none ro", r"/my disk\x", MountFlags::empty());
        assert_eq!(mounted("1 2 3"), None);
    }
}
