//! Empty files, which editors have with a line break or without.

use super::bench::Bench;
use crate::review::{Decide, Target};

/// As Neovim and Helix open a file that is empty or not there, and as VS Code does.
const FORMS: [&str; 3] = ["\n", "", "\r\n"];

#[tokio::test(start_paused = true)]
async fn a_new_file_that_is_looked_at_is_no_conflict() {
    for form in FORMS {
        let bench = Bench::new();
        bench.write("A", "f", "one\ntwo\n", None).await.unwrap();
        bench.open_unsaved("f", form).await;
        let review = bench.review().await;
        assert!(review.ends_with("pending\n") && review.lines().count() == 1, "{form:?}: {review}");
        // Closed, it is to be created as before.
        bench.close("f").await;
        bench.wait(2_000).await;
        assert_eq!(bench.review().await, "f [A] create\nf [A] 0  -> one|two pending\n", "{form:?}");
        bench.open_unsaved("f", form).await;
        bench.accept("f", 0).await;
        assert_eq!(bench.text("f"), "one\ntwo\n", "{form:?}");
        assert_eq!(bench.review().await, "", "{form:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_empty_file_that_is_opened_after_the_agent_wrote_it_is_no_conflict() {
    for form in FORMS {
        for decide in [Decide::Accept, Decide::Reject { reason: None }] {
            let bench = Bench::new();
            bench.put("f", "");
            bench.write("A", "f", "one\ntwo\n", Some("")).await.unwrap();
            bench.open_unsaved("f", form).await;
            let wanted = if decide == Decide::Accept { "one\ntwo\n" } else { form };
            bench.decide(decide, Target::File(bench.path("f"))).await;
            assert_eq!(bench.text("f"), wanted, "{form:?}");
            assert_eq!(bench.review().await, "", "{form:?}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_typed_into_one_is_a_conflict_until_it_is_gone_again() {
    let bench = Bench::new();
    bench.write("A", "f", "one\n", None).await.unwrap();
    bench.open_unsaved("f", "\n").await;
    bench.types("f", 0, 0..0, "mine").await;
    assert!(bench.review().await.contains("conflict"), "{}", bench.review().await);
    bench.types("f", 0, 0..4, "").await;
    assert!(bench.review().await.ends_with("pending\n"), "{}", bench.review().await);
}
