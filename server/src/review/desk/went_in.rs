//! What went into closed files without asking, kept so that who was not there can be shown it.

use std::sync::Arc;

use super::actor::Desk;
use super::plan::{Act, Part};
use crate::conversation::SessionId;
use crate::documents::{AbsPath, Text};
use crate::review::{Draft, FileKind, FileReview, HunkIds, HunkView, Reason};

/// A file before and after, without a change by anyone else in between.
pub(super) struct WentIn {
    path: AbsPath,
    session: SessionId,
    before: Option<Text>,
    after: Text,
    reason: Reason,
    /// As they were shown while they were proposed, oldest first.
    hunks: Vec<HunkView>,
}

impl Desk {
    /// What was written as it came. The desk's own file still says what was there before.
    pub(super) fn note_went_in(&mut self, part: &Part, after: &Text) {
        let Act::AsItComes(hunks) = &part.act else { return };
        let Some(file) = self.files.get(&part.path) else { return };
        let Some(draft) = file.drafts.get(&part.session) else { return };
        let hunks: Vec<HunkView> = hunks.iter().filter_map(|hunk| draft.draft.hunk(&hunk.id)).collect();
        let of_hunk = hunks.last().and_then(|hunk| hunk.reasons.last().cloned());
        let Some(reason) = of_hunk.or_else(|| draft.reasons.last().cloned()) else { return };
        let before = file.buffer.clone();
        let same = |earlier: &&mut WentIn| earlier.path == part.path && earlier.session == part.session;
        match self.went_in.iter_mut().rev().find(same) {
            Some(earlier) if before.as_ref() == Some(&earlier.after) => {
                earlier.after = after.clone();
                earlier.reason = reason;
                earlier.hunks.extend(hunks);
            }
            Some(_) | None => self.went_in.push(WentIn {
                path: part.path.clone(),
                session: part.session.clone(),
                before,
                after: after.clone(),
                reason,
                hunks,
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
        let mut hunks = draft.hunks();
        self.name_as_proposed(&mut hunks);
        FileReview {
            path: self.path.clone(),
            session: self.session.clone(),
            kind: if self.before.is_none() { FileKind::Create } else { FileKind::Modify },
            open: None,
            buffer: self.before.clone(),
            draft: Some(self.after.clone()),
            hunks: Arc::new(hunks),
            reasons: vec![self.reason.clone()],
            disk_differs: false,
            lost: false,
            held_back: None,
        }
    }
    /// A change that went in just as it was proposed keeps its name and its reasons; the newest of several that say the
    /// same. What later ones changed again has a name of its own.
    fn name_as_proposed(&self, hunks: &mut [HunkView]) {
        let mut proposed: Vec<&HunkView> = self.hunks.iter().collect();
        for hunk in hunks.iter_mut().rev() {
            let same = |it: &&HunkView| it.removed == hunk.removed && it.added == hunk.added;
            if let Some(at) = proposed.iter().rposition(same) {
                let it = proposed.remove(at);
                hunk.id = it.id.clone();
                hunk.reasons = it.reasons.clone();
            }
        }
    }
}
