//! A task's events as a person follows them.

use copydesk_protocol::{Delta, Event, MessageRole, ToolCallContent, ToolCallStatus};

use super::answer_text::AnswerText;
use super::task::is_change;
use super::terminal::{Look, Terminal, visible};
use crate::agent::TerminalReason;
use crate::permissions::lines_of;

/// Which of the two streams takes the progress: stdout, unless that is kept for a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stream {
    Out,
    Err,
}

/// The transition after which an answer goes on where it was cut.
const GOES_ON: &str = "max_output_tokens_recovery";

/// Characters of a failed call's reason, and of a line that a command wrote.
const REASON_WIDTH: usize = 120;

/// Lines that are shown of what a command wrote that failed.
const FAILED_LINES: usize = 5;

/// Prints events as they come.
pub(super) struct Progress {
    stream: Stream,
    /// The model's text is in the middle of a line.
    in_line: bool,
    /// The model was named.
    model: Option<String>,
    /// The model has said or done something.
    answered: bool,
    answer: AnswerText,
    /// The next answer goes on in the middle of this one, which was cut at its most tokens.
    goes_on: bool,
    /// The offline model answers.
    offline: bool,
    /// A change was asked for, and none was proposed so far.
    lacks_change: bool,
    /// The answer was taken back; whether another is asked for, the next event tells.
    taken_back: bool,
}

impl Progress {
    pub(super) fn new(stream: Stream) -> Self {
        let answer = AnswerText::default();
        Self {
            stream,
            in_line: false,
            model: None,
            answered: false,
            answer,
            goes_on: false,
            offline: false,
            lacks_change: false,
            taken_back: false,
        }
    }

    /// Of a task that is to change something: it is not done without, as far as that can be told.
    pub(super) fn for_a_change(self) -> Self {
        Self { lacks_change: true, ..self }
    }

    pub(super) fn event(&mut self, terminal: &mut Terminal, event: &Event) {
        match event {
            Event::Tombstone { .. } => self.taken_back = true,
            Event::Retry { .. } => self.cut(terminal),
            Event::RequestStart { .. } | Event::Stream { .. } if self.taken_back => self.cut(terminal),
            _ => {}
        }
        self.lacks_change &= !is_change(event);
        if let Event::RequestStart { offline, .. } = event {
            self.offline = *offline;
        }
        match event {
            Event::Transition { reason } => self.goes_on = reason == GOES_ON,
            Event::RequestStart { .. } => {
                self.answer.next();
                if !std::mem::take(&mut self.goes_on) {
                    self.end_line(terminal);
                }
            }
            _ => {}
        }
        match event {
            // The offline model's label says itself that no language model answers.
            Event::RequestStart { model, .. } if self.model.as_ref() != Some(model) => {
                self.line(terminal, Look::Quiet, &format!("· {model}"));
                self.model = Some(model.clone());
            }
            Event::Stream { delta: Delta::Text { text } } => {
                self.answered = true;
                let text = self.answer.push(text);
                self.text(terminal, &text);
            }
            Event::ToolCall { title, status, content, .. } => {
                self.answered = true;
                self.tool_call(terminal, &first_line(title), *status, content);
            }
            Event::ToolUseSummary { summary, .. } => {
                self.line(terminal, Look::Quiet, &format!("· {summary}"));
            }
            Event::Plan { entries } => {
                for entry in entries {
                    let mark = if entry.status == "completed" { "x" } else { " " };
                    self.line(terminal, Look::Plain, &format!("[{mark}] {}", entry.content));
                }
            }
            Event::Compaction { status, reason } => match (status.as_str(), reason) {
                ("started", _) => self.line(terminal, Look::Quiet, "· summing up the conversation"),
                ("done", _) => self.line(terminal, Look::Quiet, "· the conversation was summed up"),
                (_, Some(why)) => {
                    let told = format!("! the conversation could not be summed up: {why}");
                    self.line(terminal, Look::Bad, &told);
                }
                (_, None) => {}
            },
            Event::Retry { attempt, max, delay_ms, reason } => {
                let seconds = (delay_ms.saturating_add(500) / 1000).max(1);
                let reason = reason.trim_end_matches('.');
                let text = format!("! {reason}; trying again in {seconds} s ({attempt}/{max})");
                self.line(terminal, Look::Bad, &text);
            }
            Event::Terminal { reason, turns, message, .. } => {
                self.end_line(terminal);
                let undone = reason == "completed" && self.offline && self.lacks_change;
                let (look, mark) = match reason.as_str() {
                    "completed" if undone => (Look::Quiet, "·"),
                    "completed" => (Look::Good, "✓"),
                    _ => (Look::Bad, "✗"),
                };
                let words = TerminalReason::named(reason).map(TerminalReason::in_words);
                // A reason of a later protocol is shown as it came.
                let words = words.map_or_else(|| reason.replace('_', " "), str::to_owned);
                let words = if undone { "ended without a change".to_owned() } else { words };
                let (how, why) = words.split_once(": ").unwrap_or((&words, ""));
                let message = message.as_deref().unwrap_or(why);
                let message = if message.is_empty() { String::new() } else { format!(": {message}") };
                let turns = match turns {
                    // Where nothing was said there was no turn.
                    0 | 1 if reason == "model_error" && !self.answered => String::new(),
                    1 => " after 1 turn".to_owned(),
                    turns => format!(" after {turns} turns"),
                };
                self.line(terminal, look, &format!("{mark} {how}{turns}{message}"));
            }
            Event::Message { message } if message.role == MessageRole::System => {
                self.message(terminal, &message.text);
            }
            // What the stream has shown already, or what only a screen that is drawn anew can use.
            Event::RequestStart { .. }
            | Event::Stream { delta: Delta::Thinking { .. } | Delta::ToolInput { .. } }
            | Event::Message { .. }
            | Event::Tombstone { .. }
            | Event::Transition { .. } => {}
        }
    }

