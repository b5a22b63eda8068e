//! The cases of commands and of the server's end: see `cases/README.md`.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test ends where it can't go on"
)]

use std::fs;
use std::time::{Duration, Instant};

use copydesk_tests::cases::{case, list};
use copydesk_tests::client::{Client, Home};
use copydesk_tests::model_server::{Answer, ModelServer};
use serde_json::{Value, json};

/// A task of one command.
struct Scene {
    home: Home,
    client: Client,
    model: ModelServer,
    session: String,
    task: String,
}

impl Scene {
    /// The command is asked for; nobody has been asked yet whether it may run.
    async fn begin(command: &str, timeout: Option<f64>) -> Self {
        let mut home = Home::new();
        home.write("a.txt", "a\n");
        let mut input = json!({ "command": command });
        if let Some(seconds) = timeout {
            input["timeout"] = json!(u64::try_from(Duration::from_secs_f64(seconds).as_millis()).unwrap());
        }
        let mut call = Some(Answer::calls("Bash", input));
        let model =
            ModelServer::answering(move |_| call.take().unwrap_or_else(|| Answer::says("Done."))).await;
        home.asks(&model.url());
        let mut client = Client::open(&home).await;
        let prompt = json!([{ "type": "text", "text": "run it" }]);
        let started = client.request("copydesk/task/start", json!({ "prompt": prompt })).await.unwrap();
        let text = |field: &str| started[field].as_str().unwrap().to_owned();
        let (session, task) = (text("sessionId"), text("taskId"));
        Self { home, client, model, session, task }
    }

    /// Allows what is asked until `is_over` holds.
    async fn allow_until(&mut self, mut is_over: impl FnMut(&mut Self) -> bool) {
        let begun = Instant::now();
        while !is_over(self) {
            assert!(
                begun.elapsed() < Duration::from_secs(60),
                "{:?}",
                self.client.take_unread("copydesk/event")
            );
            self.client.until(tokio::time::sleep(Duration::from_millis(20))).await;
            for asked in self.client.take_unread("copydesk/permission/asked") {
                let answer = json!({ "requestId": asked["requestId"], "optionId": "once" });
                self.client.request("copydesk/permission/answer", answer).await.unwrap();
            }
        }
    }

    /// What the model is told of the command, whether as an error, and how long it took.
    async fn result(&mut self) -> (String, bool, Duration) {
        let begun = Instant::now();
        self.allow_until(|scene| scene.model.requests().len() > 1).await;
        let (text, is_error) = self.model.last_request().results().pop().unwrap();
        (text, is_error, begun.elapsed())
    }
}

/// Whether a process runs whose words hold these.
fn is_running(words: &str) -> bool {
    let processes = fs::read_dir("/proc").unwrap().filter_map(Result::ok);
    processes.map(|entry| entry.path().join("cmdline")).any(|path| {
        let line = fs::read(path).unwrap_or_default();
        let line = String::from_utf8_lossy(&line).replace('\0', " ");
        line.starts_with(words)
    })
}

/// The case's command with a number of seconds that no other test waits for.
fn marked(command: &str, salt: u32) -> (String, String) {
    let mark = format!("{}", 1_000_000 + std::process::id() * 10 + salt);
    (command.replace("1000", &mark), format!("sleep {mark}"))
}

#[tokio::test]
async fn commands_that_wait_for_input_end() {
    for row in list(&case("60-stdin-is-not-a-terminal")["commands"]) {
        let command = row["cmd"].as_str().unwrap();
        let mut scene = Scene::begin(command, None).await;
        let listed = scene.client.request("copydesk/session/list", json!({})).await;
        assert!(listed.is_ok(), "the stream of messages stays intact");
        let (text, is_error, took) = scene.result().await;
        assert!(took.as_secs_f64() < row["within_s"].as_f64().unwrap(), "{command}: {took:?}");
        assert_eq!(is_error, row["exit_nonzero"] == true, "{command}: {text}");
        if let Some(wanted) = row["stdout"].as_str().filter(|wanted| !wanted.is_empty()) {
            assert_eq!(text.trim_end(), wanted.trim_end(), "{command}");
        }
        assert_eq!(scene.client.close().await, 0);
    }
}

#[tokio::test]
async fn huge_and_binary_output_stays_small_and_legal() {
    for row in list(&case("62-output-flood-and-binary")["commands"]) {
        let command = row["cmd"].as_str().unwrap();
        let mut scene = Scene::begin(command, row["timeout_s"].as_f64()).await;
        let before = scene.client.resident_mib();
        let (text, is_error, took) = scene.result().await;
        assert!(!is_error, "{command}: {text}");
        assert!(text.chars().count() <= 31_000, "{command}: {}", text.len());
        if let Some(within) = row["within_s"].as_f64() {
            assert!(took.as_secs_f64() < within, "{command}: {took:?}");
            assert!(text.contains("still running after 2 s"), "{text}");
        }
        if let Some(most) = row["rss_growth_mib_max"].as_f64() {
            let grown = scene.client.resident_mib() - before;
            assert!(grown < most, "{command}: {grown} MiB");
        }
        if row.get("must_mention").is_some() {
            assert!(text.contains("bytes omitted"), "{command}: {text}");
        }
        if let Some(wanted) = row["stdout_contains"].as_str() {
            assert!(text.contains(wanted), "{command}: {text}");
        }
        if let Some(never) = row["no_char"].as_str() {
            assert!(!text.contains(never), "{command}");
        }
        assert_eq!(scene.client.close().await, 0);
    }
}

