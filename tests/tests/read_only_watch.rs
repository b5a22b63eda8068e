//! Whatever is called read-only is run by bash, and watched: it changes nothing and starts no program but its own.
//!
//! `COPYDESK_WATCH_SECONDS` says for how long commands are made up, others in each run; without it the same ones are made
//! up for 20 seconds.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::indexing_slicing,
    reason = "a test ends where it can't go on, and prints its figures"
)]
#![cfg(unix)]

#[path = "read_only_watch/commands.rs"]
mod commands;
#[path = "read_only_watch/scratch.rs"]
mod scratch;

use std::time::{Duration, Instant};

use copydesk::documents::AbsPath;
use copydesk::permissions::assess;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;

use self::scratch::Scratch;

/// What came of many commands.
#[derive(Default)]
struct Tally {
    tried: usize,
    run: usize,
    violations: Vec<String>,
}

impl Tally {
    /// Runs `command` if it is called read-only.
    fn try_one(&mut self, scratch: &mut Scratch, command: &str) {
        self.tried += 1;
        let cwd = AbsPath::new(scratch.workspace().to_str().unwrap()).unwrap();
        if !assess(command, &cwd).read_only {
            return;
        }
        self.run += 1;
        let faults = scratch.run(command);
        if !faults.is_empty() {
            self.violations.push(format!("{command:?}: {}", faults.join(", ")));
            *scratch = Scratch::new();
        }
    }
}

#[test]
fn what_is_called_read_only_changes_nothing_and_starts_no_other_program() {
    let wanted = std::env::var("COPYDESK_WATCH_SECONDS").ok().and_then(|text| text.parse().ok());
    let end = Instant::now() + Duration::from_secs(wanted.unwrap_or(20));
    let mut scratch = Scratch::new();
    let mut tally = Tally::default();
    for payload in commands::payloads() {
        tally.try_one(&mut scratch, &payload);
    }
    for command in commands::READ_ONLY {
        let before = tally.run;
        tally.try_one(&mut scratch, command);
        assert_eq!(tally.run, before + 1, "{command} only reads");
    }
    let mut runner = if wanted.is_some() { TestRunner::default() } else { TestRunner::deterministic() };
    let strategy = commands::made_up();
    while Instant::now() < end {
        let command = strategy.new_tree(&mut runner).unwrap().current();
        tally.try_one(&mut scratch, &command);
    }
    println!(
        "commands tried {}, called read-only and run {}, violations {}",
        tally.tried,
        tally.run,
        tally.violations.len()
    );
    assert!(tally.violations.is_empty(), "{:#?}", tally.violations);
}

#[test]
fn the_watch_sees_what_it_is_there_for() {
    for (command, wanted) in [
        ("touch ws/new", "started touch"),
        ("echo a > PWNED", "changed"),
        (": > 'sp ace'", "changed"),
        ("find . -delete", "changed"),
        ("sort -o b a", "changed"),
        ("sed -i s/a/b/ a", "changed"),
        ("git diff --output=x", "changed"),
        ("GIT_EXTERNAL_DIFF=unlisted git diff", "started unlisted"),
        ("unlisted", "started unlisted"),
        ("env ls", "started env"),
    ] {
        let faults = Scratch::new().run(command);
        assert!(faults.iter().any(|fault| fault.starts_with(wanted)), "{command}: {faults:?}");
    }
    assert_eq!(Scratch::new().run("ls; cat a | sort; git status"), Vec::<String>::new());
}
