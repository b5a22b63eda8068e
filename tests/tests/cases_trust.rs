//! The cases of what a folder may do to whoever opens it: see `cases/README.md`.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test ends where it can't go on"
)]

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use copydesk_tests::cases::{bytes, case, list};
use copydesk_tests::client::{Client, Home};
use copydesk_tests::model_server::{Answer, ModelServer, Request};
use copydesk_tests::person::{ask, execute, plain};
use copydesk_tests::puppet::Puppets;
use serde_json::{Value, json};

/// The folder that `home`'s project lies in.
fn base(home: &Home) -> PathBuf {
    home.path("").parent().unwrap().to_owned()
}

/// Where a path of the case is: its `ws` is the project.
fn place(home: &Home, path: &Value) -> PathBuf {
    let path = Path::new(path.as_str().unwrap());
    match path.strip_prefix("ws") {
        Ok(rest) => home.path("").join(rest),
        Err(_) => base(home).join(path),
    }
}

/// Makes what the case begins with. What would be asked is denied.
fn linked(case: &Value) -> Home {
    let home = Home::new();
    home.write("../config/copydesk/config.toml", "[permissions]\nmode = \"dontAsk\"\n");
    for step in list(&case["setup"]) {
        match (step.get("mkdir"), step.get("file"), step.get("symlink")) {
            (Some(folder), _, _) => fs::create_dir_all(place(&home, folder)).unwrap(),
            (_, Some(file), _) => fs::write(place(&home, file), step["text"].as_str().unwrap()).unwrap(),
            (_, _, Some(link)) => {
                let to = if step["to"] == "ws" { "project" } else { step["to"].as_str().unwrap() };
                symlink(to, place(&home, link)).unwrap();
            }
            _ => panic!("{step}"),
        }
    }
    home
}

/// The input of a call about this file that would change it, or read it.
fn input(tool: &str, path: &Path) -> Value {
    let path = path.to_str().unwrap();
    match tool {
        "Read" => json!({ "file_path": path }),
        "Write" => json!({ "file_path": path, "content": "changed\n" }),
        "Edit" => json!({ "file_path": path, "old_string": "a", "new_string": "changed" }),
        other => panic!("{other}"),
    }
}

#[track_caller]
fn untouched_outside(case: &Value, home: &Home) {
    for (path, text) in case["after"].as_object().unwrap() {
        let found = fs::read_to_string(base(home).join(path)).ok();
        assert_eq!(found.as_deref(), text.as_str(), "{path}");
    }
}

#[tokio::test]
async fn links_and_dots_lead_nobody_out() {
    let case = case("54-symlink-out-of-the-workspace");
    let mut puppets = Puppets::start(linked(&case)).await;
    for row in list(&case["rows"]) {
        let tool = row["tool"].as_str().unwrap();
        let written = puppets.home.path("").join(row["path"].as_str().unwrap());
        let outcome = puppets.call("A", tool, input(tool, &written)).await;
        assert_eq!(outcome.is_error, row["want"] == "outside", "{row}: {outcome:?}");
        if row["want"] == "outside" {
            assert!(outcome.text.contains("outside the workspace"), "{row}: {}", outcome.text);
            assert!(!outcome.text.contains("secret") && !outcome.text.contains("original"), "{row}");
        }
    }
    let absolute = base(&puppets.home).join("outside/x");
    assert!(puppets.call("A", "Read", input("Read", &absolute)).await.is_error);

    let found = puppets.call("A", "Grep", json!({ "pattern": case["grep"]["pattern"] })).await;
    assert!(!found.is_error && found.text.starts_with("No "), "{found:?}");
    let listed = puppets.call("A", "Glob", json!({ "pattern": "**/*" })).await;
    assert!(listed.text.contains("src/a.txt") && !listed.text.contains("outbox/"), "{listed:?}");

    // The folder of a proposed file becomes a link after the check.
    let late = puppets.home.path("late");
    fs::create_dir(&late).unwrap();
    let written = puppets.call("A", "Write", input("Write", &late.join("new.txt"))).await;
    assert!(!written.is_error, "{written:?}");
    fs::remove_dir(&late).unwrap();
    symlink("../outside", &late).unwrap();
    puppets.decide("accept", json!({ "all": true })).await;
    untouched_outside(&case, &puppets.home);
    puppets.client.take_unread("window/showMessage");
    puppets.end().await;
}

