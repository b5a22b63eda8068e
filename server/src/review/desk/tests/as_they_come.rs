//! Changes that are accepted as they come: by the way of every accept, and never where somebody may mind.

use std::time::Duration;

use super::super::show::OVERWRITES;
use super::bench::{ABCD, Bench};
use crate::conversation::SessionId;
use crate::editor::fake::OnApply;
use crate::review::{Acceptance, Extent, Proposal};

/// A session whose changes are accepted as they come, with `f` open.
async fn bench() -> Bench {
    let bench = Bench::new();
    bench.open("f", ABCD).await;
    bench.accept_as_they_come();
    bench
}

/// Edits `b` and `d` in one call.
async fn edit_two(bench: &Bench) {
    use crate::documents::Change;
    let change = |at: usize, text: &str| Change { range: at..at + 1, text: text.to_owned() };
    let edits = vec![change(2, "B"), change(6, "D")];
    bench.propose("A", "f", "two", Box::new(|_| Ok(Proposal::Edit(edits)))).await.unwrap();
    bench.moment().await;
}

#[tokio::test(start_paused = true)]
async fn each_change_is_an_edit_of_its_own_and_the_agent_is_told() {
    let bench = bench().await;
    edit_two(&bench).await;
    bench.moment().await;
    assert_eq!(bench.text("f"), "a\nB\nc\nD\n");
    assert_eq!(bench.review().await, "");
    let edits: Vec<usize> = bench.editor.asked_edits().iter().map(|edit| edit.edits.len()).collect();
    assert_eq!(edits, [1, 1], "one undo step each");
    assert_eq!(bench.told("A").await, ["f: accepted: two", "f: accepted: two"]);
    assert_eq!(bench.disk("f").unwrap(), ABCD, "an open file is the editor's to save");
}

#[tokio::test(start_paused = true)]
async fn only_the_session_that_was_told_to_and_only_from_then_on() {
    let bench = Bench::new();
    bench.open("f", ABCD).await;
    bench.edit("A", "f", "a", "A").await;
    bench.accept_as_they_come();
    bench.edit("A", "f", "c", "C").await;
    bench.edit("B", "f", "d", "D").await;
    bench.moment().await;
    assert_eq!(bench.review().await, "f [A] 0 a -> A pending\nf [B] 3 d -> D pending\n");
    assert_eq!(bench.text("f"), "a\nb\nC\nd\n");
    bench.desk.set_acceptance(SessionId("A".to_owned()), Acceptance::Asked);
    bench.edit("A", "f", "b", "B").await;
    bench.moment().await;
    assert_eq!(bench.text("f"), "a\nb\nC\nd\n");
}

#[tokio::test(start_paused = true)]
async fn closed_files_are_written_and_new_ones_made_where_there_is_nothing() {
    let bench = bench().await;
    bench.put("g", ABCD);
    bench.edit("A", "g", "b", "B").await;
    bench.write("A", "new", "x\n", None).await.unwrap();
    bench.write("A", "empty", "", None).await.unwrap();
    bench.moment().await;
    assert_eq!(bench.disk("g").unwrap(), "a\nB\nc\nd\n");
    assert_eq!((bench.disk("new").unwrap(), bench.disk("empty").unwrap()), ("x\n".to_owned(), String::new()));
    assert_eq!(bench.review().await, "");
}

#[tokio::test(start_paused = true)]
async fn what_deletes_renames_or_overwrites_a_file_waits_for_the_person() {
    let bench = bench().await;
    for name in ["gone", "old", "whole"] {
        bench.put(name, ABCD);
    }
    bench.delete("A", "gone").await;
    let to = bench.path("new");
    bench.propose("A", "old", "rename", Box::new(|_| Ok(Proposal::Rename { to }))).await.unwrap();
    bench.write("A", "whole", "a\nB\nc\nd\n", Some(ABCD)).await.unwrap();
    bench.edit("A", "whole", "B", "B2").await;
    bench.moment().await;
    assert_eq!(
        bench.review().await,
        "gone [A] delete\ngone [A] 0 a|b|c|d ->  pending\nold [A] rename to new\nwhole [A] 1 b -> B2 pending\n"
    );
    for name in ["gone", "old", "whole"] {
        assert_eq!(bench.disk(name).unwrap(), ABCD);
    }
}

