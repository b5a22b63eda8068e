//! Accepting many files: what can be found out before the first is changed keeps all of them as they are.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use super::bench::{ABCD, Bench, message, outcomes};
use super::whole::mode;
use crate::review::{Decide, DecisionResult, Extent, Outcome, WholeChange};

const PNG: &[u8] = b"png\0";

/// Files before and behind the one that refuses, one of each kind; `fails` is proposed by `propose` and then kept from being
/// changed by `refuse`.
async fn check(propose: impl AsyncFnOnce(&Bench), refuse: impl FnOnce(&Bench), wanted: &str) {
    let bench = Bench::new();
    propose(&bench).await;
    for at in ["a", "z"] {
        bench.put(&format!("{at}.txt"), ABCD);
        bench.edit("A", &format!("{at}.txt"), "b", "B").await;
        bench.put_bytes(&format!("{at}.png"), PNG, 0o644);
        bench.run("A", &format!("{at}.png"), bench.bytes(b"new\0")).await;
        bench.put_bytes(&format!("{at}.sh"), PNG, 0o644);
        bench.run("A", &format!("{at}.sh"), mode(0o755)).await;
        bench.put(&format!("{at}.gone"), ABCD);
        bench.delete("A", &format!("{at}.gone")).await;
        bench.write("A", &format!("{at}-new/f"), "new\n", None).await.unwrap();
        bench.open(&format!("{at}.open"), ABCD).await;
        bench.edit("A", &format!("{at}.open"), "b", "B").await;
    }
    let before = bench.review().await;
    refuse(&bench);
    let results = bench.accept_all().await;
    let at = |name: &str| {
        let of_file = |result: &&DecisionResult| result.path == bench.path(name);
        let found: Vec<&DecisionResult> = results.iter().filter(of_file).collect();
        found.iter().map(|result| result.message.clone().unwrap()).collect::<Vec<_>>().join(" ")
    };
    let all: Vec<_> = results.iter().filter_map(|result| result.message.clone()).collect();
    assert!(all[0].contains("fails") && all[0].contains(wanted), "{wanted}: {all:?}");
    assert!(all[0].ends_with("Nothing was accepted."), "{all:?}");
    assert!(!outcomes(&results).contains(&Outcome::Accepted), "{results:?}");
    for name in ["a", "z"] {
        for kind in [".txt", ".png", ".sh", ".gone", "-new/f", ".open"] {
            let told = at(&format!("{name}{kind}"));
            assert!(told.starts_with("Not accepted, because "), "{name}{kind}: {told}");
            assert!(told.contains("fails") && told.contains("accept this by itself"), "{told}");
        }
        assert_eq!(bench.disk(&format!("{name}.txt")).unwrap(), ABCD);
        assert_eq!(bench.on_disk(&format!("{name}.png")).unwrap(), "644 png\\x00");
        assert_eq!(bench.on_disk(&format!("{name}.sh")).unwrap(), "644 png\\x00");
        assert_eq!(bench.disk(&format!("{name}.gone")).unwrap(), ABCD);
        assert!(!bench.path(&format!("{name}-new")).as_path().exists());
        assert_eq!(bench.text(&format!("{name}.open")), ABCD);
    }
    assert_eq!(bench.editor.asked_edits(), []);
    let others = |review: &str| {
        let lines = review.lines().filter(|line| !line.starts_with("fails")).map(str::to_owned);
        lines.collect::<Vec<_>>()
    };
    assert_eq!(others(&bench.review().await), others(&before), "all of it is pending still");
}

fn read_only(bench: &Bench) {
    fs::set_permissions(bench.path("fails").as_path(), fs::Permissions::from_mode(0o444)).unwrap();
}

/// A link to a file that says the same.
fn linked(bench: &Bench) {
    fs::rename(bench.path("fails").as_path(), bench.path("elsewhere").as_path()).unwrap();
    symlink("elsewhere", bench.path("fails").as_path()).unwrap();
}

