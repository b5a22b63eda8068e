//! What a command leaves that is no text: pictures that it makes, changes and deletes, and permissions. The person decides on
//! it as on any other change, and until then it is in the trial tree alone.

#![cfg(unix)]
#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that can't go on ends with its cause"
)]

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use copydesk_tests::client::Home;
use copydesk_tests::model_server::{Answer, ModelServer};
use copydesk_tests::person::{choose, execute, hunks, menu};
use copydesk_tests::puppet::{Outcome, Puppets};
use serde_json::{Value, json};

const PICTURE: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\xff\xfe";
/// What the tree has, as a command in it sees it.
const LIST: &str = "stat -c '%n %a' *; sha256sum *";
const COMMAND: &str = r"printf '\x89PNG\r\n\x1a\n\0\0\0\1made' >made.png; cp made.png tool; chmod 755 tool
    printf '\0more' >>old.png; rm gone.png; chmod +x run.sh; echo 'echo two' >>both.sh; chmod 700 both.sh
    printf '#!/bin/sh\n' >new.sh; chmod 755 new.sh; printf 'text\n' >was.png; printf 'a\0b' >was.txt";

/// Files, and where commands are tried.
fn home(trial_tree: &str) -> Home {
    let home = Home::new();
    let config = format!("[permissions]\nallow = [\"Bash\"]\n[shell]\ntrial_tree = \"{trial_tree}\"\n");
    home.write("../config/copydesk/config.toml", &config);
    home.write("run.sh", "echo runs\n");
    home.write("both.sh", "echo one\n");
    home.write("was.txt", "a\n");
    for name in ["old.png", "gone.png", "was.png"] {
        fs::write(home.path(name), PICTURE).unwrap();
    }
    fs::set_permissions(home.path("old.png"), fs::Permissions::from_mode(0o640)).unwrap();
    home
}

/// Permissions, time and content of each file.
fn bits(home: &Home) -> BTreeMap<String, (u32, i64, Vec<u8>)> {
    let files = fs::read_dir(home.path("")).unwrap().map(|entry| entry.unwrap().path());
    let state = |path: PathBuf| {
        let metadata = fs::metadata(&path).unwrap();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        (name, (metadata.mode() & 0o7777, metadata.ctime_nsec(), fs::read(&path).unwrap()))
    };
    files.filter(|path| path.is_file()).map(state).collect()
}

async fn bash(puppets: &mut Puppets, command: &str) -> Outcome {
    let outcome = puppets.call("the agent", "Bash", json!({ "command": command })).await;
    assert!(!outcome.is_error, "{}", outcome.text);
    outcome
}

async fn under_review(puppets: &mut Puppets) -> Vec<String> {
    let list = puppets.client.request("copydesk/proposal/list", json!({})).await.unwrap();
    let name = |uri: &Value| uri.as_str().unwrap().rsplit('/').next().unwrap().to_owned();
    list["files"].as_array().unwrap().iter().map(|file| name(&file["uri"])).collect()
}

#[tokio::test]
async fn what_is_accepted_makes_the_disk_equal_to_the_trial_tree() {
    for trial_tree in ["overlay", "copy"] {
        let mut puppets = Puppets::start(home(trial_tree)).await;
        let before = bits(&puppets.home);
        let told = bash(&mut puppets, COMMAND).await.text;
        let lines = [
            "made.png: new, 16 bytes that are no text to review, pending review as a whole",
            "old.png: changed, 23 bytes in place of 18, no text to review, pending review as a whole",
            "gone.png: deleted, 18 bytes, pending review as a whole",
            "run.sh: permissions 755 in place of 644, pending review as a whole",
            "new.sh: permissions 755, pending review as a whole",
        ];
        for line in lines {
            assert!(told.contains(line), "{line} in {told}");
        }
        let tree = bash(&mut puppets, LIST).await.text;
        assert_eq!(bits(&puppets.home), before, "nothing happened on disk");
        let names =
            ["both.sh", "gone.png", "made.png", "new.sh", "old.png", "run.sh", "tool", "was.png", "was.txt"];
        assert_eq!(under_review(&mut puppets).await, names, "{trial_tree}");
        let results = puppets.decide("accept", json!({ "all": true })).await;
        assert!(results.iter().all(|result| result["outcome"] == "accepted"), "{results:?}");
        assert_eq!(under_review(&mut puppets).await, Vec::<String>::new());
        let mut list = Command::new("sh");
        let here = list.args(["-c", LIST]).current_dir(puppets.home.path("")).output().expect("a shell");
        let here = String::from_utf8(here.stdout).unwrap();
        assert_eq!(here.trim(), tree.trim(), "{trial_tree}");
        // And what the next command sees is that.
        let Outcome { text, told, .. } = bash(&mut puppets, LIST).await;
        assert_eq!(text, tree);
        assert!(told.contains("- accepted in gone.png") && told.contains("- accepted in run.sh"), "{told}");
        puppets.end().await;
    }
}

