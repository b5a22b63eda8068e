//! What commands run on here, and where the kernel refuses something: the doctor names it and the reason, and a command runs so.

#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test ends where it can't go on, and shows what it saw"
)]

use std::process::{Command, Output, Stdio};
use std::time::Duration;

use copydesk_tests::client::Home;
use copydesk_tests::ground::{makes_name_spaces, not_tried};
use copydesk_tests::model_server::{Answer, ModelServer, Request};
use serde_json::json;

/// Where the program runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Where {
    Here,
    /// In a user name space that lets nobody make another.
    WithoutNamespaces,
    /// Where the kernel knows nothing of a filter of system calls.
    WithoutFilter,
}

const WITHOUT: &str = "echo 0 >/proc/sys/user/max_user_namespaces && exec \"$@\"";

/// Refuses `seccomp` and `prctl(PR_SET_SECCOMP)` from here on, as a kernel does that was built without them, and runs what
/// follows.
const UNFILTERED: &str = r"
import ctypes, os, platform, struct, sys
seccomp, prctl = {'x86_64': (317, 157), 'aarch64': (277, 167)}[platform.machine()]
step = lambda code, yes, no, value: struct.pack('HBBI', code, yes, no, value)
program = b''.join([
    step(0x20, 0, 0, 0), step(0x15, 3, 0, seccomp), step(0x15, 0, 3, prctl),
    step(0x20, 0, 0, 16), step(0x15, 0, 1, 22), step(0x06, 0, 0, 0x00050000 | 22), step(0x06, 0, 0, 0x7fff0000)])
held = ctypes.create_string_buffer(program)
filter = ctypes.create_string_buffer(struct.pack('HxxxxxxQ', 7, ctypes.addressof(held)))
c = ctypes.CDLL(None, use_errno=True)
assert c.prctl(38, 1, 0, 0, 0) == 0 and c.prctl(22, 2, filter, 0, 0) == 0, ctypes.get_errno()
os.execvp(sys.argv[1], sys.argv[1:])
";

