//! The review as `copydesk/proposal/*` carries it.

use std::sync::Arc;

use copydesk_protocol as wire;
use tower_lsp::ls_types;

use super::stretch::{Stretch, stretches};
use crate::documents::{from_path, lsp_range};
use crate::editor::{Position, PositionEncoding};
use crate::permissions::has_hidden;
use crate::review::{
    DecisionResult, FileKind, FileReview, HunkState, HunkView, InlineMark, ModeChange, Outcome, ReviewView,
    Side, WholeBytes,
};

/// Every file of the review, its hunks numbered over all files.
pub(in crate::lsp) fn files(view: &ReviewView, encoding: PositionEncoding) -> Vec<wire::File> {
    let count = view.files.iter().map(|file| file.hunks.len()).sum();
    let mut before = 0;
    view.files
        .iter()
        .map(|review| {
            let first = before;
            before += review.hunks.len();
            file(review, first, count, encoding)
        })
        .collect()
}

/// One of them, by its place in the view.
pub(in crate::lsp) fn file_at(
    view: &ReviewView,
    at: usize,
    encoding: PositionEncoding,
) -> Option<wire::File> {
    let hunks = |files: &[Arc<FileReview>]| files.iter().map(|file| file.hunks.len()).sum();
    Some(file(view.files.get(at)?, hunks(view.files.get(..at)?), hunks(&view.files), encoding))
}

/// `half_done`: the command that takes back what was done before a file failed.
pub(in crate::lsp) fn decide_results(
    results: Vec<DecisionResult>,
    half_done: Option<ls_types::Command>,
) -> wire::ProposalDecideResult {
    let result = |result: DecisionResult| wire::DecideResult {
        uri: from_path(&result.path),
        hunk_id: result.hunk.map(|hunk| hunk.0),
        outcome: outcome(result.outcome),
        message: result.message,
    };
    let half_done = half_done.map(|ls_types::Command { title, command, arguments }| wire::HalfDone {
        title,
        command,
        arguments: arguments.unwrap_or_default(),
    });
    wire::ProposalDecideResult { results: results.into_iter().map(result).collect(), half_done }
}

fn file(file: &FileReview, first: usize, count: usize, encoding: PositionEncoding) -> wire::File {
    let (kind, new_uri) = match &file.kind {
        FileKind::Modify => (wire::FileKind::Modify, None),
        FileKind::Create => (wire::FileKind::Create, None),
        FileKind::Delete => (wire::FileKind::Delete, None),
        FileKind::Rename { to } => (wire::FileKind::Rename, Some(from_path(to))),
    };
    let (uri, version) = match &file.open {
        Some((uri, version)) => (uri.clone(), Some(*version)),
        None => (from_path(&file.path), None),
    };
    wire::File {
        uri,
        version,
        kind,
        new_uri,
        binary: file.whole.as_ref().is_some_and(|whole| whole.bytes.is_some()),
        size: file.whole.as_ref().and_then(|whole| whole.bytes).map(size),
        mode: file.whole.as_ref().and_then(|whole| whole.mode).map(mode),
        conflicted: file.whole.as_ref().is_some_and(|whole| whole.conflict),
        disk_differs: file.disk_differs,
        session_id: file.session.to_string(),
        must_ask: file.must_ask().map(str::to_owned),
        held_back: file.held_back.map(str::to_owned),
        hunks: file
            .hunks
            .iter()
            .zip(stretches(file))
            .zip(first + 1..)
            .map(|((view, stretch), index)| {
                let range = range(file, &stretch, encoding);
                hunk(file, view, (range, stretch), (index, count))
            })
            .collect(),
    }
}

const fn size(bytes: WholeBytes) -> wire::SizeChange {
    match bytes {
        WholeBytes::Made { size } => wire::SizeChange { from: None, to: Some(size) },
        WholeBytes::Changed { from, to } => wire::SizeChange { from: Some(from), to: Some(to) },
        WholeBytes::Deleted { from } => wire::SizeChange { from: Some(from), to: None },
    }
}

fn mode(mode: ModeChange) -> wire::ModeChange {
    wire::ModeChange { from: mode.from.map(|from| format!("{from:03o}")), to: format!("{:03o}", mode.to) }
}

