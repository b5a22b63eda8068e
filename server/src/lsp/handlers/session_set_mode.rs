//! `copydesk/session/setMode`: how much is asked from the next call on.

use copydesk_protocol::{Empty, SessionSetModeParams};
use tower_lsp::jsonrpc::Result;

use crate::conversation::SessionId;
use crate::lsp::backend::Backend;
use crate::lsp::failure::{refused, unknown};
use crate::lsp::from_wire;

pub(in crate::lsp) async fn session_set_mode(
    backend: &Backend,
    params: SessionSetModeParams,
) -> Result<Empty> {
    let session = SessionId(params.session_id);
    match backend.stage().core.sessions.set_mode(&session, from_wire::mode(params.mode)) {
        Some(Ok(())) => Ok(Empty {}),
        Some(Err(why)) => Err(refused("modeRefused", why, "The mode is as it was.")),
        None => Err(unknown("Session", session.as_str(), "`copydesk/session/list` names those there are.")),
    }
}
