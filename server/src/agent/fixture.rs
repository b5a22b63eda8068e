//! A model that plays a script, tools that do what a test needs, and events in one line each.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::UNIX_EPOCH;

use futures::future::{self, BoxFuture};
use futures::stream::{self, BoxStream};
use futures::{FutureExt as _, StreamExt as _};
use serde_json::{Value, json};
use tokio::sync::Notify;

use super::outbox::user;
use super::{Clock, CompactionStatus, LoopEvent, SessionEvent};
use crate::conversation::{
    ContentBlock, Message, SessionId, StopReason, ToolResultContent, ToolUseId, Usage, UserMessage,
};
use crate::documents::{AbsPath, Place};
use crate::models::{
    ContextEditing, ModelError, ModelErrorKind, ModelRequest, Provider, ProviderEvent, ProviderInfo, Window,
};
use crate::permissions::Access;
use crate::tools::{
    ContextModifier, InterruptBehavior, PlanEntry, Tool, ToolError, ToolKind, ToolResult, ToolUseContext,
    Tools,
};

/// One piece of a scripted answer.
#[derive(Clone, Debug)]
pub(super) enum Piece {
    Block(ContentBlock),
    /// The connection breaks here.
    Cut,
    /// The service reports this in the middle of its answer.
    Break(ModelErrorKind),
    /// Nothing more comes, ever.
    Stall,
    /// Nothing comes for a while, in which calls get on.
    Pause,
    /// Nothing more comes until somebody says so.
    Until(Arc<Notify>),
    /// The answer ends here, for this reason.
    Stop(StopReason),
    /// The tokens that the answer takes are this many.
    Tokens(u64),
    /// There is no answer.
    Fail(ModelErrorKind),
}

/// The answer is cut at its most tokens.
pub(super) fn limit() -> Piece {
    Piece::Stop(StopReason::MaxTokens)
}

pub(super) fn text(text: &str) -> Piece {
    Piece::Block(ContentBlock::text(text))
}

pub(super) fn thought(thinking: &str) -> Piece {
    Piece::Block(ContentBlock::Thinking { thinking: thinking.into(), signature: "sig".into() })
}

pub(super) fn tool(id: &str, name: &str, input: Value) -> Piece {
    Piece::Block(ContentBlock::ToolUse { id: ToolUseId(id.into()), name: name.into(), input })
}

/// Answers the k-th request with the k-th entry of its script; without one it says "done".
pub(super) struct ScriptedModel {
    name: &'static str,
    script: Mutex<VecDeque<Vec<Piece>>>,
    /// Shared with the models beside it.
    requests: Arc<Mutex<Vec<Asked>>>,
}

/// A request, with the name of the model that got it.
pub(super) type Asked = (&'static str, ModelRequest);

impl ScriptedModel {
    pub(super) fn new(script: Vec<Vec<Piece>>) -> Arc<Self> {
        Self::named("scripted", script)
    }

    pub(super) fn named(name: &'static str, script: Vec<Vec<Piece>>) -> Arc<Self> {
        Arc::new(Self { name, script: Mutex::new(script.into()), requests: Arc::default() })
    }

    /// Another model, whose requests are noted in the same list.
    pub(super) fn beside(&self, name: &'static str, script: Vec<Vec<Piece>>) -> Arc<Self> {
        Arc::new(Self { name, script: Mutex::new(script.into()), requests: self.requests.clone() })
    }

    pub(super) fn requests(&self) -> Vec<ModelRequest> {
        let all = self.all_requests();
        all.into_iter().filter(|(name, _)| *name == self.name).map(|(_, request)| request).collect()
    }

    /// Also those of the models beside it.
    pub(super) fn all_requests(&self) -> Vec<Asked> {
        self.requests.lock().unwrap().clone()
    }
}

impl Provider for ScriptedModel {
    fn info(&self) -> ProviderInfo {
        ProviderInfo {
            label: self.name.into(),
            model: self.name.into(),
            offline: false,
            window: Window::USUAL,
            context_edits: ContextEditing::Client,
            tool_references: false,
        }
    }

    fn stream(&self, request: ModelRequest) -> BoxStream<'static, Result<ProviderEvent, ModelError>> {
        let number = {
            let mut requests = self.requests.lock().unwrap();
            requests.push((self.name, request));
            requests.len()
        };
        let pieces = self.script.lock().unwrap().pop_front().unwrap_or_else(|| vec![text("done")]);
        played(number, pieces)
    }
}

