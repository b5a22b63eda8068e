//! Runs of consecutive messages that a line can stand for: small talk, and the same call again with the same result.

use std::ops::Range;

use crate::context::log::Fold;
use crate::context::view::{Part, View, said};
use crate::conversation::Message;

/// Fewer are not worth a line.
const SHORTEST_RUN: usize = 3;

/// The runs in the rounds before `old` that nobody has found yet. The last thing that the user wrote is in none.
pub(super) fn spans(view: &View, old: usize, small_talk_chars: usize) -> Vec<Fold> {
    let end = end_of(view, old);
    // An answer counts as old as a whole.
    let parts = view.parts();
    let parts = parts.get(..parts.partition_point(|part| part.end() <= end)).unwrap_or_default();
    let messages_of = |run: &[Part]| {
        let (first, last) = (run.first().map_or(0, |part| part.first), run.last().map_or(0, Part::end));
        view.messages.get(first..last).unwrap_or_default()
    };
    let is_new = |run: &&[Part]| messages_of(run).first().is_none_or(|first| !view.has_span_at(first.id()));
    let mut folds = Vec::new();
    let is_small_talk = |part: &Part| part.chars.is_some_and(|chars| chars <= small_talk_chars);
    for run in runs(parts, is_small_talk).filter(is_new).map(messages_of) {
        let said: Vec<String> = run.iter().filter_map(said).map(|said| said.words()).collect();
        folds.extend(fold(run, format!("[Short messages, folded: {}]", said.join(" | "))));
    }
    for repeats in repeated_calls(parts).into_iter().filter(is_new) {
        let again = repeats.len() / 2;
        folds.extend(fold(
            messages_of(repeats),
            format!("[The same call was made {again} more times, with the same result.]"),
        ));
    }
    folds
}

/// Where the rounds from `old` on begin, or the last thing that the user wrote stands, whichever is first.
fn end_of(view: &View, old: usize) -> usize {
    let all = view.messages.len();
    view.round_at(old).unwrap_or(all).min(view.last_prompt().unwrap_or(all))
}

fn runs(parts: &[Part], fits: impl Fn(&Part) -> bool + Copy) -> impl Iterator<Item = &[Part]> {
    parts
        .chunk_by(move |one, next| fits(one) && fits(next))
        .filter(move |run| run.len() >= SHORTEST_RUN && run.first().is_some_and(fits))
}

/// For each call that is made again at once, always with the same result: the parts of the repetitions.
fn repeated_calls(parts: &[Part]) -> Vec<&[Part]> {
    // The result of the last part would be behind the end.
    let pair = |at: usize| parts.get(at).filter(|_| at + 1 < parts.len()).and_then(|part| part.pair);
    let mut found = Vec::new();
    let mut at = 0;
    while at + 2 <= parts.len() {
        let same = |next: usize| pair(at).is_some() && pair(at) == pair(next);
        let again = (1..parts.len()).take_while(|n| same(at + 2 * n)).count();
        let repeated: Range<usize> = at + 2..at + 2 + 2 * again;
        if again + 1 >= SHORTEST_RUN {
            found.extend(parts.get(repeated));
        }
        at += if again == 0 { 1 } else { 2 + 2 * again };
    }
    found
}

fn fold(run: &[Message], line: String) -> Option<Fold> {
    let messages: Vec<_> = run.iter().map(|message| message.id().clone()).collect();
    (!messages.is_empty()).then(|| Fold::Span { messages, line: line.into() })
}
