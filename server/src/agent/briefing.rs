//! What a session's model is told before everything else: where it works, and the project's own instructions. Taken once,
//! so that the bytes stay the same from request to request.

mod git;
mod memory_files;

use std::time::{Duration, SystemTime};

pub(super) use self::memory_files::{MemoryChanges, MemoryFiles, memory_texts, unread_memory_texts};
use crate::context::{Environment, iso_date, system_prompt};
use crate::documents::Workspace;

pub(super) struct Briefing {
    /// The sections of the system prompt.
    pub(super) system: Vec<String>,
}

/// Looks around, for a short time only: what a slow repository does not tell by then is left out.
/// `editor`: as it calls itself.
pub(super) async fn briefing(
    workspace: &Workspace,
    editor: &str,
    deadline: Duration,
    now: SystemTime,
) -> Briefing {
    let git = match workspace.roots.first() {
        Some(root) => tokio::time::timeout(deadline, git::snapshot(root.as_path())).await.unwrap_or_default(),
        None => None,
    };
    let environment = Environment {
        roots: workspace.roots.iter().map(ToString::to_string).collect(),
        platform: std::env::consts::OS.to_owned(),
        date: iso_date(now),
        editor: editor.to_owned(),
        git,
    };
    Briefing { system: system_prompt(&environment) }
}
