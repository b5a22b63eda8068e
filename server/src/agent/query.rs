//! The query loop: ask the model, run the calls it makes, tell it what came of them, until it makes none.

mod answer;
mod model_call;

use std::collections::BTreeSet;
use std::sync::Arc;

use futures::future::BoxFuture;
use futures::{FutureExt as _, Stream, StreamExt as _, future, stream};
use tokio_stream::wrappers::UnboundedReceiverStream;

use self::answer::Answer;
pub(super) use self::answer::{ToolCall, patch};
use self::model_call::{Answered, ask};
use super::attachments::{self, Noticed};
use super::executor::{CanUseTool, Executor};
use super::outbox::{Outbox, attachment, user};
use super::preparing::{SessionContext, prepared};
use super::state::{Clock, RoundContext, State};
use super::{Continue, LoopEvent, SessionEvent, Terminal, TerminalReason};
use crate::context::Prepared;
use crate::conversation::{
    AssistantMessage, AttachmentKind, ContentBlock, Message, MessageId, StopReason, ToolUseId, Usage,
    UserMessage, normalize_for,
};
use crate::models::{ModelError, ModelErrorKind, ModelRequest, Provider};
use crate::tools::Tools;

/// Bounds of one task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Rounds of calls, after which the task ends.
    pub max_turns: u32,
    /// Tokens of one answer.
    pub max_output_tokens: u32,
}

/// All that the loop needs; it asks nothing else of anybody.
pub(super) struct QueryParams {
    pub(super) messages: Vec<Message>,
    pub(super) system: Vec<String>,
    pub(super) tools: Tools,
    pub(super) tool_use_context: RoundContext,
    pub(super) can_use_tool: Arc<dyn CanUseTool>,
    pub(super) provider: Arc<dyn Provider>,
    /// What the user has sent since the last time, ready to be put into the conversation.
    pub(super) take_queued: Box<dyn Fn() -> BoxFuture<'static, Vec<UserMessage>> + Send + Sync>,
    pub(super) noticed: Arc<Noticed>,
    pub(super) context: Arc<SessionContext>,
    pub(super) limits: Limits,
    pub(super) clock: Clock,
}

/// The events of one task in order; the last is `LoopEvent::Done`. Dropping the stream drops the connection and every call.
pub(super) fn query(params: QueryParams) -> impl Stream<Item = SessionEvent> + Send {
    let (outbox, received) = Outbox::new();
    let running = async move {
        let terminal = run(params, &outbox).await;
        tracing::info!(reason = terminal.reason.as_str(), turns = terminal.turns, "the task ended");
        outbox.emit(LoopEvent::Done(terminal));
    };
    let running = running.into_stream().filter_map(|()| future::ready(None));
    stream::select(UnboundedReceiverStream::new(received), running)
}

async fn run(mut params: QueryParams, outbox: &Outbox) -> Terminal {
    let mut spent = Usage::default();
    let mut state = State::first(std::mem::take(&mut params.messages), params.tool_use_context.clone());
    state.messages.extend(attach(&params, outbox).await);
    loop {
        let State {
            messages,
            tool_use_context,
            auto_compact_tracking,
            max_output_tokens_recovery_count,
            has_attempted_reactive_compact,
            max_output_tokens_override,
            pending_tool_use_summary,
            stop_hook_active,
            turn_count,
            transition,
        } = state;
        tracing::debug!(
            turn_count,
            ?transition,
            max_output_tokens_recovery_count,
            has_attempted_reactive_compact,
            "an iteration begins"
        );
        outbox.emit(LoopEvent::RequestStart { turn: turn_count });

        let known = call_ids(&messages);
        let prepared = prepared(&params, messages, auto_compact_tracking).await;
        let tool_use_context = tool_use_context.with_messages(prepared.messages.clone());

        let max_tokens = max_output_tokens_override.unwrap_or(params.limits.max_output_tokens);
        let request = request(&params, &prepared, max_tokens);
        let answered = ask(&params, request, &known, outbox).await;
        spent += answered.usage();
        let end = |reason, message| Terminal { reason, turns: turn_count, usage: spent, message };
        let (answer, incomplete) = match answered {
            Answered::Whole(answer) => (answer, None),
            Answered::Incomplete(answer, why) => (answer, Some(why)),
            Answered::Failed(error) => return failed(&params, outbox, error, end),
            Answered::Cancelled(answer) => {
                executor(&params, tool_use_context, outbox).run(answer.calls).await;
                interrupted(&params, outbox);
                return end(TerminalReason::AbortedStreaming, None);
            }
        };

        if answer.calls.is_empty() {
            return end(
                TerminalReason::Completed,
                incomplete.or_else(|| remark(answer.stop_reason.as_ref())),
            );
        }
        let answered: Vec<Message> = answer.messages().collect();
        let results = executor(&params, tool_use_context.clone(), outbox).run(answer.calls).await;
        if tool_use_context.cancel.is_cancelled() {
            interrupted(&params, outbox);
            return end(TerminalReason::AbortedTools, None);
        }
        if turn_count >= params.limits.max_turns {
            let text =
                format!("The task was stopped after {turn_count} rounds of tool calls, the most allowed.");
            outbox.message(attachment((params.clock)(), AttachmentKind::MaxTurnsReached, text.clone()));
            return end(TerminalReason::MaxTurns, Some(format!("{text} Send a message to go on.")));
        }
        let attachments = attach(&params, outbox).await;

        let view = prepared.messages.iter().cloned();
        state = State {
            messages: view.chain(answered).chain(results).chain(attachments).collect(),
            tool_use_context,
            auto_compact_tracking: auto_compact_tracking.next_round(),
            max_output_tokens_recovery_count: 0,
            has_attempted_reactive_compact: false,
            max_output_tokens_override: None,
            pending_tool_use_summary,
            stop_hook_active,
            turn_count: turn_count + 1,
            transition: Some(Continue::NextTurn),
        };
        outbox.transition(Continue::NextTurn);
    }
}

