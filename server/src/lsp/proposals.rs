//! `copydesk/proposal/changed`, for a client that draws hunks itself: each file where something changed, once a frame.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use copydesk_protocol::{ProposalChangedParams, methods};
use tokio::task::spawn_blocking;

use super::stage::Stage;
use super::to_wire;
use crate::editor::{Editor, PositionEncoding};
use crate::review::ReviewView;

const FRAME: Duration = Duration::from_millis(16);
/// Between two frames passes this many times what one took, so that a review of many hunks leaves the machine to others.
const REST: u32 = 4;

/// What was last told of each file.
type Told = BTreeMap<String, ProposalChangedParams>;

/// Tells until the desk is gone. As with diagnostics, no thread that handles messages does it.
pub(super) async fn tell(stage: Stage) {
    let mut view = stage.core.desk.watch();
    let mut seen = view.borrow().clone();
    let mut told = Told::new();
    while view.changed().await.is_ok() {
        stage.outgoing.room().await;
        let now = view.borrow_and_update().clone();
        if now.shows_the_same_as(&seen) {
            continue;
        }
        seen = now.clone();
        let begun = Instant::now();
        let at_work = stage.clone();
        told = match spawn_blocking(move || tell_changes(&at_work, &told, &now)).await {
            Ok(told) => told,
            Err(error) => {
                tracing::error!(%error, "telling of the review");
                Told::new()
            }
        };
        tokio::time::sleep(FRAME.max(begun.elapsed() * REST)).await;
    }
}

/// A file whose changes stand as they stood is not told again, whatever version its document has now.
fn tell_changes(stage: &Stage, told: &Told, view: &ReviewView) -> Told {
    let outgoing = &stage.outgoing;
    let now = by_uri(view, stage.editor.features().position_encoding);
    let settled = told.iter().filter(|(uri, _)| !now.contains_key(*uri));
    let settled = settled.map(|(uri, file)| nothing(uri.clone(), file.version));
    stage.shown.while_sent(view, || {
        for file in settled {
            outgoing.notify(methods::PROPOSAL_CHANGED, file);
        }
        for (uri, file) in &now {
            let is_told = |told: &ProposalChangedParams| {
                *file == ProposalChangedParams { version: file.version, ..told.clone() }
            };
            if !told.get(uri).is_some_and(is_told) {
                outgoing.notify(methods::PROPOSAL_CHANGED, file);
            }
        }
    });
    now
}

/// What all sessions propose, file by file.
fn by_uri(view: &ReviewView, encoding: PositionEncoding) -> Told {
    let mut files = Told::new();
    for file in to_wire::files(view, encoding) {
        let (uri, version) = (file.uri, file.version);
        let entry = files.entry(uri.clone()).or_insert_with(|| nothing(uri, version));
        entry.hunks.extend(file.hunks);
        entry.binary |= file.binary;
        entry.size = entry.size.or(file.size);
        entry.mode = entry.mode.take().or(file.mode);
        entry.conflicted |= file.conflicted;
    }
    files
}

const fn nothing(uri: String, version: Option<i32>) -> ProposalChangedParams {
    ProposalChangedParams {
        uri,
        version,
        binary: false,
        size: None,
        mode: None,
        conflicted: false,
        hunks: Vec::new(),
    }
}
