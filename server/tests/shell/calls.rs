//! What a command can't ask of the kernel, and what it still can.

use copydesk::shell::{Best, CallFilter, Request, Sandbox, ShellSettings, TrialMode, WallKind};

use crate::place::{Place, code, request, settings};

/// Each kind of walls on each kind of tree.
const WALLED: [Best; 3] = [
    Best::ALL,
    Best { mode: TrialMode::Copy, walls: WallKind::Namespaces },
    Best { mode: TrialMode::Copy, walls: WallKind::Rights },
];

fn place(best: Best) -> Place {
    Place::with(&[("a.txt", "a\n")], |base| ShellSettings { best, ..settings(base) })
}

/// Whether the calls of commands are filtered here; if not, why not is told, and that is an error where CI runs on a kernel
/// that could.
async fn is_filtered(place: &Place) -> bool {
    let ground = place.shell.ground().await;
    if ground.filter == CallFilter::On {
        return true;
    }
    eprintln!("not tried: calls are not filtered here, because: {:?}", ground.why);
    let could = std::fs::read_to_string("/proc/sys/kernel/seccomp/actions_avail")
        .is_ok_and(|actions| actions.contains("errno"));
    assert!(!could || std::env::var("CI").as_deref() != Ok("true"), "this kernel has the filter: {ground:?}");
    false
}

/// A call of the kernel with these arguments, and the number of the error that it answers with; 0 for none.
fn call(number: libc::c_long, arguments: &str) -> String {
    format!(
        "python3 -c 'import ctypes; c = ctypes.CDLL(None, use_errno=True); c.syscall.restype = ctypes.c_long; \
         r = c.syscall({number}, {arguments}); print(ctypes.get_errno() if r < 0 else 0)'"
    )
}

/// The same outside of all walls.
fn plainly(command: &str) -> String {
    let ran = std::process::Command::new("sh").args(["-c", command]).output().unwrap();
    assert!(ran.status.success(), "{command}: {ran:?}");
    String::from_utf8(ran.stdout).unwrap().trim().to_owned()
}

/// keyctl(2): the session's keyring, and what is done.
const SESSION: i32 = -3;
const SEARCH: i32 = 10;
const REVOKE: i32 = 3;

/// A key of the session that this test runs in, gone with it.
struct Key(String);

impl Key {
    /// `None`: nobody may have keys here.
    fn new() -> Option<Self> {
        let name = format!("copydesk-test-{}", std::process::id());
        let key = Self(name);
        let add = call(libc::SYS_add_key, &format!("b\"user\", b\"{}\", b\"PRIVATE\", 7, {SESSION}", key.0));
        (plainly(&add) == "0" && plainly(&key.found()) == "0").then_some(key)
    }

    fn found(&self) -> String {
        call(libc::SYS_keyctl, &format!("{SEARCH}, {SESSION}, b\"user\", b\"{}\", 0", self.0))
    }
}

impl Drop for Key {
    fn drop(&mut self) {
        let script = format!(
            "python3 -c 'import ctypes; c = ctypes.CDLL(None); \
             c.syscall({keyctl}, {REVOKE}, ctypes.c_int(c.syscall({keyctl}, {SEARCH}, {SESSION}, b\"user\", b\"{}\", 0)))'",
            self.0,
            keyctl = libc::SYS_keyctl
        );
        drop(std::process::Command::new("sh").args(["-c", &script]).output());
    }
}

#[tokio::test]
async fn the_keys_of_the_session_are_out_of_reach() {
    let Some(key) = Key::new() else {
        eprintln!("not tried: this kernel keeps no keys for this user");
        return;
    };
    for best in WALLED {
        let place = place(best);
        is_filtered(&place).await;
        let (output, _) = place.run(&key.found(), vec![]).await;
        let refused = [libc::EPERM, libc::ENOKEY].map(|errno| errno.to_string());
        assert!(refused.contains(&output.trim().to_owned()), "{best:?} {output}");
        let (output, _) = place.run("cat /proc/keys", vec![]).await;
        // Rights on files can't cover what lies among the processes.
        assert!(best.walls == WallKind::Rights || !output.contains(&key.0), "{best:?} {output}");
        let real = Request { sandbox: Sandbox::Without, ..request(&key.found(), vec![]) };
        let task = place.shell.start(real).await.unwrap();
        task.ended().await;
        assert_eq!(task.shown(100).text.trim(), "0", "without the sandbox it is as it was");
    }
}

