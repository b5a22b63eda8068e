//! `copydesk/proposal/show`: both texts of a file. Where nothing is pending they are one.

use copydesk_protocol::{ProposalShowParams, ProposalShowResult};
use tower_lsp::jsonrpc::Result;

use crate::documents::ReadError;
use crate::lsp::backend::Backend;
use crate::lsp::failure::{internal, refused};
use crate::lsp::{from_wire, to_wire};

pub(in crate::lsp) async fn proposal_show(
    backend: &Backend,
    params: ProposalShowParams,
) -> Result<ProposalShowResult> {
    let (core, shown) = (backend.stage().core.clone(), &backend.stage().shown);
    let path = from_wire::path(&params.uri)?;
    let encoding = backend.features().position_encoding;
    let view = core.desk.settled().await;
    let path = view.meant(path, |path| core.documents.real_path(path));
    let at = view.files.iter().position(|review| {
        let session = params.session_id.as_deref();
        review.path == path && session.is_none_or(|session| session == review.session.as_str())
    });
    // Of one file alone: whoever looks at many asks for each.
    let pending = at.and_then(|at| Some((view.files.get(at)?, to_wire::file_at(&view, at, encoding)?)));
    if let Some((review, file)) = pending {
        shown.now(&view, |path, session| *path == review.path && *session == review.session);
        return Ok(ProposalShowResult {
            file: Some(file),
            buffer: review.buffer.as_ref().map(ToString::to_string),
            draft: review.draft.as_ref().map(ToString::to_string),
        });
    }
    let read = tokio::task::spawn_blocking(move || core.documents.snapshot(&path)).await;
    match read.map_err(|error| internal(format!("reading the file failed: {error}")))? {
        Ok(snapshot) => {
            let text = Some(snapshot.text.to_string());
            Ok(ProposalShowResult { file: None, buffer: text.clone(), draft: text })
        }
        Err(ReadError::Missing { .. }) => Ok(ProposalShowResult { file: None, buffer: None, draft: None }),
        Err(error) => Err(refused("unreadable", error.to_string(), "Nothing was changed.")),
    }
}
