//! `copydesk run` with a scripted model, and nobody at the terminal.

#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that can't go on ends with its cause"
)]

use std::process::Stdio;

use copydesk_tests::client::Home;
use copydesk_tests::model_server::{Answer, ModelServer, Request};
use serde_json::{Value, json};

struct Ran {
    code: i32,
    out: String,
    err: String,
}

impl Ran {
    /// The object of `--output json`.
    #[track_caller]
    fn report(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {}{}", self.out, self.err))
    }
}

/// Runs a task in `home` with a model that gives these answers.
async fn run(
    home: &mut Home,
    arguments: &[&str],
    answers: impl IntoIterator<Item = Answer>,
) -> (Ran, ModelServer) {
    let model = ModelServer::playing(answers).await;
    (run_with(home, arguments, &model).await, model)
}

/// The same with a model that answers as it likes.
async fn run_with(home: &mut Home, arguments: &[&str], model: &ModelServer) -> Ran {
    home.asks(&model.url());
    let mut command = tokio::process::Command::from(home.command(&["run"]));
    let output = command.args(arguments).stdin(Stdio::null()).output().await.unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Ran { code: output.status.code().unwrap(), out: text(output.stdout), err: text(output.stderr) }
}

/// A command, a new file and an end.
fn changes(home: &Home, command: &str) -> [Answer; 3] {
    [
        Answer::calls("Bash", json!({ "command": command })),
        Answer::calls("Write", json!({ "file_path": home.path("new.txt"), "content": "n\n" })),
        Answer::says("Done."),
    ]
}

#[tokio::test]
async fn what_the_mode_lets_in_is_applied_shown_and_counted_whoever_changed_it() {
    for mode in ["acceptEdits", "bypassPermissions"] {
        let mut home = Home::new();
        home.write("a.txt", "one\ntwo\n");
        let script = changes(&home, "sed -i s/two/2/ a.txt");
        let (ran, _model) = run(&mut home, &["--permission-mode", mode, "go on"], script).await;
        let read = |name: &str| std::fs::read_to_string(home.path(name)).unwrap();
        assert_eq!((read("a.txt").as_str(), read("new.txt").as_str()), ("one\n2\n", "n\n"), "{}", ran.out);
        assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
        for want in ["-two\n+2\n", "+++ b/new.txt", "+n\n", "2 accepted, 0 rejected"] {
            assert!(ran.out.contains(want), "{want} in\n{}", ran.out);
        }
        assert_eq!(ran.err, "");
    }
}

#[tokio::test]
async fn a_command_replaces_no_whole_file_unasked_and_a_move_is_decided_as_one() {
    // What is left pending, as name and kind.
    let check = async |command: &str, wanted: &[(&str, &str)]| {
        let mut home = Home::new();
        home.write("a.txt", "one\ntwo\n");
        home.write("b.txt", "one\nother\nlines\n");
        let script = [Answer::calls("Bash", json!({ "command": command })), Answer::says("Done.")];
        let arguments = ["--permission-mode", "acceptEdits", "--allow", "Bash", "-o", "json", "go on"];
        let (ran, _model) = run(&mut home, &arguments, script).await;
        let report = ran.report();
        let files: Vec<(&str, &str)> = report["files"]
            .as_array()
            .unwrap()
            .iter()
            .map(|file| {
                assert_eq!(file["hunks"][0]["state"], "pending", "{command}");
                let says_why = file["heldBack"].as_str().is_some_and(|why| why.contains("waits for you"));
                assert!(says_why || file["kind"] == "delete", "{command}: {file}");
                let name = file["uri"].as_str().unwrap().rsplit('/').next().unwrap();
                (name, file["kind"].as_str().unwrap())
            })
            .collect();
        assert_eq!(files, wanted, "{command}");
        let read = |name: &str| std::fs::read_to_string(home.path(name)).unwrap();
        assert_eq!((read("a.txt").as_str(), read("b.txt").as_str()), ("one\ntwo\n", "one\nother\nlines\n"));
    };
    check("cp b.txt a.txt", &[("a.txt", "modify")]).await;
    check("cat b.txt > a.txt", &[("a.txt", "modify")]).await;
    check("sed -i d a.txt", &[("a.txt", "modify")]).await;
    check("python3 -c 'open(\"a.txt\", \"w\").write(\"x\\n\")'", &[("a.txt", "modify")]).await;
    check("mv b.txt a.txt", &[("a.txt", "modify"), ("b.txt", "delete")]).await;
    check("mv b.txt c.txt", &[("b.txt", "delete"), ("c.txt", "create")]).await;
    check("mkdir d; mv b.txt d; sed -i s/other/more/ d/b.txt", &[("b.txt", "delete"), ("b.txt", "create")])
        .await;
}

