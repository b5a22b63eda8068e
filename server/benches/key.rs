//! The slowest of many keys: one character in 10 MB with 1,000 hunks pending, until the buffer and every hunk have it.

#![allow(clippy::expect_used, reason = "a benchmark ends where it can't go on")]
#![allow(clippy::print_stdout, reason = "the figures are what it is for")]

#[path = "loop/figures.rs"]
#[allow(dead_code, reason = "one of its ways to print is used here")]
mod figures;

use std::time::Instant;

use copydesk::conversation::ToolUseId;
use copydesk::documents::{Change, ContentChange, FileStateCache, Text};
use copydesk::editor::{Position, PositionEncoding, Range};
use copydesk::review::{Draft, Reason};

use self::figures::percentile;

const URI: &str = "file:///bench/big.txt";
const LINE: &str = "a line of text that has some length to it, as lines have\n";
const BYTES: usize = 10_000_000;
const HUNKS: usize = 1_000;
const KEYS: u32 = 10_000;

/// Without `--bench`, as tests run it, a few keys are tried and nothing is printed.
fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let has = |flag: &str| arguments.iter().any(|argument| argument == flag);
    if has("--list") {
        return;
    }
    let text = LINE.repeat(BYTES / LINE.len());
    let documents = FileStateCache::new();
    documents.open(URI, "plaintext", 1, &text).expect("the document is opened");
    let mut draft = drafted(&text);
    let line = u32::try_from(BYTES / LINE.len() / 2).expect("as many lines as LSP can count");
    let keys = if has("--bench") { KEYS } else { 10 };
    let mut times = Vec::new();
    for key in 0..keys {
        // A line is typed full, and then the next: along the file, through hunks and between them.
        let at = Position::new(line + key / 40, key % 40);
        let typed = [ContentChange { range: Some(Range::new(at, at)), text: "x".to_owned() }];
        let version = i32::try_from(key).expect("few keys") + 2;
        let begun = Instant::now();
        let changed = documents.change(URI, version, &typed, PositionEncoding::Utf16);
        draft.buffer_changed(&changed.expect("the key is taken in").changes);
        times.push(begun.elapsed());
    }
    if has("--bench") {
        let micros = |percent| percentile(&times, percent).as_secs_f64() * 1e6;
        println!(
            "a key in {} MB with {HUNKS} hunks, of {keys}: p50 {:.1} µs, p99 {:.1} µs, slowest {:.1} µs (wanted: p99 200 µs)",
            BYTES / 1_000_000,
            micros(50),
            micros(99),
            micros(100)
        );
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
