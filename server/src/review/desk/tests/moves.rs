//! Renames: the agent's, which wait for a decision, and the user's, which drafts follow.

use super::bench::{ABCD, Bench, message, outcomes};
use crate::documents::AbsPath;
use crate::review::{Decide, Outcome, Proposal, ProposeError, Target};

async fn rename(bench: &Bench, from: &str, to: AbsPath) {
    bench.propose("A", from, "rename", Box::new(|_| Ok(Proposal::Rename { to }))).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn an_edit_is_accepted_at_the_old_path_while_the_rename_waits() {
    let bench = Bench::new();
    bench.put("old", ABCD);
    bench.edit("A", "old", "b", "B").await;
    rename(&bench, "old", bench.path("new")).await;
    assert_eq!(bench.review().await, "old [A] rename to new\nold [A] 1 b -> B pending\n");
    bench.accept("old", 0).await;
    assert_eq!(bench.disk("old").unwrap(), "a\nB\nc\nd\n");
    assert_eq!(bench.review().await, "old [A] rename to new\n");
    bench.decide(Decide::Accept, Target::File(bench.path("old"))).await;
    assert_eq!((bench.disk("old"), bench.disk("new").unwrap()), (None, "a\nB\nc\nd\n".to_owned()));
    assert_eq!(bench.review().await, "");
}

#[tokio::test(start_paused = true)]
async fn the_agent_reads_a_file_by_the_name_it_would_give_it() {
    let bench = Bench::new();
    bench.put("old", ABCD);
    rename(&bench, "old", bench.path("new")).await;
    bench.edit("A", "new", "b", "B").await;
    assert_eq!(bench.agents("A", "new").await.unwrap(), "a\nB\nc\nd\n");
    assert_eq!(bench.disk("old").unwrap(), ABCD);
}

#[tokio::test(start_paused = true)]
async fn a_rename_never_replaces_a_file() {
    let bench = Bench::new();
    bench.put("old", ABCD);
    rename(&bench, "old", bench.path("new")).await;
    bench.put("new", "mine\n");
    let results = bench.decide(Decide::Accept, Target::File(bench.path("old"))).await;
    assert!(message(&results).contains("exists"), "{results:?}");
    assert_eq!(
        (bench.disk("old").unwrap(), bench.disk("new").unwrap()),
        (ABCD.to_owned(), "mine\n".to_owned())
    );
}

#[tokio::test(start_paused = true)]
async fn drafts_follow_a_file_that_the_user_renames() {
    let bench = Bench::new();
    bench.put("old", ABCD);
    bench.edit("A", "old", "b", "B").await;
    std::fs::rename(bench.path("old").as_path(), bench.path("new").as_path()).unwrap();
    bench.desk.renamed(bench.path("old"), bench.path("new"));
    bench.moment().await;
    assert_eq!(bench.review().await, "new [A] 1 b -> B pending\n");
    assert_eq!(bench.told("A").await, ["new: renamed to new"]);
    let error = bench.try_edit("A", "old", "b", "B").await.unwrap_err();
    assert!(matches!(&error, ProposeError::Refused(text) if text.contains("new")), "{error}");
    bench.wait(2000).await;
    assert_eq!(outcomes(&bench.accept("new", 0).await), [Outcome::Accepted]);
    assert_eq!((bench.disk("old"), bench.disk("new").unwrap()), (None, "a\nB\nc\nd\n".to_owned()));
}

#[tokio::test(start_paused = true)]
async fn closing_one_name_and_opening_another_with_the_same_text_is_a_rename_if_the_old_file_is_gone() {
    let bench = Bench::new();
    bench.open("old", ABCD).await;
    bench.edit("A", "old", "b", "B").await;
    bench.close("old").await;
    std::fs::rename(bench.path("old").as_path(), bench.path("new").as_path()).unwrap();
    bench.open_unsaved("new", ABCD).await;
    assert_eq!(bench.review().await, "new [A] 1 b -> B pending\n");
    bench.accept("new", 0).await;
    assert_eq!(bench.text("new"), "a\nB\nc\nd\n");
    assert_eq!(bench.disk("old"), None);
}
