//! What a command sees, and what becomes of what it does.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};

use camino::Utf8Path;
use copydesk::shell::{Best, FileContent, ShellSettings, TrialMode, WallKind};
use proptest::prelude::*;

use crate::drafts::{Drafts, keep, told, views};
use crate::place::{Place, code, settings};

pub(crate) const OVERLAY: Best = Best::ALL;
pub(crate) const COPY: Best = Best { mode: TrialMode::Copy, walls: WallKind::Namespaces };
const PLAIN_COPY: Best = Best { mode: TrialMode::Copy, walls: WallKind::Rights };
pub(crate) const TREES: [Best; 3] = [OVERLAY, COPY, PLAIN_COPY];

pub(crate) fn place(best: Best, files: &[(&str, &str)]) -> Place {
    Place::with(files, |base| ShellSettings { best, ..settings(base) })
}

/// Everything of a folder that can be told apart: content, mode, time, number, links.
pub(crate) fn bits(folder: &Utf8Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(at) = folders.pop() {
        for entry in at.read_dir_utf8().unwrap() {
            let path = entry.unwrap().into_path();
            let metadata = fs::symlink_metadata(&path).unwrap();
            let content = if metadata.is_symlink() {
                format!("-> {}", fs::read_link(&path).unwrap().display())
            } else if metadata.is_dir() {
                folders.push(path.clone());
                String::new()
            } else {
                format!("{:?}", fs::read(&path).unwrap())
            };
            let (mode, links) = (metadata.mode(), metadata.nlink());
            let time = (metadata.mtime(), metadata.mtime_nsec(), metadata.ctime(), metadata.ctime_nsec());
            found.insert(
                path.into_string(),
                format!("{mode:o} {} {links} {time:?} {content}", metadata.ino()),
            );
        }
    }
    found
}

#[tokio::test]
async fn a_command_sees_what_is_pending_and_changes_nothing() {
    for best in TREES {
        let place = place(best, &[("a.txt", "disk"), ("b.txt", "b"), (".gitignore", "out/\n")]);
        let before = bits(&place.root);
        let views = vec![
            place.view("a.txt", Some("draft")),
            place.view("b.txt", None),
            place.view("n/c.txt", Some("c")),
        ];
        let (output, outcome) = place
            .run(
                "cat a.txt n/c.txt; ls; echo new >d.txt; mkdir -p out; echo x >out/x; chmod +x n/c.txt",
                views,
            )
            .await;
        assert_eq!(output, "draftca.txt\nn\n", "{best:?}");
        assert_eq!(code(&outcome), 0);
        assert_eq!(told(&place, &outcome.changes)[0], "d.txt: new", "{best:?}");
        assert_eq!(bits(&place.root), before, "{best:?}");
        let mode = &place.shell.known_ground().unwrap().mode;
        assert_eq!(*mode, best.mode);
    }
}

#[tokio::test]
async fn each_kind_of_change_is_told() {
    for best in TREES {
        let place = place(
            best,
            &[
                ("edit.txt", "a\n"),
                ("gone.txt", "x"),
                ("dir/one.txt", "1"),
                ("dir/two.txt", "2"),
                ("run.sh", "true\n"),
                ("both.sh", "b\n"),
                ("same.txt", "s"),
                ("moved.txt", "m"),
            ],
        );
        let command = "sed -i s/a/b/ edit.txt; rm gone.txt; rm -r dir; mkdir dir; echo 3 >dir/three.txt; chmod +x run.sh; \
                       touch same.txt; mv moved.txt there.txt; printf 'a\\0b' >binary; ln -s edit.txt link; echo x >both.sh; chmod 700 both.sh; \
                       echo x >$'odd\\xff.txt'; echo y >tool.sh; chmod +x tool.sh";
        let (output, outcome) = place.run(command, vec![]).await;
        assert_eq!(output, "", "{best:?}");
        let wanted = [
            "binary Bytes { size: 3 }",
            "both.sh: x",
            "both.sh Mode(448)",
            "dir/one.txt Deleted",
            "dir/three.txt: 3",
            "dir/two.txt Deleted",
            "edit.txt: b",
            "gone.txt Deleted",
            "link Whole { what: Link, size: 8 }",
            "moved.txt Deleted",
            "odd\u{fffd}.txt Whole { what: OddName, size: 2 }",
            "run.sh Mode(493)",
            "there.txt: m",
            "tool.sh: y",
            "tool.sh Mode(493)",
        ];
        assert_eq!(told(&place, &outcome.changes), wanted, "{best:?}");
        assert_eq!(
            told(&place, &place.run("true", vec![]).await.1.changes),
            Vec::<String>::new(),
            "told once"
        );
    }
}

