//! The process's own stdin and stdout. Pipes and sockets, as every editor gives them, are waited for by the runtime itself:
//! a thread between would be one more to be woken for every key.

use std::os::fd::{BorrowedFd, OwnedFd};
use std::os::unix;

use rustix::fs::{FileType, OFlags, fcntl_getfl, fcntl_setfl, fstat};
use rustix::stdio::{stderr, stdin, stdout};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::UnixStream;
use tokio::net::unix::pipe;
use tokio::signal::unix::{SignalKind, signal};

type Input = Box<dyn AsyncRead + Send + Unpin>;
type Output = Box<dyn AsyncWrite + Send + Unpin>;

/// Both ends, and what is put right again when they are no longer used.
pub(super) struct Stdio {
    pub(super) input: Input,
    pub(super) output: Output,
    pub(super) borrowed: Borrowed,
}

/// Whether a call waits is a property of the pipe and not of the process: others that have it too are to find it, after us,
/// as it was.
#[derive(Default)]
pub(super) struct Borrowed(Vec<(OwnedFd, OFlags)>);

impl Stdio {
    /// Must be called within a runtime.
    pub(super) fn of_process() -> Self {
        let mut borrowed = Borrowed::default();
        let input = borrowed.input().unwrap_or_else(|| Box::new(tokio::io::stdin()));
        let output = borrowed.output().unwrap_or_else(|| Box::new(tokio::io::stdout()));
        Self { input, output, borrowed }
    }
}

impl Borrowed {
    fn input(&mut self) -> Option<Input> {
        match self.borrow(stdin())? {
            (FileType::Fifo, end) => Some(Box::new(pipe::Receiver::from_owned_fd(end).ok()?)),
            (FileType::Socket, end) => Some(Box::new(socket(end)?)),
            (_, _) => None,
        }
    }

    fn output(&mut self) -> Option<Output> {
        let place = |end| fstat(end).ok().map(|about| (about.st_dev, about.st_ino));
        if place(stdout()) == place(stderr()) {
            // What is urgent is said there in plain calls, which have to be able to wait.
            return None;
        }
        match self.borrow(stdout())? {
            (FileType::Fifo, end) => Some(Box::new(pipe::Sender::from_owned_fd(end).ok()?)),
            (FileType::Socket, end) => Some(Box::new(socket(end)?)),
            (_, _) => None,
        }
    }

    fn borrow(&mut self, end: BorrowedFd<'_>) -> Option<(FileType, OwnedFd)> {
        let kind = FileType::from_raw_mode(fstat(end).ok()?.st_mode);
        let was = fcntl_getfl(end).ok()?;
        self.0.push((end.try_clone_to_owned().ok()?, was));
        Some((kind, end.try_clone_to_owned().ok()?))
    }
}

impl Drop for Borrowed {
    fn drop(&mut self) {
        // Both may be one: what it was at first counts.
        for (end, was) in self.0.iter().rev() {
            // If it can't be done, the other end is gone, and so are those who would mind.
            let _ = fcntl_setfl(end, *was);
        }
    }
}

/// A signal asked the process to end, as a shell or a system does that is about to go down.
pub(super) async fn told_to_end() {
    let kinds = [SignalKind::terminate(), SignalKind::interrupt(), SignalKind::hangup()];
    let signals = kinds.into_iter().filter_map(|kind| signal(kind).ok());
    let mut received: Vec<_> =
        signals.map(|mut signal| Box::pin(async move { signal.recv().await })).collect();
    if received.is_empty() {
        return std::future::pending().await;
    }
    let _ = futures::future::select_all(received.drain(..)).await;
}

fn socket(end: OwnedFd) -> Option<UnixStream> {
    let socket = unix::net::UnixStream::from(end);
    socket.set_nonblocking(true).ok()?;
    UnixStream::from_std(socket).ok()
}