fn hunk(
    file: &FileReview,
    hunk: &HunkView,
    (range, stretch): (wire::Range, Stretch<'_>),
    (index, count): (usize, usize),
) -> wire::Hunk {
    // The agent's own words, unless there are none.
    let reason = hunk.reasons.iter().rev().find(|reason| !reason.by_user).or(hunk.reasons.last());
    wire::Hunk {
        id: hunk.id.0.clone(),
        revision: hunk.revision,
        index: units(index),
        count: units(count),
        range,
        inline: hunk.inline.iter().filter_map(|mark| inline(&stretch, mark)).collect(),
        removed: stretch.removed.into_owned(),
        added: stretch.added.into_owned(),
        state: match hunk.state {
            HunkState::Pending => wire::HunkState::Pending,
            HunkState::Applying => wire::HunkState::Applying,
            HunkState::Conflicted => wire::HunkState::Conflicted,
        },
        undone: hunk.undone,
        hidden_characters: hunk.added.lines().any(|line| has_hidden(&line.replace('\t', " "))),
        moved: hunk.moved.as_ref().map(|other| other.0.clone()),
        reason: reason.map(|reason| reason.summary.clone()).unwrap_or_default(),
        session_id: file.session.to_string(),
        agent: reason.and_then(|reason| reason.agent.clone()),
    }
}

/// Where there is no file there is one place.
fn range(file: &FileReview, stretch: &Stretch<'_>, encoding: PositionEncoding) -> wire::Range {
    let position = |Position { line, character }| wire::Position { line, character };
    let range = file.buffer.as_ref().map(|buffer| lsp_range(buffer, stretch.range.clone(), encoding));
    range
        .map(|range| wire::Range { start: position(range.start), end: position(range.end) })
        .unwrap_or_default()
}

/// From bytes to UTF-16 units.
fn inline(stretch: &Stretch<'_>, mark: &InlineMark) -> Option<wire::InlineMark> {
    let ([removed_lead, added_lead], InlineMark { side, range }) = (stretch.lead, mark);
    let (side, text, lead) = match side {
        Side::Removed => (wire::InlineSide::Removed, &stretch.removed, removed_lead),
        Side::Added => (wire::InlineSide::Added, &stretch.added, added_lead),
    };
    let utf16 = |bytes: usize| {
        let head = text.get(..(bytes + lead).min(text.len()))?;
        Some(units(head.encode_utf16().count()))
    };
    Some(wire::InlineMark { side, start: utf16(range.start)?, end: utf16(range.end)? })
}

const fn outcome(outcome: Outcome) -> wire::DecideOutcome {
    match outcome {
        Outcome::Accepted => wire::DecideOutcome::Accepted,
        Outcome::Rejected => wire::DecideOutcome::Rejected,
        Outcome::Amended => wire::DecideOutcome::Amended,
        Outcome::Pending => wire::DecideOutcome::Pending,
        Outcome::Conflicted => wire::DecideOutcome::Conflicted,
        Outcome::Stale => wire::DecideOutcome::Stale,
    }
}

/// The protocol counts in 32 bits; no text that fits into memory in practice reaches them.
fn units(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::conversation::{SessionId, ToolUseId};
    use crate::documents::{AbsPath, Text};
    use crate::review::{Accept, HunkId, Reason};

    fn reason(summary: &str, by_user: bool) -> Reason {
        Reason {
            tool_use_id: ToolUseId("t".to_owned()),
            summary: summary.to_owned(),
            agent: None,
            by_user,
            must_ask: None,
        }
    }

    #[test]
    fn a_hunk_travels_with_its_number_and_the_agents_words() {
        let hunk = HunkView {
            id: HunkId("h_7".to_owned()),
            revision: 2,
            lines: 1..2,
            draft_lines: 1..2,
            removed: "b\u{1f600}c".into(),
            added: "b\u{1f600}d".into(),
            inline: vec![InlineMark { side: Side::Removed, range: 5..6 }].into(),
            state: HunkState::Pending,
            undone: false,
            reasons: vec![reason("rename", false), reason("amended", true)].into(),
            moved: None,
            line_ends_only: false,
            accept: Accept { line: 0, distance: 0, len: 0, text: "".into() },
        };
        let file = FileReview {
            path: AbsPath::new("/w/a b.rs").unwrap(),
            session: SessionId("s_1".to_owned()),
            kind: FileKind::Modify,
            open: None,
            buffer: Some(Text::from("a\nb\u{1f600}c")),
            draft: Some(Text::from("a\nb\u{1f600}d")),
            hunks: Arc::new(vec![hunk]),
            reasons: vec![],
            disk_differs: false,
            lost: false,
            held_back: None,
            whole: None,
        };
        let view = ReviewView { files: vec![Arc::new(file.clone()), Arc::new(file)], revision: 1 };
        for (at, file) in files(&view, PositionEncoding::Utf16).into_iter().enumerate() {
            assert_eq!(file_at(&view, at, PositionEncoding::Utf16), Some(file));
        }
        assert_eq!(file_at(&view, 2, PositionEncoding::Utf16), None);
        let files = serde_json::to_value(files(&view, PositionEncoding::Utf16)).unwrap();
        assert_eq!(files[0]["uri"], "file:///w/a%20b.rs");
        assert_eq!(files[0]["version"], json!(null));
        let hunk = &files[1]["hunks"][0];
        assert_eq!(
            (&hunk["index"], &hunk["count"], &hunk["reason"]),
            (&json!(2), &json!(2), &json!("rename"))
        );
        assert_eq!(hunk["inline"], json!([{"side": "removed", "start": 3, "end": 4}]));
        let range = json!({"start": {"line": 1, "character": 0}, "end": {"line": 1, "character": 4}});
        assert_eq!(hunk["range"], range);
    }
}
