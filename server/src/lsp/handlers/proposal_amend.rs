//! `copydesk/proposal/amend`: the user's words in the place of the agent's.

use copydesk_protocol::{ProposalAmendParams, ProposalDecideResult};
use tower_lsp::jsonrpc::Result;

use super::proposal_decide::decide;
use crate::lsp::backend::Backend;
use crate::lsp::from_wire;

pub(in crate::lsp) async fn proposal_amend(
    backend: &Backend,
    params: ProposalAmendParams,
) -> Result<ProposalDecideResult> {
    decide(backend, from_wire::amendment(params)).await
}
