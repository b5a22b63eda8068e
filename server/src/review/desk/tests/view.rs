//! The view: new when something happened, and the same values where nothing did.

use std::sync::Arc;

use super::bench::{ABCD, Bench};

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
async fn watchers_wake_with_each_new_view() {
    let bench = Bench::new();
    bench.put("f", ABCD);
    let mut watch = bench.desk.watch();
    bench.edit("A", "f", "b", "B").await;
    watch.changed().await.unwrap();
    assert_eq!(watch.borrow().files.len(), 1);
    assert_eq!(watch.borrow().files[0].open, None);
}
