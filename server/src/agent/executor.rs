//! Runs the calls of one answer. Whatever happens to a call is data: every one of them ends as a tool result.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures::future::BoxFuture;
use futures::{FutureExt as _, StreamExt as _, stream};
use serde_json::Value;

use super::outbox::{Outbox, user};
use super::partition::{AT_ONCE, partition};
use super::query::ToolCall;
use super::state::{Clock, RoundContext};
use super::{ToolCallStatus, ToolCallUpdate};
use crate::conversation::{
    ContentBlock, Message, MessageId, ProgressMessage, ToolResultContent, ToolUseId, UserMessage,
};
use crate::permissions::{Verdict, visible};
use crate::tools::{Tool, ToolError, ToolKind, ToolResult, ToolUseContext, Tools, capped};

/// Whether a call may run, which may take as long as a person needs.
pub(super) trait CanUseTool: Send + Sync {
    /// Dropping the future withdraws the question.
    fn can_use(
        &self,
        id: &ToolUseId,
        tool: &str,
        verdict: Verdict,
        outbox: &Outbox,
    ) -> BoxFuture<'static, Permission>;
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Permission {
    Granted,
    /// Why not, for the model.
    Denied(String),
}

pub(super) struct Executor {
    pub(super) tools: Tools,
    pub(super) context: RoundContext,
    pub(super) can_use_tool: Arc<dyn CanUseTool>,
    pub(super) outbox: Outbox,
    pub(super) clock: Clock,
}

/// How a call ended.
enum Ended {
    Done(ToolResult),
    Failed(String),
    Rejected(String),
}

/// What an interrupted call is answered with.
const INTERRUPTED: &str = "The user interrupted the task before this call was finished.";

impl Executor {
    /// Runs all calls, each to its result; also when the task is cancelled meanwhile. Gives the results in the order of the
    /// calls, then the messages that tools added.
    pub(super) async fn run(&self, calls: Vec<ToolCall>) -> Vec<Message> {
        let (mut results, mut added) = (Vec::new(), Vec::new());
        for batch in partition(calls, |call| self.is_safe(call)) {
            let mut running = stream::iter(batch.calls).map(|call| self.call(call)).buffered(AT_ONCE);
            while let Some((result, more)) = running.next().await {
                self.outbox.message(result.clone());
                results.push(result);
                added.extend(more);
            }
        }
        for message in &added {
            self.outbox.message(message.clone());
        }
        results.extend(added);
        results
    }

    /// In doubt, not: an unknown tool, an input that does not parse, or a tool that fails over the question.
    fn is_safe(&self, call: &ToolCall) -> bool {
        let Some(tool) = self.tools.find(&call.name) else { return false };
        let judged = || tool.validate(&call.input).is_ok() && tool.is_concurrency_safe(&call.input);
        std::panic::catch_unwind(AssertUnwindSafe(judged)).unwrap_or_default()
    }

    /// One call from its name to its result, and what the tool wants added after the results.
    async fn call(&self, call: ToolCall) -> (Message, Vec<Message>) {
        let mut stages = Stages::of(&call, &self.outbox);
        let ended = AssertUnwindSafe(self.attempt(&call, &mut stages)).catch_unwind();
        let ended = tokio::select! {
            biased;
            () = self.context.cancel.cancelled() => Ended::Failed(INTERRUPTED.to_owned()),
            ended = ended => ended.unwrap_or_else(|_| {
                tracing::error!(tool = call.name, "a tool panicked");
                Ended::Failed(format!("{} failed: there is a fault in the tool itself.", call.name))
            }),
        };
        let (status, result) = match ended {
            Ended::Done(result) => (ToolCallStatus::Completed, result),
            Ended::Failed(text) => (ToolCallStatus::Failed, ToolResult::text(text)),
            Ended::Rejected(text) => (ToolCallStatus::Rejected, ToolResult::text(text)),
        };
        stages.ended(status, &result);
        let content = if result.content.is_empty() {
            vec![ToolResultContent::Text(format!("{} finished without output.", call.name))]
        } else {
            result.content
        };
        let block = ContentBlock::ToolResult {
            tool_use_id: call.id,
            content,
            is_error: status != ToolCallStatus::Completed,
        };
        let message = UserMessage {
            tool_use_result: Some(result.data).filter(|data| !data.is_null()),
            source_tool_assistant: Some(call.assistant),
            ..user((self.clock)(), vec![block])
        };
        (Message::User(message), result.new_messages)
    }

