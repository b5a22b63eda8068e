//! Edits that were handed to the editor: claims on hunks until the echo comes, and a watch on what becomes of them.

use super::HunkId;
use super::line::{Line, same_words, split};
use super::refusal::Warning;
use crate::documents::{Change, Text};

/// An accept that was sent: the hunk's buffer lines as they were, and as they should become. Until they are, partial echoes
/// are no edits of the user's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Claim {
    pub(super) before: Vec<Line>,
    pub(super) expected: Vec<Line>,
}

/// What an accept may go over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Over {
    Nothing,
    Conflict,
}

impl Claim {
    /// These lines are the expected ones, as far as an editor keeps lines as they were sent: some have their own line ends,
    /// and some put a line break at the end of the text.
    pub(super) fn is_echo(&self, lines: &[Line]) -> bool {
        let but_last_break = |longer: &[Line], shorter: &[Line]| {
            longer.split_last().is_some_and(|(last, rest)| last.text.is_empty() && same_words(rest, shorter))
        };
        same_words(&self.expected, lines)
            || but_last_break(lines, &self.expected)
            || !lines.is_empty() && but_last_break(&self.expected, lines)
    }
}

/// An edit as it was sent, to tell an echo from the same edit at another place or a second time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Sent {
    pub(super) hunks: Vec<HunkId>,
    /// Line and byte in it, of both ends.
    at: [(usize, usize); 2],
    old: String,
    text: String,
    echoed: bool,
}

impl Sent {
    pub(super) fn new(hunks: Vec<HunkId>, buffer: &Text, change: &Change) -> Self {
        Self {
            hunks,
            at: ends(buffer, change),
            old: buffer.slice(change.range.clone()).into_owned(),
            text: change.text.clone(),
            echoed: false,
        }
    }

    /// `change` is this edit to the letter, at the very place it was sent for.
    fn is_verbatim(&self, before: &Text, change: &Change) -> bool {
        self.at == ends(before, change) && same_words(&split(&self.text), &split(&change.text))
    }
}

/// What the editor did with the sent edits, one `didChange` at a time.
#[derive(Clone, Debug, Default)]
pub(super) struct Watch {
    sent: Vec<Sent>,
    /// Changes of this `didChange` that are a sent edit to the letter: which one, and how to take it back.
    verbatim: Vec<(usize, Change, String)>,
    /// All changes of this `didChange`, and the hunks it settled.
    seen: Vec<Sent>,
    settled: Vec<HunkId>,
    /// The last changes that settled hunks: a code action's edit comes before the word that it was one.
    unclaimed: Vec<Sent>,
}

impl Watch {
    pub(super) fn send(&mut self, sent: Sent) {
        self.sent.push(sent);
    }

    pub(super) fn forget(&mut self) {
        self.sent.clear();
        self.unclaimed.clear();
    }

    /// The accept of this hunk was sent, whether its claim still stands or not.
    pub(super) fn was_sent(&self, hunk: &HunkId) -> bool {
        self.sent.iter().any(|sent| sent.hunks.contains(hunk))
    }

    /// The hunks whose sent edit this change is, to the letter and over the same text.
    pub(super) fn echo_of(&self, before: &Text, change: &Change) -> Option<Vec<HunkId>> {
        let old = before.slice(change.range.clone());
        let echo = |sent: &&Sent| !sent.echoed && sent.old == old && sent.is_verbatim(before, change);
        self.sent.iter().find(echo).map(|sent| sent.hunks.clone())
    }

    /// The user's change made this hunk's sides equal.
    pub(super) fn settles(&mut self, hunk: &HunkId) {
        self.settled.push(hunk.clone());
    }

    /// The editor had applied this hunk's edit with a code action before it said so. False: nothing is known of that.
    pub(super) fn claimed_late(&mut self, hunk: &HunkId) -> bool {
        if self.unclaimed.iter().any(|sent| sent.hunks.contains(hunk)) {
            self.sent.append(&mut self.unclaimed);
        }
        self.was_sent(hunk)
    }

