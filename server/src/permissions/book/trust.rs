//! Which workspaces the person trusts: a list of folders in the program's own state, one a line.

use camino::Utf8PathBuf;

use super::saving::replace;
use crate::documents::AbsPath;

/// Whether `root` is one of the folders, or lies in one.
pub(super) fn covers(folders: impl IntoIterator<Item = AbsPath>, root: &AbsPath) -> bool {
    let real = root.followed();
    folders.into_iter().any(|folder| {
        // By where the links lead: a link could be turned to another folder later.
        real.as_ref().zip(folder.followed()).is_some_and(|(root, folder)| root.is_in(&folder))
    })
}

/// Whether `root` is among the folders in `file`. A file that can't be read trusts nothing.
pub(super) fn is_trusted(file: &Utf8PathBuf, root: &AbsPath) -> bool {
    covers(listed(file), root)
}

/// Puts `root` into `file`, or takes it out.
pub(super) fn set(file: &Utf8PathBuf, root: &AbsPath, trusted: bool) -> Result<(), String> {
    let root = root.followed().ok_or_else(|| format!("{root} leads nowhere."))?;
    if root.as_str().contains('\n') {
        return Err(format!("{root} has a line break in its name, so it can't be trusted for good."));
    }
    let mut folders: Vec<AbsPath> = listed(file).into_iter().filter(|folder| *folder != root).collect();
    if trusted {
        folders.push(root);
    }
    let mut text = folders.iter().map(AbsPath::as_str).collect::<Vec<_>>().join("\n");
    text.push('\n');
    let path = AbsPath::new(file).ok_or_else(|| format!("{file} is no absolute path."))?;
    replace(&path, &text).map_err(|error| format!("{file} can't be written: {error}."))
}

fn listed(file: &Utf8PathBuf) -> Vec<AbsPath> {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    text.lines().filter_map(AbsPath::new).collect()
}
