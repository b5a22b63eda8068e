//! The view of files that have no change of their text, but one of their bytes or permissions.

use std::sync::Arc;

use super::{Key, has_text_changes};
use crate::review::desk::actor::Desk;
use crate::review::desk::show::open;
use crate::review::{FileKind, FileReview, WholeBytes, WholeFile};

/// What is said of it in a session whose changes are accepted as they come.
pub(in crate::review::desk) const NO_TEXT: &str =
    "It changes bytes that are no text, or permissions, which can't be taken back here, so it waits for you.";

/// A file as it was shown, and what for.
pub(super) struct ShownReview {
    of: ShownFor,
    review: Arc<FileReview>,
}

/// What the view of a file without a change of its text depends on.
#[derive(PartialEq)]
struct ShownFor {
    open: Option<(String, i32)>,
    lost: bool,
    disk_differs: bool,
    revision: u32,
    held_back: bool,
}

impl Desk {
    /// Files under review that have no change of their text. Those that nothing happened to are the same values as before.
    pub(in crate::review::desk) fn show_wholes(&mut self) -> Vec<Arc<FileReview>> {
        // Permissions of a text that is not to be made any more.
        let files = &self.files;
        self.whole.retain(|key, whole| !whole.draft.is_of_a_made_text() || has_text_changes(files, key));
        let alone = |key: &Key| !has_text_changes(&self.files, key);
        let mut shown = Vec::new();
        for (key, whole) in self.whole.iter_mut().filter(|(key, _)| alone(key)) {
            let file = self.files.get(&key.0).filter(|file| file.is_open());
            let of = ShownFor {
                open: file.and_then(open),
                lost: file.is_some_and(|file| file.lost),
                disk_differs: file.is_some_and(|file| file.disk_differs),
                revision: whole.revision,
                held_back: whole.held_back,
            };
            let review = match &whole.shown {
                Some(before) if before.of == of => before.review.clone(),
                Some(_) | None => {
                    let text = file.filter(|_| !whole.draft.has_bytes()).and_then(|file| file.buffer.clone());
                    let view = whole.view();
                    Arc::new(FileReview {
                        path: key.0.clone(),
                        session: key.1.clone(),
                        kind: kind(&view),
                        open: of.open.clone(),
                        buffer: text.clone(),
                        draft: text,
                        hunks: Arc::default(),
                        reasons: whole.reasons.clone(),
                        disk_differs: of.disk_differs,
                        lost: of.lost,
                        held_back: of.held_back.then_some(NO_TEXT),
                        whole: Some(view),
                    })
                }
            };
            shown.push(review.clone());
            whole.shown = Some(ShownReview { of, review });
        }
        shown
    }
}

fn kind(whole: &WholeFile) -> FileKind {
    match whole.bytes {
        Some(WholeBytes::Made { .. }) => FileKind::Create,
        Some(WholeBytes::Deleted { .. }) => FileKind::Delete,
        Some(WholeBytes::Changed { .. }) | None => FileKind::Modify,
    }
}
