//! The fourth step: consecutive messages that say little are folded into a line, and reads that something replaced too.
//!
//! Invariant: folds lie beside the history, which stays whole; without them the view has its own bytes again.

mod spans;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use self::spans::spans;
use super::calls::{Call, Place};
use super::clearing::{hidden, is_cleared};
use super::log::{ContextLog, Decision, Fold};
use super::step::{PipelineInput, Report};
use super::thresholds::Thresholds;
use super::view::View;
use crate::config::ContextNumber;
use crate::conversation::{ContentBlock, Message, MessageId, UserMessage};

/// Prepares folds as they come up, and makes them when `tokens`, the request's so far, leave little of the window.
pub(super) fn collapse(view: View, tokens: u64, input: &PipelineInput<'_>) -> (View, Report) {
    if !input.settings.collapse.value {
        return (view, Report::default());
    }
    let projected = project(view, input.log.folds());
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
    let after = project(projected.clone(), &staged);
    report.hidden = newly_hidden(&projected, &staged, input.log);
    report.shortened(&projected, after)
}

/// The view with `folds` made. What they are about may be gone already.
fn project(view: View, folds: &[Fold]) -> View {
    if folds.is_empty() {
        return view;
    }
    let mut lines: HashMap<&str, Arc<str>> = HashMap::new();
    let mut first: HashMap<&MessageId, (&[MessageId], &Arc<str>)> = HashMap::new();
    for fold in folds {
        match fold {
            Fold::Span { messages, line } => {
                if let Some(id) = messages.first() {
                    first.insert(id, (messages, line));
                }
            }
            Fold::Result { call, line } => {
                lines.insert(call.as_str(), line.clone());
            }
        }
    }
    let places = places(&view, &lines);
    let view = view.with_results(&places);
    let is_touched = !first.is_empty() && view.messages.iter().any(|it| first.contains_key(it.id()));
    if is_touched { View::of(with_spans(&view.messages, &first)) } else { view }
}

/// Where the results of these calls stand that do not read so yet.
fn places(view: &View, lines: &HashMap<&str, Arc<str>>) -> HashMap<Place, Arc<str>> {
    let mut places = HashMap::new();
    if lines.is_empty() {
        return places;
    }
    for call in view.calls() {
        if let Some(line) = lines.get(call.id.as_str()).filter(|line| !call.result.is(line)) {
            places.insert(call.result.place, line.clone());
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
    let calls = view.calls();
    let recent = input.settings.size(ContextNumber::RecentRounds);
    let old = view.rounds.saturating_sub(recent);
    let known: HashSet<&str> = input
        .log
        .staged()
        .iter()
        .chain(input.log.folds())
        .filter_map(|fold| match fold {
            Fold::Span { messages, .. } => messages.first().map(MessageId::as_str),
            Fold::Result { call, .. } => Some(call.as_str()),
        })
        .collect();
    let is_known = |id: &MessageId| known.contains(id.as_str());
    let spans = spans(&view.messages, old, input.settings.size(ContextNumber::SmallTalkChars), is_known);
    let results = superseded_reads(&calls, old, input.log);
    let new_result = results.filter(|(call, _)| !known.contains(call.id.as_str()));
    spans
        .into_iter()
        .chain(new_result.map(|(call, line)| Fold::Result { call: call.id.clone(), line: line.into() }))
        .collect()
}

/// Reads of a file that was read whole again, or changed by the model itself, since.
fn superseded_reads<'c, 'a>(
    calls: &'c [Call<'a>],
    old: usize,
    log: &'c ContextLog,
) -> impl Iterator<Item = (&'c Call<'a>, &'static str)> {
    const READ_AGAIN: &str = "[Folded: the whole file was read again later.]";
    const CHANGED: &str = "[Folded: you changed this file later. Read it again if you need the rest of it.]";
    let mut last: HashMap<&str, (usize, &'static str)> = HashMap::new();
    for (at, call) in calls.iter().enumerate().filter(|(_, call)| call.shows()) {
        let words = match call.name {
            "Edit" | "Write" => CHANGED,
            _ if call.shows_whole_file() => READ_AGAIN,
            _ => continue,
        };
        if let Some(file) = call.file() {
            last.insert(file, (at, words));
        }
    }
    calls.iter().enumerate().filter_map(move |(at, call)| {
        let (later, words) = last.get(call.file()?)?;
        let chars = call.result.chars()?;
        let goes = call.name == "Read"
            && call.round < old
            && *later > at
            && chars > words.len()
            && !is_cleared(call, log);
        goes.then_some((call, *words))
    })
}

fn newly_hidden(view: &View, folds: &[Fold], log: &ContextLog) -> Vec<String> {
    let lines: HashMap<&str, Arc<str>> = folds
        .iter()
        .filter_map(|fold| match fold {
            Fold::Result { call, line } => Some((call.as_str(), line.clone())),
            Fold::Span { .. } => None,
        })
        .collect();
    hidden(&view.calls(), &places(view, &lines), log)
}

#[cfg(test)]
mod tests;