#[tokio::test]
async fn a_root_that_is_a_link_is_the_workspace() {
    let case = case("54-symlink-out-of-the-workspace");
    let home = linked(&case);
    // Opened by its other name.
    let (real, link) = (base(&home).join("real"), home.path(""));
    fs::rename(&link, &real).unwrap();
    symlink("real", &link).unwrap();
    let mut puppets = Puppets::start(home).await;
    let row = &case["root_via_link"];
    for root in [&link, &real] {
        let path = root.join(row["path"].as_str().unwrap());
        let outcome = puppets.call("A", "Read", input("Read", &path)).await;
        assert!(!outcome.is_error && row["want"] == "inside", "{path:?}: {outcome:?}");
    }
    puppets.end().await;
}

/// A project of the case's files, and a model that asks for `command` once a task.
async fn foreign(case: &Value, command: &'static str) -> (Home, ModelServer) {
    let mut home = Home::new();
    for file in list(&case["workspace"]) {
        home.write(file["path"].as_str().unwrap(), bytes(file["hex"].as_str().unwrap()));
    }
    let model = ModelServer::answering(move |request| {
        let is_new = request.results().is_empty();
        if is_new { Answer::calls("Bash", json!({ "command": command })) } else { Answer::says("Done.") }
    })
    .await;
    home.environment.push(("ANTHROPIC_API_KEY".to_owned(), "not-a-key".to_owned()));
    home.environment.push(("ANTHROPIC_BASE_URL".to_owned(), model.url()));
    (home, model)
}

#[tokio::test]
async fn opening_a_repository_starts_nothing_and_allows_nothing() {
    let case = case("55-repo-config-starts-nothing");
    let (home, model) = foreign(&case, "sh -c 'echo ran'").await;
    // Where nobody may listen there, nothing can answer either.
    let listeners: Vec<TcpListener> = list(&case["forbid_connect"])
        .iter()
        .filter_map(|address| TcpListener::bind(address.as_str().unwrap()).ok())
        .collect();
    for listener in &listeners {
        listener.set_nonblocking(true).unwrap();
    }

    let mut client = plain(&home).await;
    client.did_open(&home.uri("a.txt"), "plaintext", "x\n");
    let told = client.notification("window/showMessage", |shown| {
        shown["message"].as_str().unwrap_or_default().contains("until you trust it")
    });
    let told = told.await["message"].as_str().unwrap().to_owned();
    for waits in ["allow Bash", "copydesk.trust"] {
        assert!(told.contains(waits), "{waits} in {told}");
    }
    for never in ["hooks", ".mcp.json"] {
        assert!(!told.contains(never), "{never} is started with trust no more than without: {told}");
    }
    ask(&mut client, "go").await;
    client.until(model.asked(1)).await;
    let asked = client.asked("window/showMessageRequest", 1).await;
    assert!(asked["message"].as_str().unwrap().contains("echo ran"), "the rule allows nothing: {asked}");
    execute(&mut client, &json!({ "command": "copydesk.answer", "arguments": ["no"] })).await;
    client.until(model.asked(2)).await;
    for file in list(&case["untrusted_forbid_files"]) {
        assert!(!home.path(file.as_str().unwrap()).exists(), "{file}");
    }
    for listener in &listeners {
        assert!(listener.accept().is_err(), "nothing of the folder says where to connect");
    }

    // Once it is trusted its rule counts.
    execute(&mut client, &json!({ "command": "copydesk.trust", "arguments": [] })).await;
    ask(&mut client, "go").await;
    client.until(model.asked(4)).await;
    let (text, is_error) = model.last_request().results().pop().unwrap();
    assert_eq!((text.trim(), is_error), ("ran", false));
    assert_eq!(client.times_asked("window/showMessageRequest"), 1, "it is not asked any more");

    // What the settings come to say later is not what was trusted.
    home.write(".claude/settings.json", r#"{"permissions": {"allow": ["Bash(sh:*)"]}}"#);
    ask(&mut client, "go").await;
    client.until(model.asked(5)).await;
    let asked = client.asked("window/showMessageRequest", 2).await;
    assert!(asked["message"].as_str().unwrap().contains("echo ran"), "it is asked again: {asked}");
    let told = client.notification("window/showMessage", |shown| {
        shown["message"].as_str().unwrap_or_default().contains("have changed since you trusted it")
    });
    assert!(told.await.to_string().contains("allow Bash(sh:*)"));
    execute(&mut client, &json!({ "command": "copydesk.answer", "arguments": ["no"] })).await;
    client.until(model.asked(6)).await;
    execute(&mut client, &json!({ "command": "copydesk.trust", "arguments": [] })).await;
    ask(&mut client, "go").await;
    client.until(model.asked(8)).await;
    let (text, is_error) = model.last_request().results().pop().unwrap();
    assert_eq!((text.trim(), is_error), ("ran", false), "trusted again");
    assert_eq!(client.times_asked("window/showMessageRequest"), 2);
    assert_eq!(client.close().await, 0);
}

/// What must not be found anywhere: the key, what it looks like in base64, and its beginning.
fn forms(key: &str) -> Vec<String> {
    let secret = key.strip_prefix("sk-ant-").unwrap_or(key);
    vec![key.to_owned(), base64(key), secret.chars().take(12).collect()]
}

/// Without the last letters, which depend on what follows.
fn base64(text: &str) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut letters = String::new();
    for three in text.as_bytes().chunks_exact(3) {
        let bits = three.iter().fold(0_usize, |bits, byte| bits << 8 | usize::from(*byte));
        letters.extend([18, 12, 6, 0].map(|shift| char::from(LETTERS[bits >> shift & 63])));
    }
    letters
}

