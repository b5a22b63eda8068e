//! Accepts on open files: whatever the editor answers, only its text counts.

use super::bench::{ABCD, Bench, message, outcomes};
use crate::editor::fake::OnApply;
use crate::editor::{Position, PositionEncoding, Range, TextEdit};
use crate::review::{Decide, Outcome, Take, Target};
use std::time::Duration;

const PENDING: &str = "f [A] 1 b -> B pending\n";

async fn with_hunk() -> Bench {
    let bench = Bench::new();
    bench.open("f", ABCD).await;
    bench.edit("A", "f", "b", "B").await;
    bench
}

#[tokio::test(start_paused = true)]
async fn an_accept_is_done_when_the_text_shows_it() {
    let bench = with_hunk().await;
    assert_eq!(bench.text("f"), ABCD, "nothing is changed before the accept");
    let results = bench.accept("f", 0).await;
    assert_eq!(outcomes(&results), [Outcome::Accepted]);
    assert_eq!(bench.text("f"), "a\nB\nc\nd\n");
    assert_eq!(bench.disk("f").unwrap(), ABCD, "the server never writes an open file");
    assert_eq!(bench.review().await, "");
    assert_eq!(bench.told("A").await, ["f: accepted: b>B"]);
    assert_eq!(bench.told("A").await, Vec::<String>::new(), "told once");
}

#[tokio::test(start_paused = true)]
async fn one_file_goes_in_one_edit_list_against_its_version_in_the_negotiated_units() {
    for (encoding, column) in
        [(PositionEncoding::Utf8, 7), (PositionEncoding::Utf16, 4), (PositionEncoding::Utf32, 3)]
    {
        let bench = Bench::with_encoding(encoding);
        bench.open("f", "é😀 x\nk\ny\n").await;
        bench.types("f", 1, 0..1, "kk").await;
        bench.edit("A", "f", "x", "X").await;
        bench.edit("A", "f", "y", "Y").await;
        bench.accept_all().await;
        let edit = |line, column, text: &str| TextEdit {
            range: Range::new(Position::new(line, column), Position::new(line, column + 1)),
            new_text: text.to_owned(),
        };
        let asked = bench.editor.asked_edits();
        assert_eq!(asked.len(), 1, "one message for one file");
        assert_eq!(asked[0].version, Some(2));
        assert_eq!(asked[0].edits, [edit(0, column, "X"), edit(2, 0, "Y")]);
        assert_eq!(bench.text("f"), "é😀 X\nkk\nY\n");
    }
}

#[tokio::test(start_paused = true)]
async fn a_refused_accept_is_pending_again_and_the_reason_is_named() {
    let bench = with_hunk().await;
    bench.editor.will([OnApply::Refuse("document has changed")]);
    let results = bench.accept("f", 0).await;
    assert_eq!(outcomes(&results), [Outcome::Pending]);
    assert!(message(&results).contains("document has changed"), "{results:?}");
    assert_eq!(bench.text("f"), ABCD);
    assert_eq!(bench.review().await, PENDING);
    assert_eq!(bench.told("A").await, Vec::<String>::new());
}

#[tokio::test(start_paused = true)]
async fn an_accept_that_the_editor_only_pretends_is_pending_after_a_second_and_never_sent_again() {
    let bench = with_hunk().await;
    bench.editor.will([OnApply::Pretend]);
    let before = tokio::time::Instant::now();
    let results = bench.accept("f", 0).await;
    assert_eq!(outcomes(&results), [Outcome::Pending]);
    assert!(message(&results).contains("does not show"), "{results:?}");
    let waited = before.elapsed();
    assert!(waited >= Duration::from_secs(1) && waited < Duration::from_secs(2), "{waited:?}");
    bench.wait(20_000).await;
    assert_eq!(bench.editor.asked_edits().len(), 1);
    assert_eq!(bench.review().await, PENDING);
}

