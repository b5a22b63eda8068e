//! What was decided on the changes of a run, and what became of each.

use std::collections::BTreeMap;

use copydesk_protocol::{DecideOutcome, File};

/// Of one review, or of several together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Tally {
    pub(super) accepted: usize,
    pub(super) rejected: usize,
    /// Not decided.
    pub(super) left: usize,
    /// Accepted, but not applied.
    pub(super) not_applied: usize,
    /// Why, once for each file and cause.
    pub(super) failed: Vec<String>,
    /// What became of each hunk that was decided on, by its id, and of each file that was decided on as a whole, by its URI.
    pub(super) outcomes: BTreeMap<String, DecideOutcome>,
    /// By Ctrl-C.
    pub(super) cancelled: bool,
}

impl Tally {
    /// Of what went in without asking: every change is accepted.
    pub(super) fn of_accepted<'a>(files: impl IntoIterator<Item = &'a File>) -> Self {
        let mut tally = Self::default();
        for file in files {
            let names = file.hunks.iter().map(|hunk| &hunk.id);
            let names = names.chain(file.hunks.is_empty().then_some(&file.uri)).cloned();
            tally.outcomes.extend(names.map(|name| (name, DecideOutcome::Accepted)));
            tally.accepted += file.changes();
        }
        tally
    }

    pub(super) fn add(&mut self, other: Self) {
        self.accepted += other.accepted;
        self.rejected += other.rejected;
        self.left += other.left;
        self.not_applied += other.not_applied;
        self.failed.extend(other.failed);
        self.outcomes.extend(other.outcomes);
        self.cancelled |= other.cancelled;
    }

    /// Nothing was decided, and there was something to decide.
    pub(super) fn is_all_left(&self) -> bool {
        self.left > 0 && self.accepted + self.rejected + self.not_applied == 0
    }

    /// Something was no longer as it was shown, or the person had changed the same lines.
    pub(super) fn is_overtaken(&self) -> bool {
        self.outcomes
            .values()
            .any(|outcome| matches!(outcome, DecideOutcome::Stale | DecideOutcome::Conflicted))
    }

    /// `3 accepted, 1 rejected`
    pub(super) fn words(&self) -> String {
        let mut words = vec![format!("{} accepted", self.accepted), format!("{} rejected", self.rejected)];
        if self.left > 0 {
            words.push(format!("{} left", self.left));
        }
        if self.not_applied > 0 {
            words.push(format!("{} not applied", self.not_applied));
        }
        words.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tally_in_words() {
        let tally = Tally { accepted: 3, rejected: 1, ..Tally::default() };
        assert_eq!(tally.words(), "3 accepted, 1 rejected");
        let tally = Tally { left: 2, not_applied: 1, ..tally };
        assert_eq!(tally.words(), "3 accepted, 1 rejected, 2 left, 1 not applied");
    }
}
