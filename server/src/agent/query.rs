//! The query loop: ask the model, run the calls it makes, tell it what came of them, until it makes none.

mod answer;
mod compacting;
mod ending;
mod known_ids;
mod model_call;
mod outcome;
mod recovery;
mod size;

use std::ops::ControlFlow;

use futures::{FutureExt as _, Stream, StreamExt as _, future, stream};
use tokio_stream::wrappers::UnboundedReceiverStream;

use self::answer::Answer;
pub(super) use self::answer::patch;
use self::known_ids::KnownIds;
use self::model_call::Call;
use self::outcome::{Outcome, outcome};
use self::recovery::{BudgetTracker, Continuation, End, Step};
use super::attachments;
use super::background::{PendingToolUseSummary, Short};
use super::executor::{Executor, Kit};
use super::outbox::{self, Outbox};
use super::params::{Instead, QueryParams};
use super::reminders::reminders;
use super::state::{RoundContext, State};
use super::{
    LoopEvent, SessionEvent, Spending, StopInput, StopVerdict, TaskAccount, Terminal, TerminalReason,
    background,
};
use crate::context::Thresholds;
use crate::conversation::{Growing, Message, Usage};
use crate::models::ProviderInfo;

/// The events of one task in order; the last is `LoopEvent::Done`. Dropping the stream drops the connection and every call.
pub(super) fn query(params: QueryParams) -> impl Stream<Item = SessionEvent> + Send {
    let (outbox, received) = Outbox::new();
    let running = async move {
        let terminal = run(params, &outbox).await;
        tracing::info!(reason = terminal.reason.as_str(), turns = terminal.turns, "the task ended");
        outbox.emit(LoopEvent::Done(terminal));
    };
    let running = running.into_stream().filter_map(|()| future::ready(None));
    let events = stream::select(UnboundedReceiverStream::new(received), running);
    // Whoever runs on in the background may hold the way out for as long as it likes.
    stream::unfold(Some(Box::pin(events)), async |events| {
        let mut events = events?;
        let event = events.next().await?;
        let is_last = matches!(event, SessionEvent::Loop(LoopEvent::Done(_)));
        Some((event, (!is_last).then_some(events)))
    })
}

async fn run(params: QueryParams, outbox: &Outbox) -> Terminal {
    let mut task = Task::new(params, outbox);
    let mut state = task.first_state().await;
    if let Some(instead) = task.params.instead.take() {
        let end = match instead {
            Instead::Summary(instructions) => task.summarise(state, instructions).await,
            Instead::Size => task.tell_size(state).await,
        };
        return task.ended(0, end).await;
    }
    loop {
        let turn = state.turn_count;
        match task.iteration(state).await {
            Step::Continue(_) if task.is_over_budget() => return task.over_budget(turn).await,
            Step::Continue(next) => state = task.goes_on(next),
            Step::Terminal(end) => return task.ended(turn, end).await,
        }
    }
}

/// What a task keeps beside the state of its iterations: what only ever grows, and whom it asks.
struct Task<'outbox> {
    params: QueryParams,
    outbox: &'outbox Outbox,
    spent: Spending,
    account: TaskAccount,
    known: KnownIds,
    /// The conversation as its model is sent it.
    sent: Growing,
    budget: BudgetTracker,
    /// How often in a row Stop hooks have blocked the end.
    stop_hook_blocks: u32,
    /// How often in a row the provider has paused.
    pauses: u32,
}

