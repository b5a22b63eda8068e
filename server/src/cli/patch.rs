//! A file's changes as a patch that `git apply` takes: in the bytes that the file has on disk.

use copydesk_protocol::{File, HunkState};

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
    if file.binary {
        // In git's words, and without the header that would make a patch of it which git refuses.
        let line = whole_file(file, names, None, None).pop().map(|line| line.text + "\n");
        let lacks = vec!["no patch can hold its bytes, so it is only named".to_owned()];
        return Patch { bytes: line.unwrap_or_default().into_bytes(), lacks };
    }
    let mut lacks = Vec::new();
    let mut file = file.clone();
    let conflicts = file.hunks.iter().filter(|hunk| hunk.state == HunkState::Conflicted).count();
    if conflicts > 0 {
        file.hunks.retain(|hunk| hunk.state != HunkState::Conflicted);
        lacks.push(format!("what you changed too is left out ({conflicts})"));
        if file.hunks.is_empty() {
            return Patch { lacks, ..Patch::default() };
        }
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

#[cfg(test)]
mod tests {
    use copydesk_protocol::{FileKind, Hunk, Position, Range};

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
        let text = String::from_utf8(named.bytes).unwrap();
        assert_eq!(text, "Binary files a/f and b/f differ\n");
        assert_eq!(named.lacks.len(), 1);
    }
}
