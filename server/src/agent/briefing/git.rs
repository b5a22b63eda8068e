//! A look at the repository, by a git that starts nothing else.
//!
//! Invariant: a repository may be somebody else's, and its configuration names programs. Nothing that could run one of them
//! is asked for; what would have to be is left out.

use std::path::PathBuf;
use std::process::Stdio;

use camino::Utf8Path;

use crate::context::GitSnapshot;

/// `None`: no repository, or no git.
pub(super) async fn snapshot(root: &Utf8Path) -> Option<GitSnapshot> {
    let git = Git { program: program()?, root };
    let configuration = git.run(&["config", "--list", "--show-scope", "-z"]).await?;
    let branches = [
        "for-each-ref",
        "--format=%(refname)%09%(symref)",
        "refs/heads/main",
        "refs/heads/master",
        "refs/remotes/origin/HEAD",
    ];
    let (branch, known, status, commits) = futures::join!(
        git.run(&["symbolic-ref", "--short", "-q", "HEAD"]),
        git.run(&branches),
        git.status(&configuration),
        git.run(&["log", "-n5", "--oneline", "--no-decorate", "--no-show-signature"]),
    );
    Some(GitSnapshot {
        branch: branch.map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()),
        main_branch: known.as_deref().and_then(main_branch),
        user: setting(&configuration, "user.name"),
        status,
        commits: commits.unwrap_or_default().lines().map(str::to_owned).collect(),
    })
}

struct Git<'a> {
    program: PathBuf,
    root: &'a Utf8Path,
}

impl Git<'_> {
    /// What it prints; `None` if it fails. It ends when the future is dropped.
    async fn run(&self, arguments: &[&str]) -> Option<String> {
        let mut command = tokio::process::Command::new(&self.program);
        // A monitor and hooks are programs; a partial clone fetches what is missing, by a program too.
        command
            .args([
                "--no-optional-locks",
                "--no-pager",
                "-c",
                "core.fsmonitor=false",
                "-c",
                "core.hooksPath=/dev/null",
            ])
            .args(arguments)
            .current_dir(self.root)
            .env_clear()
            .envs(std::env::vars_os().filter(|(name, _)| KEPT.iter().any(|kept| name == kept)))
            .envs([("GIT_NO_LAZY_FETCH", "1"), ("GIT_ALLOW_PROTOCOL", "none"), ("GIT_TERMINAL_PROMPT", "0")])
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .kill_on_drop(true);
        let output = command.output().await.ok()?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        output.status.success().then_some(text)
    }

    /// Changed files. Where the repository itself says how files are filtered, that is by programs: then it is not asked.
    async fn status(&self, configuration: &str) -> Option<String> {
        if has_own_filters(configuration) {
            return None;
        }
        self.run(&["status", "--porcelain", "--ignore-submodules=all"]).await
    }
}

/// What git needs of the environment. The rest may hold keys.
const KEPT: [&str; 6] = ["PATH", "HOME", "XDG_CONFIG_HOME", "USERPROFILE", "SYSTEMROOT", "TMPDIR"];

/// By its absolute path, so that no folder of a project is looked in.
fn program() -> Option<PathBuf> {
    let name = format!("git{}", std::env::consts::EXE_SUFFIX);
    let path = std::env::var_os("PATH")?;
    let mut folders = std::env::split_paths(&path).filter(|folder| folder.is_absolute());
    folders.find_map(|folder| Some(folder.join(&name)).filter(|program| program.is_file()))
}

/// Entries of `git config --list --show-scope -z`: the scope, then the key, a newline and the value, each ended by NUL.
fn entries(configuration: &str) -> impl Iterator<Item = (&str, &str, &str)> {
    let mut parts = configuration.split('\0');
    std::iter::from_fn(move || {
        let (scope, entry) = (parts.next()?, parts.next()?);
        let (key, value) = entry.split_once('\n').unwrap_or((entry, ""));
        Some((scope, key, value))
    })
}

fn setting(configuration: &str, name: &str) -> Option<String> {
    let found = entries(configuration).filter(|(_, key, _)| *key == name).last();
    found.map(|(_, _, value)| value.to_owned()).filter(|value| !value.is_empty())
}

