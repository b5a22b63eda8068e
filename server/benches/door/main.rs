//! What the whole program costs an editor that talks to it over stdio: keys, menus, and the stream of a model's words.

#![allow(clippy::expect_used, reason = "a benchmark ends where it can't go on")]

mod client;
mod model;

use std::path::Path;
use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use serde_json::json;

use self::client::Client;
use self::model::{EVENTS, Model};

const HUNKS: usize = 1_000;
const BYTES: usize = 10_000_000;
const LINE: &str = "a line of text that has some length to it, as lines have\n";
const CHANGED: &str = "a line that holds the needle\n";

criterion_group!(benches, keys, events);
criterion_main!(benches);

/// A key has been taken in when the request behind it is answered: what the two cost more than an empty request is the
/// key's. A menu is made when all before it is in the hunks.
fn keys(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("big.txt");
    let every = BYTES / LINE.len() / HUNKS;
    let line = |at: usize| if at % every == 5 { CHANGED } else { LINE };
    let text: String = (0..every * HUNKS).map(line).collect();
    std::fs::write(&path, &text).expect("the file is written");
    let model = Model::start(path.to_str().expect("a name in UTF-8"));
    let mut client = Client::start(&model.address, folder.path());
    let uri = uri_of(&path);
    let document = json!({"uri": uri, "languageId": "plaintext", "version": 1, "text": text});
    client.notify("textDocument/didOpen", &json!({ "textDocument": document }));
    client.start_task("thread the needles", Some(&uri));
    client.wait_for_hunks(HUNKS);

    let (mut version, middle) = (1, every * HUNKS / 2);
    let mut key = |client: &mut Client| {
        version += 1;
        let at = json!({"line": middle, "character": 3});
        let change = json!({"range": {"start": at, "end": at}, "text": "x"});
        let document = json!({"uri": uri, "version": version});
        client
            .notify("textDocument/didChange", &json!({"textDocument": document, "contentChanges": [change]}));
    };
    let hunk = json!({"line": every * 500 + 5, "character": 0});
    let menu = json!({
        "textDocument": {"uri": uri},
        "range": {"start": hunk, "end": hunk},
        "context": {"diagnostics": []},
    });
    let mut group = criterion.benchmark_group("over stdio, 10 MB, 1,000 hunks");
    group.warm_up_time(Duration::from_millis(500)).measurement_time(Duration::from_secs(2));
    group.bench_function("an empty request", |bench| {
        bench.iter(|| client.request("copydesk/nothing", &json!({})));
    });
    group.bench_function("a key and an empty request", |bench| {
        bench.iter(|| {
            key(&mut client);
            client.request("copydesk/nothing", &json!({}));
        });
    });
    group.bench_function("codeAction on a hunk", |bench| {
        bench.iter(|| client.request("textDocument/codeAction", &menu));
    });
    group.bench_function("a key and codeAction on a hunk", |bench| {
        bench.iter(|| {
            key(&mut client);
            client.request("textDocument/codeAction", &menu);
        });
    });
    group.finish();
}

/// A model's words on their way through the loop and the session to the editor, as fast as they come.
fn events(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let model = Model::start("");
    let mut client = Client::start(&model.address, folder.path());
    let mut group = criterion.benchmark_group("over stdio");
    group.warm_up_time(Duration::from_millis(500)).measurement_time(Duration::from_secs(3)).sample_size(10);
    group.throughput(Throughput::Elements(EVENTS as u64));
    group.bench_function(format!("{EVENTS} events of a model"), |bench| {
        bench.iter(|| {
            client.start_task("speak", None);
            client.wait_for_the_end();
        });
    });
    group.finish();
}

fn uri_of(path: &Path) -> String {
    format!("file://{}", path.display())
}
