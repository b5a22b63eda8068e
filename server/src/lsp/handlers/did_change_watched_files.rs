//! `workspace/didChangeWatchedFiles`.

use tower_lsp::ls_types::DidChangeWatchedFilesParams;

use crate::documents::{AbsPath, to_path};
use crate::lsp::backend::Backend;

pub(in crate::lsp) fn did_change_watched_files(backend: &Backend, params: DidChangeWatchedFilesParams) {
    let paths: Vec<_> = params
        .changes
        .iter()
        .filter_map(|change| to_path(change.uri.as_str()).ok())
        .filter(|path| !is_inside_git(path))
        .collect();
    if !paths.is_empty() {
        backend.stage().core.desk.disk_changed(paths);
    }
}

/// Git writes there all the time, and nothing of it is ever under review.
fn is_inside_git(path: &AbsPath) -> bool {
    path.as_path().components().any(|part| part.as_str() == ".git")
}