fn has_own_filters(configuration: &str) -> bool {
    entries(configuration).any(|(scope, key, _)| {
        let is_the_users = matches!(scope, "system" | "global" | "command");
        !is_the_users && key.starts_with("filter.")
    })
}

/// What the remote calls its main branch, else `main` or `master`, if there is one.
fn main_branch(references: &str) -> Option<String> {
    let lines = || references.lines().filter_map(|line| line.split_once('\t'));
    let of_remote = lines().find_map(|(_, target)| target.strip_prefix("refs/remotes/origin/"));
    let local = || lines().find_map(|(name, _)| name.strip_prefix("refs/heads/"));
    of_remote.or_else(local).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A repository made by these commands of git; `None` where there is no git.
    async fn repository(commands: &[&[&str]]) -> Option<(tempfile::TempDir, PathBuf)> {
        let folder = tempfile::tempdir().unwrap();
        let program = program()?;
        let identity = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"];
        for arguments in commands {
            let mut command = tokio::process::Command::new(&program);
            command.args(identity).args(*arguments).current_dir(folder.path()).stdout(Stdio::null());
            assert!(command.status().await.unwrap().success(), "{arguments:?}");
        }
        Some((folder, program))
    }

    #[tokio::test]
    async fn a_repository_tells_its_branch_its_changes_and_its_last_commits() {
        let commands: [&[&str]; 3] = [
            &["init", "-q", "-b", "main"],
            &["commit", "-q", "--allow-empty", "-m", "The first one"],
            &["config", "user.name", "Ada"],
        ];
        let Some((folder, _)) = repository(&commands).await else { return };
        std::fs::write(folder.path().join("new.txt"), "new\n").unwrap();
        let root = Utf8Path::from_path(folder.path()).unwrap();
        let got = snapshot(root).await.unwrap();
        assert_eq!(
            (got.branch.as_deref(), got.main_branch.as_deref(), got.user.as_deref(), got.status.as_deref()),
            (Some("main"), Some("main"), Some("Ada"), Some("?? new.txt\n"))
        );
        assert_eq!(got.commits.len(), 1);
        assert!(got.commits[0].ends_with(" The first one"), "{:?}", got.commits);
    }

    #[tokio::test]
    async fn a_folder_that_is_no_repository_tells_nothing_but_the_users_name() {
        let folder = tempfile::tempdir().unwrap();
        let got = snapshot(Utf8Path::from_path(folder.path()).unwrap()).await;
        assert!(got.is_none_or(|got| got.branch.is_none() && got.commits.is_empty()));
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn nothing_that_the_repository_names_is_started() {
        let commands: [&[&str]; 7] = [
            &["init", "-q", "-b", "main"],
            &["commit", "-q", "--allow-empty", "-m", "one"],
            &["config", "core.fsmonitor", "touch PWNED-monitor; false"],
            &["config", "filter.f.clean", "touch PWNED-filter; cat"],
            &["config", "log.showSignature", "true"],
            &["config", "gpg.program", "touch"],
            &["config", "core.pager", "touch PWNED-pager"],
        ];
        let Some((folder, _)) = repository(&commands).await else { return };
        std::fs::write(folder.path().join(".gitattributes"), "* filter=f\n").unwrap();
        std::fs::write(folder.path().join("a.txt"), "a\n").unwrap();
        let got = snapshot(Utf8Path::from_path(folder.path()).unwrap()).await.unwrap();
        assert_eq!((got.branch.as_deref(), got.status), (Some("main"), None));
        let made: Vec<String> = std::fs::read_dir(folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| name.contains("PWNED"))
            .collect();
        assert_eq!(made, Vec::<String>::new());
    }

    #[test]
    fn the_main_branch_is_the_remotes_or_a_usual_name() {
        let check =
            |references: &str, want: Option<&str>| assert_eq!(main_branch(references).as_deref(), want);
        check("refs/heads/main\t\nrefs/remotes/origin/HEAD\trefs/remotes/origin/trunk\n", Some("trunk"));
        check("refs/heads/master\t\n", Some("master"));
        check("", None);
    }
}