impl Task<'_> {
    /// One iteration, from a state to the next or to the end.
    async fn iteration(&mut self, state: State) -> Step {
        if let Some(refresh) = &self.params.refresh_tools {
            self.params.tools = refresh();
        }
        // What is announced is who is asked.
        let settled = self.params.provider.settled();
        tokio::select! {
            biased;
            () = state.tool_use_context.cancel.cancelled() => {}
            () = settled => {}
        }
        self.request_starts(state.turn_count);
        let (state, request) = match self.prepared(state).await {
            Ok(prepared) => prepared,
            Err(end) => return Step::Terminal(end),
        };
        let Call { answer, streamed, executor } = self.ask(&state, request).await;
        let state = self.summarised(state).await;
        let state = self.weighed(state, &answer);
        let (limits, now) = (self.params.limits, (self.params.clock)());
        let outcome = outcome(&answer, streamed);
        let pauses = std::mem::take(&mut self.pauses);
        match outcome {
            Outcome::Calls => self.run_calls(state, &answer, executor).await,
            // A call that has acted was whole, and is not asked for again.
            Outcome::Cut | Outcome::TooLong(_) if executor.has_effects() => {
                self.run_calls(state, &answer, executor).await
            }
            Outcome::Done(remark) => self.finish(state, &answer, remark).await,
            Outcome::Cut => {
                let largest = self.params.provider.info().window.max_output;
                recovery::output_cut(state, &answer, &limits, largest, now).voiding(executor.discard())
            }
            Outcome::TooLong(error) => self.shorten(state, &answer, executor, error).await,
            Outcome::Empty => recovery::empty(state, &limits, now),
            Outcome::Paused => {
                self.pauses = pauses + 1;
                recovery::paused(state, answer.messages().collect(), pauses, &limits, now)
            }
            Outcome::Refused => {
                executor.finish().await;
                recovery::refused(&answer)
            }
            Outcome::Failed(error) => Step::Terminal(End::failing(TerminalReason::ModelError, error.message)),
            Outcome::Cancelled => self.aborted_streaming(executor).await,
        }
    }

    /// The calls of an answer to their results, and on to the next turn.
    async fn run_calls(&mut self, state: State, answer: &Answer, executor: Executor) -> Step {
        let results = executor.finish().await;
        for (model, usage) in &results.spent {
            self.spend(model, *usage);
        }
        let mut state = state;
        state.tool_use_context.modifiers.extend(results.modifiers);
        if state.tool_use_context.cancel.is_cancelled() {
            return self.aborted_tools(&state);
        }
        if let Some(why) = results.stop {
            return Step::Terminal(End::saying(TerminalReason::HookStopped, why));
        }
        if recovery::is_last_turn(&state, &self.params.limits) {
            return recovery::max_turns_reached(&state, (self.params.clock)());
        }
        let answer: Vec<Message> = answer.messages().collect();
        let small = self.params.small.clone();
        let summary = small.map(|small| background::summary(small, &answer, &results.messages));
        let attachments = self.attach(&state.messages).await;
        let said = answer.into_iter().chain(results.messages).chain(attachments).collect();
        recovery::next_turn(state, said, summary)
    }

    /// The model is done: the Stop hooks and the budget may want more.
    async fn finish(&mut self, state: State, answer: &Answer, remark: Option<String>) -> Step {
        let said: Vec<Message> = answer.messages().collect();
        let input = StopInput {
            session: state.tool_use_context.session.clone(),
            stop_hook_active: state.stop_hook_active,
            last_text: answer.text(),
        };
        let verdict: StopVerdict = tokio::select! {
            biased;
            () = state.tool_use_context.cancel.cancelled() => return self.aborted_between(),
            verdict = self.params.hooks.stop(input) => verdict,
        };
        let (limits, now) = (self.params.limits, (self.params.clock)());
        let blocks = self.stop_hook_blocks;
        let state = match recovery::stop_hooks(state, said.clone(), verdict, blocks, &limits, now) {
            ControlFlow::Continue(state) => state,
            ControlFlow::Break(step) => {
                self.stop_hook_blocks += 1;
                return step;
            }
        };
        self.stop_hook_blocks = 0;
        // Who carries out fixed instructions gains nothing from going on.
        let budget = self.params.token_budget.filter(|_| !self.params.provider.info().offline);
        let used = self.spent.total().output_tokens;
        match recovery::token_budget(state, said, &mut self.budget, used, budget, now) {
            ControlFlow::Continue(_) => {
                Step::Terminal(End { message: remark, ..End::of(TerminalReason::Completed) })
            }
            ControlFlow::Break(step) => step,
        }
    }
}

