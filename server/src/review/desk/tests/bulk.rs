//! Decisions about many hunks and files.

use super::bench::{ABCD, Bench, message, outcomes};
use crate::editor::fake::OnApply;
use crate::review::{Decide, HunkId, Outcome, Target};

#[cfg(unix)]
fn make_read_only(bench: &Bench, name: &str) {
    use std::os::unix::fs::PermissionsExt;
    let mode = std::fs::Permissions::from_mode(0o444);
    std::fs::set_permissions(bench.path(name).as_path(), mode).unwrap();
}

#[tokio::test(start_paused = true)]
async fn accept_all_takes_no_conflict() {
    let bench = Bench::new();
    bench.open("f", "a\nb\nc\nd\ne\n").await;
    bench.edit("A", "f", "b", "B").await;
    bench.edit("A", "f", "d", "D").await;
    bench.types("f", 1, 1..1, "x").await;
    let mut outcomes = outcomes(&bench.accept_all().await);
    outcomes.sort_by_key(|outcome| format!("{outcome:?}"));
    assert_eq!(outcomes, [Outcome::Accepted, Outcome::Conflicted]);
    assert_eq!(bench.text("f"), "a\nbx\nc\nD\ne\n");
}

#[cfg(unix)]
#[tokio::test(start_paused = true)]
async fn every_file_is_checked_before_the_first_is_changed() {
    let bench = Bench::new();
    for name in ["f1", "f2", "f3"] {
        bench.put(name, ABCD);
        bench.edit("A", name, "b", "B").await;
    }
    make_read_only(&bench, "f3");
    let results = bench.accept_all().await;
    assert!(message(&results).contains("f3") && message(&results).contains("read-only"), "{results:?}");
    assert_eq!(bench.disk("f1").unwrap(), ABCD);
}

#[tokio::test(start_paused = true)]
async fn a_file_that_vanished_or_changed_is_named_with_what_to_do_and_nothing_is_accepted() {
    for (now, cause) in [(None, "not on disk any more"), (Some("a\nB2\nc\nd\n"), "changed on disk just now")]
    {
        let bench = Bench::new();
        for name in ["f1", "f2"] {
            bench.put(name, ABCD);
            bench.edit("A", name, "b", "B").await;
        }
        match now {
            None => bench.remove("f2"),
            Some(text) => bench.put("f2", text),
        }
        let results = bench.accept_all().await;
        let told = message(&results);
        assert!(told.starts_with("f2: ") && told.contains(cause), "{told}");
        assert!(told.contains("again") && !told.contains("h_"), "{told}");
        assert_eq!(bench.disk("f1").unwrap(), ABCD, "every file was looked at first");
    }
}

#[tokio::test(start_paused = true)]
async fn a_refusal_for_one_change_names_its_file() {
    let bench = Bench::new();
    bench.open("f", ABCD).await;
    bench.edit("A", "f", "b", "B").await;
    bench.types("f", 1, 1..1, "x").await;
    let results = bench.accept("f", 0).await;
    assert_eq!(outcomes(&results), [Outcome::Conflicted]);
    assert!(message(&results).starts_with("f: "), "{results:?}");
}

#[tokio::test(start_paused = true)]
async fn a_file_that_fails_all_the_same_stops_the_rest_and_what_was_done_stays() {
    let bench = Bench::new();
    for name in ["f1", "f2", "f3"] {
        bench.open(name, ABCD).await;
        bench.edit("A", name, "b", "B").await;
    }
    bench.editor.will([OnApply::Apply, OnApply::Refuse("locked")]);
    let results = bench.accept_all().await;
    assert_eq!(outcomes(&results), [Outcome::Accepted, Outcome::Pending]);
    assert!(message(&results).contains("f2") && message(&results).contains("locked"), "{results:?}");
    assert_eq!(bench.text("f1"), "a\nB\nc\nd\n");
    assert_eq!(bench.text("f3"), ABCD);
    assert_eq!(bench.review().await, "f2 [A] 1 b -> B pending\nf3 [A] 1 b -> B pending\n");
}

