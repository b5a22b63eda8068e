//! The program as a person or a script runs it: what it prints, what it changes, how it exits.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test ends where it can't go on")]

use std::path::Path;
use std::process::{Command, Output, Stdio};

/// A folder of files, and the program in it: no key, no network, no configuration of the machine's user, nobody at stdin.
struct Folder(tempfile::TempDir);

struct Ran {
    code: i32,
    out: String,
    err: String,
}

impl Folder {
    fn with(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        Self(folder)
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path().join(name)).unwrap()
    }

    fn run(&self, arguments: &[&str]) -> Ran {
        let Output { status, stdout, stderr } = Command::new(env!("CARGO_BIN_EXE_copydesk"))
            .args(arguments)
            .current_dir(self.path())
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap())
            .env("HOME", self.path().join("home"))
            .env("COPYDESK_DETECT_LOCAL", "false")
            .env("TMPDIR", std::env::temp_dir())
            .stdin(Stdio::null())
            .output()
            .unwrap();
        Ran {
            code: status.code().unwrap(),
            out: String::from_utf8(stdout).unwrap(),
            err: String::from_utf8(stderr).unwrap(),
        }
    }
}

const BEFORE: &str = "fn load() {}\r\n\r\nfn main() { load() }";
const AFTER: &str = "fn open() {}\r\n\r\nfn main() { open() }";
const TASK: &str = "rename load to open in a.rs";

#[test]
fn a_broken_choice_of_model_asks_none() {
    for (config, named) in [
        ("[model]\nprovider = \"ofline\"\n", "model.provider"),
        ("[openai]\nbase_url = \"localhost:11434\"\n", "write \"http://localhost:11434\""),
        ("max_budget_usd = -3\n", "max_budget_usd"),
        ("max_turns = 0\n", "max_turns"),
        ("x = [\n", "no TOML"),
    ] {
        let folder = Folder::with(&[("a.rs", BEFORE), ("home/.config/copydesk/config.toml", config)]);
        let ran = folder.run(&["run", "--yes", TASK]);
        let told = format!("{}{}", ran.out, ran.err);
        assert!(told.contains("No model was asked") && told.contains(named), "{config}: {told}");
        assert_eq!(told.matches("config.toml").count(), 1, "{config}: it is told once: {told}");
        assert!(!told.contains("which one you want"), "{config}: {told}");
        assert_eq!((ran.code, folder.read("a.rs").as_str()), (1, BEFORE), "{config}");
        assert!(told.contains("✗ failed: No model"), "there was no turn: {told}");

        let ran = folder.run(&["try"]);
        assert_eq!(ran.code, 1, "{config}: {}", ran.out);
        assert!(ran.out.contains("No model was asked") && ran.out.contains("try --offline"), "{}", ran.out);
        assert!(!ran.out.contains("accepted") && !ran.out.contains("What now"), "{}", ran.out);
        let ran = folder.run(&["doctor"]);
        assert_eq!(ran.code, 1, "{config}: {}", ran.out);
        let step = "mend the setting that is broken: until then no model is asked";
        assert_eq!(ran.out.matches("- mend").count(), 1, "{config}: {}", ran.out);
        assert!(ran.out.contains(step), "{config}: {}", ran.out);
    }
}

