//! One call from its name to its result. Whatever happens to it is data: it always ends as a tool result.

use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use futures::FutureExt as _;
use futures::future::BoxFuture;
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::stages::{Stages, texts};
use super::{CanUseTool, Permission, ToolCall};
use crate::agent::acceptance::acceptance;
use crate::agent::outbox::{Outbox, notice, user};
use crate::agent::state::{Clock, RoundContext, Ways};
use crate::agent::{Hooks, SessionEvent, ToolCallStatus, ToolHookInput, ToolHookVerdict};
use crate::conversation::{
    ContentBlock, Message, MessageId, Overlong, ProgressMessage, ToolResultContent, ToolUseId, Usage,
    UserMessage, as_overlong, raw_of_unparsed,
};
use crate::permissions::Call;
use crate::tools::{
    Choice, Chosen, ContextModifier, InterruptBehavior, Person, Tool, ToolError, ToolResult, ToolUseContext,
    Tools,
};

/// What the calls of one answer share.
pub(super) struct Batch {
    pub(super) tools: Tools,
    /// Its token ends every call of the batch.
    pub(super) context: RoundContext,
    /// The task's own token.
    pub(super) task: CancellationToken,
    pub(super) can_use_tool: Arc<dyn CanUseTool>,
    pub(super) hooks: Arc<dyn Hooks>,
    /// Whether a message of the user's waits.
    pub(super) queued: watch::Receiver<bool>,
    pub(super) outbox: Outbox,
    pub(super) clock: Clock,
    /// The call whose error ended the others.
    pub(super) culprit: OnceLock<String>,
    /// A call that changes something has begun.
    pub(super) effects: AtomicBool,
    /// What calls have changed for those after them.
    pub(super) modifiers: Mutex<Vec<ContextModifier>>,
}

/// What came of a call.
pub(super) struct Finished {
    pub(super) result: Message,
    /// What the tool wants added after all results.
    pub(super) added: Vec<Message>,
    /// A hook's reason to end the turn.
    pub(super) stop: Option<String>,
    /// Tokens that the tool paid other models for, by model.
    pub(super) spent: Vec<(String, Usage)>,
}

/// How a call ended.
enum Ended {
    Done(Box<ToolResult>),
    Failed(Box<ToolResult>),
    Rejected(String),
    /// By something outside it.
    Stopped(String),
}

/// What a call is answered with that the user's cancel ended.
const INTERRUPTED: &str = "The user interrupted the task before this call was finished.";
/// What a call is answered with that made way for a message.
const MADE_WAY: &str = "The call was stopped because the user sent a message, which follows.";
/// The most of an input that can't be read that is shown to the model again, in characters.
const SHOWN_OF_UNPARSED: usize = 200;

