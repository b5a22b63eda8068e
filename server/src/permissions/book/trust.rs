//! Which workspaces the person trusts, and what of their settings: it is kept in the program's own state, never in a
//! workspace.
//!
//! Trust is for what the settings asked for when the person gave it. What they come to ask for later waits.

use std::collections::BTreeSet;

use camino::Utf8PathBuf;

use super::saving::replace;
use crate::documents::AbsPath;

/// What a workspace asks for that only counts with trust, each thing in words that say all of it.
pub(super) type Demands = BTreeSet<String>;

/// Whether `root` is one of the folders, or lies in one.
pub(super) fn covers(folders: impl IntoIterator<Item = AbsPath>, root: &AbsPath) -> bool {
    let real = root.followed();
    folders.into_iter().any(|folder| {
        // By where the links lead: a link could be turned to another folder later.
        real.as_ref().zip(folder.followed()).is_some_and(|(root, folder)| root.is_in(&folder))
    })
}

/// What of the settings of `root` is trusted; `None`: it is not. A file that can't be read trusts nothing.
pub(super) fn of(file: &Utf8PathBuf, root: &AbsPath) -> Option<Demands> {
    let root = root.followed()?;
    listed(file).into_iter().find(|(folder, _)| *folder == root).map(|(_, demands)| demands)
}

/// Puts `root` with what it asks for into `file`, or takes it out.
pub(super) fn set(file: &Utf8PathBuf, root: &AbsPath, trusted: Option<Demands>) -> Result<(), String> {
    let root = root.followed().ok_or_else(|| format!("{root} leads nowhere."))?;
    if root.as_str().contains('\n') {
        return Err(format!("{root} has a line break in its name, so it can't be trusted for good."));
    }
    let mut folders = listed(file);
    folders.retain(|(folder, _)| *folder != root);
    folders.extend(trusted.map(|demands| (root, demands)));
    let mut text = String::new();
    for (folder, demands) in &folders {
        text.extend([folder.as_str(), "\n"]);
        for demand in demands {
            text.extend([BELOW, &on_one_line(demand), "\n"]);
        }
    }
    let path = AbsPath::new(file).ok_or_else(|| format!("{file} is no absolute path."))?;
    replace(&path, &text).map_err(|error| format!("{file} can't be written: {error}."))
}

/// Stands in front of what the folder in the line above asks for.
const BELOW: &str = "\t";

/// Folders, and below each what it may have.
fn listed(file: &Utf8PathBuf) -> Vec<(AbsPath, Demands)> {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    let mut folders: Vec<(AbsPath, Demands)> = Vec::new();
    for line in text.lines() {
        match (line.strip_prefix(BELOW), folders.last_mut()) {
            (Some(demand), Some((_, demands))) => {
                demands.insert(demand.to_owned());
            }
            _ => folders.extend(AbsPath::new(line).map(|folder| (folder, Demands::new()))),
        }
    }
    folders
}

/// A demand as the file has it.
pub(super) fn on_one_line(demand: &str) -> String {
    demand.replace('\\', "\\\\").replace('\n', "\\n")
}