#[tokio::test(start_paused = true)]
async fn reject_all_leaves_no_trace() {
    let bench = Bench::new();
    bench.open("f", ABCD).await;
    bench.put("g", ABCD);
    bench.edit("A", "f", "b", "B").await;
    bench.edit("A", "g", "c\n", "").await;
    bench.write("A", "new", "x\n", None).await.unwrap();
    bench.delete("B", "g").await;
    bench.decide(Decide::Reject { reason: Some("no".to_owned()) }, Target::All { session: None }).await;
    assert_eq!(bench.review().await, "");
    assert_eq!((bench.text("f"), bench.disk("g")), (ABCD.to_owned(), Some(ABCD.to_owned())));
    assert_eq!(bench.disk("new"), None);
    assert_eq!(bench.editor.asked_edits(), []);
}

#[tokio::test(start_paused = true)]
async fn some_lines_of_a_hunk_are_accepted_or_rejected_and_the_rest_stays() {
    let bench = Bench::new();
    bench.open("f", "a\nz\n").await;
    bench.edit("A", "f", "a\nz", "a\n1\n2\n3\nz").await;
    let lines = |plus: &[usize]| Decide::AcceptLines { minus: Vec::new(), plus: plus.to_vec() };
    let results = bench.decide(lines(&[0, 2]), Target::Hunk(bench.hunk("f", "A", 0))).await;
    assert_eq!(outcomes(&results), [Outcome::Accepted]);
    assert_eq!(bench.text("f"), "a\n1\n3\nz\n");
    assert_eq!(bench.review().await, "f [A] 2  -> 2 pending\n");
}

#[tokio::test(start_paused = true)]
async fn an_amended_proposal_is_the_users_and_the_agent_is_told() {
    let bench = Bench::new();
    bench.open("f", ABCD).await;
    bench.edit("A", "f", "b", "B").await;
    let amend = Decide::Amend { text: "Bu\n".to_owned() };
    let results = bench.decide(amend, Target::Hunk(bench.hunk("f", "A", 0))).await;
    assert_eq!(outcomes(&results), [Outcome::Amended]);
    assert_eq!(bench.review().await, "f [A] 1 b -> Bu pending\n");
    assert_eq!(bench.agents("A", "f").await.unwrap(), "a\nBu\nc\nd\n");
    assert_eq!(bench.told("A").await, ["f: amended: b>B"]);
}

#[tokio::test(start_paused = true)]
async fn a_decision_about_all_of_a_file_decides_nothing_that_came_later() {
    let bench = Bench::new();
    bench.open("f", ABCD).await;
    bench.edit("A", "f", "b", "B").await;
    let offer = bench.offer("f", "A").await;
    bench.edit("A", "f", "d", "D").await;
    for decide in [Decide::Accept, Decide::Reject { reason: None }] {
        let results = bench.decide(decide, offer.clone()).await;
        assert_eq!(outcomes(&results), [Outcome::Stale]);
        assert!(message(&results).contains("look at them again"), "{results:?}");
    }
    assert_eq!(bench.review().await, "f [A] 1 b -> B pending\nf [A] 3 d -> D pending\n");

    let offer = bench.offer("f", "A").await;
    bench.types("f", 0, 0..0, "U").await;
    let results = bench.decide(Decide::Reject { reason: None }, offer).await;
    assert_eq!(
        outcomes(&results),
        [Outcome::Rejected, Outcome::Rejected],
        "typing elsewhere changes no offer"
    );
}

#[tokio::test(start_paused = true)]
async fn a_decision_about_nothing_says_so() {
    let bench = Bench::new();
    bench.open("f", ABCD).await;
    let results = bench.decide(Decide::Accept, Target::File(bench.path("f"))).await;
    assert_eq!(outcomes(&results), [Outcome::Stale]);
    assert!(message(&results).contains("no changes"), "{results:?}");
}

