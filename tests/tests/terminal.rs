//! What is asked at a terminal, through the real program on a pseudo-terminal that `script` makes.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that can't go on ends with its cause"
)]

use std::process::{Command, Stdio};

use copydesk_tests::client::{DEADLINE, Home};
use copydesk_tests::model_server::{Answer, Asked, ModelServer};
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::{Child, ChildStdin, ChildStdout};

/// `copydesk run` as a person has it before them.
struct Terminal {
    child: Child,
    keys: ChildStdin,
    screen: ChildStdout,
    shown: String,
}

impl Terminal {
    fn run(home: &Home, arguments: &[&str]) -> Self {
        let program = home.command(&[&["run"], arguments].concat());
        let words = std::iter::once(program.get_program()).chain(program.get_args());
        let quoted = |word: &std::ffi::OsStr| format!("'{}'", word.to_str().expect("UTF-8"));
        let line: Vec<String> = words.map(quoted).collect();
        let mut script = Command::new("script");
        script.args(["--quiet", "--return", "--command", &line.join(" "), "/dev/null"]);
        script.current_dir(home.path("")).env_clear();
        script.envs(program.get_envs().filter_map(|(name, value)| Some((name, value?))));
        let mut script = tokio::process::Command::from(script);
        let script = script.stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true);
        let mut child = script.spawn().expect("`script`, which every Linux has");
        let (keys, screen) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        Self { child, keys, screen, shown: String::new() }
    }

    /// What is shown up to `words`, since the last time.
    async fn until(&mut self, words: &str) -> String {
        let mut bytes = [0; 4096];
        let reading = async {
            while !self.shown.contains(words) {
                let length = self.screen.read(&mut bytes).await.unwrap_or_default();
                assert!(length > 0, "it ended before {words:?}: {}", self.shown);
                self.shown += &String::from_utf8_lossy(&bytes[..length]).replace('\r', "");
            }
        };
        tokio::time::timeout(DEADLINE, reading).await.unwrap_or_else(|_| panic!("{words:?} is not shown"));
        let (seen, rest) = self.shown.split_once(words).unwrap();
        let (seen, rest) = (seen.to_owned(), rest.to_owned());
        self.shown = rest;
        seen
    }

    async fn presses(&mut self, key: &str) {
        self.keys.write_all(key.as_bytes()).await.unwrap();
    }

    async fn types(&mut self, line: &str) {
        self.keys.write_all(format!("{line}\n").as_bytes()).await.unwrap();
    }

    async fn end(mut self) -> i32 {
        let ended = tokio::time::timeout(DEADLINE, self.child.wait()).await.expect("it ends");
        ended.unwrap().code().unwrap()
    }
}

/// The number that stands before an option.
#[track_caller]
fn number(shown: &str, option: &str) -> String {
    let line =
        shown.lines().find(|line| line.contains(option)).unwrap_or_else(|| panic!("{option}: {shown}"));
    line.split_whitespace().next().unwrap().to_owned()
}

async fn scene(answers: impl IntoIterator<Item = Answer>) -> (Home, ModelServer) {
    let mut home = Home::new();
    let model = ModelServer::playing(answers).await;
    home.asks(&model.url());
    (home, model)
}

#[tokio::test]
async fn a_denial_takes_the_persons_own_words_and_no_words_are_a_plain_no() {
    let make = || Answer::calls("Bash", json!({ "command": "make all" }));
    let (home, model) = scene([make(), make(), Answer::says("Done.")]).await;
    let mut terminal = Terminal::run(&home, &["go on"]);
    let asked = terminal.until("Your answer").await;
    assert!(asked.contains("? make all"), "{asked}");
    // What helps here is a flag, and no command of an editor's.
    assert!(asked.contains("once you trust the folder (`--trust`)"), "{asked}");
    terminal.types(&number(&asked, "Deny, and say why")).await;
    terminal.until("In your words: ").await;
    terminal.types("use ninja").await;
    let asked = terminal.until("Your answer").await;
    terminal.types(&number(&asked, "Deny, and say why")).await;
    terminal.until("In your words: ").await;
    terminal.types("").await;
    assert_eq!(terminal.end().await, 0);
    let told: Vec<String> =
        model.requests().iter().filter_map(|request| Some(request.results().pop()?.0)).collect();
    let rejected = "The user rejected this call, so it was not run.";
    assert_eq!(told, [format!("{rejected} They say: use ninja"), rejected.to_owned()]);
}

