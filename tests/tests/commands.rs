//! Commands through the real program: what of their changes goes in and who says so, and what is kept from them.

#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that can't go on ends with its cause"
)]

use copydesk_tests::client::{Client, Home};
use copydesk_tests::model_server::{Answer, ModelServer};
use copydesk_tests::puppet::Puppets;
use serde_json::{Value, json};

/// Files that say what programs run, as a template brings them.
const TEMPLATE: [(&str, &str); 4] = [
    ("tpl/.claude/settings.json", "{\"hooks\": {}}\n"),
    ("tpl/.envrc", "touch pwned\n"),
    ("tpl/.husky/pre-commit", "touch pwned\n"),
    ("tpl/notes.txt", "notes\n"),
];

fn home() -> Home {
    let home = Home::new();
    for (path, text) in TEMPLATE {
        home.write(path, text);
    }
    home.write("locked.txt", "locked\n");
    home
}

fn on_disk(home: &Home, name: &str) -> Option<String> {
    std::fs::read_to_string(home.path(name)).ok()
}

#[tokio::test]
async fn in_a_mode_that_accepts_edits_what_runs_programs_waits_for_the_person() {
    let mut puppets = Puppets::start(home()).await;
    puppets.call("the agent", "Read", json!({ "file_path": puppets.home.path("locked.txt") })).await;
    let sessions = puppets.client.request("copydesk/session/list", json!({})).await.unwrap();
    let params = json!({ "sessionId": sessions["sessions"][0]["sessionId"], "mode": "acceptEdits" });
    puppets.client.request("copydesk/session/setMode", params).await.unwrap();
    let outcome = puppets.call("the agent", "Bash", json!({ "command": "cp -rT tpl ." })).await;
    assert!(!outcome.is_error, "{}", outcome.text);
    assert!(outcome.text.contains("the user is asked about it in any mode"), "{}", outcome.text);
    let list = puppets.client.request("copydesk/proposal/list", json!({})).await.unwrap();
    let waiting: Vec<(String, bool)> = list["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file: &Value| {
            (
                file["uri"].as_str().unwrap().rsplit('/').next().unwrap().to_owned(),
                file["mustAsk"].is_string(),
            )
        })
        .collect();
    let names = ["settings.json", ".envrc", "pre-commit"];
    assert_eq!(waiting, names.map(|name| (name.to_owned(), true)));
    let home = puppets.end().await;
    assert_eq!(on_disk(&home, "notes.txt").as_deref(), Some("notes\n"), "what is harmless goes in");
    for name in [".claude/settings.json", ".envrc", ".husky/pre-commit"] {
        assert_eq!(on_disk(&home, name), None, "{name}");
    }
}

