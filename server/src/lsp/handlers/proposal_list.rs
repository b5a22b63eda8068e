//! `copydesk/proposal/list`: what is pending, of all files or one, of all sessions or one.

use copydesk_protocol::{ProposalListParams, ProposalListResult};
use tower_lsp::jsonrpc::Result;

use crate::conversation::SessionId;
use crate::documents::AbsPath;
use crate::lsp::backend::Backend;
use crate::lsp::{from_wire, to_wire};

pub(in crate::lsp) async fn proposal_list(
    backend: &Backend,
    params: ProposalListParams,
) -> Result<ProposalListResult> {
    let stage = backend.stage();
    let path = params.uri.as_deref().map(from_wire::path).transpose()?;
    let view = stage.core.desk.settled().await;
    let path = path.map(|path| view.meant(path, |path| stage.core.documents.real_path(path)));
    let wanted = |of: &AbsPath, session: &SessionId| {
        path.as_ref().is_none_or(|path| path == of)
            && params.session_id.as_ref().is_none_or(|wanted| wanted == session.as_str())
    };
    let files = to_wire::files(&view, backend.features().position_encoding);
    let files = view.files.iter().zip(files).filter(|(file, _)| wanted(&file.path, &file.session));
    let files = files.map(|(_, file)| file).collect();
    stage.shown.now(&view, wanted);
    Ok(ProposalListResult { files })
}
