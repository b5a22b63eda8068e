//! Files with changes beside their text, bytes or permissions, on every surface.

use insta::assert_snapshot;
use tower_lsp::ls_types::CodeActionOrCommand;

use super::item::items;
use super::sample::{document, draw, file, hunk, open, path, reason, scene_of};
use super::{ActionRequest, Scene, code_actions, code_lenses, hover, render};
use crate::editor::{Position, Range};
use crate::review::{FileKind, FileReview, ModeChange, WholeBytes, WholeFile};

const RUN: &str = "echo run\necho more\n";

fn whole(bytes: Option<WholeBytes>, mode: Option<ModeChange>) -> WholeFile {
    WholeFile { bytes, mode, revision: 1, conflict: false }
}

const EXECUTABLE: Option<ModeChange> = Some(ModeChange { from: Some(0o644), to: 0o755 });

/// A binary file: neither side has a text.
fn binary(name: &str, kind: FileKind, bytes: WholeBytes) -> FileReview {
    FileReview {
        kind,
        buffer: None,
        draft: None,
        reasons: vec![reason("run `make icons`")],
        whole: Some(whole(Some(bytes), None)),
        ..file(name, "", Vec::new())
    }
}

/// An open script that becomes executable, with so many hunks beside that.
fn script(hunks: usize) -> FileReview {
    let all = [hunk(RUN, 0..1, "echo ran\n", "say it"), hunk(RUN, 1..2, "echo less\n", "say less")];
    let file = open(file("run.sh", RUN, all.into_iter().take(hunks).collect()));
    FileReview {
        whole: Some(whole(None, EXECUTABLE)),
        reasons: vec![reason("run `chmod +x run.sh`")],
        ..file
    }
}

fn binaries() -> Vec<FileReview> {
    vec![
        binary("art/logo.png", FileKind::Modify, WholeBytes::Changed { from: 12_345, to: 14_000 }),
        binary("art/new.png", FileKind::Create, WholeBytes::Made { size: 812 }),
        binary("art/old.png", FileKind::Delete, WholeBytes::Deleted { from: 2_000_000 }),
    ]
}

/// The decisions in the menu of `run.sh` on a line, `!` before the preferred one.
fn menu(scene: &Scene, line: u32) -> String {
    let document = document("run.sh", "sh", RUN);
    let at = Position::new(line, 0);
    let request =
        ActionRequest { document: &document, range: Range::new(at, at), only: &[], diagnostics: &[] };
    let mut titles = Vec::new();
    for action in code_actions(scene, &request) {
        let CodeActionOrCommand::CodeAction(action) = action else { continue };
        if action.kind.is_some_and(|kind| kind.as_str() == "quickfix") {
            let mark = if action.is_preferred == Some(true) { "! " } else { "  " };
            let by = if action.edit.is_some() { " (edit)" } else { "" };
            titles.push(format!("{mark}{}{by}", action.title));
        }
    }
    titles.join("\n")
}