#[tokio::test]
async fn a_cancelled_command_leaves_nothing_and_the_session_goes_on() {
    let case = case("63-cancel-works");
    for (salt, command) in list(&case["commands"]).iter().enumerate() {
        let (command, words) = marked(command.as_str().unwrap(), salt as u32);
        let mut scene = Scene::begin(&command, None).await;
        scene.allow_until(|_| is_running(&words)).await;
        let wait = Duration::from_secs_f64(case["cancel_after_s"].as_f64().unwrap());
        scene.client.until(tokio::time::sleep(wait)).await;
        let cancelled = Instant::now();
        for _ in 0..2 {
            let cancel = json!({ "taskId": scene.task });
            // The second finds nothing to cancel, and says so.
            let _ = scene.client.request("copydesk/task/cancel", cancel).await;
        }
        let ended =
            scene.client.notification("copydesk/event", |params| params["event"]["type"] == "terminal");
        assert_eq!(ended.await["event"]["reason"], "aborted_tools", "{command}");
        assert!(cancelled.elapsed() < Duration::from_secs(1), "{command}: {:?}", cancelled.elapsed());
        let within = Duration::from_secs_f64(case["within_s"].as_f64().unwrap());
        while is_running(&words) {
            assert!(cancelled.elapsed() < within, "{command} still runs");
            scene.client.until(tokio::time::sleep(Duration::from_millis(20))).await;
        }
        let prompt = json!([{ "type": "text", "text": "and now?" }]);
        let more = json!({ "sessionId": scene.session, "prompt": prompt });
        scene.client.request("copydesk/task/send", more).await.expect("another prompt is taken");
        scene.client.until(scene.model.asked(2)).await;
        assert_eq!(scene.client.close().await, 0);
    }
}

#[tokio::test]
async fn the_server_ends_with_its_editor_and_its_commands_with_it() {
    for run in list(&case("58-server-exit")["runs"]) {
        let name = run["name"].as_str().unwrap();
        let within = Duration::from_secs_f64(run["within_s"].as_f64().unwrap());
        // How it ends with the editor's process is among the tests of `lifecycle`.
        if name == "parent-death" {
            continue;
        }
        let (command, words) = marked("sleep 1000", 9);
        let mut scene = Scene::begin(&command, None).await;
        if name == "busy" {
            scene.allow_until(|_| is_running(&words)).await;
        }
        if ["shutdown-exit", "busy"].contains(&name) {
            scene.client.request("shutdown", Value::Null).await.unwrap();
        }
        let begun = Instant::now();
        if name == "eof" {
            scene.client.hang_up();
        } else {
            scene.client.notify("exit", Value::Null);
        }
        let code = scene.client.exit_code().await;
        if let Some(wanted) = run["exit_code"].as_i64() {
            assert_eq!(i64::from(code), wanted, "{name}");
        }
        assert!(begun.elapsed() < within, "{name}");
        while is_running(&words) {
            assert!(begun.elapsed() < within, "{name}: a child survives");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

#[tokio::test]
async fn tests_run_on_the_draft_and_what_a_command_changes_is_reviewed() {
    let mut home = Home::new();
    home.write("sum.sh", "echo $((1 - 2))\n");
    home.write("test.sh", "[ \"$(sh sum.sh)\" = 3 ] && echo green || { echo red; exit 1; }\n");
    let sum = home.path("sum.sh").to_str().unwrap().to_owned();
    let model = ModelServer::playing([
        Answer::calls("Bash", json!({ "command": "sh test.sh" })),
        Answer::calls("Read", json!({ "file_path": sum })),
        Answer::calls("Edit", json!({ "file_path": sum, "old_string": "1 - 2", "new_string": "1 + 2" })),
        Answer::calls("Bash", json!({ "command": "sh test.sh && echo '# end' >>test.sh" })),
        Answer::says("Green on the draft."),
    ])
    .await;
    home.asks(&model.url());
    let mut client = Client::open(&home).await;
    let prompt = json!([{ "type": "text", "text": "mend it" }]);
    client.request("copydesk/task/start", json!({ "prompt": prompt })).await.unwrap();
    let mut scene = Scene { home, client, model, session: String::new(), task: String::new() };
    scene.allow_until(|scene| scene.model.requests().len() > 4).await;
    let results: Vec<(String, bool)> =
        scene.model.requests().iter().skip(1).map(|request| request.results().pop().unwrap()).collect();
    assert_eq!((results[0].0.contains("red"), results[0].1), (true, true), "{results:?}");
    assert_eq!((results[3].0.starts_with("green"), results[3].1), (true, false), "{results:?}");
    assert!(results[3].0.contains("test.sh: changed, pending review"), "{results:?}");
    let on_disk = |scene: &Scene, file: &str| fs::read_to_string(scene.home.path(file)).unwrap();
    assert!(on_disk(&scene, "sum.sh").contains("1 - 2") && !on_disk(&scene, "test.sh").contains("# end"));
    let all = json!({ "decision": "accept", "target": { "all": true } });
    scene.client.request("copydesk/proposal/decide", all).await.unwrap();
    assert!(on_disk(&scene, "sum.sh").contains("1 + 2") && on_disk(&scene, "test.sh").ends_with("# end\n"));
    assert_eq!(scene.client.close().await, 0);
}