#[tokio::test]
async fn a_report_has_what_went_in_beside_what_is_left() {
    let mut home = Home::new();
    home.write("a.txt", "one\ntwo\n");
    home.write("gone.txt", "g\n");
    let script = changes(&home, "sed -i s/two/2/ a.txt && rm gone.txt");
    let arguments = ["--permission-mode", "acceptEdits", "-o", "json", "go on"];
    let (ran, _model) = run(&mut home, &arguments, script).await;
    let report = ran.report();
    let files: Vec<_> = report["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| {
            let name = file["uri"].as_str().unwrap().rsplit('/').next().unwrap();
            (name, file["kind"].as_str().unwrap(), file["hunks"][0]["state"].as_str().unwrap())
        })
        .collect();
    let wanted = [
        ("a.txt", "modify", "accepted"),
        ("new.txt", "create", "accepted"),
        ("gone.txt", "delete", "pending"),
    ];
    assert_eq!(files, wanted);
    assert_eq!((&report["accepted"], ran.code), (&json!(2), 0));
    assert!(home.path("gone.txt").exists(), "what is deleted is asked about in every mode");
    assert!(ran.err.contains("1 change is left in gone.txt"), "{}", ran.err);
}

#[tokio::test]
async fn who_is_not_there_has_rejected_nothing_and_the_way_in_is_named() {
    let mut home = Home::new();
    let question = json!({"questions": [{
        "question": "Which way?", "header": "Way", "multiSelect": false,
        "options": [{"label": "Left", "description": ""}, {"label": "Right", "description": ""}],
    }]});
    let script = [
        Answer::calls("Bash", json!({ "command": "make all" })),
        Answer::calls("AskUserQuestion", question),
        Answer::says("Done."),
    ];
    let (ran, model) = run(&mut home, &["go on"], script).await;
    let told: Vec<String> =
        model.requests().iter().filter_map(|request| Some(request.results().pop()?.0)).collect();
    let [denied, unanswered] = told.as_slice() else { panic!("two results: {told:?}") };
    assert!(denied.starts_with("Nobody is here to be asked, so the call was not run."), "{denied}");
    assert!(denied.contains("--allow 'Bash(make all") && !denied.contains("rejected"), "{denied}");
    assert_eq!(unanswered, "Nobody is here to be asked: decide yourself, and say what you assumed.");
    assert!(ran.out.contains("This would let it through: --allow 'Bash(make all"), "{}", ran.out);
}

#[tokio::test]
async fn where_a_denial_can_not_be_read_no_flag_is_promised() {
    let mut home = Home::new();
    home.write("a.txt", "a\n");
    home.write(".claude/settings.json", "{bad");
    let script = [Answer::calls("Read", json!({ "file_path": home.path("a.txt") })), Answer::says("Done.")];
    let (ran, model) = run(&mut home, &["--allow", "Read", "go on"], script).await;
    let told = model.last_request().results().pop().unwrap().0;
    for words in [&told, &ran.out] {
        assert!(words.contains("settings.json is no JSON") && words.contains("Mend that"), "{words}");
        assert!(!words.contains("--allow '"), "{words}");
    }
}

