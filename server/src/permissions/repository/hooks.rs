//! Where a repository says that its hooks are: what lies there is run by git.

use std::fs;

use super::{LONGEST, found};
use crate::documents::AbsPath;

/// The folders that `core.hooksPath` names in the configuration of the repository that `file` lies in, or in the user's own,
/// each with the repository's folder of files. Files that a configuration includes are not read.
pub(in crate::permissions) fn folders(file: &AbsPath, home: Option<&AbsPath>) -> Vec<Hooks> {
    let Some((root, git)) = found(file) else { return Vec::new() };
    let common = fs::read_to_string(git.join("commondir").as_path()).ok();
    let common = common.map_or_else(|| git.clone(), |written| git.join(written.trim()));
    let own = [common.join("config"), git.join("config.worktree")];
    let of_user = home.iter().flat_map(|home| [home.join(".gitconfig"), home.join(".config/git/config")]);
    let named = own.into_iter().chain(of_user).flat_map(|file| named(&file));
    named
        .filter_map(|written| folder(&written, &root, home).map(|at| Hooks { at, root: root.clone() }))
        .collect()
}

/// A folder of hooks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::permissions) struct Hooks {
    pub(in crate::permissions) at: AbsPath,
    root: AbsPath,
}

impl Hooks {
    /// Whether a pattern for files, as a rule writes it, spells this folder rather than taking it in with others.
    pub(in crate::permissions) fn is_spelled_in(&self, pattern: &str) -> bool {
        let below = self.at.as_path().strip_prefix(self.root.as_path());
        let name = below.map_or(self.at.as_str(), |below| below.as_str());
        !name.is_empty() && pattern.contains(name)
    }
}

/// What the configuration `file` names, wherever that stands in a line.
fn named(file: &AbsPath) -> Vec<String> {
    let is_read = fs::metadata(file.as_path()).is_ok_and(|found| found.is_file() && found.len() <= LONGEST);
    let bytes = if is_read { fs::read(file.as_path()).unwrap_or_default() } else { Vec::new() };
    let text = String::from_utf8_lossy(&bytes).into_owned();
    text.lines().filter_map(setting).collect()
}

fn setting(line: &str) -> Option<String> {
    let (name, value) = line.split_once('=')?;
    let name = name.rsplit(']').next()?.trim();
    let value = value.split(['#', ';']).next()?.trim().trim_matches('"').trim();
    (name.eq_ignore_ascii_case("hookspath") && !value.is_empty()).then(|| value.to_owned())
}

fn folder(written: &str, root: &AbsPath, home: Option<&AbsPath>) -> Option<AbsPath> {
    let at = match written.strip_prefix("~/") {
        Some(below) => home?.join(below),
        None => root.join(written),
    };
    // Hooks beside the files themselves: then every file would be one.
    (at != *root).then_some(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(config: &str, file: &str, want: &[&str]) {
        let folder = tempfile::tempdir().unwrap();
        let base = AbsPath::new(folder.path().canonicalize().unwrap().to_str().unwrap()).unwrap();
        let (root, home) = (base.join("w"), base.join("home"));
        for (path, text) in [(root.join(".git/config"), config), (home.join(".gitconfig"), "")] {
            fs::create_dir_all(path.parent().unwrap().as_path()).unwrap();
            fs::write(path.as_path(), text).unwrap();
        }
        let found = folders(&root.join(file), Some(&home));
        let found: Vec<&str> = found.iter().map(|hooks| &hooks.at.as_str()[base.as_str().len()..]).collect();
        assert_eq!(found, want, "{config}");
    }

    #[test]
    fn the_folder_of_hooks_is_found_as_git_finds_it() {
        check("[core]\n\thooksPath = tools/hooks\n", "src/deep/a.rs", &["/w/tools/hooks"]);
        check("[core] HooksPath=\"tools/hooks\" # ours\n", "a", &["/w/tools/hooks"]);
        check("[core]\n\thookspath = ~/hooks\n", "a", &["/home/hooks"]);
        check("[core]\n\thooksPath = ../shared/hooks/\n", "a", &["/shared/hooks"]);
        check("[core]\n\thooksPath = .\n", "a", &[]);
        check("[core]\n\tbare = false\n", "a", &[]);
    }
}
