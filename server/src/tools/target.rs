//! The file or folder a call names.

use camino::Utf8Path;

use super::{ToolError, ToolUseContext};
use crate::documents::{AbsPath, Workspace};

/// How many names a missing file's error offers.
const NAMES: usize = 5;

/// A path as a model may write it: neither empty nor holding a NUL.
pub(super) fn check_path(field: &str, path: &str) -> Result<(), ToolError> {
    if path.trim().is_empty() {
        return Err(ToolError(format!("`{field}` is empty: name a file or folder.")));
    }
    if path.contains('\0') {
        return Err(ToolError(format!("`{field}` holds a NUL character, which no path can.")));
    }
    Ok(())
}

/// The path a model means by `path`.
pub(super) fn resolve(workspace: &Workspace, path: &str) -> Result<AbsPath, ToolError> {
    workspace
        .resolve(path)
        .ok_or_else(|| ToolError(format!("No folder is open, so `{path}` must be an absolute path.")))
}

/// The file that a call means by `path`: behind the links that commands have made, which the workspace does not have.
///
/// What leads out of the workspace that way is refused: a command can't be given a file outside by it, so nobody should be.
pub(super) fn file(context: &ToolUseContext, path: &str) -> Result<AbsPath, ToolError> {
    let written = resolve(&context.workspace, path)?;
    let real = context.documents.real_path(&written);
    let Some(led) = context.shell.led_by_links(real.as_path()) else { return Ok(written) };
    match AbsPath::new(&led) {
        Some(target) if context.workspace.contains(&target) && target != real => Ok(target),
        Some(_) | None => Err(ToolError(format!(
            "{} is a symbolic link that a command made, and leads to {led}, which is not in the workspace, so nothing was \
             done. Name a file of the workspace, or remove the link.",
            context.workspace.display(&written)
        ))),
    }
}

/// The file as the call names it, and where links that commands have made lead. One that leads out is refused by [`file`],
/// whatever the rules say.
pub(super) fn names(context: &ToolUseContext, path: &str) -> Vec<AbsPath> {
    let written = resolve(&context.workspace, path).ok();
    let target = file(context, path).ok().filter(|target| Some(target) != written.as_ref());
    written.into_iter().chain(target).collect()
}

/// The error for a file that is not there, with names like it in the same folder.
pub(super) fn missing(workspace: &Workspace, path: &AbsPath) -> ToolError {
    let names = similar_names(path);
    let name = workspace.display(path);
    ToolError(if names.is_empty() {
        format!("{name} does not exist.")
    } else {
        format!("{name} does not exist. In the same folder there is: {}.", names.join(", "))
    })
}

/// Files of the same folder whose names differ little: in case, in the extension, or by a few letters.
fn similar_names(path: &AbsPath) -> Vec<String> {
    let wanted = path.file_name().to_lowercase();
    let folder = path.parent().and_then(|folder| folder.as_path().read_dir_utf8().ok());
    let mut names: Vec<(usize, String)> = folder
        .into_iter()
        .flatten()
        .filter_map(Result::ok)
        .map(|entry| entry.file_name().to_owned())
        .filter_map(|name| Some((distance(&wanted, &name.to_lowercase())?, name)))
        .collect();
    names.sort();
    names.into_iter().take(NAMES).map(|(_, name)| name).collect()
}

/// `None`: too far apart to be worth a word.
fn distance(wanted: &str, name: &str) -> Option<usize> {
    let stem = |name: &str| Utf8Path::new(name).file_stem().unwrap_or_default().to_owned();
    let shared = wanted.chars().zip(name.chars()).take_while(|(a, b)| a == b).count();
    let longest = wanted.chars().count().max(name.chars().count());
    if stem(wanted) == stem(name) || name.contains(wanted) {
        Some(0)
    } else {
        (shared * 2 > longest).then_some(longest - shared)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn workspace(root: &str) -> Workspace {
        Workspace::new(vec![AbsPath::new(root).unwrap()], false)
    }

    #[test]
    fn a_relative_path_starts_at_the_first_root() {
        let resolved = |path| resolve(&workspace("/w/app"), path).unwrap().to_string();
        assert_eq!(resolved("src/a.rs"), "/w/app/src/a.rs");
        assert_eq!(resolved("/etc/hosts"), "/etc/hosts");
        assert_eq!(resolved("../b"), "/w/b");
    }

    #[test]
    fn a_missing_file_is_answered_with_names_like_it() {
        let folder = tempfile::tempdir().unwrap();
        let root = AbsPath::new(folder.path().to_str().unwrap()).unwrap();
        for name in ["Store.rs", "store.ts", "stores.rs", "zebra.txt"] {
            std::fs::write(root.join(name).as_path(), "").unwrap();
        }
        let workspace = Workspace::new(vec![root.clone()], false);
        assert_eq!(
            missing(&workspace, &root.join("store.rs")).0,
            "store.rs does not exist. In the same folder there is: Store.rs, store.ts, stores.rs."
        );
        assert_eq!(missing(&workspace, &root.join("q/x")).0, "q/x does not exist.");
    }
}
