//! Commands that run beside others: what one writes while it runs is not lost when the next begins.

use std::collections::BTreeMap;
use std::fs;
use std::sync::Arc;
use std::time::{Duration, Instant};

use camino::Utf8PathBuf;
use copydesk::shell::{Before, Best, FileView, Outcome, Task, TreeChange};
use proptest::prelude::*;

use crate::drafts::{Drafts, keep, told, views};
use crate::place::Place;
use crate::trial_tree::{COPY, OVERLAY, TREES, place};

/// A command that runs on and does what it is told, one script after the other.
struct Background<'p> {
    place: &'p Place,
    task: Arc<Task>,
    temporary: Utf8PathBuf,
    scripts: usize,
}

/// Runs each script as it comes and says when it has; one that fails is tried again, since for a moment a command may have an
/// older view of what another did.
const LOOP: &str = r#"n=0; while true; do
    if [ -e "$TMPDIR/go-$n" ]; then
        until bash -e "$TMPDIR/go-$n"; do sleep 0.05; done
        touch "$TMPDIR/did-$n"; n=$((n + 1))
    fi
    sleep 0.01
done 2>/dev/null"#;

impl<'p> Background<'p> {
    async fn begin(place: &'p Place, views: Vec<FileView>) -> Self {
        let task = place.start(LOOP, views).await;
        task.goes_to_background();
        Self { place, task, temporary: place.base.join("state/s_1/tmp"), scripts: 0 }
    }

