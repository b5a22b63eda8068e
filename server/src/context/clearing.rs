//! Results replaced by a few fixed words, for good: what that saves, and which files the model can't see any more.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::calls::{Call, Place};
use super::log::{ContextLog, Decision, Fate};
use super::step::Report;
use super::view::View;

/// A result that is to go.
pub(super) struct Clearing<'c, 'a> {
    pub(super) call: &'c Call<'a>,
    /// What is said in its place.
    pub(super) words: &'static str,
}

/// The view with these words in place of those results, if that saves about `at_least` tokens; else as it is. What is no
/// longer than its replacement, is no text, or was cleared before, stays.
pub(super) fn cleared(
    view: &View,
    calls: &[Call<'_>],
    clearings: &[Clearing<'_, '_>],
    log: &ContextLog,
    at_least: u64,
) -> (View, Report) {
    let shorter_by = |clearing: &Clearing<'_, '_>| {
        let chars = clearing.call.result.chars().unwrap_or_default();
        chars.saturating_sub(clearing.words.chars().count())
    };
    let open = clearings.iter().filter(|clearing| !is_cleared(clearing.call, log));
    let worthwhile: Vec<_> =
        open.map(|clearing| (clearing, shorter_by(clearing))).filter(|(_, saved)| *saved > 0).collect();
    let saved: usize = worthwhile.iter().map(|(_, saved)| saved).sum();
    if worthwhile.is_empty() || padded_tokens(saved) < at_least {
        return (view.clone(), Report::default());
    }
    let mut places: HashMap<Place, Arc<str>> = HashMap::new();
    let mut report = Report::default();
    for (Clearing { call, words }, _) in worthwhile {
        let words: Arc<str> = (*words).into();
        places.insert(call.result.place, words.clone());
        report.decisions.push(Decision::Result(call.id.clone(), Fate::Cleared(words)));
    }
    report.hidden = hidden(calls, &places, log);
    report.shortened(view, view.clone().with_results(&places))
}

/// Whether clearing every result of `calls` could save about `at_least` tokens, which is known without a look at what
/// they say.
pub(super) fn may_save<'c, 'a: 'c>(
    calls: impl Iterator<Item = &'c Call<'a>>,
    log: &ContextLog,
    at_least: u64,
) -> bool {
    let bytes = calls.filter(|call| !is_cleared(call, log)).map(|call| call.result.bytes()).sum();
    padded_tokens(bytes) >= at_least
}

pub(super) fn is_cleared(call: &Call<'_>, log: &ContextLog) -> bool {
    matches!(log.fate(call.id), Some(Fate::Cleared(_)))
}

/// What an estimate makes of so many characters of text.
fn padded_tokens(chars: usize) -> u64 {
    chars as u64 / 3
}

/// Files that were read in a result that goes, and in none that stays.
pub(super) fn hidden(calls: &[Call<'_>], gone: &HashMap<Place, Arc<str>>, log: &ContextLog) -> Vec<String> {
    let reads = || calls.iter().filter(|call| call.name == "Read" && call.shows());
    let stays = |call: &&Call<'_>| !gone.contains_key(&call.result.place) && !is_cleared(call, log);
    let visible: HashSet<&str> = reads().filter(stays).filter_map(Call::file).collect();
    let mut hidden: Vec<String> = reads()
        .filter(|call| gone.contains_key(&call.result.place))
        .filter_map(Call::file)
        .filter(|file| !visible.contains(file))
        .map(str::to_owned)
        .collect();
    hidden.sort();
    hidden.dedup();
    hidden
}
