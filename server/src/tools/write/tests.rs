//! Write against a real desk: new files, rewritten ones, and what happened to them meanwhile.

use serde_json::json;

use super::*;
use crate::tools::Read;
use crate::tools::fixture::Fixture;

fn write(content: &str) -> Value {
    json!({"file_path": "f.txt", "content": content})
}

async fn read_fixture(text: &str) -> Fixture {
    let fixture = Fixture::new(&[("f.txt", text)]);
    fixture.call(&Read, json!({"file_path": "f.txt"})).await.unwrap();
    fixture
}

#[tokio::test]
async fn a_new_file_makes_no_folder_before_the_accept() {
    let fixture = Fixture::new(&[]);
    let input = json!({"file_path": "new/deep/f.txt", "content": "hi\n"});
    let told = fixture.call(&Write, input).await.unwrap();
    assert!(told.starts_with("new/deep/f.txt will be created. Pending review"), "{told}");
    assert!(!fixture.path("new").as_path().exists());
    assert_eq!(fixture.draft("new/deep/f.txt").await.as_deref(), Some("hi\n"));
}

#[tokio::test]
async fn a_rewrite_needs_the_whole_file_read() {
    let fixture = Fixture::new(&[("f.txt", "a\nb\nc\n")]);
    let unread = "f.txt exists and has not been read in this session. Read it before you rewrite it.";
    assert_eq!(fixture.call(&Write, write("x\n")).await, Err(unread.into()));
    fixture.call(&Read, json!({"file_path": "f.txt", "limit": 1})).await.unwrap();
    let partly = fixture.call(&Write, write("x\n")).await.unwrap_err();
    assert!(partly.starts_with("Only a part of f.txt has been read"), "{partly}");
    fixture.call(&Read, json!({"file_path": "f.txt", "offset": 2})).await.unwrap();
    assert!(fixture.call(&Write, write("x\n")).await.unwrap().starts_with("Rewrote f.txt."));
}

#[tokio::test]
async fn a_rewrite_keeps_line_breaks_and_byte_order_mark() {
    let fixture = read_fixture("a\r\nb\r\n").await;
    fixture.call(&Write, write("x\ny\n")).await.unwrap();
    assert_eq!(fixture.draft("f.txt").await.as_deref(), Some("x\r\ny\r\n"));
    let fixture = Fixture::new(&[("f.txt", "")]);
    fixture.open("f.txt", "\u{feff}a\n");
    fixture.call(&Read, json!({"file_path": "f.txt"})).await.unwrap();
    fixture.call(&Write, write("\u{feff}x\n")).await.unwrap();
    assert_eq!(fixture.draft("f.txt").await.as_deref(), Some("\u{feff}x\n"));
}

#[tokio::test]
async fn what_the_user_changed_elsewhere_is_kept_and_told() {
    let fixture = read_fixture("one\ntwo\nthree\nfour\nfive\n").await;
    fixture.write("f.txt", "ONE\ntwo\nthree\nfour\nfive\n");
    fixture.desk.disk_changed(vec![fixture.path("f.txt")]);
    let told = fixture.call(&Write, write("one\ntwo\nthree\nfour\nFIVE\n")).await.unwrap();
    assert!(told.contains("kept what changed in it since you read it"), "{told}");
    assert_eq!(fixture.draft("f.txt").await.as_deref(), Some("ONE\ntwo\nthree\nfour\nFIVE\n"));
}

#[tokio::test]
async fn a_conflict_is_an_error_and_changes_nothing() {
    let fixture = read_fixture("v1\n").await;
    fixture.write("f.txt", "v2\n");
    fixture.desk.disk_changed(vec![fixture.path("f.txt")]);
    fixture.call(&Write, write("v1 edited\n")).await.expect_err("both changed the line");
    assert_eq!(fixture.draft("f.txt").await.as_deref(), Some("v2\n"));
}

#[tokio::test]
async fn a_file_that_was_deleted_meanwhile_is_told_of_once() {
    let fixture = read_fixture("a\n").await;
    std::fs::remove_file(fixture.path("f.txt").as_path()).unwrap();
    let gone = fixture.call(&Write, write("b\n")).await.unwrap_err();
    assert!(gone.contains("was deleted since it was read"), "{gone}");
    fixture.call(&Write, write("b\n")).await.expect("it is meant");
}

#[tokio::test]
async fn nothing_new_is_no_change() {
    let fixture = read_fixture("a\r\n").await;
    let same = "f.txt holds exactly this already: nothing would change.";
    assert_eq!(fixture.call(&Write, write("a\n")).await, Err(same.into()));
}
