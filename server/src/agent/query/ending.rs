//! The ends of a task: what is told last, so that the conversation can go on with the next prompt.

use super::recovery::{End, Step, is_last_turn, max_turns_reached};
use super::{Executor, Task};
use crate::agent::outbox::user;
use crate::agent::state::State;
use crate::agent::{Terminal, TerminalReason};
use crate::conversation::{AssistantMessage, ContentBlock, Message, MessageId, Usage, UserMessage};

impl Task<'_> {
    /// Cancelled while the answer came in: its finished calls are answered.
    pub(super) async fn aborted_streaming(&self, executor: Executor) -> Step {
        executor.finish().await;
        self.interrupted();
        Step::Terminal(End::of(TerminalReason::AbortedStreaming))
    }

    /// Cancelled while neither an answer came in nor a call ran.
    pub(super) fn aborted_between(&self) -> Step {
        self.interrupted();
        Step::Terminal(End::of(TerminalReason::AbortedStreaming))
    }

    /// Cancelled while calls ran; they have their results. Whether it would have been the last turn is told as well.
    pub(super) fn aborted_tools(&self, state: &State) -> Step {
        self.interrupted();
        let end = End::of(TerminalReason::AbortedTools);
        match max_turns_reached(state, (self.params.clock)()) {
            Step::Terminal(End { told, .. }) if is_last_turn(state, &self.params.limits) => {
                Step::Terminal(End { told, ..end })
            }
            Step::Terminal(_) | Step::Continue(_) => Step::Terminal(end),
        }
    }

    /// The value that the loop returns. An error that was held back is shown now, once; it is never sent back.
    pub(super) async fn ended(&mut self, turns: u32, end: End) -> Terminal {
        let End { reason, message, error, void, told } = end;
        self.outbox.void(void);
        for message in told {
            self.outbox.message(message);
        }
        if let Some(error) = error {
            self.outbox.message(self.api_error(&error));
            let session = self.params.tool_use_context.session.clone();
            self.account.errors.push(error.clone());
            self.params.hooks.stop_failure(session, error).await;
        }
        let spent = self.spent.clone();
        let cost = spent.cost(&self.params.prices);
        let denials = self.params.can_use_tool.take_denials();
        let account = std::mem::take(&mut self.account);
        Terminal { reason, turns, spent, cost, message, denials, account }
    }

    /// Whether the task has cost what it may. A model without a known price costs nothing here.
    pub(super) fn is_over_budget(&self) -> bool {
        let most = self.params.limits.max_budget;
        let cost = self.spent.cost(&self.params.prices);
        most.zip(cost).is_some_and(|(most, cost)| cost.amount >= most)
    }

    /// The end between two calls of the model, when the budget is spent.
    pub(super) async fn over_budget(&mut self, turns: u32) -> Terminal {
        let most = self.params.limits.max_budget.unwrap_or_default();
        let text = format!(
            "The task has cost ${most}, the most that `max_budget_usd` allows. Allow more, or in an editor send a message to go on."
        );
        self.ended(turns, End::saying(TerminalReason::BudgetExhausted, text)).await
    }

    fn api_error(&self, error: &str) -> Message {
        Message::from(AssistantMessage {
            id: MessageId::fresh(),
            at: (self.params.clock)(),
            response_id: String::new(),
            request_id: None,
            model: self.params.provider.info().model,
            content: vec![ContentBlock::text(error)],
            stop_reason: None,
            usage: Usage::default(),
            is_api_error: true,
            is_virtual: false,
        })
    }

    /// The model learns with the next prompt that it did not finish.
    pub(super) fn interrupted(&self) {
        let text = ContentBlock::text("[The user interrupted the task here.]");
        let message = UserMessage { is_meta: true, ..user((self.params.clock)(), vec![text]) };
        self.outbox.message(Message::from(message));
    }
}
