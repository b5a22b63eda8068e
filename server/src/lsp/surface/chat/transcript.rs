//! What the sessions tell, as Markdown for the chat: the talk whole, the work as short lines.

use std::collections::{HashMap, HashSet};

use super::file::{COPYDESK, YOU};
use super::paragraphs::{Paragraphs, paragraph};
use crate::agent::{
    CompactionStatus, LoopEvent, SessionEvent, SessionUpdate, TerminalReason, ToolCallStatus, ToolCallUpdate,
};
use crate::conversation::{ContentBlock, Message, SessionId, SystemKind, TaskId, UserMessage};
use crate::lsp::surface::words::{asked, not_summed_up, one_line, shortened};
use crate::models::{BlockDelta, ProviderEvent};
use crate::permissions::PermissionMode;
use crate::tools::{PlanEntry, PlanStatus};

/// A failed command's output is in the conversation; here its first line is enough.
const DETAIL: usize = 100;

/// Turns updates into paragraphs. Pure.
#[derive(Debug, Default)]
pub(super) struct Transcript {
    streams: HashMap<TaskId, Paragraphs>,
    /// Tasks that were sent from the chat: their first prompt stands there already.
    from_chat: HashSet<TaskId>,
    /// Tasks whose last answer was taken back; whether another is asked for, the next event tells.
    taken_back: HashSet<TaskId>,
    /// The error that stands there as the last thing a task said: its end has the same words.
    errors: HashMap<TaskId, String>,
    offline: bool,
    /// By session, as it was shown.
    modes: HashMap<SessionId, PermissionMode>,
}

impl Transcript {
    /// `task` was started by what the user wrote in the chat.
    pub(super) fn sent_from_chat(&mut self, task: TaskId) {
        self.from_chat.insert(task);
    }

    /// The paragraphs that `update` makes whole. `to_review`: how many hunks wait for the user.
    pub(super) fn take(&mut self, update: &SessionUpdate, to_review: usize) -> Vec<String> {
        match &update.event {
            SessionEvent::Loop(event) => self.take_loop(&update.task, event, to_review),
            SessionEvent::ToolCall(call) => self.with_rest(&update.task, tool_line(call)),
            SessionEvent::PermissionAsked(request) => {
                let line = format!("**Waiting for you:** {} Answer with a code action.", asked(request));
                self.with_rest(&update.task, Some(line))
            }
            SessionEvent::Plan(entries) => self.with_rest(&update.task, plan(entries)),
            SessionEvent::SessionChanged(info) => {
                self.offline = info.offline;
                let before = self.modes.insert(info.session.clone(), info.mode).unwrap_or_default();
                let line = (before != info.mode)
                    .then(|| format!("*The permission mode is `{}`.*", info.mode.name()));
                self.with_rest(&update.task, line)
            }
            SessionEvent::Compaction(CompactionStatus::Failed(Some(why))) => {
                let line = format!("*{}*", not_summed_up(&one_line(why)));
                self.with_rest(&update.task, Some(line))
            }
            SessionEvent::PermissionResolved { .. }
            | SessionEvent::Transition(_)
            | SessionEvent::Spent(_)
            | SessionEvent::Compaction(_) => Vec::new(),
        }
    }

    fn take_loop(&mut self, task: &TaskId, event: &LoopEvent, to_review: usize) -> Vec<String> {
        match event {
            LoopEvent::Stream(_) | LoopEvent::RequestStart { .. } if self.taken_back.remove(task) => {
                let line = "*The answer above is void: it begins again.*".to_owned();
                let told = self.with_rest(task, Some(line));
                told.into_iter().chain(self.take_loop(task, event, to_review)).collect()
            }
            LoopEvent::Stream(event) => self.take_stream(task, event),
            LoopEvent::Message(Message::User(message)) => self.prompt(task, message),
            LoopEvent::Message(Message::Assistant(message)) if message.is_api_error => {
                let text: Vec<_> = message.content.iter().filter_map(text_of).collect();
                let text = one_line(&text.join(" ")).into_owned();
                let line = format!("**{text}**");
                self.errors.insert(task.clone(), text);
                self.with_rest(task, Some(line))
            }
            LoopEvent::Message(Message::System(message)) => match message.kind {
                SystemKind::Warning | SystemKind::ModelFallback => {
                    self.with_rest(task, Some(format!("*{}*", one_line(&message.text))))
                }
                _ => Vec::new(),
            },
            LoopEvent::Tombstone { .. } => {
                self.taken_back.insert(task.clone());
                Vec::new()
            }
            LoopEvent::Done(terminal) => {
                let told = self.errors.remove(task);
                let message = terminal.message.as_ref();
                let how = match (message, terminal.reason) {
                    (Some(message), _) if told.as_deref() == Some(&one_line(message)) => None,
                    // Behind an answer it was told already.
                    (Some(message), TerminalReason::Completed) if !self.streams.contains_key(task) => {
                        Some(format!("*{}*", one_line(message)))
                    }
                    (_, TerminalReason::Completed) => None,
                    (Some(message), _) => Some(format!("*Stopped: {}*", one_line(message))),
                    (None, reason) => Some(format!("*{}.*", capitalized(reason.in_words()))),
                };
                let rest = self.rest(task);
                self.streams.remove(task);
                self.taken_back.remove(task);
                self.from_chat.remove(task);
                rest.into_iter().chain(how).chain(changes_to_review(to_review)).collect()
            }
            LoopEvent::RequestStart { .. } | LoopEvent::ToolUseSummary { .. } => Vec::new(),
            LoopEvent::Message(Message::Assistant(_) | Message::Attachment(_) | Message::Progress(_)) => {
                Vec::new()
            }
        }
    }