#[test]
fn yes_changes_exactly_what_was_asked_for() {
    let folder = Folder::with(&[("a.rs", BEFORE)]);
    let ran = folder.run(&["run", "--yes", TASK]);
    assert_eq!((ran.code, folder.read("a.rs").as_str()), (0, AFTER), "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("2 accepted, 0 rejected"), "{}", ran.out);
    assert!(!ran.out.contains('\x1b'), "no colours into a pipe");
    let names: Vec<_> =
        std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(names.iter().all(|name| name == "a.rs" || name == "home"), "nothing else is left: {names:?}");
}

#[test]
fn a_diff_changes_nothing_and_is_one_that_git_applies() {
    let folder = Folder::with(&[("a.rs", BEFORE)]);
    let ran = folder.run(&["run", "--diff", TASK]);
    assert_eq!((ran.code, folder.read("a.rs").as_str()), (0, BEFORE), "{}", ran.err);
    std::fs::write(folder.path().join("diff"), &ran.out).unwrap();
    let applied = Command::new("git").args(["apply", "diff"]).current_dir(folder.path()).output().unwrap();
    assert!(applied.status.success(), "{}\n{}", String::from_utf8_lossy(&applied.stderr), ran.out);
    assert_eq!(folder.read("a.rs"), AFTER);
}

#[test]
fn a_diff_changes_nothing_in_a_mode_that_accepts_changes_either() {
    let folder = Folder::with(&[("a.rs", BEFORE)]);
    let settings = folder.path().join("home/.config/copydesk");
    std::fs::create_dir_all(&settings).unwrap();
    std::fs::write(settings.join("config.toml"), "permissions.mode = \"acceptEdits\"\n").unwrap();
    let ran = folder.run(&["run", "--diff", TASK]);
    assert_eq!((ran.code, folder.read("a.rs").as_str()), (0, BEFORE), "{}", ran.err);
    assert!(ran.out.contains("+fn open() {}"), "{}", ran.out);
    let ran = folder.run(&["run", TASK]);
    assert_eq!((ran.code, folder.read("a.rs").as_str()), (0, AFTER), "{}", ran.err);
}

#[test]
fn with_nobody_to_ask_nothing_is_applied() {
    let folder = Folder::with(&[("a.rs", BEFORE)]);
    let ran = folder.run(&["run", TASK]);
    assert_eq!((ran.code, folder.read("a.rs").as_str()), (3, BEFORE));
    assert!(ran.out.contains("+fn open() {}"), "{}", ran.out);
    let told =
        "Nobody is here to be asked, so 2 changes are left in a.rs: run it at a terminal, or with --yes.\n";
    assert_eq!(ran.err, told, "once, and in the diff is no word of it");
    assert!(!ran.out.contains("accepted"), "{}", ran.out);
}

#[test]
fn a_protected_file_is_told_of_once_with_what_would_let_it_in() {
    let folder = Folder::with(&[(".envrc", "load=1\n")]);
    let ran = folder.run(&["run", "--yes", "rename load to open in .envrc"]);
    assert_eq!((ran.code, folder.read(".envrc").as_str()), (5, "load=1\n"), "{}", ran.out);
    assert_eq!(ran.out.matches("says what programs run").count(), 1, "{}", ran.out);
    assert!(ran.out.contains("\n.envrc says what programs run"), "{}", ran.out);
    assert_eq!(ran.out.matches("Edit(.envrc)").count(), 1, "{}", ran.out);
    let ran = folder.run(&["run", "--yes", "--allow", "Edit(.envrc)", "rename load to open in .envrc"]);
    assert_eq!((ran.code, folder.read(".envrc").as_str()), (0, "open=1\n"), "{}", ran.out);
}

#[test]
fn a_script_gets_one_object_or_every_event() {
    let folder = Folder::with(&[("a.rs", BEFORE)]);
    let ran = folder.run(&["run", "--diff", "--output", "stream-json", TASK]);
    let mut events: Vec<serde_json::Value> =
        ran.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let result = events.pop().unwrap();
    assert_eq!((&result["type"], &result["accepted"]), (&"result".into(), &0.into()));
    assert_eq!(result["files"][0]["hunks"][0]["state"], "pending");
    let numbers: Vec<_> = events.iter().map(|event| event["seq"].as_u64().unwrap()).collect();
    assert_eq!(numbers, (1..=events.len() as u64).collect::<Vec<_>>(), "without gaps");
    assert_eq!(events.last().unwrap()["event"]["type"], "terminal");

    let ran = folder.run(&["run", "--yes", "--output=json", TASK]);
    let report: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!((&report["reason"], &report["accepted"]), (&"completed".into(), &2.into()));
    assert_eq!(report["files"][0]["hunks"][0]["state"], "accepted");
    assert_eq!(folder.read("a.rs"), AFTER);
}

#[test]
fn a_file_that_can_not_be_written_keeps_no_other_from_being_accepted() {
    let folder = Folder::with(&[("b.rs", "fn load() {}\n"), ("c.rs", "fn main() { load() }\n")]);
    // Its encoding has no letter for the new name.
    let latin = b"// caf\xe9, d\xe9j\xe0 vu, na\xefve\nfn load() {}\n// load\n";
    std::fs::write(folder.path().join("a.rs"), latin).unwrap();
    let task = "rename load to ładuj";
    let ran = folder.run(&["run", "--yes", task]);
    assert_eq!(std::fs::read(folder.path().join("a.rs")).unwrap(), latin);
    let rest = (folder.read("b.rs"), folder.read("c.rs"));
    assert_eq!(rest, ("fn ładuj() {}\n".to_owned(), "fn main() { ładuj() }\n".to_owned()), "{}", ran.err);
    assert_eq!(ran.code, 4);
    assert!(ran.out.contains("2 accepted, 0 rejected, 1 not applied"), "{}", ran.out);
    assert_eq!(ran.err.matches("✗ a.rs: ").count(), 1, "once for each cause: {}", ran.err);
    assert!(ran.err.contains("✓ b.rs: 1 accepted") && ran.err.contains("✓ c.rs: 1 accepted"), "{}", ran.err);

    for name in ["b.rs", "c.rs"] {
        let text = folder.read(name).replace("ładuj", "load");
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    let ran = folder.run(&["run", "--yes", "--output=json", task]);
    let report: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    let states: Vec<_> = report["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| file["hunks"][0]["state"].as_str().unwrap())
        .collect();
    assert_eq!(states, ["pending", "accepted", "accepted"]);
    assert_eq!(report["notApplied"].as_array().unwrap().len(), 1);
}

#[test]
fn a_task_without_changes_is_done() {
    let folder = Folder::with(&[("a.rs", BEFORE)]);
    let ran = folder.run(&["run", "explain", "a.rs:L1"]);
    assert_eq!((ran.code, folder.read("a.rs").as_str()), (0, BEFORE), "{}{}", ran.out, ran.err);
}

#[test]
fn a_change_that_the_offline_model_did_not_make_is_told_by_the_exit_code() {
    let folder = Folder::with(&[("a.rs", BEFORE)]);
    for prompt in ["write me a poem", "rename lode to open in a.rs", "rename load to open in gone.rs"] {
        let ran = folder.run(&["run", "--yes", prompt]);
        assert_eq!((ran.code, folder.read("a.rs").as_str()), (5, BEFORE), "{prompt}: {}{}", ran.out, ran.err);
    }
}

#[test]
fn wrong_usage_says_what_is_right() {
    let folder = Folder::with(&[]);
    let ran = folder.run(&["rum"]);
    assert_eq!((ran.code, ran.out.as_str()), (2, ""));
    assert_eq!(ran.err, "copydesk: there is no command `rum`; did you mean `run`?\nTry `copydesk help`.\n");
    let ran = folder.run(&["run", "explain", "missing.rs"]);
    assert_eq!((ran.code, ran.err.as_str()), (1, "copydesk: missing.rs is no file here\n"));
    std::fs::write(folder.path().join("a.rs"), BEFORE).unwrap();
    let ran = folder.run(&["run", "explain", "a.rs:99"]);
    assert_eq!((ran.code, ran.err.as_str()), (1, "copydesk: a.rs has 3 lines: there is no line 99\n"));
    for (arguments, want) in [
        (["--allow", "Bash("], "`--allow`: `Bash(` is no rule: the parenthesis is not closed"),
        (["--deny", "WebSearch(x)"], "`--deny`: `WebSearch(x)` can't be followed"),
        (["--add-dir", "/nope"], "`--add-dir`: there is no folder `/nope`"),
    ] {
        let ran = folder.run(&[&["run", "explain", "a.rs"], &arguments[..]].concat());
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{}", ran.err);
        assert!(ran.err.contains(want) && ran.err.contains("copydesk help run"), "{}", ran.err);
    }
    assert!(folder.run(&["help"]).out.contains("usage: copydesk [COMMAND]"));
    assert_eq!(folder.run(&["--version"]).out, format!("copydesk {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn the_doctor_finds_what_is_wrong_and_a_workspace_can_not_choose_the_model() {
    let folder = Folder::with(&[(".copydesk/config.toml", "[openai]\nbase_url = \"http://127.0.0.1:9\"\n")]);
    let ran = folder.run(&["doctor"]);
    assert_eq!(ran.code, 1);
    for want in [
        "the server starts and answers",
        "the offline model",
        "config.toml:2: `openai.base_url` is not taken",
    ] {
        assert!(ran.out.contains(want), "{want} in\n{}", ran.out);
    }
    let ran = folder.run(&["config"]);
    assert!(ran.out.contains("# openai.base_url is not set"), "{}", ran.out);
}

#[test]
fn the_configuration_is_toml_from_its_first_line_to_its_last() {
    let folder = Folder::with(&[
        (
            "home/.config/copydesk/config.toml",
            "max_turn = 3\npermissions.allow = [\"Bash(make:*)\", \"Bash(\"]\npermissions.deny = [\"Read(**/.env)\"]\n",
        ),
        (".claude/settings.json", "{bad"),
    ]);
    let ran = folder.run(&["config"]);
    for want in [
        "# allow Bash(make:*)",
        "# deny  Read(**/.env)",
        "did you mean `max_turns`?",
        "settings.json is no JSON",
    ] {
        assert!(ran.out.contains(want), "{want} in\n{}", ran.out);
    }
    let is_setting = |line: &str| line.is_empty() || line.starts_with('#') || line.contains(" = ");
    assert!(ran.out.lines().all(is_setting), "{}", ran.out);
    ran.out.parse::<toml::Table>().unwrap();
}

#[test]
fn a_model_that_does_not_answer_is_told_with_the_next_step() {
    let folder = Folder::with(&[]);
    let Output { status, stdout, .. } = Command::new(env!("CARGO_BIN_EXE_copydesk"))
        .args(["doctor", "--model"])
        .env_clear()
        .env("HOME", folder.path())
        .envs([("ANTHROPIC_BASE_URL", "http://127.0.0.1:9"), ("ANTHROPIC_API_KEY", "sk-FAKE")])
        .current_dir(folder.path())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let told = String::from_utf8(stdout).unwrap();
    assert_eq!(status.code(), Some(1), "{told}");
    let (_, next) = told.split_once("\nNext\n  - ").unwrap();
    assert!(next.contains("ANTHROPIC_BASE_URL"), "{told}");
    let ran = folder.run(&["run", "--offline", "sing me a song"]);
    assert!(ran.out.contains("That is beyond me") && !ran.out.contains('✓'), "{}", ran.out);
}

#[test]
fn a_temporary_folder_that_is_not_there_is_named() {
    let folder = Folder::with(&[]);
    let Output { status, stderr, .. } = Command::new(env!("CARGO_BIN_EXE_copydesk"))
        .args(["try", "--offline"])
        .env("TMPDIR", folder.path().join("none"))
        .current_dir(folder.path())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let told = String::from_utf8(stderr).unwrap();
    assert_eq!(status.code(), Some(1));
    assert!(told.contains("/none: make it, or set TMPDIR"), "{told}");
}

#[test]
fn the_doctor_sees_rules_that_can_not_be_read_and_a_folder_that_is_not_trusted() {
    let folder = Folder::with(&[
        ("home/.config/copydesk/config.toml", "permissions.allow = [\"Bash(\"]\n"),
        (".claude/settings.json", "{bad"),
        (".claude/settings.local.json", r#"{"permissions": {"allow": ["Bash(make:*)"]}}"#),
    ]);
    let ran = folder.run(&["doctor", "--offline"]);
    for want in [
        "config.toml:1: `Bash(` is no rule",
        "settings.json is no JSON",
        "until you trust it: allow Bash(make:*)",
        "mend the lines above",
    ] {
        assert!(ran.out.contains(want), "{want} in\n{}", ran.out);
    }
    assert_eq!(ran.code, 1);
    std::fs::remove_file(folder.path().join(".claude/settings.json")).unwrap();
    std::fs::remove_file(folder.path().join("home/.config/copydesk/config.toml")).unwrap();
    let ran = folder.run(&["doctor", "--offline"]);
    assert!(ran.out.contains("until you trust it"), "{}", ran.out);
    assert!(!ran.out.contains("mend"), "{}", ran.out);
}

#[test]
fn a_model_that_nobody_has_is_named_with_what_to_do() {
    let folder = Folder::with(&[]);
    for (model, way) in [
        ("foo/bar", "name the provider: `openai/foo/bar`"),
        ("claude-sonnet-5", "name the provider: `anthropic/claude-sonnet-5`"),
    ] {
        let doctor = folder.run(&["doctor", "--model", model]);
        assert_eq!(doctor.code, 1, "{}", doctor.out);
        let run = folder.run(&["run", "--model", model, "explain"]);
        for told in [doctor.out, run.out + &run.err] {
            let what = format!("there is no key and no server for the model `{model}`");
            assert!(told.contains(&what) && told.contains(way), "{told}");
        }
    }
    for nameless in ["", "openai/"] {
        let ran = folder.run(&["doctor", "--model", nameless]);
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{}", ran.err);
    }
}

#[test]
fn a_server_without_an_editor_says_so() {
    let folder = Folder::with(&[]);
    let ran = folder.run(&[]);
    assert_eq!((ran.code, ran.out.as_str()), (1, ""));
    assert!(ran.err.contains("the input ended before an editor said `initialize`"), "{}", ran.err);
}

#[test]
fn try_shows_a_whole_task_and_takes_only_what_was_accepted() {
    let folder = Folder::with(&[]);
    let ran = folder.run(&["try"]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    for want in [
        "> Do: rename load to open",
        "=> accepted",
        "=> rejected",
        " accepted, 1 rejected",
        "src/shelf.rs now",
    ] {
        assert!(ran.out.contains(want), "{want} in\n{}", ran.out);
    }
    let project = ran.out.lines().next().unwrap().strip_prefix("A sample project in ").unwrap();
    let shelf = std::fs::read_to_string(Path::new(project).join("src/shelf.rs")).unwrap();
    assert!(shelf.contains("fn is_empty"), "unsaved text survives");
    assert!(shelf.contains("fn open") && !shelf.contains("copydesk:"), "{shelf}");
    let readme = std::fs::read_to_string(Path::new(project).join("README.md")).unwrap();
    assert!(readme.contains("Mind the load") && readme.contains("`Shelf::open`"), "{readme}");
    assert!(
        ran.out.contains(&format!("The sample project stays in {project}: delete it when")),
        "{}",
        ran.out
    );
    std::fs::remove_dir_all(project).unwrap();
}

#[test]
#[cfg(target_os = "linux")]
fn output_that_is_lost_is_a_failure_and_a_reader_that_left_is_none() {
    let folder = Folder::with(&[("a.rs", BEFORE)]);
    let run = |stdout: Stdio| {
        Command::new(env!("CARGO_BIN_EXE_copydesk"))
            .args(["run", "--offline", "--diff", TASK])
            .current_dir(folder.path())
            .env_clear()
            .env("HOME", folder.path().join("home"))
            .env("COPYDESK_DETECT_LOCAL", "false")
            .stdin(Stdio::null())
            .stdout(stdout)
            .output()
            .unwrap()
    };
    let full = run(std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap().into());
    assert_eq!(full.status.code(), Some(1));
    let told = String::from_utf8(full.stderr).unwrap();
    assert!(told.contains("copydesk: the output is not complete: No space left on device"), "{told}");

    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    assert_eq!(run(writer.into()).status.code(), Some(0));
}

#[test]
#[cfg(target_os = "linux")]
fn what_is_tried_with_nobody_to_read_of_it_leaves_nothing_and_a_relative_home_is_none() {
    let folder = Folder::with(&[]);
    let temporary = folder.path().join("tmp");
    std::fs::create_dir(&temporary).unwrap();
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    for stdout in [writer.into(), Stdio::null()] {
        Command::new(env!("CARGO_BIN_EXE_copydesk"))
            .args(["try", "--offline"])
            .current_dir(folder.path())
            .env_clear()
            .envs([("HOME", "rel"), ("TMPDIR", temporary.to_str().unwrap())])
            .stdin(Stdio::null())
            .stdout(stdout)
            .status()
            .unwrap();
        assert_eq!(std::fs::read_dir(&temporary).unwrap().count(), 0);
    }
    let names: Vec<_> =
        std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["tmp"]);
}
