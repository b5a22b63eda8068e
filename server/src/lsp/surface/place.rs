//! Places as the editor counts them: lines, columns and URIs of what the review names in bytes and paths.

use tower_lsp::ls_types::{Position, Range, TextEdit, Uri};

use super::item::shown_lines;
use crate::documents::{self, AbsPath, Change, Text};
use crate::editor::{self, PositionEncoding};
use crate::lsp::commands::HunkName;
use crate::review::{FileReview, HunkView};

/// The end of a line of up to so many bytes is found faster by reading it than by asking the whole text.
const LONG: usize = 1_000;

/// Whole lines `first..=last` of `text`, from column 0 to the end of the last one. Never to the start of the next line:
/// Helix would show the same box there again.
pub(super) fn lines_range(text: &Text, first: usize, last: usize, encoding: PositionEncoding) -> Range {
    let range = text.line_start(last)..text.line_end(last);
    if first > last || last >= text.line_count() || range.len() > LONG {
        return to_lsp_range(text, &(text.line_start(first)..range.end), encoding);
    }
    let end = units(&text.slice(range), encoding);
    Range::new(Position::new(first as u32, 0), Position::new(last as u32, end))
}

/// The lines a hunk is shown on.
pub(super) fn hunk_range(file: &FileReview, hunk: &HunkView, encoding: PositionEncoding) -> Range {
    let (first, last) = shown_lines(hunk);
    file.buffer.as_ref().map_or_else(Range::default, |text| lines_range(text, first, last, encoding))
}

/// A byte range of `text`.
fn to_lsp_range(text: &Text, range: &std::ops::Range<usize>, encoding: PositionEncoding) -> Range {
    let range = documents::lsp_range(text, range.clone(), encoding);
    Range::new(to_lsp_position(range.start), to_lsp_position(range.end))
}

/// The edit of `buffer` that accepts `hunk`, as the editor takes it. Its ends are on borders and near the hunk's own lines,
/// so it is found with few steps: a menu may hold a thousand of them.
pub(super) fn accept_edit(buffer: &Text, hunk: &HunkView, encoding: PositionEncoding) -> TextEdit {
    let Change { range, text } = hunk.accept_edit(buffer);
    let at = |offset, likely_line| {
        if buffer.line_start(likely_line) == offset && likely_line < buffer.line_count() {
            return Position::new(likely_line as u32, 0);
        }
        let line = buffer.line_of(offset);
        let before = buffer.slice(buffer.line_start(line)..offset);
        Position::new(line as u32, units(&before, encoding))
    };
    TextEdit {
        range: Range::new(at(range.start, hunk.lines.start), at(range.end, hunk.lines.end)),
        new_text: text,
    }
}

/// The hunk as it is shown now, for a command.
pub(super) fn hunk_name(hunk: &HunkView) -> HunkName {
    HunkName { id: hunk.id.0.clone(), revision: Some(hunk.revision) }
}

/// The URI under which the editor knows the file, or would. `None` if the path can't be put into one.
pub(super) fn uri_of(file: &FileReview) -> Option<Uri> {
    match &file.open {
        Some((uri, _)) => uri.parse().ok(),
        None => uri_of_path(&file.path),
    }
}

pub fn uri_of_path(path: &AbsPath) -> Option<Uri> {
    documents::from_path(path).parse().ok()
}

fn to_lsp_position(position: editor::Position) -> Position {
    Position::new(position.line, position.character)
}

/// Length of `text` in what a column counts.
fn units(text: &str, encoding: PositionEncoding) -> u32 {
    let units = match encoding {
        PositionEncoding::Utf8 => text.len(),
        PositionEncoding::Utf16 => text.encode_utf16().count(),
        PositionEncoding::Utf32 => text.chars().count(),
    };
    units as u32
}

#[cfg(test)]
mod tests {
    use super::super::sample::hunk;
    use super::*;
    use crate::documents::text_edits;
    use crate::review::Accept;

    #[test]
    fn the_short_way_to_whole_lines_leads_to_the_same_place() {
        let text = format!("eins\r\ngröße 😀 = 1\r\n\r\n{}\nlast", "ä".repeat(LONG));
        let text = Text::from(text);
        for first in 0..8 {
            for last in first..8 {
                for encoding in [PositionEncoding::Utf8, PositionEncoding::Utf16, PositionEncoding::Utf32] {
                    let long = to_lsp_range(&text, &(text.line_start(first)..text.line_end(last)), encoding);
                    assert_eq!(lines_range(&text, first, last, encoding), long, "{first}..={last}");
                }
            }
        }
    }

    #[test]
    fn the_short_way_to_an_edit_leads_to_the_same_place() {
        let text = "eins\r\ngröße 😀 = 1\r\n\r\nlast";
        let buffer = Text::from(text);
        for start in 0..=text.len() {
            for end in start..=text.len() {
                if !text.is_char_boundary(start) || !text.is_char_boundary(end) {
                    continue;
                }
                let lines = buffer.line_of(start)..buffer.line_of(end) + 1;
                let accept = Change { range: start..end, text: "x".to_owned() };
                let told = Accept::new(accept.clone(), &buffer, lines.start);
                let hunk = HunkView { accept: told, lines, ..hunk(text, 0..1, "", "") };
                for encoding in [PositionEncoding::Utf8, PositionEncoding::Utf16, PositionEncoding::Utf32] {
                    let between_cr_and_lf =
                        |at: usize| text[..at].ends_with('\r') && text[at..].starts_with('\n');
                    if between_cr_and_lf(start) || between_cr_and_lf(end) {
                        continue;
                    }
                    let short = accept_edit(&buffer, &hunk, encoding).range;
                    let long =
                        text_edits(&buffer, std::slice::from_ref(&accept), encoding).first().map(|edit| {
                            Range::new(to_lsp_position(edit.range.start), to_lsp_position(edit.range.end))
                        });
                    assert_eq!(Some(short), long, "{start}..{end}");
                }
            }
        }
    }
}
