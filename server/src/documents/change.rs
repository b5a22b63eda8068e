//! The content changes of a `didChange` as byte changes.

use super::position::byte_range;
use super::{Change, ContentChange, Text};
use crate::editor::PositionEncoding;

/// What a list of content changes did to a text.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Applied {
    pub(super) after: Text,
    /// In bytes, each against the result of the one before.
    pub(super) changes: Vec<Change>,
    /// One of them came without a range.
    pub(super) whole_text: bool,
}

/// Applies `changes` in order. Each position counts in the text that the change before it left (LSP
/// `DidChangeTextDocumentParams`).
pub(super) fn apply(before: &Text, changes: &[ContentChange], encoding: PositionEncoding) -> Applied {
    let mut after = before.clone();
    let mut whole_text = false;
    let changes = changes
        .iter()
        .map(|change| {
            let text = change.text.clone();
            if let Some(range) = change.range {
                let change = Change { range: byte_range(&after, range, encoding), text };
                after.apply(&change);
                change
            } else {
                whole_text = true;
                let range = 0..after.len();
                after = Text::from(text.as_str());
                Change { range, text }
            }
        })
        .collect();
    Applied { after, changes, whole_text }
}

#[cfg(test)]
mod tests;
