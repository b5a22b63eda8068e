//! What a session's model is told before everything else: where it works, and the project's own instructions. Taken once,
//! so that the bytes stay the same from request to request.

mod git;
mod memory_files;

use std::sync::Arc;
use std::time::Duration;

pub(super) use self::memory_files::{MemoryChanges, MemoryFiles, memory_texts, unread_memory_texts};
use super::session::SessionDeps;
use crate::config::ContextNumber;
use crate::context::{Environment, iso_date, system_prompt};

pub(super) struct Briefing {
    /// The sections of the system prompt.
    pub(super) system: Vec<String>,
}

/// Looks around, for a short time only: what a slow repository does not tell by then is left out.
pub(super) async fn briefing(deps: &Arc<SessionDeps>) -> Briefing {
    let deadline = Duration::from_millis(deps.context.number(ContextNumber::GitMs));
    let git = match deps.workspace.roots.first() {
        Some(root) => tokio::time::timeout(deadline, git::snapshot(root.as_path())).await.unwrap_or_default(),
        None => None,
    };
    let environment = Environment {
        roots: deps.workspace.roots.iter().map(ToString::to_string).collect(),
        platform: std::env::consts::OS.to_owned(),
        date: iso_date((deps.clock)()),
        editor: deps.editor_name.clone(),
        git,
    };
    Briefing { system: system_prompt(&environment) }
}
