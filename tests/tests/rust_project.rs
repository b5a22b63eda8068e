//! A Rust project with unsaved text: its tests run on the draft, nothing of that is seen in the folder before the accept, and the
//! same tests pass there after it.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a test ends where it can't go on, and shows what it saw"
)]

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};
use std::time::Duration;

use copydesk_tests::client::Home;
use copydesk_tests::puppet::Puppets;
use serde_json::json;

/// cargo on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

const MANIFEST: &str = "[package]\nname = \"sums\"\nversion = \"0.1.0\"\nedition = \"2021\"\n";
const ADD: &str = "/// The sum.\npub fn add(a: u8, b: u8) -> u8 {\n    a + b\n}\n";
const TEST: &str = "#[test]\nfn small_sums() {\n    assert_eq!(sums::add(1, 2), 3);\n}\n";
/// Typed, and in no file.
const TYPED_CODE: &str = "\n/// Twice as much.\npub fn twice(a: u8) -> u8 {\n    add(a, a)\n}\n";
const TYPED_TEST: &str =
    "\n#[test]\nfn the_largest_sum_is_the_largest_number() {\n    assert_eq!(sums::twice(200), 255);\n}\n";

/// The project, under git, in a home without anything else.
fn project() -> Home {
    let mut home = Home::new();
    for (file, text) in
        [("Cargo.toml", MANIFEST), ("src/lib.rs", ADD), ("tests/sums.rs", TEST), (".gitignore", "/target\n")]
    {
        home.write(file, text);
    }
    home.write("../config/copydesk/config.toml", "[permissions]\nallow = [\"Bash(cargo test:*)\"]\n");
    // Where rustup keeps the compiler, if it does.
    let rustup = std::env::var_os("RUSTUP_HOME").map(PathBuf::from);
    let rustup = rustup.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".rustup")));
    let variables =
        [("RUSTUP_HOME", rustup), ("RUSTUP_TOOLCHAIN", std::env::var_os("RUSTUP_TOOLCHAIN").map(Into::into))];
    for (name, value) in variables {
        home.environment.extend(value.map(|value| (name.to_owned(), value.to_str().unwrap().to_owned())));
    }
    let who = ["-c", "user.name=a", "-c", "user.email=a@example.org"];
    for (program, arguments) in [
        ("cargo", &["generate-lockfile", "--offline"][..]),
        ("git", &["init", "-q"]),
        ("git", &["add", "-A"]),
        ("git", &[who.as_slice(), &["commit", "-qm", "Begin"]].concat()),
    ] {
        let ran = run(&home, program, arguments);
        assert!(ran.status.success(), "{program}: {ran:?}");
    }
    home
}

/// A program in the project, in the same surroundings as the server's.
fn run(home: &Home, program: &str, arguments: &[&str]) -> Output {
    let server = home.command(&[]);
    let variables = server.get_envs().filter_map(|(name, value)| Some((name, value?)));
    let mut command = Command::new(program);
    command.args(arguments).current_dir(home.path("")).env_clear().envs(variables);
    command.output().expect(program)
}

/// What git sees of the folder.
fn changed(home: &Home) -> String {
    String::from_utf8(run(home, "git", &["status", "--porcelain"]).stdout).unwrap()
}

#[tokio::test]
async fn add_becomes_saturating_and_its_tests_run_on_the_draft() {
    let mut puppets = Puppets::start(project()).await;
    puppets.patience = PATIENCE;
    let files = [("src/lib.rs", [ADD, TYPED_CODE].concat()), ("tests/sums.rs", [TEST, TYPED_TEST].concat())];
    for (file, text) in &files {
        puppets.client.did_open(&puppets.home.uri(file), "rust", text);
    }
    let lib = puppets.home.path("src/lib.rs");
    let lib = lib.to_str().unwrap();

    let read = puppets.call("A", "Read", json!({ "file_path": lib })).await;
    assert!(read.text.contains("pub fn twice"), "the unsaved text is read: {}", read.text);
    let red = puppets.call("A", "Bash", json!({ "command": "cargo test" })).await;
    assert!(red.is_error && red.text.contains("attempt to add with overflow"), "{}", red.text);
    let edit =
        json!({ "file_path": lib, "old_string": "    a + b\n", "new_string": "    a.saturating_add(b)\n" });
    assert!(!puppets.call("A", "Edit", edit).await.is_error);
    let green = puppets.call("A", "Bash", json!({ "command": "cargo test" })).await;
    println!("on the draft:\n{}", green.text);
    assert!(
        !green.is_error && green.text.contains("test the_largest_sum_is_the_largest_number ... ok"),
        "{}",
        green.text
    );

    let before = changed(&puppets.home);
    println!("git status before the accept: {before:?}");
    assert_eq!(before, "", "nothing was changed in the folder");
    assert!(!puppets.home.path("target").exists(), "what the commands built lies elsewhere");
    assert_eq!(fs::read_to_string(lib).unwrap(), ADD);

    let decided = puppets.decide("accept", json!({ "all": true })).await;
    assert_eq!(decided.len(), 1, "one hunk: {decided:?}");
    for (file, _) in &files {
        // The editor saves.
        fs::write(puppets.home.path(file), puppets.client.text(&puppets.home.uri(file))).unwrap();
    }
    assert!(fs::read_to_string(lib).unwrap().contains("saturating_add"));
    println!("git status after it:\n{}", changed(&puppets.home));
    let here = run(&puppets.home, "cargo", &["test"]);
    let said = String::from_utf8_lossy(&here.stdout);
    println!("in the folder:\n{said}");
    assert!(
        here.status.success() && said.contains("test the_largest_sum_is_the_largest_number ... ok"),
        "{here:?}"
    );
    puppets.end().await;
}