#[tokio::test]
async fn what_only_harms_is_refused() {
    for best in WALLED {
        let place = place(best);
        if !is_filtered(&place).await {
            return;
        }
        for (what, number, arguments, want) in [
            ("keys", libc::SYS_keyctl, "0, -3, 0", libc::EPERM),
            ("a new key", libc::SYS_add_key, "b\"user\", b\"x\", b\"x\", 1, -3", libc::EPERM),
            ("the host of a virtual machine", libc::SYS_socket, "40, 1, 0", libc::EAFNOSUPPORT),
            ("ciphers of the kernel", libc::SYS_socket, "38, 5, 0", libc::EAFNOSUPPORT),
            ("a pair of another family", libc::SYS_socketpair, "30, 1, 0, 0", libc::EAFNOSUPPORT),
            ("calls by a ring", libc::SYS_io_uring_setup, "1, 0", libc::ENOSYS),
            ("users of its own", libc::SYS_unshare, "0x10000000", libc::EPERM),
            ("page faults of others", libc::SYS_userfaultfd, "0", libc::EPERM),
            ("programs in the kernel", libc::SYS_bpf, "0, 0, 0", libc::EPERM),
            ("counters", libc::SYS_perf_event_open, "0, 0, -1, -1, 0", libc::EPERM),
            ("a mount", libc::SYS_mount, "b\"none\", b\"/tmp\", b\"tmpfs\", 0, 0", libc::EPERM),
            ("another kernel", libc::SYS_kexec_load, "0, 0, 0, 0", libc::EPERM),
            ("the kernel's log", libc::SYS_syslog, "10, 0, 0", libc::EPERM),
            ("typing into a terminal", libc::SYS_ioctl, "0, 0x5412, b\"x\"", libc::EPERM),
        ] {
            let (output, outcome) = place.run(&call(number, arguments), vec![]).await;
            assert_eq!((output.trim(), code(&outcome)), (want.to_string().as_str(), 0), "{best:?} {what}");
        }
    }
}

#[tokio::test]
async fn a_foreign_process_can_not_be_traced() {
    for best in WALLED {
        let place = place(best);
        let mut foreign = std::process::Command::new("sleep").arg("1000").spawn().unwrap();
        let (output, _) =
            place.run(&call(libc::SYS_ptrace, &format!("16, {}, 0, 0", foreign.id())), vec![]).await;
        foreign.kill().unwrap();
        foreign.wait().unwrap();
        let refused = [libc::EPERM, libc::ESRCH].map(|errno| errno.to_string());
        assert!(refused.contains(&output.trim().to_owned()), "{best:?} {output}");
    }
}

#[tokio::test]
async fn ordinary_programs_work() {
    let sockets = "python3 -c 'import socket as s; [s.socket(f, t) for f, t in \
                   ((s.AF_UNIX, s.SOCK_STREAM), (s.AF_INET, s.SOCK_STREAM), (s.AF_INET6, s.SOCK_DGRAM))]; print(True)'";
    let pairs = "python3 -c 'import socket as s; s.socketpair(); s.socket(16, 3, 0); \
                 print(len(s.if_nameindex()) > 0)'";
    let threads = "python3 -c 'import threading as t, subprocess as p; x = [t.Thread(target=print, args=(\"True\",)) \
                   for _ in range(1)]; [y.start() for y in x]; [y.join() for y in x]; p.run([\"true\"], check=True)'";
    let traced = "python3 -c 'import ctypes, os; c = ctypes.CDLL(None); p = os.fork(); \
                  p or (c.ptrace(0, 0, 0, 0), os._exit(0)); print(os.waitpid(p, 0)[1] == 0)'";
    let built = "printf 'int puts(const char *); int main() { puts(\"True\"); return 0; }' >x.c && cc x.c -o x && ./x";
    for best in WALLED {
        let place = place(best);
        is_filtered(&place).await;
        // Where nothing is around a socket it could lead anywhere.
        let sockets = (best.walls == WallKind::Namespaces).then_some(sockets);
        for command in sockets.into_iter().chain([pairs, threads, traced, built]) {
            let (output, outcome) = place.run(command, vec![]).await;
            assert_eq!((output.trim(), code(&outcome)), ("True", 0), "{best:?} {command}");
        }
    }
}