#[tokio::test]
async fn a_link_to_a_folder_is_told_and_stays() {
    for best in TREES {
        let files = [("dir/a.txt", "a"), ("far/b.txt", "b"), (".gitignore", "lib/\n"), ("lib/c.txt", "c")];
        let place = place(best, &files);
        symlink("dir", place.root.join("real")).unwrap();
        symlink("../../w", place.root.join("far/up")).unwrap();
        let before = bits(&place.root);
        let command = "cat real/a.txt; ln -s dir made; ln -s ../far dir/deep";
        let (output, outcome) = place.run(command, vec![]).await;
        assert_eq!(output, "a", "{best:?}");
        let wanted = ["dir/deep Whole { what: Link, size: 6 }", "made Whole { what: Link, size: 3 }"];
        assert_eq!(told(&place, &outcome.changes), wanted, "{best:?}");
        let (output, outcome) = place.run("cat made/a.txt dir/deep/b.txt; rm made", vec![]).await;
        assert_eq!((output.as_str(), told(&place, &outcome.changes)), ("ab", vec![]), "{best:?}");
        assert_eq!(bits(&place.root), before, "{best:?}");
    }
}

#[tokio::test]
async fn a_folder_that_is_made_anew_has_nothing_of_the_old_one() {
    for best in TREES {
        let place = place(best, &[("dir/sub/c.txt", "c\n")]);
        let command = "mv dir other && mkdir -p dir/sub && echo x >dir/sub/x.txt";
        let (_, outcome) = place.run(command, vec![]).await;
        let wanted = ["dir/sub/c.txt Deleted", "dir/sub/x.txt: x", "other/sub/c.txt: c"];
        assert_eq!(told(&place, &outcome.changes), wanted, "{best:?}");
    }
}

#[tokio::test]
async fn a_file_that_took_the_place_of_a_folder_is_told_when_it_goes() {
    for best in TREES {
        let place = place(best, &[("dir/a.txt", "a\n")]);
        let mut drafts = Drafts::new();
        let (_, outcome) = place.run("rm -r dir; echo file >dir", vec![]).await;
        keep(&place, &mut drafts, &outcome.changes);
        let (_, outcome) = place.run("mv dir other", views(&drafts)).await;
        assert_eq!(told(&place, &outcome.changes), ["dir Deleted", "other: file"], "{best:?}");
    }
}

#[tokio::test]
async fn names_of_one_file_are_each_put_back() {
    for best in TREES {
        let place = place(best, &[("a.txt", "a\n"), ("b.txt", "b\n")]);
        let (_, outcome) = place.run("ln -f b.txt a.txt; echo c >>a.txt", vec![]).await;
        assert_eq!(told(&place, &outcome.changes), ["a.txt: b\nc", "b.txt: b\nc"], "{best:?}");
        assert_eq!(place.run("cat a.txt b.txt", vec![]).await.0, "a\nb\n", "{best:?}");
    }
}

#[tokio::test]
async fn what_is_built_stays_for_the_next_command() {
    for best in TREES {
        let place = place(best, &[(".gitignore", "target/\n"), ("a.txt", "a")]);
        let (_, outcome) = place.run("mkdir -p target; echo built >target/out", vec![]).await;
        assert_eq!(told(&place, &outcome.changes), Vec::<String>::new(), "{best:?}");
        assert_eq!(place.run("cat target/out", vec![]).await.0, "built\n", "{best:?}");
        assert!(!place.root.join("target").exists());
    }
}

