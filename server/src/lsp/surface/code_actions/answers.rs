//! The answers to a permission question, in every file until somebody chose one.

use tower_lsp::ls_types::{CodeAction, CodeActionKind};

use super::command_action;
use crate::lsp::commands::Command;
use crate::lsp::surface::Scene;
use crate::lsp::surface::words::{one_line, shortened};
use crate::permissions::PermissionOption;

/// A command can be long; its beginning tells which question is meant.
const TITLE: usize = 60;

/// One action for each answer to the oldest open question. None is preferred and none fixes a diagnostic: editors that
/// sort then put an Accept before them, so that a quick `Enter` on a hunk never allows a command.
pub(super) fn of(scene: &Scene) -> Vec<CodeAction> {
    let Some(question) = scene.questions.first() else { return Vec::new() };
    let request = &question.request;
    let title = one_line(&request.title);
    let what = shortened(&title, TITLE);
    let action = |option: &PermissionOption| {
        let title = format!("{}: {what}", one_line(&option.name));
        let command = Command::Answer { request: Some(request.id.clone()), option: option.id.clone() };
        command_action(scene, title, CodeActionKind::QUICKFIX, &command)
    };
    request.options.iter().map(action).collect()
}