    fn take_stream(&mut self, task: &TaskId, event: &ProviderEvent) -> Vec<String> {
        let is_new = !self.streams.contains_key(task);
        let stream = self.streams.entry(task.clone()).or_default();
        match event {
            ProviderEvent::MessageStart { .. } if is_new && self.offline => {
                vec!["*Offline model: no language model, but a handful of instructions.*".to_owned()]
            }
            ProviderEvent::BlockDelta { delta: BlockDelta::Text(text), .. } => stream.push(text),
            ProviderEvent::BlockStop { block: ContentBlock::Text { .. }, .. } => {
                stream.finish().into_iter().collect()
            }
            ProviderEvent::Retry { attempt, max, reason, .. } => {
                stream.forget();
                vec![format!("*Trying again ({attempt} of {max}): {}*", one_line(reason))]
            }
            ProviderEvent::MessageStart { .. }
            | ProviderEvent::BlockStart { .. }
            | ProviderEvent::BlockDelta { .. }
            | ProviderEvent::BlockStop { .. }
            | ProviderEvent::MessageDelta { .. }
            | ProviderEvent::Silence { .. }
            | ProviderEvent::MessageStop => Vec::new(),
        }
    }

    /// A prompt that came by another way is put into the chat, with the headings around it.
    fn prompt(&mut self, task: &TaskId, message: &UserMessage) -> Vec<String> {
        let is_prompt = !message.is_meta && !message.is_virtual && message.tool_use_result.is_none();
        let said = |block| text_of(block).map(|text| place_in_words(text).unwrap_or_else(|| text.to_owned()));
        let text: Option<Vec<_>> = message.content.iter().map(said).collect();
        match text {
            Some(text) if is_prompt && !self.from_chat.remove(task) => {
                let prompt = paragraph(&text.join("\n\n")).unwrap_or_default();
                vec![format!("{YOU}\n\n{prompt}\n\n{COPYDESK}")]
            }
            _ => Vec::new(),
        }
    }

    /// What the answer had come to, and a line after it; without a line the answer may go on.
    fn with_rest(&mut self, task: &TaskId, line: Option<String>) -> Vec<String> {
        match line {
            Some(line) => self.rest(task).into_iter().chain([line]).collect(),
            None => Vec::new(),
        }
    }

    fn rest(&mut self, task: &TaskId) -> Option<String> {
        self.streams.get_mut(task).and_then(Paragraphs::finish)
    }
}

fn capitalized(words: &str) -> String {
    let mut letters = words.chars();
    letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect()
}

/// The steps of the task as a list with boxes.
fn plan(entries: &[PlanEntry]) -> Option<String> {
    let line = |entry: &PlanEntry| {
        let content = one_line(&entry.content);
        match entry.status {
            PlanStatus::Pending => format!("- [ ] {content}"),
            PlanStatus::InProgress => format!("- [ ] **{content}**"),
            PlanStatus::Completed => format!("- [x] {content}"),
        }
    };
    (!entries.is_empty()).then(|| entries.iter().map(line).collect::<Vec<_>>().join("\n"))
}

/// One line for a call that is over. The star tells its list from the model's own.
fn tool_line(call: &ToolCallUpdate) -> Option<String> {
    let title = one_line(&call.title);
    let detail = call.text.as_deref().and_then(|text| text.lines().find(|line| !line.trim().is_empty()));
    let detail = detail.map(|line| shortened(&one_line(line.trim()), DETAIL).into_owned());
    match call.status {
        ToolCallStatus::Pending | ToolCallStatus::InProgress => None,
        ToolCallStatus::Completed => Some(format!("* {title}")),
        ToolCallStatus::Failed => {
            Some(format!("* {title}: failed{}", detail.map_or_else(String::new, |why| format!(": {why}"))))
        }
        ToolCallStatus::Rejected => Some(format!("* {title}: denied")),
    }
}