#[tokio::test]
async fn what_of_a_command_is_no_change_of_text_is_told_to_model_and_person() {
    let mut home = Home::new();
    home.write("mark.txt", "\u{feff}one\n");
    home.write("both.txt", "\u{feff}one\n");
    home.write("run.sh", "true\n");
    home.write(
        "make.sh",
        "sed -i '1s/^\\xEF\\xBB\\xBF//' mark.txt; printf 'one\\ntwo\\n' >both.txt; echo false >>run.sh; chmod +x run.sh\n\
         printf 'a\\0b' >binary; echo x >$'odd\\xff.txt'\n",
    );
    let script = [Answer::calls("Bash", json!({ "command": "bash make.sh" })), Answer::says("Done.")];
    let (ran, model) =
        run(&mut home, &["--permission-mode", "acceptEdits", "--allow", "Bash", "go on"], script).await;
    let told = model.last_request().results().pop().unwrap().0;
    let not_proposed = [
        "mark.txt: only its byte order mark or its encoding was changed, which can't be proposed",
        "both.txt: its byte order mark or its encoding was changed too, which can't be proposed",
        "odd\u{fffd}.txt: its name is not UTF-8, so nothing of it can be proposed",
    ];
    for want in not_proposed {
        assert!(told.contains(want), "{want} in {told}");
        assert!(ran.out.contains(want), "{want} in {}", ran.out);
    }
    for want in [
        "run.sh: changed, accepted as it comes (h_",
        "run.sh: permissions 755 in place of 644, pending review as a whole",
        "binary: new, 3 bytes that are no text to review, pending review as a whole",
    ] {
        assert!(told.contains(want), "{want} in {told}");
    }
    assert!(!told.contains("mark.txt: changed"), "{told}");
    let read = |name: &str| std::fs::read_to_string(home.path(name)).unwrap();
    assert_eq!(
        (read("both.txt"), read("run.sh")),
        ("\u{feff}one\ntwo\n".to_owned(), "true\nfalse\n".to_owned())
    );
}

/// A folder that a command changes beside its texts: a binary file, one more, one less, and permissions.
fn beside_texts() -> (Home, [Answer; 2]) {
    let home = Home::new();
    home.write("logo.png", "a\0b");
    home.write("old.bin", "\0".repeat(14_000));
    home.write("run.sh", "echo run\n");
    home.write("plain.sh", "echo x\n");
    let command = "printf 'c\\0dd' >logo.png; printf 'n\\0' >new.bin; rm old.bin; echo more >>run.sh; chmod 755 run.sh plain.sh; \
                   echo hi >made.sh; chmod 755 made.sh";
    (home, [Answer::calls("Bash", json!({ "command": command })), Answer::says("Done.")])
}

#[tokio::test]
async fn bytes_and_permissions_are_printed_as_git_does_and_accepted_with_the_rest() {
    use std::os::unix::fs::PermissionsExt as _;
    let (mut home, script) = beside_texts();
    let (ran, _model) = run(&mut home, &["--allow", "Bash", "--diff", "go on"], script).await;
    for want in [
        "new file mode 100755\n--- /dev/null\n+++ b/made.sh\n",
        "diff --git a/plain.sh b/plain.sh\nold mode 100644\nnew mode 100755\n",
        "old mode 100644\nnew mode 100755\n--- a/run.sh\n+++ b/run.sh\n",
    ] {
        assert!(ran.out.contains(want), "{want} in\n{}", ran.out);
    }
    for name in ["logo.png (binary, 3 bytes → 4 bytes)", "old.bin (removed binary, 14 kB)"] {
        let lacks = format!("{name}: no patch can hold its bytes, so they are left out");
        assert!(ran.err.contains(&lacks), "{}", ran.err);
    }
    assert!(!ran.out.contains("Binary"), "{}", ran.out);
    std::fs::write(home.path("patch"), &ran.out).unwrap();
    let applied = std::process::Command::new("git")
        .args(["apply", "patch"])
        .current_dir(home.path(""))
        .output()
        .unwrap();
    assert!(applied.status.success(), "{}", String::from_utf8_lossy(&applied.stderr));
    assert_eq!(std::fs::read_to_string(home.path("run.sh")).unwrap(), "echo run\nmore\n");

    let (mut home, script) = beside_texts();
    let (ran, _model) = run(&mut home, &["--allow", "Bash", "--yes", "-o", "json", "go on"], script).await;
    let report = ran.report();
    assert_eq!((&report["accepted"], ran.code), (&json!(7), 0), "{report:#}");
    let of = |name: &str| {
        let files = report["files"].as_array().unwrap();
        files.iter().find(|file| file["uri"].as_str().unwrap().ends_with(name)).unwrap().clone()
    };
    let logo = of("logo.png");
    assert_eq!(
        (&logo["binary"], &logo["size"], &logo["state"]),
        (&json!(true), &json!({"from": 3, "to": 4}), &json!("accepted"))
    );
    let script = of("run.sh");
    assert_eq!(
        (&script["mode"], &script["state"], &script["hunks"][0]["state"]),
        (&json!({"from": "644", "to": "755"}), &json!("accepted"), &json!("accepted"))
    );
    let mode = |name: &str| std::fs::metadata(home.path(name)).unwrap().permissions().mode() & 0o777;
    assert_eq!(["run.sh", "plain.sh", "made.sh"].map(mode), [0o755; 3]);
    assert_eq!(std::fs::read(home.path("logo.png")).unwrap(), b"c\0dd");
    assert!(home.path("new.bin").exists() && !home.path("old.bin").exists());
}

