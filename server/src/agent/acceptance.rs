//! What a session's mode says of its changes: whether the person is asked about each, or they are accepted as they come.

use crate::permissions::PermissionMode;
use crate::review::Acceptance;

pub(super) const fn acceptance(mode: PermissionMode) -> Acceptance {
    match mode {
        PermissionMode::AcceptEdits | PermissionMode::BypassPermissions => Acceptance::AsTheyCome,
        PermissionMode::Default | PermissionMode::Plan | PermissionMode::DontAsk => Acceptance::Asked,
    }
}
