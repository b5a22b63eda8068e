//! The program run once more, in one thread, to put walls around a command and to run it there.
//!
//! Stdin is the control socket: the order comes in, reports go out, and its end means that the command is to end.

mod calls;
mod guard;
mod kernel;
mod loopback;
mod mounts;
mod namespaces;
mod neighbours;
mod rights;

use std::ffi::OsString;
use std::io::{self, Write};
use std::process::{Command, ExitCode, Stdio};

use rustix::process::{PidfdFlags, WaitOptions, pidfd_open, waitpid};

use self::calls::Sockets;
use self::neighbours::Neighbours;
use super::order::{self, Exit, Network, Order, Report, Walls};

/// What the program is called with to build the walls, and then, inside them, to be the first process there. Nobody else
/// has a use for either.
const OUTSIDE: &str = super::CONFINE;
const INSIDE: &str = "__confined";

/// What can't be done, and why.
pub(super) struct Refused {
    step: String,
    cause: String,
}

/// Runs a command within walls if that is what `arguments` (without the program's name) ask for.
pub fn run_if_asked(mut arguments: impl Iterator<Item = OsString>) -> Option<ExitCode> {
    let word = arguments.next()?;
    let run = match word.to_str()? {
        OUTSIDE => outside,
        INSIDE => inside,
        _ => return None,
    };
    let ended = order::read_frame(Control).map_err(|error| Refused::new("order", error)).and_then(run);
    Some(match ended {
        Ok(exit) => {
            report(&Report::Ended(exit));
            ExitCode::from(exit.code().to_le_bytes()[0])
        }
        Err(Refused { step, cause }) => {
            report(&Report::Refused { step, cause });
            ExitCode::FAILURE
        }
    })
}

impl Refused {
    fn new(step: impl Into<String>, cause: impl ToString) -> Self {
        Self { step: step.into(), cause: cause.to_string() }
    }
}

/// Names the step that failed.
trait Step<T> {
    fn step(self, step: &str) -> Result<T, Refused>;
}

impl<T, E: ToString> Step<T> for Result<T, E> {
    fn step(self, step: &str) -> Result<T, Refused> {
        self.map_err(|error| Refused::new(step, error))
    }
}

fn outside(order: Order) -> Result<Exit, Refused> {
    match &order.walls {
        Walls::Namespaces(spaces) => {
            let sockets = mounts::sockets();
            // Opened before it is out of reach.
            let neighbours = Neighbours::of(spaces)?;
            namespaces::enter(spaces)?;
            mounts::build(spaces, &sockets)?;
            namespaces::keep_privileges()?;
            hand_on(neighbours)
        }
        Walls::Rights(wanted) => {
            guard::own_session()?;
            rights::limit(order.limits)?;
            rights::give_up_privileges()?;
            kernel::leave_keys(order.filter)?;
            rights::restrict(wanted)?;
            let sockets = match wanted.network {
                Network::Shared => Sockets::Usual,
                Network::None => Sockets::None,
            };
            kernel::filter_calls(order.filter, sockets)?;
            guard::run(&order, guard::End::Descendants)
        }
        Walls::Open => {
            guard::own_session()?;
            guard::run(&order, guard::End::Descendants)
        }
    }
}

/// The next process is the first of its name space: it gets the order too, and reports by itself.
fn hand_on(neighbours: Option<Neighbours>) -> Result<Exit, Refused> {
    let child = Command::new("/proc/self/exe").arg(INSIDE).env_clear().spawn().step("first process")?;
    let pid = rustix::process::Pid::from_child(&child);
    // A kernel without such descriptors lets nobody see what others write meanwhile.
    if let Some(neighbours) = neighbours
        && let Ok(process) = pidfd_open(pid, PidfdFlags::empty())
    {
        neighbours.heed_until_the_end_of(&process);
    }
    loop {
        match waitpid(Some(pid), WaitOptions::empty()) {
            Ok(Some((_, status))) => {
                // It has told how it ended, unless somebody killed it.
                if let Some(code) = status.exit_status() {
                    std::process::exit(code);
                }
                return Ok(guard::exit(status));
            }
            Ok(None) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(Refused::new("wait", error)),
        }
    }
}

fn inside(order: Order) -> Result<Exit, Refused> {
    let Walls::Namespaces(spaces) = &order.walls else {
        return Err(Refused::new("order", "the walls are of another kind"));
    };
    guard::own_session()?;
    guard::end_with_parent()?;
    mounts::processes();
    rights::limit_processes_of_this_space(order.limits);
    mounts::lock_knobs()?;
    mounts::hide_keys();
    loopback::bring_up(spaces.network);
    rights::limit(order.limits)?;
    rights::give_up_privileges()?;
    kernel::leave_keys(order.filter)?;
    rights::restrict_namespaces(spaces)?;
    kernel::filter_calls(order.filter, Sockets::Usual)?;
    guard::run(&order, guard::End::NameSpace)
}

fn report(report: &Report) {
    if let Ok(mut line) = serde_json::to_vec(report) {
        line.push(b'\n');
        // A server that is gone needs no report.
        let _ = Control.write_all(&line);
    }
}

/// The program to run, before it is started.
fn command(order: &Order) -> Option<Command> {
    let (program, arguments) = order.argv.split_first()?;
    let mut command = Command::new(program);
    command.args(arguments).current_dir(&order.cwd).stdin(Stdio::null());
    command.env_clear().envs(order.environment.iter().map(|(name, value)| (name, value)));
    Some(command)
}

/// Stdin as what it is here: a socket, read and written without a buffer.
struct Control;

impl io::Read for Control {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        Ok(rustix::io::retry_on_intr(|| rustix::io::read(rustix::stdio::stdin(), &mut *buffer))?)
    }
}

impl Write for Control {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Ok(rustix::io::retry_on_intr(|| rustix::io::write(rustix::stdio::stdin(), bytes))?)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
