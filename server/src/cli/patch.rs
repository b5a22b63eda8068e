//! A file's changes as a patch that `git apply` takes: in the bytes that the file has on disk.

use copydesk_protocol::{File, FileKind, HunkState, ModeChange};

use super::diff::{Names, whole_file};
use crate::documents::{Encoding, encoding_of};

/// A patch, or as much of it as can be.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Patch {
    pub(super) bytes: Vec<u8>,
    /// What is not in it, and why: for the person, a line each.
    pub(super) lacks: Vec<String>,
}

/// Of all changes of `file`, whose texts are `buffer` and `draft`; `None`: there is no file on that side. `on_disk` are its
/// bytes, where it has some.
pub(super) fn patch(
    file: &File,
    names: Names,
    [buffer, draft]: [Option<&str>; 2],
    on_disk: Option<&[u8]>,
) -> Patch {
    let encoding = on_disk.and_then(encoding_of);
    if encoding.is_some_and(Encoding::is_utf16) {
        return Patch {
            lacks: vec![
                "it is UTF-16, which git takes for binary, so no patch can hold its changes".to_owned(),
            ],
            ..Patch::default()
        };
    }
    let mut lacks = Vec::new();
    let mut file = file.clone();
    let [buffer, mut draft] = [buffer, draft];
    file.mode = file.mode.and_then(|mode| known_to_git(mode, &mut lacks));
    if file.binary {
        lacks.push("no patch can hold its bytes, so they are left out".to_owned());
        // New permissions stand in a patch without them; a file that comes or goes does not.
        if file.kind != FileKind::Modify || file.mode.is_none() {
            return Patch { bytes: Vec::new(), lacks };
        }
        file.binary = false;
    }
    let conflicts = file.hunks.iter().filter(|hunk| hunk.state == HunkState::Conflicted).count();
    if conflicts > 0 {
        file.hunks.retain(|hunk| hunk.state != HunkState::Conflicted);
        lacks.push(format!("what you changed too is left out ({conflicts})"));
        draft = if file.hunks.is_empty() { buffer } else { draft };
    }
    if file.kind == FileKind::Modify && file.mode.is_none() && buffer == draft {
        return Patch { bytes: Vec::new(), lacks };
    }
    let mark = if encoding.is_some_and(Encoding::has_mark) { "\u{feff}" } else { "" };
    let marked = |text: Option<&str>| text.map(|text| format!("{mark}{text}"));
    for place in file.hunks.iter_mut().flat_map(|hunk| [&mut hunk.range.start, &mut hunk.range.end]) {
        if place.line == 0 {
            place.character += u32::try_from(mark.len()).unwrap_or_default();
        }
    }
    let (buffer, draft) = (marked(buffer), marked(draft));
    let lines = whole_file(&file, names, buffer.as_deref(), draft.as_deref());
    let mut bytes = Vec::new();
    for line in lines {
        let encoded = match encoding {
            Some(encoding) if line.look.is_text() => encoding.encode_piece(&line.text),
            _ => Ok(line.text.into_bytes()),
        };
        match (encoded, encoding) {
            (Ok(encoded), _) => bytes.extend(encoded.into_iter().chain(*b"\n")),
            (Err(character), encoding) => {
                let name = encoding.map(Encoding::name).unwrap_or_default();
                lacks.push(format!("`{character}` can't be written in {name}, so there is no patch of it"));
                return Patch { bytes: Vec::new(), lacks };
            }
        }
    }
    Patch { bytes, lacks }
}

/// The permissions as git keeps them: whether the file can be run, and nothing else. `None`: for git they stay as they are.
fn known_to_git(mode: ModeChange, lacks: &mut Vec<String>) -> Option<ModeChange> {
    const KNOWN: &str = "git knows no permissions but 644 and 755";
    let from = mode.from.as_deref().map(git_mode);
    let to = git_mode(&mode.to);
    match mode.from {
        Some(before) if from == Some(to) => {
            lacks.push(format!("{KNOWN}, so {before} → {} is left out", mode.to));
            return None;
        }
        _ if to != mode.to => lacks.push(format!("{KNOWN}, so {} is written as {to}", mode.to)),
        _ => {}
    }
    Some(ModeChange { from: from.map(str::to_owned), to: to.to_owned() })
}

/// Of permission bits in octal digits, what git makes of them.
fn git_mode(digits: &str) -> &'static str {
    let bits = u32::from_str_radix(digits, 8).unwrap_or_default();
    if bits & 0o100 == 0 { "644" } else { "755" }
}

#[cfg(test)]
mod tests {
    use copydesk_protocol::{Hunk, Position, Range};

    use super::*;

    /// `buffer` as it stands in the file, with one hunk.
    fn file(range: [u32; 4], removed: &str, added: &str) -> File {
        let [a, b, c, d] = range;
        let at = |line, character| Position { line, character };
        let hunk = Hunk {
            id: "h".into(),
            revision: 1,
            index: 1,
            count: 1,
            range: Range { start: at(a, b), end: at(c, d) },
            removed: removed.into(),
            added: added.into(),
            inline: vec![],
            state: HunkState::Pending,
            undone: false,
            hidden_characters: false,
            moved: None,
            reason: String::new(),
            session_id: "s".into(),
            agent: None,
        };
        File {
            uri: "file:///w/f".into(),
            version: None,
            kind: FileKind::Modify,
            new_uri: None,
            binary: false,
            size: None,
            mode: None,
            conflicted: false,
            disk_differs: false,
            must_ask: None,
            held_back: None,
            session_id: "s".into(),
            hunks: vec![hunk],
        }
    }

    const NAMES: Names = Names { old: "f", new: "f" };

