//! The folder `.copydesk/` in the workspace: made when the user opens the chat or a review, and kept out of git.

use std::io;

use crate::documents::{AbsPath, Workspace};

/// `.copydesk/` below the first root.
pub fn own_folder(workspace: &Workspace) -> Option<AbsPath> {
    workspace.roots.first().map(|root| root.join(".copydesk"))
}

/// Makes the folder, with a `.gitignore` that hides all of it. Does nothing where it is. Blocking.
pub fn make_own_folder(folder: &AbsPath) -> io::Result<()> {
    refuse_link(folder)?;
    std::fs::create_dir_all(folder.as_path())?;
    let ignore = folder.join(".gitignore");
    match std::fs::File::create_new(ignore.as_path()) {
        Ok(mut file) => io::Write::write_all(&mut file, b"*\n"),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error),
    }
}

/// An error if `path`, in this folder, is a symbolic link. The repository may be somebody else's, and nothing of ours is to
/// be written to where it points. Blocking.
pub fn refuse_link(path: &AbsPath) -> io::Result<()> {
    if path.as_path().is_symlink() {
        return Err(io::Error::other("it is a symbolic link, and is not followed: remove it"));
    }
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn nothing_is_made_where_a_link_leads() {
        let folder = tempfile::tempdir().unwrap();
        let elsewhere = tempfile::tempdir().unwrap();
        let own = AbsPath::new(folder.path().join(".copydesk").to_str().unwrap()).unwrap();
        symlink(elsewhere.path(), own.as_path()).unwrap();
        let refused = make_own_folder(&own).unwrap_err();
        assert_eq!(refused.to_string(), "it is a symbolic link, and is not followed: remove it");
        assert_eq!(std::fs::read_dir(elsewhere.path()).unwrap().count(), 0);
    }
}
