//! Grep against a real desk: what is searched, and how it is told.

use serde_json::json;

use super::*;
use crate::permissions::{Behavior, Rule, SettledRule, Source, Verdict};
use crate::tools::fixture::Fixture;
use crate::tools::{Edit, Read, Write};

async fn grep(fixture: &Fixture, input: Value) -> String {
    fixture.call(&Grep, input).await.unwrap()
}

fn content(pattern: &str) -> Value {
    json!({"pattern": pattern, "output_mode": "content"})
}

#[tokio::test]
async fn a_pattern_that_looks_like_an_option_is_plain_data() {
    let fixture = Fixture::new(&[("f.txt", "a -> b\n--release\n-e x\n--pre=./x\n"), ("-n.txt", "needle\n")]);
    for (pattern, want) in [
        ("->", "f.txt:1:a -> b"),
        ("--release", "f.txt:2:--release"),
        ("-e x", "f.txt:3:-e x"),
        ("--pre=./x", "f.txt:4:--pre=./x"),
        ("needle", "-n.txt:1:needle"),
        ("absent", "No matches."),
    ] {
        assert_eq!(grep(&fixture, content(pattern)).await, want, "{pattern}");
    }
}

#[tokio::test]
async fn what_is_not_valid_is_named() {
    let fixture = Fixture::new(&[("f.txt", "a\n")]);
    for (input, want) in [
        (json!({"pattern": "("}), "`pattern` is not a valid regular expression"),
        (json!({"pattern": "a", "glob": "{a"}), "`glob` is not valid"),
        (json!({"pattern": "a", "type": "klingon"}), "`type` klingon is not known"),
        (json!({"pattern": ""}), "`pattern` is empty"),
        (json!({"pattern": "a", "output_mode": "lines"}), "at `output_mode`"),
        (json!({"pattern": "a", "path": "none"}), "none does not exist."),
    ] {
        let error = fixture.call(&Grep, input.clone()).await.expect_err(want);
        assert!(error.contains(want), "{input}: {error}");
    }
}

#[tokio::test]
async fn unsaved_text_and_drafts_are_searched_not_the_disk() {
    let fixture = Fixture::new(&[("a.rs", "disk\n"), ("b.rs", "disk\n"), ("c.rs", "disk\n")]);
    fixture.open("a.rs", "unsaved\n");
    fixture.call(&Read, json!({"file_path": "b.rs"})).await.unwrap();
    let edit = json!({"file_path": "b.rs", "old_string": "disk", "new_string": "drafted"});
    fixture.call(&Edit, edit).await.unwrap();
    fixture.call(&Write, json!({"file_path": "new.rs", "content": "drafted too\n"})).await.unwrap();
    assert_eq!(grep(&fixture, json!({"pattern": "disk"})).await, "c.rs");
    assert_eq!(
        grep(&fixture, content("unsaved|drafted")).await,
        "a.rs:1:unsaved\nb.rs:1:drafted\nnew.rs:1:drafted too"
    );
}

#[tokio::test]
async fn each_way_to_tell() {
    let fixture = Fixture::new(&[("a.rs", "one\ntwo\nthree\nfour\nTwo two\n"), ("b.rs", "two\n")]);
    let with = |more: Value| {
        let mut input = json!({"pattern": "two", "path": "a.rs", "output_mode": "content"});
        input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        input
    };
    assert_eq!(grep(&fixture, json!({"pattern": "two"})).await, "a.rs\nb.rs");
    let count = json!({"pattern": "two", "output_mode": "count"});
    assert_eq!(grep(&fixture, count).await, "a.rs:2\nb.rs:1\nTotal: 3 in 2 files.");
    for (more, want) in [
        (json!({}), "a.rs:2:two\na.rs:5:Two two"),
        (json!({"-n": false}), "a.rs:two\na.rs:Two two"),
        (json!({"-o": true, "-i": true}), "a.rs:2:two\na.rs:5:Two\na.rs:5:two"),
        (json!({"-A": 1}), "a.rs:2:two\na.rs-3-three\n--\na.rs:5:Two two"),
        (json!({"-B": 1}), "a.rs-1-one\na.rs:2:two\n--\na.rs-4-four\na.rs:5:Two two"),
        (json!({"-C": 1}), "a.rs-1-one\na.rs:2:two\na.rs-3-three\na.rs-4-four\na.rs:5:Two two"),
        (json!({"head_limit": 1}), "a.rs:2:two\n(There is more: use offset 1, or narrow the search.)"),
        (json!({"offset": 1}), "a.rs:5:Two two"),
        (json!({"offset": 7}), "No entries at this offset: there are 2."),
        (json!({"pattern": "two.three", "multiline": true}), "a.rs:2:two\na.rs:3:three"),
        (json!({"pattern": "two$"}), "a.rs:2:two\na.rs:5:Two two"),
    ] {
        assert_eq!(grep(&fixture, with(more.clone())).await, want, "{more}");
    }
}