#[tokio::test]
async fn a_question_of_the_agents_takes_the_persons_own_words() {
    let question = json!({"questions": [{
        "question": "Which way?", "header": "Way", "multiSelect": false,
        "options": [{"label": "Left", "description": ""}, {"label": "Right", "description": ""}],
    }]});
    let (home, model) = scene([Answer::calls("AskUserQuestion", question), Answer::says("Done.")]).await;
    let mut terminal = Terminal::run(&home, &["go on"]);
    let asked = terminal.until("Your answer").await;
    terminal.types(&number(&asked, "In my own words")).await;
    terminal.until("In your words: ").await;
    terminal.types("straight on").await;
    assert_eq!(terminal.end().await, 0);
    let told = model.last_request().results().pop().unwrap().0;
    assert!(told.contains("straight on"), "{told}");
}

#[tokio::test]
async fn a_mistyped_answer_is_asked_for_again_and_the_end_of_the_input_is_a_no() {
    let make = || Answer::calls("Bash", json!({ "command": "make all" }));
    let (home, model) = scene([make(), make(), make(), Answer::says("Done.")]).await;
    let mut terminal = Terminal::run(&home, &["go on"]);
    let asked = terminal.until("Your answer").await;
    assert!(asked.contains("1  Allow once"), "{asked}");
    for mistyped in ["", "x", "9", "yn"] {
        terminal.types(mistyped).await;
        terminal.until("That is none of the answers.").await;
        terminal.until("Your answer").await;
    }
    terminal.types("n").await;
    terminal.until("Your answer").await;
    terminal.types("y").await;
    terminal.until("Your answer").await;
    // The end of the input, as a terminal has it.
    terminal.presses("\u{4}").await;
    assert_eq!(terminal.end().await, 0);
    let told: Vec<String> =
        model.requests().iter().filter_map(|request| Some(request.results().pop()?.0)).collect();
    let [first, second, third] = told.as_slice() else { panic!("three results: {told:?}") };
    assert!(first.contains("rejected this call") && third.contains("rejected this call"), "{told:?}");
    assert!(!second.contains("rejected this call"), "{told:?}");
}

#[tokio::test]
async fn an_interrupted_question_is_a_no_and_ends_the_task() {
    let (home, _model) = scene([Answer::calls("Bash", json!({ "command": "make all" }))]).await;
    let mut terminal = Terminal::run(&home, &["go on"]);
    terminal.until("Your answer").await;
    terminal.presses("\u{3}").await;
    terminal.until("Cancelled; nothing was changed.").await;
    assert_eq!(terminal.end().await, 130);
}

const ASKED: &str = "Accept this change [y,n,a,q,e,?]? ";

/// A file with two changes to decide on, asked for of the offline model.
fn two_changes(editor: &str) -> (Home, Terminal) {
    let mut home = Home::new();
    for (name, value) in [("COPYDESK_PROVIDER", "offline"), ("EDITOR", editor)] {
        home.environment.push((name.to_owned(), value.to_owned()));
    }
    home.write("a.rs", "fn load() {}\n\nfn main() {\n    load();\n}\n");
    let terminal = Terminal::run(&home, &["rename load to open in a.rs"]);
    (home, terminal)
}

