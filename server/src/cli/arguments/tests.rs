//! What the program makes of its arguments.

use super::*;

fn parsed(line: &[&str], terminal: bool) -> Result<Invocation, String> {
    parse(line.iter().map(OsString::from), terminal).map_err(|error| error.message)
}

#[track_caller]
fn check(line: &[&str], want: Invocation) {
    assert_eq!(parsed(line, false), Ok(want));
}

#[track_caller]
fn check_error(line: &[&str], want: &str) {
    let error = parsed(line, false).unwrap_err();
    assert!(error.contains(want), "{error}");
}

fn offline() -> Vec<Override> {
    vec![Override { key: Key::ModelProvider, value: "offline".into(), flag: "--offline" }]
}

#[test]
fn an_editor_gets_a_server_and_a_person_gets_help() {
    check(&[], Invocation::Serve { overrides: vec![] });
    assert_eq!(parsed(&[], true), Ok(Invocation::Help { topic: Topic::All }));
    assert_eq!(parsed(&["--stdio"], true), Ok(Invocation::Serve { overrides: vec![] }));
    check(&["--stdio", "--offline"], Invocation::Serve { overrides: offline() });
}

#[test]
fn help_and_version() {
    check(&["--version"], Invocation::Version);
    check(&["help", "run"], Invocation::Help { topic: Topic::Run });
    check(&["help", "help"], Invocation::Help { topic: Topic::All });
    check(&["help", "--help"], Invocation::Help { topic: Topic::All });
    check(&["help", "run", "-h"], Invocation::Help { topic: Topic::Run });
    check_error(&["help", "run", "try"], "`try` is one argument too many");
    for (slip, near) in [("rnu", "run"), ("docter", "doctor"), ("set-up", "setup"), ("configure", "")] {
        let meant = if near.is_empty() { String::new() } else { format!("; did you mean `{near}`?") };
        let error = parsed(&[slip], false).unwrap_err();
        assert_eq!(error, format!("there is no command `{slip}`{meant}"));
    }
    check_error(&["run", "-"], "give it as an argument");
    check(&["run", "--help"], Invocation::Help { topic: Topic::Run });
    check(&["-h"], Invocation::Help { topic: Topic::All });
}

#[test]
fn a_task_with_files_and_ranges() {
    let file =
        |written: &str, path: &str, lines| FileArgument { written: written.into(), path: path.into(), lines };
    check(
        &["run", "--offline", "do it", "a.rs", "b.rs:3-9", "b.rs:L3-L9", "c:d.rs:4", "--output=json", "-y"],
        Invocation::Run(RunArguments {
            prompt: "do it".into(),
            files: vec![
                file("a.rs", "a.rs", None),
                file("b.rs:3-9", "b.rs", Some((3, 9))),
                file("b.rs:L3-L9", "b.rs", Some((3, 9))),
                file("c:d.rs:4", "c:d.rs", Some((4, 4))),
            ],
            decide: Decide::AcceptAll,
            output: Output::Json,
            overrides: offline(),
        }),
    );
    check(
        &["run", "--diff", "--", "--offline", "x:Label"],
        Invocation::Run(RunArguments {
            prompt: "--offline".into(),
            files: vec![file("x:Label", "x:Label", None)],
            decide: Decide::ShowOnly,
            output: Output::Text,
            overrides: vec![],
        }),
    );
}

#[test]
fn the_other_commands() {
    check(&["try", "--offline"], Invocation::Try { overrides: offline() });
    check(&["doctor"], Invocation::Doctor { overrides: vec![], about: About::Installation });
    check(&["doctor", "--model"], Invocation::Doctor { overrides: vec![], about: About::Model });
    let languages = vec!["rust".into(), "go".into()];
    check(&["setup", "hx", "rust", "go"], Invocation::Setup { editor: SetupEditor::Helix, languages });
    let model = || vec![Override { key: Key::ModelName, value: "m".into(), flag: "--model" }];
    check(&["doctor", "--model", "m"], Invocation::Doctor { overrides: model(), about: About::Model });
    check(&["config", "--model", "m"], Invocation::Config { overrides: model() });
    let given = |key, value: &str, flag| Override { key, value: value.into(), flag };
    let overrides = vec![
        given(Key::PermissionsMode, "plan", "--permission-mode"),
        given(Key::PermissionsAllow, "Bash(a, b)", "--allow"),
        given(Key::PermissionsDeny, "Read(.env)", "--deny"),
        given(Key::PermissionsFolders, "../lib", "--add-dir"),
        given(Key::PermissionsTrusted, ".", "--trust"),
    ];
    let written = [
        "config",
        "--permission-mode",
        "plan",
        "--allow=Bash(a, b)",
        "--deny",
        "Read(.env)",
        "--add-dir=../lib",
        "--trust",
    ];
    check(&written, Invocation::Config { overrides });
}

#[test]
fn a_mistake_names_the_help_to_read() {
    let check = |line: &[&str], want| {
        assert_eq!(parse(line.iter().map(OsString::from), false).unwrap_err().topic, want, "{line:?}");
    };
    check(&["rum"], Topic::All);
    check(&["--wat"], Topic::All);
    check(&["run"], Topic::Run);
    check(&["setup", "ed"], Topic::Setup);
}

#[test]
fn mistakes_are_named() {
    check_error(&["rum"], "there is no command `rum`");
    check_error(&["run"], "what is to be done?");
    check_error(&["run", "x", "--wat"], "no option `--wat`");
    check_error(&["run", "x", "--model"], "needs a value");
    check_error(&["--model"], "needs a value");
    check_error(&["try", "--yes"], "no option `--yes`");
    check_error(&["run", "x", "--yes", "--diff"], "choose one");
    check_error(&["run", "x", "--diff", "--permission-mode", "acceptEdits"], "changes nothing");
    check_error(&["run", "x", "--permission-mode=bypassPermissions", "--diff"], "changes nothing");
    check_error(&["run", "x", "--output", "xml"], "not `xml`");
    check_error(
        &["run", "x", "--permission-mode", "plane"],
        "no permission mode `plane`: default, acceptEdits",
    );
    check_error(&["run", "x", "--output"], "needs a value");
    check_error(&["run", "x", "--allow"], "`--allow` needs a value");
    check_error(&["run", "x", "--allow", "Bash("], "`--allow`: `Bash(` is no rule");
    check_error(&["--stdio", "--deny=(x)"], "`--deny`: `(x)` is no rule");
    check_error(&["run", "x", "a.rs:9-3"], "lines count from 1");
    check_error(&["run", "x", "a.rs:99999999999999"], "no file has so many lines");
    check_error(&["setup", "zed"], "to start `copydesk`");
    check_error(&["setup"], "which editor?");
    check_error(&["setup", "ed"], "nothing for `ed`");
    check_error(&["setup", "nvim", "rust"], "only Helix has to be told languages");
    check_error(&["doctor", "me"], "one argument too many");
    check_error(&["--version", "extra"], "`extra` is one argument too many");
    check_error(&["help", "run", "extra"], "`extra` is one argument too many");
    check_error(&["setup", "nvim", "--trust"], "`--trust` means nothing here");
    check_error(&["setup", "helix", "--permission-mode", "plan"], "`--permission-mode` means nothing here");
    check_error(&["run", "x", "--model", ""], "names no model");
}
