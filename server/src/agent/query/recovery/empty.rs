//! The model ended its turn without a word: it is asked to continue, in a request of its own, twice at most in a row.

use std::time::SystemTime;

use super::{Continuation, End, Step, is_last_turn, max_turns_reached, meta, next_turn};
use crate::agent::TerminalReason;
use crate::agent::params::Limits;
use crate::agent::state::State;
use crate::conversation::{ContentBlock, Message};

/// How often in a row.
const TRIES: usize = 2;
const CONTINUE: &str = "Continue.";

pub(in crate::agent::query) fn empty(state: State, limits: &Limits, at: SystemTime) -> Step {
    if state.messages.iter().rev().take_while(|message| is_ours(message)).count() >= TRIES {
        let error = "The model's answer was empty. Try again, or say it in other words.";
        return Step::Terminal(End::failing(TerminalReason::ModelError, error));
    }
    if is_last_turn(&state, limits) {
        return max_turns_reached(&state, at);
    }
    let go_on = meta(at, CONTINUE);
    match next_turn(state, vec![go_on.clone()], None) {
        Step::Continue(next) => Step::Continue(Continuation { told: vec![go_on], ..next }),
        end @ Step::Terminal(_) => end,
    }
}

fn is_ours(message: &Message) -> bool {
    matches!(message, Message::User(user) if user.is_meta && user.content == [ContentBlock::text(CONTINUE)])
}
