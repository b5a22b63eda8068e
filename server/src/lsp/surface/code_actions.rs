//! The menu under the cursor: what can be decided, answered or asked for here, the likeliest first.

mod answers;
mod decisions;
mod elsewhere;
mod tasks;

pub(super) use decisions::{whole_file, whole_file_titles};

use tower_lsp::ls_types::{CodeAction, CodeActionKind, CodeActionOrCommand, Diagnostic};

use super::item::{FileItems, items_where};
use super::review_file::ReviewFile;
use super::{Scene, chat};
use crate::documents::OpenDocument;
use crate::editor::Range;
use crate::lsp::commands::{Command, Place};
use crate::review::FileReview;

/// What the editor asked (LSP `CodeActionParams`).
#[derive(Clone, Copy, Debug)]
pub struct ActionRequest<'a> {
    pub document: &'a OpenDocument,
    pub range: Range,
    /// `context.only`; empty: every kind.
    pub only: &'a [CodeActionKind],
    /// `context.diagnostics`, of all servers.
    pub diagnostics: &'a [Diagnostic],
}

/// The actions in the order in which they are meant to be shown. Editors keep it, but for Helix, which puts quick fixes
/// first and preferred ones before others: the kinds are chosen so that both come to the same.
///
/// Every action is whole: edits are there at once and nothing is resolved later, since Helix blocks on that. Called
/// several times per cursor move, so it costs well under a millisecond.
pub fn code_actions(scene: &Scene, request: &ActionRequest<'_>) -> Vec<CodeActionOrCommand> {
    let mut actions = Vec::new();
    if chat::is_chat_file(&request.document.path, &scene.workspace) {
        // Send first: `Enter` in the menu is a habit here, and must not answer anything else.
        actions.push(tasks::send(scene));
        actions.extend(answers::of(scene));
        actions.extend(elsewhere::go_to_next(scene, request));
        actions.extend(tasks::cancel(scene));
    } else if let Some(file) = scene.review_file(&request.document.path) {
        actions.extend(answers::of(scene));
        in_review_file(scene, request, file, &mut actions);
        actions.extend(decisions::take_back(scene));
        actions.extend(tasks::cancel(scene));
    } else {
        actions.extend(answers::of(scene));
        in_source(scene, request, &mut actions);
        actions.extend(decisions::take_back(scene));
        actions.extend(tasks::of(scene, request));
    }
    actions
        .into_iter()
        .filter(|action| is_wanted(action.kind.as_ref(), request.only))
        .map(CodeActionOrCommand::CodeAction)
        .collect()
}

fn in_source(scene: &Scene, request: &ActionRequest<'_>, actions: &mut Vec<CodeAction>) {
    let path = &request.document.path;
    let Some(file) = file_of(scene, request.document) else { return };
    let (first, last) = lines(request.range);
    let here: Vec<_> = file.on_lines(first, last).collect();
    for item in &here {
        actions.extend(decisions::of_item(scene, item, &super::diagnostics::of_item(scene, item)));
    }
    actions.extend(decisions::of_file(scene, file, here.len()));
    let at = here.first().map_or(first, |item| item.hunk.map_or(first, |hunk| hunk.lines.start));
    let place = Place { path: path.clone(), start: at as u32, end: at as u32 };
    actions.push(decisions::show_diff(scene, place));
    actions.extend(here.first().and_then(|item| decisions::ask_for_change(scene, item)));
}

/// What is pending in the document.
fn file_of<'a>(scene: &'a Scene, document: &OpenDocument) -> Option<FileItems<'a>> {
    let is_here = |file: &FileReview| match &file.open {
        Some((open, _)) => *open == document.uri,
        None => file.path == document.path,
    };
    items_where(&scene.review, is_here)
}

/// The same decisions on the lines of a `.diff` file; they change the source.
fn in_review_file(
    scene: &Scene,
    request: &ActionRequest<'_>,
    file: &ReviewFile,
    actions: &mut Vec<CodeAction>,
) {
    let (first, last) = lines(request.range);
    for shown in file.hunks().filter(|hunk| hunk.header <= last && hunk.lines.end > first) {
        let Some(items) = items_where(&scene.review, |file| file.path == shown.source) else { continue };
        let Some(item) = items.all().find(|item| item.hunk.map(|hunk| &hunk.id) == shown.id.as_ref()) else {
            continue;
        };
        let diagnostic = super::diagnostics::of_shown_hunk(scene, file, shown);
        actions.extend(decisions::of_item(scene, &item, &diagnostic));
        actions.extend(decisions::of_file(scene, items, 1));
        actions.extend(decisions::ask_for_change(scene, &item));
    }
    if let Some((path, line)) = file.source_of(first) {
        let place = Place { path, start: line as u32, end: line as u32 };
        let command = Command::GoTo { place };
        actions.push(command_action(scene, "Go to source".to_owned(), CodeActionKind::QUICKFIX, &command));
    }
}

/// First and last line of the selection. One that ends at column 0 does not hold that line.
fn lines(range: Range) -> (usize, usize) {
    let (first, last) = (range.start.line as usize, range.end.line as usize);
    if last > first && range.end.character == 0 { (first, last - 1) } else { (first, last.max(first)) }
}

fn command_action(scene: &Scene, title: String, kind: CodeActionKind, command: &Command) -> CodeAction {
    CodeAction {
        command: Some(scene.commands.make(title.clone(), command)),
        title,
        kind: Some(kind),
        ..CodeAction::default()
    }
}

/// LSP `CodeActionContext.only`: a kind stands for itself and for all below it.
fn is_wanted(kind: Option<&CodeActionKind>, only: &[CodeActionKind]) -> bool {
    let Some(kind) = kind.map(CodeActionKind::as_str) else { return only.is_empty() };
    only.is_empty()
        || only.iter().map(CodeActionKind::as_str).any(|wanted| {
            wanted.is_empty()
                || kind.strip_prefix(wanted).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        })
}

#[cfg(test)]
mod tests;
