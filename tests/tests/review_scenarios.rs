//! The worked examples of the review once more, through the whole program: a model's tool calls, an editor's messages.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test ends where it can't go on, and this one prints its table"
)]

#[path = "../../server/tests/review_scenarios/told.rs"]
mod told;

use std::fmt::Write;

use copydesk_tests::client::{Home, full_capabilities};
use copydesk_tests::puppet::{Outcome, Puppets};
use serde_json::{Value, json};
use told::{Facts, Lines, Refused, Said, Share};

const AGENT: &str = "the agent";

/// One example under way: an editor with one open file and an undo stack, and a model.
struct Play {
    puppets: Puppets,
    uri: String,
    path: String,
    /// Texts before each step, newest last, and those that were undone.
    undo: Vec<String>,
    redo: Vec<String>,
    facts: Facts,
    /// What the user's changes made of the agent's side since it was last told.
    untold: Lines,
    told: Vec<Said>,
    /// The agent has changed the file: the table speaks of what is told from then on.
    proposed: bool,
    refused: Option<Refused>,
}

#[tokio::test]
async fn every_scenario_ends_as_it_should() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../server/tests/fixtures/review-scenarios.json");
    let table: Value = serde_json::from_str(&std::fs::read_to_string(file).expect(file)).unwrap();
    let scenarios = table["scenarios"].as_array().unwrap();
    let (mut report, mut right) = (String::new(), 0);
    for scenario in scenarios {
        let (id, title) = (scenario["id"].as_str().unwrap(), scenario["title"].as_str().unwrap());
        match run(scenario).await {
            Ok(()) => {
                right += 1;
                writeln!(report, "{id:4} ok      {title}").unwrap();
            }
            Err(difference) => writeln!(report, "{id:4} WRONG   {title}\n     {difference}").unwrap(),
        }
    }
    println!("{report}{right} of {}", scenarios.len());
    assert_eq!(right, scenarios.len(), "\n{report}");
}

async fn run(scenario: &Value) -> Result<(), String> {
    let home = Home::new();
    let start = scenario["start"].as_str().unwrap();
    home.write("f.txt", start);
    let uri = home.uri("f.txt");
    let path = home.path("f.txt").to_str().unwrap().to_owned();
    // Columns of the examples count characters.
    let mut capabilities = full_capabilities();
    capabilities["general"]["positionEncodings"] = json!(["utf-32"]);
    let mut puppets = Puppets::start_with(home, capabilities).await;
    puppets.client.did_open(&uri, "plaintext", start);
    puppets.call(AGENT, "Read", json!({ "file_path": path })).await;
    let mut play = Play {
        puppets,
        uri,
        path,
        undo: Vec::new(),
        redo: Vec::new(),
        facts: Facts::default(),
        untold: Lines::default(),
        told: Vec::new(),
        proposed: false,
        refused: None,
    };
    let result = play.run(scenario).await;
    play.puppets.end().await;
    result
}

impl Play {
    async fn run(&mut self, scenario: &Value) -> Result<(), String> {
        for op in scenario["ops"].as_array().unwrap() {
            self.note_rejected(op).await;
            let before = self.draft().await;
            self.perform(op).await.map_err(|cause| format!("{op}: {cause}"))?;
            let is_by_user =
                ["user", "user_batch", "user_full", "undo", "redo"].iter().any(|by| op["op"] == *by);
            if is_by_user {
                let after = self.draft().await;
                self.untold.change(&before, &after);
            }
        }
        self.compare(&scenario["expect"]).await?;
        let told = self.puppets.told(AGENT).await;
        self.tell(&told)?;
        self.compare_told(scenario)
    }

