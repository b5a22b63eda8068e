//! Why the loop went on, and why it ended.

use std::time::Duration;

use super::{Cost, Spending};
use crate::conversation::StopReason;
use crate::permissions::PermissionDenial;

/// Why an iteration was followed by another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Continue {
    NextTurn,
    MaxOutputTokensEscalate,
    MaxOutputTokensRecovery,
    CollapseDrainRetry,
    ReactiveCompactRetry,
    StopHookBlocking,
    TokenBudgetContinuation,
}

/// The one value that a loop returns.
#[derive(Clone, Debug, PartialEq)]
pub struct Terminal {
    pub reason: TerminalReason,
    pub turns: u32,
    pub spent: Spending,
    /// `None`: nothing was spent.
    pub cost: Option<Cost>,
    /// For the person: what happened and what to do, if it was no plain end.
    pub message: Option<String>,
    /// The calls that a rule or the person did not let through.
    pub denials: Vec<PermissionDenial>,
    pub account: TaskAccount,
}

/// How the asking of models went in a task.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TaskAccount {
    /// All that was waited for them, failed attempts included.
    pub waited: Duration,
    /// Why the last one stopped that answered.
    pub stop_reason: Option<StopReason>,
    /// What went wrong, for the person, in the order in which it did.
    pub errors: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TerminalReason {
    Completed,
    AbortedStreaming,
    AbortedTools,
    BlockingLimit,
    PromptTooLong,
    ImageError,
    ModelError,
    StopHookPrevented,
    HookStopped,
    MaxTurns,
    /// The cost that the settings allow is reached.
    BudgetExhausted,
}

impl Continue {
    pub const ALL: [Self; 7] = [
        Self::NextTurn,
        Self::MaxOutputTokensEscalate,
        Self::MaxOutputTokensRecovery,
        Self::CollapseDrainRetry,
        Self::ReactiveCompactRetry,
        Self::StopHookBlocking,
        Self::TokenBudgetContinuation,
    ];

    /// The name on every wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NextTurn => "next_turn",
            Self::MaxOutputTokensEscalate => "max_output_tokens_escalate",
            Self::MaxOutputTokensRecovery => "max_output_tokens_recovery",
            Self::CollapseDrainRetry => "collapse_drain_retry",
            Self::ReactiveCompactRetry => "reactive_compact_retry",
            Self::StopHookBlocking => "stop_hook_blocking",
            Self::TokenBudgetContinuation => "token_budget_continuation",
        }
    }
}

impl TerminalReason {
    pub const ALL: [Self; 11] = [
        Self::Completed,
        Self::AbortedStreaming,
        Self::AbortedTools,
        Self::BlockingLimit,
        Self::PromptTooLong,
        Self::ImageError,
        Self::ModelError,
        Self::StopHookPrevented,
        Self::HookStopped,
        Self::MaxTurns,
        Self::BudgetExhausted,
    ];

    /// The name on every wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::AbortedStreaming => "aborted_streaming",
            Self::AbortedTools => "aborted_tools",
            Self::BlockingLimit => "blocking_limit",
            Self::PromptTooLong => "prompt_too_long",
            Self::ImageError => "image_error",
            Self::ModelError => "model_error",
            Self::StopHookPrevented => "stop_hook_prevented",
            Self::HookStopped => "hook_stopped",
            Self::MaxTurns => "max_turns",
            Self::BudgetExhausted => "budget_exhausted",
        }
    }

    /// The reason of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|reason| reason.as_str() == name)
    }

    /// For people, in a few words: how it ended, and behind a colon why, where no message may say so.
    pub const fn in_words(self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::AbortedStreaming | Self::AbortedTools => "cancelled",
            Self::BlockingLimit | Self::PromptTooLong | Self::ImageError | Self::ModelError => "failed",
            Self::StopHookPrevented | Self::HookStopped => "stopped by a hook",
            Self::MaxTurns => "stopped: too many turns",
            Self::BudgetExhausted => "stopped: the budget is spent",
        }
    }
}
