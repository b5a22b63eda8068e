//! Stray edits: what the editor did with an accept that nobody wanted, and the way back.

use super::actor::Desk;
use super::file::Source;
use super::message::Message;
use crate::documents::{AbsPath, text_edits};
use crate::editor::{FileEdit, Loudness};
use crate::review::Warning;

const TAKE_BACK: &str = "Take it back";
const LEAVE: &str = "Leave it";

impl Desk {
    /// Puts the drafts' warnings before the person, with the way back where the editor can ask.
    pub(super) fn heed_warnings(&mut self, path: &AbsPath) {
        let Some(file) = self.files.get_mut(path) else { return };
        let warnings: Vec<Warning> =
            file.drafts.values_mut().flat_map(|draft| draft.draft.take_warnings()).collect();
        if warnings.is_empty() {
            return;
        }
        let features = self.editor.features();
        let name = self.workspace.display(path);
        for Warning { message, inverse } in warnings {
            let message = format!("{name}: {message}");
            match (&file.source, &file.buffer, inverse) {
                (Source::Open { uri, version }, Some(buffer), Some(inverse)) if features.safe_questions => {
                    let edit = FileEdit {
                        uri: uri.clone(),
                        version: Some(*version),
                        edits: text_edits(buffer, &inverse, features.position_encoding),
                    };
                    let choices = vec![TAKE_BACK.to_owned(), LEAVE.to_owned()];
                    let (answer, messages) = (self.editor.ask(message, choices), self.messages.clone());
                    tokio::spawn(async move {
                        if answer.await.as_deref() == Some(TAKE_BACK)
                            && let Some(messages) = messages.upgrade()
                        {
                            let _ = messages.send(Message::TakeBack(edit));
                        }
                    });
                }
                (_, _, Some(_)) => {
                    let message = format!("{message} The editor's undo does that.");
                    self.editor.show_message(Loudness::Warning, message);
                }
                (_, _, None) => self.editor.show_message(Loudness::Warning, message),
            }
        }
    }

    /// Only against the text it was made for: anywhere else it would do damage of its own.
    pub(super) fn take_back(&mut self, edit: FileEdit) {
        let now = |source: &Source| match source {
            Source::Open { uri, version } => *uri == edit.uri && Some(*version) == edit.version,
            Source::Closing { .. } | Source::Disk { .. } => false,
        };
        if self.files.values().any(|file| now(&file.source)) {
            let applying = self.editor.apply_edit(edit);
            tokio::spawn(applying);
        } else {
            let text = "The text has changed since, so nothing was taken back: use the editor's undo.";
            self.editor.show_message(Loudness::Warning, text.to_owned());
        }
    }
}
