//! The cases of what may run without a question: see `cases/README.md`.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::indexing_slicing,
    reason = "a test ends where it can't go on, and prints its table"
)]

use std::fs;
use std::process::Command;
use std::sync::Arc;

use copydesk::documents::{AbsPath, PathCase, Place, Workspace};
use copydesk::permissions::{
    Access, Behavior, Call, Policy, Rule, SettledRule, Source, Verdict, decide, visible,
};
use copydesk_tests::cases::{bytes, case, list};
use serde_json::{Value, json};

/// What is decided about a command in a workspace where nothing but `allow` is settled.
fn decided(command: &str, allow: &[&str]) -> &'static str {
    let root = AbsPath::new("/ws").unwrap();
    let mut policy = Policy::of(Arc::new(Workspace::new(vec![root.clone()], false)));
    let starts = policy.starts();
    policy.rules = allow
        .iter()
        .map(|rule| {
            let rule = Rule::parse(rule).unwrap();
            SettledRule::new(Behavior::Allow, rule, Source::User, "the case", &starts).unwrap()
        })
        .collect();
    let access = Access::Command { text: command.to_owned(), cwd: root, unsandboxed: false, direct: false };
    let call = Call {
        tool: "Bash".to_owned(),
        aliases: &[],
        title: command.to_owned(),
        input: json!({ "command": command }),
        access,
        is_read_only: false,
    };
    match decide(&call, &policy) {
        Verdict::Allow => "allow",
        Verdict::Ask(_) => "ask",
        Verdict::Deny(_) => "deny",
    }
}

fn is_right(got: &str, want: &str) -> bool {
    match want {
        "allow" => got == "allow",
        "ask" => got != "allow",
        "allow-or-ask" => got != "deny",
        other => panic!("{other}"),
    }
}

/// Prints a row for each command and fails with those that differ.
#[track_caller]
fn check(name: &str, allow: &[&str], rows: &[(String, String)]) {
    let mut differences = Vec::new();
    println!(
        "\n{name}   allowed: {}",
        if allow.is_empty() { "nothing".to_owned() } else { allow.join(", ") }
    );
    for (command, want) in rows {
        let got = decided(command, allow);
        let mark = if is_right(got, want) { " " } else { "≠" };
        println!("  {mark} {got:5}  wanted {want:12}  {}", visible(command));
        if mark == "≠" {
            differences.push(command);
        }
    }
    println!("  {} rows, {} differences", rows.len(), differences.len());
    assert!(differences.is_empty(), "{differences:#?}");
}

/// The rules of a case, of which there is no other kind, in a workspace where what no rule speaks of is asked.
fn allowed(case: &Value) -> Vec<&str> {
    assert!(list(&case["rules"]["deny"]).is_empty(), "none is forbidden");
    assert!(matches!(case["default"].as_str(), Some("ask") | None));
    case["rules"]["allow"].as_array().unwrap().iter().map(|rule| rule.as_str().unwrap()).collect()
}

fn rows(case: &Value) -> Vec<(String, String)> {
    let text = |row: &Value, key: &str| row[key].as_str().unwrap().to_owned();
    case["rows"].as_array().unwrap().iter().map(|row| (text(row, "command"), text(row, "want"))).collect()
}

#[test]
fn compound_commands() {
    let name = "49-compound-commands";
    let case = case(name);
    check(name, &allowed(&case), &rows(&case));
}

#[test]
fn find_xargs_and_other_readers() {
    let name = "51-find-xargs-and-other-readers";
    let case = case(name);
    check(name, &allowed(&case), &rows(&case));
    let runs: Vec<_> = rows(&case).into_iter().filter(|(command, _)| command.contains("-exec ")).collect();
    check("51, with a rule for find", &["Bash(find:*)"], &runs);
}

#[test]
fn git_subcommands_that_write() {
    let name = "53-git-subcommands-that-write";
    let case = case(name);
    check(name, &allowed(&case), &rows(&case));
    let second = &case["second"];
    let row = (second["command"].as_str().unwrap().to_owned(), second["want"].as_str().unwrap().to_owned());
    check("53, with a rule for git diff", &allowed(second), &[row]);
}

/// What bash does with the rows that say so is what the decision is about.
#[test]
fn the_payloads_of_the_tables_really_run() {
    for name in ["49-compound-commands", "51-find-xargs-and-other-readers", "53-git-subcommands-that-write"] {
        let case = case(name);
        for row in list(&case["rows"]).iter().filter(|row| row["payload_runs"] == true) {
            let folder = scratch(&case);
            let command = row["command"].as_str().unwrap();
            let ran = Command::new("timeout")
                .args(["20", "bash", "-c", command])
                .current_dir(folder.path())
                .envs([
                    ("GIT_CONFIG_GLOBAL", "/dev/null"),
                    ("GIT_PAGER", "cat"),
                    ("GIT_CONFIG_NOSYSTEM", "1"),
                ])
                .stdin(std::process::Stdio::null())
                .output()
                .unwrap();
            assert!(folder.path().join("PWNED").exists(), "{command}: {ran:?}");
            assert_eq!(row["want"], "ask", "{command}");
        }
    }
}

