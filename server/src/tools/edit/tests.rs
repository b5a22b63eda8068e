//! Edit against a real desk: what becomes of the draft, and what the model is told.

use serde_json::json;

use super::*;
use crate::review::Decide;
use crate::tools::Read;
use crate::tools::fixture::Fixture;

fn edit(old: &str, new: &str) -> Value {
    json!({"file_path": "f.txt", "old_string": old, "new_string": new})
}

async fn read_fixture(text: &str) -> Fixture {
    let fixture = Fixture::new(&[("f.txt", text)]);
    fixture.call(&Read, json!({"file_path": "f.txt"})).await.unwrap();
    fixture
}

#[tokio::test]
async fn an_edit_changes_the_draft_and_nothing_else() {
    let fixture = read_fixture("fn load() {}\n").await;
    let told = fixture.call(&Edit, edit("load", "open")).await.unwrap();
    assert!(told.starts_with("Changed f.txt at line 1. Pending review as hunk "), "{told}");
    assert_eq!(fixture.draft("f.txt").await.as_deref(), Some("fn open() {}\n"));
    assert_eq!(fixture.on_disk("f.txt").as_deref(), Some("fn load() {}\n"));
    let view = fixture.desk.settled().await;
    let summary = &view.files[0].hunks[0].reasons[0].summary;
    assert_eq!(summary, "change `load` to `open`");
}

#[tokio::test]
async fn a_file_must_have_been_read() {
    let fixture = Fixture::new(&[("f.txt", "a\n")]);
    assert_eq!(
        fixture.call(&Edit, edit("a", "b")).await,
        Err("f.txt has not been read in this session. Read it before you edit it.".into())
    );
}

#[cfg(unix)]
#[tokio::test]
async fn reading_one_name_of_a_file_and_editing_the_other_is_one_file() {
    let fixture = read_fixture("hello\nworld\n").await;
    std::os::unix::fs::symlink("f.txt", fixture.path("link.txt").as_path()).unwrap();
    let input = json!({"file_path": "link.txt", "old_string": "world", "new_string": "there"});
    fixture.call(&Edit, input).await.unwrap();
    assert_eq!(fixture.draft("f.txt").await.as_deref(), Some("hello\nthere\n"));
}

#[tokio::test]
async fn several_places_are_counted_and_named() {
    let fixture = read_fixture("a\nx\nb\nx\nc\nx\n").await;
    assert_eq!(
        fixture.call(&Edit, edit("x", "y")).await,
        Err("old_string stands in f.txt 3 times (lines 2, 4, 6), so nothing was changed. Add lines around it until \
             it is unique, or set replace_all to change all of them."
            .into())
    );
    let mut all = edit("x", "z");
    all["replace_all"] = json!(true);
    let told = fixture.call(&Edit, all).await.unwrap();
    assert!(told.starts_with("Changed 3 places in f.txt (lines 2, 4, 6)."), "{told}");
}

#[tokio::test]
async fn staleness_is_judged_by_content_and_place() {
    let fixture = read_fixture("fn  main(){}\n").await;
    fixture.call(&Edit, edit("{}", "{let x=1;}")).await.unwrap();
    fixture.decide("f.txt", Decide::Accept).await;
    fixture.write("f.txt", "fn main() {\n    let x = 1;\n}\n");
    fixture.desk.disk_changed(vec![fixture.path("f.txt")]);
    fixture.call(&Edit, edit("main", "start")).await.expect("still unique, so not stale");
    let stale = fixture.call(&Edit, edit("let x=1;", "let x=2;")).await.unwrap_err();
    assert!(stale.contains("The file changed since you last read it:"), "{stale}");
    assert!(stale.contains("     2\t    let x = 1;"), "{stale}");
}

#[tokio::test]
async fn a_rejected_text_is_named_as_rejected() {
    let fixture = read_fixture("one\ntwo\n").await;
    fixture.call(&Edit, edit("two", "zwei")).await.unwrap();
    fixture.decide("f.txt", Decide::Reject { reason: None }).await;
    let error = fixture.call(&Edit, edit("zwei", "drei")).await.unwrap_err();
    assert!(error.contains("you proposed and the user rejected"), "{error}");
}

#[tokio::test]
async fn an_empty_old_string_makes_a_file_or_is_refused() {
    let fixture = read_fixture("abc\n").await;
    let refused = fixture.call(&Edit, edit("", "X")).await.unwrap_err();
    assert!(refused.contains("old_string is empty but f.txt is not"), "{refused}");
    let input = json!({"file_path": "new.txt", "old_string": "", "new_string": "X"});
    assert!(fixture.call(&Edit, input).await.unwrap().starts_with("new.txt will be created."));
    assert_eq!(fixture.draft("new.txt").await.as_deref(), Some("X"));
    let then = json!({"file_path": "new.txt", "old_string": "X", "new_string": "Y"});
    fixture.call(&Edit, then).await.expect("it knows its own file");
}

#[tokio::test]
async fn what_can_not_be_changed_says_why() {
    let fixture = read_fixture("a\n").await;
    let same = "old_string and new_string are the same: nothing would change.";
    assert_eq!(fixture.call(&Edit, edit("a", "a")).await, Err(same.into()));
    let missing = json!({"file_path": "g.txt", "old_string": "a", "new_string": "b"});
    let missing = fixture.call(&Edit, missing).await.unwrap_err();
    assert!(missing.starts_with("g.txt does not exist."), "{missing}");
    let wrong = json!({"file_path": "f.txt", "old_string": "a", "new_string": "b", "count": 2});
    let wrong = fixture.call(&Edit, wrong).await.unwrap_err();
    assert!(wrong.contains("unknown field `count`"), "{wrong}");
    let mut readonly = std::fs::metadata(fixture.path("f.txt").as_path()).unwrap().permissions();
    readonly.set_readonly(true);
    std::fs::set_permissions(fixture.path("f.txt").as_path(), readonly).unwrap();
    let refused = fixture.call(&Edit, edit("a", "b")).await.unwrap_err();
    assert!(refused.contains("f.txt is read-only"), "{refused}");
}

#[tokio::test]
async fn the_result_holds_the_patch() {
    let fixture = read_fixture("one\ntwo\n").await;
    let result = Edit.call(edit("two", "2"), fixture.context()).await.unwrap();
    assert_eq!(
        result.data["structuredPatch"],
        json!([{"oldStart": 1, "oldLines": 2, "newStart": 1, "newLines": 2, "lines": [" one", "-two", "+2"]}])
    );
    assert_eq!((&result.data["pending"], &result.data["replaceAll"]), (&json!(true), &json!(false)));
}
