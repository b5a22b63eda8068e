//! Whether a tool call may run: asked of the rules first, of the person last.

mod access;
mod behavior;
mod book;
mod change;
mod command;
mod decide;
mod escape;
mod forbidden;
mod matching;
mod mode;
mod other_names;
mod own;
mod paths;
mod policy;
mod protected;
mod read_only;
mod repository;
mod request;
mod rule;
mod save;
mod settings;
mod update;

pub use access::{Access, Call};
pub use behavior::{Behavior, Source};
pub use book::{MANAGED_FILE, OwnRule, OwnRules, Places, RuleBook, TrustBy, Written};
pub use change::{ChangeVerdict, decide_change};
pub use command::{Assessment, Part, PathWord, Side, assess, spec_matches};
pub use decide::decide;
pub use escape::{has_hidden, hides, in_sight, is_hidden, lines_of, on_one_line, visible, visible_text};
pub use forbidden::forbidden_files;
pub use mode::{Beginning, NOT_STARTED_WITH_IT, PermissionMode, SessionMode};
pub use other_names::OtherNames;
pub use own::is_unconfined_root;
pub use paths::Starts;
pub use policy::{Policy, SettledRule};
use read_only::Shows;
pub use read_only::read_only_programs;
pub use repository::is_tracked;
pub use request::{
    AnsweredBy, Asks, OWN_WORDS, PermissionAnswer, PermissionDenial, PermissionOption, PermissionOptionKind,
    PermissionRequest, Question, SAVE, SaveTo, Verdict, allow_flags, choice_request, explained_to_nobody,
    request, unasked,
};
pub use rule::Rule;
pub use update::{How, Keep, PermissionUpdate, SettingsFile, Update};
