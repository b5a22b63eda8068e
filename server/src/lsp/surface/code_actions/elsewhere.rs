//! The way to what is pending in other files, and what can be decided of it from here.

use tower_lsp::ls_types::{CodeAction, CodeActionKind};

use super::decisions::is_for_bulk;
use super::{ActionRequest, command_action, lines};
use crate::lsp::commands::{Command, What};
use crate::lsp::surface::Scene;
use crate::lsp::surface::item::{Item, items};
use crate::lsp::surface::next_change::next_change;

/// Messages name its beginning.
const GO_TO_NEXT: &str = "Review: go to the next change";

/// Leads to the next change behind the cursor, in whatever file it is. Not where the editor can't be sent there, nor where the
/// only one lies under the cursor.
pub(super) fn go_to_next(scene: &Scene, request: &ActionRequest<'_>) -> Option<CodeAction> {
    if !scene.features.show_document {
        return None;
    }
    let (first, last) = lines(request.range);
    let place = next_change(&scene.review, &request.document.path, first..=last)?;
    let command = Command::GoTo { place };
    Some(command_action(scene, GO_TO_NEXT.to_owned(), CodeActionKind::REFACTOR, &command))
}

/// In a file where nothing is pending. Below what can be done with its own lines: nothing of this is about them.
pub(super) fn decisions(scene: &Scene) -> Vec<CodeAction> {
    let files = items(&scene.review).map(|item| &item.file.path);
    let mut files: Vec<_> = files.collect();
    files.dedup();
    let places = match files.as_slice() {
        [] => return Vec::new(),
        [only] => only.file_name().to_owned(),
        several => format!("{} files", several.len()),
    };
    let is_taken = |item: &Item<'_>| match item.hunk {
        Some(hunk) => is_for_bulk(scene, hunk),
        None => item.can_be_accepted(),
    };
    let accept_all = match items(&scene.review).filter(is_taken).count() {
        0 => None,
        count => {
            let all = if count == 1 { "1".to_owned() } else { format!("all {count}") };
            Some((format!("Accept {all} in {places}"), Command::Accept { what: What::All }))
        }
    };
    let show_diff = ("Show diff".to_owned(), Command::ShowDiff { place: None });
    let all = accept_all.into_iter().chain([show_diff]);
    all.map(|(title, command)| command_action(scene, title, CodeActionKind::REFACTOR, &command)).collect()
}

#[cfg(test)]
mod tests {
    use tower_lsp::ls_types::CodeActionOrCommand;

    use super::super::code_actions;
    use super::*;
    use crate::documents::OpenDocument;
    use crate::editor::{Position, Range};
    use crate::lsp::surface::sample::{STORE, document, file, hunk, scene, scene_of};

    /// The titles of the menu on `line` (from one), with where the editor is sent: `file:line`.
    fn menu(scene: &Scene, document: &OpenDocument, line: u32) -> Vec<String> {
        let at = Position::new(line - 1, 0);
        let request = ActionRequest { document, range: Range::new(at, at), only: &[], diagnostics: &[] };
        let titles = code_actions(scene, &request).into_iter().map(|action| {
            let CodeActionOrCommand::CodeAction(action) = action else { panic!("a bare command") };
            let argument = action.command.and_then(|command| command.arguments).unwrap_or_default();
            let place = argument.first().filter(|argument| argument["do"] == "goTo");
            let place = place.map(|argument| {
                let file = argument["place"]["path"].as_str().unwrap_or_default().to_owned();
                format!(" -> {file}:{}", argument["place"]["start"].as_u64().unwrap_or_default() + 1)
            });
            action.title + &place.unwrap_or_default()
        });
        titles.collect()
    }

    fn sendable(scene: Scene) -> Scene {
        let mut scene = scene;
        scene.features.show_document = true;
        scene
    }

    #[test]
    fn in_a_file_without_changes_the_menu_leads_to_them_and_takes_them_all() {
        let notes = document("notes.txt", "plaintext", "notes\n");
        assert_eq!(
            menu(&sendable(scene()), &notes, 1),
            [
                "Review: go to the next change -> /project/src/store.rs:9",
                "Accept all 4 in 2 files",
                "Show diff",
                "Ask Copydesk…",
                "Explain",
                "Document",
                "Write tests",
                "Open chat",
            ]
        );
        assert_eq!(menu(&scene(), &notes, 1)[..2], ["Accept all 4 in 2 files", "Show diff"]);
        assert_eq!(menu(&sendable(scene_of(Vec::new())), &notes, 1)[0], "Ask Copydesk…");
        let one = scene_of(vec![file("a.rs", "a\n", vec![hunk("a\n", 0..1, "b\n", "")])]);
        assert_eq!(menu(&one, &notes, 1)[..2], ["Accept 1 in a.rs", "Show diff"]);
    }

    #[test]
    fn among_changes_it_leads_to_the_next_behind_the_cursor_below_all_decisions() {
        let store = document("src/store.rs", "rust", STORE);
        let menu_at = |line| menu(&sendable(scene()), &store, line);
        assert_eq!(menu_at(9)[6], "Review: go to the next change -> /project/src/store.rs:15");
        assert_eq!(menu_at(24)[6], "Review: go to the next change -> /project/src/util.rs:2");
        assert_eq!(
            menu_at(1)[..5],
            [
                "Accept all 3 in store.rs",
                "Reject all 3 in store.rs",
                "Show diff",
                "Review: go to the next change -> /project/src/store.rs:9",
                "Ask Copydesk…"
            ]
        );
    }

    #[test]
    fn in_the_chat_it_stands_below_send() {
        let chat = document(".copydesk/chat.md", "markdown", "## You\n\nhello\n");
        let wanted = ["Send", "Review: go to the next change -> /project/src/store.rs:9"];
        assert_eq!(menu(&sendable(scene()), &chat, 3), wanted);
    }
}
