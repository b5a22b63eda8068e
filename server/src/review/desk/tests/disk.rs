//! Files that are not open, and a disk that others write to.

use super::bench::{ABCD, Bench, message, outcomes};
use crate::conversation::SessionId;
use crate::documents::Text;
use crate::review::{Decide, Extent, Outcome, Proposal, Take, Target};

const PENDING: &str = "f [A] 1 b -> B pending\n";

/// A closed file with one hunk.
async fn with_hunk() -> Bench {
    let bench = Bench::new();
    bench.put("f", ABCD);
    bench.edit("A", "f", "b", "B").await;
    bench
}

#[tokio::test(start_paused = true)]
async fn a_closed_file_is_written_when_its_hunk_is_accepted_and_not_before() {
    let bench = with_hunk().await;
    assert_eq!(bench.disk("f").unwrap(), ABCD);
    assert_eq!(outcomes(&bench.accept("f", 0).await), [Outcome::Accepted]);
    assert_eq!(bench.disk("f").unwrap(), "a\nB\nc\nd\n");
    assert_eq!(bench.review().await, "");
    assert_eq!(bench.told("A").await, ["f: accepted: b>B"]);
}

#[tokio::test(start_paused = true)]
async fn a_change_outside_the_hunk_becomes_part_of_both_sides() {
    let bench = with_hunk().await;
    bench.changed_outside("f", "a\nb\nc\nd\ne\n").await;
    assert_eq!(bench.review().await, PENDING);
    assert_eq!(bench.agents("A", "f").await.unwrap(), "a\nB\nc\nd\ne\n");
    assert_eq!(bench.told("A").await, ["f: changed by another program"]);
    bench.accept("f", 0).await;
    assert_eq!(bench.disk("f").unwrap(), "a\nB\nc\nd\ne\n");
}

#[tokio::test(start_paused = true)]
async fn a_change_that_nobody_reported_is_seen_before_anything_is_written() {
    let bench = with_hunk().await;
    bench.put("f", "top\na\nb\nc\nd\n");
    assert_eq!(outcomes(&bench.accept("f", 0).await), [Outcome::Accepted]);
    assert_eq!(bench.disk("f").unwrap(), "top\na\nB\nc\nd\n");
}

#[tokio::test(start_paused = true)]
async fn a_new_time_stamp_alone_is_no_change() {
    let bench = with_hunk().await;
    bench.changed_outside("f", ABCD).await;
    assert_eq!(bench.review().await, PENDING);
    assert_eq!(bench.told("A").await, Vec::<String>::new());
}

#[tokio::test(start_paused = true)]
async fn the_same_change_from_outside_accepts_the_hunk() {
    let bench = with_hunk().await;
    bench.changed_outside("f", "a\nB\nc\nd\n").await;
    assert_eq!(bench.review().await, "");
    assert_eq!(bench.told("A").await, ["f: accepted by hand: b>B"]);
}

#[tokio::test(start_paused = true)]
async fn another_change_of_the_same_line_is_a_conflict() {
    let bench = with_hunk().await;
    bench.changed_outside("f", "a\nzz\nc\nd\n").await;
    assert_eq!(bench.review().await, "f [A] 1 zz -> B conflicted\n");
    assert_eq!(bench.told("A").await, ["f: conflicted: b>B (with others)"]);
}

#[tokio::test(start_paused = true)]
async fn closing_and_opening_again_within_a_second_is_one_change() {
    let bench = Bench::new();
    bench.open("f", ABCD).await;
    bench.edit("A", "f", "b", "B").await;
    bench.put("f", "top\na\nb\nc\nd\n");
    bench.close("f").await;
    assert_eq!(bench.review().await, PENDING, "nothing is decided between close and open");
    bench.wait(500).await;
    bench.open_unsaved("f", "top\na\nb\nc\nd\n").await;
    bench.wait(5000).await;
    assert_eq!(bench.review().await, "f [A] 2 b -> B pending\n");
    assert_eq!(bench.told("A").await, ["f: changed by another program"]);
}

#[tokio::test(start_paused = true)]
async fn an_open_file_with_unsaved_text_keeps_it_when_the_disk_changes() {
    let bench = Bench::new();
    bench.open("f", ABCD).await;
    bench.edit("A", "f", "b", "B").await;
    bench.types("f", 3, 1..1, "!").await;
    bench.told("A").await;
    bench.changed_outside("f", "other\n").await;
    assert_eq!(bench.review().await, "f [A] 1 b -> B pending (disk differs)\n");
    let told = bench.told("A").await;
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].contains("on disk only"), "{told:?}");
    assert_eq!(outcomes(&bench.accept("f", 0).await), [Outcome::Accepted], "the buffer can still be edited");
    assert_eq!(bench.text("f"), "a\nB\nc\nd!\n");
    assert_eq!(bench.disk("f").unwrap(), "other\n");
}

