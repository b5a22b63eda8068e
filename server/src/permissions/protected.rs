//! Files that say what programs run or who the user is: changing one is asked about, unless a rule of the person's own
//! spells its name.

use super::matching::{Family, Reached, Subject, covers};
use super::policy::{Behavior, Policy, SettledRule, Source};
use crate::documents::AbsPath;

/// Folders whose content is protected.
const FOLDERS: [&str; 15] = [
    ".git",
    ".vscode",
    ".idea",
    ".helix",
    ".zed",
    ".cursor",
    ".codex",
    ".gemini",
    ".husky",
    ".cargo",
    ".devcontainer",
    ".yarn",
    ".mvn",
    ".claude",
    ".copydesk",
];

/// Files that are protected wherever they lie.
const FILES: [&str; 48] = [
    ".bashrc",
    ".bash_profile",
    ".bash_login",
    ".bash_logout",
    ".bash_aliases",
    ".profile",
    ".zshrc",
    ".zshenv",
    ".zprofile",
    ".zlogin",
    ".zlogout",
    ".kshrc",
    ".cshrc",
    ".tcshrc",
    ".login",
    ".inputrc",
    "config.fish",
    ".vimrc",
    ".exrc",
    ".nvimrc",
    ".nvim.lua",
    ".dir-locals.el",
    "mise.toml",
    ".mise.toml",
    ".envrc",
    ".gitconfig",
    ".gitmodules",
    ".npmrc",
    ".yarnrc",
    ".yarnrc.yml",
    ".pnpmfile.cjs",
    "bunfig.toml",
    ".bunfig.toml",
    ".bazelrc",
    ".bazelversion",
    ".bazeliskrc",
    ".pre-commit-config.yaml",
    "lefthook.yml",
    "lefthook.yaml",
    "lefthook.toml",
    "lefthook.json",
    "gradle-wrapper.properties",
    "maven-wrapper.properties",
    ".devcontainer.json",
    ".ripgreprc",
    "pyrightconfig.json",
    ".mcp.json",
    ".claude.json",
];

/// Why a change there is asked about; `None`: it is a file as any other, or one that the person lets be changed: whether
/// by Edit, by Write or by a command makes no difference. The link and its target count.
pub(super) fn why(path: &Reached, policy: &Policy) -> Option<String> {
    let spelled = std::iter::once(&path.spelled);
    let protected = spelled.chain(&path.real).find(|path| is_protected(path))?;
    let is_let_in = policy
        .rules
        .iter()
        .any(|settled| settled.behavior == Behavior::Allow && is_own(settled.source) && names(settled, path));
    (!is_let_in)
        .then(|| format!("{protected} says what programs run, or how, so a change of it is asked about."))
}

/// Whether a rule spells the folder or the file which is protected: one for all edits does not mean it.
fn names(settled: &SettledRule, path: &Reached) -> bool {
    let Subject::Files { tool, family: Family::Editing, spec } = &settled.subject else { return false };
    tool == "Edit"
        && covers(spec, Behavior::Allow, std::slice::from_ref(path))
        && settled.rule.spec.as_deref().is_some_and(is_spelled_in)
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

/// In any case of letters: a volume may not tell them apart.
fn is_protected(path: &AbsPath) -> bool {
    let whole = path.as_str().to_lowercase();
    let parts: Vec<&str> = whole.split('/').collect();
    let Some((name, folders)) = parts.split_last() else { return false };
    let own_worktree = whole.contains("/.claude/worktrees/") && !whole.ends_with("/.claude");
    let in_folder = |at: usize, folder: &str| {
        let parent = at.checked_sub(1).and_then(|above| parts.get(above));
        match folder {
            ".claude" => !own_worktree,
            "git" | "fish" => parent == Some(&".config"),
            folder => FOLDERS.contains(&folder),
        }
    };
    folders.iter().enumerate().any(|(at, folder)| in_folder(at, folder))
        || FOLDERS.contains(name)
        || FILES.contains(name)
        || name.starts_with(".pnp.")
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
        ] {
            check(path, true);
        }
    }

    #[test]
    fn the_rest_is_not() {
        for path in [
            "/w/src/git.rs",
            "/w/.github/workflows/ci.yml",
            "/w/.gitignore",
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