#[tokio::test(start_paused = true)]
async fn what_leaves_nothing_of_a_text_waits_by_whatever_tool_it_is_done() {
    let bench = bench().await;
    for name in ["all", "emptied", "copied", "part", "lines"] {
        bench.put(name, ABCD);
    }
    bench.put("nothing", "");
    bench.edit("A", "all", ABCD, "a\nb\nc\nD\n").await;
    bench.made("A", "emptied", "", Some(ABCD), Extent::Parts).await;
    bench.made("A", "copied", "a\nb\nc\nD\n", Some(ABCD), Extent::Whole).await;
    bench.made("A", "half", ABCD, None, Extent::Whole).await;
    bench.made("A", "part", "a\nb\nc\nD\n", Some(ABCD), Extent::Parts).await;
    bench.made("A", "new", "x\n", None, Extent::Parts).await;
    bench.made("A", "empty", "", None, Extent::Parts).await;
    bench.edit("A", "lines", "a\nb\nc\n", "A\nB\nC\n").await;
    bench.write("A", "nothing", "x\n", Some("")).await.unwrap();
    bench.moment().await;
    let waiting = "all [A] 3 d -> D pending\ncopied [A] 3 d -> D pending\nemptied [A] 0 a|b|c|d ->  pending\n\
                   half [A] create\nhalf [A] 0  -> a|b|c|d pending\n";
    assert_eq!(bench.review().await, waiting);
    let disk = |name: &str| bench.disk(name).unwrap();
    assert_eq!(
        (disk("part"), disk("new"), disk("empty")),
        ("a\nb\nc\nD\n".into(), "x\n".into(), String::new())
    );
    assert_eq!((disk("lines"), disk("nothing")), ("A\nB\nC\nd\n".into(), "x\n".into()));
}

#[tokio::test(start_paused = true)]
async fn in_a_file_of_one_line_a_word_is_changed_and_another_text_waits() {
    let bench = bench().await;
    for name in ["named", "other"] {
        bench.put(name, "fn load() {}\n");
    }
    bench.edit("A", "named", "fn load() {}", "fn open() {}").await;
    bench.edit("A", "other", "fn load() {}", "struct Open;").await;
    bench.moment().await;
    assert_eq!(bench.disk("named").unwrap(), "fn open() {}\n");
    assert_eq!(bench.review().await, "other [A] 0 fn load() {} -> struct Open; pending\n");
}

#[tokio::test(start_paused = true)]
async fn what_went_in_keeps_the_name_it_was_proposed_under() {
    let bench = bench().await;
    bench.put("g", ABCD);
    let mut proposed = Vec::new();
    for (old, new) in [("d", "D"), ("b", "B"), ("D", "E")] {
        proposed.extend(bench.try_edit("A", "g", old, new).await.unwrap().hunks);
        bench.moment().await;
    }
    let went_in = bench.desk.went_in(&SessionId("A".to_owned())).await;
    let [file] = went_in.as_slice() else { panic!("one file: {went_in:?}") };
    let [first, second] = file.hunks.as_slice() else { panic!("two places: {:?}", file.hunks) };
    assert_eq!((&first.id, &*first.added), (&proposed[1], "B\n"));
    assert_eq!(first.reasons[0].summary, "b>B");
    assert!(!proposed.contains(&second.id), "d became E in two steps: {:?} of {proposed:?}", second.id);
    assert_eq!((&*second.removed, &*second.added), ("d\n", "E\n"));
}

#[tokio::test(start_paused = true)]
async fn what_is_held_back_says_why_for_as_long_as_it_waits() {
    let bench = bench().await;
    bench.put("g", ABCD);
    bench.edit("A", "g", ABCD, "other\n").await;
    bench.moment().await;
    let held_back = |bench: &Bench| bench.desk.view().files.first().map(|file| file.held_back);
    assert_eq!(held_back(&bench), Some(Some(OVERWRITES)));
    let asked = Bench::new();
    asked.put("g", ABCD);
    asked.edit("A", "g", ABCD, "other\n").await;
    asked.moment().await;
    assert_eq!(held_back(&asked), Some(None), "there every change waits");
}

#[tokio::test(start_paused = true)]
async fn lines_that_the_user_typed_in_just_now_are_left_alone_for_good() {
    let bench = bench().await;
    bench.types("f", 1, 1..1, "x").await;
    bench.edit("A", "f", "bx", "B").await;
    bench.edit("A", "f", "d", "D").await;
    bench.moment().await;
    assert_eq!(bench.text("f"), "a\nbx\nc\nD\n", "the other line is nobody's");
    assert_eq!(bench.review().await, "f [A] 1 bx -> B pending\n");
    bench.wait(5000).await;
    assert_eq!(bench.review().await, "f [A] 1 bx -> B pending\n");
}

#[tokio::test(start_paused = true)]
async fn after_two_seconds_a_line_is_not_the_users_alone_any_more() {
    let bench = bench().await;
    bench.types("f", 1, 1..1, "x").await;
    bench.wait(2000).await;
    bench.edit("A", "f", "bx", "B").await;
    bench.moment().await;
    assert_eq!(bench.text("f"), "a\nB\nc\nd\n");
}

