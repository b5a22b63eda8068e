//! Each pending hunk as a diagnostic: the one surface that every editor draws, and lists over all files.

use std::collections::BTreeMap;

use serde_json::json;
use tower_lsp::ls_types::{Diagnostic, DiagnosticSeverity, DiagnosticTag, NumberOrString, Range, Uri};

use super::item::{Item, items};
use super::place::{hunk_range, lines_range, uri_of};
use super::review_file::{ReviewFile, ShownHunk};
use super::words::{asked, one_line, out_of_step};
use super::{Scene, mini_diff};
use crate::documents::{OpenDocument, Text};
use crate::editor::{DiagnosticStyle, EditorFeatures, PositionEncoding};
use crate::permissions::{Asks, PermissionRequest};
use crate::review::{FileReview, HunkState, ReviewView};

pub(super) const SOURCE: &str = "copydesk";

/// All diagnostics that there are now, by file, files that are not open too. A file that is not in the answer has none:
/// publish an empty list for it once. Never send a `version` with them: Helix drops those of another version.
pub fn diagnostics(scene: &Scene, open: &[OpenDocument]) -> BTreeMap<Uri, Vec<Diagnostic>> {
    let mut by_file: BTreeMap<Uri, Vec<Diagnostic>> = BTreeMap::new();
    let mut uri = None;
    for item in items(&scene.review) {
        // One URI for the many hunks of a file.
        let same = uri.as_ref().is_some_and(|(path, _)| *path == &item.file.path);
        if !same {
            uri = uri_of(item.file).map(|found| (&item.file.path, found));
        }
        if let Some((_, uri)) = &uri {
            by_file.entry(uri.clone()).or_default().push(of_item(scene, &item));
        }
    }
    for file in scene.review.files.iter().filter(|file| file.disk_differs || file.lost) {
        if let Some(uri) = uri_of(file) {
            let of_file = by_file.entry(uri).or_default();
            of_file.extend(file.disk_differs.then(|| disk_differs(file, scene)));
            of_file.extend(file.lost.then(|| at_top(file, scene, out_of_step(file))));
        }
    }
    for file in &scene.review_files {
        // The editor may know it under another spelling.
        let shown = open
            .iter()
            .find(|document| scene.review_file(&document.path).is_some_and(|it| it.path() == file.path()));
        let uri = shown.and_then(|document| document.uri.parse().ok()).or_else(|| file.uri());
        if let Some(uri) = uri {
            by_file.entry(uri).or_default().extend(file.hunks().map(|hunk| of_shown_hunk(scene, file, hunk)));
        }
    }
    if let Some(question) = scene.questions.iter().find(|question| question.overdue) {
        for document in open {
            if let Ok(uri) = document.uri.parse() {
                by_file.entry(uri).or_default().push(waiting(&question.request, &document.text, scene));
            }
        }
    }
    by_file
}

/// The hunks of both views have the same diagnostics: words typed beside them change no more than where a line has its end
/// that an insertion is shown on.
pub fn same_diagnostics(now: &ReviewView, before: &ReviewView, encoding: PositionEncoding) -> bool {
    let insertions = |file: &FileReview| -> Vec<Range> {
        let hunks = file.hunks.iter().filter(|hunk| hunk.lines.is_empty());
        hunks.map(|hunk| hunk_range(file, hunk, encoding)).collect()
    };
    now.shows_the_same_as(before)
        && now
            .files
            .iter()
            .zip(&before.files)
            .all(|(file, before)| !file.disk_differs && insertions(file) == insertions(before))
}

