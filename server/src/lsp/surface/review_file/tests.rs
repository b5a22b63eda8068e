use insta::assert_snapshot;

use super::super::sample::{file, hunk, path, scene, scene_of};
use super::*;
use crate::review::{FileKind, FileReview, HunkView};

fn draw(scene: &super::super::Scene) -> ReviewFile {
    render(&scene.review, &scene.workspace, path(".copydesk/review/s_1-1.diff"))
}

#[test]
fn hunks_have_their_number_and_summary_behind_the_header() {
    assert_snapshot!(draw(&scene()).text(), @r"
    --- a/src/store.rs
    +++ b/src/store.rs
    @@ -6,7 +6,7 @@ hunk 1/4: rename load to open
     
     impl Store {
         /// Reads the store.
    -    pub fn load(path: &Path) -> io::Result<Store> {
    +    pub fn open(path: impl AsRef<Path>) -> io::Result<Store> {
             let text = fs::read_to_string(path)?;
             parse(text)
         }
    @@ -13,10 +13,6 @@ hunk 2/4: use map instead of the match
     
         pub fn get(&self, key: &str) -> Option<&str> {
    -        let found = self.entries.get(key);
    -        match found {
    -            Some(value) => Some(value.as_str()),
    -            None => None,
    -        }
    +        self.entries.get(key).map(String::as_str)
         }
     
         pub fn len(&self) -> usize {
    @@ -23,3 +19,7 @@ hunk 3/4: add is_empty
             self.entries.len()
         }
    +
    +    pub fn is_empty(&self) -> bool {
    +        self.len() == 0
    +    }
     }
    --- a/src/util.rs
    +++ b/src/util.rs
    @@ -1,3 +1,3 @@ hunk 4/4: follow the rename
     fn main() {
    -    Store::load(path);
    +    Store::open(path);
     }
    ");
}

#[test]
fn a_file_outside_of_the_folder_has_one_slash_before_its_path() {
    let outside = file("/lib/a.txt", "x\n", vec![hunk("x\n", 0..1, "y\n", "")]);
    let drawn = draw(&scene_of(vec![outside])).text().to_string();
    assert!(drawn.starts_with("--- a/lib/a.txt\n+++ b/lib/a.txt\n@@"), "{drawn}");
}

#[test]
fn files_that_come_go_or_are_renamed_look_as_in_git() {
    let new = FileReview {
        kind: FileKind::Create,
        buffer: None,
        ..file("new.txt", "", vec![hunk("", 0..0, "one\ntwo", "add it")])
    };
    let gone = FileReview {
        kind: FileKind::Delete,
        draft: None,
        ..file("old.txt", "a\n", vec![hunk("a\n", 0..1, "", "nobody reads it")])
    };
    let renamed = FileReview {
        kind: FileKind::Rename { to: path("b.txt") },
        ..file("a.txt", "x\n", vec![hunk("x\n", 0..1, "y\n", "")])
    };
    let moved = FileReview { kind: FileKind::Rename { to: path("d.txt") }, ..file("c.txt", "", Vec::new()) };
    assert_snapshot!(draw(&scene_of(vec![new, gone, renamed, moved])).text(), @r"
    diff --git a/new.txt b/new.txt
    new file mode 100644
    --- /dev/null
    +++ b/new.txt
    @@ -0,0 +1,2 @@ hunk 1/4: add it
    +one
    +two
    \ No newline at end of file
    diff --git a/old.txt b/old.txt
    deleted file mode 100644
    --- a/old.txt
    +++ /dev/null
    @@ -1,1 +0,0 @@ hunk 2/4: nobody reads it
    -a
    diff --git a/a.txt b/b.txt
    rename from a.txt
    rename to b.txt
    --- a/a.txt
    +++ b/b.txt
    @@ -1,1 +1,1 @@ hunk 3/4: change 1 line
    -x
    +y
    diff --git a/c.txt b/d.txt
    rename from c.txt
    rename to d.txt
    ");
}

#[test]
fn what_is_hidden_is_said_in_the_header_and_git_makes_the_files_of_it() {
    let new = FileReview {
        kind: FileKind::Create,
        buffer: None,
        ..file("ev\u{202e}il ö.py", "", vec![hunk("", 0..0, "one\u{200b}\n", "add it")])
    };
    let changed = file("a.txt", "a\n", vec![hunk("a\n", 0..1, "b\u{200b}\n", "")]);
    let renamed =
        FileReview { kind: FileKind::Rename { to: path("d\u{ad}.txt") }, ..file("c.txt", "", Vec::new()) };
    let text = draw(&scene_of(vec![new, changed, renamed])).text().to_string();
    for wanted in [
        r#"diff --git "a/ev\342\200\256il ö.py" "b/ev\342\200\256il ö.py""#,
        r#"+++ "b/ev\342\200\256il ö.py""#,
        "@@ -0,0 +1,1 @@ hunk 1/3: add it (adds characters that can't be seen)",
        "@@ -1,1 +1,1 @@ hunk 2/3: change 1 line (adds characters that can't be seen)",
        "+b\u{200b}",
        r#"rename to "d\302\255.txt""#,
    ] {
        assert!(text.lines().any(|line| line == wanted), "{wanted}\n{text}");
    }
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    for (name, content) in [("a.txt", "a\n"), ("c.txt", "c\n"), ("review.diff", &text)] {
        std::fs::write(at(name), content).expect("written");
    }
    let applied =
        std::process::Command::new("git").args(["apply", "review.diff"]).current_dir(folder.path()).output();
    let applied = applied.expect("git");
    assert!(applied.status.success(), "{}\n{text}", String::from_utf8_lossy(&applied.stderr));
    let read = |name: &str| std::fs::read_to_string(at(name)).expect("readable");
    assert_eq!(read("ev\u{202e}il ö.py"), "one\u{200b}\n");
    assert_eq!((read("a.txt"), read("d\u{ad}.txt")), ("b\u{200b}\n".to_owned(), "c\n".to_owned()));
}

#[test]
fn a_missing_last_newline_is_marked() {
    let shown = draw(&scene_of(vec![file("a.txt", "a\nb", vec![hunk("a\nb", 1..2, "c\n", "")])]));
    assert_snapshot!(shown.text(), @r"
    --- a/a.txt
    +++ b/a.txt
    @@ -1,2 +1,2 @@ hunk 1/1: change 1 line
     a
    -b
    \ No newline at end of file
    +c
    ");
}

#[test]
fn close_hunks_share_the_lines_between_them() {
    let text = "1\n2\n3\n4\n5\n6\n";
    let hunks =
        vec![hunk(text, 0..1, "one\n", ""), hunk(text, 4..5, "five\n", ""), hunk(text, 5..6, "six\n", "")];
    assert_snapshot!(draw(&scene_of(vec![file("a.txt", text, hunks)])).text(), @r"
    --- a/a.txt
    +++ b/a.txt
    @@ -1,3 +1,3 @@ hunk 1/3: change 1 line
    -1
    +one
     2
     3
    @@ -4,2 +4,2 @@ hunk 2/3: change 1 line
     4
    -5
    +five
    @@ -6,1 +6,1 @@ hunk 3/3: change 1 line
    -6
    +six
    ");
}

#[test]
fn every_line_knows_its_place_in_the_source() {
    let shown = draw(&scene());
    let text = shown.text().to_string();
    for (number, line) in text.lines().enumerate() {
        let Some(context) = line.strip_prefix(' ') else { continue };
        let (source, at) = shown.source_of(number).expect("a place");
        let buffer =
            scene().review.files.iter().find(|file| file.path == source).and_then(|file| file.buffer.clone());
        assert_eq!(buffer.expect("a text").line(at).trim_end(), context.trim_end());
    }
    assert_eq!(shown.source_of(0), None);
}

#[test]
fn the_cursor_is_put_on_the_hunk_at_or_after_a_line() {
    let shown = draw(&scene());
    let headers: Vec<usize> = shown.hunks().map(|hunk| hunk.header).collect();
    let store = path("src/store.rs");
    assert_eq!(shown.line_for(&store, 0), Some(headers[0]));
    assert_eq!(shown.line_for(&store, 16), Some(headers[1]));
    assert_eq!(shown.line_for(&store, 99), Some(headers[2]));
    assert_eq!(shown.line_for(&path("src/util.rs"), 1), Some(headers[3]));
    assert_eq!(shown.line_for(&path("other.rs"), 1), None);
}

#[test]
fn a_review_is_written_once_and_never_over_an_older_one() {
    let root = tempfile::tempdir().expect("a folder");
    let root = camino::Utf8Path::from_path(root.path()).expect("UTF-8");
    let workspace = crate::documents::Workspace::new(vec![AbsPath::new(root).expect("absolute")], false);
    let scene = scene();
    let files = ReviewFiles::default();
    let first = files.show(&scene.review, &workspace).expect("written");
    let again = files.show(&scene.review, &workspace).expect("written");
    assert_eq!(first.path(), again.path());
    let fewer = ReviewView { files: scene.review.files[..1].to_vec(), revision: 2 };
    let second = files.show(&fewer, &workspace).expect("written");
    let after_restart = ReviewFiles::default().show(&fewer, &workspace).expect("written");
    let another = ReviewFiles::default().show(&fewer, &workspace).expect("written");
    let names = [&first, &second, &after_restart, &another].map(|file| file.path().file_name().to_owned());
    let name = |number, of: &ReviewFile| left_over::name("s_1", number, &of.text().to_string());
    assert_eq!(names, [name(1, &first), name(2, &second), name(1, &second), name(3, &second)]);
    assert_eq!(std::fs::read_to_string(first.path().as_path()).expect("readable"), first.text().to_string());
    assert_eq!(std::fs::read_to_string(root.join(".copydesk/.gitignore")).expect("readable"), "*\n");
}

#[test]
fn a_hunk_that_is_back_on_the_table_is_pending_again() {
    let scene = scene();
    let shown = draw(&scene);
    let hunk: &ShownHunk = shown.hunks().next().expect("a hunk");
    shown.decided(hunk.id.as_ref().expect("a name"), Fate::Accepted);
    assert_eq!(shown.fate(hunk, &scene.review), Fate::Pending);
    assert_eq!(shown.fate(hunk, &ReviewView::default()), Fate::Accepted);
    let conflict = |hunk: &HunkView| HunkView { state: HunkState::Conflicted, ..hunk.clone() };
    let mut file = (*scene.review.files[0]).clone();
    file.hunks = std::sync::Arc::new(file.hunks.iter().map(conflict).collect());
    let review = ReviewView { files: vec![std::sync::Arc::new(file)], revision: 3 };
    assert_eq!(shown.fate(hunk, &review), Fate::Conflicted);
}
