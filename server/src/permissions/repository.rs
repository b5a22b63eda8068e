//! Whether a repository's own configuration starts programs when git only looks: filters, text conversions, another program
//! for differences. Whoever wrote the folder may have written that too.
//!
//! Configurations are read line by line and the names of sections are not looked at: what is no such setting may be taken
//! for one, never the other way round.

pub(super) mod hooks;
mod index;

use std::fs;

use self::index::{Inner, inner};
use crate::documents::AbsPath;

/// Longer configurations are not read: they count as starting programs.
const LONGEST: u64 = 1 << 20;
/// Of a longer index it is not known which repositories it names.
const LONGEST_INDEX: u64 = 64 << 20;
/// Modules whose configurations are read.
const MOST_MODULES: usize = 200;
/// Folders that are gone through to find them.
const MOST_MODULE_FOLDERS: usize = 2_000;

/// Names of settings that hold a program, or another file of settings.
const STARTING: &[&str] =
    &["clean", "smudge", "process", "textconv", "command", "external", "path", "alternaterefscommand"];
/// Of what a module says, these are not overruled by the environment that commands are given.
const STARTING_IN_MODULES: &[&str] = &["fsmonitor", "showsignature"];
/// Those that hold a program or only say whether there is one.
const SWITCHES: &[&str] = &["fsmonitor", "showsignature"];
/// What a program for large files asks to be put there, and which does what git does.
const KNOWN: &[&str] = &[
    "git-lfs clean -- %f",
    "git-lfs smudge -- %f",
    "git-lfs smudge --skip -- %f",
    "git-lfs filter-process",
    "git-lfs filter-process --skip",
];

/// What the configuration of the repository that `folder` lies in starts, in words for the person; `None`: nothing.
pub(super) fn starts_programs(folder: &AbsPath) -> Option<String> {
    let mut above = Some(folder.clone());
    while let Some(at) = above {
        let git = at.join(".git");
        if git.as_path().is_dir() {
            return of_repository(&git).or_else(|| of_inner(&at, &git));
        }
        if let Ok(text) = fs::read_to_string(git.as_path()) {
            let named = text.trim().strip_prefix("gitdir:").map(str::trim)?;
            let git = at.join(named);
            return of_repository(&git).or_else(|| of_inner(&at, &git));
        }
        // A repository without a folder of files looks so.
        if ["HEAD", "objects", "refs"].iter().all(|part| at.join(part).as_path().exists()) {
            return of_repository(&at);
        }
        above = at.parent();
    }
    None
}

/// Whether git keeps `file` in the repository that it lies in, as far as the index says so in a way that is read here.
pub fn is_tracked(file: &AbsPath) -> bool {
    let Some((root, git)) = found(file) else { return false };
    let Ok(path) = file.as_path().strip_prefix(root.as_path()) else { return false };
    let Ok(index) = fs::read(git.join("index").as_path()) else { return false };
    index::has(&index, object_name_bytes(&git), path.as_str()) == Some(true)
}

/// The folder of files that `file` lies in, and the folder of its repository.
fn found(file: &AbsPath) -> Option<(AbsPath, AbsPath)> {
    let mut roots = std::iter::successors(file.parent(), AbsPath::parent);
    let root = roots.find(|root| root.join(".git").as_path().exists())?;
    let git = root.join(".git");
    let named = fs::read_to_string(git.as_path()).ok();
    let named = named.as_deref().and_then(|text| text.trim().strip_prefix("gitdir:"));
    let git = named.map_or(git, |named| root.join(named.trim()));
    Some((root, git))
}

fn of_repository(git: &AbsPath) -> Option<String> {
    let common = fs::read_to_string(git.join("commondir").as_path()).ok();
    let common = common.map_or_else(|| git.clone(), |written| git.join(written.trim()));
    let own = [
        git.join("config"),
        git.join("config.worktree"),
        common.join("config"),
        common.join("config.worktree"),
    ];
    own.iter().find_map(|file| of_file(file, STARTING)).or_else(|| of_modules(&common.join("modules")))
}