    async fn perform(&mut self, op: &Value) -> Result<(), String> {
        match op["op"].as_str().unwrap() {
            "agent_replace" => {
                let input =
                    json!({ "file_path": self.path, "old_string": op["old"], "new_string": op["new"] });
                let outcome = self.call("Edit", input).await?;
                self.proposed = true;
                if outcome.is_error != (op["refused"] == true) {
                    return Err(outcome.text);
                }
                if outcome.is_error {
                    self.refused = Some(refused(&outcome.text)?);
                }
                Ok(())
            }
            "agent_write" => {
                if !self.proposed {
                    // What is read is known.
                    self.untold = Lines::default();
                }
                self.call("Read", json!({ "file_path": self.path })).await?;
                let input = json!({ "file_path": self.path, "content": op["text"] });
                let outcome = self.call("Write", input).await?;
                self.proposed = true;
                if outcome.is_error { Err(outcome.text) } else { Ok(()) }
            }
            "user" => {
                self.step();
                self.puppets.client.type_changes(&self.uri, &json!([change(op)]));
                Ok(())
            }
            "user_batch" => {
                self.step();
                let changes: Value = op["changes"].as_array().unwrap().iter().map(change).collect();
                self.puppets.client.type_changes(&self.uri, &changes);
                Ok(())
            }
            "user_full" => {
                self.step();
                self.puppets.client.type_changes(&self.uri, &json!([{ "text": op["text"] }]));
                Ok(())
            }
            "accept" => {
                let hunk = self.nth(op).await;
                self.decide("accept", hunk, "accepted").await
            }
            "accept_all" => {
                // Each hunk is a step of its own for the editor's undo, the last one first.
                for hunk in self.hunks().await.iter().rev().filter(|hunk| hunk["state"] == "pending") {
                    self.decide("accept", json!({ "hunkId": hunk["id"] }), "accepted").await?;
                }
                Ok(())
            }
            "accept_lines" => {
                let mut target = self.nth(op).await;
                target["lines"] = json!({ "removed": op["minus"], "added": op["plus"] });
                self.decide("accept", target, "accepted").await
            }
            "reject" => {
                let hunk = self.nth(op).await;
                self.decide("reject", hunk, "rejected").await
            }
            "reject_all" => self.decide("reject", json!({ "all": true }), "rejected").await,
            "amend" => {
                let hunk = self.hunks().await[op["hunk"].as_u64().unwrap() as usize].clone();
                let lines: Vec<&str> =
                    op["lines"].as_array().unwrap().iter().map(|line| line.as_str().unwrap()).collect();
                let params = json!({
                    "uri": self.uri, "hunkId": hunk["id"], "revision": hunk["revision"], "text": lines.join("\n"),
                });
                let amended = self.puppets.client.request("copydesk/proposal/amend", params).await;
                amended.map(|_| ()).map_err(|error| error.to_string())
            }
            "resolve" => {
                let hunk = self.nth(op).await;
                let (decision, outcome) = match op["take"].as_str() {
                    Some("mine") => ("takeMine", "rejected"),
                    _ => ("takeAgents", "accepted"),
                };
                self.decide(decision, hunk, outcome).await
            }
            "undo" => {
                let text = self.undo.pop().ok_or("nothing to undo")?;
                self.redo.push(self.text());
                self.puppets.client.become_text(&self.uri, &text);
                Ok(())
            }
            "redo" => {
                let text = self.redo.pop().ok_or("nothing to redo")?;
                self.undo.push(self.text());
                self.puppets.client.become_text(&self.uri, &text);
                Ok(())
            }
            other => Err(format!("no such operation: {other}")),
        }
    }

    async fn decide(&mut self, decision: &str, target: Value, wanted: &str) -> Result<(), String> {
        let before = self.text();
        let results = self.puppets.decide(decision, target).await;
        if self.text() != before {
            self.undo.push(before);
            self.redo.clear();
        }
        match results.iter().find(|result| result["outcome"] != wanted) {
            Some(other) => Err(other.to_string()),
            None => Ok(()),
        }
    }

