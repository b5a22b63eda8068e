//! Following a task to its end: what it says is shown, what it asks is answered, Ctrl-C cancels it.

use anyhow::Result;
use copydesk_protocol::{
    Cost, Empty, Event, EventParams, MessageRecord, MessageRole, PermissionDenial, TaskAccount,
    TaskCancelParams, ToolCallStatus, ToolKind, Usage, methods,
};
use serde_json::Value;

use super::editor::{Editor, Interrupt, Next};
use super::progress::{Progress, Stream};
use super::question::{Answered, Question};
use super::terminal::{Terminal, visible};

/// How a task is shown.
pub(super) enum Show {
    Progress(Progress),
    /// Each event as it came, one a line.
    Events,
    Nothing,
}

/// How a task ended.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Ended {
    pub(super) session: String,
    pub(super) reason: String,
    pub(super) message: Option<String>,
    /// What the model said, each message a paragraph.
    pub(super) text: String,
    /// The calls that were not let through.
    pub(super) denials: Vec<PermissionDenial>,
    /// By Ctrl-C.
    pub(super) cancelled: bool,
    /// The offline model answered.
    pub(super) offline: bool,
    /// Whether a change was proposed, whatever has become of it.
    pub(super) proposed: bool,
    pub(super) turns: u32,
    pub(super) usage: Usage,
    /// `None`: nothing was spent.
    pub(super) cost: Option<Cost>,
    pub(super) account: TaskAccount,
}

impl Ended {
    /// Interrupted twice: how the task ended is not known.
    pub(super) fn given_up(&self) -> bool {
        self.session.is_empty()
    }

    pub(super) fn is_success(&self) -> bool {
        matches!(self.reason.as_str(), "completed" | "stop_hook_prevented" | "hook_stopped")
    }
}

impl Show {
    pub(super) fn progress() -> Self {
        Self::Progress(Progress::new(Stream::Out))
    }
}

/// Follows `task`, or the first task that shows itself, until its terminal event.
pub(super) async fn follow(
    editor: &mut Editor,
    terminal: &mut Terminal,
    interrupt: &mut Interrupt,
    task: Option<String>,
    show: &mut Show,
) -> Result<Ended> {
    let mut followed = Followed { task, ..Followed::default() };
    loop {
        let (method, params) = match editor.next(interrupt).await? {
            Next::Notification { method, params } => (method, params),
            // Asked twice: the server is not waited for.
            Next::Interrupted if followed.cancelled => return Ok(followed.given_up()),
            Next::Interrupted => {
                followed.cancel(editor).await?;
                continue;
            }
        };
        match method.as_str() {
            methods::EVENT => {
                let event = shown(&params, terminal, show);
                if let Some(ended) = event.and_then(|event| followed.take(event)) {
                    return Ok(ended);
                }
            }
            methods::PERMISSION_ASKED => {
                let asked = serde_json::from_value(params)?;
                let question = Question { asked: &asked, show, terminal };
                match question.put(interrupt).await {
                    Answered::By(answer) => {
                        let _: Empty = editor.call(methods::PERMISSION_ANSWER, answer).await?;
                    }
                    Answered::Interrupted => followed.cancel(editor).await?,
                }
            }
            "window/showMessage" => {
                if let Some(text) = params.get("message").and_then(Value::as_str) {
                    match &mut *show {
                        Show::Progress(progress) => progress.message(terminal, text),
                        Show::Events | Show::Nothing => terminal.note(&visible(text)),
                    }
                }
            }
            _ => {}
        }
    }
}

/// A task as far as it has gone.
#[derive(Default)]
struct Followed {
    /// `None`: whichever shows itself first.
    task: Option<String>,
    said: Said,
    cancelled: bool,
    answered_offline: bool,
    proposed: bool,
}

impl Followed {
    /// How it ended, if it has.
    fn take(&mut self, event: EventParams) -> Option<Ended> {
        if *self.task.get_or_insert_with(|| event.task_id.clone()) != event.task_id {
            return None;
        }
        match event.event {
            Event::Terminal {
                reason,
                turns,
                usage,
                cost,
                message,
                permission_denials,
                account,
                to_review: _,
            } => {
                return Some(Ended {
                    session: event.session_id,
                    reason,
                    message,
                    text: self.said.text(),
                    denials: permission_denials,
                    cancelled: self.cancelled,
                    offline: self.answered_offline,
                    proposed: self.proposed,
                    turns,
                    usage,
                    cost,
                    account,
                });
            }
            Event::RequestStart { offline, .. } => self.answered_offline = offline,
            event => {
                self.proposed |= is_change(&event);
                self.said.take(event);
            }
        }
        None
    }

    async fn cancel(&mut self, editor: &mut Editor) -> Result<()> {
        self.cancelled = true;
        if let Some(task_id) = self.task.clone() {
            let _: Empty = editor.call(methods::TASK_CANCEL, TaskCancelParams { task_id }).await?;
        }
        Ok(())
    }

    fn given_up(&self) -> Ended {
        Ended {
            session: String::new(),
            reason: "aborted".into(),
            message: None,
            text: self.said.text(),
            denials: Vec::new(),
            cancelled: true,
            offline: false,
            proposed: false,
            turns: 0,
            usage: Usage::default(),
            cost: None,
            account: TaskAccount::default(),
        }
    }
}

pub(super) fn is_change(event: &Event) -> bool {
    matches!(event, Event::ToolCall { kind: ToolKind::Edit, status: ToolCallStatus::Completed, .. })
}

/// What the model said and has not taken back, message by message.
#[derive(Default)]
struct Said(Vec<MessageRecord>);

impl Said {
    fn take(&mut self, event: Event) {
        match event {
            Event::Message { message }
                if message.role == MessageRole::Assistant && !message.text.is_empty() =>
            {
                self.0.push(message);
            }
            Event::Tombstone { message_id } => self.0.retain(|message| message.id != message_id),
            _ => {}
        }
    }

    /// Each message a paragraph.
    fn text(&self) -> String {
        let texts: Vec<&str> = self.0.iter().map(|message| message.text.as_str()).collect();
        texts.join("\n\n")
    }
}

/// Shows an event and gives it back. One of a later protocol, that can't be read, is passed on as it is.
fn shown(params: &Value, terminal: &mut Terminal, show: &mut Show) -> Option<EventParams> {
    if let Show::Events = show {
        terminal.line(&params.to_string());
    }
    let event: EventParams = serde_json::from_value(params.clone()).ok()?;
    if let Show::Progress(progress) = show {
        progress.event(terminal, &event.event);
    }
    Some(event)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_taken_back_was_not_said() {
        let message = |id: &str, role, text: &str| Event::Message {
            message: MessageRecord { id: id.into(), role, text: text.into() },
        };
        let mut said = Said::default();
        for event in [
            message("a", MessageRole::Assistant, "I sh"),
            message("b", MessageRole::Assistant, ""),
            Event::Tombstone { message_id: "a".into() },
            message("c", MessageRole::User, "go"),
            message("d", MessageRole::Assistant, "I look."),
            message("e", MessageRole::Assistant, "Done."),
        ] {
            said.take(event);
        }
        assert_eq!(said.text(), "I look.\n\nDone.");
    }
}