/// A module may hold modules of its own.
fn of_modules(folder: &AbsPath) -> Option<String> {
    let mut folders = vec![folder.clone()];
    let mut seen = 0;
    while let Some(folder) = folders.pop() {
        for entry in folder.as_path().read_dir_utf8().into_iter().flatten().flatten() {
            let at = folder.join(entry.file_name());
            if !entry.file_type().is_ok_and(|kind| kind.is_dir()) || entry.file_name() == "objects" {
                continue;
            }
            seen += 1;
            if seen > MOST_MODULE_FOLDERS {
                return Some(format!("{folder} has more modules than are looked at"));
            }
            let found = of_module(&at);
            if found.is_some() {
                return found;
            }
            folders.push(at);
        }
    }
    None
}

fn of_module(git: &AbsPath) -> Option<String> {
    let files = [git.join("config"), git.join("config.worktree")];
    files.iter().find_map(|file| of_file(file, STARTING).or_else(|| of_file(file, STARTING_IN_MODULES)))
}

/// Repositories inside the folder of files `root` that the index names and that lie in their own folder.
fn of_inner(root: &AbsPath, git: &AbsPath) -> Option<String> {
    let file = git.join("index");
    // Before the first file is added there is none.
    let metadata = fs::metadata(file.as_path()).ok()?;
    let index = (metadata.len() <= LONGEST_INDEX).then(|| fs::read(file.as_path()).ok()).flatten();
    let paths = match index.map_or(Inner::Unknown, |index| inner(&index, object_name_bytes(git))) {
        Inner::Paths(paths) => paths,
        Inner::Unknown => return Some(format!("{file} names repositories in a way that is not read")),
    };
    if paths.len() > MOST_MODULES {
        return Some(format!("{file} names more repositories than are looked at"));
    }
    paths.iter().find_map(|path| of_module(&root.join(path).join(".git")))
}

/// Of a SHA-1, unless the repository says that it has others.
fn object_name_bytes(git: &AbsPath) -> usize {
    let says = fs::read_to_string(git.join("config").as_path()).unwrap_or_default().to_lowercase();
    if says.lines().any(|line| line.replace(char::is_whitespace, "") == "objectformat=sha256") {
        32
    } else {
        20
    }
}

fn of_file(file: &AbsPath, names: &[&str]) -> Option<String> {
    let metadata = fs::metadata(file.as_path()).ok()?;
    if !metadata.is_file() || metadata.len() > LONGEST {
        return Some(format!("{file} is no configuration that can be read"));
    }
    let bytes = fs::read(file.as_path()).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let found = text.lines().find_map(|line| starting(line, names))?;
    Some(format!("{file} says `{found}`"))
}

/// The setting in `line`, if it is one of `names`. It may stand behind the name of its section.
fn starting<'t>(line: &'t str, names: &[&str]) -> Option<&'t str> {
    let behind_sections = line.match_indices(']').filter_map(|(at, _)| line.get(at + 1..));
    let mut settings = std::iter::once(line).chain(behind_sections);
    settings.find(|setting| {
        let (name, value) = setting.split_once('=').unwrap_or((setting, ""));
        let value = value.trim();
        let name = name.trim().to_lowercase();
        let is_known = KNOWN.contains(&value) || SWITCHES.contains(&name.as_str()) && is_switch(value);
        names.contains(&name.as_str()) && !is_known
    })
}