/// `copydesk run` with these arguments, for a model that runs one command: its report, and what the model was told.
async fn run(home: &mut Home, arguments: &[&str], command: &str) -> (Value, String) {
    let model =
        ModelServer::playing([Answer::calls("Bash", json!({ "command": command })), Answer::says("Done.")])
            .await;
    home.asks(&model.url());
    let mut run = home.command(&[&["run", "--output", "json"], arguments, &["go"]].concat());
    let ran = tokio::task::spawn_blocking(move || run.output()).await.unwrap().unwrap();
    model.asked(2).await;
    let told = model.last_request().results().pop().unwrap_or_default().0;
    let report = serde_json::from_slice(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {ran:?}"));
    (report, told)
}

const MAKE: &str =
    "python3 -c 'for name in (\"locked.txt\", \".envrc\", \"made.txt\"): open(name, \"w\").write(\"x\\n\")'";

#[tokio::test]
async fn with_yes_a_denied_file_is_left_and_a_protected_one_needs_a_rule_that_names_it() {
    let mut home = home();
    let rules = ["--yes", "--allow", "Bash", "--deny", "Edit(**/locked*)"];
    let (report, told) = run(&mut home, &rules, MAKE).await;
    assert_eq!(on_disk(&home, "locked.txt").as_deref(), Some("locked\n"));
    assert_eq!(on_disk(&home, ".envrc"), None);
    assert_eq!(on_disk(&home, "made.txt").as_deref(), Some("x\n"));
    assert!(told.contains("locked.txt: undone.") && told.contains("`Edit(**/locked*)`"), "{told}");
    let left = report["notApplied"].to_string();
    assert!(left.contains(".envrc") && left.contains("`Edit(.envrc)`"), "{report}");

    let (_, told) = run(&mut home, &[&rules[..], &["--allow", "Edit(.envrc)"]].concat(), MAKE).await;
    assert_eq!(on_disk(&home, ".envrc").as_deref(), Some("x\n"), "{told}");
}

#[tokio::test]
async fn what_must_not_be_read_is_not_there_for_any_command() {
    let mut home = home();
    home.write("sub/.env", "KEY=PRIVATE\n");
    let rules = ["--allow", "Bash", "--deny", "Read(.env)"];
    let (_, told) = run(&mut home, &rules, "python3 -c 'print(open(\"sub/.env\").read())'; ls sub -a").await;
    assert!(told.contains("PermissionError") && told.contains(".env") && !told.contains("PRIVATE"), "{told}");
    for wide in ["grep -r KEY .", "cat sub/.en?", "git grep KEY", "rg --hidden KEY"] {
        let (report, told) = run(&mut home, &rules, wide).await;
        assert!(!told.contains("PRIVATE"), "{wide}: {told}");
        assert_eq!(
            report["permissionDenials"].as_array().unwrap().len(),
            1,
            "{wide}: nobody is there to be asked"
        );
    }
}

fn git(home: &Home, arguments: &[&str]) {
    let identity = ["-c", "user.name=x", "-c", "user.email=x@example.com", "-c", "commit.gpgsign=false"];
    let mut git = std::process::Command::new("git");
    git.args(identity).args(arguments).current_dir(home.path("")).env("GIT_CONFIG_GLOBAL", "/dev/null");
    let ran = git.output().unwrap();
    assert!(ran.status.success(), "{arguments:?}: {ran:?}");
}

#[tokio::test]
async fn the_model_is_told_that_git_is_wrong_about_what_is_kept_from_it() {
    let mut home = Home::new();
    home.write(".env", "KEY=PRIVATE\n");
    home.write("a.txt", "a\n");
    git(&home, &["init", "-q"]);
    git(&home, &["add", "-A"]);
    git(&home, &["commit", "-qm", "first"]);
    let rules = ["--allow", "Bash", "--deny", "Read(.env)"];
    let note = "Rules keep commands from reading .env: what is said of that above, by git too, is not so.";
    for (command, is_told) in [
        ("git status --short", true),
        ("git status --short | wc -l", true),
        ("ls -a", true),
        ("cat a.txt", false),
        ("git --version; ls a.txt", true),
    ] {
        let (_, told) = run(&mut home, &rules, command).await;
        assert_eq!(told.contains(note), is_told, "{command}: {told}");
    }
    let (_, told) = run(&mut home, &["--allow", "Bash"], "git status --short").await;
    assert!(!told.contains("Rules keep"), "{told}");
}

/// An editor whose person says yes to commands, and an agent in it.
async fn agent(files: &[(&str, &str)]) -> Puppets {
    let home = Home::new();
    for (name, text) in files {
        home.write(name, text);
    }
    home.write("../config/copydesk/config.toml", "[permissions]\nallow = [\"Bash\"]\n");
    Puppets::start(home).await
}

/// The id that a command in the background was given.
fn task_id(text: &str) -> String {
    let (_, rest) = text.split_once("in the background as ").unwrap();
    rest.chars().take_while(char::is_ascii_alphanumeric).collect()
}

#[tokio::test]
async fn a_command_that_takes_longer_goes_to_the_background_and_is_looked_at_and_stopped_there() {
    let mut puppets = agent(&[("a.txt", "a\n")]).await;
    let slow = json!({ "command": "echo begun; for i in $(seq 1000); do sleep 0.1; done", "timeout": 300 });
    let moved = puppets.call("the agent", "Bash", slow).await;
    assert!(!moved.is_error && moved.text.contains("was still running after 0.3 s"), "{}", moved.text);
    let id = task_id(&moved.text);
    let look = json!({ "task_id": id, "block": false });
    let live = puppets.call("the agent", "TaskOutput", look.clone()).await;
    assert!(live.text.contains("running") && live.text.contains("begun"), "{}", live.text);
    let waited = puppets.call("the agent", "TaskOutput", json!({ "task_id": id, "timeout": 50 })).await;
    assert!(waited.text.contains("running"), "still running is an answer: {}", waited.text);
    let stopped = puppets.call("the agent", "TaskStop", json!({ "task_id": id })).await;
    assert!(!stopped.is_error, "{}", stopped.text);
    let ended = puppets.call("the agent", "TaskOutput", look).await;
    assert!(ended.text.contains("stopped") && ended.text.contains("begun"), "{}", ended.text);
    let unknown = puppets.call("the agent", "TaskStop", json!({ "task_id": "b99" })).await;
    assert!(unknown.is_error, "{}", unknown.text);
    puppets.end().await;
}

/// Writes which port it has into a file, and answers once on it, and so on for ever.
const SERVER: &str = r#"python3 -c '
import socket
server = socket.create_server(("127.0.0.1", 0))
open("port", "w").write(str(server.getsockname()[1]) + "\n")
while True:
    client, _ = server.accept()
    client.sendall(b"served\n")
    client.close()
'"#;
/// Waits for that file, of which it knows that it was not there, and talks to the server.
const CLIENT: &str = r#"until [ -s port ]; do sleep 0.1; done; python3 -c '
import socket
print(socket.create_connection(("127.0.0.1", int(open("port").read()))).recv(100).decode())
'"#;

#[tokio::test]
async fn a_server_in_the_background_is_talked_to_by_the_next_command() {
    let mut puppets = agent(&[("a.txt", "a\n")]).await;
    let server = json!({ "command": SERVER, "run_in_background": true });
    let begun = puppets.call("the agent", "Bash", server).await;
    let id = task_id(&begun.text);
    let served = puppets.call("the agent", "Bash", json!({ "command": CLIENT })).await;
    assert!(!served.is_error && served.text.contains("served"), "{}", served.text);
    puppets.call("the agent", "TaskStop", json!({ "task_id": id })).await;
    // It has a network of its own again, and the server is gone.
    let gone = puppets.call("the agent", "Bash", json!({ "command": CLIENT })).await;
    assert!(gone.is_error && gone.text.contains("refused"), "{}", gone.text);
    puppets.end().await;
}

#[tokio::test]
async fn half_a_change_waits_for_the_person_in_any_mode() {
    let mut puppets = agent(&[("a.txt", "a\n")]).await;
    puppets.call("the agent", "Read", json!({ "file_path": puppets.home.path("a.txt") })).await;
    let sessions = puppets.client.request("copydesk/session/list", json!({})).await.unwrap();
    let params = json!({ "sessionId": sessions["sessions"][0]["sessionId"], "mode": "acceptEdits" });
    puppets.client.request("copydesk/session/setMode", params).await.unwrap();
    // Waiting alone is not worth the background, so it is ended.
    let halfway = json!({ "command": "sleep 0; echo half >>a.txt; sleep 1000", "timeout": 800 });
    let outcome = puppets.call("the agent", "Bash", halfway).await;
    assert!(outcome.is_error && outcome.text.contains("its time limit"), "{}", outcome.text);
    assert!(
        outcome.text.contains("a.txt: changed") && outcome.text.contains("half a change"),
        "{}",
        outcome.text
    );
    let home = puppets.end().await;
    assert_eq!(on_disk(&home, "a.txt").as_deref(), Some("a\n"));
}

#[tokio::test]
async fn what_a_cancelled_command_changed_is_undone_and_the_model_is_told() {
    let mut home = Home::new();
    home.write("a.txt", "a\n");
    home.write("../config/copydesk/config.toml", "[permissions]\nallow = [\"Bash\"]\n");
    let mut command =
        Some(Answer::calls("Bash", json!({ "command": "echo half >>a.txt; echo be''gun; sleep 1000" })));
    let model =
        ModelServer::answering(move |_| command.take().unwrap_or_else(|| Answer::says("Done."))).await;
    home.asks(&model.url());
    let mut client = Client::open(&home).await;
    let prompt = |text: &str| json!([{ "type": "text", "text": text }]);
    let started = client.request("copydesk/task/start", json!({ "prompt": prompt("go") })).await.unwrap();
    // As it is written, not as it stands in the command.
    client.notification("copydesk/event", |params| params.to_string().contains("begun")).await;
    client.request("copydesk/task/cancel", json!({ "taskId": started["taskId"] })).await.unwrap();
    client.notification("copydesk/event", |params| params["event"]["type"] == "terminal").await;
    // Nobody waits for the undoing, so the model hears of it with this prompt or with a later one.
    let mut told = String::new();
    for _ in 0..100 {
        let more = json!({ "sessionId": started["sessionId"], "prompt": prompt("and now?") });
        client.request("copydesk/task/send", more).await.unwrap();
        client.notification("copydesk/event", |params| params["event"]["type"] == "terminal").await;
        told = serde_json::to_string(&model.last_request().body).unwrap();
        if told.contains("was cancelled") {
            break;
        }
    }
    assert!(told.contains("was cancelled. What it had changed by then was undone"), "{told}");
    let list = client.request("copydesk/proposal/list", json!({})).await.unwrap();
    assert_eq!(list["files"], json!([]));
    assert_eq!(client.close().await, 0);
}

#[tokio::test]
async fn a_link_that_a_command_made_is_written_through_to_what_it_names() {
    let mut puppets = agent(&[("sub/a.txt", "a\n")]).await;
    let make = "ln -s sub/a.txt link; ln -s sub folder; ln -s /etc/hosts out; ln -s loop loop";
    let made = puppets.call("the agent", "Bash", json!({ "command": make })).await;
    assert!(made.text.contains("link: a symbolic link"), "{}", made.text);
    let read = puppets.call("the agent", "Read", json!({ "file_path": "link" })).await;
    assert!(!read.is_error && read.text.contains("1\ta"), "{}", read.text);
    for (path, want) in [("link", "Rewrote sub/a.txt."), ("folder/b.txt", "sub/b.txt will be created.")] {
        let input = json!({ "file_path": path, "content": "b\n" });
        let written = puppets.call("the agent", "Write", input).await;
        assert!(!written.is_error && written.text.starts_with(want), "{path}: {}", written.text);
    }
    for path in ["out", "loop"] {
        let written =
            puppets.call("the agent", "Write", json!({ "file_path": path, "content": "b\n" })).await;
        assert!(
            written.is_error && written.text.contains("is a symbolic link that a command made"),
            "{written:?}"
        );
    }
    let edit = json!({ "file_path": "folder/a.txt", "old_string": "b", "new_string": "c" });
    let edited = puppets.call("the agent", "Edit", edit).await;
    assert!(edited.text.starts_with("Changed sub/a.txt"), "{edited:?}");
    let look = "test -L link && test -L folder && cat link folder/b.txt";
    let seen = puppets.call("the agent", "Bash", json!({ "command": look })).await;
    assert_eq!(seen.text.trim(), "c\nb", "the links are links still");
    puppets.decide("accept", json!({ "all": true })).await;
    let home = puppets.end().await;
    assert_eq!(on_disk(&home, "sub/a.txt").as_deref(), Some("c\n"));
    assert_eq!(on_disk(&home, "sub/b.txt").as_deref(), Some("b\n"));
    assert!(std::fs::symlink_metadata(home.path("link")).is_err(), "the link itself was only told of");
}