    /// A message of the server for the person.
    pub(super) fn message(&mut self, terminal: &mut Terminal, text: &str) {
        self.line(terminal, Look::Plain, &format!("! {text}"));
    }

    /// Ends the line of text that is being written.
    pub(super) fn end_line(&mut self, terminal: &mut Terminal) {
        if std::mem::take(&mut self.in_line) {
            self.write(terminal, "\n");
        }
    }

    /// What stands there of the answer is void and can't be taken back, and another is asked for.
    fn cut(&mut self, terminal: &mut Terminal) {
        self.taken_back = false;
        if self.answer.cut() {
            self.line(terminal, Look::Quiet, "(the answer was cut; asking again)");
        }
    }

    fn tool_call(
        &mut self,
        terminal: &mut Terminal,
        title: &str,
        status: ToolCallStatus,
        content: &[ToolCallContent],
    ) {
        match status {
            ToolCallStatus::Completed => {
                self.line(terminal, Look::Quiet, &format!("· {title}"));
                self.output(terminal, content, 1);
            }
            ToolCallStatus::Failed => {
                let why = reason(content).map(|why| format!(": {why}")).unwrap_or_default();
                self.line(terminal, Look::Bad, &format!("✗ {title}{why}"));
                self.output(terminal, content, FAILED_LINES);
            }
            ToolCallStatus::Rejected => self.line(terminal, Look::Bad, &format!("✗ {title} (not allowed)")),
            ToolCallStatus::Pending | ToolCallStatus::InProgress => {}
        }
    }

    /// The last lines that a command wrote: its own word for what the model says of it.
    fn output(&mut self, terminal: &mut Terminal, content: &[ToolCallContent], lines: usize) {
        let written = content.iter().find_map(|part| match part {
            ToolCallContent::Data { data } => data.get("stdout")?.as_str(),
            ToolCallContent::Text { .. } => None,
        });
        let mut last: Vec<&str> = written.unwrap_or_default().lines().rev().map(str::trim_end).collect();
        last.retain(|line| !line.is_empty());
        last.truncate(lines);
        for line in last.into_iter().rev() {
            self.line(terminal, Look::Quiet, &format!("  │ {}", cut(line)));
        }
    }

    fn text(&mut self, terminal: &mut Terminal, text: &str) {
        if !text.is_empty() {
            self.write(terminal, &visible(text));
            self.in_line = !text.ends_with('\n');
        }
    }

    fn line(&mut self, terminal: &mut Terminal, look: Look, text: &str) {
        self.end_line(terminal);
        let text = visible(text);
        match self.stream {
            Stream::Out => terminal.styled(look, &text),
            Stream::Err => terminal.note(&text),
        }
    }

    fn write(&self, terminal: &mut Terminal, text: &str) {
        match self.stream {
            Stream::Out => terminal.print(text),
            Stream::Err => terminal.note_part(text),
        }
    }
}

/// The first line of what a failed call says, cut.
fn reason(content: &[ToolCallContent]) -> Option<String> {
    let text = content.iter().find_map(|part| match part {
        ToolCallContent::Text { text } => Some(text),
        ToolCallContent::Data { .. } => None,
    })?;
    text.lines().map(str::trim).find(|line| !line.is_empty()).map(cut)
}

fn cut(line: &str) -> String {
    if line.chars().count() <= REASON_WIDTH {
        return line.to_owned();
    }
    line.chars().take(REASON_WIDTH - 1).chain(['…']).collect()
}

