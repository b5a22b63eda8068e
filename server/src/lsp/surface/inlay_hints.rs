//! `⇐ 2/5 + first new line` at the end of a hunk's first line, where the text of a diagnostic is not seen.

use tower_lsp::ls_types::{InlayHint, InlayHintLabel, Range, Uri};

use super::Scene;
use super::item::{Item, items_where};
use super::place::{hunk_range, lines_range, uri_of};
use super::words::{one_line, shortened};

/// Longer hints push the text they stand beside off the window.
const WIDTH: usize = 60;

/// Hints for the hunks within `range`. None where diagnostics already tell it, unless the user wants them.
pub fn inlay_hints(scene: &Scene, uri: &Uri, range: Range) -> Vec<InlayHint> {
    if !scene.features.inlay_hints && !scene.settings.inlay_hints {
        return Vec::new();
    }
    let file = items_where(&scene.review, |file| uri_of(file).as_ref() == Some(uri));
    let on_lines = file.map(|file| file.on_lines(range.start.line as usize, range.end.line as usize));
    on_lines.into_iter().flatten().filter_map(|item| hint(scene, &item)).collect()
}

fn hint(scene: &Scene, item: &Item<'_>) -> Option<InlayHint> {
    let (hunk, buffer) = (item.hunk?, item.file.buffer.as_ref()?);
    let encoding = scene.features.position_encoding;
    let line = hunk_range(item.file, hunk, encoding).start.line as usize;
    Some(InlayHint {
        position: lines_range(buffer, line, line, encoding).end,
        label: InlayHintLabel::String(label(item)),
        kind: None,
        text_edits: None,
        tooltip: None,
        padding_left: Some(true),
        padding_right: None,
        data: None,
    })
}

fn label(item: &Item<'_>) -> String {
    let first = |text: &str| text.lines().next().map(|line| one_line(line.trim()).into_owned());
    let hunk = item.hunk.map(|hunk| (first(&hunk.added), first(&hunk.removed)));
    let change = match hunk {
        Some((Some(added), _)) => format!("+ {added}"),
        Some((None, Some(removed))) => format!("- {removed}"),
        Some((None, None)) | None => String::new(),
    };
    format!("⇐ {} {}", item.number, shortened(&change, WIDTH))
}