    /// Has it done when this returns.
    async fn does(&mut self, script: &str) {
        let signal = |what: &str| self.temporary.join(format!("{what}-{}", self.scripts));
        let (go, did) = (signal("go"), signal("did"));
        self.scripts += 1;
        let made = self.temporary.join("made");
        fs::write(&made, script).unwrap();
        fs::rename(&made, &go).unwrap();
        let begun = Instant::now();
        while !did.exists() {
            assert!(begun.elapsed() < Duration::from_secs(20), "{script} is not done");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    async fn end(self) -> Arc<Outcome> {
        self.task.stop();
        let outcome = self.task.ended().await;
        self.task.taken_care_of();
        outcome
    }

    /// What it changed since somebody looked.
    async fn unseen(&self) -> Vec<TreeChange> {
        let (running, changes) = self.place.shell.unseen().await;
        assert_eq!(running.len(), 1);
        changes
    }
}

/// Path, and what its change was made from.
fn begun_from(place: &Place, changes: &[TreeChange]) -> Vec<String> {
    let line = |change: &TreeChange| {
        let path = change.path.strip_prefix(&place.root).unwrap();
        match &change.before {
            Before::Text(text) => format!("{path}: {}", String::from_utf8_lossy(text).trim_end()),
            other => format!("{path} {other:?}"),
        }
    };
    changes.iter().map(line).collect()
}

#[tokio::test]
async fn what_nobody_has_looked_at_is_not_put_over() {
    for best in TREES {
        let place =
            place(best, &[("a.txt", "a\n"), ("b.txt", "b\n"), ("gone.txt", "g\n"), ("out.txt", "o\n")]);
        let pending = vec![place.view("a.txt", Some("draft\n")), place.view("out.txt", None)];
        let mut background = Background::begin(&place, pending).await;
        let script = "for f in a b new out; do echo run >>$f.txt; done; rm gone.txt";
        background.does(script).await;
        let newer = ["a", "b", "gone", "new"].map(|name| place.view(&format!("{name}.txt"), Some("newer\n")));
        let (shown, outcome) = place.run("cat a.txt b.txt new.txt out.txt; ls", newer.into()).await;
        assert_eq!(shown, "draft\nrun\nb\nrun\nrun\nrun\na.txt\nb.txt\nnew.txt\nout.txt\n", "{best:?}");
        let wanted =
            ["a.txt: draft\nrun", "b.txt: b\nrun", "gone.txt Deleted", "new.txt: run", "out.txt: run"];
        assert_eq!(told(&place, &outcome.changes), wanted, "{best:?}");
        let wanted = ["a.txt: draft", "b.txt Disk", "gone.txt Disk", "new.txt Disk", "out.txt Absent"];
        assert_eq!(begun_from(&place, &outcome.changes), wanted, "{best:?}");
        // Looked at, the tree says what it is made to say.
        let (shown, outcome) = place.run("cat *", vec![place.view("a.txt", Some("newer\n"))]).await;
        assert_eq!(shown, "newer\nb\ng\no\n", "{best:?}");
        assert_eq!(told(&place, &outcome.changes), Vec::<String>::new(), "{best:?}");
        background.end().await;
    }
}

#[tokio::test]
async fn what_runs_is_asked_for_what_it_has_changed_up_to_now() {
    for best in TREES {
        let place = place(best, &[("a.txt", "a\n")]);
        let mut background = Background::begin(&place, vec![]).await;
        assert_eq!(background.unseen().await, [], "{best:?}");
        let mut drafts = Drafts::new();
        for (script, text, before) in [
            ("echo 1 >>a.txt", "a\n1", "a.txt Disk"),
            ("echo 2 >>a.txt", "a\n1\n2", "a.txt: a\n1"),
            ("rm a.txt", "", "a.txt: a\n1\n2"),
            ("echo 3 >>a.txt", "3", "a.txt Absent"),
        ] {
            background.does(script).await;
            let changes = background.unseen().await;
            let wanted = if text.is_empty() { "a.txt Deleted".to_owned() } else { format!("a.txt: {text}") };
            assert_eq!(told(&place, &changes), [wanted], "{best:?}");
            assert_eq!(begun_from(&place, &changes), [before], "{best:?}");
            assert_eq!(background.unseen().await, [], "{best:?} {script}: it is told once");
            keep(&place, &mut drafts, &changes);
            let (_, outcome) = place.run("true", views(&drafts)).await;
            assert_eq!(outcome.changes, [], "{best:?} {script}");
        }
        assert_eq!(told(&place, &background.end().await.changes), Vec::<String>::new(), "{best:?}");
        assert_eq!(place.read("a.txt").as_deref(), Some("a\n"));
    }
}

/// Something that happens while a command runs in the background.
#[derive(Clone, Debug)]
enum Step {
    /// It appends a line to a file.
    Background(&'static str),
    /// Another one does; `looks`: what the first did was asked for before.
    Next { file: &'static str, looks: bool },
    /// All drafts are accepted.
    Accept,
}

fn step() -> impl Strategy<Value = Step> {
    let file = prop::sample::select(vec!["a.txt", "dir/b.txt", "new.txt", "bin.dat"]);
    prop_oneof![
        3 => file.clone().prop_map(Step::Background),
        3 => (file, any::<bool>()).prop_map(|(file, looks)| Step::Next { file, looks }),
        1 => Just(Step::Accept),
    ]
}

/// The lines of the files as a command sees them, each of which was written once.
async fn lines(place: &Place, drafts: &Drafts) -> BTreeMap<String, String> {
    let (shown, _) =
        place.run("grep -ao 'line-[0-9]*' a.txt dir/b.txt new.txt bin.dat 2>/dev/null", views(drafts)).await;
    let line = |line: &str| line.split_once(':').map(|(file, line)| (line.to_owned(), file.to_owned()));
    shown.lines().filter_map(line).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, max_shrink_iters: 40, ..ProptestConfig::default() })]

    /// Whoever writes when, and whatever is accepted meanwhile: each line that any command has appended is in the next one's
    /// tree, or on disk, in the end.
    #[test]
    fn no_line_that_a_command_appends_is_lost(
        steps in prop::collection::vec(step(), 1..10),
        best in prop::sample::select(vec![OVERLAY, COPY]),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(check(best, &steps));
    }
}

async fn check(best: Best, steps: &[Step]) {
    let place = place(best, &[("a.txt", "a\n"), ("dir/b.txt", "b\n")]);
    fs::write(place.root.join("bin.dat"), b"\0\xff\n").unwrap();
    let mut drafts = Drafts::new();
    let mut background = Background::begin(&place, vec![]).await;
    let mut wanted = BTreeMap::new();
    for (number, step) in steps.iter().enumerate() {
        let append = |file: &str| format!("echo line-{number} >>{file}");
        match step {
            Step::Background(file) => {
                background.does(&append(file)).await;
                wanted.insert(format!("line-{number}"), (*file).to_owned());
            }
            Step::Next { file, looks } => {
                if *looks {
                    keep(&place, &mut drafts, &background.unseen().await);
                }
                let (said, outcome) = place.run(&append(file), views(&drafts)).await;
                assert_eq!(said, "");
                keep(&place, &mut drafts, &outcome.changes);
                wanted.insert(format!("line-{number}"), (*file).to_owned());
            }
            Step::Accept => {
                for view in views(&std::mem::take(&mut drafts)) {
                    accept(&view);
                }
            }
        }
    }
    keep(&place, &mut drafts, &background.end().await.changes);
    assert_eq!(lines(&place, &drafts).await, wanted, "{best:?}");
}

/// Puts a draft on disk.
fn accept(view: &FileView) {
    use copydesk::shell::FileContent;
    match &view.content {
        FileContent::Bytes(bytes) => fs::write(&view.path, bytes).unwrap(),
        FileContent::Kept(kept) => fs::write(&view.path, fs::read(kept).unwrap()).unwrap(),
        FileContent::Absent | FileContent::Real => {}
    }
}
