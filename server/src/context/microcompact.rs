//! The third step: results that were useful once are cleared, where a provider's cache is cold anyway or does it itself.

use std::time::Duration;

use super::clearing::{Clearing, cleared, may_save};
use super::step::{PipelineInput, Report};
use super::view::{Answered, View};
use crate::config::{ContextNumber, ContextSettings};
use crate::conversation::Message;
use crate::models::{ClearedInputs, ContextEdit, ContextEditing, EditTrigger};

const CLEARED: &str = "[This old result was cleared. Make the call again if you need it.]";

/// After a long silence all but the newest results go. Without one, and where the provider does not do it, they go when
/// they are many and it pays.
pub(super) fn microcompact(view: View, input: &PipelineInput<'_>) -> (View, Report) {
    let settings = input.settings;
    let (fewest, at_least) = if is_cold(&view.messages, input) {
        (0, 0)
    } else if input.editing == ContextEditing::Client {
        (settings.size(ContextNumber::ClearResultsAt), settings.number(ContextNumber::ClearAtLeast))
    } else {
        return (view, Report::default());
    };
    let is_live = |answered: &&Answered| answered.tool.is_compactable() && !answered.is_cleared();
    let live = || view.answered().iter().filter(is_live);
    let count = live().count();
    let keep = settings.size(ContextNumber::KeptResults).max(1);
    let old = || live().take(count.saturating_sub(keep));
    if count <= fewest || !may_save(old(), at_least) {
        return (view, Report::default());
    }
    let clearings: Vec<Clearing> = old().map(|answered| Clearing { of: *answered, words: CLEARED }).collect();
    cleared(view, &clearings, input.log, at_least)
}

/// What the provider is to clear by itself. The same in every request of a session, since it is part of the cache's key.
pub(super) fn context_edits(editing: ContextEditing, settings: &ContextSettings) -> Vec<ContextEdit> {
    match editing {
        ContextEditing::Client => Vec::new(),
        ContextEditing::Server => {
            let clear = ContextEdit::ClearToolUses {
                trigger: EditTrigger::InputTokens(settings.number(ContextNumber::ServerClearAt)),
                keep: u32::try_from(settings.number(ContextNumber::KeptResults)).unwrap_or(u32::MAX),
                clear_at_least: Some(settings.number(ContextNumber::ClearAtLeast)),
                // What was read must be visible as long as a second read is answered with "unchanged".
                exclude_tools: vec!["Read".to_owned()],
                inputs: ClearedInputs::Kept,
            };
            let at = Some(settings.number(ContextNumber::ServerCompactAt)).filter(|&at| at > 0);
            let summary = at.map(|at_input_tokens| ContextEdit::Compact { at_input_tokens });
            [clear].into_iter().chain(summary).collect()
        }
    }
}

/// Whether the model has been silent for so long that nothing of the conversation is cached any more.
fn is_cold(view: &[Message], input: &PipelineInput<'_>) -> bool {
    let last = view.iter().rev().find_map(|message| match message {
        Message::Assistant(answer) => Some(answer.at),
        _ => None,
    });
    let idle = Duration::from_secs(60 * input.settings.number(ContextNumber::IdleMinutes));
    last.and_then(|last| input.now.duration_since(last).ok()).is_some_and(|silence| silence > idle)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::UNIX_EPOCH;

    use serde_json::json;

    use super::super::fixture::{Setting, called, prompt, read, results, view};
    use super::*;
    use crate::conversation::{ContentBlock, normalize};

    fn history(results: usize, text: &str) -> Arc<[Message]> {
        let calls = (0..results).flat_map(|n| called(&format!("t{n}"), "Grep", json!({"n": n}), text));
        view([prompt("go")].into_iter().chain(calls))
    }

    fn step(messages: Arc<[Message]>, setting: &Setting) -> (Arc<[Message]>, Report) {
        let (view, report) = microcompact(View::of(messages, &setting.log), &setting.input());
        (view.messages, report)
    }

    fn after_minutes(minutes: u64) -> Setting {
        Setting { now: UNIX_EPOCH + Duration::from_secs(60 * minutes), ..Setting::new() }
    }

    fn cleared_ids(view: &[Message]) -> Vec<String> {
        results(view).into_iter().filter(|(_, text)| text == CLEARED).map(|(id, _)| id).collect()
    }

    /// How many of eight results are cleared after that silence.
    #[track_caller]
    fn check(minutes: u64, want: usize) {
        let before = history(8, &"found a line\n".repeat(20));
        let (after, report) = step(before.clone(), &after_minutes(minutes));
        assert_eq!(cleared_ids(&after).len(), want);
        assert_eq!(report.decisions.len(), want);
        let calls = |view: &[Message]| {
            let blocks = normalize(view).into_iter().flat_map(|message| message.content);
            blocks.filter(|block| matches!(block, ContentBlock::ToolUse { .. })).count()
        };
        assert_eq!((calls(&after), normalize(&after).len()), (8, normalize(&before).len()), "still pairs");
    }

    #[test]
    fn after_an_hour_of_silence_all_but_the_newest_five_go() {
        check(59, 0);
        check(60, 0);
        check(61, 3);
    }

    #[test]
    fn one_stays_whatever_the_settings_say() {
        let mut setting = after_minutes(61);
        setting.settings = setting.settings.with(ContextNumber::KeptResults, 0);
        let (after, _) = step(history(3, &"found a line\n".repeat(20)), &setting);
        assert_eq!(cleared_ids(&after), ["t0", "t1"]);
    }

    #[test]
    fn without_silence_many_results_go_if_it_pays_and_nobody_else_does_it() {
        let many = || history(13, &"found a line\n".repeat(1_000));
        let setting = Setting::new();
        assert_eq!(cleared_ids(&step(many(), &setting).0).len(), 8);
        let few = history(12, &"found a line\n".repeat(1_000));
        assert_eq!(cleared_ids(&step(few, &setting).0).len(), 0);
        let small = history(13, "found a line");
        assert_eq!(cleared_ids(&step(small, &setting).0).len(), 0);
        let server = Setting { editing: ContextEditing::Server, ..Setting::new() };
        assert_eq!(cleared_ids(&step(many(), &server).0).len(), 0);
    }

    #[test]
    fn files_that_were_read_in_cleared_results_only_are_told() {
        let reads =
            (0..8).flat_map(|n| read(&format!("t{n}"), &format!("/w/{}.rs", n % 6), &"a line\n".repeat(30)));
        let (_, report) = step(view(reads), &after_minutes(61));
        assert_eq!(report.hidden, ["/w/2.rs"], "0 and 1 were read again");
    }

    #[test]
    fn the_provider_is_told_what_to_clear_where_it_can() {
        let settings = ContextSettings::default();
        assert_eq!(context_edits(ContextEditing::Client, &settings), []);
        let edit = ContextEdit::ClearToolUses {
            trigger: EditTrigger::InputTokens(100_000),
            keep: 5,
            clear_at_least: Some(20_000),
            exclude_tools: vec!["Read".to_owned()],
            inputs: ClearedInputs::Kept,
        };
        assert_eq!(context_edits(ContextEditing::Server, &settings), std::slice::from_ref(&edit));
        let settings = settings.with(ContextNumber::ServerCompactAt, 150_000);
        let summary = ContextEdit::Compact { at_input_tokens: 150_000 };
        assert_eq!(context_edits(ContextEditing::Server, &settings), [edit, summary]);
        assert_eq!(context_edits(ContextEditing::Client, &settings), []);
    }
}