#[tokio::test(start_paused = true)]
async fn what_was_done_before_it_stopped_can_be_taken_back() {
    let bench = Bench::new();
    bench.open("open", ABCD).await;
    bench.put("closed", ABCD);
    for name in ["open", "closed"] {
        bench.edit("A", name, "b", "B").await;
        let hunk = bench.hunk(name, "A", 0).id;
        bench.accept(name, 0).await;
        let results = bench.desk.take_back(&bench.path(name), vec![hunk.clone()]).await;
        assert_eq!(outcomes(&results), [Outcome::Pending], "{results:?}");
        let review = bench.desk.settled().await;
        let again = review.files.iter().find(|file| file.path == bench.path(name)).unwrap();
        assert_eq!(again.hunks[0].id, hunk);
        assert!(again.hunks[0].undone, "left alone by what accepts all");
    }
    assert_eq!((bench.text("open").as_str(), bench.disk("closed").as_deref()), (ABCD, Some(ABCD)));
}

#[tokio::test(start_paused = true)]
async fn what_nobody_remembers_is_not_taken_back_and_that_is_answered() {
    let bench = Bench::new();
    bench.open("f", ABCD).await;
    bench.edit("A", "f", "b", "B").await;
    let unknown = || vec![HunkId("h_99".to_owned())];
    for name in ["f", "never-seen"] {
        let results = bench.desk.take_back(&bench.path(name), unknown()).await;
        assert_eq!(outcomes(&results), [Outcome::Stale]);
        assert_eq!(message(&results), format!("{name}: it is not known any more what stood there before."));
    }
}

#[tokio::test(start_paused = true)]
async fn what_was_changed_since_is_not_taken_back() {
    let bench = Bench::new();
    bench.open("f", ABCD).await;
    bench.edit("A", "f", "b", "B").await;
    let hunk = bench.hunk("f", "A", 0).id;
    bench.accept("f", 0).await;
    bench.types("f", 1, 1..1, "x").await;
    let results = bench.desk.take_back(&bench.path("f"), vec![hunk]).await;
    assert_eq!(outcomes(&results), [Outcome::Accepted]);
    assert_eq!(message(&results), "f, line 2: the accepted lines were changed since.");
    assert_eq!(bench.text("f"), "a\nBx\nc\nd\n");
}

#[tokio::test(start_paused = true)]
async fn what_was_changed_since_keeps_no_other_from_being_taken_back() {
    let bench = Bench::new();
    bench.open("f", ABCD).await;
    bench.edit("A", "f", "b", "B").await;
    bench.edit("A", "f", "d", "D").await;
    let hunks = vec![bench.hunk("f", "A", 0).id, bench.hunk("f", "A", 1).id];
    bench.accept("f", 1).await;
    bench.accept("f", 0).await;
    bench.types("f", 1, 1..1, "x").await;
    let results = bench.desk.take_back(&bench.path("f"), hunks).await;
    assert_eq!(outcomes(&results), [Outcome::Accepted, Outcome::Pending]);
    assert_eq!(message(&results), "f, line 2: the accepted lines were changed since.");
    assert_eq!(bench.text("f"), "a\nBx\nc\nd\n");
}

#[tokio::test(start_paused = true)]
async fn what_accepting_all_leaves_is_told_with_its_cause() {
    let bench = Bench::new();
    bench.open("f", "a\nb\nc\nd\ne\nf\n").await;
    bench.edit("A", "f", "b", "B").await;
    bench.edit("A", "f", "d", "D").await;
    bench.edit("A", "f", "f", "F").await;
    let first = bench.hunk("f", "A", 0).id;
    bench.accept("f", 0).await;
    bench.desk.take_back(&bench.path("f"), vec![first]).await;
    bench.types("f", 3, 1..1, "x").await;
    let results = bench.decide(Decide::Accept, Target::All { session: None }).await;
    let told: Vec<_> = results.iter().map(|result| (result.outcome, result.message.as_deref())).collect();
    assert_eq!(
        told,
        [
            (Outcome::Pending, Some("What you took back is left alone: accept it by itself.")),
            (Outcome::Conflicted, Some("You changed the same lines: choose which to keep.")),
            (Outcome::Accepted, None),
        ]
    );
}
