//! `copydesk/proposal/decide`: answered when the editor's own text shows it, or after about a second as pending.

use copydesk_protocol::{DecideParams, ProposalDecideResult};
use tower_lsp::jsonrpc::Result;

use crate::lsp::backend::Backend;
use crate::lsp::failure::internal;
use crate::lsp::{from_wire, to_wire};
use crate::review::Decision;

pub(in crate::lsp) async fn proposal_decide(
    backend: &Backend,
    params: DecideParams,
) -> Result<ProposalDecideResult> {
    decide(backend, from_wire::decision(params)?).await
}

/// On a task of its own: a cancelled request must not leave a decision half done.
pub(super) async fn decide(backend: &Backend, decision: Decision) -> Result<ProposalDecideResult> {
    let desk = backend.stage().core.desk.clone();
    let decided = tokio::spawn(async move { desk.decide(decision).await }).await;
    let results = decided.map_err(|error| internal(format!("the decision was not carried out: {error}")))?;
    Ok(to_wire::decide_results(results))
}
