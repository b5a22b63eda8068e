//! What a command can't do: each thing is refused, and it is told.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::time::{Duration, Instant};

use copydesk::shell::{Best, Limits, Network, ShellSettings, TrialMode, WallKind};

use crate::place::{Place, code, is_running, request, settings};

/// A place whose home and configuration hold secrets, with a file beside the workspace.
fn place(best: Best) -> Place {
    let place = Place::with(&[("a.txt", "a\n")], |base| ShellSettings { best, ..settings(base) });
    for (path, text) in [
        ("home/.ssh/id_ed25519", "PRIVATE"),
        ("home/.netrc", "PRIVATE"),
        ("home/.env", "PRIVATE"),
        ("home/.bash_history", "PRIVATE"),
        ("home/.claude/.credentials.json", "PRIVATE"),
        ("home/.config/gh/hosts.yml", "PRIVATE"),
        ("home/.local/share/keyrings/login.keyring", "PRIVATE"),
        ("home/.mozilla/firefox/cookies.sqlite", "PRIVATE"),
        ("config/config.toml", "api_key = \"PRIVATE\""),
        ("outside.txt", "outside\n"),
    ] {
        let path = place.base.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    place
}

/// The walls that this machine has, told where they are not the best.
async fn walls(place: &Place) -> WallKind {
    let ground = place.shell.ground().await;
    if let Some(why) = &ground.why {
        eprintln!("these walls are tested: {:?}, because: {why}", ground.walls);
    }
    ground.walls
}

/// Whether commands have name spaces here. Without them it is told that a test is not tried, and that is an error where CI
/// runs on a machine that could have them.
async fn has_namespaces(place: &Place) -> bool {
    let kind = walls(place).await;
    if kind == WallKind::Namespaces {
        return true;
    }
    let plain = std::process::Command::new("unshare").args(["--user", "--map-root-user", "true"]).output();
    let could = plain.is_ok_and(|plain| plain.status.success());
    eprintln!("not tried: commands have no name spaces here, only {kind:?}");
    assert!(
        !could || std::env::var("CI").as_deref() != Ok("true"),
        "this machine makes name spaces, but not for commands: {:?}",
        place.shell.known_ground()
    );
    false
}

/// Both kinds of walls, one after the other.
const BOTH: [Best; 2] = [Best::ALL, Best { mode: TrialMode::Copy, walls: WallKind::Rights }];

#[tokio::test]
async fn nothing_is_written_outside_of_the_tree() {
    for best in BOTH {
        let place = place(best);
        let kind = walls(&place).await;
        assert_ne!(kind, WallKind::Open, "this machine has no walls at all");
        let outside = place.base.join("outside.txt");
        symlink(&outside, place.root.join("link.txt")).unwrap();
        for command in [
            format!("echo x >>{outside}"),
            format!("rm {outside}"),
            format!("touch {}/made", place.base),
            "echo x >>link.txt".to_owned(),
            "echo x >>../outside.txt".to_owned(),
            "cd /proc/self/cwd/.. && echo x >>outside.txt".to_owned(),
            format!("echo x >>/proc/1/root{outside}"),
            format!("echo x >>/proc/{}/root{outside}", std::process::id()),
            format!("(sleep 0.2; echo x >>{outside}) & wait $!"),
            "touch /etc/made /usr/made /opt/made".to_owned(),
            "echo 1 >/proc/sys/kernel/sysrq".to_owned(),
        ] {
            let (output, outcome) = place.run(&command, vec![]).await;
            let is_told = ["Read-only", "denied", "No such file"].iter().any(|word| output.contains(word));
            let is_refused = code(&outcome) != 0 && is_told;
            let is_private =
                place.is_in_temporary() && !command.contains("/etc/") && !command.contains("/sys/");
            assert!(is_refused || is_private, "{best:?} {command}: {outcome:?} {output}");
            assert_eq!(fs::read_to_string(&outside).unwrap(), "outside\n", "{best:?} {command}");
        }
        assert!(!place.base.join("made").exists());
    }
}

#[tokio::test]
async fn the_attributes_of_other_files_can_not_be_changed() {
    // Rights on files say nothing of these, so this is for namespaces alone.
    let place = place(Best::ALL);
    if !has_namespaces(&place).await {
        return;
    }
    let outside = place.base.join("outside.txt");
    let before = fs::metadata("/etc/passwd").unwrap();
    let (output, outcome) = place.run("chmod 777 /etc/passwd; touch -d 2000-01-01 /etc/passwd", vec![]).await;
    assert!(code(&outcome) != 0 && output.contains("Read-only file system"), "{output}");
    let after = fs::metadata("/etc/passwd").unwrap();
    assert_eq!(
        (before.permissions(), before.modified().unwrap()),
        (after.permissions(), after.modified().unwrap())
    );
    assert!(outside.exists());
}

#[tokio::test]
async fn secrets_can_not_be_read() {
    for best in BOTH {
        let place = place(best);
        walls(&place).await;
        for secret in [
            "home/.ssh/id_ed25519",
            "home/.netrc",
            "home/.env",
            "home/.bash_history",
            "home/.claude/.credentials.json",
            "home/.config/gh/hosts.yml",
            "home/.local/share/keyrings/login.keyring",
            "home/.mozilla/firefox/cookies.sqlite",
            "config/config.toml",
        ] {
            let path = place.base.join(secret);
            let (output, outcome) = place.run(&format!("cat {path}"), vec![]).await;
            assert_ne!(code(&outcome), 0, "{best:?} {secret}");
            assert!(!output.contains("PRIVATE"), "{output}");
            let is_told = output.contains("Permission denied") || output.contains("No such file");
            assert!(is_told, "{best:?} {output}");
        }
        // Whoever is root outside could read these.
        let (output, outcome) = place.run("cat /etc/shadow /etc/gshadow /etc/sudoers", vec![]).await;
        assert!(code(&outcome) != 0 && !output.contains("root:"), "{best:?} {output}");
        let (output, _) = place.run(&format!("cat /proc/{}/environ; env", std::process::id()), vec![]).await;
        assert!(!output.contains("CARGO_MANIFEST_DIR=/") || !output.contains("ANTHROPIC"), "{output}");
    }
}

#[tokio::test]
async fn files_of_the_workspace_can_be_kept_from_a_command() {
    for mode in [TrialMode::Overlay, TrialMode::Copy] {
        let place = place(Best { mode, walls: WallKind::Namespaces });
        if !has_namespaces(&place).await {
            return;
        }
        place.write("sub/.env", "PRIVATE");
        let hidden = vec![place.root.join("sub/.env"), place.root.join("nowhere")];
        let mut request = request("cat sub/.env; cp sub/.env x; echo y >sub/.env; cat a.txt", vec![]);
        request.hidden = hidden;
        let task = place.shell.start(request).await.unwrap();
        let outcome = task.ended().await;
        let output = task.shown(1_000).text;
        assert!(!output.contains("PRIVATE") && output.matches("denied").count() >= 2, "{mode:?} {output}");
        assert!(output.ends_with("a\n") && outcome.changes.is_empty(), "{mode:?} {output} {outcome:?}");
        assert_eq!(place.read("sub/.env").as_deref(), Some("PRIVATE"));
    }
}

#[tokio::test]
async fn where_rights_are_the_only_wall_such_files_are_not_in_the_copy() {
    let place = place(Best { mode: TrialMode::Copy, walls: WallKind::Rights });
    walls(&place).await;
    place.write("sub/.env", "PRIVATE");
    for command in ["cat sub/.env; cat a.txt", "cp sub/.env x; cat a.txt"] {
        let view = place.view("sub/.env", Some("PRIVATE too"));
        let mut request = request(command, vec![view]);
        request.hidden = vec![place.root.join("sub/.env")];
        let task = place.shell.start(request).await.unwrap();
        let outcome = task.ended().await;
        let output = task.shown(1_000).text;
        assert!(!output.contains("PRIVATE") && output.contains("No such file"), "{output}");
        assert!(output.ends_with("a\n") && outcome.changes.is_empty(), "{output} {outcome:?}");
    }
    assert_eq!(place.read("sub/.env").as_deref(), Some("PRIVATE"));
}

#[tokio::test]
async fn there_is_no_network_unless_it_is_allowed() {
    let place = place(Best::ALL);
    walls(&place).await;
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let connect = format!("exec 3<>/dev/tcp/127.0.0.1/{port}");
    let (output, outcome) = place.run(&connect, vec![]).await;
    assert!(code(&outcome) != 0 && output.contains("refused") || output.contains("denied"), "{output}");
    let shared = Place::with(&[], |base| ShellSettings { network: Network::Shared, ..settings(base) });
    let (output, outcome) = shared.run(&connect, vec![]).await;
    assert_eq!(code(&outcome), 0, "{output}");
}

/// Connects to the socket at the path that follows.
const CONNECT: &str = "python3 -c 'import socket, sys; socket.socket(socket.AF_UNIX).connect(sys.argv[1]); print(\"connected\")'";

#[tokio::test]
async fn sockets_of_other_programs_are_out_of_reach_wherever_they_are() {
    let place = place(Best::ALL);
    if !has_namespaces(&place).await {
        return;
    }
    // In a folder that nobody has heard of, in the workspace itself, and where services have theirs.
    let mut paths = vec![place.base.join("home/tool/agent.sock"), place.root.join("server.sock")];
    let service = camino::Utf8PathBuf::from(format!("/run/copydesk-{}.sock", std::process::id()));
    if UnixListener::bind(&service).is_ok() {
        fs::remove_file(&service).unwrap();
        paths.push(service);
    }
    for path in paths {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let listener = UnixListener::bind(&path).unwrap();
        let connect = format!("{CONNECT} {path}");
        let plain = std::process::Command::new("sh").args(["-c", &connect]).output().unwrap();
        assert!(plain.status.success(), "it works without walls: {plain:?}");
        let (output, outcome) = place.run(&connect, vec![]).await;
        assert!(code(&outcome) != 0 && !output.contains("connected"), "{path}: {output}");
        drop(listener);
        fs::remove_file(path).unwrap();
    }
}

#[tokio::test]
async fn a_command_talks_to_itself_through_a_socket() {
    let place = place(Best::ALL);
    walls(&place).await;
    let serve = "import socket; s = socket.socket(socket.AF_UNIX); s.bind(\"/tmp/own.sock\"); s.listen(); print(\"ready\", flush=True); s.accept()";
    let command = format!(
        "mkfifo /tmp/ready; python3 -c '{serve}' >/tmp/ready & read ready </tmp/ready; {CONNECT} /tmp/own.sock"
    );
    let (output, outcome) = place.run(&command, vec![]).await;
    assert_eq!((output.trim(), code(&outcome)), ("connected", 0));
}

#[tokio::test]
async fn an_ignored_folder_can_be_the_real_one_and_no_other() {
    for mode in [TrialMode::Overlay, TrialMode::Copy] {
        let place = Place::with(&[(".gitignore", "target/\n"), ("target/a", "a"), ("src/b", "b")], |base| {
            let pass_through = vec!["target".into(), "src".into(), "../outside".into(), "nowhere".into()];
            ShellSettings { pass_through, best: Best { mode, walls: WallKind::Namespaces }, ..settings(base) }
        });
        if !has_namespaces(&place).await {
            return;
        }
        let (output, outcome) = place.run("echo x >target/made; echo x >src/made", vec![]).await;
        assert_eq!((output.as_str(), code(&outcome)), ("", 0), "{mode:?}");
        assert_eq!(place.read("target/made").as_deref(), Some("x\n"), "{mode:?}");
        assert_eq!(place.read("src/made"), None, "{mode:?}: what git does not ignore is reviewed");
        let changed: Vec<_> = outcome.changes.iter().map(|change| change.path.clone()).collect();
        assert_eq!(changed, [place.root.join("src/made")], "{mode:?}");
    }
}

#[tokio::test]
async fn its_own_servers_can_be_reached() {
    let place = place(Best::ALL);
    if !has_namespaces(&place).await {
        return;
    }
    let (output, outcome) = place
        .run("python3 -m http.server 8123 >/dev/null 2>&1 & for i in $(seq 300); do (exec 3<>/dev/tcp/127.0.0.1/8123) 2>/dev/null && echo reached && exit 0; sleep 0.1; done; exit 1", vec![])
        .await;
    assert_eq!((output.as_str(), code(&outcome)), ("reached\n", 0));
}

#[tokio::test]
async fn foreign_processes_get_no_signal() {
    for best in BOTH {
        let place = place(best);
        walls(&place).await;
        let mut foreign = std::process::Command::new("sleep").arg("1000").spawn().unwrap();
        let (output, outcome) = place.run(&format!("kill -9 {}", foreign.id()), vec![]).await;
        assert_ne!(code(&outcome), 0, "{best:?} {output}");
        assert!(output.contains("No such process") || output.contains("not permitted"), "{output}");
        assert!(foreign.try_wait().unwrap().is_none(), "it still runs");
        foreign.kill().unwrap();
        foreign.wait().unwrap();
    }
}

#[tokio::test]
async fn a_fork_bomb_ends_with_its_command() {
    let place = Place::with(&[], |base| {
        let limits = Limits { processes: 400, ..Limits::default() };
        ShellSettings { limits, ..settings(base) }
    });
    if !has_namespaces(&place).await {
        return;
    }
    let task = place.start("bomb() { sleep 100 & bomb | bomb & }; bomb; sleep 100", vec![]).await;
    let begun = Instant::now();
    while !task.shown(30_000).text.contains("fork") {
        assert!(begun.elapsed() < Duration::from_secs(30), "the bomb meets no limit");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    task.stop();
    let stopped = Instant::now();
    task.ended().await;
    assert!(stopped.elapsed() < Duration::from_secs(3));
    let output = task.shown(30_000).text;
    assert!(output.contains("fork") && output.contains("temporarily unavailable"), "{output}");
}

#[tokio::test]
async fn what_is_left_behind_ends_with_the_command() {
    for best in BOTH {
        let place = place(best);
        walls(&place).await;
        let mark = format!("{}", 100_000 + u64::from(std::process::id()) * 7 + best.walls as u64);
        let begun = Instant::now();
        let command = format!(
            "setsid sleep {mark} & (sleep {mark} &); nohup sleep {mark} >/dev/null 2>&1 & echo begun"
        );
        let (output, outcome) = place.run(&command, vec![]).await;
        assert_eq!((output.lines().next(), code(&outcome)), (Some("begun"), 0), "{best:?} {output}");
        assert!(begun.elapsed() < Duration::from_secs(20), "the pipe that they hold keeps nobody waiting");
        assert!(!is_running(&format!("sleep {mark}")), "{best:?}");
    }
}

#[tokio::test]
async fn no_program_can_give_a_privilege() {
    let place = place(Best::ALL);
    assert_ne!(walls(&place).await, WallKind::Open, "this machine has no walls at all");
    let (output, _) = place.run("grep -E 'NoNewPrivs|CapEff|CapBnd' /proc/self/status", vec![]).await;
    assert!(output.contains("NoNewPrivs:\t1") && output.contains("CapEff:\t0000000000000000"), "{output}");
    let (output, outcome) =
        place.run("unshare -rm true && mount -o remount,rw / && touch /made", vec![]).await;
    assert_ne!(code(&outcome), 0, "{output}");
    assert!(!std::path::Path::new("/made").exists());
}
