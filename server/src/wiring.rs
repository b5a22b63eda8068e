//! Builds every part and joins them; no logic.

mod logging;

use std::process::ExitCode;
use std::sync::Arc;
use std::time::SystemTime;

use camino::Utf8PathBuf;

use crate::agent::{Limits, SessionDeps, Sessions};
use crate::documents::{AbsPath, FileStateCache, PathCase, Workspace};
use crate::lsp::{self, Core, Host, Opening};
use crate::models::OfflineModel;
use crate::review::DeskHandle;
use crate::tools::Tools;

/// Serves one editor over stdin and stdout until it ends; the exit code is LSP's.
pub fn serve_stdio() -> ExitCode {
    let _log = logging::start();
    // Two threads: one for the messages of the editor, one for the rest. Waiting costs nothing.
    let runtime = match tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            tracing::error!(%error, "the runtime can't be started");
            return ExitCode::FAILURE;
        }
    };
    let door = lsp::serve(tokio::io::stdin(), tokio::io::stdout(), Box::new(core), host());
    let ending = runtime.block_on(door);
    // A thread that still waits for input must not hold the process.
    runtime.shutdown_background();
    ExitCode::from(ending.exit_code())
}

/// The core of one editor's session.
fn core(opening: Opening) -> Core {
    let workspace = Arc::new(Workspace::new(opening.roots, PathCase::usual() == PathCase::Insensitive));
    let documents = Arc::new(FileStateCache::new());
    let editor_name = opening.editor.features().name;
    let desk = DeskHandle::start(documents.clone(), workspace.clone(), opening.editor);
    let sessions = Sessions::new(SessionDeps {
        provider: Arc::new(OfflineModel::new(OfflineModel::NATURAL_PACE)),
        documents: documents.clone(),
        desk: desk.clone(),
        workspace: workspace.clone(),
        tools: Tools::built_in(),
        editor_name,
        limits: Limits::default(),
        clock: Arc::new(SystemTime::now),
    });
    Core { workspace, documents, desk, sessions }
}

fn host() -> Host {
    let folder = |path: std::path::PathBuf| AbsPath::new(Utf8PathBuf::from_path_buf(path).ok()?);
    Host {
        home: etcetera::home_dir().ok().and_then(folder),
        started_in: std::env::current_dir().ok().and_then(folder),
    }
}