#[tokio::test]
async fn what_is_rejected_was_never_there() {
    for trial_tree in ["overlay", "copy"] {
        let mut puppets = Puppets::start(home(trial_tree)).await;
        let before = bits(&puppets.home);
        let tree = bash(&mut puppets, LIST).await.text;
        bash(&mut puppets, COMMAND).await;
        let results = puppets.decide("reject", json!({ "all": true })).await;
        assert!(results.iter().all(|result| result["outcome"] == "rejected"), "{results:?}");
        let Outcome { text, told, .. } = bash(&mut puppets, LIST).await;
        assert_eq!(text, tree, "{trial_tree}");
        assert!(told.contains("- REJECTED in made.png") && told.contains("- REJECTED in run.sh"), "{told}");
        let home = puppets.end().await;
        assert_eq!(bits(&home), before, "{trial_tree}");
    }
}

#[tokio::test]
async fn a_file_that_the_user_changed_meanwhile_stays_the_users() {
    let mut puppets = Puppets::start(home("auto")).await;
    bash(&mut puppets, COMMAND).await;
    fs::write(puppets.home.path("old.png"), b"\0user").unwrap();
    fs::write(puppets.home.path("gone.png"), b"\0user").unwrap();
    let results = puppets.decide("accept", json!({ "all": true })).await;
    let of = |name: &str| {
        let uri = puppets.home.uri(name);
        results.iter().filter(|result| result["uri"] == uri.as_str()).collect::<Vec<_>>()
    };
    for name in ["old.png", "gone.png"] {
        assert_eq!(of(name)[0]["outcome"], "conflicted", "{results:?}");
    }
    // A conflict that nobody knew of keeps everything as it is; once it was shown, it is left alone.
    if of("made.png")[0]["outcome"] == "pending" {
        let results = puppets.decide("accept", json!({ "all": true })).await;
        let accepted = results.iter().filter(|result| result["outcome"] == "accepted").count();
        assert_eq!(results.len() - accepted, 2, "{results:?}");
    }
    assert_eq!(under_review(&mut puppets).await, ["gone.png", "old.png"]);
    let home = puppets.end().await;
    assert_eq!(fs::read(home.path("old.png")).unwrap(), b"\0user");
    assert_eq!(fs::read(home.path("gone.png")).unwrap(), b"\0user");
}