#[tokio::test(start_paused = true)]
async fn a_line_that_is_typed_in_while_its_change_waits_for_its_turn_is_left_alone() {
    let bench = bench().await;
    bench.editor.will([OnApply::ApplyAfterReply(Duration::from_millis(500))]);
    edit_two(&bench).await;
    bench.types("f", 2, 0..0, "C").await;
    bench.wait(600).await;
    assert_eq!(bench.review().await, "f [A] 3 d -> D pending\n");
    assert_eq!(bench.editor.asked_edits().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn what_only_the_person_may_accept_waits_for_them() {
    let bench = bench().await;
    bench.write_asked("A", ".envrc", "export A=1\n", None).await;
    bench.write_asked("A", "empty", "", None).await;
    bench.write_asked("A", "f", "a\nB\nc\nd\n", Some(ABCD)).await;
    bench.edit("A", "f", "d", "D").await;
    bench.moment().await;
    let waiting = ".envrc [A] create\n.envrc [A] 0  -> export A=1 pending\nempty [A] create\nempty [A] 0  ->  pending\nf [A] 1 b -> B pending\n";
    assert_eq!(bench.review().await, waiting);
    assert_eq!(
        (bench.disk(".envrc"), bench.disk("empty"), bench.text("f")),
        (None, None, "a\nb\nc\nD\n".to_owned())
    );
    // A later change by a call that was allowed does not take it along.
    bench.edit("A", ".envrc", "A=1", "A=2").await;
    bench.edit("A", "f", "B", "B2").await;
    bench.moment().await;
    assert_eq!((bench.disk(".envrc"), bench.text("f")), (None, "a\nb\nc\nD\n".to_owned()));
    assert_eq!(bench.desk.view().files[0].must_ask(), Some("It says what programs run."));
    bench.accept("f", 0).await;
    bench.accept(".envrc", 0).await;
    assert_eq!(
        (bench.disk(".envrc").unwrap(), bench.text("f")),
        ("export A=2\n".to_owned(), "a\nB2\nc\nD\n".to_owned())
    );
}

#[tokio::test(start_paused = true)]
async fn a_conflict_is_the_persons() {
    let bench = Bench::new();
    bench.open("f", ABCD).await;
    bench.edit("A", "f", "b", "B").await;
    bench.types("f", 1, 1..1, "x").await;
    bench.wait(3000).await;
    bench.accept_as_they_come();
    bench.edit("A", "f", "B", "B2").await;
    bench.moment().await;
    assert_eq!(bench.text("f"), "a\nbx\nc\nd\n");
    assert_eq!(bench.review().await, "f [A] 1 bx -> B2 conflicted\n");
}

#[tokio::test(start_paused = true)]
async fn what_the_user_took_back_is_not_pushed_again() {
    let bench = bench().await;
    bench.edit("A", "f", "b", "B").await;
    bench.moment().await;
    bench.types("f", 1, 0..1, "b").await;
    assert_eq!(bench.review().await, "f [A] 1 b -> B undone\n");
    bench.wait(5000).await;
    bench.edit("A", "f", "B", "B2").await;
    bench.moment().await;
    assert_eq!(bench.text("f"), ABCD);
    assert_eq!(bench.review().await, "f [A] 1 b -> B2 undone\n");
}

#[tokio::test(start_paused = true)]
async fn an_accept_that_the_text_does_not_show_is_pending_and_is_not_sent_again() {
    let bench = bench().await;
    bench.editor.will([OnApply::Pretend, OnApply::Refuse("busy")]);
    bench.edit("A", "f", "b", "B").await;
    bench.wait(3000).await;
    bench.edit("A", "f", "d", "D").await;
    bench.wait(3000).await;
    assert_eq!(bench.review().await, "f [A] 1 b -> B pending\nf [A] 3 d -> D pending\n");
    assert_eq!(bench.editor.asked_edits().len(), 2);
    let told = bench.editor.messages();
    assert!(told[0].contains("does not show") && told[1].contains("busy"), "{told:?}");
    assert_eq!(bench.told("A").await, [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn the_halves_of_a_moved_block_go_together_and_without_a_warning() {
    let bench = Bench::new();
    let before = "fn one() {\n    1\n}\nx\ny\nz\n";
    bench.open("f", before).await;
    bench.accept_as_they_come();
    bench
        .propose(
            "A",
            "f",
            "move",
            Box::new(|_| {
                use crate::documents::Change;
                let block = "fn one() {\n    1\n}\n";
                let gone = Change { range: 0..block.len(), text: String::new() };
                let end = block.len() + 6;
                Ok(Proposal::Edit(vec![gone, Change { range: end..end, text: block.to_owned() }]))
            }),
        )
        .await
        .unwrap();
    bench.moment().await;
    assert_eq!(bench.text("f"), "x\ny\nz\nfn one() {\n    1\n}\n");
    assert_eq!(bench.editor.asked_edits().len(), 1);
    assert_eq!(bench.editor.messages(), [""; 0]);
}
