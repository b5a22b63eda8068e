//! `workspace/didRenameFiles`: drafts follow the file.

use tower_lsp::ls_types::RenameFilesParams;

use crate::documents::to_path;
use crate::lsp::backend::Backend;

pub(in crate::lsp) fn did_rename_files(backend: &Backend, params: RenameFilesParams) {
    for file in params.files {
        if let (Ok(from), Ok(to)) = (to_path(&file.old_uri), to_path(&file.new_uri)) {
            backend.stage().core.desk.renamed(from, to);
        }
    }
}
