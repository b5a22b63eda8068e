//! What the agent is told of the user's decisions: per hunk, once and net.

use similar::TextDiff;

use super::hunk::{Call, Hunk, Share};
use super::line::{Line, joined, same};
use super::{HalfMove, HunkId, ToldWhat};

/// Where a hunk stands, as far as the agent is told.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Net {
    Pending,
    Accepted,
    /// A conflict in which the agent's side was taken: this is what was there.
    AcceptedOver(String),
    AcceptedByHand,
    /// `half`: of a move, and the name of the other half.
    Rejected {
        reason: Option<String>,
        text: String,
        half: Option<(HalfMove, HunkId)>,
    },
    Undone,
    Conflicted {
        mine: String,
        agents: String,
    },
}

#[derive(Clone, Debug)]
struct Entry {
    hunk: HunkId,
    call: Option<Call>,
    summary: String,
    now: Net,
    told: Net,
    words: Option<Words>,
}

/// Another's words in the place of the agent's.
#[derive(Clone, Debug)]
struct Words {
    /// As the agent knows them.
    known: Vec<Line>,
    now: Vec<Line>,
}

/// What is to be told. Only the last state of each hunk counts, and only if it is not the one told before.
#[derive(Clone, Debug, Default)]
pub(super) struct Ledger {
    entries: Vec<Entry>,
}

impl Net {
    /// Whether it was accepted, if it was decided.
    fn accepted(&self) -> Option<bool> {
        match self {
            Self::Accepted | Self::AcceptedOver(_) | Self::AcceptedByHand => Some(true),
            Self::Rejected { .. } => Some(false),
            Self::Pending | Self::Undone | Self::Conflicted { .. } => None,
        }
    }
}

impl Ledger {
    pub(super) fn record(&mut self, hunk: &Hunk, now: Net) {
        if let Some(entry) = self.entry_of(hunk) {
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

    /// The user changed accepted text.
    pub(super) fn altered(&mut self, hunk: &HunkId, before: &[Line], after: &[Line]) {
        if let Some(entry) = self.entry(hunk, String::new()) {
            entry.put_in_words(before, after);
        }
    }

    /// The user put a hunk in other words.
    pub(super) fn amended(&mut self, hunk: &Hunk, before: &[Line], after: &[Line]) {
        if let Some(entry) = self.entry_of(hunk) {
            entry.put_in_words(before, after);
        }
    }

    /// Everything that changed since it was told, with these hunks left.
    pub(super) fn take(&mut self, left: &[Hunk]) -> Vec<ToldWhat> {
        let shares: Vec<&str> = self.entries.iter().map(|entry| self.share(entry, left)).collect();
        self.entries.iter_mut().zip(shares).flat_map(|(entry, share)| entry.take(share, left)).collect()
    }

    /// A decision is told as one about a part, if other hunks of the same call wait or were decided otherwise.
    fn share(&self, entry: &Entry, left: &[Hunk]) -> &'static str {
        let Some(call) = entry.call.as_ref().filter(|_| entry.is_news() && entry.now.accepted().is_some())
        else {
            return "";
        };
        let waits = |hunk: &Hunk| hunk.id != entry.hunk && hunk.call().as_ref() == Some(call);
        let others = || {
            let of_call = |other: &&Entry| other.hunk != entry.hunk && other.call.as_ref() == Some(call);
            self.entries.iter().filter(of_call).filter(|other| other.now.accepted().is_some())
        };
        let otherwise = |other: &Entry| other.is_news() && other.now.accepted() != entry.now.accepted();
        if left.iter().any(waits) || others().any(otherwise) {
            "a part of: "
        } else if others().any(|other| !other.is_news()) {
            "the rest of: "
        } else {
            ""
        }
    }

    fn entry_of(&mut self, hunk: &Hunk) -> Option<&mut Entry> {
        let entry = self.entry(&hunk.id, hunk.summary())?;
        // What is a part by itself says so.
        entry.call = hunk.call().filter(|_| hunk.share == Share::Whole);
        Some(entry)
    }

    /// The entry of a hunk, made if need be.
    fn entry(&mut self, hunk: &HunkId, summary: String) -> Option<&mut Entry> {
        let index = self.entries.iter().position(|entry| entry.hunk == *hunk).unwrap_or(self.entries.len());
        if index == self.entries.len() {
            let (hunk, summary) = (hunk.clone(), summary.clone());
            let (now, told) = (Net::Pending, Net::Pending);
            self.entries.push(Entry { hunk, call: None, summary, now, told, words: None });
        }
        let entry = self.entries.get_mut(index)?;
        if !summary.is_empty() {
            entry.summary = summary;
        }
        Some(entry)
    }
}

impl Entry {
    fn is_news(&self) -> bool {
        self.now != self.told
    }

    fn put_in_words(&mut self, before: &[Line], after: &[Line]) {
        let known = self.words.take().map_or_else(|| before.to_vec(), |words| words.known);
        self.words = Some(Words { known, now: after.to_vec() });
    }

    fn take(&mut self, share: &str, left: &[Hunk]) -> Vec<ToldWhat> {
        let is_news = self.is_news();
        self.told = self.now.clone();
        let summary = format!("{share}{}", self.summary);
        let words = self.words.take();
        let diff = words.as_ref().filter(|words| !same(&words.known, &words.now));
        let diff = diff.map(|words| small_diff(&words.known, &words.now));
        let is_left = |id: &HunkId| left.iter().any(|hunk| hunk.is_called(id));
        match (self.now.clone(), diff) {
            (Net::AcceptedOver(mine), diff) => {
                let altered = diff.map(|diff| ToldWhat::Altered { summary: summary.clone(), diff });
                let accepted = is_news.then_some(ToldWhat::AcceptedOver { summary, mine, by_others: false });
                accepted.into_iter().chain(altered).collect()
            }
            (Net::Accepted | Net::AcceptedByHand, Some(diff)) => vec![ToldWhat::Altered { summary, diff }],
            (Net::Pending | Net::Undone, Some(diff)) if is_left(&self.hunk) => {
                let undone = ToldWhat::Undone { summary: summary.clone() };
                let undone = (is_news && self.now == Net::Undone).then_some(undone);
                undone.into_iter().chain([ToldWhat::Amended { summary, diff }]).collect()
            }
            _ if !is_news => Vec::new(),
            (Net::Pending, _) => Vec::new(),
            (Net::Accepted, None) => vec![ToldWhat::Accepted { summary }],
            (Net::AcceptedByHand, None) => vec![ToldWhat::AcceptedByHand { summary }],
            (Net::Rejected { reason, text, half }, _) => {
                let text = words.map_or(text, |words| joined(&words.known));
                let half = half.filter(|(_, other)| is_left(other)).map(|(half, _)| half);
                vec![ToldWhat::Rejected { summary, reason, text, half }]
            }
            (Net::Undone, _) => vec![ToldWhat::Undone { summary }],
            (Net::Conflicted { mine, agents }, diff) => {
                let amended = diff.is_some();
                vec![ToldWhat::Conflicted { summary, mine, agents, amended, by_others: false }]
            }
        }
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