#[tokio::test]
async fn what_the_user_does_meanwhile_counts() {
    for best in TREES {
        let place = place(best, &[("a.txt", "one\n"), ("b.txt", "b\n")]);
        let (_, outcome) = place.run("echo agent >>a.txt", vec![]).await;
        let draft = "one\nagent\n";
        assert_eq!(told(&place, &outcome.changes), ["a.txt: one\nagent"]);
        // Saved by the user while the tree has its older copy, which the desk merged.
        place.write("a.txt", "zero\none\n");
        let merged = || vec![place.view("a.txt", Some("zero\none\nagent\n"))];
        assert_eq!(place.run("cat a.txt", merged()).await.0, format!("zero\n{draft}"), "{best:?}");
        // Rejected: the disk shows through, whatever the tree had.
        assert_eq!(place.run("cat a.txt", vec![]).await.0, "zero\none\n", "{best:?}");
        place.write("a.txt", "again\n");
        assert_eq!(place.run("cat a.txt", vec![]).await.0, "again\n", "{best:?}");
        // A deletion that is rejected.
        let (_, outcome) = place.run("rm b.txt", vec![]).await;
        assert_eq!(told(&place, &outcome.changes), ["b.txt Deleted"]);
        assert_eq!(place.run("ls", vec![place.view("b.txt", None)]).await.0, "a.txt\n", "{best:?}");
        assert_eq!(place.run("ls", vec![]).await.0, "a.txt\nb.txt\n", "{best:?}");
        // A file that is gone from the disk.
        fs::remove_file(place.root.join("a.txt")).unwrap();
        assert_eq!(place.run("ls", vec![]).await.0, "b.txt\n", "{best:?}");
    }
}

#[tokio::test]
async fn a_file_that_the_user_saves_during_the_command_is_not_overwritten() {
    for best in [OVERLAY, COPY] {
        let place = place(best, &[("a.txt", "one\n")]);
        let task = place.start("touch /tmp/begun; sleep 0.7; echo agent >>a.txt", vec![]).await;
        tokio::time::sleep(std::time::Duration::from_millis(400)).await;
        place.write("a.txt", "user\n");
        let outcome = task.ended().await;
        let told = told(&place, &outcome.changes);
        // In an overlay the command saw the new text; a copy still had the old one.
        assert!(told == ["a.txt Overtaken"], "{best:?} {told:?}");
        assert_eq!(place.read("a.txt").as_deref(), Some("user\n"));
    }
}

#[tokio::test]
async fn a_text_that_is_older_again_is_built_again() {
    let place = place(OVERLAY, &[("a.txt", "old\n")]);
    let build = "if [ a.txt -nt out ]; then cp a.txt out; fi; cat out";
    place.write(".gitignore", "out\n");
    let old = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000);
    fs::File::options().write(true).open(place.root.join("a.txt")).unwrap().set_modified(old).unwrap();
    assert_eq!(place.run(build, vec![]).await.0, "old\n");
    assert_eq!(place.run(build, vec![place.view("a.txt", Some("draft\n"))]).await.0, "draft\n");
    // The draft is rejected, and the real file is older than the build of it.
    assert_eq!(place.run(build, vec![]).await.0, "old\n");
}

