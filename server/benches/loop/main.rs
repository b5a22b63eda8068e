//! What the query loop costs between a model's answer and the next request, how soon a word is shown, and whether either
//! time or memory grows over two thousand rounds.

#![allow(clippy::expect_used, reason = "a benchmark ends where it can't go on")]
#![allow(clippy::print_stdout, reason = "the figures are what it is for")]
#![allow(clippy::cast_precision_loss, reason = "no process holds so many bytes")]

#[path = "../door/client.rs"]
mod client;
mod figures;
mod model;
mod soak;

use std::fs;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use self::client::Client;
use self::figures::{millis, percentile, table};
use self::model::{Act, Model};

/// Requests after which the connections are open and the code is warm.
const WARM: usize = 20;
const ROUNDS: usize = 300;
const WORDS: usize = 100;
/// A file that was not written for so long can be told from its metadata.
const SETTLED: Duration = Duration::from_millis(2_200);
/// So long that nothing of the word before is still on its way: more than a frame of coalesced words.
const SILENCE: Duration = Duration::from_millis(40);

/// `cargo bench --bench loop -- NAME` runs one part. Without `--bench`, as tests run it, each is tried and nothing timed.
fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let has = |flag: &str| arguments.iter().any(|argument| argument == flag);
    if has("--list") {
        return ExitCode::SUCCESS;
    }
    let measured = has("--bench");
    let mut names = arguments.iter().filter(|argument| !argument.starts_with('-')).peekable();
    let wanted: Vec<&String> = names.by_ref().collect();
    let is_wanted =
        |name: &str| wanted.is_empty() || wanted.iter().any(|wanted| name.contains(wanted.as_str()));
    if is_wanted("rounds") {
        rounds(if measured { ROUNDS } else { 3 });
    }
    if is_wanted("words") {
        words(if measured { WORDS } else { 3 });
    }
    let within = !is_wanted("soak") || soak::soak(if measured { soak::ROUNDS } else { 60 });
    if within || !measured { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// From the last byte of an answer to the first byte of the next request, while one small file is read again and again.
fn rounds(count: usize) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    configure(folder.path(), "");
    let file = folder.path().join("small.txt");
    fs::write(&file, "a line\n").expect("the file is written");
    // As most files are: nobody has written it just now, when it might change again within one tick of its clock.
    std::thread::sleep(if count == ROUNDS { SETTLED } else { Duration::ZERO });
    let model = Model::start(WARM + count, move |_| Act::Read(file.clone()));
    let mut client = Client::start(&model.address, folder.path());
    client.start_task("read", None);
    client.wait_for_the_end();
    let all = model.asked();
    let gaps: Vec<Duration> = all.iter().skip(WARM).filter_map(|asked| asked.gap).collect();
    println!("from the last byte of an answer to the first byte of the next request, in ms, round by round:");
    println!("{}", table(&gaps));
    print_percentiles("a round", &gaps, [1.0, 3.0]);
    println!("{} requests over {} connections, the last of {} bytes\n", all.len(), model.connections(), {
        all.last().map_or(0, |asked| asked.bytes)
    });
}

/// From a word's way into the socket to the notification on stdout, with silence before each.
fn words(count: usize) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    configure(folder.path(), "");
    let model = Model::start(0, move |_| Act::Speak { count, silence: SILENCE });
    let mut client = Client::start(&model.address, folder.path());
    client.start_task("speak", None);
    let shown = client.hear_words(count);
    client.wait_for_the_end();
    let ways: Vec<Duration> =
        model.spoken().iter().zip(&shown).map(|(spoken, shown)| shown.duration_since(*spoken)).collect();
    print_percentiles("a word after silence, from the socket to stdout", &ways, [2.0, 2.0]);
    println!();
}

fn print_percentiles(what: &str, times: &[Duration], [median, p95]: [f64; 2]) {
    println!(
        "{what}: median {} ms (wanted: {median}), p95 {} ms (wanted: {p95}), slowest {} ms, of {}",
        millis(percentile(times, 50)),
        millis(percentile(times, 95)),
        millis(percentile(times, 100)),
        times.len()
    );
}

/// Settings for a task of any length.
fn configure(folder: &Path, more: &str) {
    let place = folder.join("config/copydesk");
    fs::create_dir_all(&place).expect("a folder");
    fs::write(place.join("config.toml"), format!("max_turns = 100000\n{more}"))
        .expect("the settings are written");
}
