//! Results replaced by a few fixed words, for good: what that saves, and which files the model can't see any more.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::calls::{Call, Place};
use super::log::{ContextLog, Decision, Fate};
use super::step::Report;
use super::view::{Answered, ToolClass, View};

/// A result that is to go.
pub(super) struct Clearing {
    pub(super) of: Answered,
    /// What is said in its place.
    pub(super) words: &'static str,
}

/// The view with these words in place of those results, if that saves about `at_least` tokens; else as it is. What is no
/// longer than its replacement, is no text, or was cleared before, stays.
pub(super) fn cleared(view: View, clearings: &[Clearing], log: &ContextLog, at_least: u64) -> (View, Report) {
    let shorter_by = |clearing: &Clearing| {
        clearing.of.chars.unwrap_or_default().saturating_sub(clearing.words.chars().count())
    };
    let open = clearings.iter().filter(|clearing| !clearing.of.is_cleared());
    let worthwhile: Vec<_> =
        open.map(|clearing| (clearing, shorter_by(clearing))).filter(|(_, saved)| *saved > 0).collect();
    let saved: usize = worthwhile.iter().map(|(_, saved)| saved).sum();
    if worthwhile.is_empty() || padded_tokens(saved) < at_least {
        return (view, Report::default());
    }
    let mut places: HashMap<Place, Arc<str>> = HashMap::new();
    let mut report = Report::default();
    for (Clearing { of, words }, _) in worthwhile {
        let Some(call) = view.call(of) else { continue };
        let words: Arc<str> = (*words).into();
        places.insert(of.result, words.clone());
        report.decisions.push(Decision::Result(call.id.clone(), Fate::Cleared(words)));
    }
    report.hidden = hidden(&view, &places);
    let before = view.messages.clone();
    report.shortened(&before, view.with_results(&places, log))
}

/// Whether clearing every result of `answered` could save about `at_least` tokens, which is known without a look at what
/// they say.
pub(super) fn may_save<'a>(answered: impl Iterator<Item = &'a Answered>, at_least: u64) -> bool {
    let bytes = answered.filter(|answered| !answered.is_cleared()).map(|answered| answered.bytes).sum();
    padded_tokens(bytes) >= at_least
}

/// What an estimate makes of so many characters of text.
fn padded_tokens(chars: usize) -> u64 {
    chars as u64 / 3
}

/// Files that were read in a result that goes, and in none that stays.
pub(super) fn hidden(view: &View, gone: &HashMap<Place, Arc<str>>) -> Vec<String> {
    let reads =
        || view.answered().iter().filter(|answered| answered.tool == ToolClass::Read && answered.shows);
    let stays = |answered: &&Answered| !gone.contains_key(&answered.result) && !answered.is_cleared();
    let visible: HashSet<Option<usize>> = reads().filter(stays).map(|answered| answered.file).collect();
    let mut hidden: Vec<String> = reads()
        .filter(|answered| gone.contains_key(&answered.result) && !visible.contains(&answered.file))
        .filter_map(|answered| view.call(answered).as_ref().and_then(Call::file).map(str::to_owned))
        .collect();
    hidden.sort();
    hidden.dedup();
    hidden
}
