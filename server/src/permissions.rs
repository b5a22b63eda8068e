//! Whether a tool call may run: asked of the rules first, of the person last.

mod access;
mod command;
mod decide;
mod escape;
mod matching;
mod mode;
mod paths;
mod policy;
mod read_only;
mod request;
mod rule;

pub use access::{Access, Call};
pub use command::{Assessment, Part, PathWord, Side, assess, spec_matches};
pub use decide::decide;
pub use escape::{has_hidden, visible};
pub use mode::{NOT_STARTED_WITH_IT, PermissionMode, SessionMode};
pub use paths::Starts;
pub use policy::{Behavior, Policy, SettledRule, Source};
pub use read_only::read_only_programs;
pub use request::{
    Asks, OWN_WORDS, PermissionAnswer, PermissionOption, PermissionOptionKind, PermissionRequest, Question,
    SaveTo, Verdict, choice_request, request,
};
pub use rule::Rule;
