//! The `told` column of the worked examples: what each of its values means, exactly, and what an agent was told, in one form
//! for the table of the core and the table of the whole program.

use std::collections::BTreeMap;

/// One thing that an agent is told. The words of its own proposal are left out, but for how much of it this is about.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Said {
    Accepted(Share),
    AcceptedOver(String),
    AcceptedByHand(Share),
    Rejected { text: String, why: Option<String>, stands_twice: bool },
    Amended(Lines),
    Altered(Lines),
    Undone,
    Conflicted { mine: String, agents: String },
    FileChanged(Lines),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Share {
    Whole,
    Part,
    Rest,
}

/// Lines that went and lines that came, in no order.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Lines {
    gone: Vec<String>,
    new: Vec<String>,
}

/// Why a call was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refused {
    /// The text is not there: the user rejected it.
    Rejected,
    /// The text is not there: the user has put it in other words.
    Amended,
    Twice,
}

/// What happened in an example, as far as the column does not say it.
#[derive(Default)]
pub(crate) struct Facts {
    /// The user's and the agent's text of each conflict that is left.
    pub(crate) conflicts: Vec<(String, String)>,
    /// The agent's text of each hunk at its rejection.
    pub(crate) rejected: Vec<String>,
    /// What the user's own changes made of the agent's side.
    pub(crate) lines: Lines,
}

