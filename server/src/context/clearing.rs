//! Results replaced by a few fixed words, for good: what that saves, and which files the model can't see any more.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::calls::{Call, Place, with_results};
use super::log::{ContextLog, Decision, Fate};
use super::pipeline::Report;
use crate::conversation::Message;

/// A result that is to go.
pub(super) struct Clearing<'c, 'a> {
    pub(super) call: &'c Call<'a>,
    /// What is said in its place.
    pub(super) words: &'static str,
}

/// The view with these words in place of those results, if that saves about `at_least` tokens; else as it is. What is no
/// longer than its replacement, is no text, or was cleared before, stays.
pub(super) fn cleared(
    view: &Arc<[Message]>,
    calls: &[Call<'_>],
    clearings: &[Clearing<'_, '_>],
    log: &ContextLog,
    at_least: u64,
) -> (Arc<[Message]>, Report) {
    let mut places: HashMap<Place, Arc<str>> = HashMap::new();
    let mut report = Report::default();
    let mut saved = 0;
    for Clearing { call, words } in clearings {
        let chars = call.result.chars().unwrap_or_default();
        let shorter_by = chars.saturating_sub(words.chars().count());
        if shorter_by == 0 || matches!(log.fate(call.id), Some(Fate::Cleared(_))) {
            continue;
        }
        saved += shorter_by;
        let words: Arc<str> = (*words).into();
        places.insert(call.result.place, words.clone());
        report.decisions.push(Decision::Result(call.id.clone(), Fate::Cleared(words)));
    }
    if places.is_empty() || padded_tokens(saved) < at_least {
        return (view.clone(), Report::default());
    }
    report.hidden = hidden(calls, &places, log);
    report.shortened(view.clone(), with_results(view.clone(), &places))
}

/// What an estimate makes of so many characters of text.
fn padded_tokens(chars: usize) -> u64 {
    chars as u64 / 3
}

/// Files that were read in a result that goes, and in none that stays.
pub(super) fn hidden(calls: &[Call<'_>], gone: &HashMap<Place, Arc<str>>, log: &ContextLog) -> Vec<String> {
    let reads = || calls.iter().filter(|call| call.name == "Read" && call.shows());
    let stays = |call: &&Call<'_>| {
        !gone.contains_key(&call.result.place) && !matches!(log.fate(call.id), Some(Fate::Cleared(_)))
    };
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