#[test]
fn each_is_a_diagnostic_with_what_it_does() {
    let scene = scene_of([binaries(), vec![script(0)]].concat());
    assert_snapshot!(draw(&scene, &[]), @r#"
    art/logo.png
    ● 1:0-1:0 Information "1/4"
      │run `make icons`│
      │binary, 12 kB → 14 kB│
    art/new.png
    ● 1:0-1:0 Information "2/4"
      │run `make icons`│
      │new binary, 812 bytes│
    art/old.png
    ● 1:0-1:0 Information "3/4"
      │run `make icons`│
      │removed binary, 2.0 MB│
    run.sh
    ● 1:0-1:8 Information "4/4"
      │run `chmod +x run.sh`│
      │mode 644 → 755│
    "#);
}

#[test]
fn permissions_alone_are_decided_in_the_file() {
    let scene = scene_of(vec![script(0)]);
    assert_snapshot!(menu(&scene, 1), @r"
    ! Accept mode 644 → 755 of run.sh
      Reject mode 644 → 755 of run.sh
      Show diff
    ");
    let lenses = code_lenses(&scene, &"file:///project/run.sh".parse().unwrap());
    let titles: Vec<_> = lenses.into_iter().filter_map(|lens| Some(lens.command?.title)).collect();
    assert_eq!(titles, ["Accept mode 644 → 755 of run.sh", "Reject mode 644 → 755 of run.sh"]);
    let shown = hover(&scene, &"file:///project/run.sh".parse().unwrap(), 0).unwrap();
    assert_snapshot!(format!("{:?}", shown.contents), @r#"
    Markup(MarkupContent { kind: Markdown, value: "**Copydesk 1/1** run `chmod +x run.sh`\n\nmode 644 → 755" })
    "#);
}

#[test]
fn permissions_beside_hunks_are_counted_and_taken_with_the_file() {
    let scene = scene_of(vec![script(2)]);
    assert_eq!(items(&scene.review).count(), 3);
    assert_snapshot!(draw(&scene, &[]), @r#"
    run.sh
    ● 1:0-1:8 Information "1/3" faded
      │say it│
      │- echo run│
      │+ echo ran│
    ● 2:0-2:9 Information "2/3" faded
      │say less│
      │- echo more│
      │+ echo less│
    ● 1:0-1:8 Information "3/3"
      │run `chmod +x run.sh`│
      │mode 644 → 755│
    "#);
    assert_snapshot!(menu(&scene, 0), @r"
    ! Accept hunk 1/3 (edit)
      Reject hunk 1/3
    ! Accept mode 644 → 755 of run.sh
      Reject mode 644 → 755 of run.sh
      Accept all 3 in run.sh
      Reject all 3 in run.sh
      Show diff
      Rework hunk 1/3…
    ");
    // One hunk and the permissions are two.
    assert_snapshot!(menu(&scene_of(vec![script(1)]), 1), @r"
    Accept all 2 in run.sh
    Reject all 2 in run.sh
    Show diff
    ");
}

#[test]
fn a_file_that_is_made_gets_its_permissions_with_its_text() {
    let made = FileReview {
        kind: FileKind::Create,
        buffer: None,
        whole: Some(whole(None, Some(ModeChange { from: None, to: 0o755 }))),
        ..file("run.sh", "", vec![hunk("", 0..0, "echo run\n", "write it")])
    };
    let scene = scene_of(vec![made]);
    assert_eq!(items(&scene.review).count(), 1);
    assert_snapshot!(draw(&scene, &[]), @r#"
    run.sh
    ● 1:0-1:0 Information "1/1"
      │write it│
      │mode 755│
      │+ echo run│
    "#);
    assert!(
        render(&scene.review, &scene.workspace, path("a.diff"))
            .text()
            .to_string()
            .contains("new file mode 100755")
    );
}

#[test]
fn what_somebody_else_changed_meanwhile_can_only_be_rejected() {
    let mut file = script(0);
    file.whole.as_mut().unwrap().conflict = true;
    let scene = scene_of(vec![file]);
    assert_snapshot!(draw(&scene, &[]), @r#"
    run.sh
    ● 1:0-1:8 Warning "1/1"
      │conflict: run `chmod +x run.sh`│
      │mode 644 → 755│
      │! the file was changed on disk meanwhile: it can't be accepted│
    "#);
    assert_snapshot!(menu(&scene, 0), @r"
    Reject mode 644 → 755 of run.sh
    Show diff
    ");
    assert_eq!(code_lenses(&scene, &"file:///project/run.sh".parse().unwrap()).len(), 1);
}

#[test]
fn the_review_file_has_gits_own_lines_and_the_same_actions() {
    let scene = scene_of([binaries(), vec![script(1)]].concat());
    let drawn = render(&scene.review, &scene.workspace, path(".copydesk/review/s_1-1.diff"));
    assert_snapshot!(drawn.text().to_string(), @r"
    diff --git a/art/logo.png b/art/logo.png
    Binary files a/art/logo.png and b/art/logo.png differ
    diff --git a/art/new.png b/art/new.png
    new file mode 100644
    Binary files /dev/null and b/art/new.png differ
    diff --git a/art/old.png b/art/old.png
    deleted file mode 100644
    Binary files a/art/old.png and /dev/null differ
    diff --git a/run.sh b/run.sh
    old mode 100644
    new mode 100755
    --- a/run.sh
    +++ b/run.sh
    @@ -1,2 +1,2 @@ hunk 4/5: say it
    -echo run
    +echo ran
     echo more
    ");
    let places: Vec<String> = drawn
        .hunks()
        .map(|shown| {
            format!(
                "{} at line {}: {}, {}",
                shown.number,
                shown.header + 1,
                drawn.fate(shown, &scene.review),
                shown.summary
            )
        })
        .collect();
    assert_snapshot!(places.join("\n"), @r"
    1/5 at line 2: pending, run `make icons`; binary, 12 kB → 14 kB
    2/5 at line 5: pending, run `make icons`; new binary, 812 bytes
    3/5 at line 8: pending, run `make icons`; removed binary, 2.0 MB
    5/5 at line 11: pending, run `chmod +x run.sh`; mode 644 → 755
    4/5 at line 14: pending, say it
    ");
}
