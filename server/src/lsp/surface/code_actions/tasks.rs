//! What the agent can be asked for here, and how it is stopped.

use tower_lsp::ls_types::{CodeAction, CodeActionKind, Diagnostic};

use super::{ActionRequest, command_action, elsewhere, file_of, lines};
use crate::config::{ActionScope, UserAction};
use crate::editor::Range;
use crate::lsp::commands::{Command, Place};
use crate::lsp::surface::diagnostics::SOURCE;
use crate::lsp::surface::words::{one_line, shortened};
use crate::lsp::surface::{Scene, marker_at};
use crate::review::HunkView;

/// A title longer than this makes the menu cover the code it is about.
const TITLE: usize = 60;
/// Selecting a whole file must not read every line of it for markers.
const MARKER_LINES: usize = 200;

/// The tasks that are always there, named as what is asked of the agent.
const ALWAYS: [(&str, &str); 3] = [
    ("Explain", "Explain this code."),
    ("Document", "Write documentation comments for this code."),
    ("Write tests", "Write tests for this code."),
];

/// While the folder's own settings ask for more than it may.
const TRUST: &str = "Trust this folder and what its settings allow";

/// In the order of the menu: fixes, instructions in comments, a way to stop, what waits in other files, then what can be
/// asked anywhere.
pub(super) fn of(scene: &Scene, request: &ActionRequest<'_>) -> Vec<CodeAction> {
    let mut actions: Vec<_> = request
        .diagnostics
        .iter()
        .filter(|diagnostic| diagnostic.source.as_deref() != Some(SOURCE))
        .map(|diagnostic| fix(scene, request, diagnostic))
        .collect();
    actions.extend(markers(scene, request));
    actions.extend(cancel(scene));
    actions.extend(elsewhere::go_to_next(scene, request));
    if file_of(scene, request.document).is_none() {
        actions.extend(elsewhere::decisions(scene));
    }
    let place = place(request);
    let ask = |title: &str, text: Option<&str>| {
        let command = Command::Ask {
            text: text.map(str::to_owned),
            place: Some(place.clone()),
            diagnostics: Vec::new(),
        };
        command_action(scene, title.to_owned(), CodeActionKind::REFACTOR, &command)
    };
    actions.push(ask("Ask Copydesk…", None));
    actions.extend(ALWAYS.map(|(title, text)| ask(title, Some(text))));
    actions.extend(scene.own_actions.iter().map(|own| own_action(scene, request, own)));
    actions.push(command_action(scene, "Open chat".to_owned(), CodeActionKind::REFACTOR, &Command::OpenChat));
    // Last: nothing that is chosen in haste.
    actions.extend(scene.asks_for_trust.then(|| {
        let command = Command::Trust { trusted: true };
        command_action(scene, TRUST.to_owned(), CodeActionKind::REFACTOR, &command)
    }));
    actions
}

/// What the user has put into the menu.
fn own_action(scene: &Scene, request: &ActionRequest<'_>, own: &UserAction) -> CodeAction {
    let place = match own.scope {
        ActionScope::Selection => place(request),
        ActionScope::File => Place {
            path: request.document.path.clone(),
            start: 0,
            end: u32::try_from(request.document.text.line_count()).unwrap_or(u32::MAX),
        },
    };
    let command =
        Command::Ask { text: Some(own.prompt.clone()), place: Some(place), diagnostics: Vec::new() };
    command_action(
        scene,
        shortened(&one_line(&own.title), TITLE).into_owned(),
        CodeActionKind::REFACTOR,
        &command,
    )
}

pub(super) fn send(scene: &Scene) -> CodeAction {
    let action = command_action(scene, "Send".to_owned(), CodeActionKind::QUICKFIX, &Command::Send);
    CodeAction { is_preferred: Some(true), ..action }
}

pub(super) fn cancel(scene: &Scene) -> Option<CodeAction> {
    let command = Command::Cancel { task: None };
    scene.running.then(|| {
        command_action(scene, "Cancel the running task".to_owned(), CodeActionKind::REFACTOR, &command)
    })
}

fn fix(scene: &Scene, request: &ActionRequest<'_>, diagnostic: &Diagnostic) -> CodeAction {
    let first = diagnostic.message.lines().next().unwrap_or_default();
    let message = one_line(first.trim());
    let command = Command::Ask {
        text: Some(format!("Fix this: {}", diagnostic.message.trim())),
        place: Some(Place {
            path: request.document.path.clone(),
            start: diagnostic.range.start.line,
            end: diagnostic.range.end.line + 1,
        }),
        diagnostics: vec![format!("{}: {}", diagnostic.range.start.line + 1, diagnostic.message.trim())],
    };
    CodeAction {
        diagnostics: Some(vec![diagnostic.clone()]),
        ..command_action(
            scene,
            format!("Fix: {}", shortened(&message, TITLE)),
            CodeActionKind::QUICKFIX,
            &command,
        )
    }
}

fn markers(scene: &Scene, request: &ActionRequest<'_>) -> Vec<CodeAction> {
    let document = request.document;
    let (first, last) = lines(request.range);
    let mut actions = Vec::new();
    let mut line = first;
    while line <= last.min(first + MARKER_LINES) {
        let found = marker_at(&document.text, &document.language, document.path.file_name(), line);
        // What is asked for there is done, and waits for a decision.
        let asked = found.as_ref().filter(|marker| !is_being_changed(scene, request, &marker.comment));
        if let Some(marker) = asked {
            let command = Command::Ask {
                text: Some(format!(
                    "{}\n\nThis is asked for in the comment on line {}. Remove that comment as well.",
                    marker.instruction,
                    marker.comment.start + 1
                )),
                place: Some(Place {
                    path: document.path.clone(),
                    start: marker.about.start as u32,
                    end: marker.about.end as u32,
                }),
                diagnostics: Vec::new(),
            };
            let title = format!("Do: {}", shortened(&one_line(&marker.instruction), TITLE));
            actions.push(command_action(scene, title, CodeActionKind::QUICKFIX, &command));
        }
        line = found.map_or(line + 1, |marker| marker.comment.end.max(line + 1));
    }
    actions
}

/// Whether a pending change would change or remove all of these lines.
fn is_being_changed(scene: &Scene, request: &ActionRequest<'_>, lines: &std::ops::Range<usize>) -> bool {
    let here = file_of(scene, request.document);
    here.is_some_and(|here| {
        let covers = |hunk: &HunkView| hunk.lines.start <= lines.start && lines.end <= hunk.lines.end;
        here.file.hunks.iter().any(covers)
    })
}

/// The selected lines. Helix always selects at least one character: that is a cursor.
fn place(request: &ActionRequest<'_>) -> Place {
    let Range { start, end } = request.range;
    let (first, last) = lines(request.range);
    let is_cursor = start.line == end.line && end.character.saturating_sub(start.character) <= 1;
    let end = if is_cursor { first } else { last + 1 };
    Place { path: request.document.path.clone(), start: first as u32, end: end as u32 }
}