/// Of a call's title, with how many more there are.
fn first_line(title: &str) -> String {
    let mut lines = lines_of(title);
    let first = lines.next().unwrap_or_default().to_owned();
    match lines.filter(|line| !line.trim().is_empty()).count() {
        0 => first,
        1 => format!("{first} (+1 line)"),
        more => format!("{first} (+{more} lines)"),
    }
}

#[cfg(test)]
mod tests {
    use copydesk_protocol::{TaskAccount, ToolKind, Usage};

    use super::*;
    use crate::cli::terminal::Written;

    fn call(title: &str, status: ToolCallStatus) -> Event {
        Event::ToolCall {
            id: "t".into(),
            title: title.into(),
            kind: ToolKind::Read,
            status,
            locations: vec![],
            content: vec![],
            group: None,
        }
    }

    fn text(text: &str) -> Event {
        Event::Stream { delta: Delta::Text { text: text.into() } }
    }

    #[test]
    fn a_task_as_it_is_read() {
        let written = Written::default();
        let mut terminal = Terminal::writing_to(written.clone());
        let mut progress = Progress::new(Stream::Out);
        let request = |turn| Event::RequestStart { model: "offline model".into(), turn, offline: true };
        let end = Event::Terminal {
            reason: "model_error".into(),
            turns: 2,
            usage: Usage::default(),
            cost: None,
            message: Some("the key is wrong".into()),
            permission_denials: Vec::new(),
            account: TaskAccount::default(),
            to_review: None,
        };
        for event in [
            request(1),
            text("I look"),
            text(" at it.\x1b[2J"),
            call("Read a.rs", ToolCallStatus::InProgress),
            call("Read a.rs", ToolCallStatus::Completed),
            request(2),
            call("Edit a.rs", ToolCallStatus::Failed),
            text("Done.\n"),
            end,
        ] {
            progress.event(&mut terminal, &event);
        }
        assert_eq!(
            written.text(),
            "· offline model\nI look at it.␛[2J\n· Read a.rs\n✗ Edit a.rs\nDone.\n\
             ✗ failed after 2 turns: the key is wrong\n"
        );
    }

    #[test]
    fn what_the_offline_model_does_not_understand_is_not_called_done() {
        let check = |offline, edits: bool, wants_change: bool, wanted: &str| {
            let written = Written::default();
            let mut terminal = Terminal::writing_to(written.clone());
            let progress = Progress::new(Stream::Out);
            let mut progress = if wants_change { progress.for_a_change() } else { progress };
            let request = Event::RequestStart { model: "m".into(), turn: 1, offline };
            let Event::ToolCall { id, title, status, locations, content, group, .. } =
                call("Edit a.rs", ToolCallStatus::Completed)
            else {
                panic!("a call")
            };
            let edit = Event::ToolCall { id, title, kind: ToolKind::Edit, status, locations, content, group };
            let end = Event::Terminal {
                reason: "completed".into(),
                turns: 1,
                usage: Usage::default(),
                cost: None,
                message: None,
                permission_denials: Vec::new(),
                account: TaskAccount::default(),
                to_review: None,
            };
            for event in [Some(request), edits.then_some(edit), Some(end)].into_iter().flatten() {
                progress.event(&mut terminal, &event);
            }
            assert_eq!(written.text().lines().last(), Some(wanted));
        };
        check(true, false, true, "· ended without a change after 1 turn");
        check(true, true, true, "✓ completed after 1 turn");
        check(true, false, false, "✓ completed after 1 turn");
        check(false, false, true, "✓ completed after 1 turn");
    }

    #[test]
    fn a_summary_that_fails_is_told_once() {
        let written = Written::default();
        let mut terminal = Terminal::writing_to(written.clone());
        let mut progress = Progress::new(Stream::Out);
        let why = Some("The model's service is overloaded.".to_owned());
        let told =
            [("started", None), ("done", None), ("started", None), ("failed", None), ("started", None)];
        for (status, reason) in told.into_iter().chain([("failed", why)]) {
            progress.event(&mut terminal, &Event::Compaction { status: status.into(), reason });
        }
        let began = "· summing up the conversation\n";
        let failed = "! the conversation could not be summed up: The model's service is overloaded.\n";
        let done = "· the conversation was summed up\n";
        assert_eq!(
            written.text(),
            format!("{began}{done}{began}{began}{failed}"),
            "the end says it, or this does"
        );
    }

    #[test]
    fn a_failed_call_says_why_on_one_line() {
        let written = Written::default();
        let mut terminal = Terminal::writing_to(written.clone());
        let mut progress = Progress::new(Stream::Out);
        let failed = |why: &str| {
            let mut event = call("Read missing.rs", ToolCallStatus::Failed);
            if let Event::ToolCall { content, .. } = &mut event {
                content.push(ToolCallContent::Text { text: why.into() });
            }
            event
        };
        progress.event(&mut terminal, &failed("\nmissing.rs does not exist.\nDid you mean a.rs?"));
        progress.event(&mut terminal, &failed(&"x".repeat(500)));
        let cut = "x".repeat(119);
        assert_eq!(
            written.text(),
            format!("✗ Read missing.rs: missing.rs does not exist.\n✗ Read missing.rs: {cut}…\n")
        );
    }

