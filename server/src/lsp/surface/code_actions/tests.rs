use insta::assert_snapshot;
use tower_lsp::ls_types::{DiagnosticSeverity, DocumentChanges, Position as LspPosition, Range as LspRange};

use super::super::sample::{STORE, document, file, hunk, open, path, scene, scene_of};
use super::super::{OpenQuestion, render};
use serde_json::Value;

use super::*;
use crate::editor::Position;
use crate::permissions::{PermissionOption, PermissionOptionKind, PermissionRequest};
use crate::review::{FileKind, FileReview, HunkState, HunkView};

/// The menu for a cursor on `line` (from one): titles, with `!` for the preferred one, the kind, and what happens.
fn menu(scene: &Scene, document: &OpenDocument, line: u32) -> String {
    menu_of(scene, &request(document, line, line))
}

fn request(document: &OpenDocument, first: u32, last: u32) -> ActionRequest<'_> {
    let range = Range::new(Position::new(first - 1, 0), Position::new(last - 1, 1));
    ActionRequest { document, range, only: &[], diagnostics: &[] }
}

fn menu_of(scene: &Scene, request: &ActionRequest<'_>) -> String {
    let lines = code_actions(scene, request).into_iter().map(|action| {
        let CodeActionOrCommand::CodeAction(action) = action else { panic!("a bare command") };
        let preferred = if action.is_preferred == Some(true) { "!" } else { " " };
        let kind = action.kind.as_ref().map_or("", CodeActionKind::as_str);
        let edits = match action.edit.and_then(|edit| edit.document_changes) {
            Some(DocumentChanges::Edits(files)) => files.iter().map(|file| file.edits.len()).sum(),
            _ => 0,
        };
        let edits = if edits == 0 { String::new() } else { format!("{edits} edits, then ") };
        let argument = action.command.and_then(|command| command.arguments).unwrap_or_default();
        let argument = argument.first().cloned().map(without_figure).unwrap_or_default();
        format!("{preferred} {} [{kind}] {edits}{argument}", action.title)
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// What stands for an offer is a figure that says nothing to a reader.
fn without_figure(mut argument: Value) -> String {
    if let Some(offer) = argument.pointer_mut("/what/offer/offer") {
        *offer = "as shown".into();
    }
    argument.to_string()
}

fn titles(scene: &Scene, request: &ActionRequest<'_>) -> Vec<String> {
    code_actions(scene, request)
        .into_iter()
        .map(|action| match action {
            CodeActionOrCommand::CodeAction(action) => action.title,
            CodeActionOrCommand::Command(command) => command.title,
        })
        .collect()
}

fn store() -> OpenDocument {
    document("src/store.rs", "rust", STORE)
}

fn question() -> OpenQuestion {
    let option =
        |id: &str, kind, name: &str| PermissionOption { id: id.to_owned(), kind, name: name.to_owned() };
    OpenQuestion {
        overdue: false,
        request: PermissionRequest {
            rules: vec![],
            command: None,
            input: Value::Null,
            id: "p_1".to_owned(),
            tool_use_id: crate::conversation::ToolUseId("toolu_1".to_owned()),
            tool: "Bash".to_owned(),
            title: "run `echo ok\u{1b}[2K`".to_owned(),
            explanation: String::new(),
            options: vec![
                option("once", PermissionOptionKind::AllowOnce, "Allow once"),
                option("session", PermissionOptionKind::AllowAlways, "Allow for this session"),
                option("no", PermissionOptionKind::RejectOnce, "Deny"),
            ],
            asks: crate::permissions::Asks::Leave,
        },
    }
}

#[test]
fn on_a_hunk_accept_comes_first() {
    assert_snapshot!(menu(&scene(), &store(), 16), @r#"
    ! Accept hunk 2/4 [quickfix] 1 edits, then {"do":"claimed","hunks":[{"id":"h_2","revision":1}],"place":{"path":"/project/src/store.rs","start":14,"end":14}}
      Reject hunk 2/4 [quickfix] {"do":"reject","what":{"hunk":{"id":"h_2","revision":1}}}
      Accept all 3 in store.rs [quickfix] 3 edits, then {"do":"claimed","hunks":[{"id":"h_1","revision":1},{"id":"h_2","revision":1},{"id":"h_3","revision":1}],"place":{"path":"/project/src/store.rs","start":8,"end":8}}
      Reject all 3 in store.rs [quickfix] {"do":"reject","what":{"offer":{"path":"/project/src/store.rs","session":"s_1","offer":"as shown"}}}
      Show diff [quickfix] {"do":"showDiff","place":{"path":"/project/src/store.rs","start":14,"end":14}}
      Rework hunk 2/4… [quickfix] {"do":"askForChange","hunk":{"id":"h_2","revision":1}}
      Ask Copydesk… [refactor] {"do":"ask","place":{"path":"/project/src/store.rs","start":15,"end":15}}
      Explain [refactor] {"do":"ask","text":"Explain this code.","place":{"path":"/project/src/store.rs","start":15,"end":15}}
      Document [refactor] {"do":"ask","text":"Write documentation comments for this code.","place":{"path":"/project/src/store.rs","start":15,"end":15}}
      Write tests [refactor] {"do":"ask","text":"Write tests for this code.","place":{"path":"/project/src/store.rs","start":15,"end":15}}
      Open chat [refactor] {"do":"openChat"}
    "#);
}

#[test]
fn off_hunks_the_whole_file_can_still_be_decided() {
    assert_eq!(
        titles(&scene(), &request(&store(), 1, 1)),
        [
            "Accept all 3 in store.rs",
            "Reject all 3 in store.rs",
            "Show diff",
            "Ask Copydesk…",
            "Explain",
            "Document",
            "Write tests",
            "Open chat",
        ]
    );
}

#[test]
fn a_selection_over_several_hunks_gets_one_set_for_each() {
    let titles = titles(&scene(), &request(&store(), 9, 15));
    assert_eq!(titles[..4], ["Accept hunk 1/4", "Reject hunk 1/4", "Accept hunk 2/4", "Reject hunk 2/4"]);
}

#[test]
fn an_insertion_is_found_on_the_line_above_it() {
    assert_eq!(titles(&scene(), &request(&store(), 24, 24))[0], "Accept hunk 3/4");
    assert_eq!(titles(&scene(), &request(&store(), 25, 25))[0], "Accept all 3 in store.rs");
}

#[test]
fn accept_carries_the_edit_for_the_version_it_was_made_for() {
    let all = code_actions(&scene(), &request(&store(), 16, 16));
    let Some(CodeActionOrCommand::CodeAction(accept)) = all.first() else { panic!("an action") };
    insta::assert_json_snapshot!(accept.edit, @r#"
    {
      "documentChanges": [
        {
          "textDocument": {
            "uri": "file:///project/src/store.rs",
            "version": 7
          },
          "edits": [
            {
              "range": {
                "start": {
                  "line": 14,
                  "character": 0
                },
                "end": {
                  "line": 19,
                  "character": 0
                }
              },
              "newText": "        self.entries.get(key).map(String::as_str)\n"
            }
          ]
        }
      ]
    }
    "#);
}

#[test]
fn a_closed_file_is_decided_by_command_alone() {
    let closed = document("src/util.rs", "rust", "fn main() {\n    Store::load(path);\n}\n");
    assert_snapshot!(menu(&scene(), &closed, 2), @r#"
    ! Accept hunk 4/4 [quickfix] {"do":"accept","what":{"hunk":{"id":"h_4","revision":1}}}
      Reject hunk 4/4 [quickfix] {"do":"reject","what":{"hunk":{"id":"h_4","revision":1}}}
      Show diff [quickfix] {"do":"showDiff","place":{"path":"/project/src/util.rs","start":1,"end":1}}
      Rework hunk 4/4… [quickfix] {"do":"askForChange","hunk":{"id":"h_4","revision":1}}
      Ask Copydesk… [refactor] {"do":"ask","place":{"path":"/project/src/util.rs","start":1,"end":1}}
      Explain [refactor] {"do":"ask","text":"Explain this code.","place":{"path":"/project/src/util.rs","start":1,"end":1}}
      Document [refactor] {"do":"ask","text":"Write documentation comments for this code.","place":{"path":"/project/src/util.rs","start":1,"end":1}}
      Write tests [refactor] {"do":"ask","text":"Write tests for this code.","place":{"path":"/project/src/util.rs","start":1,"end":1}}
      Open chat [refactor] {"do":"openChat"}
    "#);
}

#[test]
fn without_versions_the_edit_is_plain_changes() {
    let mut scene = scene();
    scene.features.document_changes = false;
    let all = code_actions(&scene, &request(&store(), 9, 9));
    let Some(CodeActionOrCommand::CodeAction(accept)) = all.first() else { panic!("an action") };
    let edit = accept.edit.as_ref().expect("an edit");
    assert!(edit.document_changes.is_none());
    assert_eq!(edit.changes.as_ref().map(std::collections::HashMap::len), Some(1));
}

#[test]
fn a_conflict_is_never_simply_accepted() {
    let conflicted = HunkView {
        state: HunkState::Conflicted,
        ..hunk(STORE, 10..11, "        parse(&text)\n", "borrow the text")
    };
    let scene = scene_of(vec![open(file("src/store.rs", STORE, vec![conflicted]))]);
    assert_snapshot!(menu(&scene, &store(), 11), @r#"
    Take mine 1/1 [quickfix] {"do":"resolve","hunk":{"id":"h_1","revision":1},"take":"mine"}
    Take the agent's 1/1 [quickfix] {"do":"resolve","hunk":{"id":"h_1","revision":1},"take":"agents"}
    Ask the agent to redo 1/1 [quickfix] {"do":"resolve","hunk":{"id":"h_1","revision":1},"take":"redo"}
    Show diff [quickfix] {"do":"showDiff","place":{"path":"/project/src/store.rs","start":10,"end":10}}
    Rework hunk 1/1… [quickfix] {"do":"askForChange","hunk":{"id":"h_1","revision":1}}
    Ask Copydesk… [refactor] {"do":"ask","place":{"path":"/project/src/store.rs","start":10,"end":10}}
    Explain [refactor] {"do":"ask","text":"Explain this code.","place":{"path":"/project/src/store.rs","start":10,"end":10}}
    Document [refactor] {"do":"ask","text":"Write documentation comments for this code.","place":{"path":"/project/src/store.rs","start":10,"end":10}}
    Write tests [refactor] {"do":"ask","text":"Write tests for this code.","place":{"path":"/project/src/store.rs","start":10,"end":10}}
    Open chat [refactor] {"do":"openChat"}
    "#);
}

#[test]
fn both_halves_of_a_moved_block_are_taken_together() {
    let mut here = hunk(STORE, 13..20, "", "move get to the end");
    let mut there = hunk(STORE, 24..24, &here.removed, "move get to the end");
    here.moved = Some(crate::review::HunkId("h_2".to_owned()));
    there.moved = Some(crate::review::HunkId("h_1".to_owned()));
    let scene = scene_of(vec![open(file("src/store.rs", STORE, vec![here, there]))]);
    assert_snapshot!(menu(&scene, &store(), 24).lines().take(2).collect::<Vec<_>>().join("\n"), @r#"
    ! Accept move 2/2 [quickfix] 2 edits, then {"do":"claimed","hunks":[{"id":"h_1","revision":1},{"id":"h_2","revision":1}],"place":{"path":"/project/src/store.rs","start":13,"end":13}}
      Reject move 2/2 [quickfix] {"do":"reject","what":{"hunk":{"id":"h_2","revision":1}}}
    "#);
}

#[test]
fn files_that_come_go_or_are_renamed_are_decided_as_a_whole() {
    let old = FileReview { kind: FileKind::Delete, draft: None, ..file("old.rs", "", Vec::new()) };
    let renamed =
        FileReview { kind: FileKind::Rename { to: path("src/b.rs") }, ..file("src/a.rs", "", Vec::new()) };
    let scene = scene_of(vec![old, renamed]);
    assert_eq!(
        titles(&scene, &request(&document("old.rs", "rust", ""), 1, 1))[..2],
        ["Delete old.rs", "Keep old.rs"]
    );
    assert_eq!(
        titles(&scene, &request(&document("src/a.rs", "rust", ""), 1, 1))[..2],
        ["Rename a.rs to src/b.rs", "Keep the name a.rs"]
    );
}

#[test]
fn an_open_question_is_answered_from_any_file() {
    let scene = Scene { questions: vec![question()], ..scene_of(Vec::new()) };
    let other = document("notes.txt", "plaintext", "notes\n");
    assert_snapshot!(menu(&scene, &other, 1).lines().take(3).collect::<Vec<_>>().join("\n"), @r#"
    Allow once: run `echo ok\u{1b}[2K` [quickfix] {"do":"answer","request":"p_1","option":"once"}
    Allow for this session: run `echo ok\u{1b}[2K` [quickfix] {"do":"answer","request":"p_1","option":"session"}
    Deny: run `echo ok\u{1b}[2K` [quickfix] {"do":"answer","request":"p_1","option":"no"}
    "#);
}

#[test]
fn a_folder_that_asks_for_trust_can_be_trusted_from_any_file_last_of_all() {
    let asking = Scene { asks_for_trust: true, ..scene_of(Vec::new()) };
    let other = document("notes.txt", "plaintext", "notes\n");
    let entry = menu(&asking, &other, 1);
    let wanted =
        r#"  Trust this folder and what its settings allow [refactor] {"do":"trust","trusted":true}"#;
    assert_eq!(entry.lines().last(), Some(wanted), "{entry}");
    assert!(!menu(&scene_of(Vec::new()), &other, 1).contains("Trust"));
}

#[test]
fn in_the_chat_send_is_the_first_entry_whatever_else_there_is() {
    let chat = document(".copydesk/chat.md", "markdown", "## You\n\nhello\n");
    assert_eq!(titles(&scene(), &request(&chat, 3, 3)), ["Send"]);
    let busy = Scene { questions: vec![question()], running: true, ..scene() };
    let titles = titles(&busy, &request(&chat, 3, 3));
    assert_eq!(titles.first().map(String::as_str), Some("Send"));
    assert_eq!(titles.last().map(String::as_str), Some("Cancel the running task"));
}

#[test]
fn a_review_file_has_the_actions_of_its_hunks() {
    let mut scene = scene();
    let shown = render(&scene.review, &scene.workspace, path(".copydesk/review/s_1-1.diff"));
    let diff = document(".copydesk/review/s_1-1.diff", "diff", &shown.text().to_string());
    let line = shown.hunks().nth(1).expect("a hunk").header as u32 + 3;
    scene.review_files = vec![std::sync::Arc::new(shown)];
    assert_snapshot!(menu(&scene, &diff, line), @r#"
    ! Accept hunk 2/4 [quickfix] 1 edits, then {"do":"claimed","hunks":[{"id":"h_2","revision":1}],"place":{"path":"/project/src/store.rs","start":14,"end":14}}
      Reject hunk 2/4 [quickfix] {"do":"reject","what":{"hunk":{"id":"h_2","revision":1}}}
      Accept all 3 in store.rs [quickfix] 3 edits, then {"do":"claimed","hunks":[{"id":"h_1","revision":1},{"id":"h_2","revision":1},{"id":"h_3","revision":1}],"place":{"path":"/project/src/store.rs","start":8,"end":8}}
      Reject all 3 in store.rs [quickfix] {"do":"reject","what":{"offer":{"path":"/project/src/store.rs","session":"s_1","offer":"as shown"}}}
      Rework hunk 2/4… [quickfix] {"do":"askForChange","hunk":{"id":"h_2","revision":1}}
      Go to source [quickfix] {"do":"goTo","place":{"path":"/project/src/store.rs","start":13,"end":13}}
    "#);
}

#[test]
fn others_diagnostics_can_be_fixed_and_ours_not() {
    let diagnostic = |source: &str, message: &str| Diagnostic {
        range: LspRange::new(LspPosition::new(9, 0), LspPosition::new(9, 4)),
        severity: Some(DiagnosticSeverity::ERROR),
        source: Some(source.to_owned()),
        message: message.to_owned(),
        ..Diagnostic::default()
    };
    let diagnostics =
        [diagnostic("rustc", "mismatched types\nexpected u32"), diagnostic("copydesk", "a hunk")];
    let document = store();
    let asked = ActionRequest { diagnostics: &diagnostics, ..request(&document, 10, 10) };
    assert_snapshot!(menu_of(&scene_of(Vec::new()), &asked).lines().take(2).collect::<Vec<_>>().join("\n"), @r#"
    Fix: mismatched types [quickfix] {"do":"ask","text":"Fix this: mismatched types\nexpected u32","place":{"path":"/project/src/store.rs","start":9,"end":10},"diagnostics":["10: mismatched types\nexpected u32"]}
    Ask Copydesk… [refactor] {"do":"ask","place":{"path":"/project/src/store.rs","start":9,"end":9}}
    "#);
}

#[test]
fn an_instruction_in_a_comment_can_be_carried_out() {
    let text = "// copydesk: make this async\nfn load() {\n    read();\n}\n";
    let document = document("a.rs", "rust", text);
    assert_snapshot!(menu(&scene_of(Vec::new()), &document, 1).lines().next().unwrap_or_default(), @r#"  Do: make this async [quickfix] {"do":"ask","text":"make this async\n\nThis is asked for in the comment on line 1. Remove that comment as well.","place":{"path":"/project/a.rs","start":0,"end":4}}"#);
}

#[test]
fn an_instruction_whose_change_is_pending_is_not_offered_again() {
    let text = "// copydesk: make this async\nfn load() {\n    read();\n}\n";
    let document = document("a.rs", "rust", text);
    let offered = |hunks| {
        let scene = scene_of(vec![open(file("a.rs", text, hunks))]);
        titles(&scene, &request(&document, 1, 1)).iter().any(|title| title.starts_with("Do: "))
    };
    assert!(!offered(vec![hunk(text, 0..2, "async fn load() {\n", "make it async")]));
    assert!(offered(vec![hunk(text, 2..3, "    read().await;\n", "wait")]), "the comment is still there");
    assert!(offered(vec![hunk(text, 0..0, "// new\n", "add a line")]));
}

#[test]
fn a_running_task_can_be_cancelled_from_any_file() {
    let scene = Scene { running: true, ..scene_of(Vec::new()) };
    assert_eq!(titles(&scene, &request(&store(), 1, 1))[0], "Cancel the running task");
}

#[test]
fn only_the_kinds_that_were_asked_for_are_given() {
    let document = store();
    let kinds =
        |only: &[CodeActionKind]| titles(&scene(), &ActionRequest { only, ..request(&document, 16, 16) });
    assert_eq!(kinds(&[CodeActionKind::QUICKFIX])[0], "Accept hunk 2/4");
    assert_eq!(kinds(&[CodeActionKind::REFACTOR])[0], "Ask Copydesk…");
    assert_eq!(kinds(&[CodeActionKind::REFACTOR_EXTRACT]), Vec::<String>::new());
    assert_eq!(kinds(&[CodeActionKind::EMPTY]).len(), kinds(&[]).len());
}

#[test]
fn very_many_edits_are_the_servers_to_send() {
    let buffer = "old\nsame\n".repeat(101);
    let hunks = (0..101).map(|at| hunk(&buffer, at * 2..at * 2 + 1, "new\n", "renew"));
    let all: Vec<HunkView> = hunks.collect();
    let few = all.iter().take(100).cloned().collect();
    let document = document("many.rs", "rust", &buffer);
    let accept_all = |hunks, apply_edit| {
        let mut scene = scene_of(vec![open(file("many.rs", &buffer, hunks))]);
        scene.features.apply_edit = apply_edit;
        let menu = menu(&scene, &document, 2);
        menu.lines().find(|line| line.contains("Accept all")).unwrap().to_owned()
    };
    assert!(accept_all(few, true).starts_with("  Accept all 100 in many.rs [quickfix] 100 edits, then "));
    assert_eq!(
        accept_all(all.clone(), true),
        r#"  Accept all 101 in many.rs [quickfix] {"do":"accept","what":{"offer":{"path":"/project/many.rs","session":"s_1","offer":"as shown"}}}"#
    );
    assert!(accept_all(all, false).contains("101 edits, then "), "nobody else can send them");
}
