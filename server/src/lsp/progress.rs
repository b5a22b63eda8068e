//! Work-done progress of running tasks (LSP "Work Done Progress"): one line each, that can be cancelled.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::watch;

use super::outgoing::Outgoing;
use super::surface::words::{not_summed_up, one_line, shortened};
use crate::agent::{
    CompactionStatus, LoopEvent, SessionEvent, SessionUpdate, Terminal, TerminalReason, ToolCallStatus,
};
use crate::conversation::TaskId;
use crate::models::{BlockDelta, ProviderEvent};
use crate::tools::ToolKind;

/// An editor that does not answer the creation of a token shows no progress.
const CREATE_DEADLINE: Duration = Duration::from_secs(9);
/// Characters of the last line, which stands in a status line.
const LAST_WIDTH: usize = 80;
/// The same of a line that says why something failed while the task goes on.
const FAILURE_WIDTH: usize = 120;
/// Faster lines nobody reads.
const EVERY: Duration = Duration::from_millis(100);

/// The tokens in use and whose they are. Cheap to clone.
#[derive(Clone, Default)]
pub(super) struct Running {
    tokens: Arc<Mutex<BTreeMap<String, TaskId>>>,
}

impl Running {
    /// The task that shows its progress under `token`.
    pub(super) fn task_of(&self, token: &str) -> Option<TaskId> {
        self.lock().get(token).cloned()
    }