#[tokio::test]
async fn a_path_of_the_workspace_is_told_relative_to_it_and_nobody_is_told_of_rules_that_are_saved() {
    let mut home = Home::new();
    let path = std::fs::canonicalize(home.path("")).unwrap().join("src/new.txt");
    let script = [
        Answer::calls("Write", json!({ "file_path": path, "content": "a\n" })),
        Answer::calls("Bash", json!({ "command": "make all" })),
        Answer::says("Done."),
    ];
    let (ran, model) = run(&mut home, &["go on"], script).await;
    assert!(ran.out.contains("· Write src/new.txt\n"), "{}", ran.out);
    let told = model.last_request().results().pop().unwrap().0;
    assert!(told.contains("Nobody is here to be asked") && !told.contains("counts only once"), "{told}");
    assert!(
        ran.out.contains("Nobody is here to be asked") && !ran.out.contains("counts only once"),
        "{}",
        ran.out
    );
}

#[tokio::test]
async fn git_takes_the_patch_of_odd_names_empty_files_and_programs_that_go() {
    use std::os::unix::fs::PermissionsExt as _;
    let mut home = Home::new();
    home.write("gone.sh", "true\n");
    home.write("gone", "");
    home.write("read.txt", "r\n");
    let folder = home.path("");
    let may = |name: &str, mode| {
        std::fs::set_permissions(folder.join(name), std::fs::Permissions::from_mode(mode)).unwrap();
    };
    may("gone.sh", 0o755);
    may("read.txt", 0o644);
    let command = "rm gone.sh gone; : >made; echo x >'a \"b\".txt'; echo y >\"$(printf 'tab\\there')\"; chmod 600 read.txt";
    let script = [Answer::calls("Bash", json!({ "command": command })), Answer::says("Done.")];
    let (ran, _model) = run(&mut home, &["--allow", "Bash", "--diff", "go on"], script).await;
    for want in ["deleted file mode 100755\n", "\nindex 0000000..e69de29\n", "+++ \"b/tab\\there\"\n"] {
        assert!(ran.out.contains(want), "{want} in\n{}", ran.out);
    }
    assert!(!ran.out.contains("read.txt") && ran.err.contains("so 644 → 600 is left out"), "{}", ran.err);
    std::fs::write(home.path("patch"), &ran.out).unwrap();
    let git =
        std::process::Command::new("git").args(["apply", "patch"]).current_dir(&folder).output().unwrap();
    assert!(git.status.success(), "{}\n{}", String::from_utf8_lossy(&git.stderr), ran.out);
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).ok();
    assert_eq!((read("gone.sh"), read("gone"), read("made").as_deref()), (None, None, Some("")));
    assert_eq!((read("a \"b\".txt").as_deref(), read("tab\there").as_deref()), (Some("x\n"), Some("y\n")));
}