impl<'outbox> Task<'outbox> {
    fn new(params: QueryParams, outbox: &'outbox Outbox) -> Self {
        let known = KnownIds::of(&params.messages);
        let (budget, spent) = (BudgetTracker::default(), Spending::default());
        let sent = Growing::default();
        let account = TaskAccount::default();
        Self { params, outbox, spent, account, known, sent, budget, stop_hook_blocks: 0, pauses: 0 }
    }

    async fn first_state(&mut self) -> State {
        let mut messages = std::mem::take(&mut self.params.messages);
        // What came up belongs behind a summary, not into it.
        if self.params.instead.is_none() {
            let attached = self.attach(&messages).await;
            messages.extend(attached);
        }
        let tracking = self.params.context.compact_state().next_task();
        State::first(messages.into(), self.params.tool_use_context.clone(), tracking)
    }

    /// Tells who is about to be asked.
    fn request_starts(&self, turn: u32) {
        let ProviderInfo { label: model, offline, .. } = self.params.provider.info();
        self.outbox.emit(LoopEvent::RequestStart { turn, model, offline });
    }

    /// Counts what a model was paid for, and tells it.
    fn spend(&mut self, model: &str, usage: Usage) {
        self.spent.add(model, usage);
        self.outbox.send(SessionEvent::Spent(self.spent.clone()));
    }

    /// Shows the summary of earlier calls if it was made meanwhile: it is never waited for.
    async fn summarised(&mut self, mut state: State) -> State {
        match state.pending_tool_use_summary.take() {
            Some(PendingToolUseSummary { tool_use_ids, making }) if making.is_finished() => {
                if let Ok(Some(Short { text: summary, model, usage })) = making.await {
                    self.spend(&model, usage);
                    self.outbox.emit(LoopEvent::ToolUseSummary { summary, tool_use_ids });
                }
            }
            pending => state.pending_tool_use_summary = pending,
        }
        state
    }

    /// What the service counted says whether a summary has helped.
    fn weighed(&self, mut state: State, answer: &Answer) -> State {
        let thresholds = Thresholds::of(self.params.provider.info().window, &self.params.context.settings);
        let tracking = state.auto_compact_tracking;
        state.auto_compact_tracking = tracking.counted(answer.usage.request(), thresholds.compact);
        state
    }

    /// Tells why the loop goes on, and what became of the iteration before.
    fn goes_on(&self, next: Continuation) -> State {
        let Continuation { state, void, told } = next;
        self.outbox.void(void);
        for message in told {
            self.outbox.message(message);
        }
        if let Some(reason) = state.transition {
            self.outbox.transition(reason);
        }
        state
    }

    /// What came up since the last request: what the user sent, then the user's decisions and changes.
    async fn attach(&self, so_far: &[Message]) -> Vec<Message> {
        let (params, now) = (&self.params, (self.params.clock)());
        let told =
            attachments::collect(&params.tool_use_context, &params.noticed, &params.context, now).await;
        let diagnostics = match &params.diagnosed {
            Some(diagnosed) => {
                let news = diagnosed.news(&params.tool_use_context, now);
                params.context.in_time(news).await.unwrap_or_default()
            }
            None => Vec::new(),
        };
        let queued = (params.take_queued)().await.into_iter().map(Message::from);
        let reminders = reminders(so_far, params.tool_use_context.mode.get())
            .into_iter()
            .map(|(kind, text)| outbox::attachment(now, kind, text));
        let messages: Vec<Message> = queued.chain(told).chain(diagnostics).chain(reminders).collect();
        for message in &messages {
            self.outbox.message(message.clone());
        }
        messages
    }

    fn executor(&self, context: &RoundContext) -> Executor {
        let params = &self.params;
        Executor::new(Kit {
            tools: params.tools.clone(),
            context: context.clone(),
            can_use_tool: params.can_use_tool.clone(),
            hooks: params.hooks.clone(),
            queued: params.queued.clone(),
            outbox: self.outbox.clone(),
            clock: params.clock.clone(),
            at_once: params.limits.tools_at_once,
        })
    }
}

#[cfg(test)]
mod any_script;
#[cfg(test)]
mod invariants;
#[cfg(test)]
mod scripts;
#[cfg(test)]
pub(super) mod stage;
#[cfg(test)]
mod tests;