#[tokio::test]
async fn bytes_and_permissions_are_decisions_of_their_own() {
    use std::os::unix::fs::PermissionsExt as _;
    let command = "printf 'c\\0dd' >logo.png; echo more >>run.sh; chmod 755 run.sh plain.sh";
    let (home, _model) =
        scene([Answer::calls("Bash", json!({ "command": command })), Answer::says("Done.")]).await;
    home.write("logo.png", "a\0b");
    home.write("run.sh", "echo run\n");
    home.write("plain.sh", "echo x\n");
    let mut terminal = Terminal::run(&home, &["--allow", "Bash", "go on"]);
    let whole = "Accept this for the whole file [y,n,a,q,?]? ";
    let seen = terminal.until(whole).await;
    assert!(seen.contains("logo.png  1/4  binary, 3 bytes → 4 bytes"), "{seen}");
    assert!(seen.contains("Binary files a/logo.png and b/logo.png differ"), "{seen}");
    terminal.types("y").await;
    let seen = terminal.until(whole).await;
    assert!(seen.contains("plain.sh  2/4  mode 644 → 755"), "{seen}");
    terminal.types("n").await;
    let seen = terminal.until(ASKED).await;
    assert!(seen.contains("run.sh  3/4"), "{seen}");
    terminal.types("n").await;
    let seen = terminal.until(whole).await;
    assert!(seen.contains("run.sh  4/4  mode 644 → 755") && seen.contains("new mode 100755"), "{seen}");
    terminal.types("y").await;
    terminal.until("2 accepted, 2 rejected").await;
    assert_eq!(terminal.end().await, 0);
    let mode = |name: &str| std::fs::metadata(home.path(name)).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode("run.sh"), mode("plain.sh")), (0o755, 0o644));
    assert_eq!(std::fs::read(home.path("logo.png")).unwrap(), b"c\0dd");
    assert_eq!(std::fs::read_to_string(home.path("run.sh")).unwrap(), "echo run\n");
}

#[tokio::test]
async fn an_editor_that_fails_is_told_and_the_same_change_is_asked_about_again() {
    for editor in ["false", "no-such-editor"] {
        let (home, mut terminal) = two_changes(editor);
        let first = terminal.until(ASKED).await;
        terminal.types("e").await;
        let again = terminal.until(ASKED).await;
        let told = format!("the editor `{editor}` ");
        assert!(again.contains(&told) && again.contains("The change is as it was."), "{again}");
        assert!(first.contains("a.rs  1/2") && again.contains("a.rs  1/2"), "{first}{again}");
        terminal.types("y").await;
        assert!(terminal.until(ASKED).await.contains("a.rs  2/2"));
        terminal.types("n").await;
        terminal.until("1 accepted, 1 rejected").await;
        assert_eq!(terminal.end().await, 0);
        let text = std::fs::read_to_string(home.path("a.rs")).unwrap();
        assert_eq!(text, "fn open() {}\n\nfn main() {\n    load();\n}\n");
    }
}

#[tokio::test]
async fn what_is_not_decided_is_left_and_the_tally_has_a_line_of_its_own() {
    let (_home, mut terminal) = two_changes("false");
    terminal.until(ASKED).await;
    terminal.presses("\u{3}").await;
    let seen = terminal.until("0 accepted, 0 rejected, 2 left").await;
    assert!(seen.contains('\n'), "{seen:?}");
    assert_eq!(terminal.end().await, 130);

    let (_home, mut terminal) = two_changes("false");
    terminal.until(ASKED).await;
    terminal.types("q").await;
    terminal.until("0 accepted, 0 rejected, 2 left").await;
    assert_eq!(terminal.end().await, 3);
}

