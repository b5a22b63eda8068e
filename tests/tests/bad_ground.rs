//! Commands on a machine that refuses something, through the real program: no shell, no overlay, a full disk, a workspace
//! that can't be written. Each is told, and the rest works.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that can't go on ends with its cause")]

use std::process::{Command, Output};

use copydesk_tests::client::Home;
use copydesk_tests::ground::{makes_name_spaces, not_tried};
use copydesk_tests::model_server::{Answer, ModelServer};
use serde_json::{Value, json};

/// A project, and a model that runs these commands one after the other.
async fn scene(commands: &[&str]) -> (Home, ModelServer) {
    let mut home = Home::new();
    home.write("a.txt", "a\n");
    let calls = commands.iter().map(|command| Answer::calls("Bash", json!({ "command": command })));
    let model = ModelServer::playing(calls.chain([Answer::says("Done.")]).collect::<Vec<_>>()).await;
    home.asks(&model.url());
    (home, model)
}

const RUN: [&str; 7] = ["run", "--output", "json", "--yes", "--allow", "Bash", "go"];

/// `copydesk` with these arguments once `prepare` has been run as root of a machine of its own; `None` where nobody may be.
async fn run_after(home: &Home, prepare: &str, arguments: &[&str]) -> Option<Output> {
    let program = home.command(arguments);
    let mut command = Command::new("unshare");
    command.args(["--user", "--map-root-user", "--mount", "sh", "-c"]);
    command
        .arg(format!("{prepare} || exit 99; exec \"$0\" \"$@\""))
        .arg(program.get_program())
        .args(arguments);
    command.current_dir(program.get_current_dir().unwrap()).env_clear();
    command.envs(program.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let ran = tokio::task::spawn_blocking(move || command.output()).await.unwrap();
    match ran {
        Ok(ran) if ran.status.code() != Some(99) => Some(ran),
        refused => {
            let why = format!("this machine does not let it be prepared: {refused:?}");
            not_tried(&why, makes_name_spaces());
            None
        }
    }
}

/// Makes a place where commands can't have an overlay.
fn no_overlay(home: &mut Home) -> String {
    let state = home.state().parent().unwrap().to_str().unwrap().to_owned();
    home.environment.push(("XDG_STATE_HOME".to_owned(), format!("{state}/o")));
    // An overlay takes no overlay for its upper layer.
    format!(
        "mkdir -p {state} && mount -t tmpfs none {state} && mkdir {state}/l {state}/u {state}/w {state}/o && \
         mount -t overlay none -o lowerdir={state}/l,upperdir={state}/u,workdir={state}/w,userxattr {state}/o"
    )
}

/// What the model was told of its commands, in order.
fn told(model: &ModelServer) -> Vec<(String, bool)> {
    model.requests().iter().skip(1).filter_map(|request| request.results().pop()).collect()
}

fn report(ran: &Output) -> Value {
    serde_json::from_slice(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {ran:?}"))
}

#[tokio::test]
async fn without_a_shell_a_command_is_refused_in_words_and_reading_works() {
    let (mut home, model) = scene(&["echo hello"]).await;
    home.environment.push(("PATH".to_owned(), "/nonexistent".to_owned()));
    let mut command = home.command(&RUN);
    let ran = tokio::task::spawn_blocking(move || command.output()).await.unwrap().unwrap();
    assert!(ran.status.success(), "{ran:?}");
    let (text, is_error) = told(&model).pop().unwrap();
    assert!(is_error && text.contains("there is no bash here: install it"), "{text}");
}

#[tokio::test]
async fn where_no_overlay_can_be_mounted_a_copy_is_used_and_the_doctor_says_why() {
    let (mut home, model) = scene(&["cat a.txt; echo b >>a.txt"]).await;
    let prepare = no_overlay(&mut home);
    let Some(ran) = run_after(&home, &prepare, &RUN).await else { return };
    assert!(ran.status.success(), "{ran:?}");
    let (text, is_error) = told(&model).pop().unwrap();
    assert!(!is_error && text.starts_with("a\n"), "{text}");
    assert_eq!(std::fs::read_to_string(home.path("a.txt")).unwrap(), "a\nb\n");
    let Some(doctor) = run_after(&home, &prepare, &["doctor"]).await else { return };
    let said = String::from_utf8_lossy(&doctor.stdout).into_owned();
    assert!(
        said.contains("a copy of the workspace (copy)") && said.contains("no overlay (overlay:"),
        "{said}"
    );
}

#[tokio::test]
async fn where_an_overlay_is_wanted_nothing_less_is_taken() {
    let (mut home, model) = scene(&["echo b >>a.txt"]).await;
    home.write("../config/copydesk/config.toml", "[shell]\ntrial_tree = \"overlay\"\n");
    let prepare = no_overlay(&mut home);
    let Some(ran) = run_after(&home, &prepare, &RUN).await else { return };
    let (text, is_error) = told(&model).pop().unwrap();
    assert!(
        is_error && text.contains("`shell.trial_tree` is \"overlay\", which can't be had here"),
        "{text}"
    );
    assert!(text.contains("no overlay (overlay:") && text.contains("With \"auto\""), "{text}");
    assert_eq!(std::fs::read_to_string(home.path("a.txt")).unwrap(), "a\n", "{ran:?}");
    let Some(doctor) = run_after(&home, &prepare, &["doctor"]).await else { return };
    let said = String::from_utf8_lossy(&doctor.stdout).into_owned();
    assert!(said.contains("commands don't run: `shell.trial_tree` is \"overlay\""), "{said}");
}

#[tokio::test]
async fn a_full_disk_is_told_and_the_next_command_works() {
    let (home, model) = scene(&["head -c 20000000 /dev/zero >big; echo $?", "rm -f big; echo again"]).await;
    let state = home.state().parent().unwrap().to_owned();
    let state = state.to_str().unwrap();
    let prepare = format!("mkdir -p {state} && mount -t tmpfs -o size=4m none {state}");
    let Some(ran) = run_after(&home, &prepare, &RUN).await else { return };
    let told = told(&model);
    assert!(told.first().is_some_and(|(text, _)| text.contains("No space left on device")), "{told:?}");
    assert!(told.last().is_some_and(|(text, failed)| text.contains("again") && !failed), "{told:?}");
    assert_eq!(report(&ran)["subtype"], "success");
    assert_eq!(std::fs::read_to_string(home.path("a.txt")).unwrap(), "a\n");
}

#[tokio::test]
async fn on_a_workspace_that_is_read_only_commands_work_and_an_accept_says_why_not() {
    let (home, model) = scene(&["echo b >>a.txt; cat a.txt"]).await;
    let project = home.path("");
    let project = project.to_str().unwrap();
    let prepare =
        format!("mount --bind {project} {project} && mount -o remount,bind,ro {project} && cd {project}");
    let Some(ran) = run_after(&home, &prepare, &RUN).await else { return };
    let (text, is_error) = told(&model).pop().unwrap();
    assert!(!is_error && text.starts_with("a\nb\n"), "{text}");
    let left = report(&ran)["notApplied"].to_string();
    assert!(left.contains("a.txt") && left.to_lowercase().contains("read-only"), "{left}");
    assert_eq!(std::fs::read_to_string(home.path("a.txt")).unwrap(), "a\n");
}
