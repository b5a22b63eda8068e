//! Whether a tool call may run: asked of the rules first, of the person last.

mod request;

pub use request::{PermissionAnswer, PermissionOption, PermissionOptionKind, PermissionRequest, Verdict};
