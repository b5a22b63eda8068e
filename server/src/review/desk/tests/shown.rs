//! Decisions about what was shown: what was not is never decided.

use super::bench::{ABCD, Bench, message, outcomes};
use crate::review::{Decide, Outcome, ShownFile, Target};

/// Everything there is now, as shown.
async fn all(bench: &Bench) -> Vec<ShownFile> {
    let view = bench.desk.settled().await;
    let shown = view.files.iter().map(|file| ShownFile {
        path: file.path.clone(),
        session: file.session.clone(),
        shown: Some(file.clone()),
    });
    shown.collect()
}

async fn accept(bench: &Bench, shown: Vec<ShownFile>) -> Vec<crate::review::DecisionResult> {
    bench.decide(Decide::Accept, Target::Shown(shown)).await
}

#[tokio::test(start_paused = true)]
async fn what_was_shown_is_decided_and_a_file_that_was_not_stays() {
    let bench = Bench::new();
    bench.open("f", ABCD).await;
    bench.edit("A", "f", "a", "A").await;
    bench.edit("A", "f", "d", "D").await;
    let shown = all(&bench).await;
    bench.accept("f", 0).await;
    bench.put("g", ABCD);
    bench.edit("A", "g", "b", "B").await;
    assert_eq!(outcomes(&accept(&bench, shown).await), [Outcome::Accepted], "one was decided since");
    assert_eq!(bench.review().await, "g [A] 1 b -> B pending\n");
    assert_eq!(accept(&bench, Vec::new()).await, []);
}

#[tokio::test(start_paused = true)]
async fn a_change_that_came_or_grew_since_makes_all_of_it_stale() {
    for (old, new) in [("B", "B2"), ("d", "D")] {
        let bench = Bench::new();
        bench.open("f", ABCD).await;
        bench.put("e", ABCD);
        bench.edit("A", "f", "b", "B").await;
        bench.edit("A", "e", "b", "B").await;
        let shown = all(&bench).await;
        bench.edit("A", "f", old, new).await;
        let results = accept(&bench, shown).await;
        assert_eq!(outcomes(&results), [Outcome::Stale]);
        assert!(message(&results).starts_with("f: ") && message(&results).contains("not shown yet"));
        assert_eq!((bench.text("f"), bench.disk("e").unwrap()), (ABCD.to_owned(), ABCD.to_owned()));
    }
}

#[tokio::test(start_paused = true)]
async fn nothing_shown_is_nothing_decided() {
    let bench = Bench::new();
    bench.write("A", "empty", "", None).await.unwrap();
    let mut shown = all(&bench).await;
    shown[0].shown = None;
    assert_eq!(outcomes(&accept(&bench, shown).await), [Outcome::Stale]);
    let shown = all(&bench).await;
    assert_eq!(outcomes(&accept(&bench, shown).await), [Outcome::Accepted]);
}
