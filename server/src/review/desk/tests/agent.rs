//! What the agent sees, and what it is refused.

use super::bench::{ABCD, Bench};
use crate::conversation::SessionId;
use crate::documents::{Change, ReadError, Stamp};
use crate::review::{Proposal, ProposeError};

#[track_caller]
fn refused(result: Result<crate::review::Proposed, ProposeError>, words: &[&str]) {
    let error = result.unwrap_err().to_string();
    assert!(words.iter().all(|word| error.contains(word)), "{error}");
}

#[tokio::test(start_paused = true)]
async fn the_agent_sees_its_draft_over_the_buffer_over_the_disk() {
    let bench = Bench::new();
    bench.put("f", "disk\n");
    let session = SessionId("A".to_owned());
    let view = bench.desk.agent_view(&session, &bench.path("f")).await.unwrap();
    assert!(matches!(view.stamp, Some(Stamp::Disk { .. })) && !view.drafted);
    bench.open_unsaved("f", "unsaved\n").await;
    assert_eq!(bench.agents("A", "f").await.unwrap(), "unsaved\n");
    bench.edit("A", "f", "unsaved", "changed").await;
    let view = bench.desk.agent_view(&session, &bench.path("f")).await.unwrap();
    assert_eq!(view.text.unwrap(), "changed\n");
    assert!(matches!(view.stamp, Some(Stamp::Open { version: 1, .. })) && view.drafted);
    assert_eq!(bench.agents("B", "f").await.unwrap(), "unsaved\n");
    let drafts = bench.desk.drafts(&session).await;
    assert_eq!(drafts.iter().map(|draft| draft.path.clone()).collect::<Vec<_>>(), [bench.path("f")]);
}

#[tokio::test(start_paused = true)]
async fn a_missing_file_is_missing_until_it_is_proposed() {
    let bench = Bench::new();
    let session = SessionId("A".to_owned());
    let missing = bench.desk.agent_view(&session, &bench.path("f")).await;
    assert_eq!(missing, Err(ReadError::Missing { path: bench.path("f") }));
    bench.write("A", "f", "x\n", None).await.unwrap();
    assert_eq!(bench.agents("A", "f").await.unwrap(), "x\n");
}

#[cfg(unix)]
#[tokio::test(start_paused = true)]
async fn a_read_only_file_is_refused_by_name() {
    use std::os::unix::fs::PermissionsExt;
    let bench = Bench::new();
    bench.put("ro.txt", "keep\n");
    let mode = std::fs::Permissions::from_mode(0o444);
    std::fs::set_permissions(bench.path("ro.txt").as_path(), mode).unwrap();
    let path = bench.path("ro.txt").to_string();
    refused(bench.try_edit("A", "ro.txt", "keep", "lost").await, &[&path, "read-only"]);
    refused(bench.write("A", "ro.txt", "lost\n", Some("keep\n")).await, &[&path, "read-only"]);
    assert_eq!(bench.review().await, "");
}

#[tokio::test(start_paused = true)]
async fn what_is_no_text_is_refused() {
    let bench = Bench::new();
    std::fs::write(bench.path("bin").as_path(), b"\0\x01\x02").unwrap();
    refused(bench.try_edit("A", "bin", "a", "b").await, &["binary"]);
    std::fs::create_dir(bench.path("dir").as_path()).unwrap();
    refused(bench.write("A", "dir", "x", None).await, &["folder"]);
    assert_eq!(bench.review().await, "");
}

#[tokio::test(start_paused = true)]
async fn text_that_the_user_rejected_is_not_built_upon() {
    let bench = Bench::new();
    bench.put("f", ABCD);
    bench.edit("A", "f", "b", "B").await;
    bench.reject("f", 0).await;
    refused(bench.try_edit("A", "f", "B", "B2").await, &["rejected"]);
    assert_eq!(bench.told("A").await, ["f: rejected: b>B"]);
}

#[tokio::test(start_paused = true)]
async fn a_whole_file_write_is_merged_with_what_came_since_it_was_read() {
    let bench = Bench::new();
    bench.open("f", "a\nb\nc\nd\ne\n").await;
    bench.types("f", 4, 1..1, "!").await;
    bench.write("A", "f", "A\nb\nc\nd\ne\n", Some("a\nb\nc\nd\ne\n")).await.unwrap();
    assert_eq!(bench.agents("A", "f").await.unwrap(), "A\nb\nc\nd\ne!\n");
    assert_eq!(bench.review().await, "f [A] 0 a -> A pending\n");
}

#[tokio::test(start_paused = true)]
async fn a_whole_file_write_against_other_text_is_an_error_that_shows_the_lines() {
    let bench = Bench::new();
    bench.open("f", ABCD).await;
    bench.types("f", 1, 0..1, "mine").await;
    refused(bench.write("A", "f", "a\nB\nc\nd\n", Some(ABCD)).await, &["Line 2", "mine"]);
    refused(bench.write("A", "f", "x\n", None).await, &["has not been read"]);
    assert_eq!(bench.review().await, "");
}

#[tokio::test(start_paused = true)]
async fn edits_that_do_not_fit_the_text_are_refused() {
    let bench = Bench::new();
    bench.put("f", "é\n");
    for (start, end) in [(0, 1), (2, 1), (0, 99)] {
        let range = start..end;
        let edit = Proposal::Edit(vec![Change { range, text: String::new() }]);
        refused(bench.propose("A", "f", "x", Box::new(move |_| Ok(edit))).await, &["outside"]);
    }
    assert_eq!(bench.agents("A", "f").await.unwrap(), "é\n");
}