    async fn compare(&mut self, wanted: &Value) -> Result<(), String> {
        let shown = self.puppets.show(&self.uri).await;
        let hunks: Vec<Value> = hunks_of(&shown).iter().map(as_wanted).collect();
        let got = json!({ "buffer": shown["buffer"], "draft": shown["draft"], "hunks": hunks });
        if got != *wanted {
            return Err(format!("got    {got}\n     wanted {wanted}"));
        }
        if self.text() != wanted["buffer"].as_str().unwrap() {
            return Err(format!("the editor shows {:?}", self.text()));
        }
        Ok(())
    }

    /// A call of the agent's. With its result it is told what happened until then.
    async fn call(&mut self, tool: &str, input: Value) -> Result<Outcome, String> {
        let outcome = self.puppets.call(AGENT, tool, input).await;
        self.tell(&outcome.told)?;
        Ok(outcome)
    }

    /// Every line that the user's changes made of the agent's side was told, once.
    fn tell(&mut self, told: &str) -> Result<(), String> {
        let news = said(told);
        let lines = news.iter().filter_map(|said| match said {
            Said::FileChanged(lines) | Said::Altered(lines) => Some(lines.clone()),
            _ => None,
        });
        let mut all = Lines::default();
        lines.for_each(|lines| all.add(lines));
        let untold = std::mem::take(&mut self.untold);
        if all != untold {
            return Err(format!("the user changed {untold:?}, told was {told:?}"));
        }
        if self.proposed {
            self.facts.lines.add(untold);
        }
        let is_of_table = |said: &Said| self.proposed || !matches!(said, Said::FileChanged(_));
        self.told.extend(news.into_iter().filter(is_of_table));
        Ok(())
    }

    fn compare_told(&mut self, scenario: &Value) -> Result<(), String> {
        let value = scenario.pointer("/policy/told").unwrap_or(&scenario["told"]).as_str().unwrap();
        let hunks = scenario["expect"]["hunks"].as_array().unwrap();
        let text = |side: &Value| side.as_str().unwrap().to_owned();
        let conflicts = hunks.iter().filter(|hunk| hunk["state"] == "conflicted");
        self.facts.conflicts = conflicts.map(|hunk| (text(&hunk["old"]), text(&hunk["new"]))).collect();
        let wanted = told::wanted(value, &self.facts)?;
        self.told.sort();
        if self.told != wanted {
            return Err(format!("told   {:?}\n     wanted {wanted:?}", self.told));
        }
        let refusal = told::refusal(value);
        if self.refused == refusal { Ok(()) } else { Err(format!("refused: {:?}", self.refused)) }
    }

    /// The agent's text of what is about to be rejected.
    async fn note_rejected(&mut self, op: &Value) {
        let all = op["op"] == "reject_all";
        if !all && op["op"] != "reject" && op["take"] != "mine" {
            return;
        }
        let hunks = self.hunks().await;
        let rejected = hunks.iter().enumerate().filter(|(at, _)| all || op["hunk"] == *at);
        self.facts.rejected.extend(rejected.map(|(_, hunk)| text_of(&hunk["added"])));
    }

    async fn draft(&mut self) -> String {
        let shown = self.puppets.show(&self.uri.clone()).await;
        shown["draft"].as_str().map_or_else(|| self.text(), str::to_owned)
    }

    fn step(&mut self) {
        self.undo.push(self.text());
        self.redo.clear();
    }

    fn text(&self) -> String {
        self.puppets.client.text(&self.uri).to_owned()
    }

    async fn hunks(&mut self) -> Vec<Value> {
        hunks_of(&self.puppets.show(&self.uri.clone()).await)
    }

    async fn nth(&mut self, op: &Value) -> Value {
        let hunks = self.hunks().await;
        json!({ "hunkId": hunks[op["hunk"].as_u64().unwrap() as usize]["id"] })
    }
}

fn hunks_of(shown: &Value) -> Vec<Value> {
    shown["file"]["hunks"].as_array().cloned().unwrap_or_default()
}

fn change(op: &Value) -> Value {
    let at = &op["at"];
    json!({
        "range": {
            "start": { "line": at[0], "character": at[1] },
            "end": { "line": at[2], "character": at[3] },
        },
        "text": op["text"],
    })
}

