//! The fourth step: consecutive messages that say little are folded into a line, and reads that something replaced too.
//!
//! Invariant: folds lie beside the history, which stays whole; without them the view has its own bytes again.

mod spans;

use std::collections::HashMap;
use std::sync::Arc;

use self::spans::spans;
use super::calls::Place;
use super::clearing::hidden;
use super::log::{ContextLog, Decision, Fold};
use super::step::{PipelineInput, Report};
use super::thresholds::Thresholds;
use super::view::{Answered, ToolClass, View};
use crate::config::ContextNumber;
use crate::conversation::{ContentBlock, Message, MessageId, ToolUseId, UserMessage};

/// Prepares folds as they come up, and makes them when `tokens`, the request's so far, leave little of the window.
pub(super) fn collapse(view: View, tokens: u64, input: &PipelineInput<'_>) -> (View, Report) {
    if !input.settings.collapse.value {
        return (view, Report::default());
    }
    let made = input.log.folds();
    // What is folded in the view of the round before stays so, and what has come since is in no fold.
    let new = made.get(view.projected()..).unwrap_or_default();
    let mut projected = project(view, new, input.log);
    projected.set_projected(made.len());
    let mut staged = candidates(&projected, input);
    let mut report =
        Report { decisions: staged.iter().cloned().map(Decision::Staged).collect(), ..Report::default() };
    let effective = Thresholds::of(input.window, input.settings).effective;
    let full = effective / 100 * input.settings.number(ContextNumber::CollapseAtPercent);
    staged.splice(..0, input.log.staged().iter().cloned());
    if tokens < full || staged.is_empty() {
        return (projected, report);
    }
    report.decisions.push(Decision::Committed);
    report.hidden = newly_hidden(&projected, &staged);
    let before = projected.messages.clone();
    report.shortened(&before, project(projected, &staged, input.log))
}

/// The view with `folds` made. What they are about may be gone already.
fn project(view: View, folds: &[Fold], log: &ContextLog) -> View {
    if folds.is_empty() {
        return view;
    }
    let mut lines: HashMap<&ToolUseId, Arc<str>> = HashMap::new();
    let mut first: HashMap<&MessageId, (&[MessageId], &Arc<str>)> = HashMap::new();
    for fold in folds {
        match fold {
            Fold::Span { messages, line } => {
                if let Some(id) = messages.first() {
                    first.insert(id, (messages, line));
                }
            }
            Fold::Result { call, line } => {
                lines.insert(call, line.clone());
            }
        }
    }
    let places = places(&view, &lines);
    let view = view.with_results(&places, log);
    let is_touched = !first.is_empty() && view.messages.iter().any(|it| first.contains_key(it.id()));
    if is_touched { View::of(with_spans(&view.messages, &first), log) } else { view }
}

/// Where the results of these calls stand that do not read so yet.
fn places(view: &View, lines: &HashMap<&ToolUseId, Arc<str>>) -> HashMap<Place, Arc<str>> {
    let mut places = HashMap::new();
    for (id, line) in lines {
        for answered in view.results_of(id) {
            if view.call(answered).is_some_and(|call| !call.result.is(line)) {
                places.insert(answered.result, line.clone());
            }
        }
    }
    places
}

fn with_spans(view: &[Message], first: &HashMap<&MessageId, (&[MessageId], &Arc<str>)>) -> Arc<[Message]> {
    let mut folded = Vec::with_capacity(view.len());
    let mut rest = view;
    while let Some((message, behind)) = rest.split_first() {
        let span = first.get(message.id()).and_then(|(ids, line)| {
            let there = rest.get(..ids.len())?;
            there.iter().map(Message::id).eq(ids.iter()).then_some((there, *line))
        });
        if let Some((there, line)) = span {
            folded.push(folded_message(message, line));
            rest = rest.get(there.len()..).unwrap_or_default();
        } else {
            folded.push(message.clone());
            rest = behind;
        }
    }
    folded.into()
}

/// What stands for a span that begins with `first`. Its id follows from that one's.
fn folded_message(first: &Message, line: &Arc<str>) -> Message {
    Message::from(UserMessage {
        id: MessageId(format!("fold-{}", first.id())),
        at: first.at(),
        content: vec![ContentBlock::text(line.to_string())],
        is_meta: true,
        is_virtual: false,
        is_compact_summary: false,
        tool_use_result: None,
        source_tool_assistant: None,
        mcp_meta: None,
    })
}

/// Folds that could be made in the older part of the view and are not prepared yet.
fn candidates(view: &View, input: &PipelineInput<'_>) -> Vec<Fold> {
    let recent = input.settings.size(ContextNumber::RecentRounds);
    let old = view.rounds().saturating_sub(recent);
    let spans = spans(view, old, input.settings.size(ContextNumber::SmallTalkChars));
    let results = superseded_reads(view.answered(), old).filter_map(|(answered, line)| {
        let call = view.call(answered)?.id.clone();
        Some(Fold::Result { call, line: line.into() })
    });
    spans.into_iter().chain(results).collect()
}

/// Reads of a file that was read whole again, or changed by the model itself, since.
fn superseded_reads(all: &[Answered], old: usize) -> impl Iterator<Item = (&Answered, &'static str)> {
    const READ_AGAIN: &str = "[Folded: the whole file was read again later.]";
    const CHANGED: &str = "[Folded: you changed this file later. Read it again if you need the rest of it.]";
    let mut last: HashMap<usize, (usize, &'static str)> = HashMap::new();
    for (at, answered) in all.iter().enumerate().filter(|(_, answered)| answered.shows) {
        let words = match answered.tool {
            ToolClass::Change => CHANGED,
            _ if answered.shows_whole_file => READ_AGAIN,
            ToolClass::Read | ToolClass::Again | ToolClass::Other => continue,
        };
        if let Some(file) = answered.file {
            last.insert(file, (at, words));
        }
    }
    all.iter().enumerate().filter_map(move |(at, answered)| {
        let (later, words) = last.get(&answered.file?)?;
        let goes = answered.tool == ToolClass::Read
            && answered.round < old
            && *later > at
            && answered.chars? > words.len()
            && !answered.is_cleared()
            && !answered.folded;
        goes.then_some((answered, *words))
    })
}

fn newly_hidden(view: &View, folds: &[Fold]) -> Vec<String> {
    let lines: HashMap<&ToolUseId, Arc<str>> = folds
        .iter()
        .filter_map(|fold| match fold {
            Fold::Result { call, line } => Some((call, line.clone())),
            Fold::Span { .. } => None,
        })
        .collect();
    hidden(view, &places(view, &lines))
}

#[cfg(test)]
mod tests;
