//! A model that plays a script, tools that do what a test needs, and events in one line each.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::UNIX_EPOCH;

use futures::future::{self, BoxFuture};
use futures::stream::{self, BoxStream};
use futures::{FutureExt as _, StreamExt as _};
use serde_json::{Value, json};

use super::{Clock, LoopEvent, SessionEvent};
use crate::conversation::{ContentBlock, Message, StopReason, ToolResultContent, ToolUseId, Usage};
use crate::models::{
    ContextEditing, ModelError, ModelErrorKind, ModelRequest, Provider, ProviderEvent, ProviderInfo, Window,
};
use crate::permissions::Verdict;
use crate::tools::{Tool, ToolError, ToolKind, ToolResult, ToolUseContext, Tools};

/// One piece of a scripted answer.
#[derive(Clone)]
pub(super) enum Piece {
    Block(ContentBlock),
    /// The connection breaks here.
    Cut,
    /// Nothing more comes, ever.
    Stall,
    Fail(ModelErrorKind),
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
    script: Mutex<VecDeque<Vec<Piece>>>,
    requests: Mutex<Vec<ModelRequest>>,
}

impl ScriptedModel {
    pub(super) fn new(script: Vec<Vec<Piece>>) -> Arc<Self> {
        Arc::new(Self { script: Mutex::new(script.into()), requests: Mutex::default() })
    }

    pub(super) fn requests(&self) -> Vec<ModelRequest> {
        self.requests.lock().unwrap().clone()
    }
}

impl Provider for ScriptedModel {
    fn info(&self) -> ProviderInfo {
        ProviderInfo {
            label: "scripted".into(),
            model: "m".into(),
            offline: false,
            window: Window::USUAL,
            context_edits: ContextEditing::Client,
        }
    }

    fn stream(&self, request: ModelRequest) -> BoxStream<'static, Result<ProviderEvent, ModelError>> {
        let number = {
            let mut requests = self.requests.lock().unwrap();
            requests.push(request);
            requests.len()
        };
        let pieces = self.script.lock().unwrap().pop_front().unwrap_or_else(|| vec![text("done")]);
        let calls = pieces.iter().any(|piece| matches!(piece, Piece::Block(ContentBlock::ToolUse { .. })));
        let usage = Usage { input_tokens: 10, output_tokens: 1, ..Usage::default() };
        let start = ProviderEvent::MessageStart {
            response_id: format!("r{number}"),
            request_id: None,
            model: "m".into(),
            usage,
        };
        let mut events = vec![Ok(start)];
        let fail = |kind, message: &str| Err(ModelError::new(kind, message));
        for (index, piece) in pieces.into_iter().enumerate() {
            match piece {
                Piece::Block(block) => events.push(Ok(ProviderEvent::BlockStop { index, block })),
                Piece::Cut => {
                    events.push(fail(ModelErrorKind::StreamCut, "the stream broke off."));
                    return stream::iter(events).boxed();
                }
                Piece::Fail(kind) => return stream::iter([fail(kind, "the model failed.")]).boxed(),
                Piece::Stall => return stream::iter(events).chain(stream::pending()).boxed(),
            }
        }
        let reason = if calls { StopReason::ToolUse } else { StopReason::EndTurn };
        events.push(Ok(ProviderEvent::MessageDelta { stop_reason: Some(reason), usage }));
        events.push(Ok(ProviderEvent::MessageStop));
        stream::iter(events).boxed()
    }
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
}

pub(super) struct TestTool {
    does: Does,
    running: Arc<AtomicUsize>,
    /// The most calls that ran at once.
    pub(super) peak: Arc<AtomicUsize>,
}

impl TestTool {
    pub(super) fn new(does: Does) -> Self {
        Self { does, running: Arc::default(), peak: Arc::default() }
    }
}

/// One tool for each thing to do, under its name.
pub(super) fn tools() -> Tools {
    let all = [Does::Look, Does::Act, Does::Hang, Does::Panic, Does::Ask, Does::Refuse];
    Tools::new(all.into_iter().map(|does| Arc::new(TestTool::new(does)) as Arc<dyn Tool>).collect())
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

    fn is_concurrency_safe(&self, _input: &Value) -> bool {
        matches!(self.does, Does::Look | Does::Ask)
    }

    fn check_permission(&self, input: &Value, _context: &ToolUseContext) -> Verdict {
        match self.does {
            Does::Ask => Verdict::Ask {
                title: "Look outside".into(),
                explanation: "It is outside.".into(),
                rule: format!("Ask({})", input["at"].as_str().unwrap_or("x")),
            },
            Does::Refuse => Verdict::Deny("It is forbidden.".into()),
            Does::Look | Does::Act | Does::Hang | Does::Panic => Verdict::Allow,
        }
    }

    fn call(
        &self,
        input: Value,
        _context: ToolUseContext,
    ) -> BoxFuture<'static, Result<ToolResult, ToolError>> {
        let (does, running, peak) = (self.does, self.running.clone(), self.peak.clone());
        async move {
            match does {
                Does::Hang => future::pending().await,
                Does::Panic => panic!("on purpose"),
                Does::Look | Does::Act | Does::Ask | Does::Refuse => {}
            }
            peak.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            for _ in 0..20 {
                tokio::task::yield_now().await;
            }
            running.fetch_sub(1, Ordering::SeqCst);
            Ok(ToolResult::text(input.to_string()))
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
        SessionEvent::Loop(LoopEvent::RequestStart { turn }) => format!("request {turn}"),
        SessionEvent::Loop(LoopEvent::Stream(_) | LoopEvent::ToolUseSummary { .. })
        | SessionEvent::SessionChanged(_) => return None,
        SessionEvent::Loop(LoopEvent::Message(message)) => message_line(message),
        SessionEvent::Loop(LoopEvent::Tombstone { .. }) => "tombstone".to_owned(),
        SessionEvent::Loop(LoopEvent::Done(terminal)) => {
            format!("done {} after {}", terminal.reason.as_str(), terminal.turns)
        }
        SessionEvent::Transition(reason) => format!("transition {}", reason.as_str()),
        SessionEvent::Compaction(status) => format!("compaction {status:?}"),
        SessionEvent::ToolCall(update) => format!("call {} {:?}", update.id, update.status),
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
