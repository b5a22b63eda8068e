//! Bytes that are no text, and permissions, which commands leave and the person decides on.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};

use super::bench::{ABCD, Bench, message, outcomes};
use crate::conversation::SessionId;
use crate::documents::Kept;
use crate::review::{Decide, Extent, Outcome, Proposal, ShownFile, Target, WholeChange};

const OLD: &[u8] = b"old\0";
const NEW: &[u8] = b"new\0!";

impl Bench {
    pub(super) fn bytes(&self, bytes: &[u8]) -> WholeChange {
        WholeChange::Bytes(Kept::copy(bytes, self.keeping().as_path(), 1_000).unwrap())
    }

    pub(super) fn put_bytes(&self, name: &str, bytes: &[u8], mode: u32) {
        let path = self.path(name);
        fs::write(path.as_path(), bytes).unwrap();
        fs::set_permissions(path.as_path(), fs::Permissions::from_mode(mode)).unwrap();
    }

    /// Its mode and what it holds.
    pub(super) fn on_disk(&self, name: &str) -> Option<String> {
        let bytes = fs::read(self.path(name).as_path()).ok()?;
        let mode = fs::metadata(self.path(name).as_path()).unwrap().mode() & 0o7777;
        Some(format!("{mode:o} {}", bytes.escape_ascii()))
    }

    /// How many copies are kept.
    fn kept(&self) -> usize {
        fs::read_dir(self.keeping().as_path()).map_or(0, Iterator::count)
    }

    pub(super) async fn run(&self, session: &str, name: &str, change: WholeChange) -> bool {
        self.propose_whole(session, name, change).await.unwrap().is_some()
    }

    async fn reject_all(&self) -> Vec<Outcome> {
        let decide = Decide::Reject { reason: Some("no".to_owned()) };
        outcomes(&self.decide(decide, Target::All { session: None }).await)
    }
}

pub(super) const fn mode(mode: u32) -> WholeChange {
    WholeChange::Mode(Some(mode))
}

#[tokio::test(start_paused = true)]
async fn what_is_accepted_is_on_disk_byte_for_byte_and_nothing_before() {
    let bench = Bench::new();
    bench.put_bytes("old.png", OLD, 0o640);
    bench.put_bytes("gone.png", OLD, 0o644);
    bench.put_bytes("run.sh", b"true\n", 0o644);
    assert!(bench.run("A", "new.png", bench.bytes(NEW)).await);
    assert!(bench.run("A", "sub/tool", bench.bytes(NEW)).await);
    assert!(bench.run("A", "sub/tool", mode(0o755)).await);
    assert!(bench.run("A", "old.png", bench.bytes(NEW)).await);
    assert!(bench.run("A", "gone.png", WholeChange::Deleted).await);
    assert!(bench.run("A", "run.sh", mode(0o755)).await);
    let pending = "gone.png [A] delete\ngone.png [A] whole: deleted 4\nnew.png [A] create\nnew.png [A] whole: made 5\n\
                   old.png [A] whole: changed 4>5\nrun.sh [A] whole: mode 644>755\n\
                   tool [A] create\ntool [A] whole: made 5, mode 755\n";
    assert_eq!(bench.review().await, pending);
    assert_eq!(bench.on_disk("new.png"), None);
    assert_eq!(bench.on_disk("old.png").unwrap(), "640 old\\x00");
    assert_eq!(outcomes(&bench.accept_all().await), [Outcome::Accepted; 5]);
    let usual = format!("{:o}", fs::metadata(bench.path("new.png").as_path()).unwrap().mode() & 0o7777);
    assert_eq!(bench.on_disk("new.png").unwrap(), format!("{usual} new\\x00!"));
    assert_eq!(bench.on_disk("sub/tool").unwrap(), "755 new\\x00!");
    assert_eq!(bench.on_disk("old.png").unwrap(), "640 new\\x00!");
    assert_eq!(bench.on_disk("gone.png"), None);
    assert_eq!(bench.on_disk("run.sh").unwrap(), "755 true\\n");
    assert_eq!(bench.review().await, "");
    let told = [
        "gone.png: accepted: run (it is deleted)",
        "new.png: accepted: run (its bytes)",
        "old.png: accepted: run (its bytes)",
        "run.sh: accepted: run (its permissions)",
        "tool: accepted: run (its bytes and permissions)",
    ];
    assert_eq!(bench.told("A").await, told);
    assert_eq!(bench.kept(), 0);
}

