//! The case of very long lines and very many lines: see `cases/66-huge-files`.

#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test ends where it can't go on"
)]

use std::fmt::Write;
use std::time::Duration;

use copydesk_tests::cases::case;
use copydesk_tests::client::Home;
use copydesk_tests::puppet::Puppets;
use serde_json::{Value, json};

#[tokio::test]
async fn very_long_lines_and_very_many_lines() {
    let case = case("66-huge-files");
    let half = "a".repeat(2_500_000);
    let one = format!("{half}NEEDLE{half}");
    assert_eq!(one.len() as u64, case["sizes"]["one.js"].as_u64().unwrap());
    let lines = case["sizes"]["many.txt_lines"].as_u64().unwrap();
    let many = (1..=lines).fold(String::new(), |mut text, number| {
        writeln!(text, "line {number}").unwrap();
        text
    });
    let home = Home::new();
    home.write("one.js", &one);
    home.write("many.txt", &many);
    let mut puppets = Puppets::start(home).await;
    // A program built without optimisation compares 200,000 lines for a minute.
    puppets.patience = Duration::from_secs(300);
    // Unoptimised code holds more at a time.
    let limit = case["limits"]["mib"].as_f64().unwrap() * if cfg!(debug_assertions) { 2.0 } else { 1.0 };
    for step in case["steps"].as_array().unwrap() {
        let mut input = step.clone();
        let path = puppets.home.path(step["path"].as_str().unwrap());
        input["file_path"] = json!(path.to_str().unwrap());
        for ours in ["tool", "path", "want", "content_rule"] {
            input.as_object_mut().unwrap().remove(ours);
        }
        if step["tool"] == "Write" {
            input["content"] = json!(many.replace("line ", "LINE "));
            read_whole(&mut puppets, &input["file_path"], lines).await;
        }
        let before = puppets.client.resident_mib();
        let outcome = puppets.call("the agent", step["tool"].as_str().unwrap(), input).await;
        assert!(!outcome.is_error, "{step}: {}", outcome.text);
        assert!(outcome.text.len() < 200_000, "{step}: a result of {} bytes", outcome.text.len());
        let results = puppets.decide("accept", json!({ "all": true })).await;
        let grown = puppets.client.resident_mib() - before;
        assert!(grown < limit, "{step}: {grown} MiB more");
        let other = results.iter().find(|result| result["outcome"] != "accepted");
        assert!(other.is_none(), "{step}: {other:?}");
    }
    let home = puppets.end().await;
    assert!(std::fs::read_to_string(home.path("one.js")).unwrap() == one.replace("NEEDLE", "NAIL"));
    assert!(std::fs::read_to_string(home.path("many.txt")).unwrap() == many.replace("line ", "LINE "));
}

/// A rewrite wants the whole file read. A page is as long as the tool makes it, and says where the next begins.
async fn read_whole(puppets: &mut Puppets, path: &Value, lines: u64) {
    let mut offset = 1;
    loop {
        let page = json!({ "file_path": path, "offset": offset, "limit": lines });
        let shown = puppets.call("the agent", "Read", page).await.text;
        let next = shown.rsplit_once("Go on with offset ").map(|(_, rest)| rest);
        let Some(next) = next else { return };
        offset = next.split('.').next().unwrap().parse().unwrap();
    }
}
