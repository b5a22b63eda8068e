//! How an iteration that did not simply end goes on: each cause in a file of its own, a pure function from the state to
//! another state or to the end.
//!
//! Invariant: the `messages` of the state that a recovery is given are this round's view, as the model was sent it.

mod empty;
mod next_turn;
mod output_cut;
mod refused;
mod stop_hooks;
mod stream;
mod token_budget;
mod too_long;

pub(super) use self::empty::empty;
pub(super) use self::next_turn::{is_last_turn, max_turns_reached, next_turn, paused};
pub(super) use self::output_cut::output_cut;
pub(super) use self::refused::refused;
pub(super) use self::stop_hooks::stop_hooks;
pub(super) use self::stream::{Facts, Verdict, after_stream};
pub(super) use self::token_budget::{BudgetTracker, token_budget};
pub(super) use self::too_long::{compacted, drained, given_up, may_compact, may_drain};

use crate::agent::TerminalReason;
use crate::agent::outbox::user;
use crate::agent::state::State;
use crate::conversation::{ContentBlock, Message, MessageId, UserMessage};

/// What an iteration comes to.
#[expect(clippy::large_enum_variant, reason = "one is made in a round, and moved once")]
pub(super) enum Step {
    Continue(Continuation),
    Terminal(End),
}

/// The next iteration's state, and what became of this one.
pub(super) struct Continuation {
    pub(super) state: State,
    /// Messages that were shown and no longer count.
    pub(super) void: Vec<MessageId>,
    /// Messages of the new state that nobody was shown yet.
    pub(super) told: Vec<Message>,
}

/// The end of the task.
pub(super) struct End {
    pub(super) reason: TerminalReason,
    /// For the person, if it is no plain end: what happened and what to do.
    pub(super) message: Option<String>,
    /// An error that was held back while something could be done about it. It is shown now, once.
    pub(super) error: Option<String>,
    pub(super) void: Vec<MessageId>,
    pub(super) told: Vec<Message>,
}

impl Step {
    /// With more that is void.
    pub(super) fn voiding(mut self, more: Vec<MessageId>) -> Self {
        match &mut self {
            Self::Continue(Continuation { void, .. }) | Self::Terminal(End { void, .. }) => void.extend(more),
        }
        self
    }

    fn go_on(state: State) -> Self {
        Self::Continue(Continuation { state, void: Vec::new(), told: Vec::new() })
    }

    fn go_on_with(state: State, told: Message) -> Self {
        Self::Continue(Continuation { state, void: Vec::new(), told: vec![told] })
    }
}

impl End {
    /// A plain end.
    pub(super) fn of(reason: TerminalReason) -> Self {
        Self { reason, message: None, error: None, void: Vec::new(), told: Vec::new() }
    }

    /// With a word for the person.
    pub(super) fn saying(reason: TerminalReason, message: impl Into<String>) -> Self {
        Self { message: Some(message.into()), ..Self::of(reason) }
    }

    /// With an error that nothing could be done about.
    pub(super) fn failing(reason: TerminalReason, error: impl Into<String>) -> Self {
        let error = error.into();
        Self { message: Some(error.clone()), error: Some(error), ..Self::of(reason) }
    }
}

/// What the program says to the model on the user's behalf.
fn meta(at: std::time::SystemTime, text: impl Into<String>) -> Message {
    Message::from(UserMessage { is_meta: true, ..user(at, vec![ContentBlock::text(text)]) })
}

/// `messages` with more behind them.
fn with(messages: &[Message], more: impl IntoIterator<Item = Message>) -> std::sync::Arc<[Message]> {
    messages.iter().cloned().chain(more).collect()
}
