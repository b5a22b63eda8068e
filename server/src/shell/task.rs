//! A command while it runs and after: what it has written up to now, and what came of it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use camino::Utf8PathBuf;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::order::Exit;
use super::output::{Caps, Output, Shown};
use super::trial_tree::TreeChange;
use super::{Ground, Refusal};

/// One command, in the foreground or not. Goes on running until it ends or is stopped.
#[derive(Debug)]
pub struct Task {
    id: String,
    command: String,
    process: Option<u32>,
    ground: Ground,
    begun: Instant,
    output: Mutex<Output>,
    outcome: watch::Sender<Option<Arc<Outcome>>>,
    care: watch::Sender<Care>,
    stop: CancellationToken,
}

/// Who looks after what a command changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Care {
    /// Whoever waits for it.
    Caller,
    /// It runs in the background: somebody does when it ends.
    Background,
    /// That is done.
    Done,
}

/// What came of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    pub how: How,
    /// What it changed in the trial tree.
    pub changes: Vec<TreeChange>,
    /// The folder that it ended in, as in the real workspace, if it said so.
    pub cwd: Option<Utf8PathBuf>,
    pub took: Duration,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum How {
    Exited(Exit),
    /// It was stopped.
    Stopped,
    /// It wrote more than a command may.
    Flood,
    /// It never ran.
    Refused(Refusal),
}

/// Stops a command unless it is let go.
#[derive(Debug)]
pub struct StopOnDrop(Option<Arc<Task>>);

impl Task {
    /// `process`: the one that is around the command's own, until both end.
    pub(super) fn new(
        id: String,
        (command, process): (String, Option<u32>),
        ground: Ground,
        output: Output,
    ) -> Self {
        Self {
            id,
            command,
            process,
            ground,
            begun: Instant::now(),
            output: Mutex::new(output),
            outcome: watch::Sender::new(None),
            care: watch::Sender::new(Care::Caller),
            stop: CancellationToken::new(),
        }
    }

    pub fn id(&self) -> &str {
        &self.id
    }

    /// The command line.
    pub fn command(&self) -> &str {
        &self.command
    }

    pub(super) fn process(&self) -> Option<u32> {
        self.process
    }

    /// What it runs on, and behind which walls.
    pub fn ground(&self) -> &Ground {
        &self.ground
    }

    /// How much of what it writes is kept and shown.
    pub fn caps(&self) -> Caps {
        self.output().caps()
    }

    /// Ends the command; `ended` tells when it is gone.
    pub fn stop(&self) {
        self.stop.cancel();
    }

    /// What came of it, once it is over.
    pub async fn ended(&self) -> Arc<Outcome> {
        let mut outcome = self.outcome.subscribe();
        let ended = outcome.wait_for(Option::is_some).await.ok().and_then(|ended| ended.clone());
        match ended {
            Some(ended) => ended,
            // The sender is this task's own.
            None => std::future::pending().await,
        }
    }

    /// What came of it, if it is over.
    pub fn outcome(&self) -> Option<Arc<Outcome>> {
        self.outcome.borrow().clone()
    }

    /// From here on nobody waits for it: whoever says so looks after what it changes, and then says `taken_care_of`.
    pub fn goes_to_background(&self) {
        self.care.send_replace(Care::Background);
    }

    /// What it changed in the background is where it belongs.
    pub fn taken_care_of(&self) {
        self.care.send_replace(Care::Done);
    }

    pub(super) fn is_in_background(&self) -> bool {
        *self.care.borrow() == Care::Background
    }

    /// Waits until it is not in the background any more.
    pub(super) async fn until_taken_care_of(&self) {
        // An error: the sender is this task's own.
        let _ = self.care.subscribe().wait_for(|care| *care != Care::Background).await;
    }

    /// What it has written up to now, whole if that is at most `limit` characters.
    pub fn shown(&self, limit: usize) -> Shown {
        self.output().shown(limit)
    }

    /// What it has written since the last time, or the end of that.
    pub fn news(&self) -> Option<String> {
        self.output().news()
    }

    /// The file that all further output goes to as well.
    pub fn save(&self) -> Option<Utf8PathBuf> {
        self.output().begin_file()
    }

    pub(super) fn take(&self, bytes: &[u8]) {
        let mut output = self.output();
        output.take(bytes);
        if output.is_flood() {
            self.stop.cancel();
        }
    }

    /// Told when the command is to end.
    pub(super) fn stopping(&self) -> &CancellationToken {
        &self.stop
    }

    pub(super) fn is_flood(&self) -> bool {
        self.output().is_flood()
    }

    pub(super) fn end(&self, how: How, changes: Vec<TreeChange>, cwd: Option<Utf8PathBuf>) {
        let outcome = Outcome { how, changes, cwd, took: self.begun.elapsed() };
        self.outcome.send_replace(Some(Arc::new(outcome)));
    }

    fn output(&self) -> MutexGuard<'_, Output> {
        self.output.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl StopOnDrop {
    pub fn new(task: Arc<Task>) -> Self {
        Self(Some(task))
    }

    /// The command goes on.
    pub fn let_go(mut self) {
        self.0 = None;
    }
}

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        if let Some(task) = &self.0 {
            task.stop();
        }
    }
}
