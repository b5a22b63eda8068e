//! Worked examples of the review: what happens, and the one right outcome, through the pure core and a naive editor.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test ends where it can't go on"
)]

#[path = "review_scenarios/naive_editor.rs"]
mod naive_editor;
#[path = "review_scenarios/told.rs"]
mod told;

use std::fmt::Write;

use copydesk::conversation::ToolUseId;
use copydesk::documents::Change;
use copydesk::review::{HalfMove, HunkRef, HunkState, HunkView, Reason, Take, ToldWhat};
use naive_editor::Desk;
use serde::Deserialize;
use told::{Facts, Lines, Refused, Said, Share};

/// `semantics` in the file says what each operation means.
#[derive(Deserialize)]
struct Table {
    scenarios: Vec<Scenario>,
}

#[derive(Deserialize)]
struct Scenario {
    id: String,
    title: String,
    start: String,
    ops: Vec<Op>,
    expect: Outcome,
    /// What the agent is told; `told.rs` says what each value means.
    told: String,
    /// Where the design says something else than `told`.
    policy: Option<Policy>,
}

#[derive(Deserialize)]
struct Policy {
    told: String,
}

/// One example under way.
struct Play {
    desk: Desk,
    facts: Facts,
    /// What the user's changes made of the agent's side since it was last told.
    untold: Lines,
    /// What the agent was told.
    told: Vec<Said>,
    refused: Option<Refused>,
}

#[derive(Deserialize)]
#[serde(tag = "op", rename_all = "snake_case")]
enum Op {
    AgentReplace {
        old: String,
        new: String,
        #[serde(default)]
        refused: bool,
    },
    AgentWrite {
        text: String,
    },
    User {
        at: [usize; 4],
        text: String,
    },
    UserBatch {
        changes: Vec<Typed>,
    },
    UserFull {
        text: String,
    },
    Accept {
        hunk: usize,
    },
    AcceptAll,
    AcceptLines {
        hunk: usize,
        minus: Vec<usize>,
        plus: Vec<usize>,
    },
    Reject {
        hunk: usize,
    },
    RejectAll,
    Amend {
        hunk: usize,
        lines: Vec<String>,
    },
    Resolve {
        hunk: usize,
        take: String,
    },
    Undo,
    Redo,
}

#[derive(Deserialize)]
struct Typed {
    at: [usize; 4],
    text: String,
}

#[derive(Deserialize, Debug, PartialEq)]
struct Outcome {
    buffer: String,
    draft: String,
    hunks: Vec<Hunk>,
}

#[derive(Deserialize, Debug, PartialEq)]
struct Hunk {
    line: usize,
    old: String,
    new: String,
    state: String,
}

#[test]
fn every_scenario_ends_as_it_should() {
    let table: Table = serde_json::from_str(include_str!("fixtures/review-scenarios.json")).unwrap();
    let mut report = String::new();
    let mut right = 0;
    for scenario in &table.scenarios {
        match run(scenario) {
            Ok(()) => {
                right += 1;
                writeln!(report, "{:4} ok      {}", scenario.id, scenario.title).unwrap();
            }
            Err(difference) => {
                writeln!(report, "{:4} WRONG   {}\n{difference}", scenario.id, scenario.title).unwrap();
            }
        }
    }
    println!("{report}{right} of {}", table.scenarios.len());
    assert_eq!(right, table.scenarios.len(), "\n{report}");
}

fn run(scenario: &Scenario) -> Result<(), String> {
    let (desk, facts) = (Desk::open(&scenario.start), Facts::default());
    let mut play = Play { desk, facts, untold: Lines::default(), told: Vec::new(), refused: None };
    let mut proposed = false;
    for (index, op) in scenario.ops.iter().enumerate() {
        let before = play.desk.draft();
        play.note_rejected(op);
        perform(&mut play, op, &reason(index))?;
        let desk = &mut play.desk;
        desk.check_alignment().map_err(|what| format!("     after operation {index}: {what}"))?;
        match op {
            // It is told with the result of its call.
            Op::AgentReplace { .. } | Op::AgentWrite { .. } => {
                proposed = true;
                play.tell();
            }
            // Before its first change the agent has no side of its own.
            _ if !proposed => {}
            Op::User { .. } | Op::UserBatch { .. } | Op::UserFull { .. } | Op::Undo | Op::Redo => {
                play.untold.change(&before, &desk.draft());
            }
            Op::Accept { .. }
            | Op::AcceptAll
            | Op::AcceptLines { .. }
            | Op::Reject { .. }
            | Op::RejectAll
            | Op::Amend { .. }
            | Op::Resolve { .. } => {}
        }
    }
    play.tell();
    let got = Outcome {
        buffer: play.desk.buffer(),
        draft: play.desk.draft(),
        hunks: play.desk.review.hunks().iter().map(as_shown).collect(),
    };
    if got != scenario.expect {
        return Err(difference(&scenario.expect, &got));
    }
    play.compare_told(scenario)
}

