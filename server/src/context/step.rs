//! What a step of the pipeline goes by, and what it says of its work.

use std::sync::Arc;
use std::time::SystemTime;

use camino::{Utf8Path, Utf8PathBuf};

use super::compact_state::CompactState;
use super::log::{ContextLog, Decision};
use super::view::View;
use crate::config::ContextSettings;
use crate::conversation::{Message, content_tokens};
use crate::models::{ContextEditing, Window};

/// All that the steps go by, beside the view.
#[derive(Clone, Copy)]
pub struct PipelineInput<'a> {
    /// Sections in order, the same ones in every request of a session.
    pub system: &'a [String],
    /// What stands before the first message; empty: nothing does.
    pub user_context: &'a str,
    pub window: Window,
    pub editing: ContextEditing,
    pub log: &'a ContextLog,
    pub now: SystemTime,
    pub settings: &'a ContextSettings,
    pub state: CompactState,
    /// Tokens of the tools' definitions.
    pub tools_tokens: u64,
    /// The longest result, in characters, that the tool of this name may give; `None`: its results are never saved.
    pub result_limit: &'a dyn Fn(&str) -> Option<usize>,
    /// Where long results are saved; `None`: nowhere, they are cut.
    pub results_folder: Option<&'a Utf8Path>,
}

/// What a step that shortens the view did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    pub decisions: Vec<Decision>,
    pub saves: Vec<Save>,
    pub hidden: Vec<String>,
    /// Estimated tokens by which the view became shorter through new decisions.
    pub tokens_freed: u64,
}

impl Report {
    /// The view that a step has made of these messages, and this report of it.
    pub(super) fn shortened(mut self, before: &Arc<[Message]>, after: View) -> (View, Self) {
        if !Arc::ptr_eq(before, &after.messages) {
            self.tokens_freed = content_tokens(before).saturating_sub(content_tokens(&after.messages));
        }
        (after, self)
    }
}

/// A file for a result that was too long.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Save {
    pub path: Utf8PathBuf,
    pub text: String,
}
