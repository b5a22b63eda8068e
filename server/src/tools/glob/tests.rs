//! Glob against a real desk: which names match, and in what order.

use serde_json::json;

use super::*;
use crate::permissions::Verdict;
use crate::tools::Write;
use crate::tools::fixture::Fixture;

async fn found(fixture: &Fixture, pattern: &str) -> Vec<String> {
    let text = fixture.call(&Glob, json!({"pattern": pattern})).await.unwrap();
    let mut names: Vec<String> = text.lines().map(ToOwned::to_owned).collect();
    names.sort();
    names
}

#[tokio::test]
async fn names_are_matched_as_the_description_says() {
    let fixture = Fixture::new(&[
        ("-n.txt", ""),
        (".hidden/x.rs", ""),
        (".gitignore", "target\n"),
        ("src/a.rs", ""),
        ("src/deep/b.rs", ""),
        ("target/c.rs", ""),
    ]);
    assert_eq!(found(&fixture, "-*.txt").await, ["-n.txt"]);
    assert_eq!(found(&fixture, "*.rs").await, [".hidden/x.rs", "src/a.rs", "src/deep/b.rs", "target/c.rs"]);
    assert_eq!(found(&fixture, "src/*.rs").await, ["src/a.rs"]);
    assert_eq!(found(&fixture, "./src/**/*.rs").await, ["src/a.rs", "src/deep/b.rs"]);
    assert_eq!(found(&fixture, "**/{a,b}.rs").await, ["src/a.rs", "src/deep/b.rs"]);
    assert_eq!(found(&fixture, &format!("{}/src/*.rs", fixture.root)).await, ["src/a.rs"]);
    assert_eq!(found(&fixture, "*.py").await, ["No files match."]);
}

#[tokio::test]
async fn the_newest_comes_first_and_pending_files_count() {
    let fixture = Fixture::new(&[("old.rs", ""), ("new.rs", "")]);
    let long_ago = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000);
    std::fs::File::open(fixture.path("old.rs").as_path()).unwrap().set_modified(long_ago).unwrap();
    fixture.call(&Write, json!({"file_path": "pending.rs", "content": "x"})).await.unwrap();
    let text = fixture.call(&Glob, json!({"pattern": "*.rs"})).await.unwrap();
    assert_eq!(text, "pending.rs\nnew.rs\nold.rs");
}

#[tokio::test]
async fn no_more_than_a_hundred_are_listed() {
    let names: Vec<String> = (0..130).map(|n| format!("f{n}.txt")).collect();
    let files: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "")).collect();
    let text = Fixture::new(&files).call(&Glob, json!({"pattern": "*.txt"})).await.unwrap();
    assert_eq!(text.lines().count(), 101);
    assert!(text.ends_with("(30 more files match: narrow the pattern.)"), "{text}");
}

#[tokio::test]
async fn what_is_not_valid_or_outside_is_named() {
    let fixture = Fixture::new(&[("a", "")]);
    for (input, want) in [
        (json!({"pattern": "{a"}), "`{a` is not a valid pattern"),
        (json!({"pattern": "a\u{0}b"}), "`pattern` holds a NUL character"),
        (json!({"pattern": "*", "path": "none"}), "none is no folder."),
    ] {
        let error = fixture.call(&Glob, input).await.unwrap_err();
        assert!(error.contains(want), "{error}");
    }
    let verdict = |pattern: &str| fixture.verdict(&Glob, json!({"pattern": pattern}));
    assert_eq!(verdict("**/*.rs"), Verdict::Allow);
    for pattern in ["/etc/*", "../*"] {
        assert!(matches!(verdict(pattern), Verdict::Ask(_)), "{pattern}");
    }
}
