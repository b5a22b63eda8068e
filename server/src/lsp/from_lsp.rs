//! LSP values as the core has them.

use tower_lsp::ls_types;

use crate::editor::{Position, Range};

pub(super) fn position(position: ls_types::Position) -> Position {
    Position::new(position.line, position.character)
}

pub(super) fn range(range: ls_types::Range) -> Range {
    Range::new(position(range.start), position(range.end))
}