#[tokio::test(start_paused = true)]
async fn the_agents_own_command_is_told_as_its_own() {
    let bench = with_hunk().await;
    bench.put("f", "a\nb\nc\nD\n");
    bench.desk.command_changed(SessionId("A".to_owned()), vec![bench.path("f")]);
    bench.moment().await;
    assert_eq!(bench.review().await, PENDING);
    assert_eq!(bench.told("A").await, ["f: changed by your own command"]);
}

#[tokio::test(start_paused = true)]
async fn a_file_deleted_outside_keeps_its_proposal_and_is_written_again_only_by_the_persons_word() {
    let bench = with_hunk().await;
    bench.remove("f");
    bench.desk.disk_changed(vec![bench.path("f")]);
    bench.moment().await;
    assert!(bench.review().await.contains("conflicted"), "{}", bench.review().await);
    let results = bench.accept_all().await;
    assert!(!outcomes(&results).contains(&Outcome::Accepted), "{results:?}");
    assert_eq!(bench.disk("f"), None);
    let hunk = bench.hunk("f", "A", 0);
    let results = bench.decide(Decide::Resolve(Take::Agents), Target::Hunk(hunk)).await;
    assert_eq!(outcomes(&results), [Outcome::Accepted], "{results:?}");
    assert_eq!(bench.disk("f").unwrap(), "a\nB\nc\nd\n");
}

#[tokio::test(start_paused = true)]
async fn a_created_file_and_its_folders_are_made_at_the_accept() {
    let bench = Bench::new();
    bench.write("A", "new/deep/f", "hi\n", None).await.unwrap();
    assert!(bench.review().await.starts_with("f [A] create\n"));
    assert!(!bench.path("new").as_path().exists());
    assert_eq!(bench.agents("A", "new/deep/f").await.unwrap(), "hi\n");
    assert_eq!(outcomes(&bench.accept_all().await), [Outcome::Accepted]);
    assert_eq!(bench.disk("new/deep/f").unwrap(), "hi\n");
    assert_eq!(bench.review().await, "");
}

#[cfg(unix)]
#[tokio::test(start_paused = true)]
async fn a_link_put_in_the_way_since_the_proposal_leads_no_write_elsewhere() {
    let bench = Bench::new();
    let elsewhere = tempfile::tempdir().unwrap();
    bench.write("A", "d/n", "N\n", None).await.unwrap();
    std::os::unix::fs::symlink(elsewhere.path(), bench.path("d").as_path()).unwrap();
    let results = bench.accept_all().await;
    assert_eq!(outcomes(&results), [Outcome::Pending]);
    assert!(message(&results).contains("a symbolic link was put in the way of"), "{results:?}");
    assert_eq!(std::fs::read_dir(elsewhere.path()).unwrap().count(), 0);
}

#[cfg(unix)]
#[tokio::test(start_paused = true)]
async fn a_file_that_became_a_link_is_still_under_review_and_says_so() {
    let bench = Bench::new();
    bench.put("f", ABCD);
    bench.put("other", "x\n");
    bench.edit("A", "f", "b", "B").await;
    std::fs::remove_file(bench.path("f").as_path()).unwrap();
    std::os::unix::fs::symlink("other", bench.path("f").as_path()).unwrap();
    let results = bench.decide(Decide::Accept, Target::File(bench.path("f"))).await;
    assert!(!message(&results).contains("has no changes to decide on"), "{results:?}");
    assert_eq!(bench.disk("other").unwrap(), "x\n");
    bench.decide(Decide::Reject { reason: None }, Target::File(bench.path("f"))).await;
    assert_eq!(bench.review().await, "");
}

#[cfg(unix)]
#[tokio::test(start_paused = true)]
async fn news_of_a_file_behind_a_link_that_was_put_in_the_way_bring_nothing_of_its_text() {
    let bench = Bench::new();
    for folder in ["d", "elsewhere"] {
        std::fs::create_dir(bench.path(folder).as_path()).unwrap();
    }
    bench.put("d/f", ABCD);
    bench.put("elsewhere/f", "secret\nb\n");
    bench.edit("A", "d/f", "b", "B").await;
    bench.edit("B", "elsewhere/f", "b", "B").await;
    let before = bench.review().await;
    std::fs::rename(bench.path("d").as_path(), bench.path("old").as_path()).unwrap();
    std::os::unix::fs::symlink("elsewhere", bench.path("d").as_path()).unwrap();
    bench.desk.disk_changed(vec![bench.path("d/f"), bench.path("d")]);
    assert_eq!(bench.review().await, before);
    // What is named is what is decided on, wherever the link leads.
    let results = bench.decide(Decide::Accept, Target::File(bench.path("d/f"))).await;
    assert!(message(&results).contains("a symbolic link was put in the way of"), "{results:?}");
    assert_eq!(bench.disk("elsewhere/f").unwrap(), "secret\nb\n");
}

