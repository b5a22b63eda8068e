//! `copydesk/proposal/amend`: the user's words in the place of the agent's.

use copydesk_protocol::{ProposalAmendParams, ProposalDecideResult};
use tower_lsp::jsonrpc::Result;

use super::proposal_decide::carry_out;
use crate::lsp::backend::Backend;
use crate::lsp::{from_wire, to_wire};

pub(in crate::lsp) async fn proposal_amend(
    backend: &Backend,
    mut params: ProposalAmendParams,
) -> Result<ProposalDecideResult> {
    let view = backend.stage().core.desk.settled().await;
    if to_wire::begins_with_a_break(&view, &params.hunk_id) {
        params.text = without_first_break(&params.text).to_owned();
    }
    carry_out(backend, from_wire::amendment(params)).await
}

/// The break before the hunk's lines is none of theirs.
fn without_first_break(text: &str) -> &str {
    ["\r\n", "\n", "\r"].into_iter().find_map(|end| text.strip_prefix(end)).unwrap_or(text)
}
