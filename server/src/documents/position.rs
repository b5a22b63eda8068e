//! LSP positions to byte offsets and back, in the three position encodings.

use super::{Change, Text};
use crate::editor::{Position, PositionEncoding, Range, TextEdit};

/// The byte offset of `position`, clamped as LSP says: past the end of its line means before the line break, past the
/// last line means the end of the text, inside a character means before it.
pub fn offset(text: &Text, position: Position, encoding: PositionEncoding) -> usize {
    let (line, column) = (position.line as usize, position.character as usize);
    if line >= text.line_count() {
        return text.len();
    }
    let start = text.line_start(line);
    let end = text.line_end(line);
    let offset = match encoding {
        PositionEncoding::Utf8 => text.border(start.saturating_add(column).min(end)),
        PositionEncoding::Utf16 => text.after_utf16(start, column),
        PositionEncoding::Utf32 => text.after_chars(start, column),
    };
    offset.min(end)
}

/// The position of byte `offset`, moved to the border before it if it is inside a character or between CR and LF.
pub fn position(text: &Text, offset: usize, encoding: PositionEncoding) -> Position {
    let offset = text.border(offset);
    let line = text.line_of(offset);
    let start = text.line_start(line);
    let offset = offset.min(text.line_end(line));
    let column = match encoding {
        PositionEncoding::Utf8 => offset - start,
        PositionEncoding::Utf16 => text.utf16_before(offset) - text.utf16_before(start),
        PositionEncoding::Utf32 => text.chars_before(offset) - text.chars_before(start),
    };
    Position::new(saturated(line), saturated(column))
}

/// The bytes that `range` covers; ends in the wrong order are swapped.
pub fn byte_range(text: &Text, range: Range, encoding: PositionEncoding) -> std::ops::Range<usize> {
    let start = offset(text, range.start, encoding);
    let end = offset(text, range.end, encoding);
    start.min(end)..start.max(end)
}

/// The LSP range of a byte range.
pub fn lsp_range(text: &Text, range: std::ops::Range<usize>, encoding: PositionEncoding) -> Range {
    Range::new(position(text, range.start, encoding), position(text, range.end, encoding))
}

/// Edits of `text` (see [`Change`]) as an editor takes them.
pub fn text_edits(text: &Text, edits: &[Change], encoding: PositionEncoding) -> Vec<TextEdit> {
    edits
        .iter()
        .map(|edit| TextEdit {
            range: lsp_range(text, edit.range.clone(), encoding),
            new_text: edit.text.clone(),
        })
        .collect()
}

/// LSP counts in 32 bits; no text that fits into memory in practice reaches them.
fn saturated(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

#[cfg(test)]
pub(super) mod tests;
