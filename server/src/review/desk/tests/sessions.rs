//! Several sessions on one file: each has its own draft, and an accept of one is a buffer change for the others.

use super::bench::{ABCD, Bench, outcomes};
use crate::review::{Decide, Outcome, Target};

#[tokio::test(start_paused = true)]
async fn an_accept_of_one_session_is_a_change_of_the_buffer_for_the_other() {
    for open in [true, false] {
        let bench = Bench::new();
        bench.put("f", ABCD);
        if open {
            bench.open("f", ABCD).await;
        }
        bench.edit("A", "f", "b", "B").await;
        bench.edit("B", "f", "d", "D").await;
        assert_eq!(bench.agents("A", "f").await.unwrap(), "a\nB\nc\nd\n", "a draft is its session's own");
        bench.accept("f", 0).await;
        assert_eq!(bench.review().await, "f [B] 3 d -> D pending\n");
        assert_eq!(bench.agents("B", "f").await.unwrap(), "a\nB\nc\nD\n");
        assert_eq!(bench.told("A").await, ["f: accepted: b>B"]);
        assert_eq!(
            bench.told("B").await,
            ["f: changed by the user, by accepting a change of another session"]
        );
    }
}

#[tokio::test(start_paused = true)]
async fn two_sessions_that_change_one_line_conflict_when_one_is_accepted() {
    let bench = Bench::new();
    bench.open("f", ABCD).await;
    bench.edit("A", "f", "b", "A1").await;
    bench.edit("B", "f", "b", "B1").await;
    bench.accept("f", 0).await;
    assert_eq!(bench.review().await, "f [B] 1 A1 -> B1 conflicted\n");
    assert_eq!(bench.told("B").await, ["f: conflicted: b>B1 (with others)"]);
}

#[tokio::test(start_paused = true)]
async fn two_sessions_with_the_same_change_are_both_done_when_one_is_accepted() {
    let bench = Bench::new();
    bench.open("f", ABCD).await;
    bench.edit("A", "f", "b", "B").await;
    bench.edit("B", "f", "b", "B").await;
    bench.accept("f", 0).await;
    assert_eq!(bench.review().await, "");
    assert_eq!(bench.told("A").await, ["f: accepted: b>B"]);
    assert_eq!(bench.told("B").await, ["f: accepted by hand: b>B"]);
}

#[tokio::test(start_paused = true)]
async fn calls_of_one_session_meet_in_one_draft() {
    let bench = Bench::new();
    bench.put("f", ABCD);
    let (one, two) = tokio::join!(bench.try_edit("A", "f", "b", "B"), bench.try_edit("A", "f", "d", "D"));
    assert!(one.is_ok() && two.is_ok());
    assert_eq!(bench.agents("A", "f").await.unwrap(), "a\nB\nc\nD\n");
    assert!(
        bench.try_edit("A", "f", "b", "x").await.is_err(),
        "each call is checked against the draft of its moment"
    );
}

#[tokio::test(start_paused = true)]
async fn a_decision_for_one_session_leaves_the_others_alone() {
    let bench = Bench::new();
    bench.open("f", ABCD).await;
    bench.edit("A", "f", "b", "B").await;
    bench.edit("B", "f", "d", "D").await;
    let only_b = Target::All { session: Some(crate::conversation::SessionId("B".to_owned())) };
    assert_eq!(outcomes(&bench.decide(Decide::Accept, only_b).await), [Outcome::Accepted]);
    assert_eq!(bench.review().await, "f [A] 1 b -> B pending\n");
}

#[tokio::test(start_paused = true)]
async fn a_stale_whole_file_write_never_removes_another_sessions_lines() {
    let bench = Bench::new();
    bench.put("notes", "seed\n");
    bench.write("A", "notes", "seed\nA\n", Some("seed\n")).await.unwrap();
    bench.accept_all().await;
    let error = bench.write("B", "notes", "seed\nB\n", Some("seed\n")).await.unwrap_err();
    assert!(error.to_string().contains("changed since you read it"), "{error}");
    bench.write("B", "notes", "seed\nA\nB\n", Some("seed\nA\n")).await.unwrap();
    bench.accept_all().await;
    assert_eq!(bench.disk("notes").unwrap(), "seed\nA\nB\n");
}
