//! Read against a real desk: what is shown, of whose text, and what is remembered.

use serde_json::json;

use super::*;
use crate::permissions::Verdict;
use crate::tools::fixture::Fixture;
use crate::tools::{Edit, Write};

#[tokio::test]
async fn a_dirty_buffer_is_read_not_the_disk() {
    let fixture = Fixture::new(&[("f.txt", "disk\n")]);
    fixture.open("f.txt", "unsaved\n");
    assert_eq!(fixture.call(&Read, json!({"file_path": "f.txt"})).await, Ok("     1\tunsaved\n".into()));
}

#[tokio::test]
async fn the_agents_own_pending_changes_are_read_back() {
    let fixture = Fixture::new(&[("f.txt", "one\ntwo\n")]);
    fixture.call(&Read, json!({"file_path": "f.txt"})).await.unwrap();
    let edit = json!({"file_path": "f.txt", "old_string": "two", "new_string": "2"});
    fixture.call(&Edit, edit).await.unwrap();
    assert_eq!(
        fixture.call(&Read, json!({"file_path": "f.txt"})).await.unwrap(),
        "     1\tone\n     2\t2\n\nThis includes your own changes that the user has not decided on yet."
    );
    fixture.call(&Write, json!({"file_path": "new.txt", "content": "x\n"})).await.unwrap();
    let new = fixture.call(&Read, json!({"file_path": "new.txt"})).await.unwrap();
    assert!(new.starts_with("     1\tx\n"), "{new}");
    assert_eq!(fixture.on_disk("new.txt"), None);
}

#[tokio::test]
async fn what_is_unchanged_is_not_sent_twice() {
    let fixture = Fixture::new(&[("f.txt", "one\ntwo\nthree\n")]);
    let part = |offset: usize| json!({"file_path": "f.txt", "offset": offset, "limit": 2});
    fixture.call(&Read, part(1)).await.unwrap();
    let again = fixture.call(&Read, part(1)).await.unwrap();
    assert_eq!(
        again,
        "f.txt is unchanged since you last read these lines: what you were shown then still holds."
    );
    assert_eq!(fixture.call(&Read, part(2)).await.unwrap(), "     2\ttwo\n     3\tthree\n");
    fixture.write("f.txt", "one\nTWO\nthree\n");
    let changed = fixture.call(&Read, part(1)).await.unwrap();
    assert!(changed.starts_with("     1\tone\n     2\tTWO\n"), "{changed}");
}

#[tokio::test]
async fn the_rest_of_a_long_file_is_offered() {
    let lines: Vec<String> = (1..=5_000).map(|line| format!("line {line}\n")).collect();
    let text = lines.concat();
    let fixture = Fixture::new(&[("many.txt", &text)]);
    let first = fixture.call(&Read, json!({"file_path": "many.txt"})).await.unwrap();
    assert!(first.ends_with("  2000\tline 2000\n\nLines 1 to 2000 of 5000. Go on with offset 2001."));
    let last = fixture.call(&Read, json!({"file_path": "many.txt", "offset": 4_999})).await.unwrap();
    assert_eq!(last, "  4999\tline 4999\n  5000\tline 5000\n");
    let past = fixture.call(&Read, json!({"file_path": "many.txt", "offset": 6_000})).await.unwrap();
    assert_eq!(past, "many.txt has 5000 lines: there is none at line 6000.");
}

#[tokio::test]
async fn a_line_of_megabytes_is_shown_in_part() {
    let fixture = Fixture::new(&[("one.js", &"ä".repeat(2_500_000))]);
    let shown = fixture.call(&Read, json!({"file_path": "one.js"})).await.unwrap();
    assert!(shown.len() < 5_000, "{} bytes", shown.len());
    assert!(shown.contains("ä[… cut here: the line has 4996000 more bytes]"), "{shown}");
}

#[tokio::test]
async fn what_can_not_be_read_says_why() {
    let fixture = Fixture::new(&[("Store.rs", ""), ("src/a.rs", "")]);
    let read = |path: &str| json!({"file_path": path});
    assert_eq!(fixture.call(&Read, read("Store.rs")).await, Ok("Store.rs is empty.".into()));
    assert_eq!(
        fixture.call(&Read, read("store.rs")).await,
        Err("store.rs does not exist. In the same folder there is: Store.rs.".into())
    );
    let folder = fixture.call(&Read, read("src")).await.unwrap_err();
    assert!(folder.contains("is a folder"), "{folder}");
    let zero = fixture.call(&Read, json!({"file_path": "Store.rs", "limit": 0})).await;
    assert_eq!(zero, Err("`limit` is 0: ask for at least one line.".into()));
}

#[cfg(unix)]
#[tokio::test]
async fn a_link_out_of_the_workspace_is_asked_about() {
    let fixture = Fixture::new(&[("a.txt", "inside\n")]);
    let victim = fixture.outside("victim.txt");
    std::fs::write(victim.as_path(), "secret\n").unwrap();
    std::os::unix::fs::symlink(victim.as_path(), fixture.path("notes.md").as_path()).unwrap();
    std::os::unix::fs::symlink("a.txt", fixture.path("link.md").as_path()).unwrap();
    let verdict = |path: &str| fixture.verdict(&Read, json!({"file_path": path}));
    assert_eq!(verdict("a.txt"), Verdict::Allow);
    assert_eq!(verdict("link.md"), Verdict::Allow);
    for path in ["notes.md", "../victim.txt", victim.as_str()] {
        assert!(matches!(verdict(path), Verdict::Ask(_)), "{path}");
    }
}

#[cfg(unix)]
#[tokio::test]
async fn links_that_lead_to_each_other_are_an_error() {
    let fixture = Fixture::new(&[]);
    std::os::unix::fs::symlink("loop-b", fixture.path("loop-a").as_path()).unwrap();
    std::os::unix::fs::symlink("loop-a", fixture.path("loop-b").as_path()).unwrap();
    assert!(fixture.call(&Read, json!({"file_path": "loop-a"})).await.is_err());
}

#[tokio::test]
async fn an_image_is_shown_as_an_image() {
    let fixture = Fixture::new(&[("broken.png", "no image"), ("old.bmp", "BM")]);
    let picture = fixture.path("dot.PNG");
    ::image::RgbImage::new(3, 2).save_with_format(picture.as_path(), ::image::ImageFormat::Png).unwrap();
    let result = Read.call(json!({"file_path": "dot.PNG"}), fixture.context()).await.unwrap();
    let [ToolResultContent::Text(text), ToolResultContent::Image(source)] = result.content.as_slice() else {
        panic!("{result:?}")
    };
    assert_eq!((text.as_str(), source.media_type.as_str()), ("dot.PNG: 3 × 2 pixels.", "image/png"));
    for (input, want) in [
        (json!({"file_path": "broken.png"}), "broken.png can't be shown as an image: it holds no PNG"),
        (json!({"file_path": "old.bmp"}), "convert it to PNG or JPEG"),
        (json!({"file_path": "none.png"}), "none.png does not exist"),
        (json!({"file_path": "dot.PNG", "pages": "1"}), "`pages` is for PDFs"),
        (json!({"file_path": "a.pdf", "pages": "x"}), "name one page"),
        (json!({"file_path": "a.pdf"}), "a.pdf does not exist"),
    ] {
        let error = fixture.call(&Read, input).await.unwrap_err();
        assert!(error.contains(want), "{error}");
    }
}