#[tokio::test]
async fn the_repository_stays_as_it_is() {
    let place = place(OVERLAY, &[("a.txt", "a\n")]);
    let git = |arguments: &[&str]| {
        let ran =
            std::process::Command::new("git").args(arguments).current_dir(&place.root).output().unwrap();
        assert!(ran.status.success(), "{ran:?}");
    };
    git(&["init", "-q"]);
    git(&["add", "a.txt"]);
    git(&["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "first"]);
    let before = bits(&place.root);
    let (output, outcome) = place
        .run("git status --short; git log --oneline | wc -l", vec![place.view("a.txt", Some("b\n"))])
        .await;
    assert_eq!((output.as_str(), told(&place, &outcome.changes)), (" M a.txt\n1\n", vec![]));
    let commit = "git -c user.name=a -c user.email=a@b commit -qam second && git log --oneline | wc -l";
    let (output, outcome) = place.run(commit, vec![place.view("a.txt", Some("b\n"))]).await;
    assert_eq!((output.trim(), told(&place, &outcome.changes)), ("2", vec![".git Repository".to_owned()]));
    assert_eq!(bits(&place.root), before);
}

#[tokio::test]
async fn where_no_copy_fits_commands_run_on_the_files_themselves() {
    let place = Place::with(&[("a.txt", "a\n")], |base| ShellSettings {
        best: COPY,
        largest_copy: 10,
        ..settings(base)
    });
    let ground = place.shell.ground().await;
    assert_eq!(ground.mode, TrialMode::Direct);
    assert!(ground.why.as_deref().unwrap().contains("too large to be copied"), "{ground:?}");
    let (_, outcome) =
        place.run("echo b >>a.txt; echo x >../outside", vec![place.view("a.txt", Some("draft"))]).await;
    assert_eq!(place.read("a.txt").as_deref(), Some("a\nb\n"));
    let is_refused = code(&outcome) != 0 || place.is_in_temporary();
    assert!(is_refused && !place.base.join("outside").exists(), "the walls stand all the same");
}

#[tokio::test]
async fn where_nothing_can_be_tried_a_copy_without_walls_is_left_and_it_is_told_why() {
    let nowhere = Utf8Path::new("/proc/none");
    let ground = copydesk::shell::ground(&env!("CARGO_BIN_EXE_copydesk").into(), nowhere, &[], OVERLAY).await;
    assert_eq!((ground.mode, ground.walls), (TrialMode::Copy, WallKind::Open));
    let why = ground.why.unwrap();
    assert!(["no overlay", "no namespaces", "no Landlock"].iter().all(|part| why.contains(part)), "{why}");
}

#[tokio::test]
async fn a_command_begins_where_the_last_one_ended() {
    for best in TREES {
        let place = place(best, &[("src/a.txt", "a\n")]);
        let (_, outcome) = place.run("mkdir made && cd made", vec![]).await;
        assert_eq!(outcome.cwd.as_deref(), Some(place.root.join("made").as_path()), "{best:?}");
        assert_eq!(place.shell.settle(outcome.cwd.as_deref()), None);
        let (output, outcome) = place.run("basename $PWD; cd /usr", vec![]).await;
        assert_eq!(output, "made\n", "{best:?}");
        assert_eq!(
            place.shell.settle(outcome.cwd.as_deref()),
            Some(place.root.clone()),
            "outside it is reset"
        );
        let (output, _) = place.run("cd src && basename $PWD && false", vec![]).await;
        assert_eq!(output, "src\n", "{best:?}");
    }
}

/// One step of somebody who tries to damage the workspace.
fn step() -> impl Strategy<Value = String> {
    let text = prop::sample::select(vec![
        "a.txt",
        "dir/b.txt",
        "dir/sub/c.txt",
        "new.txt",
        "dir/new.txt",
        "hard.txt",
    ]);
    let file = prop_oneof![text.clone(), Just("link.txt"), Just("bin.dat")];
    let folder = prop::sample::select(vec!["dir", "dir/sub", "made", "ignored"]);
    prop_oneof![
        (file.clone(), "[a-z]{1,4}").prop_map(|(file, text)| format!("echo {text} >{file}")),
        (file.clone(), "[a-z]{1,4}").prop_map(|(file, text)| format!("echo {text} >>{file}")),
        file.clone().prop_map(|file| format!("rm -f {file}")),
        file.clone().prop_map(|file| format!("chmod 600 {file}")),
        file.clone().prop_map(|file| format!("touch -d 2001-01-01 {file}")),
        (text.clone(), text.clone()).prop_map(|(from, to)| format!("mv {from} {to}")),
        (text.clone(), text.clone()).prop_map(|(from, to)| format!("ln -f {from} {to}")),
        text.prop_map(|to| format!("ln -sfn $PWD/{to} made-link")),
        folder.clone().prop_map(|folder| format!("rm -rf {folder}")),
        folder.clone().prop_map(|folder| format!("mkdir -p {folder} && echo x >{folder}/x.txt")),
        folder.prop_map(|folder| format!("rm -rf {folder}; echo file >{folder}")),
        Just("mv dir other".to_owned()),
        Just("mv other dir".to_owned()),
    ]
}

/// What the tree has that git does not ignore, as the command itself sees it: permissions and content of each file.
const LIST: &str = r#"find . -type f -not -path './ignored/*' | sort | while read f; do echo "== $f $(stat -c %a "$f") $(base64 -w0 "$f")"; done"#;

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, max_shrink_iters: 40, ..ProptestConfig::default() })]

    /// Whatever is run, the real workspace is the same bit for bit; and the drafts made of what was told, put over the
    /// real files, are what the tree shows, bytes that are no text and permissions included. Rejected, they are gone from it.
    #[test]
    fn the_workspace_is_untouched_and_the_drafts_equal_the_tree(
        rounds in prop::collection::vec(prop::collection::vec(step(), 1..5), 1..4),
        best in prop::sample::select(vec![OVERLAY, OVERLAY, COPY]),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let place = place(best, &[
                ("a.txt", "a\n"), ("dir/b.txt", "b\n"), ("dir/sub/c.txt", "c\n"), (".gitignore", "ignored/\n"), ("ignored/i.txt", "i\n"),
            ]);
            fs::write(place.root.join("bin.dat"), b"\0\xff").unwrap();
            fs::hard_link(place.root.join("a.txt"), place.root.join("hard.txt")).unwrap();
            symlink("a.txt", place.root.join("link.txt")).unwrap();
            fs::set_permissions(place.root.join("dir/b.txt"), fs::Permissions::from_mode(0o640)).unwrap();
            let before = bits(&place.root);
            let mut drafts = Drafts::new();
            for round in rounds {
                let script = round.join("\n");
                let (_, outcome) = place.run(&format!("{{ {script}\n}} 2>/dev/null\n"), views(&drafts)).await;
                keep(&place, &mut drafts, &outcome.changes);
                assert_eq!(bits(&place.root), before, "after {script}");
                let (listed, _) = place.run(LIST, views(&drafts)).await;
                assert_eq!(listed, expected(&place, &drafts), "after {script}");
            }
            let (listed, _) = place.run(LIST, vec![]).await;
            assert_eq!(listed, expected(&place, &Drafts::new()), "rejected");
        });
    }
}