/// What a part of a value stands for.
#[derive(Clone, Copy)]
enum Part {
    Accepted(Share),
    AcceptedOver(&'static str),
    ByHand(Share),
    Rejected,
    /// A conflict in which the user's text was taken.
    RejectedFor(&'static str),
    /// One half of a move: the draft has it twice now.
    RejectedHalf,
    Amended(&'static str, &'static str),
    /// The user's changes were of accepted text.
    Altered,
    Undone,
    Conflict,
    /// The user's changes beside the hunks: so many lines went, so many came.
    Changed(usize, usize),
}

use Part::{
    Accepted, AcceptedOver, Altered, Amended, ByHand, Changed, Conflict, Rejected, RejectedFor, RejectedHalf,
    Undone,
};
use Share::{Part as APart, Whole};

/// Every value of the column. What it does not name is not told.
const MEANING: &[(&str, &[Part])] = &[
    ("-", &[]),
    ("nothing", &[]),
    ("nothing worth telling", &[]),
    ("error: two matches", &[]),
    ("user added a line", &[Changed(0, 1)]),
    ("user changed a line", &[Changed(1, 1)]),
    ("user deleted a line", &[Changed(1, 0)]),
    ("user re-indented", &[Changed(1, 1)]),
    ("formatted: 1 line", &[Changed(1, 1)]),
    ("formatted", &[Changed(2, 2)]),
    ("conflict", &[Conflict]),
    ("conflict, both texts", &[Conflict]),
    ("conflict on one line", &[Conflict]),
    ("conflict; user deleted a line", &[Conflict, Changed(1, 0)]),
    ("conflict; user deleted two lines", &[Conflict, Changed(2, 0)]),
    ("conflict; user changed two lines", &[Conflict, Changed(2, 2)]),
    ("accepted (by hand)", &[ByHand(Whole)]),
    ("accepted (by hand); nothing about the states between", &[ByHand(Whole)]),
    ("one line accepted by hand", &[ByHand(APart)]),
    ("part done by hand", &[ByHand(APart)]),
    ("accepted by hand; two other edits", &[ByHand(Whole), Changed(1, 2)]),
    ("accepted", &[Accepted(Whole)]),
    ("accepted (told once)", &[Accepted(Whole)]),
    ("1 accepted", &[Accepted(Whole)]),
    ("2 accepted", &[Accepted(Whole), Accepted(Whole)]),
    ("part accepted", &[Accepted(APart)]),
    ("1 accepted, 1 conflict", &[Accepted(Whole), Conflict]),
    ("1 accepted, 1 pending", &[Accepted(Whole), Undone]),
    ("accepted over the user text", &[AcceptedOver("bx")]),
    ("accepted; later altered to B!", &[Altered]),
    ("accepted; user changed one line back", &[Altered]),
    ("accepted; then formatted (small diff)", &[Altered]),
    ("accepted, then undone: pending", &[Undone]),
    ("pending", &[Undone]),
    ("pending; user took ! back", &[Undone, Changed(1, 1)]),
    ("rejected", &[Rejected]),
    ("rejected; user changed a line", &[Rejected, Changed(1, 1)]),
    ("rejected; then: no match, the user rejected that text", &[Rejected]),
    ("rejected: user kept bx", &[RejectedFor("bx")]),
    ("1 accepted, then 2 rejected", &[Accepted(Whole), Rejected, Rejected]),
    ("1 rejected: 4 now stands twice in the draft", &[RejectedHalf]),
    ("altered B -> Bu", &[Amended("B", "Bu")]),
];

/// The refusals that a value speaks of; the agent's call has them as its result.
const REFUSALS: &[(&str, Refused)] = &[
    ("rejected; then: no match, the user rejected that text", Refused::Rejected),
    ("error: two matches", Refused::Twice),
    ("altered B -> Bu", Refused::Amended),
];

/// What a value of the column means, sorted.
pub(crate) fn wanted(value: &str, facts: &Facts) -> Result<Vec<Said>, String> {
    let (_, parts) = MEANING
        .iter()
        .find(|(known, _)| *known == value)
        .ok_or_else(|| format!("nobody knows what {value:?} means"))?;
    let mut rejected = facts.rejected.iter();
    let mut next_rejected = || rejected.next().cloned().unwrap_or_default();
    let mut said = Vec::new();
    for part in *parts {
        match *part {
            Accepted(share) => said.push(Said::Accepted(share)),
            AcceptedOver(mine) => said.push(Said::AcceptedOver(mine.to_owned())),
            ByHand(share) => said.push(Said::AcceptedByHand(share)),
            Rejected => {
                said.push(Said::Rejected { text: next_rejected(), why: None, stands_twice: false });
            }
            RejectedFor(kept) => {
                let why = Some(format!("this stays as the user wrote it: {kept}"));
                said.push(Said::Rejected { text: next_rejected(), why, stands_twice: false });
            }
            RejectedHalf => {
                said.push(Said::Rejected { text: next_rejected(), why: None, stands_twice: true });
            }
            Amended(before, after) => said.push(Said::Amended(Lines::between(before, after))),
            Altered => said.push(Said::Altered(facts.lines.clone())),
            Undone => said.push(Said::Undone),
            Conflict => said.extend(
                facts
                    .conflicts
                    .iter()
                    .map(|(mine, agents)| Said::Conflicted { mine: mine.clone(), agents: agents.clone() }),
            ),
            Changed(gone, new) => {
                if (facts.lines.gone.len(), facts.lines.new.len()) != (gone, new) {
                    return Err(format!("{value:?} is about other changes than {:?}", facts.lines));
                }
                said.push(Said::FileChanged(facts.lines.clone()));
            }
        }
    }
    said.sort();
    Ok(said)
}

/// The refusal that a value of the column speaks of.
pub(crate) fn refusal(value: &str) -> Option<Refused> {
    REFUSALS.iter().find(|(known, _)| *known == value).map(|(_, refused)| *refused)
}

impl Share {
    /// Read off the words that a proposal is told in.
    pub(crate) fn of(summary: &str) -> Self {
        if summary.starts_with("a part of: ") {
            Self::Part
        } else if summary.starts_with("the rest of: ") {
            Self::Rest
        } else {
            Self::Whole
        }
    }
}

impl Lines {
    pub(crate) fn between(before: &str, after: &str) -> Self {
        let mut lines = Self::default();
        lines.change(before, after);
        lines
    }

    /// Of a unified diff.
    pub(crate) fn of_diff<'a>(diff: impl IntoIterator<Item = &'a str>) -> Self {
        let mut lines = Self::default();
        for line in diff {
            let is_header = line.starts_with("--- ") || line.starts_with("+++ ");
            if let Some(gone) = line.strip_prefix('-').filter(|_| !is_header) {
                lines.gone.push(gone.to_owned());
            } else if let Some(new) = line.strip_prefix('+').filter(|_| !is_header) {
                lines.new.push(new.to_owned());
            }
        }
        lines.sort();
        lines
    }

    /// Another change behind it: what came and went again is nothing.
    pub(crate) fn change(&mut self, before: &str, after: &str) {
        let mut counts: BTreeMap<&str, i32> = BTreeMap::new();
        let (gone, new) = (std::mem::take(&mut self.gone), std::mem::take(&mut self.new));
        for line in before.lines().chain(gone.iter().map(String::as_str)) {
            *counts.entry(line).or_default() -= 1;
        }
        for line in after.lines().chain(new.iter().map(String::as_str)) {
            *counts.entry(line).or_default() += 1;
        }
        for (line, count) in counts {
            let side = if count < 0 { &mut self.gone } else { &mut self.new };
            side.extend((0..count.abs()).map(|_| line.to_owned()));
        }
        self.sort();
    }

    pub(crate) fn add(&mut self, other: Self) {
        self.gone.extend(other.gone);
        self.new.extend(other.new);
        self.sort();
    }

    fn sort(&mut self) {
        self.gone.sort();
        self.new.sort();
    }
}
