//! `copydesk/proposal/accepted`: what a session's mode let into closed files without asking.

use copydesk_protocol::{ProposalAcceptedParams, ProposalAcceptedResult, ProposalShowResult};
use tower_lsp::jsonrpc::Result;

use crate::conversation::SessionId;
use crate::lsp::backend::Backend;
use crate::lsp::failure::unknown;
use crate::lsp::to_wire;
use crate::review::ReviewView;

pub(in crate::lsp) async fn proposal_accepted(
    backend: &Backend,
    params: ProposalAcceptedParams,
) -> Result<ProposalAcceptedResult> {
    let core = &backend.stage().core;
    let session = SessionId(params.session_id);
    if !core.has_session(&session) {
        return Err(unknown("Session", session.as_str(), "`copydesk/session/list` names those there are."));
    }
    let view = ReviewView { files: core.desk.went_in(&session).await, revision: 0 };
    let files = to_wire::files(&view, backend.features().position_encoding);
    let both = view.files.iter().zip(files).map(|(review, file)| ProposalShowResult {
        file: Some(file),
        buffer: review.buffer.as_ref().map(ToString::to_string),
        draft: review.draft.as_ref().map(ToString::to_string),
    });
    Ok(ProposalAcceptedResult { files: both.collect() })
}