fn changes_to_review(count: usize) -> Option<String> {
    match count {
        0 => None,
        1 => Some("There is 1 change to review.".to_owned()),
        count => Some(format!("There are {count} changes to review.")),
    }
}

/// What the model is shown of the place, as a person reads it: `*In `src/a.rs`, lines 3 to 7*`. `None`: no such block.
fn place_in_words(text: &str) -> Option<String> {
    let head = text.strip_prefix("<editor-context ")?;
    let (head, _) = head.split_once(">\n").filter(|_| text.ends_with("</editor-context>"))?;
    let attribute = |name: &str| {
        let (_, rest) = head.split_once(&format!("{name}=\""))?;
        Some(rest.split_once('"')?.0)
    };
    let plain = |text: &str| {
        text.replace("&quot;", "\"").replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
    };
    let file = plain(attribute("path")?);
    let lines = attribute("lines").and_then(|lines| lines.split_once('-'));
    Some(match lines {
        None => format!("*In `{file}`*"),
        Some((first, last)) if first == last => format!("*In `{file}`, line {first}*"),
        Some((first, last)) => format!("*In `{file}`, lines {first} to {last}*"),
    })
}

fn text_of(block: &ContentBlock) -> Option<&str> {
    match block {
        ContentBlock::Text { text } => Some(text),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::file::join;
    use super::*;
    use crate::agent::{Spending, TaskAccount, Terminal};
    use crate::conversation::{MessageId, SessionId, ToolUseId};
    use crate::tools::ToolKind;

    fn update(event: SessionEvent) -> SessionUpdate {
        SessionUpdate { session: SessionId("s_1".to_owned()), task: TaskId("t_1".to_owned()), seq: 0, event }
    }

    fn text(text: &str) -> SessionEvent {
        SessionEvent::Loop(LoopEvent::Stream(ProviderEvent::BlockDelta {
            index: 0,
            delta: BlockDelta::Text(text.to_owned()),
        }))
    }

    fn prompt(text: &str) -> SessionEvent {
        SessionEvent::Loop(LoopEvent::Message(Message::from(UserMessage {
            id: MessageId::fresh(),
            at: std::time::UNIX_EPOCH,
            content: vec![ContentBlock::text(text)],
            is_meta: false,
            is_virtual: false,
            is_compact_summary: false,
            tool_use_result: None,
            source_tool_assistant: None,
            mcp_meta: None,
        })))
    }

    fn call(title: &str, status: ToolCallStatus, text: Option<&str>) -> SessionEvent {
        SessionEvent::ToolCall(ToolCallUpdate {
            id: ToolUseId("toolu_1".to_owned()),
            tool: "Read".to_owned(),
            title: title.to_owned(),
            kind: ToolKind::Read,
            status,
            locations: Vec::new(),
            text: text.map(str::to_owned),
            data: serde_json::Value::Null,
            group: None,
        })
    }

    fn done(reason: TerminalReason, message: Option<&str>) -> SessionEvent {
        let message = message.map(str::to_owned);
        SessionEvent::Loop(LoopEvent::Done(Terminal {
            denials: Vec::new(),
            reason,
            turns: 1,
            spent: Spending::default(),
            cost: None,
            message,
            account: TaskAccount::default(),
        }))
    }

    fn told(transcript: &mut Transcript, events: Vec<SessionEvent>) -> String {
        let told: Vec<_> = events.into_iter().flat_map(|event| transcript.take(&update(event), 5)).collect();
        join(&told)
    }

    #[test]
    fn the_talk_is_whole_and_the_work_is_short() {
        let events = vec![
            prompt("make get shorter"),
            text("I read "),
            text("the callers.\n\nThe match is "),
            call("Read src/store.rs", ToolCallStatus::InProgress, None),
            call("Read src/store.rs", ToolCallStatus::Completed, Some("40 lines")),
            call("Edit src/store.rs", ToolCallStatus::Failed, Some("old_string was not found\nnearest: 12")),
            call("Run rm -rf /", ToolCallStatus::Rejected, None),
            text("One line is enough."),
            done(TerminalReason::Completed, None),
        ];
        insta::assert_snapshot!(told(&mut Transcript::default(), events), @r"
        ## You

        make get shorter

        ## Copydesk

        I read the callers.

        The match is

        * Read src/store.rs
        * Edit src/store.rs: failed: old_string was not found
        * Run rm -rf /: denied

        One line is enough.

        There are 5 changes to review.
        ");
    }

    #[test]
    fn a_summary_that_fails_is_told_with_its_cause() {
        let failed =
            |why: Option<&str>| SessionEvent::Compaction(CompactionStatus::Failed(why.map(str::to_owned)));
        let events = vec![failed(None), failed(Some("The model's service is overloaded."))];
        assert_eq!(
            told(&mut Transcript::default(), events),
            "*The conversation could not be summed up: The model's service is overloaded.*"
        );
    }

    #[test]
    fn what_was_sent_from_the_chat_is_not_repeated() {
        let mut transcript = Transcript::default();
        transcript.sent_from_chat(TaskId("t_1".to_owned()));
        assert_eq!(told(&mut transcript, vec![prompt("make get shorter"), text("Done.\n\n")]), "Done.");
    }

    #[test]
    fn the_place_of_a_prompt_is_a_short_line() {
        let prompt = |context: &str| {
            let mut event = prompt("Explain this code.");
            if let SessionEvent::Loop(LoopEvent::Message(Message::User(message))) = &mut event {
                Arc::make_mut(message).content.push(ContentBlock::text(context));
            }
            told(&mut Transcript::default(), vec![event])
        };
        let shown = |place: &str| format!("## You\n\nExplain this code.\n\n{place}\n\n## Copydesk");
        assert_eq!(
            prompt("<editor-context path=\"src/a &amp; b.rs\" lines=\"3-7\">\nfn a() {}\n</editor-context>"),
            shown("*In `src/a & b.rs`, lines 3 to 7*")
        );
        assert_eq!(
            prompt("<editor-context path=\"a.rs\" lines=\"2-2\">\nx\n</editor-context>"),
            shown("*In `a.rs`, line 2*")
        );
        assert_eq!(prompt("<editor-context path=\"a.rs\">\n</editor-context>"), shown("*In `a.rs`*"));
        assert_eq!(prompt("<editor-context of mine"), shown("<editor-context of mine"));
    }

    #[test]
    fn an_answer_that_is_taken_back_begins_again_only_if_another_is_asked_for() {
        let void = || SessionEvent::Loop(LoopEvent::Tombstone { message_id: MessageId::fresh() });
        let told = |events| told(&mut Transcript::default(), events);
        assert_eq!(
            told(vec![text("I sh"), void(), void(), text("I shall.\n\n")]),
            "I sh\n\n*The answer above is void: it begins again.*\n\nI shall."
        );
        let declined = done(TerminalReason::ModelError, Some("The model declined to answer this."));
        assert_eq!(
            told(vec![text("I sh"), void(), declined]),
            "I sh\n\n*Stopped: The model declined to answer this.*\n\nThere are 5 changes to review."
        );
    }

    #[test]
    fn an_end_without_an_answer_is_told() {
        let told = |events| told(&mut Transcript::default(), events);
        let end = || done(TerminalReason::Completed, Some("The conversation takes 9 tokens."));
        let rest = "There are 5 changes to review.";
        assert_eq!(told(vec![end()]), format!("*The conversation takes 9 tokens.*\n\n{rest}"));
        assert_eq!(told(vec![text("Half."), end()]), format!("Half.\n\n{rest}"));
    }

    #[test]
    fn an_error_stands_there_once() {
        let error = || {
            SessionEvent::Loop(LoopEvent::Message(Message::from(crate::conversation::AssistantMessage {
                id: MessageId::fresh(),
                at: std::time::UNIX_EPOCH,
                response_id: String::new(),
                request_id: None,
                model: "m".to_owned(),
                content: vec![ContentBlock::text("The key was refused.")],
                stop_reason: None,
                usage: crate::conversation::Usage::default(),
                is_api_error: true,
                is_virtual: false,
            })))
        };
        let told = |message| {
            told(&mut Transcript::default(), vec![error(), done(TerminalReason::ModelError, Some(message))])
        };
        let rest = "There are 5 changes to review.";
        assert_eq!(told("The key was refused."), format!("**The key was refused.**\n\n{rest}"));
        assert_eq!(told("It broke."), format!("**The key was refused.**\n\n*Stopped: It broke.*\n\n{rest}"));
    }

    #[test]
    fn an_end_without_a_message_is_told_in_words() {
        let told = |reason| told(&mut Transcript::default(), vec![done(reason, None)]);
        let rest = "There are 5 changes to review.";
        for (reason, words) in [
            (TerminalReason::AbortedTools, "*Cancelled.*"),
            (TerminalReason::MaxTurns, "*Stopped: too many turns.*"),
            (TerminalReason::BlockingLimit, "*Failed.*"),
        ] {
            assert_eq!(told(reason), format!("{words}\n\n{rest}"));
        }
    }

    #[test]
    fn the_end_says_why() {
        let stopped = vec![
            text("I was ab"),
            done(TerminalReason::ModelError, Some("the key was refused: set ANTHROPIC_API_KEY")),
        ];
        insta::assert_snapshot!(told(&mut Transcript::default(), stopped), @r"
        I was ab

        *Stopped: the key was refused: set ANTHROPIC_API_KEY*

        There are 5 changes to review.
        ");
    }
}
