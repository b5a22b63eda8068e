//! Places as the editor counts them: lines, columns and URIs of what the review names in bytes and paths.

use tower_lsp::ls_types::{Position, Range, TextEdit, Uri};

use super::item::shown_lines;
use crate::documents::{self, AbsPath, Change, Text};
use crate::editor::{self, PositionEncoding};
use crate::lsp::commands::HunkName;
use crate::review::{FileReview, HunkView};

/// Whole lines `first..=last` of `text`, from column 0 to the end of the last one. Never to the start of the next line:
/// Helix would show the same box there again.
pub(super) fn lines_range(text: &Text, first: usize, last: usize, encoding: PositionEncoding) -> Range {
    to_lsp_range(text, &(text.line_start(first)..text.line_end(last)), encoding)
}

/// The lines a hunk is shown on.
pub(super) fn hunk_range(file: &FileReview, hunk: &HunkView, encoding: PositionEncoding) -> Range {
    let (first, last) = shown_lines(hunk);
    file.buffer.as_ref().map_or_else(Range::default, |text| lines_range(text, first, last, encoding))
}

/// A byte range of `text`.
pub fn to_lsp_range(text: &Text, range: &std::ops::Range<usize>, encoding: PositionEncoding) -> Range {
    let range = documents::lsp_range(text, range.clone(), encoding);
    Range::new(to_lsp_position(range.start), to_lsp_position(range.end))
}

/// An edit of `text` as the editor takes it.
pub fn to_lsp_edit(text: &Text, change: &Change, encoding: PositionEncoding) -> TextEdit {
    TextEdit { range: to_lsp_range(text, &change.range, encoding), new_text: change.text.clone() }
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