impl Batch {
    /// `group`: the first of the calls that may run side by side with this one.
    pub(super) async fn call(self: Arc<Self>, call: ToolCall, group: Option<ToolUseId>) -> Finished {
        let mut stages = Stages::of(&call, group, &self.outbox);
        if let Some(tool) = self.tools.find(&call.name) {
            stages.named(&**tool, &call.input);
        }
        let mut stop = None;
        let ended = self.stoppable(&call, &mut stages, &mut stop).await;
        let (status, result) = match ended {
            Ended::Done(result) if result.declined => (ToolCallStatus::Rejected, *result),
            Ended::Done(result) => (ToolCallStatus::Completed, *result),
            Ended::Failed(result) => {
                self.cancel_siblings(&call, stages.title());
                (ToolCallStatus::Failed, *result)
            }
            Ended::Stopped(text) => (ToolCallStatus::Failed, ToolResult::text(text)),
            Ended::Rejected(text) => {
                let data = json!({"type": "rejected"});
                (ToolCallStatus::Rejected, ToolResult { data, ..ToolResult::text(text) })
            }
        };
        stages.ended(status, &result);
        for note in &result.notes {
            self.outbox.message(notice((self.clock)(), note));
        }
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
            mcp_meta: result.mcp_meta,
            ..user((self.clock)(), vec![block])
        };
        Finished { result: Message::from(message), added: result.new_messages, stop, spent: result.spent }
    }

    /// What calls have changed so far for those after them.
    pub(super) fn modifiers(&self) -> Vec<ContextModifier> {
        self.modifiers.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The call, ended early by the user, by a sibling's error, by a message that waits, or by its own panic.
    async fn stoppable(&self, call: &ToolCall, stages: &mut Stages, stop: &mut Option<String>) -> Ended {
        let tool = self.tools.find(&call.name);
        let makes_way = tool.is_some_and(|tool| tool.interrupt_behavior() == InterruptBehavior::Cancel);
        let mut queued = self.queued.clone();
        let message_waits = async {
            // Without anybody who could send one, none comes.
            if !makes_way || queued.wait_for(|waits| *waits).await.is_err() {
                std::future::pending::<()>().await;
            }
        };
        let attempt = AssertUnwindSafe(self.attempt(call, stages, stop)).catch_unwind();
        tokio::select! {
            biased;
            () = self.task.cancelled() => Ended::Stopped(INTERRUPTED.to_owned()),
            () = self.context.cancel.cancelled() => Ended::Stopped(self.sibling_failed()),
            () = message_waits => Ended::Stopped(MADE_WAY.to_owned()),
            ended = attempt => ended.unwrap_or_else(|_| {
                tracing::error!(tool = call.name, "a tool panicked");
                Ended::failed(format!("{} failed: there is a fault in the tool itself.", call.name))
            }),
        }
    }

    /// Lookup, validation, hooks, permission, call, size budget, hooks: in this order.
    async fn attempt(&self, call: &ToolCall, stages: &mut Stages, stop: &mut Option<String>) -> Ended {
        let Some(tool) = self.tools.find(&call.name) else {
            let names = self.tools.names().join(", ");
            return Ended::failed(format!("There is no tool `{}`. The tools are: {names}.", call.name));
        };
        let context = self.context.for_call(&call.id, self.ways(call, stages));
        let context = self.modifiers().iter().fold(context, |context, modifier| (modifier.0)(context));
        stages.asked(tool.as_ref(), &call.input, &context);
        if !self.tools.is_known(tool.name()) {
            return Ended::failed(format!(
                "You know `{0}` by name only, so nothing was done. Load it first: ToolSearch with `select:{0}`.",
                tool.name()
            ));
        }
        if let Some(raw) = raw_of_unparsed(&call.input) {
            return Ended::failed(unreadable(tool.name(), raw));
        }
        if let Some(overlong) = as_overlong(&call.input) {
            return Ended::failed(too_long(tool.name(), overlong));
        }
        if let Err(ToolError(text)) = tool.validate(&call.input) {
            return Ended::failed(text);
        }
        let before = self.hooks.before_tool(self.hook_input(call, tool, None)).await;
        if let ToolHookVerdict::Stop(why) = before {
            let text = format!("A hook stopped the task before this call: {why}");
            *stop = Some(why);
            return Ended::Rejected(text);
        }
        let asked = asked(tool.as_ref(), &call.input, &context);
        let changed = match self.can_use_tool.can_use(&call.id, asked, &self.outbox).await {
            Permission::Granted => None,
            Permission::Changed(input) => match self.check_changed(tool.as_ref(), &input, &context) {
                None => Some(input),
                Some(ended) => return ended,
            },
            Permission::Denied(text) => return Ended::Rejected(text),
            Permission::Interrupted(text) => {
                self.task.cancel();
                return Ended::Rejected(text);
            }
        };
        let input = changed.as_ref().unwrap_or(&call.input);
        stages.running();
        // A call may have changed the mode just before.
        self.context.desk.set_acceptance(self.context.session.clone(), acceptance(self.context.mode.get()));
        if !tool.is_read_only(input) {
            self.effects.store(true, Ordering::Relaxed);
        }
        let result = match tool.call(input.clone(), context).await {
            Ok(result) => result,
            Err(ToolError(text)) => return Ended::failed(text),
        };
        let after = self.hooks.after_tool(self.hook_input(call, tool, Some(texts(&result)))).await;
        if let ToolHookVerdict::Stop(why) = after {
            *stop = Some(why);
        }
        if let Some(modifier) = &result.context_modifier
            && !tool.is_concurrency_safe(input)
        {
            self.modifiers.lock().unwrap_or_else(PoisonError::into_inner).push(modifier.clone());
        }
        let result = Box::new(match &changed {
            None => result,
            Some(input) => with_change(result, input),
        });
        if result.failed { Ended::Failed(result) } else { Ended::Done(result) }
    }

    /// What a person wrote is checked as what a model wrote, and a denial holds for it too.
    fn check_changed(&self, tool: &dyn Tool, input: &Value, context: &ToolUseContext) -> Option<Ended> {
        if let Err(ToolError(why)) = tool.validate(input) {
            return Some(Ended::failed(format!(
                "The user changed the input of this call to one that can't run: {why}"
            )));
        }
        self.can_use_tool.forbidden(&asked(tool, input, context)).map(Ended::Rejected)
    }

    fn cancel_siblings(&self, call: &ToolCall, title: &str) {
        if self.tools.find(&call.name).is_some_and(|tool| tool.cancels_siblings_on_error()) {
            let _ = self.culprit.set(title.to_owned());
            self.context.cancel.cancel();
        }
    }

    fn sibling_failed(&self) -> String {
        let culprit = self.culprit.get().map_or("another call", String::as_str);
        format!("Cancelled, because a call of the same answer failed: {culprit}.")
    }

    fn hook_input(&self, call: &ToolCall, tool: &Arc<dyn Tool>, result: Option<String>) -> ToolHookInput {
        ToolHookInput {
            session: self.context.session.clone(),
            id: call.id.clone(),
            tool: tool.name().to_owned(),
            input: call.input.clone(),
            result,
        }
    }

    fn ways(&self, call: &ToolCall, stages: &Stages) -> Ways {
        let (outbox, clock, id) = (self.outbox.clone(), self.clock.clone(), call.id.clone());
        let tell = stages.progress();
        let progress = move |text: String| {
            tell(text.clone());
            let (id, tool_use_id) = (MessageId::fresh(), id.clone());
            outbox.message(Message::from(ProgressMessage { id, at: clock(), tool_use_id, text }));
        };
        let outbox = self.outbox.clone();
        let plan = move |entries| outbox.send(SessionEvent::Plan(entries));
        let person = Asked {
            can_use_tool: self.can_use_tool.clone(),
            outbox: self.outbox.clone(),
            id: call.id.clone(),
            tool: call.name.clone(),
        };
        Ways { progress: Arc::new(progress), plan: Arc::new(plan), person: Arc::new(person) }
    }
}

