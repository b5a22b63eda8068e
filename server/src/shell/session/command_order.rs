//! How a command is to be run: on which files, with which words and variables, and within which walls.

use std::fs;
use std::os::unix::fs::MetadataExt as _;

use camino::{Utf8Component, Utf8Path, Utf8PathBuf};

use super::super::ground::{Ground, WallKind};
use super::super::order::{Namespaces, Neighbour, Order, Rights, Walls};
use super::super::trial_tree::{FileContent, FileView, Others, is_ignored};
use super::super::{Refusal, TrialMode, sandbox};
use super::places::Places;
use super::{Request, Shell, TREE, failed};

const SHELL: &str = "bash";
/// Bytes of one argument: a system takes none of more than 128 KiB, so a longer command comes in pieces. They are never in a
/// file, which another command could exchange.
const LONGEST_ARGUMENT: usize = 100_000;
/// Bytes of a command: a system takes arguments and variables of 2 MiB together.
const LONGEST_COMMAND: usize = 1_500_000;
/// Tells at the end where it is, runs what `CLAUDE_ENV_FILE` names, and then the command, which is in the arguments after the
/// first and sees none of them.
const SCRIPT: &str = r#"__cwd=$1; trap 'pwd -P >"$__cwd"' EXIT
if [ -n "${CLAUDE_ENV_FILE-}" ] && [ -r "$CLAUDE_ENV_FILE" ]; then . "$CLAUDE_ENV_FILE"; fi
shift; printf -v __command %s "$@"; set --
eval "$__command""#;
/// Where the temporary folder is for a command in namespaces.
const TEMPORARY: &str = "/tmp";

impl Shell {
    /// Puts what is pending into the trees, and says how the command is to be run on them.
    pub(super) async fn order(
        &self,
        request: &Request,
        ground: &Ground,
        places: &Places,
    ) -> Result<Order, Refusal> {
        let (mode, roots, others) = (ground.mode, self.roots.clone(), self.others());
        let views = match ground.walls {
            // A right on a folder is one on all that is in it: what must not be read there is not there.
            WallKind::Rights => without(&request.views, &request.hidden),
            WallKind::Namespaces | WallKind::Open => request.views.clone(),
        };
        let (folder, work, begin) = (self.folder.join(TREE), places.folder.clone(), self.cwd());
        let is_seen_at_its_place = ground.walls == WallKind::Namespaces;
        let put = self.with_trees(move |trees| {
            if mode == TrialMode::Real {
                return Ok((Vec::new(), Vec::new(), begin));
            }
            trees.begin(mode, &roots, &folder)?;
            trees.put(&views, others)?;
            let cwd = trees.begin_in(begin, is_seen_at_its_place);
            Ok((trees.mounts(&work)?, trees.copies(), cwd))
        });
        let (trees, copies, cwd) = put.await.map_err(|error| failed("trial tree", &error))?;
        let is_walled = ground.walls != WallKind::Open;
        let seen = if is_seen_at_its_place { Utf8Path::new(TEMPORARY) } else { &places.temporary };
        let mut environment = sandbox::environment(variables(), request.sandbox, &self.settings.passed);
        if is_walled {
            environment.retain(|(name, _)| name != "TMPDIR");
            environment.push(("TMPDIR".to_owned(), seen.to_string()));
        }
        let told = places.cwd_as_seen(seen);
        let words = [SHELL, "-c", SCRIPT, SHELL, told.as_str()];
        let argv = words.into_iter().chain(pieces(&request.text)?).map(str::to_owned).collect();
        let mut hidden = sandbox::hidden(self.settings.home.as_deref(), &self.settings.own);
        hidden.extend(request.hidden.iter().cloned());
        // Without a trial tree the files themselves are what a command works on.
        let real = if ground.mode == TrialMode::Direct { self.roots.clone() } else { Vec::new() };
        let passed = pass_through(&self.roots, &self.settings.pass_through);
        let writable = [self.settings.writable.clone(), passed, real].concat();
        let network = self.settings.network;
        let walls = match ground.walls {
            WallKind::Namespaces => Walls::Namespaces(Namespaces {
                trees,
                temporary: places.temporary.clone(),
                scratch: places.scratch(),
                hidden,
                writable,
                network,
                running: Some(places.running()),
                neighbour: self.neighbour(),
            }),
            WallKind::Rights => {
                let writable = [writable, copies, vec![places.temporary.clone()]].concat();
                Walls::Rights(Rights { writable, hidden, network })
            }
            WallKind::Open => Walls::Open,
        };
        Ok(Order { argv, cwd, environment, walls, filter: ground.filter, limits: self.settings.limits })
    }

