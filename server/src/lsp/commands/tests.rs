use serde_json::{Value, json};

use super::*;

/// `written` as an editor's command line sends it, in a workspace at `/w`.
fn parse(command: &str, arguments: Value) -> Result<Command, String> {
    let resolve = |path: &str| AbsPath::new("/w").map(|root| root.join(path));
    let arguments = arguments.as_array().unwrap();
    CommandIds::default().parse(command, arguments, resolve).map_err(|error| error.to_string())
}

fn place(path: &str, start: u32, end: u32) -> Place {
    Place { path: AbsPath::new(path).unwrap(), start, end }
}

#[track_caller]
fn check(command: &str, arguments: Value, wanted: Command) {
    assert_eq!(parse(command, arguments), Ok(wanted));
}

#[track_caller]
fn check_error(command: &str, arguments: Value, wanted: &str) {
    assert_eq!(parse(command, arguments), Err(wanted.to_owned()));
}

fn ask(text: &str, place: Option<Place>) -> Command {
    Command::Ask { text: Some(text.to_owned()), place, diagnostics: vec![] }
}

#[test]
fn ask_takes_a_text_and_a_place() {
    check("copydesk.ask", json!(["why?"]), ask("why?", None));
    check("copydesk.ask", json!(["src/a.rs", 3, "why?"]), ask("why?", Some(place("/w/src/a.rs", 2, 2))));
    check("copydesk.ask", json!(["/x/a.rs", 3, 5, "why?"]), ask("why?", Some(place("/x/a.rs", 2, 5))));
    check("copydesk.ask", json!(["a.rs", 5, 3, "why?"]), ask("why?", Some(place("/w/a.rs", 2, 5))));
    let no_text = Command::Ask { text: None, place: None, diagnostics: vec![] };
    check("copydesk.ask", json!(["", 1, 1, "why?"]), ask("why?", None));
    check("copydesk.ask", json!(["", 1, "why?"]), ask("why?", None));
    check("copydesk.ask", json!([]), no_text.clone());
    check("copydesk.ask", json!([" "]), no_text);
}

#[test]
fn decisions_name_a_line_a_file_or_everything() {
    check("copydesk.accept", json!(["a.rs", 1]), Command::Accept { what: What::At(place("/w/a.rs", 0, 1)) });
    check("copydesk.accept-all", json!([]), Command::Accept { what: What::All });
    check(
        "copydesk.reject-all",
        json!(["a.rs"]),
        Command::Reject { what: What::File(AbsPath::new("/w/a.rs").unwrap()), reason: None },
    );
    check(
        "copydesk.reject",
        json!(["a.rs", 2, "too long"]),
        Command::Reject { what: What::At(place("/w/a.rs", 1, 2)), reason: Some("too long".to_owned()) },
    );
}

#[test]
fn wrong_arguments_name_the_right_ones() {
    check_error("copydesk.accept", json!([]), r#"`copydesk.accept` takes "path" line"#);
    check_error(
        "copydesk.accept",
        json!(["a.rs", 0]),
        "`copydesk.accept`: 0 is no line number; the first line is 1",
    );
    check_error(
        "copydesk.accept",
        json!(["a.rs", -1.5]),
        "`copydesk.accept`: -1.5 is no line number; the first line is 1",
    );
    check_error("copydesk.open-chat", json!([1]), "`copydesk.open-chat` takes nothing");
    let nameless = |id: &str| format!("`{id}` is for a file, and this buffer has no name: save it first");
    check_error("copydesk.accept", json!(["", 1]), &nameless("copydesk.accept"));
    check_error("copydesk.show-diff", json!([""]), &nameless("copydesk.show-diff"));
    check_error("copydesk._do", json!([]), "`_do` is for Copydesk's own code actions: choose one of those");
    check_error(
        "copydesk._do",
        json!([{"do": "accept", "what": {"file": "a.rs"}}]),
        "This action can't be read any more: `a.rs` is no absolute path",
    );
    let unknown = parse("copydesk.fly", json!([])).unwrap_err();
    assert!(
        unknown.starts_with("Copydesk has no command `copydesk.fly`. There are: copydesk.ask, "),
        "{unknown}"
    );
}

#[test]
fn what_is_made_is_read_back() {
    let hunk = HunkName { id: "h_7".to_owned(), revision: Some(3) };
    for command in [
        ask("why?", Some(place("/w/a.rs", 2, 5))),
        Command::AskForChange { hunk: hunk.clone(), text: None },
        Command::Accept { what: What::Hunk(hunk.clone()) },
        Command::Accept { what: What::All },
        Command::Reject { what: What::File(AbsPath::new("/w/a b.rs").unwrap()), reason: None },
        Command::Resolve { hunk: hunk.clone(), take: Take::Agents },
        Command::Claimed { hunks: vec![hunk], place: place("/w/a.rs", 4, 4) },
        Command::ShowDiff { place: None },
        Command::GoTo { place: place("/w/a.rs", 4, 4) },
        Command::OpenChat,
        Command::Send,
        Command::Cancel { task: Some("t_1".to_owned()) },
        Command::Answer { request: Some("p_1".to_owned()), option: "once".to_owned() },
    ] {
        let ids = CommandIds::new("vscode-copydesk.");
        let made = ids.make("Do it", &command);
        assert_eq!(made.command, "vscode-copydesk._do");
        assert_eq!(ids.parse(&made.command, &made.arguments.unwrap(), |_| None), Ok(command));
    }
}