#[tokio::test]
async fn what_is_typed_before_a_question_is_shown_answers_nothing() {
    let mut home = Home::new();
    let (model, mut asked) = ModelServer::by_hand().await;
    home.asks(&model.url());
    home.write("a.txt", "a\n");
    home.write("b.txt", "b\n");
    let mut terminal = Terminal::run(&home, &["go on"]);
    let early = async |terminal: &mut Terminal, answer: Answer, asked: Asked| {
        for _ in 0..4 {
            terminal.types("y").await;
            // The terminal's echo: it has the line.
            terminal.until("y\n").await;
        }
        asked.answer(answer);
    };
    let command = "echo A >a.txt; echo B >b.txt";
    let call = || Answer::calls("Bash", json!({ "command": command }));
    early(&mut terminal, call(), asked.recv().await.unwrap()).await;
    terminal.until("Your answer").await;
    terminal.types("n").await;
    asked.recv().await.unwrap().answer(call());
    terminal.until("Your answer").await;
    terminal.types("y").await;
    early(&mut terminal, Answer::says("Done."), asked.recv().await.unwrap()).await;
    terminal.until(ASKED).await;
    terminal.types("n").await;
    terminal.until(ASKED).await;
    terminal.types("n").await;
    terminal.until("0 accepted, 2 rejected").await;
    assert_eq!(terminal.end().await, 3);
    let told: Vec<String> =
        model.requests().iter().filter_map(|request| Some(request.results().pop()?.0)).collect();
    assert!(told[0].contains("rejected this call") && !told[1].contains("rejected this call"), "{told:?}");
}

#[tokio::test]
async fn an_edited_change_goes_in_as_the_person_left_it_and_one_that_was_emptied_is_asked_about_again() {
    let (home, mut terminal) = two_changes("sed -i s/open/unlock/");
    terminal.until(ASKED).await;
    terminal.types("e").await;
    assert!(terminal.until(ASKED).await.contains("a.rs  2/2"));
    terminal.types("e").await;
    terminal.until("2 accepted, 0 rejected").await;
    assert_eq!(terminal.end().await, 0);
    let text = std::fs::read_to_string(home.path("a.rs")).unwrap();
    assert_eq!(text, "fn unlock() {}\n\nfn main() {\n    unlock();\n}\n");

    let (home, mut terminal) = two_changes("truncate -s 0");
    terminal.until(ASKED).await;
    terminal.types("e").await;
    let again = terminal.until(ASKED).await;
    assert!(again.contains("Nothing was left of it") && again.contains("a.rs  1/2"), "{again}");
    terminal.types("n").await;
    terminal.until(ASKED).await;
    terminal.types("n").await;
    terminal.until("0 accepted, 2 rejected").await;
    assert_eq!(terminal.end().await, 3);
    let text = std::fs::read_to_string(home.path("a.rs")).unwrap();
    assert_eq!(text, "fn load() {}\n\nfn main() {\n    load();\n}\n");
}

#[tokio::test]
async fn each_question_of_the_review_has_its_header() {
    let command = "echo new >NEW.md; rm old.txt; echo c >>a.txt";
    let (home, _model) =
        scene([Answer::calls("Bash", json!({ "command": command })), Answer::says("Done.")]).await;
    home.write("old.txt", "old\n");
    home.write("a.txt", "a\nb\n");
    let mut terminal = Terminal::run(&home, &["--allow", "Bash", "go on"]);
    let headers = ["NEW.md  1/3  new file", "a.txt  2/3", "old.txt  3/3  deleted file"];
    for header in headers {
        let seen = terminal.until("? ").await;
        assert!(seen.contains(header), "{header}: {seen}");
        terminal.types("n").await;
    }
    terminal.until("0 accepted, 3 rejected").await;
    assert_eq!(terminal.end().await, 3);
}

#[tokio::test]
async fn a_command_of_several_lines_is_asked_about_in_lines_and_told_in_one() {
    let command = "cat >a.txt <<E\n\tone\r\nE\nexit 3";
    let script = [Answer::calls("Bash", json!({ "command": command })), Answer::says("Done.")];
    let (home, _model) = scene(script).await;
    home.write("b.txt", "b\n");
    let mut terminal = Terminal::run(&home, &["go on"]);
    let asked = terminal.until("Your answer").await;
    for line in ["? cat >a.txt <<E", "  │ \\u{9}one\\u{d}", "  │ E", "  │ exit 3"] {
        let on_its_own =
            |shown: &str| shown.trim_start_matches("\u{1b}[1m").trim_end_matches("\u{1b}[0m") == line;
        assert!(asked.lines().any(on_its_own), "{line}: {asked}");
    }
    terminal.types("y").await;
    let seen = terminal.until("? ").await;
    assert!(seen.contains("✗ cat >a.txt <<E (+3 lines)"), "{seen}");
    terminal.types("n").await;
    assert_eq!(terminal.end().await, 3);
}

