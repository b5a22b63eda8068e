//! What the sandbox refuses a command, as the model is told it: a printed table.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test ends where it can't go on, and prints its table"
)]

use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use copydesk_tests::client::Home;
use copydesk_tests::ground::{lasting_folder, not_tried};
use copydesk_tests::puppet::Puppets;
use serde_json::json;

const REFUSED: &[&str] = &["Read-only file system", "Permission denied", "No such file"];

/// A process that has nothing to do with any command.
struct Foreign(Child);

impl Drop for Foreign {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

#[tokio::test]
async fn each_is_refused_and_each_is_told() {
    // Not in the system's temporary folder, which a command has of its own: what it writes there goes nowhere, and is not
    // refused. All of the project can lie there, though.
    let Some(folder) = lasting_folder(Path::new(env!("CARGO_TARGET_TMPDIR"))) else {
        return not_tried("every folder that can be written here is one for temporary files", true);
    };
    let home = Home::below(&folder);
    home.write(
        "../config/copydesk/config.toml",
        "[permissions]\nallow = [\"Bash\", \"Edit(//**)\", \"Read(//**)\"]\n",
    );
    home.write("../outside.txt", "outside\n");
    home.write("../.ssh/id_ed25519", "PRIVATE\n");
    home.write("a.txt", "a\n");
    std::os::unix::fs::symlink("../outside.txt", home.path("link.txt")).unwrap();
    let outside = home.path("").parent().unwrap().join("outside.txt");
    let key = outside.with_file_name(".ssh/id_ed25519");
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let port = listener.local_addr().unwrap().port();
    let sleep = Command::new("sleep").arg("1000").stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    let mut foreign = Foreign(sleep.unwrap());

    let mut puppets = Puppets::start(home).await;
    let (outside_name, key, pid) = (outside.display(), key.display(), foreign.0.id());
    for (what, command, told) in [
        ("write outside", format!("echo x >>{outside_name}"), REFUSED),
        ("by a link", "echo x >>link.txt".to_owned(), REFUSED),
        ("by /proc", format!("echo x >>/proc/{pid}/root{outside_name}"), REFUSED),
        ("by a background child", format!("(sleep 0.2; echo x >>{outside_name}) & wait $!"), REFUSED),
        ("remove outside", format!("rm {outside_name}"), REFUSED),
        ("change the system", "touch /etc/made".to_owned(), REFUSED),
        ("read a secret", format!("cat {key}"), REFUSED),
        (
            "network",
            format!("bash -c 'exec 3<>/dev/tcp/127.0.0.1/{port}'"),
            &["refused", "denied", "unreachable"],
        ),
        ("signal to a foreign process", format!("kill -9 {pid}"), &["No such process", "not permitted"]),
        (
            "a socket to the host",
            "python3 -c 'import socket; socket.socket(40, 1)'".to_owned(),
            &["not supported"],
        ),
        ("more privileges", "unshare --mount true".to_owned(), &["not permitted", "failed"]),
    ] {
        let outcome = puppets.call("A", "Bash", json!({ "command": command })).await;
        let line = outcome.text.lines().find(|line| told.iter().any(|word| line.contains(word)));
        println!("{what:28} {}", line.unwrap_or("(nothing)"));
        assert!(outcome.is_error && line.is_some(), "{what}: {}", outcome.text);
        assert!(!outcome.text.contains("PRIVATE"), "{what}: {}", outcome.text);
        assert_eq!(fs::read_to_string(&outside).unwrap(), "outside\n", "{what}");
    }
    assert!(!Path::new("/etc/made").exists());
    assert!(listener.accept().is_err(), "nobody connected");
    assert!(foreign.0.try_wait().unwrap().is_none(), "it still runs");
    puppets.end().await;
}