#[tokio::test(start_paused = true)]
async fn what_a_command_made_is_refused_in_words_for_the_person_too() {
    let bench = Bench::new();
    bench.put("changed", "a\nX\nc\nd\n");
    bench.put("made", "theirs\n");
    let check = async |name: &str, from: Option<&str>, want: &str| {
        let (content, extent) = ("a\nY\nc\nd\n".to_owned(), Extent::Parts);
        let made = Proposal::Made { content, from: from.map(Text::from), extent };
        let refused = bench.propose("A", name, "run", Box::new(move |_| Ok(made))).await.unwrap_err();
        assert_eq!(refused.to_string(), format!("{want}: run it again if it is still wanted."));
    };
    let place = "changed was changed while the command ran, in the same place";
    check("changed", Some(ABCD), place).await;
    check("made", None, "Somebody else made made while the command ran").await;
    check("gone", Some(ABCD), "gone was deleted while the command ran").await;
}

#[tokio::test(start_paused = true)]
async fn a_rejected_new_file_leaves_nothing_on_disk_and_can_be_proposed_again() {
    let bench = Bench::new();
    bench.write("A", "new/f", "hi\n", None).await.unwrap();
    bench.decide(Decide::Reject { reason: None }, Target::File(bench.path("new/f"))).await;
    assert_eq!(bench.review().await, "");
    assert!(!bench.path("new").as_path().exists());
    assert_eq!(bench.agents("A", "new/f").await, None);
    bench.write("A", "new/f", "hi\n", None).await.unwrap();
    bench.accept_all().await;
    assert_eq!(bench.disk("new/f").unwrap(), "hi\n");
}

#[tokio::test(start_paused = true)]
async fn an_empty_new_file_is_made_and_rejected_as_a_whole() {
    let bench = Bench::new();
    bench.write("A", "f", "", None).await.unwrap();
    assert_eq!(bench.review().await, "f [A] create\nf [A] 0  ->  pending\n");
    bench.decide(Decide::Reject { reason: None }, Target::File(bench.path("f"))).await;
    assert_eq!(bench.review().await, "");
    bench.write("A", "f", "", None).await.unwrap();
    bench.decide(Decide::Accept, Target::File(bench.path("f"))).await;
    assert_eq!(bench.disk("f").unwrap(), "");
    assert_eq!(bench.review().await, "");
}

#[tokio::test(start_paused = true)]
async fn a_new_file_never_overwrites_one_that_came_meanwhile() {
    let bench = Bench::new();
    bench.write("A", "n", "N\n", None).await.unwrap();
    bench.put("n", "U\n");
    let results = bench.accept_all().await;
    assert!(!outcomes(&results).contains(&Outcome::Accepted), "{results:?}");
    assert_eq!(bench.disk("n").unwrap(), "U\n");
    assert_eq!(bench.review().await, "n [A] 0 U -> N conflicted\n");
}

#[tokio::test(start_paused = true)]
async fn a_new_file_that_somebody_made_with_the_same_text_is_accepted() {
    let bench = Bench::new();
    bench.write("A", "n", "N\n", None).await.unwrap();
    bench.changed_outside("n", "N\n").await;
    assert_eq!(bench.review().await, "");
}

#[tokio::test(start_paused = true)]
async fn a_deleted_file_goes_at_the_accept() {
    let bench = Bench::new();
    bench.put("f", ABCD);
    bench.delete("A", "f").await;
    assert_eq!(bench.agents("A", "f").await, None);
    assert_eq!(bench.disk("f").unwrap(), ABCD);
    assert_eq!(outcomes(&bench.accept_all().await), [Outcome::Accepted]);
    assert_eq!(bench.disk("f"), None);
    assert_eq!(bench.review().await, "");
}

#[tokio::test(start_paused = true)]
async fn a_file_that_was_changed_after_the_agent_deleted_it_goes_only_by_the_persons_word() {
    let bench = Bench::new();
    bench.put("f", ABCD);
    bench.delete("A", "f").await;
    bench.changed_outside("f", "a\nb\nc\nd\nnew\n").await;
    let results = bench.accept_all().await;
    assert!(!outcomes(&results).contains(&Outcome::Accepted), "{results:?}");
    assert!(bench.disk("f").is_some());
    let hunk = bench.hunk("f", "A", 0);
    bench.decide(Decide::Resolve(Take::Agents), Target::Hunk(hunk)).await;
    assert_eq!(bench.disk("f"), None);
}

