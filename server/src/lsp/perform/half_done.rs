//! What a decision about many files had done when one of them failed: said, and taken back if the person wants that.

use super::decide::report;
use super::warn;
use crate::editor::{Editor, Loudness};
use crate::lsp::commands::AcceptedFile;
use crate::lsp::stage::Stage;
use crate::lsp::surface::HalfDone;
use crate::review::{DecisionResult, HunkId, Outcome};

const KEEP: &str = "Keep it";

/// `results` say what failed.
pub(in crate::lsp) fn tell(stage: &Stage, half_done: &HalfDone, results: &[DecisionResult]) {
    let Some((_, why)) = report(results) else { return };
    let (title, why) = (half_done.title(), why.trim_end_matches('.'));
    if !stage.editor.features().safe_questions {
        let text =
            format!("Copydesk: {why}. The code action `{title}` takes back what was done before that.");
        return stage.editor.show_message(Loudness::Warning, text);
    }
    let choices = vec![KEEP.to_owned(), title.clone()];
    let answer = stage.editor.ask(format!("Copydesk: {why}."), choices);
    let (stage, files) = (stage.clone(), half_done.files().to_vec());
    tokio::spawn(async move {
        if answer.await == Some(title) {
            take_back(stage, files).await;
        }
    });
}

/// File by file; one that can't be is said, keeps no other, and can be tried again.
pub(super) async fn take_back(stage: Stage, files: Vec<AcceptedFile>) {
    let mut left = Vec::new();
    for AcceptedFile { path, hunks } in files {
        let hunks = hunks.into_iter().map(HunkId).collect();
        let results = stage.core.desk.take_back(&path, hunks).await;
        let still = results.iter().filter(|result| result.outcome == Outcome::Accepted);
        let still: Vec<String> =
            still.filter_map(|result| result.hunk.as_ref().map(|hunk| hunk.0.clone())).collect();
        if !still.is_empty() {
            left.push(AcceptedFile { path, hunks: still });
        }
        let mut why: Vec<String> = results.into_iter().filter_map(|result| result.message).collect();
        why.dedup();
        if !why.is_empty() {
            warn(&stage, format!("Not taken back: {}", why.join(" ")));
        }
    }
    stage.still_half_done(&left);
    stage.redraw();
}
