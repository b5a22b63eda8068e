//! What the index of a repository names (gitformat-index): the files that git keeps, and the repositories inside, into each
//! of which git looks, and obeys what is configured there.

/// What an index says of repositories inside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Inner {
    /// Their paths, below the folder of files.
    Paths(Vec<String>),
    /// It is written in a way that is not read here.
    Unknown,
}

/// The mode of an entry that is a repository.
const REPOSITORY: u32 = 0o160_000;
/// Of an entry, before its object's name: times, device, number, mode, owners and size.
const STAT: usize = 40;
const MODE: usize = 24;
/// In the flags of an entry: more flags follow; how long its name is.
const EXTENDED: u16 = 0x4000;
/// An index that is split has this extension, and its entries elsewhere.
const SPLIT: &[u8] = b"link";

/// Reads an index whose objects have names of so many bytes.
pub(super) fn inner(index: &[u8], name_bytes: usize) -> Inner {
    let mut found = Vec::new();
    let read = each(index, name_bytes, |mode, name| {
        if mode == REPOSITORY {
            found.push(String::from_utf8_lossy(name).into_owned());
        }
    });
    read.map_or(Inner::Unknown, |()| Inner::Paths(found))
}

/// Whether the index names `path`; `None`: it is not read here.
pub(super) fn has(index: &[u8], name_bytes: usize, path: &str) -> Option<bool> {
    let mut found = false;
    each(index, name_bytes, |_, name| found |= name == path.as_bytes())?;
    Some(found)
}

/// Hands over the mode and the path of each entry.
fn each(index: &[u8], name_bytes: usize, mut entry: impl FnMut(u32, &[u8])) -> Option<()> {
    let rest = index.strip_prefix(b"DIRC")?;
    let (version, count) = (number(rest, 0)?, number(rest, 4)?);
    if !(2..=4).contains(&version) {
        return None;
    }
    let mut at = 12;
    let mut name: Vec<u8> = Vec::new();
    for _ in 0..count {
        let begin = at;
        let mode = number(index, at + MODE)?;
        at += STAT + name_bytes;
        let flags = u16::from_be_bytes(index.get(at..at + 2)?.try_into().ok()?);
        at += if flags & EXTENDED == 0 { 2 } else { 4 };
        if version == 4 {
            // What is left of the name before it, then the rest of this one.
            let (dropped, length) = varint(index.get(at..)?)?;
            at += length;
            name.truncate(name.len().checked_sub(dropped)?);
        } else {
            name.clear();
        }
        let end = index.get(at..)?.iter().position(|byte| *byte == 0)?;
        name.extend_from_slice(index.get(at..at + end)?);
        at += end + 1;
        if version < 4 {
            // Padded with zeros to eight bytes, with one at least.
            at = begin + (at - begin).next_multiple_of(8);
        }
        entry(mode, &name);
    }
    let is_split = index.get(at..at + 4) == Some(SPLIT);
    (!is_split).then_some(())
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

/// The offset encoding of packs: seven bits a byte, the next one's counted from one.
fn varint(bytes: &[u8]) -> Option<(usize, usize)> {
    let mut value = 0_usize;
    for (at, byte) in bytes.iter().enumerate() {
        value = value.checked_shl(7)?.checked_add(usize::from(byte & 0x7f))?;
        if byte & 0x80 == 0 {
            return Some((value, at + 1));
        }
        value += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    /// The index that git itself writes for files and two repositories inside.
    fn written(options: &[&str], version: &str) -> Option<Vec<u8>> {
        let folder = tempfile::tempdir().unwrap();
        let git = |arguments: &[&str]| {
            let mut command = Command::new("git");
            command.args(arguments).current_dir(folder.path()).env("GIT_CONFIG_GLOBAL", "/dev/null");
            command.output().is_ok_and(|ran| ran.status.success())
        };
        let made = git(&[&["init", "-q"], options, &["."]].concat());
        let oid = if options.is_empty() { "1".repeat(40) } else { "1".repeat(64) };
        for (mode, name) in
            [("100644", "a.txt"), ("160000", "mods/one"), ("100644", "mods/x"), ("160000", "mods/two")]
        {
            assert!(!made || git(&["update-index", "--add", "--cacheinfo", &format!("{mode},{oid},{name}")]));
        }
        let done = made && git(&["update-index", "--index-version", version]);
        done.then(|| std::fs::read(folder.path().join(".git/index")).unwrap())
    }

    #[test]
    fn repositories_inside_are_found_in_each_version_of_the_format() {
        for version in ["2", "3", "4"] {
            let index = written(&[], version).expect("git writes it");
            let want = Inner::Paths(vec!["mods/one".to_owned(), "mods/two".to_owned()]);
            assert_eq!(inner(&index, 20), want, "{version}");
        }
        // An old git has no such repositories.
        if let Some(index) = written(&["--object-format=sha256"], "2") {
            assert_eq!(inner(&index, 32), Inner::Paths(vec!["mods/one".to_owned(), "mods/two".to_owned()]));
        }
    }

    #[test]
    fn a_file_that_git_keeps_is_found() {
        for version in ["2", "3", "4"] {
            let index = written(&[], version).expect("git writes it");
            assert_eq!(has(&index, 20, "mods/x"), Some(true), "{version}");
            assert_eq!(has(&index, 20, "mods"), Some(false), "{version}");
        }
        assert_eq!(has(b"DIRC", 20, "a.txt"), None);
    }

    #[test]
    fn what_can_not_be_read_is_said() {
        let index = written(&[], "2").expect("git writes it");
        for broken in [&b""[..], b"DIRC", b"DIRC\0\0\0\x09\0\0\0\0", index.get(..100).unwrap()] {
            assert_eq!(inner(broken, 20), Inner::Unknown);
        }
        assert_eq!(inner(b"DIRC\0\0\0\x02\0\0\0\0link", 20), Inner::Unknown);
        assert_eq!(inner(b"DIRC\0\0\0\x02\0\0\0\0", 20), Inner::Paths(Vec::new()));
    }
}
