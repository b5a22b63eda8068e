//! Following a task to its end: what it says is shown, what it asks is answered, Ctrl-C cancels it.

use anyhow::Result;
use copydesk_protocol::{
    Cost, Empty, Event, EventParams, MessageRecord, MessageRole, PermissionAnswerParams,
    PermissionAskedParams, PermissionDenial, PermissionOption, PermissionOptionKind, TaskAccount,
    TaskCancelParams, ToolCallStatus, ToolKind, Usage, methods,
};
use serde_json::Value;

use super::editor::{Editor, Interrupt, Next};
use super::progress::{Progress, Stream};
use super::terminal::{Look, Terminal, visible};
use crate::permissions::{OWN_WORDS, allow_flags};

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
    /// Questions can be put to a person here.
    fn asks(&self) -> bool {
        matches!(self, Self::Progress(_))
    }

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
                followed.cancelled = true;
                if let Some(task_id) = followed.task.clone() {
                    let _: Empty = editor.call(methods::TASK_CANCEL, TaskCancelParams { task_id }).await?;
                }
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
            methods::PERMISSION_ASKED => put(editor, terminal, show, serde_json::from_value(params)?).await?,
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
            Event::Terminal { reason, turns, usage, cost, message, permission_denials, account } => {
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

/// Puts a question to the person and hands the answer on.
async fn put(
    editor: &mut Editor,
    terminal: &mut Terminal,
    show: &mut Show,
    asked: PermissionAskedParams,
) -> Result<()> {
    let Some(Choice { option_id, feedback }) = answer(terminal, show, &asked).await else { return Ok(()) };
    let unattended = (!terminal.interactive || !show.asks()).then_some(true);
    let params = PermissionAnswerParams {
        request_id: asked.request_id,
        option_id,
        feedback,
        updated_input: None,
        interrupt: None,
        updated_permissions: Vec::new(),
        unattended,
    };
    let _: Empty = editor.call(methods::PERMISSION_ANSWER, params).await?;
    Ok(())
}

fn is_change(event: &Event) -> bool {
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

/// One of the options of a question, with the person's own words where it asks for them.
struct Choice {
    option_id: String,
    feedback: Option<String>,
}

impl Choice {
    fn of(option: &PermissionOption) -> Self {
        Self { option_id: option.id.clone(), feedback: None }
    }
}

/// The person's choice. Nobody there, or no clear answer, is a no.
async fn answer(terminal: &mut Terminal, show: &mut Show, asked: &PermissionAskedParams) -> Option<Choice> {
    let is_no = |option: &&PermissionOption| {
        option.kind == PermissionOptionKind::RejectOnce && option.id != OWN_WORDS
    };
    let no = asked.options.iter().find(is_no);
    let Show::Progress(progress) = show else { return no.map(Choice::of) };
    progress.end_line(terminal);
    let call = &asked.tool_call;
    terminal.styled(Look::Heading, &visible(&format!("? {}", call.command.as_ref().unwrap_or(&call.title))));
    if !terminal.interactive {
        terminal.line(&visible(&unasked(&asked.explanation, &asked.rules)));
        return no.map(Choice::of);
    }
    terminal.line(&visible(&asked.explanation));
    for (number, option) in (1..).zip(&asked.options) {
        terminal.line(&visible(&format!("  {number}  {}", option.name)));
    }
    let line = terminal.ask("Your answer (a number; anything else is a no): ").await;
    let Some(option) = chosen(line.as_deref(), &asked.options) else { return no.map(Choice::of) };
    if option.id != OWN_WORDS {
        return Some(Choice::of(option));
    }
    let words = terminal.ask("In your words: ").await.filter(|words| !words.is_empty());
    match words {
        Some(words) => Some(Choice { feedback: Some(words), ..Choice::of(option) }),
        None => no.map(Choice::of),
    }
}

/// Why it would be asked, and what would let it through without that, which is named once: as a flag.
fn unasked(explanation: &str, rules: &[String]) -> String {
    let flag = |rule: &String| allow_flags([rule.clone()]);
    let is_named = !rules.is_empty() && rules.iter().all(|rule| explanation.contains(&format!("`{rule}`")));
    let no = "Nobody is here to be asked, so the answer is no.";
    if is_named {
        let named = rules.iter().fold(explanation.to_owned(), |text, rule| {
            text.replace(&format!("`{rule}`"), &format!("`{}`", flag(rule)))
        });
        return format!("{named}\n{no}");
    }
    let way = allow_flags(rules.iter().cloned());
    let way = if way.is_empty() { way } else { format!(" This would let it through: {way}") };
    format!("{explanation}\n{no}{way}")
}

fn chosen<'a>(line: Option<&str>, options: &'a [PermissionOption]) -> Option<&'a PermissionOption> {
    let number: usize = line?.parse().ok()?;
    options.get(number.checked_sub(1)?)
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

    #[test]
    fn what_would_let_a_call_through_is_named_once() {
        let no = "Nobody is here to be asked, so the answer is no.";
        let rules = ["Edit(.envrc)".to_owned()];
        assert_eq!(
            unasked("It starts programs. A rule lets it in: `Edit(.envrc)`.", &rules),
            format!("It starts programs. A rule lets it in: `--allow 'Edit(.envrc)'`.\n{no}")
        );
        let way = "This would let it through: --allow 'Edit(.envrc)'";
        assert_eq!(unasked("It writes.", &rules), format!("It writes.\n{no} {way}"));
        assert_eq!(unasked("It writes.", &[]), format!("It writes.\n{no}"));
    }

    #[test]
    fn only_a_number_in_the_list_is_an_answer() {
        let option = |id: &str, kind| PermissionOption { id: id.into(), kind, name: id.into() };
        let options =
            [option("once", PermissionOptionKind::AllowOnce), option("no", PermissionOptionKind::RejectOnce)];
        let check = |line: Option<&str>, want: Option<&str>| {
            assert_eq!(chosen(line, &options).map(|option| option.id.as_str()), want, "{line:?}");
        };
        check(Some("1"), Some("once"));
        check(Some("2"), Some("no"));
        for nothing in [None, Some(""), Some("0"), Some("3"), Some("y")] {
            check(nothing, None);
        }
    }
}