#[tokio::test]
async fn an_editor_shows_it_and_decides_it_where_the_file_is_open_and_in_the_diff() {
    let mut puppets = Puppets::start(home("auto")).await;
    let uri = |name: &str| puppets.home.uri(name);
    let (run, both, old) = (uri("run.sh"), uri("both.sh"), uri("old.png"));
    puppets.client.did_open(&run, "sh", "echo runs\n");
    bash(&mut puppets, COMMAND).await;
    let (client, home) = (&mut puppets.client, &puppets.home);
    let shown = hunks(client, &run, 1).await;
    assert!(shown[0]["message"].as_str().unwrap().ends_with("mode 644 → 755"), "{shown:?}");
    assert_eq!(hunks(client, &both, 2).await.len(), 2, "a hunk, and permissions");
    let shown = hunks(client, &old, 1).await;
    assert!(shown[0]["message"].as_str().unwrap().ends_with("binary, 18 bytes → 23 bytes"), "{shown:?}");
    let told = client.notification("copydesk/proposal/changed", |file| file["uri"] == old.as_str()).await;
    assert_eq!((&told["binary"], &told["size"]), (&json!(true), &json!({ "from": 18, "to": 23 })));

    // Before any decision, which would show the next place.
    execute(client, &json!({ "command": "copydesk.show-diff", "arguments": [] })).await;
    let opened = client.asked("window/showDocument", 1).await;
    let diff = opened["uri"].as_str().unwrap().to_owned();
    let text = fs::read_to_string(diff.strip_prefix("file://").unwrap()).unwrap();
    client.did_open(&diff, "diff", &text);

    assert_eq!(
        menu(client, &run, 0).await[..2],
        ["Accept mode 644 → 755 of run.sh", "Reject mode 644 → 755 of run.sh"]
    );
    choose(client, &run, 0, "Accept mode 644").await;
    hunks(client, &run, 0).await;
    assert_eq!(bits(home)["run.sh"].0, 0o755);

    let line = |wanted: &str| u32::try_from(text.lines().position(|line| line == wanted).unwrap()).unwrap();
    let at = line("Binary files a/old.png and b/old.png differ");
    choose(client, &diff, at, "Accept old.png (binary, 18 bytes → 23 bytes)").await;
    hunks(client, &old, 0).await;
    assert_eq!(bits(home)["old.png"].2, [PICTURE, b"\0more"].concat());
    // Permissions go without the hunks beside them. A hunk was shown before them, too.
    client.take_unread("textDocument/publishDiagnostics");
    choose(client, &diff, line("new mode 100700"), "Accept mode 644 → 700 of both.sh").await;
    hunks(client, &both, 1).await;
    assert_eq!((bits(home)["both.sh"].0, bits(home)["both.sh"].2.as_slice()), (0o700, &b"echo one\n"[..]));
    execute(client, &json!({ "command": "copydesk.reject-all", "arguments": ["both.sh"] })).await;
    hunks(client, &both, 0).await;
    assert_eq!(bits(home)["both.sh"].2, b"echo one\n");
    puppets.end().await;
}

#[tokio::test]
async fn permissions_are_decided_alone_by_the_custom_methods_too() {
    let mut puppets = Puppets::start(home("auto")).await;
    bash(&mut puppets, COMMAND).await;
    let both = puppets.home.uri("both.sh");
    let target = json!({ "uri": both, "whole": true });
    let results = puppets.decide("reject", target.clone()).await;
    assert_eq!(results, [json!({ "uri": both, "outcome": "rejected" })]);
    let none =
        puppets.client.request("copydesk/proposal/decide", json!({ "decision": "accept", "target": target }));
    assert!(none.await.is_err_and(|error| error.to_string().contains("Nothing beside its text is pending")));
    let results = puppets.decide("accept", json!({ "uri": both })).await;
    assert_eq!(results[0]["outcome"], "accepted", "{results:?}");
    let home = puppets.end().await;
    assert_eq!(
        (bits(&home)["both.sh"].0, bits(&home)["both.sh"].2.as_slice()),
        (0o644, &b"echo one\necho two\n"[..])
    );
}

#[tokio::test]
async fn without_an_editor_a_yes_takes_it_along() {
    let mut home = home("auto");
    let model =
        ModelServer::playing([Answer::calls("Bash", json!({ "command": COMMAND })), Answer::says("Done.")])
            .await;
    home.asks(&model.url());
    let mut command = home.command(&["run", "--yes", "--allow", "Bash", "go on"]);
    command.stdin(Stdio::null());
    let ran = tokio::task::spawn_blocking(move || command.output().expect("it runs")).await.unwrap();
    assert!(ran.status.success(), "{ran:?}");
    let after = bits(&home);
    let mode = |name: &str| format!("{:o}", after[name].0);
    assert_eq!(
        (mode("run.sh"), mode("both.sh"), mode("new.sh"), mode("tool")),
        ("755".to_owned(), "700".to_owned(), "755".to_owned(), "755".to_owned())
    );
    assert!(!after.contains_key("gone.png"));
    assert_eq!(after["old.png"].2, [PICTURE, b"\0more"].concat());
    assert_eq!(after["both.sh"].2, b"echo one\necho two\n");
}