/// The drafts over the real files, as `LIST` has it.
fn expected(place: &Place, drafts: &Drafts) -> String {
    let mut files: BTreeMap<String, (u32, Vec<u8>)> = BTreeMap::new();
    for (path, _) in bits(&place.root) {
        let metadata = fs::symlink_metadata(&path).unwrap();
        if metadata.is_file() {
            files.insert(path.clone(), (metadata.mode() & 0o7777, fs::read(&path).unwrap()));
        }
    }
    for (path, draft) in drafts {
        let real = files.get(path).cloned();
        let bytes = match &draft.content {
            Some(FileContent::Absent) => None,
            Some(FileContent::Bytes(bytes)) => Some(bytes.clone()),
            Some(FileContent::Kept(kept)) => Some(fs::read(kept).unwrap()),
            Some(FileContent::Real) | None => real.clone().map(|(_, bytes)| bytes),
        };
        let mode = draft.mode.or(real.map(|(mode, _)| mode)).unwrap_or(0o644);
        match bytes {
            Some(bytes) => files.insert(path.clone(), (mode, bytes)),
            None => files.remove(path),
        };
    }
    let mut lines = Vec::new();
    for (path, (mode, bytes)) in files {
        let name = path.strip_prefix(place.root.as_str()).unwrap();
        if !name.starts_with("/ignored/") {
            lines.push((format!(".{name}"), format!("{mode:o} {}\n", base64(&bytes))));
        }
    }
    lines.sort();
    lines.iter().flat_map(|(name, rest)| ["== ", name, " ", rest]).collect()
}

fn base64(bytes: &[u8]) -> String {
    use base64::Engine as _;
    base64::engine::general_purpose::STANDARD.encode(bytes)
}
