//! The parts behind the door, and how they come to be once an editor has said where it works.

use std::sync::Arc;

use serde_json::Value;

use crate::agent::Sessions;
use crate::config::Loaded;
use crate::conversation::SessionId;
use crate::documents::{AbsPath, FileStateCache, Workspace};
use crate::editor::Editor;
use crate::permissions::RuleBook;
use crate::review::DeskHandle;

/// Everything a handler may reach below the door. Cheap to clone.
#[derive(Clone)]
pub struct Core {
    pub workspace: Arc<Workspace>,
    pub documents: Arc<FileStateCache>,
    pub desk: DeskHandle,
    pub sessions: Sessions,
    /// The rules that are written down, and whether the workspace is trusted.
    pub rules: RuleBook,
    /// What the configuration says, with what was wrong in it.
    pub configuration: Arc<Loaded>,
    /// The editor's own settings among it.
    pub options: Value,
    /// Reads everything anew for other settings of the editor.
    pub reload: Reload,
}

/// Reads the configuration with these settings of the editor, and sets what lies outside the core by it.
pub type Reload = Arc<dyn Fn(&Value) -> Loaded + Send + Sync>;

impl Core {
    pub(super) fn has_session(&self, session: &SessionId) -> bool {
        self.sessions.list().iter().any(|info| info.session == *session)
    }
}

/// What an editor's session begins with.
pub struct Opening {
    /// The first is where relative paths start.
    pub roots: Vec<AbsPath>,
    pub editor: Arc<dyn Editor>,
    /// The editor's settings: `initializationOptions`.
    pub options: Value,
}

/// Builds the core of a session.
pub type Build = Box<dyn Fn(Opening) -> Core + Send + Sync>;

/// Where the process stands on this machine.
#[derive(Clone, Debug)]
pub struct Host {
    /// The person's home folder.
    pub home: Option<AbsPath>,
    /// The working folder, unless its name is no UTF-8.
    pub started_in: Option<AbsPath>,
}
