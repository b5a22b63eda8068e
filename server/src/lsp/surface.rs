//! What a person sees of the agent's work, drawn as LSP values: pure functions of a `Scene` and of what the editor asked.

mod code_actions;
mod code_lens;
mod diagnostics;
mod half_done;
mod hover;
mod inlay_hints;
mod item;
mod markers;
mod mini_diff;
mod next_change;
mod own_folder;
mod place;
mod review_file;
mod to_review;
pub(super) mod words;

pub mod advance;
pub mod chat;
pub mod question;

pub use code_actions::{ActionRequest, code_actions};
pub use code_lens::code_lenses;
pub use diagnostics::{diagnostics, same_diagnostics};
pub use half_done::HalfDone;
pub use hover::hover;
pub use inlay_hints::inlay_hints;
pub use item::{Item, Number, items, shown_lines};
pub use markers::{Marker, marker_at};
pub use own_folder::{make_own_folder, own_folder, refuse_link};
pub use place::uri_of_path;
pub use review_file::{Fate, ReviewFile, ReviewFiles, ShownHunk, remove_left_over, render};
pub use to_review::ToReview;

use std::sync::Arc;

use crate::config::UserAction;
use crate::documents::{AbsPath, Workspace};
use crate::editor::EditorFeatures;
use crate::lsp::commands::CommandIds;
use crate::permissions::PermissionRequest;
use crate::review::ReviewView;

/// Everything that the surfaces are drawn from, at one moment. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Scene {
    pub review: Arc<ReviewView>,
    pub features: EditorFeatures,
    pub workspace: Arc<Workspace>,
    pub settings: SurfaceSettings,
    /// `actions`: what the user has added to the menu.
    pub own_actions: Arc<[UserAction]>,
    /// Permission questions without an answer, oldest first.
    pub questions: Vec<OpenQuestion>,
    /// The `.diff` files that were shown so far.
    pub review_files: Vec<Arc<ReviewFile>>,
    /// A decision about many files that one of them ended.
    pub half_done: Option<Arc<HalfDone>>,
    /// Some task runs and can be cancelled.
    pub running: bool,
    /// The folder's settings ask for something that does not count before it is trusted.
    pub asks_for_trust: bool,
    /// The ids that this client knows.
    pub commands: CommandIds,
}

/// The user's choices about what is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SurfaceSettings {
    /// `review.advance`: after the user's own decision the cursor goes to the next hunk.
    pub advance: bool,
    /// `review.inlayHints`: also in editors that show the text of diagnostics.
    pub inlay_hints: bool,
}

/// A permission question that waits for the person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenQuestion {
    pub request: PermissionRequest,
    /// Nobody answered for so long that it is drawn over the open files.
    pub overdue: bool,
}

impl Default for SurfaceSettings {
    fn default() -> Self {
        Self { advance: true, inlay_hints: false }
    }
}

impl Scene {
    /// The review file that `path` is, whatever links lead there.
    fn review_file(&self, path: &AbsPath) -> Option<&ReviewFile> {
        let name = self.workspace.display(path);
        self.review_files.iter().find(|file| self.workspace.display(file.path()) == name).map(Arc::as_ref)
    }
}

#[cfg(test)]
pub(super) mod sample;
#[cfg(test)]
mod whole_files;