impl Play {
    fn note_rejected(&mut self, op: &Op) {
        let rejects = |at: usize| match op {
            Op::Reject { hunk } => at == *hunk,
            Op::RejectAll => true,
            Op::Resolve { hunk, take } => take == "mine" && at == *hunk,
            _ => false,
        };
        let hunks = self.desk.review.hunks();
        let rejected = hunks.iter().enumerate().filter(|(at, _)| rejects(*at));
        self.facts.rejected.extend(rejected.map(|(_, hunk)| without_last_end(&hunk.added)));
    }

    fn tell(&mut self) {
        self.facts.lines.add(std::mem::take(&mut self.untold));
        self.told.extend(self.desk.review.take_told().into_iter().map(said));
    }

    /// What the user changed beside the hunks is the desk's to tell; the table of the whole program sees that.
    fn compare_told(&mut self, scenario: &Scenario) -> Result<(), String> {
        let value = scenario.policy.as_ref().map_or(&scenario.told, |policy| &policy.told);
        let conflicts = scenario.expect.hunks.iter().filter(|hunk| hunk.state == "conflicted");
        self.facts.conflicts = conflicts.map(|hunk| (hunk.old.clone(), hunk.new.clone())).collect();
        let mut wanted = told::wanted(value, &self.facts).map_err(|what| format!("     {what}"))?;
        wanted.retain(|said| !matches!(said, Said::FileChanged(_)));
        self.told.sort();
        if self.told != wanted {
            return Err(format!("   ! told   wanted {wanted:?}\n            got    {:?}\n", self.told));
        }
        let refusal = told::refusal(value);
        if self.refused != refusal {
            return Err(format!("   ! refusal wanted {refusal:?}\n             got    {:?}\n", self.refused));
        }
        Ok(())
    }
}

fn said(what: ToldWhat) -> Said {
    let lines = |diff: &str| Lines::of_diff(diff.lines());
    match what {
        ToldWhat::Accepted { summary } => Said::Accepted(Share::of(&summary)),
        ToldWhat::AcceptedOver { mine, .. } => Said::AcceptedOver(without_last_end(&mine)),
        ToldWhat::AcceptedByHand { summary } => Said::AcceptedByHand(Share::of(&summary)),
        ToldWhat::Rejected { reason, text, half, .. } => Said::Rejected {
            text: without_last_end(&text),
            why: reason,
            stands_twice: half == Some(HalfMove::Twice),
        },
        ToldWhat::Amended { diff, .. } => Said::Amended(lines(&diff)),
        ToldWhat::Altered { diff, .. } => Said::Altered(lines(&diff)),
        ToldWhat::Undone { .. } => Said::Undone,
        ToldWhat::Conflicted { mine, agents, .. } => {
            Said::Conflicted { mine: without_last_end(&mine), agents: without_last_end(&agents) }
        }
        ToldWhat::FileChanged { diff, .. } => Said::FileChanged(lines(&diff)),
        ToldWhat::Overtaken { summary } => panic!("the examples have texts only: {summary}"),
        ToldWhat::FileRenamed { to } => panic!("nothing is renamed in the examples: {to:?}"),
    }
}