    /// Helix 25.01 shows the token itself, so it is a word, with a number only if that is taken.
    fn take_token(&self, task: &TaskId) -> String {
        let mut tokens = self.lock();
        let numbered = (2..).map(|number: u32| format!("copydesk {number}"));
        let free =
            std::iter::once("copydesk".to_owned()).chain(numbered).find(|token| !tokens.contains_key(token));
        let token = free.unwrap_or_default();
        tokens.insert(token.clone(), task.clone());
        token
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, TaskId>> {
        self.tokens.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Follows all tasks.
pub(super) struct Progress {
    outgoing: Outgoing,
    running: Running,
    tasks: BTreeMap<TaskId, Task>,
}

struct Task {
    line: watch::Sender<Line>,
    calls: u32,
    /// The line says that the model is silent.
    silent: bool,
    has_said: bool,
    has_changed: bool,
}

/// What one task shows.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Line {
    Report(String),
    End(String),
}

impl Progress {
    pub(super) fn new(outgoing: Outgoing, running: Running) -> Self {
        Self { outgoing, running, tasks: BTreeMap::new() }
    }

    /// Takes the next event of any session. `left`: what waits for a decision at the end of a task, in words.
    pub(super) fn follow(&mut self, update: &SessionUpdate, left: Option<&str>) {
        let task = self.tasks.get_mut(&update.task);
        match &update.event {
            SessionEvent::Loop(LoopEvent::RequestStart { .. }) => match task {
                Some(task) => task.report("thinking…".to_owned()),
                None => self.begin(update.task.clone()),
            },
            SessionEvent::Loop(LoopEvent::Stream(ProviderEvent::Retry { attempt, max, delay, reason })) => {
                if let Some(task) = task {
                    let seconds = delay.as_secs_f32().ceil();
                    task.report(format!("{reason} Trying again in {seconds} s ({attempt}/{max})"));
                }
            }
            SessionEvent::Loop(LoopEvent::Stream(ProviderEvent::Silence { lasted })) => {
                if let Some(task) = task {
                    task.report(format!("the model has sent nothing for {} s…", lasted.as_secs()));
                    task.silent = true;
                }
            }
            SessionEvent::Loop(LoopEvent::Stream(event)) => {
                let is_first = matches!(event, ProviderEvent::MessageStart { .. });
                let is_text = matches!(event, ProviderEvent::BlockDelta { delta: BlockDelta::Text(_), .. });
                if let Some(task) = task {
                    task.has_said |= is_text;
                    if is_first || task.silent {
                        task.report("thinking…".to_owned());
                        task.silent = false;
                    }
                }
            }
            SessionEvent::ToolCall(call) if call.status == ToolCallStatus::InProgress => {
                if let Some(task) = task {
                    task.calls += 1;
                    task.report(format!("{} ({})", call.title, task.calls));
                }
            }
            SessionEvent::ToolCall(call) if call.status == ToolCallStatus::Completed => {
                if let Some(task) = task {
                    task.has_changed |=
                        matches!(call.kind, ToolKind::Edit | ToolKind::Delete | ToolKind::Move);
                }
            }
            SessionEvent::PermissionAsked(request) => {
                if let Some(task) = task {
                    task.report(format!("waits for you: {}", request.title));
                }
            }
            SessionEvent::Compaction(CompactionStatus::Started) => {
                if let Some(task) = task {
                    task.report("summing up the conversation…".to_owned());
                }
            }
            SessionEvent::Compaction(CompactionStatus::Failed(Some(why))) => {
                if let Some(task) = task {
                    task.report(shortened(&not_summed_up(&one_line(why)), FAILURE_WIDTH).into_owned());
                }
            }
            SessionEvent::Loop(LoopEvent::Done(terminal)) => {
                if let Some(task) = self.tasks.remove(&update.task) {
                    task.line.send_replace(Line::End(task.last_line(terminal, left)));
                }
            }
            SessionEvent::Loop(
                LoopEvent::Message(_) | LoopEvent::Tombstone { .. } | LoopEvent::ToolUseSummary { .. },
            )
            | SessionEvent::ToolCall(_)
            | SessionEvent::Plan(_)
            | SessionEvent::Transition(_)
            | SessionEvent::Spent(_)
            | SessionEvent::Compaction(_)
            | SessionEvent::PermissionResolved { .. }
            | SessionEvent::SessionChanged(_) => {}
        }
    }

    fn begin(&mut self, task: TaskId) {
        let (line, lines) = watch::channel(Line::Report("thinking…".to_owned()));
        let token = self.running.take_token(&task);
        tokio::spawn(show(self.outgoing.clone(), self.running.clone(), token, lines));
        self.tasks.insert(task, Task { line, calls: 0, silent: false, has_said: false, has_changed: false });
    }
}

impl Task {
    /// The same line again is not sent.
    fn report(&self, text: String) {
        let report = Line::Report(text);
        self.line.send_if_modified(|line| {
            let is_new = *line != report;
            *line = report;
            is_new
        });
    }

    /// Some editors show it in place of every message, so it has to say why.
    fn last_line(&self, terminal: &Terminal, left: Option<&str>) -> String {
        let line = self.ending(terminal);
        match (terminal.reason, left) {
            (TerminalReason::Completed, Some(left)) if terminal.message.is_none() => left.to_owned(),
            (_, Some(left)) => format!("{line}; {left}"),
            (_, None) => line,
        }
    }

    fn ending(&self, terminal: &Terminal) -> String {
        let how = match terminal.reason {
            TerminalReason::Completed => "done",
            reason => reason.in_words(),
        };
        let why = terminal.message.as_deref().and_then(|message| message.lines().next());
        let line = match (terminal.reason, why) {
            (TerminalReason::Completed, Some(said)) => said.to_owned(),
            (TerminalReason::Completed, None) if self.has_said && !self.has_changed => {
                "answered: Open chat".to_owned()
            }
            (
                TerminalReason::BlockingLimit
                | TerminalReason::PromptTooLong
                | TerminalReason::ImageError
                | TerminalReason::ModelError
                | TerminalReason::StopHookPrevented
                | TerminalReason::HookStopped,
                Some(why),
            ) => format!("{how}: {why}"),
            (
                TerminalReason::Completed
                | TerminalReason::AbortedStreaming
                | TerminalReason::AbortedTools
                | TerminalReason::MaxTurns
                | TerminalReason::BudgetExhausted,
                _,
            )
            | (_, None) => how.to_owned(),
        };
        shortened(&one_line(&line), LAST_WIDTH).into_owned()
    }
}

/// Shows the newest line until the last one.
async fn show(outgoing: Outgoing, running: Running, token: String, mut lines: watch::Receiver<Line>) {
    let created = outgoing
        .request("window/workDoneProgress/create", json!({ "token": token }), Some(CREATE_DEADLINE))
        .await;
    // "No progress must be sent for a token whose creation failed."
    if created.is_ok() {
        let send = |value: Value| outgoing.notify("$/progress", json!({ "token": token, "value": value }));
        // The title can't be changed later, so all that changes is in the message.
        send(json!({ "kind": "begin", "title": "Copydesk", "cancellable": true }));
        loop {
            match lines.borrow_and_update().clone() {
                Line::Report(text) => send(json!({ "kind": "report", "cancellable": true, "message": text })),
                Line::End(text) => {
                    send(json!({ "kind": "end", "message": text }));
                    break;
                }
            }
            tokio::time::sleep(EVERY).await;
            if lines.changed().await.is_err() {
                send(json!({ "kind": "end" }));
                break;
            }
        }
    }
    running.lock().remove(&token);
}
