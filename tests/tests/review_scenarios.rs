//! The worked examples of the review once more, through the whole program: a model's tool calls, an editor's messages.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test ends where it can't go on, and this one prints its table"
)]

use std::fmt::Write;

use copydesk_tests::client::{Home, full_capabilities};
use copydesk_tests::puppet::Puppets;
use serde_json::{Value, json};

/// One example under way: an editor with one open file and an undo stack, and a model.
struct Play {
    puppets: Puppets,
    uri: String,
    path: String,
    /// Texts before each step, newest last, and those that were undone.
    undo: Vec<String>,
    redo: Vec<String>,
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
    puppets.call("the agent", "Read", json!({ "file_path": path })).await;
    let mut play = Play { puppets, uri, path, undo: Vec::new(), redo: Vec::new() };
    let mut result = Ok(());
    for op in scenario["ops"].as_array().unwrap() {
        result = play.perform(op).await.map_err(|cause| format!("{op}: {cause}"));
        if result.is_err() {
            break;
        }
    }
    if result.is_ok() {
        result = play.compare(&scenario["expect"]).await;
    }
    play.puppets.end().await;
    result
}

impl Play {
    async fn perform(&mut self, op: &Value) -> Result<(), String> {
        match op["op"].as_str().unwrap() {
            "agent_replace" => {
                let input =
                    json!({ "file_path": self.path, "old_string": op["old"], "new_string": op["new"] });
                let outcome = self.puppets.call("the agent", "Edit", input).await;
                if outcome.is_error == (op["refused"] == true) { Ok(()) } else { Err(outcome.text) }
            }
            "agent_write" => {
                self.puppets.call("the agent", "Read", json!({ "file_path": self.path })).await;
                let input = json!({ "file_path": self.path, "content": op["text"] });
                let outcome = self.puppets.call("the agent", "Write", input).await;
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
    let lines = |side: &Value| {
        let text = side.as_str().unwrap().replace("\r\n", "\n");
        text.strip_suffix('\n').unwrap_or(&text).to_owned()
    };
    let new = lines(&hunk["added"]);
    json!({
        "line": start["line"].as_u64().unwrap() + u64::from(behind_the_last),
        "old": lines(&hunk["removed"]),
        "new": if behind_the_last { new.strip_prefix('\n').unwrap_or(&new) } else { &new },
        "state": hunk["state"],
    })
}