#[tokio::test(start_paused = true)]
async fn what_is_rejected_leaves_no_trace() {
    let bench = Bench::new();
    bench.put_bytes("old.png", OLD, 0o640);
    let before = fs::metadata(bench.path("old.png").as_path()).unwrap();
    bench.run("A", "old.png", bench.bytes(NEW)).await;
    bench.run("A", "old.png", mode(0o755)).await;
    bench.run("A", "sub/new.png", bench.bytes(NEW)).await;
    assert_eq!(bench.kept(), 2);
    assert_eq!(bench.reject_all().await, [Outcome::Rejected; 2]);
    let after = fs::metadata(bench.path("old.png").as_path()).unwrap();
    let state = |file: &fs::Metadata| (file.ino(), file.mode(), file.mtime_nsec(), file.ctime_nsec());
    assert_eq!(state(&before), state(&after));
    assert!(!bench.path("sub").as_path().exists());
    assert_eq!(bench.kept(), 0);
    assert_eq!(bench.review().await, "");
    let told = ["old.png: rejected: run (its bytes and permissions)", "new.png: rejected: run (its bytes)"];
    assert_eq!(bench.told("A").await, told);
    assert_eq!(bench.desk.wholes(&SessionId("A".to_owned())).await, []);
}

#[tokio::test(start_paused = true)]
async fn a_later_command_replaces_what_is_pending_or_takes_it_back() {
    let bench = Bench::new();
    bench.put_bytes("a.png", OLD, 0o644);
    bench.run("A", "a.png", bench.bytes(NEW)).await;
    let shown = bench.offer("a.png", "A").await;
    bench.run("A", "a.png", bench.bytes(b"\0newest")).await;
    assert_eq!(bench.review().await, "a.png [A] whole: changed 4>7\n");
    assert_eq!(bench.kept(), 1, "what nobody can accept any more is not kept");
    assert_eq!(outcomes(&bench.decide(Decide::Accept, shown).await), [Outcome::Stale]);
    assert_eq!(bench.on_disk("a.png").unwrap(), "644 old\\x00");
    assert!(!bench.run("A", "a.png", bench.bytes(OLD)).await);
    assert_eq!(bench.review().await, "");
    assert!(bench.run("A", "b.png", bench.bytes(NEW)).await);
    assert!(!bench.run("A", "b.png", WholeChange::Deleted).await);
    assert!(bench.run("A", "a.png", mode(0o755)).await);
    assert!(!bench.run("A", "a.png", WholeChange::Mode(None)).await);
    assert_eq!((bench.review().await.as_str(), bench.kept()), ("", 0));
    assert_eq!(bench.told("A").await, Vec::<String>::new());
}

#[tokio::test(start_paused = true)]
async fn what_was_not_shown_is_not_decided() {
    let bench = Bench::new();
    bench.put_bytes("a.png", OLD, 0o644);
    bench.run("A", "a.png", mode(0o755)).await;
    let file = bench.desk.settled().await.files[0].clone();
    let shown = || {
        let (path, session) = (file.path.clone(), file.session.clone());
        Target::Shown(vec![ShownFile { path, session, shown: Some(file.clone()) }])
    };
    bench.run("A", "a.png", bench.bytes(NEW)).await;
    assert_eq!(outcomes(&bench.decide(Decide::Accept, shown()).await), [Outcome::Stale]);
    let reject = Decide::Reject { reason: None };
    assert_eq!(outcomes(&bench.decide(reject, shown()).await), [Outcome::Stale]);
    assert_eq!(bench.on_disk("a.png").unwrap(), "644 old\\x00");
    let file = bench.desk.settled().await.files[0].clone();
    let (path, session) = (file.path.clone(), file.session.clone());
    let now = Target::Shown(vec![ShownFile { path, session, shown: Some(file) }]);
    assert_eq!(outcomes(&bench.decide(Decide::Accept, now).await), [Outcome::Accepted]);
    assert_eq!(bench.on_disk("a.png").unwrap(), "755 new\\x00!");
}