/// The diagnostic of one hunk, as it was published: code actions point back at it.
pub(super) fn of_item(scene: &Scene, item: &Item<'_>) -> Diagnostic {
    let features = &scene.features;
    let whole = match item.hunk {
        Some(hunk) => hunk_range(item.file, hunk, features.position_encoding),
        None => top(item.file, features.position_encoding),
    };
    let range = match features.diagnostic_style {
        DiagnosticStyle::FirstLine => first_line(item.file, whole, features),
        DiagnosticStyle::Plain | DiagnosticStyle::PaddedBox => whole,
    };
    let takes_lines_away = item.hunk.is_some_and(|hunk| !hunk.lines.is_empty());
    let conflicted = match item.hunk {
        Some(hunk) => hunk.state == HunkState::Conflicted,
        None => !item.can_be_accepted(),
    };
    Diagnostic {
        range,
        severity: Some(if conflicted { DiagnosticSeverity::WARNING } else { severity(features) }),
        code: Some(NumberOrString::String(item.number.to_string())),
        source: Some(SOURCE.to_owned()),
        message: mini_diff::message(item, features.diagnostic_style, &scene.workspace),
        tags: takes_lines_away.then(|| vec![DiagnosticTag::UNNECESSARY]),
        data: item.hunk.map(|hunk| json!({ "h": hunk.id.0, "r": hunk.revision })),
        ..Diagnostic::default()
    }
}

/// Helix draws a block or counts it in the status line from Warning on; the others would only shout.
fn severity(features: &EditorFeatures) -> DiagnosticSeverity {
    match features.diagnostic_style {
        DiagnosticStyle::Plain => DiagnosticSeverity::INFORMATION,
        DiagnosticStyle::PaddedBox | DiagnosticStyle::FirstLine => DiagnosticSeverity::WARNING,
    }
}

fn first_line(file: &FileReview, whole: Range, features: &EditorFeatures) -> Range {
    let line = whole.start.line as usize;
    file.buffer.as_ref().map_or(whole, |text| lines_range(text, line, line, features.position_encoding))
}

fn disk_differs(file: &FileReview, scene: &Scene) -> Diagnostic {
    let message = format!(
        "{} was changed on disk while it has unsaved text here.\nSave to keep yours, or reload to take the disk's; nothing is merged by itself.",
        file.path.file_name()
    );
    at_top(file, scene, message)
}

/// The first line, for what is about a file as a whole.
fn top(file: &FileReview, encoding: PositionEncoding) -> Range {
    file.buffer.as_ref().map_or_else(Range::default, |text| lines_range(text, 0, 0, encoding))
}

/// About a file as a whole, on its first line.
fn at_top(file: &FileReview, scene: &Scene, message: String) -> Diagnostic {
    let encoding = scene.features.position_encoding;
    Diagnostic {
        range: top(file, encoding),
        severity: Some(DiagnosticSeverity::WARNING),
        source: Some(SOURCE.to_owned()),
        message,
        ..Diagnostic::default()
    }
}

/// On the `@@` line of a hunk in a `.diff` file: what became of it.
pub(super) fn of_shown_hunk(scene: &Scene, file: &ReviewFile, hunk: &ShownHunk) -> Diagnostic {
    let fate = file.fate(hunk, &scene.review);
    Diagnostic {
        range: lines_range(file.text(), hunk.header, hunk.header, scene.features.position_encoding),
        severity: Some(if fate.is_open() { severity(&scene.features) } else { DiagnosticSeverity::HINT }),
        code: Some(NumberOrString::String(hunk.number.to_string())),
        source: Some(SOURCE.to_owned()),
        message: format!("{fate}: {}", hunk.summary),
        data: hunk.id.as_ref().map(|id| json!({ "h": id.0 })),
        ..Diagnostic::default()
    }
}

/// Over the whole file, so that it is seen wherever the cursor is. Ugly, and that is the point: the agent stands still.
fn waiting(request: &PermissionRequest, text: &Text, scene: &Scene) -> Diagnostic {
    let answers = match request.asks {
        Asks::Leave => "Allow once, Allow for this session, Always allow, Deny".to_owned(),
        Asks::Choice => {
            let names: Vec<_> = request.options.iter().map(|option| one_line(&option.name)).collect();
            names.join(", ")
        }
    };
    let last = text.line_count().saturating_sub(1);
    Diagnostic {
        range: lines_range(text, 0, last, scene.features.position_encoding),
        severity: Some(DiagnosticSeverity::HINT),
        source: Some(SOURCE.to_owned()),
        message: format!("Copydesk waits for you: {}\nAnswer with a code action: {answers}", asked(request)),
        tags: Some(vec![DiagnosticTag::UNNECESSARY]),
        ..Diagnostic::default()
    }
}

#[cfg(test)]
mod tests;