    /// Looks at one change, before it is applied.
    pub(super) fn see(&mut self, before: &Text, change: &Change) {
        if self.seen.is_empty() {
            self.settled.clear();
        }
        self.seen.push(Sent::new(Vec::new(), before, change));
        let found = self.sent.iter().position(|sent| sent.is_verbatim(before, change));
        if let Some(index) = found {
            let old = before.slice(change.range.clone()).into_owned();
            let end = change.range.start + change.text.len();
            self.verbatim.push((index, Change { range: change.range.start..end, text: old.clone() }, old));
        }
    }

    /// After the `didChange`: `open` tells whether a hunk is still there. What was a sent edit to the letter but settled
    /// nothing was done at the wrong place, or twice.
    pub(super) fn judge(&mut self, open: impl Fn(&HunkId) -> bool) -> Vec<Warning> {
        let mut warnings = Vec::new();
        for (index, inverse, old) in std::mem::take(&mut self.verbatim) {
            let Some(sent) = self.sent.get(index) else { continue };
            let message = if sent.echoed && old == sent.old {
                "The editor applied an accepted change twice. You can remove the second copy."
            } else if sent.hunks.iter().all(&open) {
                "The editor applied an accepted change at the wrong place. You can take it back; the change is still pending."
            } else {
                continue;
            };
            warnings.push(Warning { message: message.to_owned(), inverse: Some(vec![inverse]) });
        }
        // An undone accept is open again: to redo it, or to accept once more, is no second application.
        for sent in &mut self.sent {
            sent.echoed = !sent.hunks.iter().any(&open);
        }
        let (seen, settled) = (std::mem::take(&mut self.seen), std::mem::take(&mut self.settled));
        if !settled.is_empty() {
            let of_these = |sent: Sent| Sent { hunks: settled.clone(), echoed: true, ..sent };
            self.unclaimed = seen.into_iter().map(of_these).collect();
        }
        warnings
    }
}

fn ends(text: &Text, change: &Change) -> [(usize, usize); 2] {
    [change.range.start, change.range.end].map(|offset| {
        let line = text.line_of(offset);
        (line, offset.saturating_sub(text.line_start(line)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sends the accept of one hunk, lets the editor replace `ranges` of the buffer one after the other, and judges after
    /// each; the hunk is open where `open` says so.
    #[track_caller]
    fn check(buffer: &str, steps: &[(std::ops::Range<usize>, &str, bool)], wanted: Option<&str>) {
        let hunk = HunkId("h_1".to_owned());
        let mut buffer = Text::from(buffer);
        let mut watch = Watch::default();
        let mut warnings = Vec::new();
        for (step, (range, text, open)) in steps.iter().enumerate() {
            let change = Change { range: range.clone(), text: (*text).to_owned() };
            if step == 0 {
                watch.send(Sent::new(vec![hunk.clone()], &buffer, &change));
            }
            watch.see(&buffer, &change);
            buffer.apply(&change);
            warnings.extend(watch.judge(|_| *open).into_iter().map(|warning| warning.message));
        }
        assert_eq!(warnings.len(), usize::from(wanted.is_some()), "{warnings:?}");
        assert!(warnings.iter().all(|it| wanted.is_some_and(|wanted| it.contains(wanted))), "{warnings:?}");
    }

    #[test]
    fn an_insertion_done_twice_is_noticed() {
        check("a\n", &[(2..2, "b\n", false), (2..2, "b\n", false)], Some("twice"));
    }

    #[test]
    fn an_undone_accept_can_be_done_again() {
        check("a\n", &[(2..2, "b\n", false), (2..4, "", true), (2..2, "b\n", false)], None);
        check("a\n", &[(0..1, "b", false), (0..1, "a", true), (0..1, "b", false)], None);
    }

    #[test]
    fn an_edit_that_settled_nothing_was_at_the_wrong_place() {
        check("a\n", &[(0..1, "b", true)], Some("wrong place"));
    }
}
