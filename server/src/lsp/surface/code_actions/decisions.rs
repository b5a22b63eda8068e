//! Accept, reject, and what else can be done with a hunk or a file's hunks.

use std::collections::HashMap;

use tower_lsp::ls_types::{
    CodeAction, CodeActionKind, Diagnostic, DocumentChanges, OneOf, OptionalVersionedTextDocumentIdentifier,
    TextDocumentEdit, TextEdit, Uri, WorkspaceEdit,
};

use super::command_action;
use crate::documents::Workspace;
use crate::lsp::commands::{Command, Offer, Place, What, Whole};
use crate::lsp::surface::Scene;
use crate::lsp::surface::item::{FileItems, Item};
use crate::lsp::surface::place::{accept_edit, hunk_name};
use crate::review::{FileKind, FileReview, HunkState, HunkView, Take};

/// Edits that an action holds. Menus are asked for with every move of the cursor and hardly ever used: for more edits than
/// these, writing them out each time would cost more than all the rest of the menu.
const MOST_EDITS: usize = 100;

/// What can be decided about one hunk, or about a file without lines to compare. `diagnostic` is its own, as published.
pub(super) fn of_item(scene: &Scene, item: &Item<'_>, diagnostic: &Diagnostic) -> Vec<CodeAction> {
    let actions = match item.hunk {
        None => of_whole_file(scene, item),
        Some(hunk) => match hunk.state {
            HunkState::Pending => of_pending(scene, item, hunk),
            HunkState::Conflicted => of_conflict(scene, item, hunk),
            HunkState::Applying => Vec::new(),
        },
    };
    actions
        .into_iter()
        .map(|action| CodeAction { diagnostics: Some(vec![diagnostic.clone()]), ..action })
        .collect()
}

/// `taken`: how many of the file's items already have actions of their own in the menu.
pub(super) fn of_file(scene: &Scene, items: FileItems<'_>, taken: usize) -> Vec<CodeAction> {
    let file = items.file;
    let hunks: Vec<_> = file.hunks.iter().filter(|hunk| is_for_bulk(scene, hunk)).collect();
    let beside = items.all().filter(|item| item.hunk.is_none() && item.can_be_accepted()).count();
    let (count, name) = (hunks.len() + beside, file.path.file_name());
    if file.hunks.is_empty() || count == 0 || (count == 1 && beside == 0 && taken == 1) {
        return Vec::new();
    }
    let all = if count == 1 { "1".to_owned() } else { format!("all {count}") };
    let what = offered(file);
    let title = format!("Accept {all} in {name}");
    let accept = if beside == 0 {
        accepting(scene, file, &hunks, title, what.clone())
    } else {
        // No edit of a text changes permissions.
        command_action(scene, title, CodeActionKind::QUICKFIX, &Command::Accept { what: what.clone() })
    };
    let reject = Command::Reject { what, reason: None };
    vec![accept, command_action(scene, format!("Reject {all} in {name}"), CodeActionKind::QUICKFIX, &reject)]
}

/// What a decision about many files had done when one of them failed, until the next decision.
pub(super) fn take_back(scene: &Scene) -> Option<CodeAction> {
    let half_done = scene.half_done.as_ref()?;
    Some(command_action(scene, half_done.title(), CodeActionKind::QUICKFIX, &half_done.command()))
}

pub(super) fn show_diff(scene: &Scene, place: Place) -> CodeAction {
    let command = Command::ShowDiff { place: Some(place) };
    command_action(scene, "Show diff".to_owned(), CodeActionKind::QUICKFIX, &command)
}

pub(super) fn ask_for_change(scene: &Scene, item: &Item<'_>) -> Option<CodeAction> {
    let hunk = item.hunk?;
    let command = Command::AskForChange { hunk: hunk_name(hunk), text: None };
    Some(command_action(scene, format!("Rework hunk {}…", item.number), CodeActionKind::QUICKFIX, &command))
}

