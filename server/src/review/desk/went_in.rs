//! What went into closed files without asking, kept so that who was not there can be shown it.

use std::sync::Arc;

use super::actor::Desk;
use super::plan::{Act, Part};
use crate::conversation::SessionId;
use crate::documents::{AbsPath, Text};
use crate::review::{Draft, FileKind, FileReview, HunkIds, Reason};

/// A file before and after, without a change by anyone else in between.
pub(super) struct WentIn {
    path: AbsPath,
    session: SessionId,
    before: Option<Text>,
    after: Text,
    reason: Reason,
}

impl Desk {
    /// What was written as it came. The desk's own file still says what was there before.
    pub(super) fn note_went_in(&mut self, part: &Part, after: &Text) {
        let Act::AsItComes(hunks) = &part.act else { return };
        let Some(file) = self.files.get(&part.path) else { return };
        let Some(draft) = file.drafts.get(&part.session) else { return };
        let of_hunk = hunks.last().and_then(|hunk| draft.draft.hunk(&hunk.id)?.reasons.last().cloned());
        let Some(reason) = of_hunk.or_else(|| draft.reasons.last().cloned()) else { return };
        let before = file.buffer.clone();
        let same = |earlier: &&mut WentIn| earlier.path == part.path && earlier.session == part.session;
        match self.went_in.iter_mut().rev().find(same) {
            Some(earlier) if before.as_ref() == Some(&earlier.after) => {
                earlier.after = after.clone();
                earlier.reason = reason;
            }
            Some(_) | None => self.went_in.push(WentIn {
                path: part.path.clone(),
                session: part.session.clone(),
                before,
                after: after.clone(),
                reason,
            }),
        }
    }

    /// As reviews that nobody was asked for, in the order they went in.
    pub(super) fn what_went_in(&self, session: &SessionId) -> Vec<Arc<FileReview>> {
        let of_session = self.went_in.iter().filter(|went_in| went_in.session == *session);
        // What was taken back by a later change has not gone in.
        let lasting = of_session.filter(|went_in| went_in.before.as_ref() != Some(&went_in.after));
        lasting.map(|went_in| Arc::new(went_in.review(self.ids.clone()))).collect()
    }
}

impl WentIn {
    fn review(&self, ids: HunkIds) -> FileReview {
        let mut draft = Draft::with_ids(self.before.clone(), ids);
        draft.write(&self.after.to_string(), &self.reason);
        FileReview {
            path: self.path.clone(),
            session: self.session.clone(),
            kind: if self.before.is_none() { FileKind::Create } else { FileKind::Modify },
            open: None,
            buffer: self.before.clone(),
            draft: Some(self.after.clone()),
            hunks: Arc::new(draft.hunks()),
            reasons: vec![self.reason.clone()],
            disk_differs: false,
        }
    }
}
