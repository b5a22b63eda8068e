//! Where the user's hooks have a say in the loop. There are none by default.

use futures::FutureExt as _;
use futures::future::{self, BoxFuture};
use serde_json::Value;

use crate::conversation::{CompactTrigger, SessionId, ToolUseId};

/// The moments of a task at which hooks are asked. Each answer is awaited; dropping the future ends the hook.
pub trait Hooks: Send + Sync + 'static {
    /// The model is done and would end its turn.
    fn stop(&self, _input: StopInput) -> BoxFuture<'static, StopVerdict> {
        future::ready(StopVerdict::Pass).boxed()
    }

    /// The turn ends with an error of the model's. Instead of `stop`: a hook that blocks an error would only repeat it.
    fn stop_failure(&self, _session: SessionId, _error: String) -> BoxFuture<'static, ()> {
        future::ready(()).boxed()
    }

    /// A summary is about to take the place of the conversation.
    fn before_compact(&self, _input: CompactInput) -> BoxFuture<'static, CompactVerdict> {
        future::ready(CompactVerdict::Pass(String::new())).boxed()
    }

    /// The conversation begins anew behind a summary, as a session does. What is given stands behind the summary, for the
    /// model.
    fn start_after_compact(&self, _session: SessionId) -> BoxFuture<'static, Vec<String>> {
        future::ready(Vec::new()).boxed()
    }

    /// A summary has taken the place of the conversation.
    fn after_compact(&self, _input: CompactInput, _summary: String) -> BoxFuture<'static, ()> {
        future::ready(()).boxed()
    }

    /// A call has its permission and is about to run.
    fn before_tool(&self, _call: ToolHookInput) -> BoxFuture<'static, ToolHookVerdict> {
        future::ready(ToolHookVerdict::Pass).boxed()
    }

    /// A call was run.
    fn after_tool(&self, _call: ToolHookInput) -> BoxFuture<'static, ToolHookVerdict> {
        future::ready(ToolHookVerdict::Pass).boxed()
    }
}

/// What a Stop hook is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StopInput {
    pub session: SessionId,
    /// A Stop hook has blocked an end of this turn already.
    pub stop_hook_active: bool,
    /// The model's last words.
    pub last_text: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StopVerdict {
    Pass,
    /// The model goes on, with these errors.
    Blocking(Vec<String>),
    /// The turn ends here, whatever else would go on. Why, for the person.
    Prevent(String),
}

/// What a hook around a summary is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompactInput {
    pub session: SessionId,
    pub trigger: CompactTrigger,
    /// What the user said that matters; may be empty.
    pub instructions: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CompactVerdict {
    /// It is made; what else matters in it, or nothing.
    Pass(String),
    /// It is not made. Why, for the person.
    Block(String),
}

/// What a tool's hook is told.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolHookInput {
    pub session: SessionId,
    pub id: ToolUseId,
    pub tool: String,
    pub input: Value,
    /// What the call gave, as the model reads it; `None` before it runs.
    pub result: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ToolHookVerdict {
    Pass,
    /// The turn ends once the calls of this answer have their results. Why, for the person.
    Stop(String),
}

/// No hooks at all.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoHooks;

impl Hooks for NoHooks {}
