//! What the agent is told of the person's decisions: each once, net, and nothing of its own as the user's.

use super::bench::{ABCD, Bench};
use crate::review::{Decide, Target};

#[tokio::test(start_paused = true)]
async fn a_second_accept_in_the_same_place_is_no_change_of_the_users() {
    let bench = Bench::new();
    bench.open("f", ABCD).await;
    bench.edit("A", "f", "b", "B").await;
    bench.accept("f", 0).await;
    bench.edit("A", "f", "B", "B2").await;
    bench.accept("f", 0).await;
    assert_eq!(bench.told("A").await, ["f: accepted: b>B", "f: accepted: B>B2"]);
}

#[tokio::test(start_paused = true)]
async fn what_was_changed_after_an_accept_is_told_once() {
    let bench = Bench::new();
    bench.open("f", ABCD).await;
    bench.edit("A", "f", "b", "B").await;
    bench.accept("f", 0).await;
    bench.types("f", 1, 1..1, "!").await;
    assert_eq!(bench.told("A").await, ["f: accepted: b>B", "f: altered: b>B"]);
    bench.types("f", 3, 1..1, "!").await;
    assert_eq!(bench.told("A").await, ["f: changed by the user"]);
}

#[tokio::test(start_paused = true)]
async fn a_part_is_told_as_a_part() {
    let bench = Bench::new();
    bench.open("f", ABCD).await;
    bench.edit("A", "f", "b\nc", "B\nC").await;
    let hunk = || Target::Hunk(bench.hunk("f", "A", 0));
    bench.decide(Decide::AcceptLines { minus: vec![0], plus: vec![0] }, hunk()).await;
    assert_eq!(bench.told("A").await, ["f: accepted: a part of: b\nc>B\nC"]);
    bench.decide(Decide::Reject { reason: None }, hunk()).await;
    assert_eq!(bench.told("A").await, ["f: rejected: the rest of: b\nc>B\nC"]);
}

#[tokio::test(start_paused = true)]
async fn a_line_end_alone_is_nothing_that_was_proposed() {
    let bench = Bench::new();
    bench.open("f", "a").await;
    bench.edit("A", "f", "a", "a\nN\n").await;
    bench.types("f", 0, 1..1, "\n").await;
    assert_eq!(bench.told("A").await, [] as [&str; 0]);
}

#[tokio::test(start_paused = true)]
async fn one_of_two_hunks_of_a_proposal_is_a_part_of_it() {
    for (decide, word) in [(Decide::Accept, "accepted"), (Decide::Reject { reason: None }, "rejected")] {
        let bench = Bench::new();
        bench.open("f", "1\n2\n3\n4\n").await;
        bench.write("A", "f", "one\n2\n3\nfour\n", Some("1\n2\n3\n4\n")).await.unwrap();
        let summary = bench.desk.settled().await.files[0].hunks[0].reasons[0].summary.clone();
        bench.decide(decide.clone(), Target::Hunk(bench.hunk("f", "A", 0))).await;
        assert_eq!(bench.told("A").await, [format!("f: {word}: a part of: {summary}")]);
        bench.decide(decide, Target::Hunk(bench.hunk("f", "A", 0))).await;
        assert_eq!(bench.told("A").await, [format!("f: {word}: {summary}")]);
    }
}

#[tokio::test(start_paused = true)]
async fn two_who_create_a_file_with_other_words_are_in_conflict_and_no_more() {
    let bench = Bench::new();
    bench.write("A", "new", "N\n", None).await.unwrap();
    bench.open("new", "U\n").await;
    let told = bench.told("A").await;
    assert!(matches!(&*told, [only] if only.starts_with("new: conflicted: ")), "{told:?}");
}
