//! Files that say what programs run or who the user is: changing one is asked about, unless a rule of the person's own
//! spells its name.

mod names;

use self::names::{
    BEGIN, BUILD_BEGIN, BUILD_END, BUILD_FILES, BUILD_FOLDERS, BUILD_FOLDERS_IN, END, FILES, FOLDERS,
    FOLDERS_IN,
};
use super::behavior::{Behavior, Source};
use super::matching::{Family, Reached, Subject, covers};
use super::policy::{Policy, SettledRule};
use super::repository::hooks;
use crate::documents::AbsPath;

/// Why a change there is asked about; `None`: it is a file as any other, or one that the person lets be changed: whether
/// by Edit, by Write or by a command makes no difference. The link, its target and what else the file is called count.
pub(super) fn why(path: &Reached, policy: &Policy) -> Option<String> {
    let hooks_around = |name: &&AbsPath| {
        let mut folders = hooks::folders(name, policy.home.as_ref()).into_iter();
        folders.find(|hooks| policy.workspace.case().is_in(name, &hooks.at))
    };
    let mut names = path.names();
    let (protected, hooks) = match path.names().find(|name| is_protected(name)) {
        Some(name) => (name, None),
        None => names.find_map(|name| Some((name, Some(hooks_around(&name)?))))?,
    };
    let is_spelled =
        |pattern: &str| hooks.as_ref().map_or_else(|| is_spelled_in(pattern), |it| it.is_spelled_in(pattern));
    let is_let_in = policy.rules.iter().any(|settled| {
        settled.behavior == Behavior::Allow && is_own(settled.source) && names_it(settled, path, is_spelled)
    });
    if is_let_in {
        return None;
    }
    let shown = |path: &AbsPath| policy.workspace.display(path);
    let is_another = protected != &path.spelled && Some(protected) != path.real.as_ref();
    let by_name = if is_another {
        format!("{} is {} by another name (a hard link), which", shown(&path.spelled), shown(protected))
    } else {
        shown(protected)
    };
    Some(format!("{by_name} says what programs run, or how, so a change of it is asked about."))
}

/// Whether a rule spells the folder or the file which is protected: one for all edits does not mean it.
fn names_it(settled: &SettledRule, path: &Reached, is_spelled: impl Fn(&str) -> bool) -> bool {
    let Subject::Files { tool, family: Family::Editing, spec } = &settled.subject else { return false };
    tool == "Edit"
        && covers(spec, Behavior::Allow, std::slice::from_ref(path))
        && settled.rule.spec.as_deref().is_some_and(is_spelled)
}

/// Not one that came with the folder.
const fn is_own(source: Source) -> bool {
    match source {
        Source::Managed | Source::CommandLine | Source::Session | Source::User => true,
        Source::Local | Source::Project => false,
    }
}

/// Whether a pattern for files, as a rule writes it, spells something that is protected rather than taking it in with others.
fn is_spelled_in(pattern: &str) -> bool {
    is_protected(&AbsPath::root().join(pattern.trim_start_matches(['/', '~'])))
}

/// Protected files that could lie in `folder` itself.
pub(super) fn in_folder(folder: &AbsPath) -> impl Iterator<Item = AbsPath> {
    FILES.iter().map(move |name| folder.join(name))
}

/// In any case of letters: a volume may not tell them apart.
pub(super) fn is_protected(path: &AbsPath) -> bool {
    let whole = path.as_str().to_lowercase();
    let parts: Vec<&str> = whole.split('/').collect();
    let Some((name, folders)) = parts.split_last() else { return false };
    let own_worktree = whole.contains("/.claude/worktrees/") && !whole.ends_with("/.claude");
    let in_one_of = |alone: &[&str], inner: &[(&str, &str)]| {
        folders.iter().enumerate().any(|(at, folder)| {
            let parent = at.checked_sub(1).and_then(|above| parts.get(above));
            let is_inner = inner.iter().any(|(above, below)| below == folder && parent == Some(above));
            is_inner || (alone.contains(folder) && !(own_worktree && *folder == ".claude"))
        })
    };
    let is_named = |names: &[&str], begin: &[&str], end: &[&str]| {
        names.contains(name)
            || begin.iter().any(|begin| name.starts_with(begin))
            || end.iter().any(|end| name.ends_with(end))
    };
    in_one_of(FOLDERS, FOLDERS_IN)
        || FOLDERS.contains(name)
        || is_named(FILES, BEGIN, END)
        || in_one_of(BUILD_FOLDERS, BUILD_FOLDERS_IN)
        || is_named(BUILD_FILES, BUILD_BEGIN, BUILD_END)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(path: &str, want: bool) {
        assert_eq!(is_protected(&AbsPath::new(path).unwrap()), want, "{path}");
    }

    #[test]
    fn what_runs_programs_is_protected() {
        for path in [
            "/w/.git/hooks/pre-commit",
            "/w/.git",
            "/w/sub/.git/config",
            "/home/me/.config/git/config",
            "/w/.vscode/tasks.json",
            "/w/.helix/languages.toml",
            "/w/.nvim.lua",
            "/w/.cargo/config.toml",
            "/w/.claude/settings.json",
            "/home/me/.bashrc",
            "/home/me/.ZSHRC",
            "/w/.GIT/config",
            "/w/.envrc",
            "/w/.pnp.cjs",
            "/w/lefthook.yml",
            "/w/.mcp.json",
            "/w/my.code-workspace",
            "/w/.lvimrc",
            "/w/.gitattributes",
            "/w/.githooks/pre-push",
            "/w/.gdbinit",
            "/w/.lintstagedrc.json",
            "/w/pip.conf",
            "/home/me/.ssh/config",
            "/w/.github/workflows/ci.yml",
            "/w/.gitlab-ci.yml",
            "/w/ci/deploy.gitlab-ci.yml",
            "/w/.circleci/config.yml",
            "/w/azure-pipelines-release.yml",
            "/w/Jenkinsfile",
            "/w/.tool-versions",
            "/w/rust-toolchain.toml",
            "/w/.devcontainer/devcontainer.json",
            "/w/.devcontainer/api/Dockerfile",
            "/w/devcontainer.json",
        ] {
            check(path, true);
        }
    }

    #[test]
    fn the_rest_is_not() {
        for path in [
            "/w/src/git.rs",
            "/w/.github/ISSUE_TEMPLATE.md",
            "/w/.github/dependabot.yml",
            "/w/workflows/ci.yml",
            "/w/.gitignore",
            "/w/.editorconfig",
            "/w/Makefile",
            "/w/Cargo.toml",
            "/w/pyproject.toml",
            "/w/Dockerfile",
            "/w/build.rs",
            "/w/src/jenkins.rs",
            "/w/.claude/worktrees/a/src/main.rs",
            "/w/.config/other",
            "/w/git/config",
            "/w/package.json",
        ] {
            check(path, false);
        }
        check("/w/.claude/worktrees/a/.git/config", true);
    }
}