#[tokio::test]
async fn files_are_chosen_by_glob_type_and_ignore_files() {
    let fixture = Fixture::new(&[
        (".gitignore", "*.log\n"),
        ("a.rs", "x\n"),
        ("b.ts", "x\n"),
        ("sub/c.tsx", "x\n"),
        ("d.log", "x\n"),
    ]);
    let with = |field: &str, value: &str| json!({"pattern": "x", field: value});
    assert_eq!(grep(&fixture, json!({"pattern": "x"})).await, "a.rs\nb.ts\nsub/c.tsx");
    assert_eq!(grep(&fixture, with("glob", "*.{ts,tsx}")).await, "b.ts\nsub/c.tsx");
    assert_eq!(grep(&fixture, with("glob", "!*.rs")).await, "b.ts\nsub/c.tsx");
    assert_eq!(grep(&fixture, with("type", "rust")).await, "a.rs");
    assert_eq!(grep(&fixture, with("path", "sub")).await, "sub/c.tsx");
    assert_eq!(grep(&fixture, with("path", "d.log")).await, "d.log", "a file that is named is searched");
}

/// Whether a file is read in one piece or in several.
#[tokio::test]
async fn text_of_any_length_is_searched_and_what_is_binary_is_not() {
    let filler = "a line that nobody looks for\n".repeat(8_000);
    let long = format!("{filler}needle\n{filler}");
    let files: [(&str, &str); 6] = [
        ("before.bin", "needle\n\0\n"),
        ("behind.bin", "\0\nneedle\n"),
        ("bom.txt", "\u{feff}needle\n"),
        ("empty.txt", ""),
        ("long.txt", &long),
        ("open-end.txt", "a\nneedle"),
    ];
    let fixture = Fixture::new(&files);
    assert_eq!(
        grep(&fixture, content("^needle")).await,
        "bom.txt:1:needle\nlong.txt:8001:needle\nopen-end.txt:2:needle"
    );
    let utf16: Vec<u8> = "\u{feff}ä needle\r\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    std::fs::write(fixture.path("utf16.txt").as_path(), utf16).unwrap();
    assert_eq!(grep(&fixture, json!({"pattern": "ä needle"})).await, "utf16.txt");
}

#[tokio::test]
async fn crlf_and_long_lines_are_told_plainly() {
    let fixture = Fixture::new(&[("crlf.txt", "a\r\nend\r\n"), ("long.txt", &"ä".repeat(2_000))]);
    assert_eq!(grep(&fixture, content("end$")).await, "crlf.txt:2:end");
    let long = grep(&fixture, content("ä")).await;
    assert_eq!(long, format!("long.txt:1:{}[… cut here]", "ä".repeat(500)));
}

#[tokio::test]
async fn what_was_passed_by_because_of_a_rule_is_not_said_to_have_no_match() {
    let mut fixture = Fixture::new(&[("a.txt", "x\n"), ("src/b.txt", "needle\n")]);
    let rule = Rule::parse("Read(src/**)").unwrap();
    let starts = fixture.policy.starts();
    let denied = SettledRule::new(Behavior::Deny, rule, Source::User, "here", &starts).unwrap();
    fixture.policy.rules.push(denied);
    let nothing = "No matches in what may be read: rules keep other files from being read.";
    assert_eq!(grep(&fixture, json!({"pattern": "needle"})).await, nothing);
    assert_eq!(grep(&fixture, json!({"pattern": "x"})).await, "a.txt");
    assert_eq!(grep(&fixture, json!({"pattern": "needle", "glob": "a.*"})).await, "No matches.");
}

#[cfg(unix)]
#[tokio::test]
async fn what_is_outside_is_asked_about_and_never_followed() {
    let fixture = Fixture::new(&[("a.txt", "x\n")]);
    std::fs::create_dir(fixture.outside("outside").as_path()).unwrap();
    std::fs::write(fixture.outside("outside/secret").as_path(), "x\n").unwrap();
    std::os::unix::fs::symlink("../outside", fixture.path("outbox").as_path()).unwrap();
    assert_eq!(grep(&fixture, json!({"pattern": "x"})).await, "a.txt");
    let input = json!({"pattern": "x", "path": "outbox"});
    assert!(matches!(fixture.verdict(&Grep, input), Verdict::Ask(_)));
}