/// All that is written below a folder.
fn written(folder: &Path) -> Vec<(PathBuf, String)> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut files = Vec::new();
    for path in entries.map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            files.extend(written(&path));
        } else if let Ok(bytes) = fs::read(&path) {
            files.push((path, String::from_utf8_lossy(&bytes).into_owned()));
        }
    }
    files
}

#[tokio::test]
async fn a_key_is_told_to_nobody_but_its_service() {
    let case = case("56-no-secrets-in-logs");
    let key = case["key"].as_str().unwrap().to_owned();
    let echo = format!("the key {key} may do this once a minute");
    let model = ModelServer::playing([
        Answer::calls("Bash", json!({ "command": "env; cat \"$XDG_CONFIG_HOME/copydesk/config.toml\"" })),
        // A service that says it again.
        Answer::refusal(429, "rate_limit_error", &echo).header("retry-after", "0"),
        Answer::refusal(401, "authentication_error", &format!("invalid x-api-key: {key}")),
    ])
    .await;
    let mut home = Home::new();
    home.write("a.txt", "a\n");
    home.write(
        "../config/copydesk/config.toml",
        format!("[anthropic]\napi_key = \"{key}\"\n[permissions]\nallow = [\"Bash\"]\n"),
    );
    home.environment = vec![
        ("ANTHROPIC_API_KEY".to_owned(), key.clone()),
        ("ANTHROPIC_BASE_URL".to_owned(), model.url()),
        ("COPYDESK_LOG".to_owned(), "trace".to_owned()),
    ];
    let errors = base(&home).join("stderr.txt");
    home.errors = Some(errors.clone());
    let mut client = Client::open(&home).await;
    let prompt = json!([{ "type": "text", "text": "go" }]);
    client.request("copydesk/task/start", json!({ "prompt": prompt })).await.unwrap();
    let end = client.notification("copydesk/event", |params| params["event"]["type"] == "terminal").await;
    let mut places = vec![("the end of the task".to_owned(), end.to_string())];
    let shown = client.request("copydesk/config/show", json!({})).await;
    places.push(("the configuration".to_owned(), format!("{shown:?}")));
    let sessions = client.request("copydesk/session/list", json!({})).await;
    places.push(("the sessions".to_owned(), format!("{sessions:?}")));
    places.extend(client.heard().map(|message| ("a message".to_owned(), message.to_string())));
    let results: Vec<_> = model.requests().iter().flat_map(Request::results).collect();
    assert_eq!(results.len(), 2, "the command ran, and each request tells it: {results:?}");
    assert!(results[0].0.contains("HOME="), "{results:?}");
    places.extend(results.into_iter().map(|(text, _)| ("a command".to_owned(), text)));
    client.take_unread("window/showMessage");
    assert_eq!(client.close().await, 0);
    places.extend(written(&home.state()).into_iter().map(|(path, text)| (path.display().to_string(), text)));
    places.push(("stderr".to_owned(), fs::read_to_string(errors).unwrap()));
    for what in ["copydesk", "stderr", "a message"] {
        assert!(places.iter().any(|(name, _)| name.contains(what)), "{what} was looked at");
    }
    for (name, text) in &places {
        for form in forms(&key) {
            assert!(!text.contains(&form), "{form} in {name}: {text}");
        }
    }
}