fn of_pending(scene: &Scene, item: &Item<'_>, hunk: &HunkView) -> Vec<CodeAction> {
    if !can_apply(scene, hunk) {
        return vec![reject(scene, item, hunk)];
    }
    if let Some(other) = other_half(item.file, hunk) {
        // A moved block is decided as one: half of it would double the text or lose it.
        let (first, second) =
            if hunk.lines.start <= other.lines.start { (hunk, other) } else { (other, hunk) };
        let title = format!("Accept move {}", item.number);
        let named = What::Hunk(hunk_name(hunk));
        let accept = accepting(scene, item.file, &[first, second], title, named);
        return vec![CodeAction { is_preferred: Some(true), ..accept }, reject(scene, item, hunk)];
    }
    let named = What::Hunk(hunk_name(hunk));
    let accept = accepting(scene, item.file, &[hunk], format!("Accept hunk {}", item.number), named);
    vec![CodeAction { is_preferred: Some(true), ..accept }, reject(scene, item, hunk)]
}

fn reject(scene: &Scene, item: &Item<'_>, hunk: &HunkView) -> CodeAction {
    let command = Command::Reject { what: What::Hunk(hunk_name(hunk)), reason: None };
    let what = if other_half(item.file, hunk).is_some() { "move" } else { "hunk" };
    command_action(scene, format!("Reject {what} {}", item.number), CodeActionKind::QUICKFIX, &command)
}

fn of_conflict(scene: &Scene, item: &Item<'_>, hunk: &HunkView) -> Vec<CodeAction> {
    let choices = [
        ("Take mine", Take::Mine),
        ("Take the agent's", Take::Agents),
        ("Ask the agent to redo", Take::Redo),
    ];
    let action = |(words, take)| {
        let command = Command::Resolve { hunk: hunk_name(hunk), take };
        command_action(scene, format!("{words} {}", item.number), CodeActionKind::QUICKFIX, &command)
    };
    choices.into_iter().map(action).collect()
}

fn of_whole_file(scene: &Scene, item: &Item<'_>) -> Vec<CodeAction> {
    let Some((accept, reject)) = whole_file_titles(item, &scene.workspace) else { return Vec::new() };
    let what = whole_file(item.file);
    let accepted = Command::Accept { what: what.clone() };
    let rejected = Command::Reject { what, reason: None };
    let accept = item.can_be_accepted().then(|| CodeAction {
        is_preferred: Some(true),
        ..command_action(scene, accept, CodeActionKind::QUICKFIX, &accepted)
    });
    accept.into_iter().chain([command_action(scene, reject, CodeActionKind::QUICKFIX, &rejected)]).collect()
}

/// What a decision about a file as a whole is about: where it has hunks, they are left out.
pub(in crate::lsp::surface) fn whole_file(file: &FileReview) -> What {
    match &file.whole {
        Some(whole) if !file.hunks.is_empty() => {
            let (path, session) = (file.path.clone(), file.session.0.clone());
            What::Whole(Whole { path, session, revision: whole.revision })
        }
        Some(_) | None => offered(file),
    }
}

/// How accepting and rejecting are called for a file as a whole; `None`: there is nothing to decide of it.
pub(in crate::lsp::surface) fn whole_file_titles(
    item: &Item<'_>,
    workspace: &Workspace,
) -> Option<(String, String)> {
    let file = item.file;
    let name = file.path.file_name();
    let whole = file.whole.as_ref();
    let bytes = whole.and_then(|whole| whole.bytes).map(|bytes| format!(" ({bytes})")).unwrap_or_default();
    let mode = whole.and_then(|whole| whole.mode);
    Some(match (&file.kind, mode) {
        (FileKind::Create, None) => (format!("Create {name}{bytes}"), format!("Don't create {name}")),
        (FileKind::Create, Some(mode)) => {
            (format!("Create {name}{bytes} with {mode}"), format!("Don't create {name}"))
        }
        (FileKind::Delete, _) => (format!("Delete {name}{bytes}"), format!("Keep {name}")),
        (FileKind::Rename { to }, _) => {
            (format!("Rename {name} to {}", workspace.display(to)), format!("Keep the name {name}"))
        }
        (FileKind::Modify, Some(mode)) if bytes.is_empty() => {
            (format!("Accept {mode} of {name}"), format!("Reject {mode} of {name}"))
        }
        (FileKind::Modify, Some(mode)) => {
            (format!("Accept {name}{bytes}, {mode}"), format!("Reject the change of {name}"))
        }
        (FileKind::Modify, None) if !bytes.is_empty() => {
            (format!("Accept {name}{bytes}"), format!("Reject the change of {name}"))
        }
        (FileKind::Modify, None) => return None,
    })
}