    /// Lookup, validation, permission, call, size budget: in this order.
    async fn attempt(&self, call: &ToolCall, stages: &mut Stages<'_>) -> Ended {
        let Some(tool) = self.tools.find(&call.name) else {
            let names = self.tools.names().join(", ");
            return Ended::Failed(format!("There is no tool `{}`. The tools are: {names}.", call.name));
        };
        let context = self.context.for_call(&call.id, self.progress(call));
        stages.asked(tool.as_ref(), &call.input, &context);
        if let Err(ToolError(text)) = tool.validate(&call.input) {
            return Ended::Failed(text);
        }
        let verdict = tool.check_permission(&call.input, &context);
        match self.can_use_tool.can_use(&call.id, tool.name(), verdict, &self.outbox).await {
            Permission::Granted => {}
            Permission::Denied(text) => return Ended::Rejected(text),
        }
        stages.running();
        match tool.call(call.input.clone(), context).await {
            Ok(result) => Ended::Done(match tool.max_result_chars() {
                Some(limit) => ToolResult { content: capped(result.content, limit), ..result },
                None => result,
            }),
            Err(ToolError(text)) => Ended::Failed(text),
        }
    }

    fn progress(&self, call: &ToolCall) -> Arc<dyn Fn(String) + Send + Sync> {
        let (outbox, clock, id) = (self.outbox.clone(), self.clock.clone(), call.id.clone());
        Arc::new(move |text| {
            let (id, tool_use_id) = (MessageId::fresh(), id.clone());
            outbox.message(Message::Progress(ProgressMessage { id, at: clock(), tool_use_id, text }));
        })
    }
}

/// The stages of one call's life, told as they come.
struct Stages<'outbox> {
    update: ToolCallUpdate,
    outbox: &'outbox Outbox,
}

impl<'outbox> Stages<'outbox> {
    fn of(call: &ToolCall, outbox: &'outbox Outbox) -> Self {
        let update = ToolCallUpdate {
            id: call.id.clone(),
            tool: call.name.clone(),
            title: visible(&call.name),
            kind: ToolKind::Other,
            status: ToolCallStatus::Pending,
            locations: Vec::new(),
            text: None,
            data: Value::Null,
        };
        Self { update, outbox }
    }

    fn asked(&mut self, tool: &dyn Tool, input: &Value, context: &ToolUseContext) {
        tool.name().clone_into(&mut self.update.tool);
        self.update.title = visible(&tool.title(input));
        self.update.kind = tool.kind();
        self.update.locations = tool.locations(input, context);
        self.outbox.tool_call(self.update.clone());
    }

    fn running(&mut self) {
        self.update.status = ToolCallStatus::InProgress;
        self.outbox.tool_call(self.update.clone());
    }

    fn ended(mut self, status: ToolCallStatus, result: &ToolResult) {
        let texts: Vec<&str> = result
            .content
            .iter()
            .filter_map(|piece| match piece {
                ToolResultContent::Text(text) => Some(text.as_str()),
                ToolResultContent::Image(_) | ToolResultContent::ToolReference(_) => None,
            })
            .collect();
        self.update.status = status;
        self.update.text = Some(texts.join("\n")).filter(|text| !text.is_empty());
        self.update.data = result.data.clone();
        self.outbox.tool_call(self.update);
    }
}
