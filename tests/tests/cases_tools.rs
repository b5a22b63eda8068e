//! The cases of notebooks and of searches: see `cases/README.md`.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test ends where it can't go on"
)]

use std::fs;

use copydesk_tests::cases::{bytes, case, list};
use copydesk_tests::client::Home;
use copydesk_tests::puppet::{Outcome, Puppets};
use serde_json::{Map, Value, json};

/// The case's start files in a home, and a session that works there.
async fn begin(case: &Value) -> Puppets {
    let home = Home::new();
    for file in list(&case["workspace"]) {
        home.write(file["path"].as_str().unwrap(), bytes(file["hex"].as_str().unwrap()));
    }
    Puppets::start(home).await
}

#[tokio::test]
async fn notebook() {
    let case = case("19-notebook-insert-position");
    let name = case["workspace"][0]["path"].as_str().unwrap();
    let mut puppets = begin(&case).await;
    let path = puppets.home.path(name);
    let whole = path.to_str().unwrap().to_owned();
    let before = fs::read_to_string(&path).unwrap();
    puppets.call("A", "Read", json!({ "file_path": whole })).await;
    for step in list(&case["steps"]) {
        let mut input: Map<String, Value> = step.as_object().unwrap().clone();
        input.retain(|key, _| !["tool", "path", "want"].contains(&key.as_str()));
        input.insert("notebook_path".to_owned(), json!(whole));
        let on_disk = fs::read_to_string(&path).unwrap();
        let outcome = puppets.call("A", step["tool"].as_str().unwrap(), Value::Object(input)).await;
        assert_eq!(outcome.is_error, step["want"] == "error", "{step}: {}", outcome.text);
        assert_eq!(
            fs::read_to_string(&path).unwrap(),
            on_disk,
            "{step}: nothing is written before the accept"
        );
    }
    puppets.decide("accept", json!({ "all": true })).await;
    let home = puppets.end().await;
    let after = fs::read_to_string(home.path(name)).unwrap();
    looks_as_wanted(&case["expect"], &before, &after);
}

fn looks_as_wanted(expect: &Value, before: &str, after: &str) {
    let parsed = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    let (old, new) = (parsed(before), parsed(after));
    let cell = |notebook: &Value, id: &Value| {
        list(&notebook["cells"]).iter().find(|cell| cell["id"] == *id).cloned().unwrap()
    };
    let known: Vec<&Value> = list(&old["cells"]).iter().map(|cell| &cell["id"]).collect();
    let order: Vec<Value> = list(&new["cells"])
        .iter()
        .map(|cell| if known.contains(&&cell["id"]) { cell["id"].clone() } else { json!("<new>") })
        .collect();
    assert_eq!(json!(order), expect["order"]);
    let ids: Vec<&str> = list(&new["cells"]).iter().map(|cell| cell["id"].as_str().unwrap()).collect();
    let mut distinct = ids.clone();
    distinct.sort_unstable();
    distinct.dedup();
    assert_eq!(distinct.len(), ids.len(), "each cell has an id of its own: {ids:?}");
    for id in list(&expect["deep_equal_cells"]) {
        assert_eq!(cell(&new, id), cell(&old, id), "{id}");
    }
    let source: String =
        list(&cell(&new, &json!("b"))["source"]).iter().map(|line| line.as_str().unwrap()).collect();
    assert_eq!(source, expect["b_source"].as_str().unwrap());
    for field in list(&expect["top_level_equal"]) {
        assert_eq!(new[field.as_str().unwrap()], old[field.as_str().unwrap()]);
    }
    let indent = after.lines().nth(1).map(|line| line.len() - line.trim_start().len());
    assert_eq!(indent, expect["indent"].as_u64().map(|indent| usize::try_from(indent).unwrap()));
    assert_eq!(json!(after.ends_with('\n')), expect["final_newline"]);
}

#[tokio::test]
async fn search() {
    let case = case("64-grep-pattern-with-dash");
    let mut puppets = begin(&case).await;
    for row in list(&case["rows"]) {
        let outcome = match row.get("grep") {
            Some(pattern) => {
                puppets.call("A", "Grep", json!({ "pattern": pattern, "output_mode": "content" })).await
            }
            None => puppets.call("A", "Glob", json!({ "pattern": row["glob"] })).await,
        };
        if row["want"] == "error" {
            assert!(outcome.is_error && outcome.text.contains("not a valid"), "{row}: {outcome:?}");
        } else {
            assert!(!outcome.is_error, "{row}: {outcome:?}");
            assert_eq!(json!(places(row, &outcome)), row["want"], "{row}: {outcome:?}");
        }
    }
    let mut names: Vec<String> = fs::read_dir(puppets.home.path("."))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.retain(|name| !name.starts_with('.'));
    names.sort();
    assert_eq!(names, ["-n.txt", "f.txt"], "nothing was started that left a trace");
    puppets.end().await;
}

/// `file:line` of each match, or the file names of a Glob.
fn places(row: &Value, outcome: &Outcome) -> Vec<String> {
    let lines = outcome.text.lines().filter(|line| !line.starts_with("No "));
    match row.get("grep") {
        Some(_) => lines.map(|line| line.splitn(3, ':').take(2).collect::<Vec<_>>().join(":")).collect(),
        None => lines.map(ToOwned::to_owned).collect(),
    }
}
