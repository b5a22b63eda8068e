//! The file or folder a call names, and whether the call may touch it.

use camino::Utf8Path;

use super::ToolError;
use crate::documents::{AbsPath, Workspace};
use crate::permissions::Verdict;

/// What a call would do there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    Read,
    /// Only drafts change before the user accepts, but the draft is of that file.
    Edit,
}

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

/// Inside the workspace, symbolic links followed, nothing is asked, nor for reading what the program itself has saved for
/// the model; elsewhere the person decides.
pub(super) fn permission(workspace: &Workspace, path: &str, access: Access) -> Verdict {
    let path = match resolve(workspace, path) {
        Ok(path) if workspace.contains(&path) => return Verdict::Allow,
        Ok(path) if access == Access::Read && workspace.is_own(&path) => return Verdict::Allow,
        Ok(path) => path,
        Err(ToolError(why)) => return Verdict::Deny(why),
    };
    let verb = match access {
        Access::Read => "Read",
        Access::Edit => "Edit",
    };
    Verdict::Ask {
        title: format!("{verb} {path}"),
        explanation: format!("{path} lies outside the workspace, or is a link that leads out of it."),
        rule: format!("{verb}(/{path})"),
    }
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
    fn outside_the_workspace_the_person_is_asked() {
        let folder = tempfile::tempdir().unwrap();
        let root = AbsPath::new(folder.path().to_str().unwrap()).unwrap();
        let workspace = Workspace::new(vec![root.join("ws")], false);
        std::fs::create_dir(root.join("ws").as_path()).unwrap();
        let inside = root.join("ws/a.rs");
        assert_eq!(permission(&workspace, inside.as_str(), Access::Edit), Verdict::Allow);
        let outside = root.join("other/a.rs");
        assert_eq!(
            permission(&workspace, outside.as_str(), Access::Read),
            Verdict::Ask {
                title: format!("Read {outside}"),
                explanation: format!(
                    "{outside} lies outside the workspace, or is a link that leads out of it."
                ),
                rule: format!("Read(/{outside})"),
            }
        );
    }

    #[test]
    fn what_the_program_saved_may_be_read_and_not_edited() {
        let folder = tempfile::tempdir().unwrap();
        let own = AbsPath::new(folder.path().to_str().unwrap()).unwrap();
        let workspace = workspace("/w").with_own_folder(own.clone());
        let saved = own.join("s_1/tool-results/t1.txt");
        assert_eq!(permission(&workspace, saved.as_str(), Access::Read), Verdict::Allow);
        assert!(matches!(permission(&workspace, saved.as_str(), Access::Edit), Verdict::Ask { .. }));
        let escaping = own.join("../other");
        assert!(matches!(permission(&workspace, escaping.as_str(), Access::Read), Verdict::Ask { .. }));
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
