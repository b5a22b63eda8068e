//! The view of everything under review. Files that nothing happened to are the same values as before.

use std::sync::Arc;

use tokio::sync::watch;

use super::actor::Desk;
use super::file::{DraftFile, File, Shown, Source};
use super::whole::{NO_TEXT, Whole};
use crate::review::{FileKind, FileReview, ReviewView};

/// What is said of a change that is held back in a session whose changes are accepted as they come.
pub(super) const OVERWRITES: &str =
    "It puts another text in the place of all that was there, or moves a file, so it waits for you.";

impl Desk {
    /// Shows the newest view, if anything changed.
    pub(super) fn show(&mut self, show: &watch::Sender<Arc<ReviewView>>) {
        self.make_view();
        if !Arc::ptr_eq(&show.borrow(), &self.shown) {
            show.send_replace(self.shown.clone());
        }
    }

    pub(super) fn make_view(&mut self) {
        let mut changed = false;
        let alone = self.show_wholes();
        let wholes = &self.whole;
        for (path, file) in &mut self.files {
            if !file.drafts.values().any(outdated) {
                continue;
            }
            let (buffer, open, disk_differs) = (file.buffer.clone(), open(file), file.disk_differs);
            let lost = file.is_open() && file.lost;
            for (session, draft) in file.drafts.iter_mut().filter(|(_, draft)| outdated(draft)) {
                changed = true;
                let whole = wholes.get(&(path.clone(), session.clone()));
                let of_whole = whole.into_iter().flat_map(|whole| whole.reasons.iter().cloned());
                draft.shown = if draft.is_settled() {
                    Shown::Nothing
                } else {
                    draft.last_hunks = draft.draft.hunks_after(&draft.last_hunks);
                    Shown::File(Arc::new(FileReview {
                        path: path.clone(),
                        session: session.clone(),
                        kind: kind(draft),
                        open: open.clone(),
                        buffer: buffer.clone(),
                        draft: draft.draft.text(),
                        hunks: if lost { Arc::default() } else { Arc::clone(&draft.last_hunks.hunks) },
                        reasons: draft.reasons.iter().cloned().chain(of_whole).collect(),
                        disk_differs,
                        lost,
                        held_back: held_back(draft)
                            .or_else(|| whole.filter(|whole| whole.held_back).map(|_| NO_TEXT)),
                        whole: whole.map(Whole::view),
                    }))
                };
            }
        }
        let drafts = self.files.values().flat_map(|file| file.drafts.values());
        let mut files: Vec<Arc<FileReview>> = drafts
            .filter_map(|draft| match &draft.shown {
                Shown::File(file) => Some(Arc::clone(file)),
                Shown::Outdated | Shown::Nothing => None,
            })
            .collect();
        if !alone.is_empty() {
            files.extend(alone);
            files.sort_by(|one, other| (&one.path, &one.session).cmp(&(&other.path, &other.session)));
            changed |= !files.iter().zip(&self.shown.files).all(|(now, before)| Arc::ptr_eq(now, before));
        }
        // A draft that is gone leaves no trace but a smaller view.
        if changed || files.len() != self.shown.files.len() {
            self.shown = Arc::new(ReviewView { files, revision: self.shown.revision + 1 });
        }
    }
}

fn outdated(draft: &DraftFile) -> bool {
    matches!(draft.shown, Shown::Outdated)
}

/// Create and delete are read off the two sides.
fn kind(draft: &DraftFile) -> FileKind {
    if let Some(rename) = &draft.rename {
        return FileKind::Rename { to: rename.to.clone() };
    }
    match (draft.draft.buffer(), draft.draft.text()) {
        (None, Some(_)) => FileKind::Create,
        (Some(_), None) => FileKind::Delete,
        (Some(_), Some(_)) | (None, None) => FileKind::Modify,
    }
}

/// Why it did not go in as it came.
fn held_back(draft: &DraftFile) -> Option<&'static str> {
    let mut hunks = draft.last_hunks.hunks.iter();
    hunks.any(|hunk| draft.overwriting.contains(&hunk.id)).then_some(OVERWRITES)
}

pub(super) fn open(file: &File) -> Option<(String, i32)> {
    match &file.source {
        Source::Open { uri, version } => Some((uri.clone(), *version)),
        Source::Closing { .. } | Source::Disk { .. } => None,
    }
}
