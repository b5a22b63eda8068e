//! What the conversation takes of its model's window, for the user who asks. The service counts it, where it does.

use super::Task;
use super::compacting::Request;
use super::recovery::End;
use crate::agent::TerminalReason;
use crate::agent::preparing::prepared;
use crate::agent::state::State;
use crate::context::{Prepared, Thresholds};

impl Task<'_> {
    /// Tells it as the end of a task in which no model answers.
    pub(super) async fn tell_size(&mut self, mut state: State) -> End {
        let messages = state.messages.clone();
        let view = prepared(&self.params, messages, state.auto_compact_tracking).await;
        let Prepared { messages, system, context_edits, tokens, .. } = view;
        state.messages = messages;
        let info = self.params.provider.info();
        let request = self.request(&state, &Request { system, context_edits }, &info.model);
        let counting = self.params.provider.count(request);
        let Some(counted) = state.tool_use_context.cancel.run_until_cancelled(counting).await else {
            return End::of(TerminalReason::AbortedStreaming);
        };
        let thresholds = Thresholds::of(info.window, &self.params.context.settings);
        End::saying(TerminalReason::Completed, in_words(counted, tokens, info.window.context, thresholds))
    }
}

fn in_words(counted: Option<u64>, estimated: u64, window: u64, thresholds: Thresholds) -> String {
    let taken = match counted {
        Some(tokens) => format!("{tokens} tokens, as the service counts them,"),
        None => format!("about {estimated} tokens, by an estimate,"),
    };
    let percent = counted.unwrap_or(estimated).saturating_mul(100) / window.max(1);
    format!(
        "The conversation takes {taken} of the {window} of its model ({percent} %). From {} on it is summarised.",
        thresholds.compact
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::ContextSettings;
    use crate::models::Window;

    #[track_caller]
    fn check(counted: Option<u64>, want: &str) {
        let window = Window { context: 200_000, max_output: 64_000 };
        let thresholds = Thresholds::of(window, &ContextSettings::default());
        assert_eq!(in_words(counted, 9_000, window.context, thresholds), want);
    }

    #[test]
    fn what_was_counted_is_told_apart_from_an_estimate() {
        let rest = "of the 200000 of its model";
        let end = "From 167000 on it is summarised.";
        check(
            Some(50_000),
            &format!("The conversation takes 50000 tokens, as the service counts them, {rest} (25 %). {end}"),
        );
        check(
            None,
            &format!("The conversation takes about 9000 tokens, by an estimate, {rest} (4 %). {end}"),
        );
    }
}
