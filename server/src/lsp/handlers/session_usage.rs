//! `copydesk/session/usage`.

use copydesk_protocol::{SessionUsageParams, SessionUsageResult};
use tower_lsp::jsonrpc::Result;

use crate::lsp::backend::Backend;
use crate::lsp::failure::unknown;
use crate::lsp::to_wire;

pub(in crate::lsp) async fn session_usage(
    backend: &Backend,
    params: SessionUsageParams,
) -> Result<SessionUsageResult> {
    let sessions = backend.stage().core.sessions.list();
    let session = sessions.iter().find(|session| session.session.as_str() == params.session_id);
    session.map(to_wire::session_usage).ok_or_else(|| {
        unknown("Session", &params.session_id, "`copydesk/session/list` names those there are.")
    })
}
