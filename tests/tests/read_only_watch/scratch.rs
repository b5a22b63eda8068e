//! A tree with traps in it, a bash that can only see logged programs, and a comparison before and after.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use copydesk::permissions::read_only_programs;
use tempfile::TempDir;

/// Programs that are logged and not run: what a command must not start.
const TRAPS: &[&str] = &[
    "awk", "bash", "bunzip2", "chmod", "cp", "dash", "dd", "editor", "env", "gawk", "gpg", "gpg2", "gunzip",
    "gzip", "install", "less", "ln", "mkdir", "more", "mv", "nano", "pager", "perl", "pr", "python3", "rm",
    "rmdir", "sh", "ssh", "tar", "tee", "touch", "truncate", "unlisted", "vi", "vim", "x", "xz", "zcat",
];

/// Programs that are looked through: they run what stands behind them, which is judged.
const WRAPPERS: &[&str] = &["nice", "nohup", "stdbuf", "time", "timeout", "xargs"];

/// A command that takes longer waits for something; it is ended.
const LONGEST: Duration = Duration::from_secs(5);

pub(crate) struct Scratch {
    root: TempDir,
    bin: TempDir,
    log: PathBuf,
    before: BTreeMap<PathBuf, String>,
}

impl Scratch {
    pub(crate) fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        let bin = tempfile::tempdir().unwrap();
        let log = bin.path().join("log");
        let mut scratch = Self { root, bin, log, before: BTreeMap::new() };
        scratch.fill();
        scratch.install();
        scratch.before = scratch.snapshot();
        scratch
    }

    pub(crate) fn workspace(&self) -> PathBuf {
        self.root.path().canonicalize().unwrap().join("ws")
    }

    /// Runs `command` in the workspace and says what it did that a read-only command doesn't do.
    pub(crate) fn run(&self, command: &str) -> Vec<String> {
        fs::write(&self.log, "").unwrap();
        let mut child = self
            .shell()
            .args(["-c", command])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()
            .unwrap();
        let begun = Instant::now();
        while child.try_wait().unwrap().is_none() {
            if begun.elapsed() > LONGEST {
                let group = format!("-{}", child.id());
                Command::new("kill").args(["-KILL", "--", &group]).status().unwrap();
                child.wait().unwrap();
                break;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        let allowed = [&read_only_programs(), WRAPPERS].concat();
        let log = fs::read_to_string(&self.log).unwrap();
        let started =
            log.lines().filter(|name| !allowed.contains(name)).map(|name| format!("started {name}"));
        started.chain(self.changes()).collect()
    }

    fn changes(&self) -> Vec<String> {
        let after = self.snapshot();
        let paths = self.before.keys().chain(after.keys());
        let mut changed: Vec<String> = paths
            .filter(|path| self.before.get(*path) != after.get(*path))
            .map(|path| format!("changed {}", path.display()))
            .collect();
        changed.dedup();
        changed
    }

    fn shell(&self) -> Command {
        let mut command = Command::new("/bin/bash");
        command
            .current_dir(self.workspace())
            .env_clear()
            .env("PATH", self.bin.path())
            .env("HOME", self.root.path().join("home"))
            .env("TMPDIR", self.bin.path())
            .env("LC_ALL", "C.UTF-8")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_OPTIONAL_LOCKS", "0")
            .env("x", "-oPWNED")
            .env(
                "BASH_FUNC_command_not_found_handle%%",
                format!("() {{ echo \"$1\" >> '{}'; }}", self.log.display()),
            );
        command
    }

    fn fill(&self) {
        let workspace = self.root.path().join("ws");
        fs::create_dir_all(workspace.join("src/deep")).unwrap();
        fs::create_dir_all(self.root.path().join("home")).unwrap();
        let files = [
            ("a", "b\na\nfn main() {}\n"),
            ("b", "a\nb\n"),
            ("f", "x\n"),
            ("victim", "v\n"),
            ("sp ace", "a b\n"),
            ("package.json", "{\"name\": \"x\"}\n"),
            ("src/lib.rs", "fn main() {}\n"),
            ("src/deep/c.rs", "c\n"),
            // What a pattern without a folder in front would turn into options.
            ("-oPWNED", "a\n"),
            ("-delete", "a\n"),
            ("--output=PWNED", "a\n"),
            ("--pre=x", "a\n"),
        ];
        for (name, text) in files {
            fs::write(workspace.join(name), text).unwrap();
        }
        std::os::unix::fs::symlink("a", workspace.join("link")).unwrap();
        for arguments in [
            &["init", "-q", "-b", "main"][..],
            &["add", "-A"],
            &["-c", "user.name=a", "-c", "user.email=a@b.invalid", "commit", "-qm", "first"],
            &["tag", "v1"],
            &["branch", "other"],
        ] {
            let mut git = Command::new("git");
            git.args(arguments).current_dir(&workspace).env("HOME", self.root.path().join("home"));
            assert!(git.env("GIT_CONFIG_NOSYSTEM", "1").status().unwrap().success());
        }
        fs::write(workspace.join("b"), "a\nchanged\n").unwrap();
    }

    /// Every program as a script that logs its name; those that are allowed then run.
    fn install(&self) {
        let path = std::env::var("PATH").unwrap();
        let real = |name: &str| {
            path.split(':').map(|folder| Path::new(folder).join(name)).find(|path| path.is_file())
        };
        for name in read_only_programs().into_iter().chain(WRAPPERS.iter().copied()) {
            let run =
                real(name).map_or("true".to_owned(), |path| format!("exec '{}' \"$@\"", path.display()));
            self.script(name, &run);
        }
        for name in TRAPS {
            self.script(name, "cat >/dev/null 2>&1 || :");
        }
    }

    fn script(&self, name: &str, run: &str) {
        let path = self.bin.path().join(name);
        fs::write(&path, format!("#!/bin/sh\necho '{name}' >> '{}'\n{run}\n", self.log.display())).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// Everything about each file but when it was read.
    fn snapshot(&self) -> BTreeMap<PathBuf, String> {
        let mut found = BTreeMap::new();
        let mut left = vec![self.root.path().to_owned()];
        while let Some(path) = left.pop() {
            let data = fs::symlink_metadata(&path).unwrap();
            let content = if data.is_symlink() {
                fs::read_link(&path).unwrap().display().to_string()
            } else if data.is_dir() {
                left.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
                String::new()
            } else {
                format!("{:?}", fs::read(&path).unwrap())
            };
            let (mode, links, inode) = (data.mode(), data.nlink(), data.ino());
            let told = format!("{mode:o} {links} {inode} {}.{} {content}", data.mtime(), data.mtime_nsec());
            found.insert(path, told);
        }
        found
    }
}
