//! What went into closed files without asking, kept so that who was not there can be shown it.

use std::sync::Arc;

use crate::conversation::SessionId;
use crate::documents::{AbsPath, Text};
use crate::review::{Draft, FileKind, FileReview, HunkIds, HunkView, Reason};

/// A file before and after, without a change by anyone else in between.
pub(super) struct WentIn {
    pub(super) path: AbsPath,
    pub(super) session: SessionId,
    pub(super) before: Option<Text>,
    pub(super) after: Text,
    pub(super) reason: Reason,
    /// As they were shown while they were proposed, oldest first.
    pub(super) hunks: Vec<HunkView>,
}

/// `all` with one more: what continues an earlier one without a change by anyone else between is one with it.
pub(super) fn note(all: &mut Vec<WentIn>, new: WentIn) {
    let same = |earlier: &&mut WentIn| earlier.path == new.path && earlier.session == new.session;
    match all.iter_mut().rev().find(same) {
        Some(earlier) if new.before.as_ref() == Some(&earlier.after) => {
            earlier.after = new.after;
            earlier.reason = new.reason;
            earlier.hunks.extend(new.hunks);
        }
        Some(_) | None => all.push(new),
    }
}

/// As reviews that nobody was asked for, in the order they went in.
pub(super) fn reviews(all: &[WentIn], session: &SessionId, ids: &HunkIds) -> Vec<Arc<FileReview>> {
    let of_session = all.iter().filter(|went_in| went_in.session == *session);
    // What was taken back by a later change has not gone in.
    let lasting = of_session.filter(|went_in| went_in.before.as_ref() != Some(&went_in.after));
    lasting.map(|went_in| Arc::new(went_in.review(ids.clone()))).collect()
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
            whole: None,
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
