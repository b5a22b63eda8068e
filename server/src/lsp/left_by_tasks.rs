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

#[cfg(test)]
mod tests {
    use super::super::surface::sample::{file, hunk, scene_of};
    use super::*;
    use crate::agent::{Spending, TaskAccount, Terminal, TerminalReason};

    /// The hunks with these texts in `a.rs`, one on each line.
    fn review(added: &[&str]) -> Arc<ReviewView> {
        let text = "a\n".repeat(added.len());
        let hunks = added.iter().enumerate().map(|(line, added)| hunk(&text, line..line + 1, added, ""));
        scene_of(vec![file("a.rs", &text, hunks.collect())]).review
    }

    /// How many changes wait by the end of a task that left some.
    #[track_caller]
    fn check(before: &Arc<ReviewView>, after: &Arc<ReviewView>, wanted: Option<usize>) {
        let update = |event| SessionUpdate {
            session: SessionId("s_1".to_owned()),
            task: TaskId("t_1".to_owned()),
            seq: 0,
            event: SessionEvent::Loop(event),
        };
        let asks = || update(LoopEvent::RequestStart { turn: 1, model: "m".to_owned(), offline: false });
        let end = update(LoopEvent::Done(Terminal {
            denials: Vec::new(),
            reason: TerminalReason::Completed,
            turns: 1,
            spent: Spending::default(),
            cost: None,
            message: None,
            account: TaskAccount::default(),
        }));
        let mut left = LeftByTasks::default();
        assert_eq!(left.follow(&asks(), || Arc::clone(before)), None);
        assert_eq!(left.follow(&asks(), || Arc::clone(after)), None, "only the beginning counts");
        assert_eq!(left.follow(&end, || Arc::clone(after)).map(|left| left.changes), wanted);
    }

    #[test]
    fn what_waited_before_the_task_is_none_of_its_work() {
        check(&review(&["b\n"]), &review(&["b\n"]), None);
        check(&review(&["b\n", "c\n"]), &review(&["b\n"]), None);
        check(&review(&["b\n"]), &review(&[]), None);
    }

    #[test]
    fn what_came_in_it_is_told_with_all_that_waits() {
        check(&review(&[]), &review(&["b\n", "c\n"]), Some(2));
        check(&review(&["b\n"]), &review(&["b\n", "c\n"]), Some(2));
    }

    #[test]
    fn another_text_for_a_change_is_a_change() {
        let mut again = (*review(&["b\n"])).clone();
        let mut file = (*again.files[0]).clone();
        Arc::make_mut(&mut file.hunks)[0].revision += 1;
        again.files = vec![Arc::new(file)];
        check(&review(&["b\n"]), &Arc::new(again), Some(1));
    }
}