#[tokio::test(start_paused = true)]
async fn a_file_that_is_another_one_by_now_is_a_conflict_and_stays_as_it_is() {
    let bench = Bench::new();
    for name in ["changed.png", "gone.png", "mode.sh"] {
        bench.put_bytes(name, OLD, 0o644);
    }
    for name in ["changed.png", "gone.png", "made.png"] {
        bench.run("A", name, bench.bytes(NEW)).await;
    }
    bench.run("A", "mode.sh", mode(0o755)).await;
    // Nobody reports it.
    bench.put_bytes("changed.png", b"user\0", 0o644);
    bench.put_bytes("made.png", b"user\0", 0o644);
    bench.put_bytes("mode.sh", OLD, 0o600);
    bench.remove("gone.png");
    let results = bench.accept_all().await;
    assert_eq!(outcomes(&results), [Outcome::Conflicted; 4]);
    assert!(message(&results).contains("reject the change, or have the command run again"), "{results:?}");
    for (name, wanted) in
        [("changed.png", "644 user\\x00"), ("made.png", "644 user\\x00"), ("mode.sh", "600 old\\x00")]
    {
        assert_eq!(bench.on_disk(name).unwrap(), wanted);
    }
    assert_eq!(bench.on_disk("gone.png"), None);
    assert_eq!(bench.review().await.matches("(conflict)").count(), 4, "{}", bench.review().await);
    assert_eq!(bench.told("A").await.len(), 4);
    assert_eq!(bench.told("A").await, Vec::<String>::new(), "told once");
    // The trial tree has the disk's files, so a command that runs again begins from them.
    assert_eq!(bench.desk.wholes(&SessionId("A".to_owned())).await, []);
    bench.run("A", "changed.png", bench.bytes(b"\0again")).await;
    let results = bench.decide(Decide::Accept, bench.offer("changed.png", "A").await).await;
    assert_eq!(outcomes(&results), [Outcome::Accepted]);
    assert_eq!(bench.on_disk("changed.png").unwrap(), "644 \\x00again");
    assert_eq!(bench.reject_all().await, [Outcome::Rejected; 3]);
    assert_eq!(bench.on_disk("made.png").unwrap(), "644 user\\x00");
}