/// The person, asked on behalf of one call.
struct Asked {
    can_use_tool: Arc<dyn CanUseTool>,
    outbox: Outbox,
    id: ToolUseId,
    tool: String,
}

impl Person for Asked {
    fn choose(&self, choice: Choice) -> BoxFuture<'static, Chosen> {
        self.can_use_tool.choose(&self.id, &self.tool, choice, &self.outbox)
    }
}

fn too_long(tool: &str, Overlong { bytes, most }: Overlong) -> String {
    let kilobytes = |bytes: usize| bytes.div_ceil(1024);
    format!(
        "The input of {tool} has {} kB, and no call may have more than {} kB, so nothing was done. Do it in several calls \
         with a part each.",
        kilobytes(bytes),
        kilobytes(most),
    )
}

impl Ended {
    fn failed(text: String) -> Self {
        Self::Failed(Box::new(ToolResult::text(text)))
    }
}

/// The call as the rules see it.
fn asked(tool: &dyn Tool, input: &Value, context: &ToolUseContext) -> Call {
    Call {
        tool: tool.name().to_owned(),
        aliases: tool.aliases(),
        title: tool.title(input),
        input: input.clone(),
        access: tool.access(input, context),
        is_read_only: tool.is_read_only(input),
    }
}

/// The result, with a word on what ran.
fn with_change(mut result: ToolResult, input: &Value) -> ToolResult {
    let told = format!("The user changed the input before they allowed the call. What ran: {input}");
    result.content.insert(0, ToolResultContent::Text(told));
    if let Value::Object(data) = &mut result.data {
        data.insert("updatedInput".to_owned(), input.clone());
    }
    result
}

fn unreadable(tool: &str, raw: &str) -> String {
    let shown: String = raw.chars().take(SHOWN_OF_UNPARSED).collect();
    let more = if shown.len() < raw.len() { "…" } else { "" };
    format!(
        "The input of {tool} is no whole JSON object, so nothing was done. If it was cut off at the limit of an answer's \
         length, send it again in smaller pieces. It began: {shown}{more}"
    )
}
