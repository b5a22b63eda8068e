//! What a keystroke costs in the file-state cache, by the size of the text.

use std::hint::black_box;
use std::time::Duration;

use copydesk::documents::{ContentChange, FileStateCache, Text, offset, position};
use copydesk::editor::{Position, PositionEncoding, Range};
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};

const LINE: &str = "    let größe = entries.get(\"schlüssel\").map(String::as_str); // 中文 😀\n";
const SIZES: [(&str, usize); 4] =
    [("1 kB", 1_000), ("1 MB", 1_000_000), ("10 MB", 10_000_000), ("100 MB", 100_000_000)];
const ENCODINGS: [PositionEncoding; 3] =
    [PositionEncoding::Utf8, PositionEncoding::Utf16, PositionEncoding::Utf32];

fn text_of(size: usize) -> String {
    LINE.repeat(size.div_ceil(LINE.len()))
}

/// One character typed and taken away again, in the middle of the text.
fn did_change(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("didChange");
    for (name, size) in SIZES {
        let documents = FileStateCache::new();
        let uri = "file:///bench/a.rs";
        let middle = (size / LINE.len() / 2) as u32;
        if documents.open(uri, "rust", 1, &text_of(size)).is_err() {
            return;
        }
        let at = |from, to| Some(Range::new(Position::new(middle, from), Position::new(middle, to)));
        let typed = [ContentChange { range: at(8, 8), text: "x".into() }];
        let erased = [ContentChange { range: at(8, 9), text: String::new() }];
        group.bench_function(BenchmarkId::from_parameter(name), |bencher| {
            bencher.iter(|| {
                let typed = documents.change(uri, 2, black_box(&typed), PositionEncoding::Utf16);
                let erased = documents.change(uri, 3, black_box(&erased), PositionEncoding::Utf16);
                (typed, erased)
            });
        });
    }
    group.finish();
}

/// A position to its offset and back.
fn positions(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("position");
    for (name, size) in SIZES {
        let text = Text::from(text_of(size));
        let at = Position::new((size / LINE.len() / 2) as u32, 60);
        for encoding in ENCODINGS {
            group.bench_function(BenchmarkId::new(format!("{encoding:?}"), name), |bencher| {
                bencher.iter(|| position(&text, offset(&text, black_box(at), encoding), encoding));
            });
        }
    }
    group.finish();
}

/// The same in one line of 10 MB.
fn one_long_line(criterion: &mut Criterion) {
    let text = Text::from(text_of(10_000_000).replace('\n', " "));
    let at = Position::new(0, 4_000_000);
    let mut group = criterion.benchmark_group("position in one line of 10 MB");
    for encoding in ENCODINGS {
        group.bench_function(format!("{encoding:?}"), |bencher| {
            bencher.iter(|| position(&text, offset(&text, black_box(at), encoding), encoding));
        });
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default().warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(1));
    targets = did_change, positions, one_long_line
}
criterion_main!(benches);
