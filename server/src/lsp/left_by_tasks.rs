//! Whether a task has left something to decide that was not there when it began.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::surface::{Item, ToReview, items};
use crate::agent::{LoopEvent, SessionEvent, SessionUpdate};
use crate::conversation::{SessionId, TaskId};
use crate::documents::AbsPath;
use crate::review::ReviewView;

/// A change as it is offered: another text of it is another change.
type Change = (AbsPath, Option<(String, u32)>, Option<u32>);

/// What the session of each running task had pending before it.
#[derive(Default)]
pub(super) struct LeftByTasks {
    before: BTreeMap<TaskId, BTreeSet<Change>>,
}

impl LeftByTasks {
    /// Takes the next event of any session. At the end of a task that has left changes: all that waits by then.
    pub(super) fn follow(
        &mut self,
        update: &SessionUpdate,
        review: impl FnOnce() -> Arc<ReviewView>,
    ) -> Option<ToReview> {
        match &update.event {
            SessionEvent::Loop(LoopEvent::RequestStart { .. }) => {
                if !self.before.contains_key(&update.task) {
                    self.before.insert(update.task.clone(), changes(&review(), &update.session));
                }
                None
            }
            SessionEvent::Loop(LoopEvent::Done(_)) => {
                let before = self.before.remove(&update.task)?;
                let review = review();
                let is_new = !changes(&review, &update.session).is_subset(&before);
                ToReview::of(&review).filter(|_| is_new)
            }
            _ => None,
        }
    }
}

fn changes(review: &ReviewView, session: &SessionId) -> BTreeSet<Change> {
    let named = |item: Item<'_>| {
        let hunk = item.hunk.map(|hunk| (hunk.id.0.clone(), hunk.revision));
        let whole = item.file.whole.as_ref().filter(|_| item.hunk.is_none()).map(|whole| whole.revision);
        (item.file.path.clone(), hunk, whole)
    };
    items(review).filter(|item| item.file.session == *session).map(named).collect()
}