/// The files of a case in a repository with a commit and a change.
fn scratch(case: &Value) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let git = |arguments: &[&str]| {
        let identity = ["-c", "user.name=x", "-c", "user.email=x@example.com", "-c", "commit.gpgsign=false"];
        let ran = Command::new("git").args(identity).args(arguments).current_dir(folder.path()).output();
        assert!(ran.as_ref().is_ok_and(|ran| ran.status.success()), "{arguments:?}: {ran:?}");
    };
    for file in case.get("workspace").map(list).unwrap_or_default() {
        let name = file["path"].as_str().unwrap();
        fs::write(folder.path().join(name), bytes(file["hex"].as_str().unwrap())).unwrap();
    }
    fs::write(folder.path().join("a.txt"), "1\n").unwrap();
    git(&["init", "-q"]);
    git(&["add", "."]);
    git(&["commit", "-qm", "first"]);
    fs::write(folder.path().join("a.txt"), "2\n").unwrap();
    folder
}

#[test]
fn paths_where_case_counts_and_where_it_does_not() {
    for row in list(&case("21-case-insensitive-paths")["rows"]) {
        let insensitive = row["case_insensitive"] == true;
        let home = AbsPath::new("/home/me").unwrap();
        let path = |key: &str| {
            let written = row[key].as_str().unwrap();
            written.strip_prefix("~/").map_or_else(|| AbsPath::new(written).unwrap(), |rest| home.join(rest))
        };
        let root = row.get("workspace").map_or_else(|| AbsPath::new("/ws").unwrap(), |_| path("workspace"));
        let workspace = Arc::new(Workspace::new(vec![root], insensitive));
        let got = if let Some(rule) = row.get("deny") {
            let mut policy = Policy { home: Some(home.clone()), ..Policy::of(workspace) };
            let rule = Rule::parse(rule.as_str().unwrap()).unwrap();
            let starts = policy.starts();
            policy.rules =
                vec![SettledRule::new(Behavior::Deny, rule, Source::User, "the case", &starts).unwrap()];
            let call = Call {
                tool: "Read".to_owned(),
                aliases: &[],
                title: "Read".to_owned(),
                input: json!({}),
                access: Access::Read(vec![Place::of(path("path"))]),
                is_read_only: true,
            };
            if matches!(decide(&call, &policy), Verdict::Deny(_)) { "deny" } else { "no-match" }
        } else if row.get("workspace").is_some() {
            if workspace.contains(&path("path")) { "inside" } else { "outside" }
        } else {
            let names = if insensitive { PathCase::Insensitive } else { PathCase::Sensitive };
            let same = names.same_file(&path("open"), &path("path"));
            if same { "same-document" } else { "different-document" }
        };
        assert_eq!(row["want"], got, "{row}");
    }
}

#[test]
fn hidden_characters() {
    let name = "57-hidden-characters-in-approvals";
    let case = case(name);
    let rules: Vec<&str> =
        case["allow_rules"].as_array().unwrap().iter().map(|rule| rule.as_str().unwrap()).collect();
    let commands = case["commands"].as_object().unwrap();
    let rows: Vec<(String, String)> = commands
        .iter()
        .map(|(key, command)| {
            (command.as_str().unwrap().to_owned(), case["want"][key].as_str().unwrap().to_owned())
        })
        .collect();
    check(name, &rules, &rows);
    for (command, _) in &rows {
        let shown = visible(command);
        for raw in case["must_not_appear_raw_in_prompt"].as_array().unwrap() {
            assert!(!shown.contains(raw.as_str().unwrap()), "{shown}");
        }
    }
}

#[test]
fn rules_for_a_beginning() {
    let row = |command: &str, want: &str| (command.to_owned(), want.to_owned());
    check(
        "a beginning ends at a word",
        &["Bash(npm test:*)"],
        &[
            row("npm test", "allow"),
            row("npm test -- -u", "allow"),
            row("npm testing", "ask"),
            row("npm test && rm x", "ask"),
            row("FOO=1 npm test", "ask"),
            row("timeout 5 npm test", "allow"),
            row("npm test > /etc/x", "ask"),
            row("$(npm test)", "ask"),
        ],
    );
    check(
        "what is read lies inside",
        &[],
        &[
            row("cat a", "allow"),
            row("grep -rn x src | head -5", "allow"),
            row("cat /etc/hostname", "ask"),
            row("cat ../x", "ask"),
            row("ls | cat /etc/hostname", "ask"),
            row("cat $x", "ask"),
        ],
    );
}