    /// What git makes of the file's bytes with the patch.
    #[track_caller]
    fn check(before: &[u8], file: &File, texts: [&str; 2], wanted: &[u8]) {
        let patch = patch(file, NAMES, texts.map(Some), Some(before));
        assert_eq!(patch.lacks, Vec::<String>::new());
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("f"), before).unwrap();
        std::fs::write(folder.path().join("diff"), &patch.bytes).unwrap();
        let applied = std::process::Command::new("git")
            .args(["apply", "--whitespace=nowarn", "diff"])
            .current_dir(folder.path())
            .output()
            .unwrap();
        let shown = String::from_utf8_lossy(&patch.bytes);
        assert!(applied.status.success(), "{}\n{shown}", String::from_utf8_lossy(&applied.stderr));
        assert_eq!(std::fs::read(folder.path().join("f")).unwrap(), wanted, "{shown}");
    }

    #[test]
    fn git_makes_of_the_files_own_bytes_what_was_proposed() {
        let first = || file([0, 0, 1, 0], "a\n", "A\n");
        check(b"\xef\xbb\xbfa\nb\n", &first(), ["a\nb\n", "A\nb\n"], b"\xef\xbb\xbfA\nb\n");
        let above = file([0, 0, 0, 0], "", "new\n");
        check(b"\xef\xbb\xbfa\n", &above, ["a\n", "new\na\n"], b"\xef\xbb\xbfnew\na\n");
        let second = file([1, 0, 2, 0], "b\n", "B\n");
        check(b"\xef\xbb\xbfa\nb\n", &second, ["a\nb\n", "a\nB\n"], b"\xef\xbb\xbfa\nB\n");
        let windows = file([0, 0, 1, 0], "a\r\n", "A\r\n");
        check(b"a\r\nb\r\n", &windows, ["a\r\nb\r\n", "A\r\nb\r\n"], b"A\r\nb\r\n");
        let both = file([0, 0, 1, 0], "a\r\n", "A\r\n");
        check(b"\xef\xbb\xbfa\r\nb", &both, ["a\r\nb", "A\r\nb"], b"\xef\xbb\xbfA\r\nb");
        let old_mac = file([1, 0, 2, 0], "b\r", "B\r");
        check(b"a\rb\rc\r", &old_mac, ["a\rb\rc\r", "a\rB\rc\r"], b"a\rB\rc\r");
        let latin = "gr\u{fc}n und wei\u{df} sind sch\u{f6}ne Farben f\u{fc}r H\u{e4}user\na\n";
        let bytes: Vec<u8> = latin.chars().map(|c| c as u8).collect();
        let wanted = [&bytes[..bytes.len() - 2], b"\xfc\n"].concat();
        let last = file([1, 0, 2, 0], "a\n", "\u{fc}\n");
        check(&bytes, &last, [latin, &latin.replace("\na\n", "\n\u{fc}\n")], &wanted);
    }

    #[test]
    fn what_no_patch_can_hold_is_told() {
        let changed = file([0, 0, 1, 0], "a\n", "A\n");
        let of = |file: &File, bytes: &[u8]| patch(file, NAMES, [Some("a\n"), Some("A\n")], Some(bytes));
        let utf16 = of(&changed, b"\xff\xfea\0\n\0");
        assert!(utf16.bytes.is_empty() && utf16.lacks[0].contains("UTF-16"), "{utf16:?}");
        let mut conflicted = changed.clone();
        conflicted.hunks[0].state = HunkState::Conflicted;
        let left_out = of(&conflicted, b"a\n");
        assert_eq!((left_out.bytes, left_out.lacks.len()), (Vec::new(), 1));
        let binary = File { binary: true, hunks: vec![], ..changed };
        let named = patch(&binary, NAMES, [None, None], Some(b"\0"));
        assert_eq!((named.bytes, named.lacks.len()), (Vec::new(), 1));
    }

    /// The patch of permissions that change, and how many lines say what it lacks; git takes what there is of it.
    #[track_caller]
    fn check_mode(file: &File, [from, to]: [&str; 2], header: &str, lacks: usize) {
        let mode = Some(ModeChange { from: Some(from.to_owned()), to: to.to_owned() });
        let file = File { mode, hunks: vec![], ..file.clone() };
        let (texts, bytes) = if file.binary { (None, &b"\0"[..]) } else { (Some("a\n"), &b"a\n"[..]) };
        let patch = patch(&file, NAMES, [texts, texts], Some(bytes));
        assert_eq!(String::from_utf8(patch.bytes.clone()).unwrap(), header, "{from} {to}");
        assert_eq!(patch.lacks.len(), lacks, "{:?}", patch.lacks);
        if patch.bytes.is_empty() {
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("f"), bytes).unwrap();
        std::fs::write(folder.path().join("diff"), &patch.bytes).unwrap();
        let git =
            std::process::Command::new("git").args(["apply", "diff"]).current_dir(folder.path()).output();
        let git = git.unwrap();
        assert!(git.status.success(), "{}", String::from_utf8_lossy(&git.stderr));
    }

    #[test]
    fn permissions_are_what_git_knows_of_them() {
        let text = file([0, 0, 1, 0], "a\n", "A\n");
        let runs = "diff --git a/f b/f\nold mode 100644\nnew mode 100755\n";
        check_mode(&text, ["644", "755"], runs, 0);
        check_mode(&text, ["640", "700"], runs, 1);
        check_mode(&text, ["644", "600"], "", 1);
        check_mode(&text, ["644", "664"], "", 1);
        check_mode(&File { binary: true, ..text.clone() }, ["644", "755"], runs, 1);
        check_mode(&File { binary: true, ..text }, ["644", "600"], "", 2);
    }
}
