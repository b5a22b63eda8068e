//! The cases of what may run without a question: see `cases/README.md`.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::indexing_slicing,
    reason = "a test ends where it can't go on, and prints its table"
)]

use std::sync::Arc;

use copydesk::documents::{AbsPath, Workspace};
use copydesk::permissions::{
    Access, Behavior, Call, Policy, Rule, SettledRule, Source, Verdict, decide, visible,
};
use copydesk_tests::cases::case;
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

fn allowed(case: &Value) -> Vec<&str> {
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