fn is_switch(value: &str) -> bool {
    matches!(value.to_lowercase().as_str(), "true" | "false" | "yes" | "no" | "on" | "off" | "1" | "0")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A repository whose files are these.
    fn repository(files: &[(&str, &str)]) -> (tempfile::TempDir, AbsPath) {
        let folder = tempfile::tempdir().unwrap();
        let root = AbsPath::new(folder.path().canonicalize().unwrap().to_str().unwrap()).unwrap();
        for (name, text) in files {
            let path = root.join(name);
            fs::create_dir_all(path.parent().unwrap().as_path()).unwrap();
            fs::write(path.as_path(), text).unwrap();
        }
        (folder, root)
    }

    #[track_caller]
    fn check(files: &[(&str, &str)], want: Option<&str>) {
        let (_folder, root) = repository(files);
        let below = root.join("src");
        fs::create_dir_all(below.as_path()).unwrap();
        let found = starts_programs(&below);
        match want {
            None => assert_eq!(found, None, "{files:?}"),
            Some(part) => {
                assert!(found.as_deref().is_some_and(|found| found.contains(part)), "{files:?} {found:?}");
            }
        }
    }

    const USUAL: &str =
        "[core]\n\trepositoryformatversion = 0\n\tbare = false\n[remote \"origin\"]\n\turl = x\n";

    #[test]
    fn a_usual_repository_starts_nothing() {
        check(&[(".git/config", USUAL)], None);
        check(&[("a", "")], None);
        check(
            &[(
                ".git/config",
                "[filter \"lfs\"]\n\tclean = git-lfs clean -- %f\n\tprocess = git-lfs filter-process\n",
            )],
            None,
        );
        check(&[(".git/config", "[core]\n\tfsmonitor = true\n")], None);
    }

    #[test]
    fn what_starts_programs_is_found_wherever_it_stands() {
        for line in [
            "[filter \"x\"]\n\tclean = touch PWNED",
            "[filter \"a]b\"] smudge=touch PWNED",
            "[Filter \"x\"]\n  Process = touch",
            "[diff \"x\"]\n\ttextconv = touch",
            "[diff \"x\"]\n\tcommand = touch",
            "[diff]\n\texternal = touch",
            "[include]\n\tpath = ../evil",
            "[include]\n\tpath = true",
            "[filter \"x\"]\n\tclean = 1",
            "[includeIf \"gitdir:/\"]\n\tpath = ../evil",
            "[core]\n\talternateRefsCommand = touch",
            "[a]\n\tb = c # comment \\\n[filter \"x\"]\n\tclean = touch PWNED",
        ] {
            check(&[(".git/config", &format!("{USUAL}{line}\n"))], Some("config says"));
        }
    }

    #[test]
    fn worktrees_modules_and_bare_repositories_are_looked_at() {
        let evil = "[filter \"x\"]\n\tclean = touch\n";
        let monitor = "[core]\n\tfsmonitor = touch\n";
        check(&[(".git", "gitdir: real\n"), ("real/config", evil)], Some("real/config says"));
        check(
            &[
                (".git", "gitdir: main/worktrees/w"),
                ("main/worktrees/w/commondir", "../..\n"),
                ("main/config", evil),
            ],
            Some("main/config says"),
        );
        check(&[(".git/config", USUAL), (".git/config.worktree", evil)], Some("config.worktree says"));
        check(
            &[(".git/config", USUAL), (".git/modules/a/b/config", monitor)],
            Some("modules/a/b/config says"),
        );
        check(&[("HEAD", ""), ("objects/a", ""), ("refs/a", ""), ("config", evil)], Some("config says"));
    }

    #[test]
    fn a_repository_inside_that_the_index_names_is_looked_at() {
        let files = [("m/.git/config", "[core]\n\tfsmonitor = touch\n"), ("m/.git/HEAD", "")];
        let (_folder, root) = repository(&files);
        let git = |arguments: &[&str]| {
            let ran = std::process::Command::new("git")
                .args(arguments)
                .current_dir(root.as_path())
                .output()
                .unwrap();
            assert!(ran.status.success(), "{ran:?}");
        };
        git(&["init", "-q"]);
        assert_eq!(starts_programs(&root), None, "git does not look into it");
        git(&["update-index", "--add", "--cacheinfo", &format!("160000,{},m", "1".repeat(40))]);
        let found = starts_programs(&root);
        assert!(found.as_deref().is_some_and(|found| found.contains("m/.git/config says")), "{found:?}");
        git(&["update-index", "--split-index"]);
        assert!(starts_programs(&root).is_some_and(|found| found.contains("in a way that is not read")));
    }
}