fn played(number: usize, pieces: Vec<Piece>) -> BoxStream<'static, Result<ProviderEvent, ModelError>> {
    let calls = pieces.iter().any(|piece| matches!(piece, Piece::Block(ContentBlock::ToolUse { .. })));
    let tokens = pieces.iter().find_map(|piece| match piece {
        Piece::Tokens(tokens) => Some(*tokens),
        _ => None,
    });
    let usage = Usage { input_tokens: 10, output_tokens: tokens.unwrap_or(1), ..Usage::default() };
    let start = ProviderEvent::MessageStart {
        response_id: format!("r{number}"),
        request_id: None,
        model: "scripted-1".into(),
        usage,
    };
    let fail = |kind, message: &str| Err(ModelError::new(kind, message));
    let end = |reason| {
        [Ok(ProviderEvent::MessageDelta { stop_reason: Some(reason), usage }), Ok(ProviderEvent::MessageStop)]
    };
    let mut events = stream::iter([Ok(start)]).boxed();
    for (index, piece) in pieces.into_iter().enumerate() {
        match piece {
            Piece::Block(block) => {
                let block = ProviderEvent::BlockStop { index, block };
                events = events.chain(stream::iter([Ok(block)])).boxed();
            }
            Piece::Tokens(_) => {}
            Piece::Pause => {
                let pause = async {
                    for _ in 0..100 {
                        tokio::task::yield_now().await;
                    }
                };
                let wait = stream::once(pause).filter_map(|()| future::ready(None));
                events = events.chain(wait).boxed();
            }
            Piece::Until(said) => {
                let wait =
                    stream::once(async move { said.notified().await }).filter_map(|()| future::ready(None));
                events = events.chain(wait).boxed();
            }
            Piece::Cut => {
                let cut = fail(ModelErrorKind::StreamCut, "the stream broke off.");
                return events.chain(stream::iter([cut])).boxed();
            }
            Piece::Break(kind) => {
                return events.chain(stream::iter([fail(kind, "the model gave up.")])).boxed();
            }
            Piece::Fail(kind) => return stream::iter([fail(kind, "the model failed.")]).boxed(),
            Piece::Stall => return events.chain(stream::pending()).boxed(),
            Piece::Stop(reason) => return events.chain(stream::iter(end(reason))).boxed(),
        }
    }
    let reason = if calls { StopReason::ToolUse } else { StopReason::EndTurn };
    events.chain(stream::iter(end(reason))).boxed()
}

/// What a test tool does when it is called.
#[derive(Clone, Copy)]
pub(super) enum Does {
    /// Safe to run beside others; answers its input.
    Look,
    /// The same, not safe.
    Act,
    Hang,
    Panic,
    /// Answers, if the person allows it.
    Ask,
    Refuse,
    /// As a command: safe beside others if its input has no `alone`; `{"exit": 1}` fails, `{"sleep": true}` never ends. Its
    /// failure ends the others.
    Run,
    /// Never ends, and makes way for a message.
    Wait,
    /// Answers, and has a message to add.
    Add,
    /// Tells how far it is, then answers.
    Tell,
    /// The person says no to what it asks.
    Decline,
    /// Answers, and changes the session for the calls after it.
    Modify,
    /// Says in which session it runs.
    Where,
}

impl Does {
    /// Those of the usual tools.
    const ALL: [Self; 9] = [
        Self::Look,
        Self::Act,
        Self::Hang,
        Self::Panic,
        Self::Ask,
        Self::Refuse,
        Self::Run,
        Self::Wait,
        Self::Add,
    ];
}

pub(super) struct TestTool {
    does: Does,
    /// Told at the end of each call.
    pub(super) done: Arc<Notify>,
    running: Arc<AtomicUsize>,
    /// The most calls that ran at once.
    pub(super) peak: Arc<AtomicUsize>,
}

