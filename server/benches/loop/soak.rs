//! Two thousand rounds in a small window: each reads another file, and the conversation is summarised again and again.

use std::fs;
use std::time::Duration;

use super::client::Client;
use super::configure;
use super::figures::millis;
use super::model::{Act, Asked, Model};

pub(crate) const ROUNDS: usize = 2_000;
/// Rounds at the beginning that are compared with as many at the end.
const COMPARED: usize = 100;
/// Tokens, of which so few are left for the conversation that it is summarised several times in those.
const WINDOW: usize = 40_000;
/// What the end may cost over the beginning.
const MOST: f64 = 1.5;

/// Prints how time and memory at the end are to those at the beginning. Whether neither has grown by more than it may.
pub(crate) fn soak(rounds: usize) -> bool {
    let folder = tempfile::tempdir().expect("a temporary folder");
    configure(folder.path(), &format!("[model]\ncontext_window = {WINDOW}\n"));
    let files = folder.path().join("files");
    fs::create_dir(&files).expect("a folder");
    for number in 0..rounds {
        let text = format!("a line of file {number}, as lines are\n").repeat(60);
        fs::write(files.join(format!("{number}.txt")), text).expect("the file is written");
    }
    let model = Model::start(rounds, move |number| Act::Read(files.join(format!("{number}.txt"))));
    let mut client = Client::start(&model.address, folder.path());
    model.watch(client.id());
    client.start_task("read them all", None);
    client.wait_for_the_end();

    let asked = model.asked();
    let compared = COMPARED.min(rounds / 4);
    let (begin, end) = (Stretch::of(&asked, 0, compared), Stretch::of(&asked, rounds - compared, rounds));
    let summaries = asked.iter().filter(|asked| asked.is_summary).count();
    let longest = asked.iter().map(|asked| asked.bytes).max().unwrap_or_default();
    println!("soak: {rounds} rounds, {summaries} summaries, no request longer than {} kB", longest / 1_000);
    begin.print("first", compared);
    end.print("last", compared);
    let time = end.time.as_secs_f64() / begin.time.as_secs_f64();
    let memory = end.memory as f64 / begin.memory as f64;
    println!("  time of the last over the first: {time:.2} (at most {MOST})");
    println!("  memory of the last over the first: {memory:.2} (at most {MOST})");
    assert!(summaries > 0, "the conversation was never summarised");
    assert_eq!(asked.iter().filter(|asked| !asked.is_summary).count(), rounds + 1, "the task ended early");
    time <= MOST && memory <= MOST
}

/// Some rounds in a row, the summaries between them included.
struct Stretch {
    /// All that the program took of them: the waits for the next request.
    time: Duration,
    /// Bytes that it held at most.
    memory: u64,
}

impl Stretch {
    fn of(asked: &[Asked], from: usize, to: usize) -> Self {
        let mut round = 0;
        let within: Vec<&Asked> = asked
            .iter()
            .filter(|asked| {
                let is_within = (from..to).contains(&round);
                round += usize::from(!asked.is_summary);
                is_within
            })
            .collect();
        Self {
            time: within.iter().filter_map(|asked| asked.gap).sum(),
            memory: within.iter().map(|asked| asked.memory).max().unwrap_or_default(),
        }
    }

    fn print(&self, which: &str, rounds: usize) {
        let each = self.time / u32::try_from(rounds).unwrap_or(u32::MAX);
        let megabytes = self.memory as f64 / 1e6;
        println!("  the {which} {rounds}: {} ms a round, {megabytes:.1} MB at most", millis(each));
    }
}