/// The program with these arguments. `None`: this machine makes no such place to try it in, which is told.
fn command(home: &Home, place: Where, arguments: &[&str]) -> Option<Command> {
    let program = home.command(arguments);
    if place == Where::Here {
        return Some(program);
    }
    let around = |inner: &[&str]| {
        let words: &[&str] = match place {
            Where::WithoutFilter => &["python3", "-c", UNFILTERED],
            Where::Here | Where::WithoutNamespaces => {
                &["unshare", "--user", "--map-root-user", "sh", "-c", WITHOUT, "sh"]
            }
        };
        let mut command = Command::new(words[0]);
        command.args(&words[1..]).args(inner);
        command
    };
    let tried = around(&["true"]).output();
    let can = tried.as_ref().is_ok_and(|tried| tried.status.success());
    if !can {
        not_tried(&format!("this machine makes no such place: {place:?}: {tried:?}"), makes_name_spaces());
    }
    let mut wrapped = around(&[]);
    wrapped.arg(program.get_program()).args(program.get_args()).current_dir(home.path("")).env_clear();
    wrapped.envs(program.get_envs().filter_map(|(name, value)| Some((name, value?))));
    can.then_some(wrapped)
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The lines under `Commands`.
fn commands(report: &str) -> Vec<String> {
    let lines = report.lines().skip_while(|line| line.trim() != "Commands").skip(1);
    lines.take_while(|line| line.starts_with(' ')).map(|line| line.trim().to_owned()).collect()
}

fn examined(place: Where) -> Option<Vec<String>> {
    let home = Home::new();
    let output = command(&home, place, &["doctor"])?.output().unwrap();
    let found = commands(&text(&output));
    println!("{place:?}:\n  {}\n", found.join("\n  "));
    assert!(found.len() > 1, "{output:?}");
    Some(found)
}

#[test]
fn the_doctor_names_the_mode_and_why_it_is_no_better() {
    let found = examined(Where::Here).unwrap();
    let is_best = found[0].contains("(overlay)") && found[1].contains("namespaces");
    assert!(is_best || found[2..].iter().any(|line| line.starts_with("because: ")), "{found:#?}");
}

#[test]
fn without_user_name_spaces_it_is_a_copy_behind_landlock_and_the_reason_is_told() {
    let Some(found) = examined(Where::WithoutNamespaces) else {
        // Then this may be that machine, and the test above has seen it.
        return;
    };
    assert!(found[0].contains("(copy)"), "{found:#?}");
    let why = found.iter().find(|line| line.starts_with("because: "));
    let why = why.unwrap_or_else(|| panic!("no reason in {found:#?}"));
    assert!(why.contains("no overlay") && why.contains("no namespaces"), "{why}");
    assert!(why.contains("user name space"), "the step that was refused is named: {why}");
}

#[test]
fn without_a_filter_of_system_calls_the_walls_stand_and_it_is_told() {
    let Some(found) = examined(Where::WithoutFilter) else { return };
    assert!(found.iter().any(|line| line.contains("is not filtered (no seccomp)")), "{found:#?}");
    let why = found.iter().find(|line| line.starts_with("because: "));
    assert!(why.is_some_and(|why| why.contains("no filter of system calls (Invalid argument")), "{found:#?}");
    let here = examined(Where::Here).unwrap();
    assert_eq!(found[..2], here[..2], "the rest is as it is with one");
}

#[tokio::test]
async fn a_command_runs_on_the_draft_in_each_place() {
    for place in [Where::Here, Where::WithoutNamespaces, Where::WithoutFilter] {
        let mut home = Home::new();
        if command(&home, place, &[]).is_none() {
            continue;
        }
        home.write("a.txt", "old\n");
        let file = home.path("a.txt");
        let file = file.to_str().unwrap();
        let model = ModelServer::playing([
            Answer::calls("Read", json!({ "file_path": file })),
            Answer::calls("Edit", json!({ "file_path": file, "old_string": "old", "new_string": "new" })),
            Answer::calls(
                "Bash",
                json!({ "command": "sh -c 'cat a.txt; echo made >b.txt; echo x >../out.txt'" }),
            ),
            Answer::says("Done."),
        ])
        .await;
        home.environment = environment(&model);
        let arguments = ["run", "--diff", "--allow", "Bash", "go"];
        let mut run = command(&home, place, &arguments).unwrap();
        let ran = tokio::task::spawn_blocking(move || run.output()).await.unwrap().unwrap();
        let results: Vec<_> = model.requests().iter().flat_map(Request::results).collect();
        let (told, _) = results.last().unwrap();
        println!("{place:?}: {told}\n");
        assert!(told.contains("new\n"), "the command sees the draft: {told}");
        assert!(text(&ran).contains("+made"), "what it made is proposed: {ran:?}");
        assert_eq!(std::fs::read_to_string(file).unwrap(), "old\n");
        assert!(!home.path("b.txt").exists() && !home.path("../out.txt").exists());
    }
}

/// Tries each way to others that needs a socket, and to memory that programs share.
const WAYS_OUT: &str = r#"python3 -c '
import socket, sys
def tried(way, what):
    try:
        what()
        print(way, "open")
    except OSError as error:
        print(way, "closed")
tried("datagram", lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", int(sys.argv[1]))))
tried("stream", lambda: socket.create_connection(("127.0.0.1", int(sys.argv[1])), 1))
tried("name", lambda: socket.socket(socket.AF_UNIX).connect(sys.argv[2]))
tried("pair", lambda: socket.socketpair())
'"#;

#[tokio::test]
async fn no_socket_leads_out_of_any_place() {
    for place in [Where::Here, Where::WithoutNamespaces] {
        let mut home = Home::new();
        if command(&home, place, &[]).is_none() {
            continue;
        }
        let named = home.path("../a.sock");
        let _listening = std::os::unix::net::UnixListener::bind(&named).unwrap();
        let datagrams = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
        let port = datagrams.local_addr().unwrap().port();
        let _streams = std::net::TcpListener::bind(("127.0.0.1", port)).unwrap();
        datagrams.set_nonblocking(true).unwrap();
        let ways = format!("{WAYS_OUT} {port} {}", named.display());
        let (told, _) = ran(&mut home, place, &ways).await;
        assert!(told.contains("stream closed") && told.contains("name closed"), "{place:?}: {told}");
        assert!(told.contains("pair open"), "{place:?}: {told}");
        let mut heard = [0; 8];
        assert!(datagrams.recv(&mut heard).is_err(), "{place:?}: {told}");
        let is_own = place == Where::Here || told.contains("datagram closed");
        assert!(is_own, "{place:?}: {told}");
    }
}

#[tokio::test]
async fn what_runs_ends_with_the_program_in_each_place() {
    for (place, duration) in [(Where::Here, "987650.1"), (Where::WithoutNamespaces, "987650.2")] {
        let mut home = Home::new();
        if command(&home, place, &[]).is_none() {
            continue;
        }
        let line = format!("sleep {duration}; true");
        let model = ModelServer::playing([Answer::calls("Bash", json!({ "command": line }))]).await;
        home.environment = environment(&model);
        let mut run = command(&home, place, &["run", "--allow", "Bash", "go"]).unwrap();
        let mut running =
            run.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        assert!(becomes(duration, true).await, "{place:?}");
        let asked = Command::new("kill").arg(running.id().to_string()).status().unwrap();
        assert!(asked.success(), "{place:?}");
        tokio::task::spawn_blocking(move || running.wait()).await.unwrap().unwrap();
        assert!(becomes(duration, false).await, "{place:?}: it goes on without the program");
    }
}

/// Whether there comes to be a process with this argument, or none any more, within ten seconds.
async fn becomes(argument: &str, there: bool) -> bool {
    let has = |process: std::fs::DirEntry| {
        let words = std::fs::read(process.path().join("cmdline")).unwrap_or_default();
        words.split(|byte| *byte == 0).any(|word| word == argument.as_bytes())
    };
    for _ in 0..200 {
        if std::fs::read_dir("/proc").unwrap().flatten().any(has) == there {
            return true;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    false
}

fn environment(model: &ModelServer) -> Vec<(String, String)> {
    vec![
        ("ANTHROPIC_API_KEY".to_owned(), "not-a-key".to_owned()),
        ("ANTHROPIC_BASE_URL".to_owned(), model.url()),
    ]
}

/// What the one command of a task told the model, and how the program ended.
async fn ran(home: &mut Home, place: Where, command_line: &str) -> (String, Output) {
    let model = ModelServer::playing([
        Answer::calls("Bash", json!({ "command": command_line })),
        Answer::says("Done."),
    ])
    .await;
    home.environment = environment(&model);
    let mut run = command(home, place, &["run", "--diff", "--allow", "Bash", "go"]).unwrap();
    let ran = tokio::task::spawn_blocking(move || run.output()).await.unwrap().unwrap();
    let results: Vec<_> = model.requests().iter().flat_map(Request::results).collect();
    let (told, _) = results.last().unwrap_or_else(|| panic!("{ran:?}"));
    println!("{place:?}: {told}\n");
    (told.clone(), ran)
}
