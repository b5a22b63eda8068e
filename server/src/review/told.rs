//! What the agent is told of the user's decisions: per hunk, once and net.

use similar::TextDiff;

use super::hunk::Hunk;
use super::line::{Line, joined};
use super::{HalfMove, HunkId, ToldWhat};

/// Where a hunk stands, as far as the agent is told.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Net {
    Pending,
    Accepted,
    AcceptedByHand,
    Rejected { reason: Option<String>, text: String, half: Option<HalfMove> },
    Undone,
    Conflicted { mine: String, agents: String },
}

#[derive(Clone, Debug)]
struct Entry {
    hunk: HunkId,
    summary: String,
    now: Net,
    told: Net,
    altered: Option<String>,
}

/// What is to be told. Only the last state of each hunk counts, and only if it is not the one told before.
#[derive(Clone, Debug, Default)]
pub(super) struct Ledger {
    entries: Vec<Entry>,
}

impl Ledger {
    pub(super) fn record(&mut self, hunk: &Hunk, now: Net) {
        if let Some(entry) = self.entry(&hunk.id, hunk.summary()) {
            entry.now = now;
        }
    }

    /// What looked like the user's own typing was an accept.
    pub(super) fn was_accepted(&mut self, hunk: &HunkId) {
        let by_hand = |entry: &&mut Entry| entry.hunk == *hunk && entry.now == Net::AcceptedByHand;
        if let Some(entry) = self.entries.iter_mut().find(by_hand) {
            entry.now = Net::Accepted;
        }
    }

    /// A hunk is conflicted at the moment of telling. A state between two keystrokes is never recorded.
    pub(super) fn conflicted(&mut self, hunk: &Hunk, mine: String, agents: String) {
        self.record(hunk, Net::Conflicted { mine, agents });
    }

    /// A hunk is pending again, or still. An undone one stays so.
    pub(super) fn pending(&mut self, hunk: &Hunk) {
        let entry = self.entries.iter_mut().find(|entry| entry.hunk == hunk.id);
        if let Some(entry) = entry.filter(|entry| matches!(entry.now, Net::Conflicted { .. })) {
            entry.now = Net::Pending;
        }
    }

    pub(super) fn altered(&mut self, hunk: &HunkId, summary: String, before: &[Line], after: &[Line]) {
        if let Some(entry) = self.entry(hunk, summary) {
            entry.altered = Some(small_diff(before, after));
        }
    }

    /// Everything that changed since it was told.
    pub(super) fn take(&mut self) -> Vec<ToldWhat> {
        let mut all = Vec::new();
        for entry in &mut self.entries {
            let summary = entry.summary.clone();
            if entry.now != entry.told {
                entry.told = entry.now.clone();
                match entry.now.clone() {
                    Net::Pending => {}
                    Net::Accepted => all.push(ToldWhat::Accepted { summary: summary.clone() }),
                    Net::AcceptedByHand => all.push(ToldWhat::AcceptedByHand { summary: summary.clone() }),
                    Net::Rejected { reason, text, half } => {
                        all.push(ToldWhat::Rejected { summary: summary.clone(), reason, text, half });
                    }
                    Net::Undone => all.push(ToldWhat::Undone { summary: summary.clone() }),
                    Net::Conflicted { mine, agents } => {
                        all.push(ToldWhat::Conflicted { summary: summary.clone(), mine, agents });
                    }
                }
            }
            if let Some(diff) = entry.altered.take() {
                all.push(match entry.now {
                    Net::Accepted | Net::AcceptedByHand => ToldWhat::Altered { summary, diff },
                    Net::Pending | Net::Rejected { .. } | Net::Undone | Net::Conflicted { .. } => {
                        ToldWhat::Amended { summary, diff }
                    }
                });
            }
        }
        all
    }

    /// The entry of a hunk, made if need be.
    fn entry(&mut self, hunk: &HunkId, summary: String) -> Option<&mut Entry> {
        let index = self.entries.iter().position(|entry| entry.hunk == *hunk).unwrap_or(self.entries.len());
        if index == self.entries.len() {
            let (hunk, summary) = (hunk.clone(), summary.clone());
            self.entries.push(Entry { hunk, summary, now: Net::Pending, told: Net::Pending, altered: None });
        }
        let entry = self.entries.get_mut(index)?;
        if !summary.is_empty() {
            entry.summary = summary;
        }
        Some(entry)
    }
}

/// Whether every line of the diff in `change` stands in what is told of the user's changes of accepted text: then it is said
/// already.
pub(super) fn is_said_in(told: &[ToldWhat], change: &ToldWhat) -> bool {
    let ToldWhat::FileChanged { diff, .. } = change else { return false };
    let altered = told.iter().filter_map(|what| match what {
        ToldWhat::Altered { diff, .. } => Some(diff.as_str()),
        _ => None,
    });
    let mut said: Vec<&str> = altered.flat_map(changed_lines).collect();
    let mut lines = changed_lines(diff).peekable();
    lines.peek().is_some()
        && lines.all(|line| {
            let found = said.iter().position(|said| *said == line);
            found.map(|at| said.swap_remove(at)).is_some()
        })
}

fn changed_lines(diff: &str) -> impl Iterator<Item = &str> {
    let headers = |line: &&str| !line.starts_with("+++ ") && !line.starts_with("--- ");
    diff.lines().filter(headers).filter(|line| line.starts_with(['+', '-']))
}

fn small_diff(before: &[Line], after: &[Line]) -> String {
    let (before, after) = (joined(before), joined(after));
    TextDiff::from_lines(&before, &after).unified_diff().context_radius(1).to_string()
}