    #[test]
    fn a_command_has_one_line_and_the_last_that_it_wrote() {
        let written = Written::default();
        let mut terminal = Terminal::writing_to(written.clone());
        let mut progress = Progress::new(Stream::Out);
        let mut ended = |title: &str, status, stdout: &str| {
            let mut event = call(title, status);
            if let Event::ToolCall { content, .. } = &mut event {
                content.push(ToolCallContent::Data { data: serde_json::json!({ "stdout": stdout }) });
            }
            progress.event(&mut terminal, &event);
        };
        ended("cargo test ⏎ true ⏎ ", ToolCallStatus::Completed, "running\nok: 3\u{1b}[2J passed\n\n");
        ended("cat <<E ⏎ x ⏎ y ⏎ E", ToolCallStatus::Completed, "");
        ended("make", ToolCallStatus::Failed, "1\n2\n3\n4\n5\n6\n");
        assert_eq!(
            written.text(),
            "· cargo test (+1 line)\n  │ ok: 3␛[2J passed\n· cat <<E (+3 lines)\n\
             ✗ make\n  │ 2\n  │ 3\n  │ 4\n  │ 5\n  │ 6\n"
        );
    }

    #[test]
    fn an_answer_ends_its_line_unless_the_next_one_goes_on_in_it() {
        let written = Written::default();
        let mut terminal = Terminal::writing_to(written.clone());
        let mut progress = Progress::new(Stream::Out);
        let request = |turn| Event::RequestStart { model: "m".into(), turn, offline: false };
        let transition = |reason: &str| Event::Transition { reason: reason.into() };
        for event in [
            request(1),
            text("One."),
            transition("token_budget_continuation"),
            request(2),
            text("Two and a h"),
            transition("max_output_tokens_recovery"),
            request(3),
            text("alf."),
            transition("stop_hook_blocking"),
            request(4),
            text("Three.\n"),
        ] {
            progress.event(&mut terminal, &event);
        }
        assert_eq!(written.text(), "· m\nOne.\nTwo and a half.\nThree.\n");
    }

    #[test]
    fn an_answer_that_is_cut_goes_on_and_is_not_printed_twice() {
        let written = Written::default();
        let mut terminal = Terminal::writing_to(written.clone());
        let mut progress = Progress::new(Stream::Out);
        let retry = Event::Retry { attempt: 1, max: 10, delay_ms: 500, reason: "the stream was cut".into() };
        for event in [text("I rename lo"), retry, text("I rename "), text("load to open.\n")] {
            progress.event(&mut terminal, &event);
        }
        assert_eq!(
            written.text(),
            "I rename lo\n(the answer was cut; asking again)\n\
             ! the stream was cut; trying again in 1 s (1/10)\n…ad to open.\n"
        );
    }

    /// What is printed of `I sh`, taken back, and then `events`.
    #[track_caller]
    fn check_taken_back(events: Vec<Event>, wanted: &str) {
        let written = Written::default();
        let mut terminal = Terminal::writing_to(written.clone());
        let mut progress = Progress::new(Stream::Out);
        let tombstone = || Event::Tombstone { message_id: "m".into() };
        for event in [text("I sh"), tombstone(), tombstone()].into_iter().chain(events) {
            progress.event(&mut terminal, &event);
        }
        assert_eq!(written.text(), wanted);
    }

    #[test]
    fn an_answer_that_is_taken_back_is_said_to_be_asked_for_again_only_if_it_is() {
        let end = Event::Terminal {
            reason: "model_error".into(),
            turns: 1,
            usage: Usage::default(),
            cost: None,
            message: Some("the model declined".into()),
            permission_denials: Vec::new(),
            account: TaskAccount::default(),
            to_review: None,
        };
        check_taken_back(vec![end.clone()], "I sh\n✗ failed after 1 turn: the model declined\n");
        let written = Written::default();
        let mut progress = Progress::new(Stream::Out);
        progress.event(&mut Terminal::writing_to(written.clone()), &end);
        assert_eq!(written.text(), "✗ failed: the model declined\n", "where nothing was said was no turn");
        check_taken_back(vec![text("I shall.\n")], "I sh\n(the answer was cut; asking again)\n…all.\n");
        let request = Event::RequestStart { model: "m".into(), turn: 1, offline: false };
        check_taken_back(
            vec![request, text("I shall.\n")],
            "I sh\n(the answer was cut; asking again)\n· m\n…all.\n",
        );
    }
}
