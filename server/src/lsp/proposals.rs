//! `copydesk/proposal/changed`, for a client that draws hunks itself: each file that changed, once a frame.

use std::collections::BTreeMap;
use std::time::Duration;

use copydesk_protocol::{ProposalChangedParams, methods};

use super::stage::Stage;
use super::to_wire;
use crate::review::ReviewView;

const FRAME: Duration = Duration::from_millis(16);

/// Tells until the desk is gone.
pub(super) async fn tell(stage: Stage) {
    let mut view = stage.core.desk.watch();
    let mut told = BTreeMap::new();
    while view.changed().await.is_ok() {
        stage.outgoing.room().await;
        let now = by_uri(view.borrow_and_update().as_ref());
        let settled = told.iter().filter(|(uri, _)| !now.contains_key(*uri));
        let settled = settled.map(|(_, file): (_, &ProposalChangedParams)| ProposalChangedParams {
            hunks: Vec::new(),
            ..file.clone()
        });
        let changed =
            now.iter().filter(|(uri, file)| told.get(*uri) != Some(*file)).map(|(_, file)| file.clone());
        for file in settled.chain(changed) {
            stage.outgoing.notify(methods::PROPOSAL_CHANGED, file);
        }
        told = now;
        tokio::time::sleep(FRAME).await;
    }
}

/// The hunks of all sessions, file by file.
fn by_uri(view: &ReviewView) -> BTreeMap<String, ProposalChangedParams> {
    let mut files: BTreeMap<String, ProposalChangedParams> = BTreeMap::new();
    for file in to_wire::files(view) {
        let (uri, version) = (file.uri, file.version);
        let entry =
            files.entry(uri.clone()).or_insert(ProposalChangedParams { uri, version, hunks: Vec::new() });
        entry.hunks.extend(file.hunks);
    }
    files
}