fn folder(bench: &Bench) {
    bench.remove("fails");
    fs::create_dir(bench.path("fails").as_path()).unwrap();
}

async fn text(bench: &Bench) {
    bench.put("fails", ABCD);
    bench.edit("A", "fails", "b", "B").await;
}

async fn deleted(bench: &Bench) {
    bench.put("fails", ABCD);
    bench.delete("A", "fails").await;
}

async fn bytes(bench: &Bench) {
    bench.put_bytes("fails", PNG, 0o644);
    bench.run("A", "fails", bench.bytes(b"new\0")).await;
}

async fn deleted_bytes(bench: &Bench) {
    bench.put_bytes("fails", PNG, 0o644);
    bench.run("A", "fails", WholeChange::Deleted).await;
}

async fn permissions(bench: &Bench) {
    bench.put_bytes("fails", PNG, 0o644);
    bench.run("A", "fails", mode(0o755)).await;
}

#[tokio::test(start_paused = true)]
async fn a_read_only_file_keeps_all_others_as_they_are() {
    check(text, read_only, "it is read-only").await;
    check(deleted, read_only, "it is read-only").await;
    check(bytes, read_only, "it is read-only").await;
}

#[tokio::test(start_paused = true)]
async fn so_does_a_link_or_a_folder_in_its_place_whatever_kind_of_change_it_is() {
    for refuse in [linked, folder] {
        let wanted = "";
        check(text, refuse, wanted).await;
        check(deleted, refuse, wanted).await;
        check(bytes, refuse, wanted).await;
        check(deleted_bytes, refuse, wanted).await;
        check(permissions, refuse, wanted).await;
    }
}

#[tokio::test(start_paused = true)]
async fn so_does_what_stands_on_the_way_to_a_new_file() {
    let link = |bench: &Bench| symlink("nowhere", bench.path("fails").as_path()).unwrap();
    let file = |bench: &Bench| bench.put("fails", "x\n");
    let text = async |bench: &Bench| drop(bench.write("A", "fails/deep/f", "new\n", None).await.unwrap());
    let bytes = async |bench: &Bench| assert!(bench.run("A", "fails/deep/f", bench.bytes(b"new\0")).await);
    check(text, link, "a symbolic link was put in the way of").await;
    check(bytes, link, "a symbolic link was put in the way of").await;
    check(text, file, "something on its way is a file and no folder").await;
    check(bytes, file, "something on its way is a file and no folder").await;
}

#[tokio::test(start_paused = true)]
async fn so_does_a_file_that_is_another_one_by_now() {
    let other_text = |bench: &Bench| bench.put("fails", "a\nU\nc\nd\n");
    let other_bytes = |bench: &Bench| bench.put_bytes("fails", b"user\0", 0o644);
    let other_mode = |bench: &Bench| bench.put_bytes("fails", PNG, 0o600);
    check(text, other_text, "changed on disk just now, in the same lines").await;
    check(bytes, other_bytes, "the file on disk is not the one that the command began from").await;
    check(deleted_bytes, other_bytes, "the file on disk is not the one that the command began from").await;
    check(permissions, other_mode, "the file on disk is not the one that the command began from").await;
}

#[tokio::test(start_paused = true)]
async fn so_does_a_text_that_the_files_encoding_can_not_say() {
    let propose = async |bench: &Bench| {
        let latin = b"caf\xe9 au lait, d\xe9j\xe0 vu, na\xefve\nb\n";
        fs::write(bench.path("fails").as_path(), latin).unwrap();
        bench.edit("A", "fails", "b", "中").await;
    };
    check(propose, |_| (), "which has no '中'").await;
}