impl TestTool {
    pub(super) fn new(does: Does) -> Self {
        Self { does, done: Arc::default(), running: Arc::default(), peak: Arc::default() }
    }
}

/// One tool for each thing to do, under its name.
pub(super) fn tools() -> Tools {
    Tools::new(Does::ALL.into_iter().map(|does| Arc::new(TestTool::new(does)) as Arc<dyn Tool>).collect())
}

impl Tool for TestTool {
    fn name(&self) -> &'static str {
        match self.does {
            Does::Look => "Look",
            Does::Act => "Act",
            Does::Hang => "Hang",
            Does::Panic => "Panic",
            Does::Ask => "Ask",
            Does::Refuse => "Refuse",
            Does::Run => "Run",
            Does::Wait => "Wait",
            Does::Add => "Add",
            Does::Tell => "Tell",
            Does::Decline => "Decline",
            Does::Modify => "Modify",
            Does::Where => "Where",
        }
    }

    fn description(&self) -> String {
        "For tests.".into()
    }

    fn kind(&self) -> ToolKind {
        ToolKind::Other
    }

    fn input_schema(&self) -> Value {
        json!({"type": "object"})
    }

    fn validate(&self, input: &Value) -> Result<(), ToolError> {
        input.is_object().then_some(()).ok_or_else(|| ToolError("the input is no object".into()))
    }

    fn title(&self, input: &Value) -> String {
        format!("{} {input}", self.name())
    }

    fn is_concurrency_safe(&self, input: &Value) -> bool {
        match self.does {
            Does::Look | Does::Ask | Does::Tell => true,
            Does::Run => input.get("alone").is_none(),
            Does::Act
            | Does::Hang
            | Does::Panic
            | Does::Refuse
            | Does::Wait
            | Does::Add
            | Does::Decline
            | Does::Modify
            | Does::Where => false,
        }
    }

    fn is_read_only(&self, _input: &Value) -> bool {
        matches!(self.does, Does::Look | Does::Ask)
    }

    fn cancels_siblings_on_error(&self) -> bool {
        matches!(self.does, Does::Run)
    }

    fn interrupt_behavior(&self) -> InterruptBehavior {
        match self.does {
            Does::Wait => InterruptBehavior::Cancel,
            _ => InterruptBehavior::Block,
        }
    }

    fn access(&self, input: &Value, _context: &ToolUseContext) -> Access {
        match self.does {
            Does::Ask => {
                let at = input["at"].as_str().unwrap_or("x");
                Access::Read(AbsPath::new(format!("/elsewhere/{at}")).map(Place::of).into_iter().collect())
            }
            Does::Look
            | Does::Act
            | Does::Hang
            | Does::Panic
            | Does::Refuse
            | Does::Run
            | Does::Wait
            | Does::Add
            | Does::Tell
            | Does::Decline
            | Does::Modify
            | Does::Where => Access::Nothing,
        }
    }

    fn call(
        &self,
        input: Value,
        context: ToolUseContext,
    ) -> BoxFuture<'static, Result<ToolResult, ToolError>> {
        let (does, done, running, peak) =
            (self.does, self.done.clone(), self.running.clone(), self.peak.clone());
        async move {
            match does {
                Does::Hang | Does::Wait => future::pending().await,
                Does::Run if input.get("sleep").is_some() => future::pending().await,
                Does::Panic => panic!("on purpose"),
                Does::Tell => (context.progress)("half way".to_owned()),
                Does::Decline => return Ok(ToolResult { declined: true, ..ToolResult::text("not now") }),
                Does::Modify => {
                    let change = |context| ToolUseContext { session: SessionId("s_2".into()), ..context };
                    let context_modifier = Some(ContextModifier(Arc::new(change)));
                    let mcp_meta = Some(json!({"only": "for the editor"}));
                    return Ok(ToolResult { context_modifier, mcp_meta, ..ToolResult::text("changed") });
                }
                Does::Where => return Ok(ToolResult::text(context.session.as_str())),
                Does::Look | Does::Act | Does::Ask | Does::Refuse | Does::Run | Does::Add => {}
            }
            peak.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            for _ in 0..20 {
                tokio::task::yield_now().await;
            }
            running.fetch_sub(1, Ordering::SeqCst);
            done.notify_one();
            if let Some(code) = input.get("exit") {
                return Err(ToolError(format!("exit {code}")));
            }
            let new_messages = if matches!(does, Does::Add) {
                let text = vec![ContentBlock::text("by the way")];
                vec![Message::from(UserMessage { is_meta: true, ..user(UNIX_EPOCH, text) })]
            } else {
                Vec::new()
            };
            Ok(ToolResult { new_messages, ..ToolResult::text(input.to_string()) })
        }
        .boxed()
    }
}

