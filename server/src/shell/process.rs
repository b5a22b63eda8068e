//! One command as the server sees it: started through the program itself, heard while it runs, and gone when it is over.

use std::future::Future;
use std::io;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::UnixStream;
use tokio::net::unix::pipe;
use tokio::process::{Child, Command};

use super::order::{self, Exit, Order, Report};

/// A command that runs. Dropping it ends the command and everything that the command started.
pub(super) struct Process {
    child: Child,
    /// What ends the command when it is closed.
    control: UnixStream,
    output: pipe::Receiver,
}

/// How a command came to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    /// By itself, or by somebody else's hand.
    Exited(Exit),
    /// It has not run, for this reason.
    Refused(Refusal),
}

/// Why a command could not be run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{step}: {cause}")]
pub struct Refusal {
    /// What was being done.
    pub step: String,
    pub cause: String,
}

/// How long a command that is to end may take before its guard is killed too.
const LONGEST_END: Duration = Duration::from_millis(800);
/// What is left in the pipe when a command has ended is read for so long.
const REST: Duration = Duration::from_millis(200);
const CHUNK: usize = 64 * 1024;

impl Process {
    /// Starts `order` through `program`, which is this program's own file.
    pub(super) async fn start(program: &PathBuf, order: &Order) -> Result<Self, Refusal> {
        let failed = |error: io::Error| Refusal { step: "start".to_owned(), cause: error.to_string() };
        let (ours, theirs) = std::os::unix::net::UnixStream::pair().map_err(failed)?;
        let (read, write) = io::pipe().map_err(failed)?;
        let errors = write.try_clone().map_err(failed)?;
        let mut command = Command::new(program);
        // Its environment could be read by the command.
        command.arg(super::CONFINE).env_clear().current_dir("/");
        // With the first process of a name space all others of it end. Without one, they end by the hand of the process that
        // is killed then: it does so when its control socket is closed.
        command.kill_on_drop(matches!(order.walls, order::Walls::Namespaces(_)));
        command.stdin(Stdio::from(std::os::fd::OwnedFd::from(theirs))).stdout(write).stderr(errors);
        let child = command.spawn().map_err(failed)?;
        // The command's ends of the pipe are its own alone.
        drop(command);
        ours.set_nonblocking(true).map_err(failed)?;
        let mut control = UnixStream::from_std(ours).map_err(failed)?;
        let output = pipe::Receiver::from_owned_fd(read.into()).map_err(failed)?;
        let frame = order::frame(order).map_err(failed)?;
        let needed = match &order.walls {
            // The first process of the name space has a copy of its own.
            order::Walls::Namespaces(_) => [frame.as_slice(), frame.as_slice()].concat(),
            order::Walls::Rights(_) | order::Walls::Open => frame,
        };
        control.write_all(&needed).await.map_err(failed)?;
        Ok(Self { child, control, output })
    }

    /// The process around the command.
    pub(super) fn id(&self) -> Option<u32> {
        self.child.id()
    }

    /// Hears the command to its end, or until `stop`, which ends it. Waits for the command, never for the end of its output:
    /// somebody whom it started may hold the pipe.
    pub(super) async fn hear(mut self, mut take: impl FnMut(&[u8]), stop: impl Future<Output = ()>) -> Ended {
        let (control, mut hold) = self.control.into_split();
        let mut reports = BufReader::new(control).lines();
        let mut told = None;
        let mut chunk = vec![0; CHUNK];
        let (mut open, mut telling) = (true, true);
        tokio::pin!(stop);
        let status = loop {
            tokio::select! {
                () = &mut stop => {
                    let _ = hold.shutdown().await;
                    break tokio::time::timeout(LONGEST_END, self.child.wait()).await.ok();
                }
                read = self.output.read(&mut chunk), if open => match read {
                    Ok(0) | Err(_) => open = false,
                    Ok(length) => take(chunk.get(..length).unwrap_or_default()),
                },
                line = reports.next_line(), if telling => match line {
                    Ok(Some(line)) => told = serde_json::from_str(&line).ok().or(told),
                    Ok(None) | Err(_) => telling = false,
                },
                status = self.child.wait() => break Some(status),
            }
        };
        if status.is_none() {
            let _ = self.child.kill().await;
        }
        let deadline = tokio::time::Instant::now() + REST;
        while let Ok(Ok(length @ 1..)) = tokio::time::timeout_at(deadline, self.output.read(&mut chunk)).await
        {
            take(chunk.get(..length).unwrap_or_default());
        }
        while let Ok(Ok(Some(line))) = tokio::time::timeout_at(deadline, reports.next_line()).await {
            told = serde_json::from_str(&line).ok().or(told);
        }
        ended(told, status)
    }
}

fn ended(told: Option<Report>, status: Option<io::Result<std::process::ExitStatus>>) -> Ended {
    use std::os::unix::process::ExitStatusExt as _;
    match (told, status) {
        (Some(Report::Refused { step, cause }), _) => Ended::Refused(Refusal { step, cause }),
        (Some(Report::Ended(exit)), _) => Ended::Exited(exit),
        (Some(Report::Started) | None, Some(Ok(status))) => {
            let exit = status.signal().map_or_else(|| Exit::Code(status.code().unwrap_or(1)), Exit::Signal);
            Ended::Exited(exit)
        }
        (Some(Report::Started) | None, Some(Err(_)) | None) => Ended::Exited(Exit::Signal(9)),
    }
}
