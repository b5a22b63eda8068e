//! Whether a tool call may run: asked of the rules first, of the person last.

mod command;
mod decide;
mod escape;
mod grants;
mod request;

pub use command::{Assessment, Part, PathWord, Side, assess, spec_matches};
pub use decide::decide;
pub use escape::{has_hidden, visible};
pub use grants::Grants;
pub use request::{
    PermissionAnswer, PermissionOption, PermissionOptionKind, PermissionRequest, Verdict, question,
};
