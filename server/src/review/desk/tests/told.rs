//! What the agent is told of the person's decisions: each once, net, and nothing of its own as the user's.

use super::bench::{ABCD, Bench};
use crate::conversation::SessionId;
use crate::review::{Decide, HalfMove, Take, Target, ToldWhat};

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
    assert_eq!(bench.told("A").await, ["f: altered: b>B"]);
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
        assert_eq!(bench.told("A").await, [format!("f: {word}: the rest of: {summary}")]);
    }
}

#[tokio::test(start_paused = true)]
async fn hunks_of_a_proposal_that_are_decided_differently_at_once_are_parts_of_it() {
    let bench = Bench::new();
    bench.open("f", "1\n2\n3\n4\n").await;
    bench.write("A", "f", "one\n2\n3\nfour\n", Some("1\n2\n3\n4\n")).await.unwrap();
    let summary = bench.desk.settled().await.files[0].hunks[0].reasons[0].summary.clone();
    bench.accept("f", 0).await;
    bench.reject("f", 0).await;
    let told = ["accepted", "rejected"].map(|word| format!("f: {word}: a part of: {summary}"));
    assert_eq!(bench.told("A").await, told);
}

#[tokio::test(start_paused = true)]
async fn hunks_of_a_proposal_that_are_decided_alike_at_once_are_all_of_it() {
    let bench = Bench::new();
    bench.open("f", "1\n2\n3\n4\n").await;
    bench.write("A", "f", "one\n2\n3\nfour\n", Some("1\n2\n3\n4\n")).await.unwrap();
    let summary = bench.desk.settled().await.files[0].hunks[0].reasons[0].summary.clone();
    bench.reject("f", 0).await;
    bench.reject("f", 0).await;
    let told = ["f", "f"].map(|file| format!("{file}: rejected: {summary}"));
    assert_eq!(bench.told("A").await, told);
}

#[tokio::test(start_paused = true)]
async fn of_a_half_of_a_move_it_is_told_that_the_other_waits_only_as_long_as_it_does() {
    for (reject_both, want) in [(false, Some(HalfMove::Twice)), (true, None)] {
        let bench = Bench::new();
        bench.open("f", "1\n2\n3\n4\n5\n").await;
        bench.write("A", "f", "4\n1\n2\n3\n5\n", Some("1\n2\n3\n4\n5\n")).await.unwrap();
        bench.reject("f", 1).await;
        if reject_both {
            bench.reject("f", 0).await;
        }
        for told in bench.desk.take_told(&SessionId("A".into())).await {
            let ToldWhat::Rejected { half, .. } = told.what else { panic!("{told:?}") };
            assert_eq!(half, want);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn what_became_of_an_amended_hunk_is_told_net() {
    let amend = |text: &str| Decide::Amend { text: text.to_owned() };
    let reject = || Decide::Reject { reason: None };
    let cases: [(Vec<Decide>, &[&str]); 5] = [
        (vec![amend("Bu\n"), reject()], &["f: rejected: b>B"]),
        (vec![amend("Bu\n"), amend("b\n")], &["f: rejected: b>B"]),
        (vec![amend("Bu\n"), amend("B\n")], &[]),
        (vec![amend("Bu\n"), Decide::Accept], &["f: altered: b>B"]),
        (vec![amend("Bu\n"), amend("B\n"), Decide::Accept], &["f: accepted: b>B"]),
    ];
    for (decisions, want) in cases {
        let bench = Bench::new();
        bench.open("f", ABCD).await;
        bench.edit("A", "f", "b", "B").await;
        for decide in decisions {
            bench.decide(decide, Target::Hunk(bench.hunk("f", "A", 0))).await;
        }
        assert_eq!(bench.told("A").await, want);
        assert_eq!(bench.told("A").await, [] as [&str; 0]);
    }
}

#[tokio::test(start_paused = true)]
async fn of_an_amended_hunk_that_is_rejected_the_agents_own_text_is_told() {
    let bench = Bench::new();
    bench.open("f", ABCD).await;
    bench.edit("A", "f", "b", "B").await;
    let hunk = || Target::Hunk(bench.hunk("f", "A", 0));
    bench.decide(Decide::Amend { text: "Bu\n".to_owned() }, hunk()).await;
    bench.decide(Decide::Reject { reason: None }, hunk()).await;
    let told = bench.desk.take_told(&SessionId("A".into())).await;
    assert!(matches!(&told[0].what, ToldWhat::Rejected { text, .. } if text == "B\n"), "{told:?}");
}

#[tokio::test(start_paused = true)]
async fn an_amended_hunk_in_conflict_is_told_as_a_conflict() {
    let bench = Bench::new();
    bench.open("f", ABCD).await;
    bench.edit("A", "f", "b", "B").await;
    bench.decide(Decide::Amend { text: "Bu\n".to_owned() }, Target::Hunk(bench.hunk("f", "A", 0))).await;
    bench.types("f", 1, 1..1, "x").await;
    assert_eq!(bench.told("A").await, ["f: conflicted: b>B (amended)"]);
}

#[tokio::test(start_paused = true)]
async fn what_an_accept_replaced_of_the_users_text_is_told() {
    let bench = Bench::new();
    bench.open("f", ABCD).await;
    bench.edit("A", "f", "b", "B").await;
    bench.types("f", 1, 1..1, "x").await;
    bench.decide(Decide::Resolve(Take::Agents), Target::Hunk(bench.hunk("f", "A", 0))).await;
    assert_eq!(bench.told("A").await, ["f: accepted over bx: b>B"]);
}

#[tokio::test(start_paused = true)]
async fn two_who_create_a_file_with_other_words_are_in_conflict_and_no_more() {
    let bench = Bench::new();
    bench.write("A", "new", "N\n", None).await.unwrap();
    bench.open("new", "U\n").await;
    let told = bench.told("A").await;
    assert!(matches!(&*told, [only] if only.starts_with("new: conflicted: ")), "{told:?}");
}
