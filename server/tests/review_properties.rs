//! The invariants of the review, over thousands of random schedules, against a naive model that shares no code with it.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test may fail")]
#![allow(unreachable_pub, reason = "nothing lies outside a test")]

#[path = "review_properties/editor.rs"]
mod editor;
#[path = "review_properties/observe.rs"]
mod observe;
#[path = "review_properties/paired.rs"]
mod paired;
#[path = "review_properties/regressions.rs"]
mod regressions;
#[path = "review_properties/rules.rs"]
mod rules;
#[path = "review_properties/schedule.rs"]
mod schedule;
#[path = "review_properties/world.rs"]
mod world;

use std::cell::Cell;
use std::io::Write;

use proptest::strategy::Strategy;
use proptest::test_runner::{Config, FileFailurePersistence, RngSeed, TestCaseError, TestError, TestRunner};

/// Eleven tests of this many: more than ten thousand schedules in every run.
const SCHEDULES: u32 = 1000;

#[test]
fn i1_only_the_editor_changes_the_buffer() {
    check_rule("I1", rules::only_the_editor_changes_the_buffer);
}

#[test]
fn i2_hunks_are_the_difference_of_buffer_and_draft() {
    check_rule("I2", rules::hunks_are_the_difference);
}

#[test]
fn i3_accepts_commute_and_never_change_the_draft() {
    check_rule("I3", rules::accepts_commute);
}

#[test]
fn i4_edits_outside_leave_hunks_alone() {
    check_rule("I4", rules::edits_outside_leave_hunks_alone);
}

#[test]
fn i5_typed_text_survives_accepts() {
    check_rule("I5", rules::typed_text_survives_accepts);
}

#[test]
fn i6_reject_all_leaves_no_trace() {
    check_rule("I6", rules::reject_all_leaves_no_trace);
}

#[test]
fn i7_bytes_outside_accepted_hunks_are_kept() {
    check_rule("I7", rules::bytes_outside_accepted_hunks_are_kept);
}

#[test]
fn i8_edit_lists_are_sound() {
    check_rule("I8", rules::edit_lists_are_sound);
}

#[test]
fn i9_states_have_no_memory() {
    check_rule("I9", rules::states_have_no_memory);
}

#[test]
fn i9_states_are_a_function_of_base_buffer_and_agent() {
    check("I9, paired lines", paired::replacements(), paired::states_are_computed);
}

#[test]
fn refusals_change_nothing() {
    check_rule("refusals", rules::refusals_change_nothing);
}

#[track_caller]
fn check_rule(name: &str, rule: rules::Rule) {
    check(name, schedule::schedules(), |schedule| rules::run(schedule, rule));
}

/// Failing seeds are kept beside this file and tried first. The same schedules are drawn each time, so that a change which
/// passes here passes everywhere; `PROPTEST_RNG_SEED=…` with `PROPTEST_CASES=…` goes on a hunt for others.
#[track_caller]
fn check<S: Strategy>(name: &str, schedules: S, rule: impl Fn(&S::Value) -> Result<(), String>) {
    let seeds = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/review_properties/failing_seeds.txt");
    let cases =
        std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(SCHEDULES);
    let given = Config::default();
    let rng_seed = match given.rng_seed {
        RngSeed::Random => RngSeed::Fixed(1),
        RngSeed::Fixed(seed) => RngSeed::Fixed(seed),
    };
    let mut runner = TestRunner::new(Config {
        rng_seed,
        cases,
        max_shrink_iters: 20_000,
        failure_persistence: Some(Box::new(FileFailurePersistence::Direct(seeds))),
        ..given
    });
    let ran = Cell::new(0_u32);
    let outcome = runner.run(&schedules, |schedule| {
        ran.set(ran.get() + 1);
        rule(&schedule).map_err(TestCaseError::fail)
    });
    #[allow(
        clippy::explicit_write,
        reason = "past the capture of test output: the count is worth seeing when green"
    )]
    writeln!(std::io::stderr(), "{name}: {} schedules", ran.get()).unwrap();
    match outcome {
        Ok(()) => {}
        Err(TestError::Fail(why, schedule)) => panic!("{name}: {why}\n{schedule:#?}"),
        Err(TestError::Abort(why)) => panic!("{name}: {why}"),
    }
}