/// A hunk as the examples write it: whole lines without the last line's end. What is added behind a last line that has no
/// end begins on the wire where that line ends, with a line break; in the examples it is the next line.
fn as_wanted(hunk: &Value) -> Value {
    let added = hunk["added"].as_str().unwrap();
    let start = &hunk["range"]["start"];
    let behind_the_last = start["character"] != 0 && added.starts_with(['\n', '\r']);
    let new = text_of(&hunk["added"]);
    json!({
        "line": start["line"].as_u64().unwrap() + u64::from(behind_the_last),
        "old": text_of(&hunk["removed"]),
        "new": if behind_the_last { new.strip_prefix('\n').unwrap_or(&new) } else { &new },
        "state": hunk["state"],
    })
}

/// Whole lines without the last line's end.
fn text_of(side: &Value) -> String {
    let text = side.as_str().unwrap().replace("\r\n", "\n");
    text.strip_suffix('\n').unwrap_or(&text).to_owned()
}

/// What the reminders of a request say, taken apart.
fn said(told: &str) -> Vec<Said> {
    let lines: Vec<&str> = told.lines().collect();
    let mut all = Vec::new();
    let mut in_diff = false;
    for (at, line) in lines.iter().enumerate() {
        in_diff &= !line.starts_with('<');
        if in_diff {
            continue;
        }
        let below = || lines[at + 1..].iter().copied().take_while(|line| line.starts_with("  "));
        let summary = line.split_once(" in f.txt: ").map_or("", |(_, summary)| summary);
        let share = Share::of(summary);
        let said = if line.starts_with("- accepted in f.txt, over the user's text: ") {
            Said::AcceptedOver(quoted(below(), "  What was there instead:"))
        } else if line.starts_with("- accepted in ") {
            Said::Accepted(share)
        } else if line.starts_with("- made by hand, ") {
            Said::AcceptedByHand(share)
        } else if line.starts_with("- REJECTED in ") {
            Said::Rejected {
                text: quoted(below(), "  The file does not have this text:"),
                why: below().find_map(|line| line.strip_prefix("  The user's reason: ")).map(str::to_owned),
                stands_twice: below().any(|line| line.contains("has them twice")),
            }
        } else if line.starts_with("- put in other words by the user") {
            Said::Amended(Lines::of_diff(below().map(|line| &line[4..])))
        } else if line.starts_with("- accepted with the user's own changes ") {
            Said::Altered(Lines::of_diff(below().map(|line| &line[4..])))
        } else if line.starts_with("- taken back after it had been accepted") {
            Said::Undone
        } else if line.starts_with("- in CONFLICT ") {
            Said::Conflicted {
                mine: quoted(below(), "  The user's text:"),
                agents: quoted(below(), "  Yours:"),
            }
        } else if line.starts_with("f.txt was changed by the user ") {
            in_diff = true;
            let diff = lines[at + 1..].iter().copied().take_while(|line| !line.starts_with('<'));
            Said::FileChanged(Lines::of_diff(diff))
        } else {
            assert!(!line.starts_with("- "), "nobody knows what this tells: {line}");
            continue;
        };
        all.push(said);
    }
    all
}

/// The text that is quoted below `heading`, up to the next heading.
fn quoted<'a>(lines: impl Iterator<Item = &'a str>, heading: &str) -> String {
    let behind = lines.skip_while(|line| *line != heading).skip(1);
    behind.map_while(|line| line.strip_prefix("    ")).collect::<Vec<_>>().join("\n")
}

fn refused(text: &str) -> Result<Refused, String> {
    let known = [
        ("you proposed and the user rejected", Refused::Rejected),
        ("The file changed since you last read it:\n@@ -2 +2 @@\n-B\n+Bu\n", Refused::Amended),
        ("stands in f.txt 2 times", Refused::Twice),
    ];
    let found = known.iter().find(|(words, _)| text.contains(words));
    found.map(|(_, refused)| *refused).ok_or_else(|| text.to_owned())
}
