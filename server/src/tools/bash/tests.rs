use std::fs;

use serde_json::json;

use super::changes::What;
use super::*;
use crate::documents::Kept;
use crate::permissions::{Behavior, Rule, SettledRule, Source};
use crate::review::{Decide, WholeBytes, WholeChange};
use crate::shell::{Before, ChangeKind, LARGEST_KEPT, TreeChange};
use crate::tools::fixture::Fixture;

#[track_caller]
fn check(input: Value, wanted: &str) {
    let refused = Bash.validate(&input).expect_err("it is refused").0;
    assert!(refused.contains(wanted), "{refused}");
}

#[test]
fn an_input_that_no_shell_could_run_is_refused() {
    check(json!({"command": "a\0b"}), "NUL");
    check(json!({"command": " \n"}), "empty");
    check(json!({"command": "ls", "timeout": "long"}), "`timeout`");
    assert_eq!(Bash.validate(&json!({"command": "ls", "timeout": 999_999_999})), Ok(()));
}

#[tokio::test]
async fn without_the_program_to_build_walls_nothing_runs() {
    let fixture = Fixture::new(&[("a.txt", "a")]);
    let refused = fixture.call(&Bash, json!({"command": "touch made"})).await.expect_err("it can't run");
    assert!(refused.starts_with("Nothing was run: on this machine nothing keeps a command"), "{refused}");
    let refused = fixture.call(&Bash, json!({"command": "touch made"})).await.expect_err("it can't run");
    assert!(refused.contains("could not be run"), "{refused}");
    assert_eq!(fixture.on_disk("made"), None);
}

/// A workspace with a picture, a text, and a link to it.
fn with_picture() -> Fixture {
    let fixture = Fixture::new(&[("a.txt", "a\n")]);
    fs::write(fixture.path("old.png").as_path(), b"\x89PNG\0").unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink("a.txt", fixture.path("link").as_path()).unwrap();
    fixture
}

/// A command did this to the file, and `unfinished` says why it may be half of it.
async fn changed(fixture: &Fixture, name: &str, kind: ChangeKind, unfinished: Option<&str>) -> changes::Told {
    let context = fixture.context();
    let views = Views::of(&context).await;
    let changes = [TreeChange { path: fixture.path(name).as_path().to_owned(), kind, before: Before::Disk }];
    let mut told = propose(&context, &views, ("make", "make it"), &changes, unfinished).await;
    told.remove(0)
}

#[track_caller]
fn bytes_of(what: &What) -> Option<WholeBytes> {
    match what {
        What::Whole(whole) => whole.bytes,
        other => panic!("not proposed as a whole: {other:?}"),
    }
}

#[tokio::test]
async fn what_is_no_text_on_disk_is_changed_and_deleted_as_a_whole() {
    let fixture = with_picture();
    let told = changed(&fixture, "old.png", ChangeKind::Deleted, None).await;
    assert_eq!(bytes_of(&told.what), Some(WholeBytes::Deleted { from: 5 }));
    let told = changed(&fixture, "old.png", ChangeKind::Written(b"text\n".to_vec()), None).await;
    assert_eq!(bytes_of(&told.what), Some(WholeBytes::Changed { from: 5, to: 5 }));
    let views = Views::of(&fixture.context()).await;
    assert!(views.is_whole(&fixture.path("old.png")));
    assert_eq!(fixture.on_disk("a.txt").as_deref(), Some("a\n"));
    fixture.decide("old.png", Decide::Accept).await;
    assert_eq!(fixture.on_disk("old.png").as_deref(), Some("text\n"));
}

