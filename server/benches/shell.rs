//! What the walls and the trial tree add to the start of a command, in a small and in a large workspace.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark ends where it can't go on, and prints"
)]

use std::fs;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use camino::Utf8PathBuf;
use copydesk::config::TrialTreeChoice;
use copydesk::shell::{
    Best, Caps, LARGEST_COPY, Limits, Network, Request, Sandbox, Shell, ShellSettings, TextRule, Times,
};

const RUNS: usize = 60;
/// What a start may cost over a plain one.
const MOST: Duration = Duration::from_millis(15);

fn main() {
    // The runner of tests asks each program for its list, and this one has none.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    for files in [1_000, 10_000] {
        let root = workspace(files);
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let base = Utf8PathBuf::from_path_buf(folder.path().canonicalize().unwrap()).unwrap();
        let shell = Arc::new(Shell::new(Arc::new(settings(&base)), vec![root.clone()], base.join("state")));
        let ground = runtime.block_on(shell.ground()).clone();
        let mut plain = Vec::new();
        let mut tried = Vec::new();
        // In turn, so that whatever else this machine does counts for both.
        for number in 0..RUNS {
            let begun = Instant::now();
            assert!(Command::new("bash").args(["-c", "true"]).current_dir(&root).status().unwrap().success());
            plain.push(begun.elapsed());
            let begun = Instant::now();
            runtime.block_on(run(&shell, number));
            tried.push(begun.elapsed());
        }
        let (plain, tried) = (median(plain), median(tried));
        let more = tried.saturating_sub(plain);
        let verdict = if more <= MOST { "within" } else { "OVER" };
        println!(
            "{files:>6} files, {}: plain {plain:.1?}, tried {tried:.1?}: {more:.1?} more, {verdict} {MOST:?}",
            ground.mode.name()
        );
    }
}

/// A workspace of so many files. It is made once and left for the next run: for minutes after thousands of files are removed,
/// ext4 takes milliseconds to make one, which would count as the start of a command.
fn workspace(files: usize) -> Utf8PathBuf {
    let root = Utf8PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("shell-bench").join(files.to_string());
    for number in 0..files {
        let folder = root.join(format!("dir{}", number / 100));
        let file = folder.join(format!("{number}.txt"));
        if !file.exists() {
            fs::create_dir_all(&folder).unwrap();
            fs::write(file, format!("{number}\n")).unwrap();
        }
    }
    root.canonicalize_utf8().unwrap()
}

async fn run(shell: &Arc<Shell>, number: usize) {
    let request = Request {
        id: format!("toolu_{number}"),
        text: "true".to_owned(),
        views: Vec::new(),
        hidden: Vec::new(),
        sandbox: Sandbox::Walled,
    };
    shell.start(request).await.unwrap().ended().await;
}

fn settings(base: &camino::Utf8Path) -> ShellSettings {
    ShellSettings {
        program: env!("CARGO_BIN_EXE_copydesk").into(),
        home: Some(base.join("home")),
        own: Vec::new(),
        writable: Vec::new(),
        pass_through: Vec::new(),
        passed: Vec::new(),
        network: Network::None,
        times: Times::default(),
        limits: Limits::default(),
        caps: Caps::default(),
        text: TextRule { largest: 50 << 20, is_text: |bytes| std::str::from_utf8(bytes).is_ok() },
        trial_tree: TrialTreeChoice::Auto,
        best: Best::ALL,
        largest_copy: LARGEST_COPY,
    }
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times.get(times.len() / 2).copied().unwrap_or_default()
}