#[tokio::test(start_paused = true)]
async fn an_edit_that_is_never_answered_is_told_of_as_soon_as_one_without_an_echo() {
    let bench = with_hunk().await;
    bench.editor.will([OnApply::Ignore]);
    let before = tokio::time::Instant::now();
    let results = bench.accept("f", 0).await;
    assert_eq!(outcomes(&results), [Outcome::Pending]);
    assert!(message(&results).contains("does not show"), "{results:?}");
    assert!(before.elapsed() < Duration::from_secs(2), "{:?}", before.elapsed());
    assert_eq!(bench.review().await, PENDING);
    bench.wait(20_000).await;
    assert_eq!(bench.editor.asked_edits().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_late_echo_accepts_after_all_and_takes_the_notice_back() {
    let bench = with_hunk().await;
    bench.editor.will([OnApply::ApplyAfterReply(Duration::from_millis(1400))]);
    let results = bench.accept("f", 0).await;
    assert_eq!(outcomes(&results), [Outcome::Pending]);
    bench.wait(1000).await;
    assert_eq!(bench.review().await, "");
    assert!(bench.editor.messages().last().unwrap().contains("after all"), "{:?}", bench.editor.messages());
    assert_eq!(bench.told("A").await, ["f: accepted: b>B"]);
}

#[tokio::test(start_paused = true)]
async fn an_echo_after_the_reply_is_waited_for() {
    let bench = with_hunk().await;
    bench.editor.will([OnApply::ApplyAfterReply(Duration::from_millis(150))]);
    assert_eq!(outcomes(&bench.accept("f", 0).await), [Outcome::Accepted]);
    assert_eq!(bench.editor.messages(), Vec::<String>::new());
}

#[tokio::test(start_paused = true)]
async fn two_hunks_may_arrive_bottom_first_with_the_reply_between_them() {
    let bench = Bench::new();
    bench.open("f", "a\nb\nc\nd\ne\n").await;
    bench.edit("A", "f", "b", "B").await;
    bench.edit("A", "f", "d", "D").await;
    bench.editor.will([OnApply::BottomUp { pause: Duration::from_millis(150) }]);
    let desk = bench.desk.clone();
    let accepting = tokio::spawn(async move {
        let target = Target::All { session: None };
        desk.decide(crate::review::Decision { decide: Decide::Accept, target }).await
    });
    bench.wait(50).await;
    assert_eq!(bench.review().await, "f [A] 1 b -> B applying\n", "half a state is no conflict");
    let results = accepting.await.unwrap();
    assert_eq!(outcomes(&results), [Outcome::Accepted, Outcome::Accepted]);
    assert_eq!(bench.review().await, "");
}

#[tokio::test(start_paused = true)]
async fn of_three_hunks_two_arrive_and_the_third_is_pending_by_name() {
    let bench = Bench::new();
    bench.open("f", "a\n-\nb\n-\nc\n").await;
    for (old, new) in [("a", "A"), ("b", "B"), ("c", "C")] {
        bench.edit("A", "f", old, new).await;
    }
    bench.editor.will([OnApply::ApplySome(2)]);
    let third = bench.hunk("f", "A", 2);
    let results = bench.accept_all().await;
    let pending: Vec<_> = results.iter().filter(|result| result.outcome == Outcome::Pending).collect();
    assert_eq!(pending.len(), 1);
    assert_eq!(pending[0].hunk, Some(third.id));
    assert_eq!(bench.review().await, "f [A] 4 c -> C pending\n");
    let mut told = bench.told("A").await;
    told.sort();
    assert_eq!(told, ["f: accepted: a>A", "f: accepted: b>B"]);
}

#[tokio::test(start_paused = true)]
async fn an_edit_applied_twice_is_warned_of_and_can_be_taken_back() {
    let bench = Bench::new();
    bench.open("f", "a\nc\n").await;
    bench.edit("A", "f", "a\nc", "a\nN\nc").await;
    bench.editor.will([OnApply::ApplyTwice]);
    bench.editor.will_answer("Take it back");
    bench.accept("f", 0).await;
    bench.moment().await;
    assert_eq!(bench.editor.questions().len(), 1, "{:?}", bench.editor.messages());
    assert_eq!(bench.text("f"), "a\nN\nc\n", "the second copy was taken back");
    assert_eq!(bench.agents("A", "f").await.unwrap(), "a\nN\nc\n");
}

#[tokio::test(start_paused = true)]
async fn a_code_actions_edit_applied_twice_is_warned_of_whenever_the_editor_says_that_it_was_one() {
    for claimed_first in [true, false] {
        let bench = Bench::new();
        bench.open("f", "a\nc\n").await;
        bench.edit("A", "f", "a\nc", "a\nN\nc").await;
        let hunk = bench.hunk("f", "A", 0);
        bench.editor.will_answer("Take it back");
        if claimed_first {
            bench.desk.claimed(vec![hunk]);
            bench.types("f", 1, 0..0, "N\n").await;
        } else {
            bench.types("f", 1, 0..0, "N\n").await;
            bench.desk.claimed(vec![hunk]);
        }
        bench.moment().await;
        assert_eq!(bench.editor.questions(), []);
        bench.types("f", 1, 0..0, "N\n").await;
        bench.moment().await;
        assert_eq!(bench.editor.questions().len(), 1, "claimed first: {claimed_first}");
        assert_eq!(bench.text("f"), "a\nN\nc\n", "the second copy was taken back");
        assert_eq!(bench.told("A").await, ["f: accepted: a\nc>a\nN\nc"]);

        bench.wait(11_000).await;
        bench.types("f", 1, 0..0, "N\n").await;
        assert_eq!(bench.editor.questions().len(), 1, "after ten seconds it is the user's own text");
    }
}

#[tokio::test(start_paused = true)]
async fn what_the_user_types_twice_is_no_edit_of_ours() {
    let bench = Bench::new();
    bench.open("f", "a\nc\n").await;
    bench.edit("A", "f", "a\nc", "a\nN\nc").await;
    bench.types("f", 1, 0..0, "N\n").await;
    bench.types("f", 1, 0..0, "N\n").await;
    assert_eq!((bench.editor.questions(), bench.editor.messages()), (Vec::new(), Vec::new()));
    assert_eq!(bench.told("A").await.first().unwrap(), "f: accepted by hand: a\nc>a\nN\nc");
}

#[tokio::test(start_paused = true)]
async fn an_edit_that_the_editor_rebased_is_accepted_where_it_landed() {
    let bench = with_hunk().await;
    bench.editor.will([OnApply::Rebase]);
    assert_eq!(outcomes(&bench.accept("f", 0).await), [Outcome::Accepted]);
    assert_eq!(bench.text("f"), "U\na\nB\nc\nd\n");
    assert_eq!(bench.review().await, "");
}

#[tokio::test(start_paused = true)]
async fn an_edit_at_the_wrong_line_is_warned_of_and_the_hunk_stays_pending() {
    let bench = with_hunk().await;
    bench.editor.will([OnApply::Misplace]);
    bench.editor.will_answer("Take it back");
    let results = bench.accept("f", 0).await;
    assert_ne!(outcomes(&results), [Outcome::Accepted]);
    bench.moment().await;
    assert_eq!(bench.editor.questions().len(), 1, "{:?}", bench.editor.messages());
    assert_eq!(bench.text("f"), "U\na\nb\nc\nd\n", "the stray edit was taken back");
    assert_eq!(bench.review().await, "f [A] 2 b -> B pending\n");
}

#[tokio::test(start_paused = true)]
async fn an_action_of_an_older_menu_accepts_what_was_offered_and_the_newer_text_stays_pending() {
    let bench = with_hunk().await;
    let offered = bench.hunk("f", "A", 0);
    bench.edit("A", "f", "B", "B2").await;
    // The editor applies the edit that the menu carried, then runs its command.
    bench.types("f", 1, 0..1, "B").await;
    bench.desk.claimed(vec![offered]);
    bench.wait(2000).await;
    assert_eq!(bench.review().await, "f [A] 1 B -> B2 pending\n");
    assert_eq!(bench.editor.messages(), Vec::<String>::new());
}

#[tokio::test(start_paused = true)]
async fn a_reject_of_an_older_revision_rejects_nothing_unseen() {
    let bench = with_hunk().await;
    let shown = bench.hunk("f", "A", 0);
    bench.edit("A", "f", "B", "B2").await;
    let results = bench.decide(Decide::Reject { reason: None }, Target::Hunk(shown)).await;
    assert_eq!(outcomes(&results), [Outcome::Stale]);
    assert!(message(&results).contains("since it was shown"), "{results:?}");
    assert_eq!(bench.review().await, "f [A] 1 b -> B2 pending\n");
}

#[tokio::test(start_paused = true)]
async fn typing_while_the_accept_is_on_its_way_is_a_conflict_and_nothing_is_sent_again() {
    let bench = with_hunk().await;
    bench.editor.will([OnApply::ApplyAfterReply(Duration::from_secs(60))]);
    let desk = bench.desk.clone();
    let hunk = bench.hunk("f", "A", 0);
    let accepting = tokio::spawn(async move {
        desk.decide(crate::review::Decision { decide: Decide::Accept, target: Target::Hunk(hunk) }).await
    });
    bench.wait(10).await;
    bench.types("f", 1, 1..1, "x").await;
    assert_eq!(outcomes(&accepting.await.unwrap()), [Outcome::Conflicted]);
    assert_eq!(bench.review().await, "f [A] 1 bx -> B conflicted\n");
    assert_eq!(bench.editor.asked_edits().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_code_actions_own_edit_is_watched_like_any_accept() {
    let bench = with_hunk().await;
    bench.desk.claimed(vec![bench.hunk("f", "A", 0)]);
    bench.moment().await;
    assert_eq!(bench.review().await, "f [A] 1 b -> B applying\n");
    bench.wait(1500).await;
    assert_eq!(bench.review().await, PENDING);
    assert_eq!(bench.editor.messages().len(), 1, "the person is told once");

    bench.desk.claimed(vec![bench.hunk("f", "A", 0)]);
    bench.types("f", 1, 0..1, "B").await;
    bench.wait(1500).await;
    assert_eq!(bench.review().await, "");
    assert_eq!(bench.editor.messages().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_second_accept_of_the_file_waits_for_the_first() {
    let bench = Bench::new();
    bench.open("f", "a\nb\nc\nd\ne\n").await;
    bench.edit("A", "f", "b", "B").await;
    bench.edit("A", "f", "d", "D").await;
    let wait = OnApply::ApplyAfterReply(Duration::from_millis(150));
    bench.editor.will([wait.clone(), wait]);
    let (first, second) = (bench.hunk("f", "A", 0), bench.hunk("f", "A", 1));
    let (one, two) = tokio::join!(
        bench.decide(Decide::Accept, Target::Hunk(first)),
        bench.decide(Decide::Accept, Target::Hunk(second)),
    );
    assert_eq!(outcomes(&one), [Outcome::Accepted]);
    assert_eq!(outcomes(&two), [Outcome::Accepted]);
    assert_eq!(bench.text("f"), "a\nB\nc\nD\ne\n");
}

#[tokio::test(start_paused = true)]
async fn a_conflict_is_settled_by_the_persons_word() {
    let bench = with_hunk().await;
    bench.types("f", 1, 1..1, "x").await;
    let results = bench.accept("f", 0).await;
    assert_eq!(outcomes(&results), [Outcome::Conflicted]);
    assert_eq!(bench.text("f"), "a\nbx\nc\nd\n");
    let hunk = bench.hunk("f", "A", 0);
    let results = bench.decide(Decide::Resolve(Take::Agents), Target::Hunk(hunk)).await;
    assert_eq!(outcomes(&results), [Outcome::Accepted]);
    assert_eq!(bench.text("f"), "a\nB\nc\nd\n");
}

#[tokio::test(start_paused = true)]
async fn an_undone_accept_is_pending_again_but_left_alone_by_accept_all() {
    let bench = with_hunk().await;
    bench.accept("f", 0).await;
    bench.types("f", 1, 0..1, "b").await;
    assert_eq!(bench.review().await, "f [A] 1 b -> B undone\n");
    bench.accept_all().await;
    assert_eq!(bench.text("f"), ABCD);
    assert_eq!(outcomes(&bench.accept("f", 0).await), [Outcome::Accepted], "named, it is accepted");
}
