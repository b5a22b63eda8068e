//! What a task is given: whom it asks, what it may, and what it goes by.

use std::collections::VecDeque;
use std::sync::Arc;

use futures::future::BoxFuture;
use tokio::sync::watch;

use super::Hooks;
use super::attachments::Noticed;
use super::diagnostics::Diagnosed;
use super::executor::CanUseTool;
use super::session_context::SessionContext;
use super::state::{Clock, RoundContext};
use crate::config::{Dollars, Prices};
use crate::conversation::{Message, UserMessage};
use crate::models::Provider;
use crate::tools::Tools;

/// All that the loop needs; it asks nothing else of anybody.
pub(super) struct QueryParams {
    pub(super) messages: Vec<Message>,
    pub(super) instead: Option<Instead>,
    pub(super) system: Vec<String>,
    /// Those of this round.
    pub(super) tools: Tools,
    /// Gives those of the next, where servers of tools come and go while a task runs.
    pub(super) refresh_tools: Option<Box<dyn Fn() -> Tools + Send + Sync>>,
    pub(super) tool_use_context: RoundContext,
    pub(super) can_use_tool: Arc<dyn CanUseTool>,
    pub(super) hooks: Arc<dyn Hooks>,
    /// The model that is asked now.
    pub(super) provider: Arc<dyn Provider>,
    /// The models that are asked in its stead, one after the other, for the rest of the task.
    pub(super) fallbacks: VecDeque<Arc<dyn Provider>>,
    /// For summaries of calls; `None`: there are none.
    pub(super) small: Option<Arc<dyn Provider>>,
    pub(super) prices: Arc<Prices>,
    /// What the user has sent since the last time, ready to be put into the conversation.
    pub(super) take_queued: Box<dyn Fn() -> BoxFuture<'static, Vec<UserMessage>> + Send + Sync>,
    /// Whether there is something to take.
    pub(super) queued: watch::Receiver<bool>,
    pub(super) noticed: Arc<Noticed>,
    /// `None`: the editor does not tell what its language servers say.
    pub(super) diagnosed: Option<Arc<Diagnosed>>,
    pub(super) context: Arc<SessionContext>,
    pub(super) limits: Limits,
    /// Tokens that the user wants spent on the task.
    pub(super) token_budget: Option<u64>,
    pub(super) clock: Clock,
}

/// What the user wants rather than an answer to the conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Instead {
    /// A summary in its place, in which this matters.
    Summary(String),
    /// To know what it takes of the model's window.
    Size,
}

/// Bounds of one task.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Rounds of calls, after which the task ends.
    pub max_turns: u32,
    /// Tokens of one answer, if the user has set them: nothing is asked for beyond.
    pub max_output_tokens: Option<u32>,
    /// The same where nothing is set.
    pub first_output_tokens: u32,
    /// The same once an answer was cut.
    pub escalated_output_tokens: u32,
    /// How often in a row Stop hooks may block an end; 0: as often as they like.
    pub stop_hook_blocks: u32,
    /// Calls of one answer that run at the same time.
    pub tools_at_once: usize,
    /// What the task may cost; `None`: whatever it takes.
    pub max_budget: Option<Dollars>,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_turns: 200,
            max_output_tokens: None,
            first_output_tokens: 8_000,
            escalated_output_tokens: 64_000,
            stop_hook_blocks: 8,
            tools_at_once: 10,
            max_budget: None,
        }
    }
}
