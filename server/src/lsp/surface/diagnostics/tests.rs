use insta::assert_snapshot;

use super::super::sample::{STORE, document, draw, file, hunk, open, path, reason, scene, scene_of, styled};
use super::super::{OpenQuestion, render};
use super::*;
use crate::permissions::{PermissionOption, PermissionOptionKind, PermissionRequest};
use crate::review::{FileKind, FileReview, HunkState, HunkView, ReviewView};

fn one_hunk(hunk: HunkView) -> String {
    let file = FileReview { buffer: Some(Text::from(STORE)), ..file("src/store.rs", STORE, vec![hunk]) };
    draw(&scene_of(vec![open(file)]), &[])
}

#[test]
fn plain_is_information_over_all_replaced_lines() {
    assert_snapshot!(draw(&scene(), &[]), @r#"
    src/store.rs
    ● 9:0-9:51 Information "1/4" faded
      │rename load to open│
      │- pub fn load(path: &Path) -> io::Result<Store> {│
      │+ pub fn open(path: impl AsRef<Path>) -> io::Result<Store> {│
    ● 15:0-19:9 Information "2/4" faded
      │use map instead of the match│
      │- let found = self.entries.get(key);│
      │- match found {│
      │-     Some(value) => Some(value.as_str()),│
      │-     None => None,│
      │- }│
      │+ self.entries.get(key).map(String::as_str)│
    ● 24:0-24:5 Information "3/4"
      │add is_empty│
      │+│
      │+ pub fn is_empty(&self) -> bool {│
      │+     self.len() == 0│
      │+ }│
    src/util.rs
    ● 2:0-2:22 Information "4/4" faded
      │follow the rename│
      │- Store::load(path);│
      │+ Store::open(path);│
    "#);
}

#[test]
fn the_padded_box_has_lines_of_one_length() {
    assert_snapshot!(draw(&styled(scene(), DiagnosticStyle::PaddedBox), &[]), @r#"
    src/store.rs
    ● 9:0-9:51 Warning "1/4" faded
      │rename load to open·········································│
      │- pub fn load(path: &Path) -> io::Result<Store> {···········│
      │+ pub fn open(path: impl AsRef<Path>) -> io::Result<Store> {│
    ● 15:0-19:9 Warning "2/4" faded
      │use map instead of the match···············│
      │- let found = self.entries.get(key);·······│
      │- match found {····························│
      │-     Some(value) => Some(value.as_str()),·│
      │-     None => None,························│
      │- }········································│
      │+ self.entries.get(key).map(String::as_str)│
    ● 24:0-24:5 Warning "3/4"
      │add is_empty······················│
      │+·································│
      │+ pub fn is_empty(&self) -> bool {│
      │+     self.len() == 0·············│
      │+ }·······························│
    src/util.rs
    ● 2:0-2:22 Warning "4/4" faded
      │follow the rename···│
      │- Store::load(path);│
      │+ Store::open(path);│
    "#);
}

#[test]
fn the_block_below_hangs_on_the_first_line() {
    assert_snapshot!(draw(&styled(scene(), DiagnosticStyle::FirstLine), &[]), @r#"
    src/store.rs
    ● 9:0-9:51 Warning "1/4" faded
      │rename load to open│
      │- pub fn load(path: &Path) -> io::Result<Store> {│
      │+ pub fn open(path: impl AsRef<Path>) -> io::Result<Store> {│
    ● 15:0-15:42 Warning "2/4" faded
      │use map instead of the match│
      │- let found = self.entries.get(key);│
      │- match found {│
      │-     Some(value) => Some(value.as_str()),│
      │-     None => None,│
      │- }│
      │+ self.entries.get(key).map(String::as_str)│
    ● 24:0-24:5 Warning "3/4"
      │add is_empty│
      │+│
      │+ pub fn is_empty(&self) -> bool {│
      │+     self.len() == 0│
      │+ }│
    src/util.rs
    ● 2:0-2:22 Warning "4/4" faded
      │follow the rename│
      │- Store::load(path);│
      │+ Store::open(path);│
    "#);
}

#[test]
fn a_long_hunk_is_cut_to_twelve_lines() {
    let lines: Vec<_> = (0..26).map(|line| format!("\tlet line_{line} = {line};\n")).collect();
    let added = lines.concat();
    assert_snapshot!(one_hunk(hunk(STORE, 6..16, &added, "follow the rename")), @r#"
    src/store.rs
    ● 7:0-16:21 Information "1/1" faded
      │follow the rename│
      │- impl Store {│
      │-     /// Reads the store.│
      │-     pub fn load(path: &Path) -> io::Result<Store> {│
      │-         let text = fs::read_to_string(path)?;│
      │-         parse(text)│
      │+     let line_0 = 0;│
      │+     let line_1 = 1;│
      │+     let line_2 = 2;│
      │+     let line_3 = 3;│
      │+     let line_4 = 4;│
      │+     let line_5 = 5;│
      │… 25 more lines: hover, or Show diff│
    "#);
}

#[test]
fn a_long_line_is_cut_at_seventy_columns() {
    let long = format!("    let long = \"{}\";\n    let wide = \"{}\";\n", "x".repeat(80), "日本".repeat(40));
    assert_snapshot!(one_hunk(hunk(STORE, 9..10, &long, &"words ".repeat(20))), @r#"
    src/store.rs
    ● 10:0-10:45 Information "1/1" faded
      │words words words words words words words words words words words wor…│
      │-     let text = fs::read_to_string(path)?;│
      │+ let long = "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…│
      │+ let wide = "日本日本日本日本日本日本日本日本日本日本日本日本日本日…│
    "#);
}

#[test]
fn blank_lines_and_dashes_stay_readable() {
    assert_snapshot!(one_hunk(hunk("- item\n\n- other\n", 0..2, "- thing\n", "")), @r#"
    src/store.rs
    ● 1:0-2:0 Information "1/1" faded
      │replace 2 lines by 1│
      │- - item│
      │-│
      │+ - thing│
    "#);
}

#[test]
fn a_conflict_shows_both_sides() {
    let conflicted = HunkView {
        state: HunkState::Conflicted,
        ..hunk(STORE, 10..11, "        parse(&text)\n", "borrow the text")
    };
    assert_snapshot!(one_hunk(conflicted), @r#"
    src/store.rs
    ● 11:0-11:19 Warning "1/1" faded
      │conflict: borrow the text│
      │- parse(text)│
      │+ parse(&text)│
      │! you changed these lines too: - yours, + the agent's│
    "#);
}

#[test]
fn what_can_not_be_seen_is_named() {
    let sly = hunk(STORE, 10..11, "        parse(text) // \u{202e}ko si\n", "parse\u{200b} it");
    assert_snapshot!(one_hunk(sly), @r#"
    src/store.rs
    ● 11:0-11:19 Information "1/1" faded
      │parse\u{200b} it│
      │- parse(text)│
      │+ parse(text) // \u{202e}ko si│
      │! adds hidden characters: U+202E│
    "#);
}

#[test]
fn a_hunk_that_was_taken_back_says_so() {
    let undone =
        HunkView { undone: true, ..hunk(STORE, 10..11, "        parse(&text)\n", "borrow the text") };
    assert_snapshot!(one_hunk(undone), @r#"
    src/store.rs
    ● 11:0-11:19 Information "1/1" faded
      │taken back: borrow the text│
      │- parse(text)│
      │+ parse(&text)│
    "#);
}

#[test]
fn only_line_ends_or_the_last_newline() {
    let ends = HunkView {
        line_ends_only: true,
        reasons: [].into(),
        ..hunk(STORE, 0..2, "use std::fs;\r\n\r\n", "")
    };
    assert_snapshot!(one_hunk(ends), @r#"
    src/store.rs
    ● 1:0-2:0 Information "1/1" faded
      │change only the line ends│
      │(only the line ends differ)│
    "#);
    let newline = hunk("a", 0..1, "a\n", "end the file with a newline");
    assert_snapshot!(one_hunk(newline), @r#"
    src/store.rs
    ● 1:0-1:12 Information "1/1" faded
      │end the file with a newline│
      │(only the newline at the end of the file differs)│
    "#);
}

#[test]
fn columns_are_counted_as_negotiated() {
    let text = "let größe = \"🦀\";\n";
    let scene = scene_of(vec![open(file("a.rs", text, vec![hunk(text, 0..1, "", "")]))]);
    for (encoding, end) in
        [(PositionEncoding::Utf8, 21), (PositionEncoding::Utf16, 17), (PositionEncoding::Utf32, 16)]
    {
        let features = EditorFeatures { position_encoding: encoding, ..scene.features.clone() };
        let drawn = diagnostics(&Scene { features, ..scene.clone() }, &[]);
        let ends: Vec<u32> =
            drawn.values().flatten().map(|diagnostic| diagnostic.range.end.character).collect();
        assert_eq!(ends, [end]);
    }
}

#[test]
fn files_that_come_go_or_are_renamed() {
    let new = FileReview {
        kind: FileKind::Create,
        buffer: None,
        reasons: vec![reason("add a changelog")],
        ..file("CHANGES.md", "", vec![hunk("", 0..0, "# Changes\n", "add a changelog")])
    };
    let empty = FileReview { kind: FileKind::Create, buffer: None, ..file("empty.txt", "", Vec::new()) };
    let gone = FileReview {
        kind: FileKind::Delete,
        draft: None,
        ..file("old.rs", "fn old() {}\n", vec![hunk("fn old() {}\n", 0..1, "", "nobody calls it")])
    };
    let renamed = FileReview {
        kind: FileKind::Rename { to: path("src/b.rs") },
        ..file("src/a.rs", "fn a() {}\n", Vec::new())
    };
    assert_snapshot!(draw(&scene_of(vec![new, empty, gone, renamed]), &[]), @r#"
    CHANGES.md
    ● 1:0-1:0 Information "1/4"
      │add a changelog│
      │+ # Changes│
    empty.txt
    ● 1:0-1:0 Information "2/4"
      │create this file│
    old.rs
    ● 1:0-1:11 Information "3/4" faded
      │nobody calls it│
      │- fn old() {}│
    src/a.rs
    ● 1:0-1:9 Information "4/4"
      │rename to src/b.rs│
    "#);
}

#[test]
fn a_file_that_differs_on_disk_is_pointed_at() {
    let file = FileReview { disk_differs: true, ..file("src/store.rs", STORE, Vec::new()) };
    assert_snapshot!(draw(&scene_of(vec![open(file)]), &[]), @r"
    src/store.rs
    ● 1:0-1:12 Warning null
      │store.rs was changed on disk while it has unsaved text here.│
      │Save to keep yours, or reload to take the disk's; nothing is merged by itself.│
    ");
}

#[test]
fn a_question_nobody_answers_lies_over_the_open_files() {
    let request = PermissionRequest {
        rules: vec![],
        command: None,
        input: serde_json::Value::Null,
        id: "p_1".to_owned(),
        tool_use_id: crate::conversation::ToolUseId("toolu_1".to_owned()),
        tool: "Bash".to_owned(),
        title: "run `cargo test`".to_owned(),
        explanation: String::new(),
        options: vec![PermissionOption {
            id: "once".to_owned(),
            kind: PermissionOptionKind::AllowOnce,
            name: "Allow once".to_owned(),
        }],
        asks: Asks::Leave,
    };
    let mut scene = scene_of(Vec::new());
    let open = [document("a.rs", "rust", "fn a() {\n}\n"), document("b.rs", "rust", "")];
    scene.questions = vec![OpenQuestion { request: request.clone(), overdue: false }];
    assert_snapshot!(draw(&scene, &open), @"");
    let way = |id: &str, name: &str| PermissionOption {
        id: id.to_owned(),
        kind: PermissionOptionKind::AllowOnce,
        name: name.to_owned(),
    };
    let choice = PermissionRequest {
        title: "Way: Which way?".to_owned(),
        options: vec![way("1", "Left"), way("2", "Right")],
        asks: Asks::Choice,
        ..request.clone()
    };
    scene.questions = vec![OpenQuestion { request: choice, overdue: true }];
    assert_snapshot!(draw(&scene, &[document("a.rs", "rust", "fn a() {\n}\n")]), @r"
    a.rs
    ● 1:0-3:0 Hint null faded
      │Copydesk waits for you: Way: Which way?│
      │Answer with a code action: Left, Right│
    ");
    scene.questions = vec![OpenQuestion { request, overdue: true }];
    assert_snapshot!(draw(&scene, &open), @r"
    a.rs
    ● 1:0-3:0 Hint null faded
      │Copydesk waits for you: run `cargo test`?│
      │Answer with a code action: Allow once, Allow for this session, Always allow, Deny│
    b.rs
    ● 1:0-1:0 Hint null faded
      │Copydesk waits for you: run `cargo test`?│
      │Answer with a code action: Allow once, Allow for this session, Always allow, Deny│
    ");
}

#[test]
fn the_headers_of_a_review_file_say_what_became_of_each_hunk() {
    let mut scene = scene();
    let shown = render(&scene.review, &scene.workspace, path(".copydesk/review/s_1-1.diff"));
    let mut review = (*scene.review).clone();
    let mut store = (*review.files[0]).clone();
    let hunks = std::sync::Arc::make_mut(&mut store.hunks);
    let rejected = hunks.remove(1);
    hunks[0].state = HunkState::Conflicted;
    review.files = vec![std::sync::Arc::new(store)];
    shown.decided(&rejected.id, super::super::Fate::Rejected);
    scene.review = std::sync::Arc::new(ReviewView { files: review.files, revision: 2 });
    scene.review_files = vec![std::sync::Arc::new(shown)];
    assert_snapshot!(draw(&scene, &[]).split("src/").next().unwrap_or_default(), @r#"
    .copydesk/review/s_1-1.diff
    ● 3:0-3:45 Information "1/4"
      │conflict: rename load to open│
    ● 12:0-12:57 Hint "2/4"
      │rejected: use map instead of the match│
    ● 24:0-24:40 Information "3/4"
      │pending: add is_empty│
    ● 34:0-34:43 Hint "4/4"
      │settled: follow the rename│
    "#);
}

#[test]
fn what_is_typed_beside_the_hunks_is_drawn_again_only_where_it_shows() {
    let before = scene();
    let mut drawn_again = Vec::new();
    for line in 0..STORE.lines().count() {
        let mut store = (*before.review.files[0]).clone();
        if store.hunks.iter().any(|hunk| hunk.lines.contains(&line)) {
            continue;
        }
        let buffer = Text::from(STORE);
        let typed = crate::documents::Change {
            range: buffer.line_end(line)..buffer.line_end(line),
            text: "x".into(),
        };
        store.buffer = Some(buffer.with_edits(&[typed]));
        let mut after = scene();
        let files = vec![std::sync::Arc::new(store), before.review.files[1].clone()];
        after.review = std::sync::Arc::new(ReviewView { files, revision: 2 });
        let same = same_diagnostics(&after.review, &before.review, after.features.position_encoding);
        assert_eq!(same, draw(&after, &[]) == draw(&before, &[]), "typed in line {line}");
        if !same {
            drawn_again.push(line);
        }
    }
    assert_eq!(drawn_again, [23], "the line that the insertion is shown on");
}
