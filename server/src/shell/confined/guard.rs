//! The command's guard: starts it, waits for it, and leaves no process of it behind.

use std::io::Read as _;
use std::os::unix::process::CommandExt as _;
use std::process::Child;
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::process::{
    self, DumpableBehavior, Pid, Signal, WaitOptions, WaitStatus, getpid, kill_process, kill_process_group,
};

use super::{Control, Exit, Order, Refused, Report, Step, command, report};

/// Whom to end once the command has ended, or is to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// Everybody in the name space, which the kernel does when this process ends.
    NameSpace,
    /// Every process that descends from this one.
    Descendants,
}

/// How long a command that is to end may take to do so by itself.
const GRACE: Duration = Duration::from_millis(300);
/// How long killed processes may take to be gone.
const KILLED: Duration = Duration::from_secs(2);
const PAUSE: Duration = Duration::from_millis(5);

/// Without a terminal, and in a group that nobody else is in.
pub(super) fn own_session() -> Result<(), Refused> {
    match process::setsid() {
        // It leads a group already, and so a session of its own.
        Ok(_) | Err(Errno::PERM) => Ok(()),
        Err(error) => Err(Refused::new("session", error)),
    }
}

/// Whatever happens to the process that started this one.
pub(super) fn end_with_parent() -> Result<(), Refused> {
    process::set_parent_process_death_signal(Some(Signal::KILL)).step("end with the server")
}

/// Runs the command to its end, or until the control socket's other end is closed.
pub(super) fn run(order: &Order, end: End) -> Result<Exit, Refused> {
    // What the command leaves behind becomes a child of this process; in a name space it does anyway.
    process::set_child_subreaper(Some(getpid())).step("guard")?;
    // A command can't look into its guard.
    process::set_dumpable_behavior(DumpableBehavior::NotDumpable).step("guard")?;
    // The walls alone were to be tried.
    let Some(mut command) = command(order) else { return Ok(Exit::Code(0)) };
    let program = order.argv.first().map_or("", String::as_str);
    let child = command.process_group(0).spawn().map_err(|error| not_started(program, &error))?;
    drop(command);
    report(&Report::Started);
    std::thread::spawn(move || end_on_order(end));
    let exit = wait(&child)?;
    if end == End::Descendants {
        end_descendants();
    }
    Ok(exit)
}

/// How a process ended.
pub(super) fn exit(status: WaitStatus) -> Exit {
    match (status.exit_status(), status.terminating_signal()) {
        (Some(code), _) => Exit::Code(code),
        (None, Some(signal)) => Exit::Signal(signal),
        (None, None) => Exit::Code(1),
    }
}

fn not_started(program: &str, error: &std::io::Error) -> Refused {
    if error.kind() == std::io::ErrorKind::ArgumentListTooLong {
        return Refused::new("command", "it is longer than this system lets a command be");
    }
    if error.kind() == std::io::ErrorKind::NotFound {
        return Refused::new(
            "command",
            format!("there is no {program} here: install it, or put its folder into PATH"),
        );
    }
    Refused::new("command", format!("{program} can't be started: {error}"))
}

/// Waits for the command itself, and reaps whoever else ends meanwhile.
fn wait(child: &Child) -> Result<Exit, Refused> {
    let pid = Pid::from_child(child);
    loop {
        match process::wait(WaitOptions::empty()) {
            Ok(Some((ended, status))) if ended == pid => return Ok(exit(status)),
            Ok(_) | Err(Errno::INTR) => {}
            // Whoever ended it has its status.
            Err(Errno::CHILD) => return Ok(Exit::Signal(Signal::KILL.as_raw())),
            Err(error) => return Err(Refused::new("wait", error)),
        }
    }
}

/// Nothing more is said after the order: the read ends when the server lets go, or is gone.
fn end_on_order(end: End) {
    let mut byte = [0];
    while matches!(Control.read(&mut byte), Ok(1..)) {}
    match end {
        End::NameSpace => {
            signal_all(Signal::TERM);
            std::thread::sleep(GRACE);
        }
        End::Descendants => end_descendants(),
    }
    std::process::exit(Exit::Signal(Signal::KILL.as_raw()).code());
}

/// First asks, then kills, until no child is left.
fn end_descendants() {
    signal_all(Signal::TERM);
    let asked = Instant::now();
    while asked.elapsed() < GRACE && !children().is_empty() {
        reap();
        std::thread::sleep(PAUSE);
    }
    while asked.elapsed() < GRACE + KILLED && !children().is_empty() {
        signal_all(Signal::KILL);
        reap();
        std::thread::sleep(PAUSE);
    }
}

fn signal_all(signal: Signal) {
    for child in children() {
        let _ = kill_process_group(child, signal);
        let _ = kill_process(child, signal);
    }
}

fn reap() {
    while matches!(process::wait(WaitOptions::NOHANG), Ok(Some(_))) {}
}

/// The children of this process; those of a child that ends become its own.
fn children() -> Vec<Pid> {
    let own = getpid().as_raw_pid();
    let listed = std::fs::read_to_string(format!("/proc/self/task/{own}/children")).unwrap_or_default();
    listed.split_whitespace().filter_map(|pid| Pid::from_raw(pid.parse().ok()?)).collect()
}
