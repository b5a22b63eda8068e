//! What a key costs while hunks are pending, and what a diff costs.

use std::hint::black_box;
use std::time::Duration;

use copydesk::conversation::ToolUseId;
use copydesk::documents::{Change, Text};
use copydesk::review::{Draft, Reason};
use criterion::{BatchSize, Criterion, criterion_group, criterion_main};

criterion_group! {
    name = benches;
    config = Criterion::default().warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(1));
    targets = key, diff
}
criterion_main!(benches);

/// One key in the middle of the file, outside all hunks, typed and taken back.
fn key(criterion: &mut Criterion) {
    for (size, bytes) in
        [("1 kB", 1_000), ("1 MB", 1_000_000), ("10 MB", 10_000_000), ("100 MB", 100_000_000)]
    {
        let text = lines(bytes / 40, |n| format!("    let value_{n:08} = compute({n:06});\n"));
        for hunks in [0, 1_000] {
            let mut draft = drafted(&text, hunks);
            let at = text.len() / 2 + 5;
            let typed = [Change { range: at..at, text: "x".to_owned() }];
            let taken_back = [Change { range: at..at + 1, text: String::new() }];
            criterion.bench_function(&format!("two keys, {size}, {hunks} hunks"), |bench| {
                bench.iter(|| {
                    draft.buffer_changed(&typed);
                    draft.buffer_changed(&taken_back);
                });
            });
            criterion.bench_function(&format!("hunks after a key, {size}, {hunks} hunks"), |bench| {
                bench.iter(|| black_box(draft.hunks()));
            });
        }
    }
}

/// A whole-file write of 100,000 lines with 1,000 changes.
fn diff(criterion: &mut Criterion) {
    let old = lines(100_000, |n| format!("line {n}\n"));
    let new = lines(100_000, |n| format!("{} {n}\n", if n % 100 == 50 { "changed" } else { "line" }));
    let draft = Draft::new(Some(Text::from(old)));
    criterion.benchmark_group("diff").sample_size(10).bench_function(
        "100,000 lines, 1,000 changes",
        |bench| {
            bench.iter_batched_ref(
                || draft.clone(),
                |draft| draft.write(&new, &reason()),
                BatchSize::LargeInput,
            );
        },
    );
}

fn lines(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).map(line).collect::<Vec<_>>().concat()
}

/// A draft with this many changed lines, evenly spread, as far as the text has lines for them.
fn drafted(text: &str, hunks: usize) -> Draft {
    let mut draft = Draft::new(Some(Text::from(text)));
    let text = Text::from(text);
    let step = (text.line_count() / (hunks + 1)).max(2);
    let lines = (1..=hunks).map(|hunk| hunk * step).filter(|line| line + 1 < text.line_count());
    let edits: Vec<Change> = lines
        .map(|line| Change { range: text.line_start(line)..text.line_end(line), text: "changed".to_owned() })
        .collect();
    draft.edit(&edits, &reason());
    draft
}

fn reason() -> Reason {
    Reason {
        tool_use_id: ToolUseId("call".to_owned()),
        summary: "try".to_owned(),
        agent: None,
        by_user: false,
        must_ask: None,
    }
}
