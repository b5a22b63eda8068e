//! The slowest of many keys: one character in 10 MB with 1,000 hunks pending, until the buffer and every hunk have it; then
//! the same to the whole program over stdio, as an editor meets it.

#![allow(clippy::expect_used, reason = "a benchmark ends where it can't go on")]
#![allow(clippy::print_stdout, reason = "the figures are what it is for")]

#[path = "../door/client.rs"]
mod client;
#[path = "../loop/figures.rs"]
#[allow(dead_code, reason = "one of its ways to print is used here")]
mod figures;
#[path = "../door/model.rs"]
#[allow(dead_code, reason = "its stream of words is for another benchmark")]
mod model;

use std::time::{Duration, Instant};

use copydesk::conversation::ToolUseId;
use copydesk::documents::{Change, ContentChange, FileStateCache, Text};
use copydesk::editor::{Position, PositionEncoding, Range};
use copydesk::review::{Draft, Reason};
use serde_json::json;

use self::client::Client;
use self::figures::percentile;
use self::model::Model;

const URI: &str = "file:///bench/big.txt";
const LINE: &str = "a line of text that has some length to it, as lines have\n";
const CHANGED: &str = "a line that holds the needle\n";
const BYTES: usize = 10_000_000;
const HUNKS: usize = 1_000;
/// A line is typed full, and then the next: along the file, through hunks and between them.
const COLUMNS: u32 = 40;

/// Without `--bench`, as tests run it, a few keys are tried and nothing is printed.
fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let has = |flag: &str| arguments.iter().any(|argument| argument == flag);
    if has("--list") {
        return;
    }
    if !has("--bench") {
        in_memory(10);
        return;
    }
    println!("one character in {} MB with {HUNKS} hunks pending", BYTES / 1_000_000);
    report("until buffer and hunks have it", &in_memory(10_000));
    let over_stdio = over_stdio();
    report("over stdio, an empty request alone", &over_stdio.empty);
    report("over stdio, a key and an empty request", &over_stdio.keys);
    report("the same at 100 keys a second", &over_stdio.typed);
}

fn report(what: &str, times: &[Duration]) {
    let micros = |percent| percentile(times, percent).as_secs_f64() * 1e6;
    println!(
        "{what:<40} of {:>6}: p50 {:>7.1} µs, p99 {:>7.1} µs, slowest {:>7.1} µs",
        times.len(),
        micros(50),
        micros(99),
        micros(100)
    );
}

fn in_memory(keys: u32) -> Vec<Duration> {
    let text = LINE.repeat(BYTES / LINE.len());
    let documents = FileStateCache::new();
    documents.open(URI, "plaintext", 1, &text).expect("the document is opened");
    let mut draft = drafted(&text);
    let line = u32::try_from(BYTES / LINE.len() / 2).expect("as many lines as LSP can count");
    let mut times = Vec::new();
    for key in 0..keys {
        let at = Position::new(line + key / COLUMNS, key % COLUMNS);
        let typed = [ContentChange { range: Some(Range::new(at, at)), text: "x".to_owned() }];
        let version = i32::try_from(key).expect("few keys") + 2;
        let begun = Instant::now();
        let changed = documents.change(URI, version, &typed, PositionEncoding::Utf16);
        draft.buffer_changed(&changed.expect("the key is taken in").changes);
        times.push(begun.elapsed());
    }
    times
}

struct OverStdio {
    empty: Vec<Duration>,
    keys: Vec<Duration>,
    typed: Vec<Duration>,
}

/// A key has been taken in when the request behind it is answered.
fn over_stdio() -> OverStdio {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("big.txt");
    let every = BYTES / LINE.len() / HUNKS;
    let line = |at: usize| if at % every == 5 { CHANGED } else { LINE };
    let text: String = (0..every * HUNKS).map(line).collect();
    std::fs::write(&path, &text).expect("the file is written");
    let model = Model::start(path.to_str().expect("a name in UTF-8"));
    let mut client = Client::start(&model.address, folder.path());
    let uri = format!("file://{}", path.display());
    let document = json!({"uri": uri, "languageId": "plaintext", "version": 1, "text": text});
    client.notify("textDocument/didOpen", &json!({ "textDocument": document }));
    client.start_task("thread the needles", Some(&uri));
    client.wait_for_hunks(HUNKS);

    let first = u32::try_from(every * HUNKS / 2).expect("as many lines as LSP can count");
    let mut key = 0;
    let mut type_one = |client: &mut Client| {
        let at = json!({"line": first + key / COLUMNS, "character": key % COLUMNS});
        let change = json!({"range": {"start": at, "end": at}, "text": "x"});
        key += 1;
        let change = json!({
            "textDocument": {"uri": uri, "version": key + 1},
            "contentChanges": [change],
        });
        let begun = Instant::now();
        client.notify("textDocument/didChange", &change);
        client.request("copydesk/nothing", &json!({}));
        begun.elapsed()
    };
    let empty = |client: &mut Client| {
        let begun = Instant::now();
        client.request("copydesk/nothing", &json!({}));
        begun.elapsed()
    };
    OverStdio {
        empty: (0..5_000).map(|_| empty(&mut client)).collect(),
        keys: (0..5_000).map(|_| type_one(&mut client)).collect(),
        typed: (0..500)
            .map(|_| {
                std::thread::sleep(Duration::from_millis(10));
                type_one(&mut client)
            })
            .collect(),
    }
}

/// Every so many lines the agent has changed one.
fn drafted(text: &str) -> Draft {
    let mut draft = Draft::new(Some(Text::from(text)));
    let every = BYTES / HUNKS / LINE.len() * LINE.len();
    let edits: Vec<Change> = (0..HUNKS)
        .map(|hunk| hunk * every)
        .map(|start| Change { range: start..start + LINE.len() - 1, text: "a changed line".to_owned() })
        .collect();
    let reason = Reason {
        tool_use_id: ToolUseId("call".to_owned()),
        summary: "try".to_owned(),
        agent: None,
        by_user: false,
        must_ask: None,
    };
    draft.edit(&edits, &reason);
    draft
}