#[tokio::test]
async fn a_text_where_bytes_are_pending_is_reviewed_as_text_again() {
    let fixture = with_picture();
    let kept = Kept::copy(&b"\0"[..], &fixture.shell.keeping_folder(), 10).unwrap();
    let reason = super::super::proposing::reason(&fixture.context(), "make".to_owned());
    let change = WholeChange::Bytes(kept);
    fixture.desk.propose_whole(&fixture.session, &fixture.path("a.txt"), reason, change).await.unwrap();
    let told = changed(&fixture, "a.txt", ChangeKind::Written(b"a\nb\n".to_vec()), None).await;
    assert!(matches!(told.what, What::Changed(_)), "{told:?}");
    assert_eq!(fixture.draft("a.txt").await.as_deref(), Some("a\nb\n"));
    assert_eq!(fixture.desk.wholes(&fixture.session).await, []);
}

#[tokio::test]
async fn rules_judge_permissions_and_bytes_as_they_judge_edits() {
    let mut fixture = with_picture();
    let half = Some("It may be half a change.");
    let told = changed(&fixture, "a.txt", ChangeKind::Mode(0o755), half).await;
    assert_eq!(told.must_ask.as_deref(), half);
    let view = fixture.desk.settled().await;
    assert_eq!(view.files[0].must_ask(), half);
    let told = changed(&fixture, ".envrc", ChangeKind::Mode(0o755), None).await;
    assert!(told.must_ask.is_some(), "{told:?}");
    let (rule, starts) = (Rule::parse("Edit(**)").unwrap(), fixture.policy.starts());
    let rule = SettledRule::new(Behavior::Deny, rule, Source::CommandLine, "here", &starts).unwrap();
    fixture.policy.rules.push(rule);
    for kind in [ChangeKind::Mode(0o700), ChangeKind::Written(b"x".to_vec()), ChangeKind::Deleted] {
        let told = changed(&fixture, "old.png", kind, None).await;
        assert!(matches!(&told.what, What::NotProposed(why) if why.starts_with("undone. ")), "{told:?}");
    }
}

#[cfg(unix)]
#[tokio::test]
async fn what_is_done_to_a_link_is_told_and_nothing_happens_to_what_it_leads_to() {
    let fixture = with_picture();
    std::os::unix::fs::symlink(".", fixture.path("folder").as_path()).unwrap();
    let written = || ChangeKind::Written(b"text\n".to_vec());
    for (name, kind, want) in [
        ("link", ChangeKind::Deleted, "deleted, which can't be proposed of a symbolic link"),
        ("link", written(), "a file in the place of a symbolic link, which can't be proposed"),
        ("folder/a.txt", written(), "a symbolic link is in the way"),
        ("folder/old.png", ChangeKind::Deleted, "a symbolic link is in the way"),
        ("folder/old.png", ChangeKind::Mode(0o755), "a symbolic link is in the way"),
    ] {
        let told = changed(&fixture, name, kind, Some("it was stopped")).await;
        let is_told = matches!(&told.what, What::NotProposed(why) if why.contains(want));
        assert!(is_told && told.must_ask.is_none(), "{told:?}");
    }
    assert_eq!(fixture.desk.settled().await.files.len(), 0);
}

#[tokio::test]
async fn bytes_with_their_permissions_are_told_once() {
    let fixture = with_picture();
    let context = fixture.context();
    let change = |name: &str, kind| TreeChange {
        path: fixture.path(name).as_path().to_owned(),
        kind,
        before: Before::Disk,
    };
    let changes = [
        change("old.png", ChangeKind::Written(b"text\n".to_vec())),
        change("old.png", ChangeKind::Mode(0o755)),
        change("run.sh", ChangeKind::Written(b"true\n".to_vec())),
        change("run.sh", ChangeKind::Mode(0o755)),
    ];
    let views = Views::of(&context).await;
    let told = propose(&context, &views, ("make", "make it"), &changes, None).await;
    let names: Vec<&str> = told.iter().map(|told| told.path.as_str()).collect();
    assert_eq!(names, ["old.png", "run.sh", "run.sh"]);
    assert!(bytes_of(&told[0].what).is_some());
    assert!(matches!(&told[0].what, What::Whole(whole) if whole.mode.is_some()), "{told:?}");
}

#[test]
fn what_a_tree_brings_back_can_be_kept() {
    assert_eq!(LARGEST_KEPT, Kept::LARGEST);
}