#[tokio::test]
async fn what_a_command_in_the_background_changed_waits_for_the_person_and_is_told() {
    for arguments in [["--permission-mode", "acceptEdits"], ["--permission-mode", "default"]] {
        let mut home = Home::new();
        home.write("a.txt", "a\n");
        // As it is written, not as it stands in the command.
        let command = "echo half >>a.txt; echo be''gun; sleep 1000";
        let mut begun = false;
        let answer = move |request: &Request| {
            let told = request.results().pop().map(|(text, _)| text).unwrap_or_default();
            if told.contains("begun") {
                return Answer::says("Done.");
            }
            if begun {
                return Answer::calls("TaskOutput", json!({ "task_id": "b1", "timeout": 50 }));
            }
            begun = true;
            Answer::calls("Bash", json!({ "command": command, "run_in_background": true }))
        };
        let model = ModelServer::answering(answer).await;
        let arguments = [arguments.as_slice(), &["--allow", "Bash", "go on"]].concat();
        let ran = run_with(&mut home, &arguments, &model).await;
        let told = "sleep 1000` still ran in the background, so it was ended. What it had changed by then (1 file) waits";
        assert!(ran.err.contains(told), "{}{}", ran.out, ran.err);
        assert!(
            ran.out.contains("+half") && ran.err.contains("1 change is left in a.txt"),
            "{}{}",
            ran.out,
            ran.err
        );
        assert_eq!(std::fs::read_to_string(home.path("a.txt")).unwrap(), "a\n");
        assert_ne!(ran.code, 0, "{}{}", ran.out, ran.err);
    }
}

#[tokio::test]
async fn what_builds_run_is_changed_where_the_person_has_named_it() {
    let write = |home: &Home| {
        let file = home.path(".github/workflows/ci.yml");
        [Answer::calls("Write", json!({ "file_path": file, "content": "on: push\n" })), Answer::says("Done.")]
    };
    let mut home = Home::new();
    let script = write(&home);
    let (_, model) = run(&mut home, &["--yes", "go on"], script).await;
    let (told, is_error) =
        model.requests().iter().filter_map(|request| request.results().pop()).next_back().unwrap();
    assert!(is_error && told.contains("--allow 'Edit(") && told.contains("workflows/ci.yml)'"), "{told}");
    assert!(!home.path(".github").exists());

    let script = write(&home);
    let named = ["--yes", "--allow", "Edit(.github/workflows/**)", "go on"];
    let (ran, _model) = run(&mut home, &named, script).await;
    let written = std::fs::read_to_string(home.path(".github/workflows/ci.yml")).ok();
    assert_eq!((written.as_deref(), ran.code), (Some("on: push\n"), 0), "{}{}", ran.out, ran.err);
}

#[tokio::test]
async fn what_a_command_in_the_background_has_half_done_is_not_let_in_as_the_work_of_another() {
    let mut home = Home::new();
    home.write("a.txt", "one\ntwo\n");
    let answers = [
        Answer::calls(
            "Bash",
            json!({ "command": "sleep 0.5; echo half >>a.txt; sleep 1000", "run_in_background": true }),
        ),
        // It has looked at the file before the other writes there.
        Answer::calls("Bash", json!({ "command": "until grep -q half a.txt; do sleep 0.05; done" })),
        Answer::says("Done."),
    ];
    let (ran, _) = run(&mut home, &["--yes", "--allow", "Bash", "go on"], answers).await;
    let a = std::fs::read_to_string(home.path("a.txt")).unwrap();
    assert_eq!(a, "one\ntwo\n", "{}{}", ran.out, ran.err);
    assert!(ran.err.contains("may be half of a change"), "{}{}", ran.out, ran.err);
    assert_ne!(ran.code, 0);
}

#[tokio::test]
async fn a_model_that_was_named_and_is_not_there_is_an_error_and_nothing_changes() {
    for (model, cause) in
        [("foo/bar", "no key and no server for the model `foo/bar`"), ("local", "no model server")]
    {
        let home = Home::new();
        home.write("a.rs", "fn load() {}\n");
        let mut command = home.command(&["run", "--yes", "--model", model, "rename load to open in a.rs"]);
        command.env_remove("COPYDESK_MODEL");
        let output = tokio::process::Command::from(command).stdin(Stdio::null()).output().await.unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(said.contains(cause), "{said}");
        assert_eq!(std::fs::read_to_string(home.path("a.rs")).unwrap(), "fn load() {}\n");
    }
}
