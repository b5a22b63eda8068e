//! The folder `.copydesk/` in the workspace: made when the user opens the chat or a review, and kept out of git.

use std::io;

use crate::documents::{AbsPath, Workspace};

/// `.copydesk/` below the first root.
pub fn own_folder(workspace: &Workspace) -> Option<AbsPath> {
    workspace.roots.first().map(|root| root.join(".copydesk"))
}

/// Makes the folder, with a `.gitignore` that hides all of it. Does nothing where it is. Blocking.
pub fn make_own_folder(folder: &AbsPath) -> io::Result<()> {
    std::fs::create_dir_all(folder.as_path())?;
    let ignore = folder.join(".gitignore");
    match std::fs::File::create_new(ignore.as_path()) {
        Ok(mut file) => io::Write::write_all(&mut file, b"*\n"),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error),
    }
}