fn perform(play: &mut Play, op: &Op, reason: &Reason) -> Result<(), String> {
    let desk = &mut play.desk;
    match op {
        Op::AgentReplace { old, new, refused } => {
            let draft = desk.draft();
            let places: Vec<usize> = draft.match_indices(old.as_str()).map(|(at, _)| at).collect();
            match (&*places, refused) {
                ([at], false) => {
                    let change = Change { range: *at..at + old.len(), text: new.clone() };
                    desk.review.edit(&[change], reason);
                }
                ([_], true) => return Err(format!("     {old:?} should not be found once")),
                ([], true) => {
                    let is_rejected = desk.review.rejected().iter().any(|text| text.contains(old.as_str()));
                    play.refused = Some(if is_rejected { Refused::Rejected } else { Refused::Amended });
                }
                (_, true) => play.refused = Some(Refused::Twice),
                (places, false) => return Err(format!("     {old:?} found {} times", places.len())),
            }
        }
        Op::AgentWrite { text } => desk.review.write(text, reason),
        Op::User { at, text } => desk.types(&[(*at, text)]),
        Op::UserBatch { changes } => {
            let changes: Vec<_> = changes.iter().map(|typed| (typed.at, typed.text.as_str())).collect();
            desk.types(&changes);
        }
        Op::UserFull { text } => desk.whole_text(text),
        Op::Accept { hunk } => {
            let hunk = desk.hunk(*hunk);
            let edits = desk.review.accept(&[hunk]).map_err(|refusal| refusal.to_string())?;
            desk.apply(&edits);
        }
        Op::AcceptAll => {
            let hunks = desk.review.hunks();
            for hunk in hunks.iter().rev().filter(|hunk| hunk.state == HunkState::Pending) {
                let edits = desk.review.accept(&[named(hunk)]).map_err(|refusal| refusal.to_string())?;
                desk.apply(&edits);
            }
        }
        Op::AcceptLines { hunk, minus, plus } => {
            let hunk = desk.hunk(*hunk);
            let edits =
                desk.review.accept_lines(&hunk, minus, plus).map_err(|refusal| refusal.to_string())?;
            desk.apply(&edits);
        }
        Op::Reject { hunk } => {
            let hunk = desk.hunk(*hunk);
            desk.review.reject(&[hunk], None).map_err(|refusal| refusal.to_string())?;
        }
        Op::RejectAll => {
            let hunks: Vec<HunkRef> = desk.review.hunks().iter().map(named).collect();
            desk.review.reject(&hunks, None).map_err(|refusal| refusal.to_string())?;
        }
        Op::Amend { hunk, lines } => {
            let hunk = desk.hunk(*hunk);
            desk.review.amend(&hunk, &lines.join("\n")).map_err(|refusal| refusal.to_string())?;
        }
        Op::Resolve { hunk, take } => {
            let hunk = desk.hunk(*hunk);
            let take = if take == "mine" { Take::Mine } else { Take::Agents };
            let edits = desk.review.resolve(&hunk, take).map_err(|refusal| refusal.to_string())?;
            desk.apply(&edits);
        }
        Op::Undo => desk.undo(),
        Op::Redo => desk.redo(),
    }
    Ok(())
}

fn as_shown(hunk: &HunkView) -> Hunk {
    Hunk {
        line: hunk.lines.start,
        old: without_last_end(&hunk.removed),
        new: without_last_end(&hunk.added),
        state: match hunk.state {
            HunkState::Pending => "pending",
            HunkState::Applying => "applying",
            HunkState::Conflicted => "conflicted",
        }
        .to_owned(),
    }
}

fn without_last_end(lines: &str) -> String {
    let unix = lines.replace("\r\n", "\n");
    unix.strip_suffix('\n').unwrap_or(&unix).to_owned()
}

fn named(hunk: &HunkView) -> HunkRef {
    HunkRef { id: hunk.id.clone(), revision: Some(hunk.revision) }
}

fn reason(index: usize) -> Reason {
    Reason {
        tool_use_id: ToolUseId(format!("t{index}")),
        summary: format!("step {index}"),
        agent: None,
        by_user: false,
        must_ask: None,
    }
}

fn difference(wanted: &Outcome, got: &Outcome) -> String {
    let mut lines = String::new();
    for (what, wanted, got) in [("buffer", &wanted.buffer, &got.buffer), ("draft", &wanted.draft, &got.draft)]
    {
        let mark = if wanted == got { ' ' } else { '!' };
        writeln!(lines, "   {mark} {what:6} wanted {wanted:?}\n            got    {got:?}").unwrap();
    }
    let list = |hunks: &[Hunk]| -> String {
        let hunks = hunks
            .iter()
            .map(|hunk| format!("line {} {:?} -> {:?} {}", hunk.line, hunk.old, hunk.new, hunk.state));
        hunks.collect::<Vec<_>>().join("; ")
    };
    let mark = if wanted.hunks == got.hunks { ' ' } else { '!' };
    writeln!(
        lines,
        "   {mark} hunks  wanted {}\n            got    {}",
        list(&wanted.hunks),
        list(&got.hunks)
    )
    .unwrap();
    lines
}
