//! A model service for tests outside of Rust: it plays the script in a file, and writes down what it was told.
//!
//! `scripted-model SCRIPT TOLD` prints its base URL and runs until SIGTERM. Its exit code says whether every request was legal
//! and the script was played to its end.

#![allow(clippy::expect_used, clippy::panic, reason = "a test that can't go on ends with its cause")]

use std::collections::VecDeque;
use std::fs::{self, File};
use std::io::{Write as _, stdout};
use std::path::{Path, PathBuf};
use std::time::Duration;

use copydesk_tests::model_server::{Answer, ModelServer, Request};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::signal::unix::{SignalKind, signal};

/// One answer of the model.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Step {
    /// The answer is held back until this file is there, beside the script.
    after: Option<PathBuf>,
    say: Option<String>,
    #[serde(default)]
    call: Vec<Call>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Call {
    name: String,
    input: Value,
}

#[tokio::main]
async fn main() {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let (Some(script), Some(told), None) = (arguments.next(), arguments.next(), arguments.next()) else {
        panic!("usage: scripted-model SCRIPT TOLD")
    };
    let text = fs::read_to_string(&script).expect("the script can be read");
    let mut steps: VecDeque<Step> = serde_json::from_str(&text).expect("the script is a list of answers");
    let mut told = File::create(told).expect("what is told can be written down");
    let (model, mut asked) = ModelServer::by_hand().await;
    writeln!(stdout(), "{}", model.url()).expect("somebody reads the address");
    let mut end = signal(SignalKind::terminate()).expect("signals can be heard");
    loop {
        let asked = tokio::select! {
            asked = asked.recv() => asked.expect("the server runs as long as this does"),
            _ = end.recv() => break,
        };
        writeln!(told, "{}", line(&asked.request)).expect("what is told can be written down");
        let step = steps.pop_front().expect("the script foresees every request");
        if let Some(file) = &step.after {
            let file = script.parent().unwrap_or(Path::new("")).join(file);
            while !file.exists() {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        }
        asked.answer(answer(step));
    }
    assert!(steps.is_empty(), "{} answers of the script were never asked for", steps.len());
    // Panics if a request was not legal.
    drop(model);
}

fn answer(step: Step) -> Answer {
    let said = step.say.into_iter().fold(Answer::new(), Answer::saying);
    step.call.into_iter().fold(said, |answer, call| answer.calling(call.name, call.input))
}

/// What a request tells the model that it did not know yet: a line of JSON.
fn line(request: &Request) -> Value {
    let results: Vec<Value> = request
        .results()
        .into_iter()
        .map(|(text, is_error)| json!({ "is_error": is_error, "text": text }))
        .collect();
    json!({ "results": results, "text": request.last_text() })
}
