//! `copydesk/proposal/list`: what is pending, of all files or one, of all sessions or one.

use copydesk_protocol::{ProposalListParams, ProposalListResult};
use tower_lsp::jsonrpc::Result;

use crate::documents::to_path;
use crate::lsp::backend::Backend;
use crate::lsp::{from_wire, to_wire};

pub(in crate::lsp) async fn proposal_list(
    backend: &Backend,
    params: ProposalListParams,
) -> Result<ProposalListResult> {
    let desk = backend.stage().core.desk.clone();
    let path = params.uri.as_deref().map(from_wire::path).transpose()?;
    let mut files = to_wire::files(desk.settled().await.as_ref());
    files.retain(|file| {
        path.as_ref().is_none_or(|path| to_path(&file.uri).as_ref() == Ok(path))
            && params.session_id.as_ref().is_none_or(|session| *session == file.session_id)
    });
    Ok(ProposalListResult { files })
}
