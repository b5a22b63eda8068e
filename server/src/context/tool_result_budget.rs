//! The first step: results that are too long are saved to a file and replaced by their beginning and a reference.
//!
//! Invariant: what became of a result never changes, so that the bytes a provider has cached stay the same.

use std::collections::HashMap;
use std::sync::Arc;

use super::calls::Call;
use super::log::{Decision, Fate};
use super::step::{PipelineInput, Report, Save};
use super::view::{Fated, View};
use crate::config::ContextNumber;

/// Decides on the results that are new.
pub(super) fn tool_result_budget(view: View, input: &PipelineInput<'_>) -> (View, Report) {
    let mut report = Report::default();
    let mut replaced = HashMap::new();
    for round in view.answered().chunk_by(|one, next| one.round == next.round) {
        if round.iter().all(|answered| answered.fate != Fated::Open) {
            continue;
        }
        let calls: Vec<Call<'_>> = round.iter().filter_map(|answered| view.call(answered)).collect();
        for (call, fate, save) in decided(&calls, input) {
            if let Fate::Replaced(text) = &fate {
                replaced.insert(call.result.place, text.clone());
            }
            report.decisions.push(Decision::Result(call.id.clone(), fate));
            report.saves.extend(save);
        }
    }
    let before = view.messages.clone();
    report.shortened(&before, view.with_results(&replaced, input.log))
}

/// A result, its length in characters, and what becomes of it, if that is clear yet.
type Open<'b, 'a> = (&'b Call<'a>, usize, Option<(Fate, Option<Save>)>);

/// What becomes of the results of one round that nobody has decided on yet.
fn decided<'a, 'b>(
    round: &'b [Call<'a>],
    input: &PipelineInput<'_>,
) -> Vec<(&'b Call<'a>, Fate, Option<Save>)> {
    let settings = input.settings;
    let most = settings.size(ContextNumber::RoundResultChars);
    let mut sum = 0;
    let mut fresh = Vec::new();
    for call in round {
        let chars = call.result.chars().unwrap_or_default();
        if let Some(Fate::Replaced(text) | Fate::Cleared(text)) = input.log.fate(call.id) {
            sum += text.chars().count();
            continue;
        }
        sum += chars;
        if input.log.fate(call.id).is_none() {
            fresh.push((call, chars));
        }
    }
    let mut fates: Vec<Open<'_, '_>> =
        fresh.into_iter().map(|(call, chars)| (call, chars, by_itself(call, chars, input))).collect();
    for (_, chars, fate) in &fates {
        if let Some((Fate::Replaced(text), _)) = fate {
            sum = sum - chars + text.chars().count();
        }
    }
    let mut largest_first: Vec<usize> = (0..fates.len()).collect();
    largest_first.sort_by_key(|at| fates.get(*at).map(|(_, chars, _)| std::cmp::Reverse(*chars)));
    for at in largest_first {
        let Some((call, chars, fate @ None)) = fates.get_mut(at) else { continue };
        if sum <= most || call.result.is_error || (input.result_limit)(call.name).is_none() {
            continue;
        }
        if let Some((text, save)) = saved(call, *chars, input) {
            sum = sum - *chars + text.chars().count();
            *fate = Some((Fate::Replaced(text), save));
        }
    }
    fates
        .into_iter()
        .map(|(call, _, fate)| {
            let (fate, save) = fate.unwrap_or((Fate::Kept, None));
            (call, fate, save)
        })
        .collect()
}

/// What a result alone calls for; `None`: it may stay.
fn by_itself(call: &Call<'_>, chars: usize, input: &PipelineInput<'_>) -> Option<(Fate, Option<Save>)> {
    let texts = call.result.texts()?;
    if !call.result.is_error && texts.iter().all(|text| text.trim().is_empty()) {
        // An empty result at the end of a prompt makes some models stop.
        return Some((Fate::Replaced(format!("{} finished without output.", call.name).into()), None));
    }
    let settings = input.settings;
    if call.result.is_error {
        let most = settings.size(ContextNumber::FailedResultChars);
        return (chars > most).then(|| (Fate::Replaced(excerpt(&texts.join("\n"), most).into()), None));
    }
    let limit = (input.result_limit)(call.name)?.min(settings.size(ContextNumber::ResultChars));
    if chars <= limit {
        return None;
    }
    saved(call, chars, input).map(|(text, save)| (Fate::Replaced(text), save))
}

/// The words in place of a result that goes to a file; `None` where they would be no shorter.
fn saved(call: &Call<'_>, chars: usize, input: &PipelineInput<'_>) -> Option<(Arc<str>, Option<Save>)> {
    let texts = call.result.texts()?;
    let (text, extension) = match texts.as_slice() {
        [one] => ((*one).to_owned(), "txt"),
        several => (serde_json::json!(several).to_string(), "json"),
    };
    let Some(folder) = input.results_folder else {
        let most = input.settings.size(ContextNumber::FailedResultChars);
        return (chars > most).then(|| (excerpt(&texts.join("\n"), most).into(), None));
    };
    let path = folder.join(format!("{}.{extension}", file_name(call.id.as_str())));
    let shown = beginning(&text, input.settings.size(ContextNumber::PreviewBytes));
    let more = if shown.len() < text.len() { "\n[… it goes on in the file]" } else { "" };
    let replacement = format!(
        "<saved-result>\nThis result is {} long, so all of it was saved to {path}. Read that file in parts, or \
         search it, for what you need. It begins:\n\n{}{more}\n</saved-result>",
        human_size(text.len()),
        shown.trim_end_matches('\n'),
    );
    (replacement.chars().count() < chars).then(|| (replacement.into(), Some(Save { path, text })))
}

/// The first `most` bytes, cut at a line end if that keeps more than half, else between characters.
fn beginning(text: &str, most: usize) -> &str {
    let end = (0..=most.min(text.len())).rev().find(|at| text.is_char_boundary(*at));
    let kept = text.get(..end.unwrap_or_default()).unwrap_or_default();
    if kept.len() == text.len() {
        return kept;
    }
    kept.rfind('\n').filter(|at| *at > kept.len() / 2).and_then(|at| kept.get(..at)).unwrap_or(kept)
}

/// The head and the tail of `text`, `most` characters in all, with what is missing counted between them.
fn excerpt(text: &str, most: usize) -> String {
    let chars = text.chars().count();
    let at = |nth: usize| text.char_indices().nth(nth).map_or(text.len(), |(at, _)| at);
    let (head_end, tail_start) = (at(most / 2), at(chars.saturating_sub(most - most / 2)));
    let (head, tail) = (text.get(..head_end).unwrap_or_default(), text.get(tail_start..).unwrap_or_default());
    format!("{head}\n[… {} characters left out …]\n{tail}", chars.saturating_sub(most))
}

/// A call's id as a name of a file, whatever a model made it.
fn file_name(id: &str) -> String {
    const LONGEST: usize = 100;
    let legal = |c: char| if c.is_ascii_alphanumeric() || c == '-' || c == '_' { c } else { '_' };
    let name: String = id.chars().map(legal).take(LONGEST).collect();
    if name.is_empty() { "result".to_owned() } else { name }
}

fn human_size(bytes: usize) -> String {
    match bytes {
        0..1_000 => format!("{bytes} bytes"),
        1_000..1_000_000 => format!("{}.{} kB", bytes / 1_000, bytes % 1_000 / 100),
        _ => format!("{}.{} MB", bytes / 1_000_000, bytes % 1_000_000 / 100_000),
    }
}

#[cfg(test)]
mod tests;