#[tokio::test(start_paused = true)]
async fn so_does_what_can_not_be_done_to_an_open_file() {
    let deleted = async |bench: &Bench| {
        bench.open("fails", ABCD).await;
        bench.delete("A", "fails").await;
    };
    let bytes = async |bench: &Bench| {
        bench.open("fails", ABCD).await;
        bench.run("A", "fails", bench.bytes(PNG)).await;
    };
    check(deleted, |_| (), "open in the editor").await;
    check(bytes, |_| (), "open in the editor").await;
}

#[tokio::test(start_paused = true)]
async fn every_file_that_refuses_is_named() {
    let bench = Bench::new();
    for name in ["a", "fails", "fails2"] {
        bench.put(name, ABCD);
        bench.edit("A", name, "b", "B").await;
    }
    read_only(&bench);
    bench.remove("fails2");
    let results = bench.accept_all().await;
    let told: Vec<_> = results.iter().map(|result| result.message.as_deref().unwrap()).collect();
    assert!(told[0].starts_with("fails: it is read-only"), "{told:?}");
    assert!(told[1].starts_with("fails2: it is not on disk any more"), "{told:?}");
    assert!(told[2].starts_with("Not accepted, because fails and 1 more can't be: "), "{told:?}");
    assert_eq!((told.len(), bench.disk("a").as_deref()), (3, Some(ABCD)));
}

#[tokio::test(start_paused = true)]
async fn one_file_is_decided_by_itself_whatever_is_wrong_with_others() {
    let bench = Bench::new();
    for name in ["a", "fails"] {
        bench.put(name, ABCD);
        bench.edit("A", name, "b", "B").await;
    }
    read_only(&bench);
    let results = bench.decide(Decide::Accept, bench.offer("a", "A").await).await;
    assert_eq!(outcomes(&results), [Outcome::Accepted]);
    for results in
        [bench.decide(Decide::Accept, bench.offer("fails", "A").await).await, bench.accept("fails", 0).await]
    {
        assert_eq!(outcomes(&results), [Outcome::Pending]);
        assert!(message(&results).contains("read-only"), "{results:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_conflict_of_bytes_that_was_there_before_holds_up_nothing() {
    let bench = Bench::new();
    bench.put("z", ABCD);
    bench.edit("A", "z", "b", "B").await;
    bytes(&bench).await;
    bench.put_bytes("fails", b"user\0", 0o644);
    bench.desk.disk_changed(vec![bench.path("fails")]);
    bench.moment().await;
    assert_eq!(outcomes(&bench.accept_all().await), [Outcome::Conflicted, Outcome::Accepted]);
    assert_eq!(bench.on_disk("fails").unwrap(), "644 user\\x00");
}

#[tokio::test(start_paused = true)]
async fn a_file_that_makes_room_for_another_is_no_obstacle() {
    let bench = Bench::new();
    bench.put("d", ABCD);
    bench.delete("A", "d").await;
    bench.made("A", "d/f", "new\n", None, Extent::Parts).await;
    let results = bench.accept_all().await;
    assert!(outcomes(&results).iter().all(|outcome| *outcome == Outcome::Accepted), "{results:?}");
    assert_eq!(bench.disk("d/f").unwrap(), "new\n");
}

#[tokio::test(start_paused = true)]
async fn what_is_only_found_while_a_file_is_written_ends_it_there_and_what_was_done_stays() {
    let bench = Bench::new();
    for name in ["a", "f", "z"] {
        bench.put(name, ABCD);
    }
    bench.edit("A", "a", "b", "B").await;
    bench.edit("A", "z", "b", "B").await;
    // The one takes away what the other is for.
    bench.delete("A", "f").await;
    bench.edit("B", "f", "b", "B").await;
    let results = bench.accept_all().await;
    assert_eq!(outcomes(&results)[..2], [Outcome::Accepted; 2], "{results:?}");
    assert!(message(&results).starts_with("f: "), "{results:?}");
    assert_eq!((bench.disk("a").as_deref(), bench.disk("f")), (Some("a\nB\nc\nd\n"), None));
    assert_eq!(bench.disk("z").unwrap(), ABCD);
}
