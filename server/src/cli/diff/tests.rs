use copydesk_protocol::{Position, Range};

use super::*;

/// A hunk that puts `added` in the place of `removed` lines from line `start` on.
fn hunk(start: u32, removed: &str, added: &str) -> Hunk {
    let last = removed.rsplit('\n').next().unwrap().len() as u32;
    let end = Position { line: start + removed.matches('\n').count() as u32, character: last };
    hunk_at(Range { start: Position { line: start, character: 0 }, end }, removed, added)
}

fn hunk_at(range: Range, removed: &str, added: &str) -> Hunk {
    Hunk {
        id: "h".into(),
        revision: 1,
        index: 1,
        count: 1,
        range,
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
    }
}

fn file(kind: FileKind, hunks: Vec<Hunk>) -> File {
    File {
        uri: "file:///w/f".into(),
        version: None,
        kind,
        new_uri: None,
        binary: false,
        size: None,
        mode: None,
        conflicted: false,
        disk_differs: false,
        must_ask: None,
        held_back: None,
        session_id: "s".into(),
        hunks,
    }
}

fn text(diff: &[DiffLine]) -> String {
    diff.iter().flat_map(|line| [line.text.as_str(), "\n"]).collect()
}

/// The diff, and that `git apply` makes `draft` of `buffer` with it.
#[track_caller]
fn check(buffer: &str, hunks: Vec<Hunk>, draft: &str, want: &str) {
    let names = Names { old: "f", new: "f" };
    let diff = text(&whole_file(&file(FileKind::Modify, hunks), names, Some(buffer), Some(draft)));
    let body = diff.split_once("+++ b/f\n").unwrap().1;
    assert_eq!(body, want);
    assert_eq!(git_applied(Some(buffer), &diff).as_deref(), Some(draft));
}

/// What git makes of it.
fn git_applied(buffer: Option<&str>, diff: &str) -> Option<String> {
    let folder = tempfile::tempdir().unwrap();
    if let Some(buffer) = buffer {
        std::fs::write(folder.path().join("f"), buffer).unwrap();
    }
    std::fs::write(folder.path().join("diff"), diff).unwrap();
    let applied = std::process::Command::new("git")
        .args(["apply", "--whitespace=nowarn", "diff"])
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert!(applied.status.success(), "{}\n{diff}", String::from_utf8_lossy(&applied.stderr));
    std::fs::read_to_string(folder.path().join("f")).ok()
}

#[test]
fn a_file_outside_of_the_folder_has_one_slash_before_its_path() {
    let names = Names { old: "/lib/f", new: "/lib/f" };
    let changed = file(FileKind::Modify, vec![hunk(0, "a\n", "b\n")]);
    let diff = text(&whole_file(&changed, names, Some("a\n"), Some("b\n")));
    assert!(diff.starts_with("diff --git a/lib/f b/lib/f\n--- a/lib/f\n+++ b/lib/f\n@@"), "{diff}");
}

const TEN: &str = "0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n";

#[test]
fn a_change_has_three_lines_around_it() {
    check(
        TEN,
        vec![hunk(4, "4\n", "four\n")],
        "0\n1\n2\n3\nfour\n5\n6\n7\n8\n9\n",
        "@@ -2,7 +2,7 @@\n 1\n 2\n 3\n-4\n+four\n 5\n 6\n 7\n",
    );
}

#[test]
fn near_changes_share_their_context_and_far_ones_count_on() {
    check(
        TEN,
        vec![hunk(1, "", "half\n"), hunk(3, "3\n", "")],
        "0\nhalf\n1\n2\n4\n5\n6\n7\n8\n9\n",
        "@@ -1,7 +1,7 @@\n 0\n+half\n 1\n 2\n-3\n 4\n 5\n 6\n",
    );
    check(
        TEN,
        vec![hunk(0, "", "a\nb\n"), hunk(9, "9\n", "nine\n")],
        "a\nb\n0\n1\n2\n3\n4\n5\n6\n7\n8\nnine\n",
        "@@ -1,3 +1,5 @@\n+a\n+b\n 0\n 1\n 2\n@@ -7,4 +9,4 @@\n 6\n 7\n 8\n-9\n+nine\n",
    );
}

#[test]
fn the_end_without_a_line_break_is_marked() {
    let marked = "\\ No newline at end of file\n";
    check("a\nb", vec![hunk(1, "b", "B")], "a\nB", &format!("@@ -1,2 +1,2 @@\n a\n-b\n{marked}+B\n{marked}"));
    check("a\nb", vec![hunk(0, "a\n", "A\n")], "A\nb", &format!("@@ -1,2 +1,2 @@\n-a\n+A\n b\n{marked}"));
    let at = |line, character| Position { line, character };
    let appended = hunk_at(Range { start: at(1, 1), end: at(1, 1) }, "", "\nc");
    let want = format!("@@ -1,2 +1,3 @@\n a\n-b\n{marked}+b\n+c\n{marked}");
    check("a\nb", vec![appended], "a\nb\nc", &want);
    let gone = hunk_at(Range { start: at(0, 1), end: at(1, 1) }, "\nb", "");
    check("a\nb", vec![gone], "a", &format!("@@ -1,2 +1 @@\n-a\n-b\n{marked}+a\n{marked}"));
}

