//! The view: new when something happened, and the same values where nothing did.

use std::sync::Arc;

use super::bench::{ABCD, Bench};
use crate::review::ReviewView;

#[tokio::test(start_paused = true)]
async fn files_that_nothing_happened_to_are_the_same_values() {
    let bench = Bench::new();
    bench.open("f", ABCD).await;
    bench.put("g", ABCD);
    bench.edit("A", "f", "b", "B").await;
    bench.edit("A", "g", "b", "B").await;
    let before = bench.desk.settled().await;
    bench.types("f", 0, 0..0, "x").await;
    let after = bench.desk.settled().await;
    assert!(after.revision > before.revision);
    assert!(!Arc::ptr_eq(&before.files[0], &after.files[0]));
    assert!(Arc::ptr_eq(&before.files[1], &after.files[1]));
}

#[tokio::test(start_paused = true)]
async fn typing_in_a_file_without_proposals_makes_no_new_view() {
    let bench = Bench::new();
    bench.open("f", ABCD).await;
    bench.put("g", ABCD);
    bench.edit("A", "g", "b", "B").await;
    let before = bench.desk.settled().await;
    bench.types("f", 0, 0..0, "x").await;
    assert!(Arc::ptr_eq(&before, &bench.desk.settled().await));
}

#[tokio::test(start_paused = true)]
async fn what_is_typed_is_shown_once_a_frame_and_at_once_to_whoever_asks() {
    let bench = Bench::new();
    bench.open("f", ABCD).await;
    bench.edit("A", "f", "b", "B").await;
    let mut watch = bench.desk.watch();
    watch.borrow_and_update();
    let begun = tokio::time::Instant::now();
    for _ in 0..3 {
        bench.editor.types(&bench.uri("f"), 0, 0..0, "x");
        tokio::task::yield_now().await;
    }
    assert!(!watch.has_changed().unwrap());
    watch.changed().await.unwrap();
    assert_eq!(begun.elapsed().as_millis(), 16);
    assert!(!watch.has_changed().unwrap());

    bench.editor.types(&bench.uri("f"), 0, 0..0, "x");
    tokio::task::yield_now().await;
    let asked = bench.desk.settled().await;
    assert_eq!(begun.elapsed().as_millis(), 16);
    assert_eq!(asked.files[0].buffer.as_ref().unwrap().to_string(), "xxxxa\nb\nc\nd\n");
}

#[tokio::test(start_paused = true)]
async fn words_beside_the_hunks_change_nothing_that_a_person_sees_of_them() {
    let bench = Bench::new();
    bench.open("f", ABCD).await;
    bench.edit("A", "f", "b", "B").await;
    let before = bench.desk.settled().await;
    bench.types("f", 0, 0..0, "x").await;
    let beside = bench.desk.settled().await;
    assert!(beside.shows_the_same_as(&before));
    assert!(Arc::ptr_eq(&beside.files[0].hunks, &before.files[0].hunks), "the hunks were made anew");
    let start = |view: &ReviewView| {
        let file = &view.files[0];
        file.hunks[0].accept_edit(file.buffer.as_ref().unwrap()).range.start
    };
    assert_eq!((start(&before), start(&beside)), (2, 3));
    bench.types("f", 0, 0..0, "\n").await;
    let below = bench.desk.settled().await;
    assert!(!below.shows_the_same_as(&beside));
    bench.types("f", 2, 0..0, "x").await;
    assert!(!bench.desk.settled().await.shows_the_same_as(&below), "typed into the hunk");
}

#[tokio::test(start_paused = true)]
async fn watchers_wake_with_each_new_view() {
    let bench = Bench::new();
    bench.put("f", ABCD);
    let mut watch = bench.desk.watch();
    bench.edit("A", "f", "b", "B").await;
    watch.changed().await.unwrap();
    assert_eq!(watch.borrow().files.len(), 1);
    assert_eq!(watch.borrow().files[0].open, None);
}