/// What came up since the last request: the user's decisions and changes, then what the user sent.
async fn attach(params: &QueryParams, outbox: &Outbox) -> Vec<Message> {
    let context = &params.tool_use_context;
    let told = attachments::collect(context, &params.noticed, (params.clock)()).await;
    let queued = (params.take_queued)().await.into_iter().map(Message::User);
    let messages: Vec<Message> = queued.chain(told).collect();
    for message in &messages {
        outbox.message(message.clone());
    }
    messages
}

fn request(params: &QueryParams, prepared: &Prepared, max_tokens: u32) -> ModelRequest {
    let messages = normalize_for(&prepared.messages, &params.provider.info().model);
    ModelRequest::new(prepared.system.clone(), params.tools.definitions(), messages, max_tokens)
}

fn executor(params: &QueryParams, context: RoundContext, outbox: &Outbox) -> Executor {
    Executor {
        tools: params.tools.clone(),
        context,
        can_use_tool: params.can_use_tool.clone(),
        outbox: outbox.clone(),
        clock: params.clock.clone(),
    }
}

/// The end after an error, which is shown but never sent back.
fn failed(
    params: &QueryParams,
    outbox: &Outbox,
    error: ModelError,
    end: impl Fn(TerminalReason, Option<String>) -> Terminal,
) -> Terminal {
    outbox.message(Message::Assistant(AssistantMessage {
        id: MessageId::fresh(),
        at: (params.clock)(),
        response_id: String::new(),
        request_id: None,
        model: params.provider.info().model,
        content: vec![ContentBlock::text(error.message.as_str())],
        stop_reason: None,
        usage: Usage::default(),
        is_api_error: true,
        is_virtual: false,
    }));
    let reason = match error.kind {
        ModelErrorKind::PromptTooLong => TerminalReason::PromptTooLong,
        ModelErrorKind::MediaRefused => TerminalReason::ImageError,
        ModelErrorKind::Unreachable
        | ModelErrorKind::Authentication
        | ModelErrorKind::Permission
        | ModelErrorKind::Billing
        | ModelErrorKind::UnknownModel
        | ModelErrorKind::RateLimit
        | ModelErrorKind::Overloaded
        | ModelErrorKind::Server
        | ModelErrorKind::RequestTooLarge
        | ModelErrorKind::InvalidRequest
        | ModelErrorKind::StreamCut
        | ModelErrorKind::Malformed => TerminalReason::ModelError,
    };
    end(reason, Some(error.message))
}

/// The model learns with the next prompt that it did not finish.
fn interrupted(params: &QueryParams, outbox: &Outbox) {
    let text = ContentBlock::text("[The user interrupted the task here.]");
    let message = UserMessage { is_meta: true, ..user((params.clock)(), vec![text]) };
    outbox.message(Message::User(message));
}

/// What a person must know about an end that is no plain one.
fn remark(stop_reason: Option<&StopReason>) -> Option<String> {
    match stop_reason? {
        StopReason::MaxTokens => {
            Some("The answer was cut off at the most tokens allowed: send \"go on\".".to_owned())
        }
        StopReason::ContextWindowExceeded => {
            Some("The conversation fills the model's window: start a new one to go on.".to_owned())
        }
        StopReason::Refusal => Some("The model declined to answer this.".to_owned()),
        StopReason::EndTurn
        | StopReason::ToolUse
        | StopReason::StopSequence
        | StopReason::PauseTurn
        | StopReason::Compaction
        | StopReason::Other(_) => None,
    }
}

fn call_ids(messages: &[Message]) -> BTreeSet<ToolUseId> {
    let answers = messages.iter().filter_map(|message| match message {
        Message::Assistant(answer) => Some(&answer.content),
        Message::User(_) | Message::System(_) | Message::Attachment(_) | Message::Progress(_) => None,
    });
    answers
        .flatten()
        .filter_map(|block| match block {
            ContentBlock::ToolUse { id, .. } => Some(id.clone()),
            _ => None,
        })
        .collect()
}

impl Default for Limits {
    fn default() -> Self {
        Self { max_turns: 200, max_output_tokens: 32_000 }
    }
}

#[cfg(test)]
mod tests;
