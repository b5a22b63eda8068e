//! `workspace/executeCommand`: checked, begun, and answered at once, since Emacs stands still until then.

use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::ls_types::ExecuteCommandParams;

use crate::documents::AbsPath;
use crate::editor::{Editor, Loudness};
use crate::lsp::backend::Backend;
use crate::lsp::perform::perform;
use crate::lsp::stage::Stage;

pub(in crate::lsp) fn execute_command(backend: &Backend, params: ExecuteCommandParams) -> Result<()> {
    let stage = backend.stage();
    let resolve = |written: &str| resolve(stage, backend.started_in(), written);
    match stage.commands.parse(&params.command, &params.arguments, resolve) {
        Ok(command) => {
            perform(stage, command);
            Ok(())
        }
        Err(error) => {
            // Helix only logs the error of a command.
            stage.editor.show_message(Loudness::Error, error.to_string());
            Err(Error::invalid_params(error.to_string()))
        }
    }
}

/// What a person wrote as a path: Helix gives names relative to where it was started, people those of the workspace. An
/// open file is meant before one on disk, and that before one that is not there.
fn resolve(stage: &Stage, started_in: Option<&AbsPath>, written: &str) -> Option<AbsPath> {
    if written.is_empty() {
        return None;
    }
    if let Ok(path) = crate::documents::to_path(written) {
        return Some(path);
    }
    let candidates: Vec<_> = started_in
        .into_iter()
        .chain(&stage.core.workspace.roots)
        .map(|folder| folder.join(written))
        .collect();
    let open = candidates.iter().find(|path| stage.core.documents.open_document(path).is_some());
    open.or_else(|| candidates.iter().find(|path| path.as_path().exists())).or(candidates.first()).cloned()
}