    /// Before the command is one of the tasks itself.
    fn others(&self) -> Others {
        let runs = self.lock().tasks.values().any(|task| task.outcome().is_none());
        if runs { Others::Run } else { Others::None }
    }

    /// A command within walls that still runs: whoever starts a server in the background talks to it with the next command.
    fn neighbour(&self) -> Option<Neighbour> {
        let state = self.lock();
        let mut running = state.tasks.values().filter(|task| task.outcome().is_none());
        let process = running
            .find_map(|task| task.process().filter(|_| task.ground().walls == WallKind::Namespaces))?;
        network_of(process)
    }
}

/// The network of a process, unless it is this program's own: then it is at the beginning still.
fn network_of(process: u32) -> Option<Neighbour> {
    let number = |process: &str| fs::metadata(format!("/proc/{process}/ns/net")).ok().map(|it| it.ino());
    let network = number(&process.to_string())?;
    (Some(network) != number("self")).then_some(Neighbour { process, network })
}

/// A command as arguments that a system takes.
fn pieces(command: &str) -> Result<impl Iterator<Item = &str>, Refusal> {
    if command.len() > LONGEST_COMMAND {
        let cause = format!(
            "it has {} bytes, and {LONGEST_COMMAND} are the most. Write what is long into a file first",
            command.len()
        );
        return Err(Refusal { step: "command".to_owned(), cause });
    }
    let mut rest = command;
    Ok(std::iter::from_fn(move || {
        let most = rest.len().min(LONGEST_ARGUMENT);
        let end = (0..=most).rev().find(|&at| rest.is_char_boundary(at))?;
        let (piece, after) = rest.split_at(end);
        rest = after;
        (!piece.is_empty()).then_some(piece)
    }))
}

/// The real folders that commands are to have. A link could lead anywhere, and what git does not ignore is reviewed.
fn pass_through(roots: &[Utf8PathBuf], names: &[Utf8PathBuf]) -> Vec<Utf8PathBuf> {
    let of_root = |root: &Utf8PathBuf| {
        let passes = |name: &&Utf8PathBuf| {
            let is_plain = name.components().all(|part| matches!(part, Utf8Component::Normal(_)));
            let at = root.join(name);
            is_plain
                && at.canonicalize_utf8().is_ok_and(|real| real == at && real.is_dir())
                && is_ignored(root, name)
        };
        names.iter().filter(passes).map(|name| root.join(name)).collect::<Vec<_>>()
    };
    roots.iter().flat_map(of_root).collect()
}

/// `views`, and that there are none of the files `hidden`.
fn without(views: &[FileView], hidden: &[Utf8PathBuf]) -> Vec<FileView> {
    let real = |path: &Utf8PathBuf| path.canonicalize_utf8().unwrap_or_else(|_| path.clone());
    let hidden: Vec<Utf8PathBuf> = hidden.iter().map(real).collect();
    let others = views.iter().filter(|view| !hidden.contains(&view.path)).cloned();
    let absent =
        |path: &Utf8PathBuf| FileView { path: path.clone(), content: FileContent::Absent, mode: None };
    others.chain(hidden.iter().map(absent)).collect()
}

fn variables() -> impl Iterator<Item = (String, String)> {
    // What is no UTF-8 is nothing that a command needs.
    std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
}