#[tokio::test(start_paused = true)]
async fn an_open_file_is_not_deleted_below_the_editor() {
    let bench = Bench::new();
    bench.open("f", ABCD).await;
    bench.delete("A", "f").await;
    let results = bench.accept_all().await;
    assert!(message(&results).contains("open in the editor"), "{results:?}");
    assert_eq!(bench.disk("f").unwrap(), ABCD);
}

#[tokio::test(start_paused = true)]
async fn rejecting_a_later_round_keeps_an_accepted_file_and_what_was_typed_into_it() {
    let bench = Bench::new();
    bench.write("A", "n", "v1\n", None).await.unwrap();
    bench.accept_all().await;
    bench.open_unsaved("n", "v1\n").await;
    bench.types("n", 1, 0..0, "u\n").await;
    bench.edit("A", "n", "v1", "v2").await;
    bench.reject("n", 0).await;
    assert_eq!(bench.text("n"), "v1\nu\n");
    assert_eq!(bench.review().await, "");
    assert_eq!(bench.disk("n").unwrap(), "v1\n");
}

#[tokio::test(start_paused = true)]
async fn an_accept_that_was_never_saved_is_pending_again_after_closing() {
    let bench = Bench::new();
    bench.open("f", ABCD).await;
    bench.edit("A", "f", "b", "B").await;
    bench.accept("f", 0).await;
    bench.told("A").await;
    bench.close("f").await;
    bench.wait(2000).await;
    assert_eq!(bench.review().await, "f [A] 1 b -> B undone\n");
    assert_eq!(bench.told("A").await, ["f: undone: b>B"]);
}

#[tokio::test(start_paused = true)]
async fn an_accept_that_was_saved_stays_accepted_after_closing() {
    let bench = Bench::new();
    bench.open("f", ABCD).await;
    bench.edit("A", "f", "b", "B").await;
    bench.accept("f", 0).await;
    bench.save("f").await;
    bench.close("f").await;
    bench.wait(2000).await;
    assert_eq!(bench.review().await, "");
}

#[tokio::test(start_paused = true)]
async fn typing_thrown_away_by_closing_is_gone_on_both_sides() {
    let bench = Bench::new();
    bench.open("f", ABCD).await;
    bench.edit("A", "f", "b", "B").await;
    bench.types("f", 3, 1..1, "!").await;
    bench.close("f").await;
    bench.wait(2000).await;
    assert_eq!(bench.review().await, PENDING);
    assert_eq!(bench.agents("A", "f").await.unwrap(), "a\nB\nc\nd\n");
}

#[tokio::test(start_paused = true)]
async fn saving_accepts_nothing() {
    let bench = Bench::new();
    bench.open("f", ABCD).await;
    bench.edit("A", "f", "b", "B").await;
    bench.save("f").await;
    assert_eq!(bench.review().await, PENDING);
    assert_eq!(bench.disk("f").unwrap(), ABCD);
    assert_eq!(bench.told("A").await, Vec::<String>::new());
}

#[tokio::test(start_paused = true)]
async fn line_ends_a_mark_and_the_missing_last_newline_are_kept() {
    let bench = Bench::new();
    bench.put("f", "\u{feff}a\r\nb\nc");
    bench.edit("A", "f", "b", "B").await;
    bench.accept("f", 0).await;
    assert_eq!(bench.disk("f").unwrap(), "\u{feff}a\r\nB\nc");
}

#[tokio::test(start_paused = true)]
async fn a_guessed_encoding_is_told_once_with_the_way_out() {
    let bench = Bench::new();
    // "Привет, мир", "как дела", "это просто текст" in windows-1251.
    let russian = b"\xcf\xf0\xe8\xe2\xe5\xf2, \xec\xe8\xf0\n\xea\xe0\xea \xe4\xe5\xeb\xe0\n\xfd\xf2\xee \xef\xf0\xee\xf1\xf2\xee \xf2\xe5\xea\xf1\xf2\n";
    std::fs::write(bench.path("f").as_path(), russian).unwrap();
    bench.put("g", "Привет, мир\n");
    bench.edit("A", "f", "мир", "друг").await;
    bench.edit("A", "f", "дела", "жизнь").await;
    bench.edit("A", "g", "мир", "друг").await;
    let told = bench.editor.messages();
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].starts_with("f does not say its encoding; windows-1251 was assumed"), "{told:?}");
}