#[test]
fn carriage_returns_stay_for_programs() {
    check("a\r\nb\r\n", vec![hunk(0, "a\r\n", "A\r\n")], "A\r\nb\r\n", "@@ -1,2 +1,2 @@\n-a\r\n+A\r\n b\r\n");
}

#[test]
fn whole_files_come_and_go_and_move() {
    let names = Names { old: "f", new: "f" };
    let created = text(&whole_file(&file(FileKind::Create, vec![]), names, None, Some("a\n")));
    assert!(created.ends_with("--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+a\n"), "{created}");
    assert_eq!(git_applied(None, &created).as_deref(), Some("a\n"));
    let deleted = text(&whole_file(&file(FileKind::Delete, vec![]), names, Some("a\n"), None));
    assert_eq!(git_applied(Some("a\n"), &deleted), None);
    let moved =
        whole_file(&file(FileKind::Rename, vec![]), Names { old: "f", new: "g" }, Some("a\n"), Some("a\n"));
    assert_eq!(text(&moved), "diff --git a/f b/g\nrename from f\nrename to g\n");
}

#[test]
fn permissions_and_bytes_are_told_as_git_does() {
    let names = Names { old: "f", new: "f" };
    let mode = |from: Option<&str>| Some(ModeChange { from: from.map(str::to_owned), to: "755".to_owned() });
    let changed = File { mode: mode(Some("644")), ..file(FileKind::Modify, vec![]) };
    let diff = text(&whole_file(&changed, names, Some("a\n"), Some("a\n")));
    assert_eq!(diff, "diff --git a/f b/f\nold mode 100644\nnew mode 100755\n");
    let both = File { hunks: vec![hunk(0, "a\n", "b\n")], ..changed };
    let diff = text(&whole_file(&both, names, Some("a\n"), Some("b\n")));
    assert!(diff.contains("new mode 100755\n--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n"), "{diff}");
    assert_eq!(git_applied(Some("a\n"), &diff).as_deref(), Some("b\n"));
    let made = File { mode: mode(None), ..file(FileKind::Create, vec![]) };
    let diff = text(&whole_file(&made, names, None, Some("a\n")));
    assert!(diff.contains("new file mode 100755\n--- /dev/null\n"), "{diff}");
    let binary = |kind| File { binary: true, ..file(kind, vec![]) };
    for (kind, want) in [
        (FileKind::Modify, "Binary files a/f and b/f differ\n"),
        (FileKind::Create, "new file mode 100644\nBinary files /dev/null and b/f differ\n"),
        (FileKind::Delete, "deleted file mode 100644\nBinary files a/f and /dev/null differ\n"),
    ] {
        let diff = text(&whole_file(&binary(kind), names, None, None));
        assert_eq!(diff, format!("diff --git a/f b/f\n{want}"));
    }
}

#[test]
fn a_conflict_is_marked() {
    let mut conflicted = hunk(0, "a\n", "A\n");
    conflicted.state = HunkState::Conflicted;
    let shown = text(&one_hunk(&conflicted, Some("a\n")));
    assert_eq!(shown, "@@ -1 +1 @@\n\\ conflict: you changed these lines too\n-a\n+A\n");
}

#[test]
fn an_empty_file_comes_and_goes_with_a_header_alone() {
    let names = Names { old: "f", new: "f" };
    for hunks in [vec![], vec![hunk(0, "", "")]] {
        let created = text(&whole_file(&file(FileKind::Create, hunks.clone()), names, None, Some("")));
        assert_eq!(created, "diff --git a/f b/f\nnew file mode 100644\nindex 0000000..e69de29\n");
        assert_eq!(git_applied(None, &created).as_deref(), Some(""));
        let deleted = text(&whole_file(&file(FileKind::Delete, hunks), names, Some(""), None));
        assert_eq!(deleted, "diff --git a/f b/f\ndeleted file mode 100644\nindex e69de29..0000000\n");
        assert_eq!(git_applied(Some(""), &deleted), None);
    }
}

#[test]
fn names_are_quoted_as_git_does() {
    for (name, want) in [
        ("a b", "a b"),
        ("größe", "größe"),
        ("new\nline", r#""new\nline""#),
        ("tab\there", r#""tab\there""#),
        (r#"say "x""#, r#""say \"x\"""#),
        ("back\\slash", r#""back\\slash""#),
        ("\u{1}\u{7f}", r#""\001\177""#),
    ] {
        assert_eq!(in_a_line(name), want);
        let created =
            whole_file(&file(FileKind::Create, vec![]), Names { old: name, new: name }, None, Some("a\n"));
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("diff"), text(&created)).unwrap();
        let git =
            std::process::Command::new("git").args(["apply", "diff"]).current_dir(folder.path()).output();
        let git = git.unwrap();
        assert!(git.status.success(), "{name:?}: {}", String::from_utf8_lossy(&git.stderr));
        assert_eq!(std::fs::read_to_string(folder.path().join(name)).unwrap(), "a\n", "{name:?}");
    }
}