/// Accepts `hunks` by the editor's own hand if it has the file open, with a command behind it that says so; else by a
/// command alone: an edit would leave a buffer that nobody sees and nobody saved. Very many are the server's to send.
fn accepting(scene: &Scene, file: &FileReview, hunks: &[&HunkView], title: String, what: What) -> CodeAction {
    match edit(scene, file, hunks) {
        Some(edit) => {
            let line = hunks.first().map_or(0, |hunk| hunk.lines.start as u32);
            let claimed = Command::Claimed {
                hunks: hunks.iter().map(|hunk| hunk_name(hunk)).collect(),
                place: Place { path: file.path.clone(), start: line, end: line },
            };
            let action = command_action(scene, title, CodeActionKind::QUICKFIX, &claimed);
            CodeAction { edit: Some(edit), ..action }
        }
        None => command_action(scene, title, CodeActionKind::QUICKFIX, &Command::Accept { what }),
    }
}

/// What is offered now: it must not decide what nobody has seen.
fn offered(file: &FileReview) -> What {
    let (path, session) = (file.path.clone(), file.session.0.clone());
    What::Offer(Offer { path, session, offer: file.offer() })
}

/// One file's edits against its current version. `None`: the server has to do it.
fn edit(scene: &Scene, file: &FileReview, hunks: &[&HunkView]) -> Option<WorkspaceEdit> {
    if hunks.len() > MOST_EDITS && scene.features.apply_edit {
        return None;
    }
    let (uri, version) = file.open.as_ref()?;
    let buffer = file.buffer.as_ref()?;
    match file.kind {
        FileKind::Modify | FileKind::Rename { .. } => {}
        FileKind::Create | FileKind::Delete => return None,
    }
    let uri: Uri = uri.parse().ok()?;
    let encoding = scene.features.position_encoding;
    let edits = hunks.iter().map(|hunk| accept_edit(buffer, hunk, encoding));
    if !scene.features.document_changes {
        return Some(WorkspaceEdit {
            changes: Some(HashMap::from([(uri, edits.collect())])),
            ..WorkspaceEdit::default()
        });
    }
    let text_document = OptionalVersionedTextDocumentIdentifier { uri, version: Some(*version) };
    let edits = edits.map(OneOf::<TextEdit, _>::Left).collect();
    let changes = DocumentChanges::Edits(vec![TextDocumentEdit { text_document, edits }]);
    Some(WorkspaceEdit { document_changes: Some(changes), ..WorkspaceEdit::default() })
}

/// Conflicts and hunks that were taken back need to be named one by one.
pub(super) fn is_for_bulk(scene: &Scene, hunk: &HunkView) -> bool {
    hunk.state == HunkState::Pending && !hunk.undone && can_apply(scene, hunk)
}

fn can_apply(scene: &Scene, hunk: &HunkView) -> bool {
    !(hunk.line_ends_only && scene.features.owns_line_ends)
}

fn other_half<'a>(file: &'a FileReview, hunk: &HunkView) -> Option<&'a HunkView> {
    let id = hunk.moved.as_ref()?;
    file.hunks.iter().find(|other| &other.id == id && other.state == HunkState::Pending)
}