pub(super) fn clock() -> Clock {
    Arc::new(|| UNIX_EPOCH)
}

/// One line for each event that a reader of a test cares about; `None` for raw stream events and changes of the session.
pub(super) fn line(event: &SessionEvent) -> Option<String> {
    Some(match event {
        SessionEvent::Loop(LoopEvent::RequestStart { turn, model, .. }) if model == "scripted" => {
            format!("request {turn}")
        }
        SessionEvent::Loop(LoopEvent::RequestStart { turn, model, .. }) => {
            format!("request {turn} to {model}")
        }
        SessionEvent::Loop(LoopEvent::ToolUseSummary { summary, .. }) => format!("summary {summary}"),
        SessionEvent::Loop(LoopEvent::Stream(_))
        | SessionEvent::Spent(_)
        | SessionEvent::SessionChanged(_) => return None,
        SessionEvent::Loop(LoopEvent::Message(message)) => message_line(message),
        SessionEvent::Loop(LoopEvent::Tombstone { .. }) => "tombstone".to_owned(),
        SessionEvent::Loop(LoopEvent::Done(terminal)) => {
            format!("done {} after {}", terminal.reason.as_str(), terminal.turns)
        }
        SessionEvent::Transition(reason) => format!("transition {}", reason.as_str()),
        SessionEvent::Compaction(CompactionStatus::Failed(_)) => "compaction Failed".to_owned(),
        SessionEvent::Compaction(status) => format!("compaction {status:?}"),
        SessionEvent::ToolCall(update) => format!("call {} {:?}", update.id, update.status),
        SessionEvent::Plan(entries) => {
            let step = |entry: &PlanEntry| format!("{} {}", entry.content, entry.status.name());
            format!("plan {}", entries.iter().map(step).collect::<Vec<_>>().join(", "))
        }
        SessionEvent::PermissionAsked(request) => format!("asked {}", request.title),
        SessionEvent::PermissionResolved { option, .. } => {
            format!("resolved {}", option.as_deref().unwrap_or("by nobody"))
        }
    })
}

fn message_line(message: &Message) -> String {
    let block = |block: &ContentBlock| match block {
        ContentBlock::Text { text } => text.clone(),
        ContentBlock::Thinking { thinking, .. } => format!("({thinking})"),
        ContentBlock::ToolUse { id, name, .. } => format!("{name} as {id}"),
        ContentBlock::ToolResult { tool_use_id, content, is_error } => {
            let texts: Vec<&str> = content
                .iter()
                .map(|content| match content {
                    ToolResultContent::Text(text) => text.as_str(),
                    ToolResultContent::Image(_) | ToolResultContent::ToolReference(_) => "?",
                })
                .collect();
            format!("{tool_use_id}{} {}", if *is_error { " failed:" } else { ":" }, texts.join("|"))
        }
        other => format!("{other:?}"),
    };
    let blocks = |blocks: &[ContentBlock]| blocks.iter().map(block).collect::<Vec<_>>().join(" + ");
    match message {
        Message::User(message) => format!("user {}", blocks(&message.content)),
        Message::Assistant(message) if message.is_api_error => format!("error {}", blocks(&message.content)),
        Message::Assistant(message) => format!("model {}", blocks(&message.content)),
        Message::System(message) => format!("notice {}", message.text),
        Message::Attachment(attachment) => format!("attachment {:?}", attachment.kind),
        Message::Progress(progress) => format!("progress {}", progress.text),
    }
}
