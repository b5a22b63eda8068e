//! Before a request: the context pipeline, and where a conversation has become too long, a summary in its place.

use super::answer::Answer;
use super::recovery::{self, End, Step};
use super::{Executor, Task};
use crate::agent::compaction::{Compacted, Compaction, CompactionFailure, allowed, compact};
use crate::agent::preparing::prepared;
use crate::agent::state::{RoundContext, State};
use crate::agent::{CompactionStatus, SessionEvent, TerminalReason};
use crate::context::{Prepared, Thresholds, Verdict};
use crate::conversation::{Message, MessageId};
use crate::models::{ContextEdit, ModelError};

/// What a request holds beside the conversation.
pub(super) struct Request {
    pub(super) system: Vec<String>,
    pub(super) context_edits: Vec<ContextEdit>,
}

impl Task<'_> {
    /// The state with this round's view in it, ready to be sent; or the end, where nothing may be sent.
    pub(super) async fn prepared(&mut self, state: State) -> Result<(State, Request), End> {
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
        let mut view = prepared(&self.params, messages, auto_compact_tracking).await;
        let mut tracking = auto_compact_tracking;
        if view.verdict == Verdict::Compact {
            let context = tool_use_context.with_messages(view.messages.clone());
            match self.compact(&view.messages, Compaction::Auto, &context).await {
                Ok(compacted) => {
                    tracking = tracking.succeeded(&self.params.context.settings);
                    view = prepared(&self.params, compacted.messages.into(), tracking).await;
                }
                Err(CompactionFailure::Cancelled) => {
                    self.interrupted();
                    return Err(End::of(TerminalReason::AbortedStreaming));
                }
                // It is sent as it is: a provider that refuses it leads to another attempt.
                Err(CompactionFailure::Blocked(why)) => {
                    tracing::info!(why, "a hook kept the conversation from being summarised");
                }
                // The user's own words are long: who is asked may take them.
                Err(CompactionFailure::Nothing) if view.tokens < self.thresholds().blocking => {}
                Err(CompactionFailure::Nothing) => {
                    let why = words_too_long(view.tokens, self.thresholds());
                    return Err(End::failing(TerminalReason::BlockingLimit, why));
                }
                Err(CompactionFailure::Failed(why)) => {
                    tracing::warn!(why, "the conversation could not be summarised");
                    tracking = tracking.failed();
                    view = prepared(&self.params, view.messages, tracking).await;
                }
            }
            self.params.context.set_compact_state(tracking);
        }
        let Prepared { messages, system, context_edits, verdict, .. } = view;
        if let Verdict::Blocked(why) = verdict {
            return Err(End::failing(TerminalReason::BlockingLimit, why));
        }
        let state = State {
            tool_use_context: tool_use_context.with_messages(messages.clone()),
            messages,
            auto_compact_tracking: tracking,
            max_output_tokens_recovery_count,
            has_attempted_reactive_compact,
            max_output_tokens_override,
            pending_tool_use_summary,
            stop_hook_active,
            turn_count,
            transition,
        };
        Ok((state, Request { system, context_edits }))
    }

    /// The model refused the conversation as too long. What is shown of an answer is void.
    pub(super) async fn shorten(
        &mut self,
        state: State,
        answer: &Answer,
        executor: Executor,
        error: ModelError,
    ) -> Step {
        let mut void = answer.record_ids();
        void.extend(executor.discard());
        if recovery::may_drain(&state) && self.params.context.drain() > 0 {
            return recovery::drained(state, void);
        }
        if !recovery::may_compact(&state, &error) {
            return recovery::given_up(&error, void);
        }
        let how = Compaction::Reactive { over_by: error.over_by };
        // Void first: the summary begins the stored conversation anew.
        self.outbox.void(std::mem::take(&mut void));
        match self.compact(&state.messages, how, &state.tool_use_context).await {
            Ok(compacted) => {
                let tracking = state.auto_compact_tracking.succeeded(&self.params.context.settings);
                self.params.context.set_compact_state(tracking);
                recovery::compacted(state, compacted.messages.into(), tracking)
            }
            Err(CompactionFailure::Cancelled) => self.aborted_between(),
            Err(
                why @ (CompactionFailure::Blocked(_)
                | CompactionFailure::Nothing
                | CompactionFailure::Failed(_)),
            ) => {
                tracing::warn!(%why, "the conversation could not be summarised");
                recovery::given_up(&error, void)
            }
        }
    }

    /// The user asked for a summary.
    pub(super) async fn summarise(&mut self, state: State, instructions: String) -> End {
        let view = prepared(&self.params, state.messages, state.auto_compact_tracking).await.messages;
        let context = state.tool_use_context.with_messages(view.clone());
        match self.compact(&view, Compaction::Manual { instructions }, &context).await {
            Ok(_) => {
                let tracking = state.auto_compact_tracking.succeeded(&self.params.context.settings);
                self.params.context.set_compact_state(tracking);
                End::saying(TerminalReason::Completed, "The conversation was summarised.")
            }
            Err(CompactionFailure::Cancelled) => {
                self.interrupted();
                End::of(TerminalReason::AbortedStreaming)
            }
            Err(blocked @ CompactionFailure::Blocked(_)) => {
                End::saying(TerminalReason::HookStopped, blocked.to_string())
            }
            Err(why @ (CompactionFailure::Nothing | CompactionFailure::Failed(_))) => {
                End::failing(TerminalReason::ModelError, why.to_string())
            }
        }
    }

    fn thresholds(&self) -> Thresholds {
        Thresholds::of(self.params.provider.info().window, &self.params.context.settings)
    }

    async fn compact(
        &mut self,
        view: &[Message],
        how: Compaction,
        context: &RoundContext,
    ) -> Result<Compacted, CompactionFailure> {
        let allowed = allowed(&self.params, view, how, context).await?;
        let is_asked_for = allowed.is_asked_for();
        self.outbox.send(SessionEvent::Compaction(CompactionStatus::Started));
        let compacted = compact(&self.params, view, allowed, context).await;
        let status = match &compacted {
            Ok(_) => CompactionStatus::Done,
            Err(CompactionFailure::Failed(why)) if !is_asked_for => {
                CompactionStatus::Failed(Some(why.clone()))
            }
            Err(_) => CompactionStatus::Failed(None),
        };
        self.outbox.send(SessionEvent::Compaction(status));
        if let Ok(compacted) = &compacted {
            self.spend(&self.params.provider.info().model, compacted.usage);
            for message in told(&compacted.messages) {
                self.outbox.message(message);
            }
        }
        compacted
    }
}

/// What a person is told of words of their own that are not sent.
fn words_too_long(tokens: u64, thresholds: Thresholds) -> String {
    format!(
        "What you have sent takes {tokens} tokens with what stands in every request, and the model has room for {}. Send \
         less of it in a new conversation, or choose a model with more room.",
        thresholds.blocking
    )
}

/// What nobody was shown yet: what is kept of the conversation stands in it already.
fn told(messages: &[Message]) -> Vec<Message> {
    let kept: Vec<&MessageId> = messages
        .iter()
        .filter_map(|message| match message {
            Message::System(system) => system.compaction.as_ref().map(|compaction| &compaction.kept),
            _ => None,
        })
        .flatten()
        .collect();
    messages.iter().filter(|message| !kept.contains(&message.id())).cloned().collect()
}