#[tokio::test]
async fn what_is_hidden_in_a_change_or_in_a_name_is_written_out_where_a_person_decides() {
    let hidden = "\u{200b}\u{e0041}\u{ad}\u{2060}\u{fe00}\u{2800}\u{3164}\u{a0}\u{202e}";
    let bytes: Vec<String> = format!("b{hidden}\n").bytes().map(|byte| format!("\\{byte:03o}")).collect();
    let bytes = bytes.concat();
    let (home, _model) = scene([
        Answer::calls("Bash", json!({ "command": format!("printf '{bytes}' >>a.txt") })),
        Answer::calls(
            "Write",
            json!({ "file_path": "ev\u{202e}il\u{200b}.py", "content": "x = '\\u{41}'\n" }),
        ),
        Answer::calls(
            "Write",
            json!({ "file_path": "plain.rs", "content": "'\\u{feff}' => \"größe 進む\",\n" }),
        ),
        Answer::says("Done."),
    ])
    .await;
    home.write("a.txt", "\ta 👍 größe\n");
    let mut terminal = Terminal::run(&home, &["--allow", "Bash", "go on"]);
    let seen = terminal.until("Accept this").await;
    let written = r"+b\u{200b}\u{e0041}\u{ad}\u{2060}\u{fe00}\u{2800}\u{3164}\u{a0}\u{202e}";
    for wanted in ["a.txt  1/3", "It adds characters that can't be seen.", written, " \ta 👍 größe"] {
        assert!(seen.contains(wanted), "{wanted}: {seen}");
    }
    assert!(!hidden.chars().any(|c| seen.contains(c)) && !seen.contains('\u{fffd}'), "{seen:?}");
    terminal.types("y").await;
    let seen = terminal.until("Accept this").await;
    let name = r"ev\u{202e}il\u{200b}.py";
    for wanted in [
        format!("{name}  2/3  new file"),
        "It adds characters that can't be seen.".to_owned(),
        format!("diff --git a/{name} b/{name}"),
        format!("+++ b/{name}"),
        r"+x = '\\u{41}'".to_owned(),
    ] {
        assert!(seen.contains(&wanted), "{wanted}: {seen}");
    }
    assert!(!hidden.chars().any(|c| seen.contains(c)) && !seen.contains('\u{fffd}'), "{seen:?}");
    terminal.types("y").await;
    let seen = terminal.until("Accept this").await;
    assert!(seen.contains("+'\\u{feff}' => \"größe 進む\",") && !seen.contains("can't be seen"), "{seen}");
    terminal.types("y").await;
    terminal.until("3 accepted").await;
    assert_eq!(terminal.end().await, 0);
    assert_eq!(std::fs::read_to_string(home.path("a.txt")).unwrap(), format!("\ta 👍 größe\nb{hidden}\n"));
}

#[tokio::test]
async fn a_conflict_offers_what_there_is_here_and_counts_once() {
    let (home, mut terminal) = two_changes("true");
    terminal.until(ASKED).await;
    home.write("a.rs", "fn load_it() {}\n\nfn main() {\n    load();\n}\n");
    terminal.types("y").await;
    let seen = terminal.until("Keep yours [n], or leave it [q]? ").await;
    assert!(!seen.contains("ask the agent"), "{seen}");
    terminal.types("q").await;
    terminal.until("0 accepted, 0 rejected, 2 left").await;
    assert!(!terminal.until("\n").await.contains("not applied"));
    assert_eq!(terminal.end().await, 3);
}
