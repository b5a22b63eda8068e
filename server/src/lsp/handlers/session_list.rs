//! `copydesk/session/list`.

use copydesk_protocol::SessionListResult;
use serde_json::Value;
use tower_lsp::jsonrpc::Result;

use crate::lsp::backend::Backend;
use crate::lsp::to_wire;

pub(in crate::lsp) async fn session_list(backend: &Backend, _params: Value) -> Result<SessionListResult> {
    let sessions = backend.stage().core.sessions.list();
    Ok(SessionListResult { sessions: sessions.iter().map(to_wire::session_info).collect() })
}