#[tokio::test(start_paused = true)]
async fn what_the_user_does_by_hand_is_nothing_to_decide_any_more() {
    let bench = Bench::new();
    bench.put_bytes("a.png", OLD, 0o644);
    bench.run("A", "a.png", bench.bytes(NEW)).await;
    bench.put_bytes("a.png", NEW, 0o644);
    bench.desk.disk_changed(vec![bench.path("a.png")]);
    bench.moment().await;
    assert_eq!(bench.review().await, "");
    assert_eq!(bench.told("A").await, ["a.png: accepted by hand: run (its bytes)"]);
    assert_eq!(bench.kept(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_script_that_is_made_is_executable_when_it_is_accepted_by_its_hunk_too() {
    for by_hunk in [true, false] {
        let bench = Bench::new();
        bench.made("A", "run.sh", "true\n", None, Extent::Parts).await;
        bench.run("A", "run.sh", mode(0o755)).await;
        let pending = "run.sh [A] create\nrun.sh [A] 0  -> true| pending\nrun.sh [A] whole: mode 755\n";
        assert_eq!(bench.review().await, pending.replace('|', ""));
        let results = if by_hunk { bench.accept("run.sh", 0).await } else { bench.accept_all().await };
        assert_eq!(outcomes(&results), [Outcome::Accepted]);
        assert_eq!(bench.on_disk("run.sh").unwrap(), "755 true\\n");
        assert_eq!(bench.review().await, "");
    }
}

#[tokio::test(start_paused = true)]
async fn a_made_script_that_is_rejected_takes_its_permissions_along() {
    let bench = Bench::new();
    bench.made("A", "run.sh", "true\n", None, Extent::Parts).await;
    bench.run("A", "run.sh", mode(0o755)).await;
    assert_eq!(outcomes(&bench.reject("run.sh", 0).await), [Outcome::Rejected]);
    assert_eq!(bench.review().await, "");
    assert_eq!(bench.on_disk("run.sh"), None);
}

#[tokio::test(start_paused = true)]
async fn permissions_are_a_decision_beside_the_hunks() {
    let bench = Bench::new();
    bench.put("run.sh", ABCD);
    bench.made("A", "run.sh", "a\nB\nc\nd\n", Some(ABCD), Extent::Parts).await;
    bench.run("A", "run.sh", mode(0o755)).await;
    let both = "run.sh [A] 1 b -> B pending\nrun.sh [A] whole: mode 644>755\n";
    assert_eq!(bench.review().await, both);
    assert_eq!(outcomes(&bench.accept("run.sh", 0).await), [Outcome::Accepted]);
    assert_eq!(bench.on_disk("run.sh").unwrap(), "644 a\\nB\\nc\\nd\\n");
    assert_eq!(bench.review().await, "run.sh [A] whole: mode 644>755\n", "words say nothing of permissions");
    bench.edit("A", "run.sh", "d", "D").await;
    let results = bench.decide(Decide::Accept, bench.offer("run.sh", "A").await).await;
    assert_eq!(outcomes(&results), [Outcome::Accepted; 2]);
    assert_eq!(bench.on_disk("run.sh").unwrap(), "755 a\\nB\\nc\\nD\\n");
}

#[tokio::test(start_paused = true)]
async fn an_open_file_takes_permissions_but_no_bytes() {
    let bench = Bench::new();
    bench.open("run.sh", ABCD).await;
    bench.open("a.txt", ABCD).await;
    bench.run("A", "run.sh", mode(0o755)).await;
    bench.run("A", "a.txt", bench.bytes(NEW)).await;
    let before = bench.on_disk("run.sh");
    let results = bench.accept_all().await;
    assert_eq!(outcomes(&results), [Outcome::Pending; 2]);
    assert!(message(&results).contains("open in the editor"), "{results:?}");
    assert_eq!(bench.on_disk("run.sh"), before, "nothing goes in where one file can't be changed");
    let results = bench.decide(Decide::Accept, bench.offer("run.sh", "A").await).await;
    assert_eq!(outcomes(&results), [Outcome::Accepted]);
    assert_eq!(bench.on_disk("run.sh").unwrap(), "755 a\\nb\\nc\\nd\\n");
    assert_eq!(bench.disk("a.txt").unwrap(), ABCD);
    bench.close("a.txt").await;
    assert_eq!(outcomes(&bench.accept_all().await), [Outcome::Accepted]);
    assert_eq!(bench.on_disk("a.txt").unwrap(), "644 new\\x00!");
}

#[tokio::test(start_paused = true)]
async fn bytes_do_not_take_the_place_of_pending_text_and_text_takes_that_of_pending_bytes() {
    let bench = Bench::new();
    bench.put("f", ABCD);
    bench.edit("A", "f", "b", "B").await;
    let refused = bench.propose_whole("A", "f", bench.bytes(NEW)).await.unwrap_err().to_string();
    assert!(refused.contains("changes of its text that wait for the user"), "{refused}");
    assert_eq!(bench.review().await, "f [A] 1 b -> B pending\n");
    bench.reject("f", 0).await;
    bench.run("A", "f", bench.bytes(NEW)).await;
    assert_eq!(bench.agents("A", "f").await, None, "the agent's own file is no text");
    let refused = bench.try_edit("A", "f", "b", "B").await.unwrap_err().to_string();
    assert!(refused.contains("binary"), "{refused}");
    bench.made("A", "f", "a\nB\nc\nd\n", Some(ABCD), Extent::Parts).await;
    assert_eq!(bench.review().await, "f [A] 1 b -> B pending\n");
    assert_eq!(bench.kept(), 0);
    bench.reject("f", 0).await;
    // Removed as a text, it is no pending bytes either.
    bench.run("A", "f", bench.bytes(NEW)).await;
    bench.propose("A", "f", "rm", Box::new(|_| Ok(Proposal::Delete))).await.unwrap();
    assert!(bench.review().await.starts_with("f [A] delete\n"));
    assert_eq!(bench.kept(), 0);
}

#[tokio::test(start_paused = true)]
async fn what_one_session_brought_is_another_file_for_the_other() {
    let bench = Bench::new();
    bench.put_bytes("a.png", OLD, 0o644);
    for (session, bytes) in [("A", NEW), ("B", b"other\0"), ("C", NEW)] {
        bench.run(session, "a.png", bench.bytes(bytes)).await;
    }
    let results = bench.decide(Decide::Accept, bench.offer("a.png", "A").await).await;
    assert_eq!(outcomes(&results), [Outcome::Accepted]);
    assert_eq!(bench.review().await, "a.png [B] whole: changed 4>6 (conflict)\n");
    assert_eq!(bench.told("B").await, ["a.png: overtaken: run (its bytes)"]);
    assert_eq!(bench.told("C").await, ["a.png: accepted by hand: run (its bytes)"]);
    assert_eq!(bench.on_disk("a.png").unwrap(), "644 new\\x00!");
}

#[tokio::test(start_paused = true)]
async fn it_waits_for_the_person_also_where_changes_are_accepted_as_they_come() {
    let bench = Bench::new();
    bench.put_bytes("run.sh", ABCD.as_bytes(), 0o644);
    bench.accept_as_they_come();
    bench.run("A", "a.png", bench.bytes(NEW)).await;
    bench.made("A", "run.sh", "a\nB\nc\nd\n", Some(ABCD), Extent::Parts).await;
    bench.run("A", "run.sh", mode(0o755)).await;
    // A new file goes in as any new file is made, and then waits.
    bench.made("A", "tool.sh", "true\n", None, Extent::Parts).await;
    bench.run("A", "tool.sh", mode(0o755)).await;
    assert_eq!(bench.on_disk("run.sh").unwrap(), "644 a\\nB\\nc\\nd\\n");
    let pending = "a.png [A] create\na.png [A] whole: made 5\nrun.sh [A] whole: mode 644>755\n\
                   tool.sh [A] whole: mode 644>755\n";
    assert_eq!(bench.review().await, pending);
    let files = &bench.desk.settled().await.files;
    assert!(files.iter().all(|file| file.held_back.is_some()), "{files:?}");
    assert_eq!(outcomes(&bench.accept_all().await), [Outcome::Accepted; 3]);
    assert_eq!(bench.on_disk("tool.sh").unwrap(), "755 true\\n");
}

#[tokio::test(start_paused = true)]
async fn a_link_put_in_the_way_leads_nothing_elsewhere() {
    let bench = Bench::new();
    let elsewhere = tempfile::tempdir().unwrap();
    let target = elsewhere.path().join("run.sh");
    fs::write(&target, ABCD).unwrap();
    fs::set_permissions(&target, fs::Permissions::from_mode(0o644)).unwrap();
    bench.put("run.sh", ABCD);
    bench.run("A", "run.sh", mode(0o755)).await;
    bench.run("A", "d/a.png", bench.bytes(NEW)).await;
    bench.remove("run.sh");
    symlink(&target, bench.path("run.sh").as_path()).unwrap();
    symlink(elsewhere.path(), bench.path("d").as_path()).unwrap();
    let results = bench.accept_all().await;
    assert!(!outcomes(&results).contains(&Outcome::Accepted), "{results:?}");
    assert_eq!(fs::metadata(&target).unwrap().mode() & 0o777, 0o644);
    assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 1);
}

#[tokio::test(start_paused = true)]
async fn what_is_proposed_where_a_link_was_put_is_proposed_nowhere_else() {
    let bench = Bench::new();
    fs::create_dir(bench.path("other").as_path()).unwrap();
    bench.put_bytes("other/run.sh", OLD, 0o644);
    symlink("other", bench.path("d").as_path()).unwrap();
    for change in [bench.bytes(NEW), WholeChange::Deleted, mode(0o755)] {
        let refused = bench.propose_whole("A", "d/run.sh", change).await.unwrap_err().to_string();
        assert!(refused.contains("a symbolic link was put in the way of"), "{refused}");
    }
    assert_eq!(bench.review().await, "");
}

#[tokio::test(start_paused = true)]
async fn a_read_only_file_takes_permissions_and_no_bytes() {
    let bench = Bench::new();
    bench.put_bytes("a.png", OLD, 0o444);
    let refused = bench.propose_whole("A", "a.png", bench.bytes(NEW)).await.unwrap_err().to_string();
    assert!(refused.contains("read-only"), "{refused}");
    bench.run("A", "a.png", mode(0o644)).await;
    assert_eq!(outcomes(&bench.accept_all().await), [Outcome::Accepted]);
    bench.run("A", "a.png", bench.bytes(NEW)).await;
    bench.put_bytes("a.png", OLD, 0o444);
    let results = bench.accept_all().await;
    assert_eq!(outcomes(&results), [Outcome::Pending]);
    assert!(message(&results).contains("it is read-only"), "{results:?}");
}

#[tokio::test(start_paused = true)]
async fn it_follows_a_file_that_the_user_moves() {
    let bench = Bench::new();
    bench.put_bytes("a.png", OLD, 0o644);
    bench.run("A", "a.png", bench.bytes(NEW)).await;
    fs::rename(bench.path("a.png").as_path(), bench.path("b.png").as_path()).unwrap();
    bench.desk.renamed(bench.path("a.png"), bench.path("b.png"));
    assert_eq!(bench.review().await, "b.png [A] whole: changed 4>5\n");
    assert_eq!(outcomes(&bench.accept_all().await), [Outcome::Accepted]);
    assert_eq!((bench.on_disk("a.png"), bench.on_disk("b.png").unwrap()), (None, "644 new\\x00!".to_owned()));
}
