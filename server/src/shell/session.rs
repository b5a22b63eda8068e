//! The commands of one session: on its trial tree, in the sandbox, each a task of its own.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use camino::{Utf8Path, Utf8PathBuf};

use super::order::{Limits, Namespaces, Network, Order, Tree, Walls};
use super::output::{Caps, Output};
use super::process::{Ended, Process};
use super::task::{How, Task};
use super::trial_tree::{FileView, OverlayTree, TextRule, TreeChange};
use super::{Refusal, TrialMode, sandbox};

/// What holds for the commands of all sessions.
#[derive(Clone, Debug)]
pub struct ShellSettings {
    /// This program's own file, which builds the walls.
    pub program: PathBuf,
    pub home: Option<Utf8PathBuf>,
    /// What this program keeps to itself.
    pub own: Vec<Utf8PathBuf>,
    /// Real folders that commands may write to.
    pub writable: Vec<Utf8PathBuf>,
    pub limits: Limits,
    pub caps: Caps,
    pub text: TextRule,
}

/// A command to run.
#[derive(Clone, Debug)]
pub struct Request {
    /// Names what is saved of it: the tool call's.
    pub id: String,
    pub text: String,
    /// Files as the agent has them where that may differ from the disk.
    pub views: Vec<FileView>,
    pub network: Network,
    pub sandbox: Sandbox,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sandbox {
    Walled,
    /// On the real files, with all that the user may do: the user has said so.
    Without,
}

/// The shell of one session.
#[derive(Debug)]
pub struct Shell {
    settings: Arc<ShellSettings>,
    roots: Vec<Utf8PathBuf>,
    /// The session's own, where the trial tree and outputs are.
    folder: Utf8PathBuf,
    trees: Arc<tokio::sync::Mutex<Option<Vec<OverlayTree>>>>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    cwd: Option<Utf8PathBuf>,
    started: u64,
    tasks: BTreeMap<String, Arc<Task>>,
    notices: Vec<String>,
}

/// Folders of one command, gone with it.
struct Places {
    folder: Utf8PathBuf,
    /// The session's temporary folder, and names of files of this command in it.
    temporary: Utf8PathBuf,
    cwd: String,
    command: String,
}

/// What ran in `bash` of the machine.
const SHELL: &str = "bash";
/// Longer ones go into a file: a system takes no argument of more than 128 KiB.
const LONGEST_ARGUMENT: usize = 100_000;
/// Tells at the end where it is, and runs what `CLAUDE_ENV_FILE` says before.
const SCRIPT: &str = r#"__cwd=$1; trap 'pwd -P >"$__cwd"' EXIT
if [ -n "${CLAUDE_ENV_FILE-}" ] && [ -r "$CLAUDE_ENV_FILE" ]; then . "$CLAUDE_ENV_FILE"; fi
eval "$2""#;
const SCRIPT_OF_FILE: &str = r#"__cwd=$1; trap 'pwd -P >"$__cwd"' EXIT
if [ -n "${CLAUDE_ENV_FILE-}" ] && [ -r "$CLAUDE_ENV_FILE" ]; then . "$CLAUDE_ENV_FILE"; fi
. "$2""#;
/// Where the temporary folder is for a command.
const TEMPORARY: &str = "/tmp";

impl Shell {
    /// For the roots of a workspace, links followed; what it makes is below `folder`.
    pub fn new(settings: Arc<ShellSettings>, roots: Vec<Utf8PathBuf>, folder: Utf8PathBuf) -> Self {
        Self { settings, roots, folder, trees: Arc::default(), state: Mutex::default() }
    }

    /// Where the next command begins.
    pub fn cwd(&self) -> Utf8PathBuf {
        let root = || self.roots.first().cloned().unwrap_or_else(|| "/".into());
        self.lock().cwd.clone().unwrap_or_else(root)
    }

    /// The commands that were started, by id, the oldest first.
    pub fn task(&self, id: &str) -> Option<Arc<Task>> {
        self.lock().tasks.get(id).cloned()
    }

    /// Starts a command. Once it is started it needs nobody to hear it.
    pub async fn start(self: &Arc<Self>, request: Request) -> Result<Arc<Task>, Refusal> {
        let begun = SystemTime::now();
        let number = {
            let mut state = self.lock();
            state.started += 1;
            state.started
        };
        let mode = match request.sandbox {
            Sandbox::Walled => TrialMode::Overlay,
            Sandbox::Without => TrialMode::Real,
        };
        let places = self.places(number).map_err(|error| failed("folder of the command", error))?;
        let trees = match mode {
            TrialMode::Overlay => self.put(request.views).await?,
            TrialMode::Real => Vec::new(),
        };
        let order = self.order(&request.text, request.network, trees, &places)?;
        let process = Process::start(&self.settings.program, &order).await?;
        let saved = self.folder.join("tool-results").join(format!("{}.txt", request.id));
        let output = Output::new(self.settings.caps, Some(saved));
        let task = Arc::new(Task::new(format!("b{number}"), request.text, mode, output));
        self.lock().tasks.insert(task.id().to_owned(), task.clone());
        let (shell, heard) = (self.clone(), task.clone());
        tokio::spawn(async move { shell.follow(&heard, process, places, begun).await });
        Ok(task)
    }

    /// Takes over the folder that a command ended in, if it lies in the workspace. Else the next one begins where it would
    /// have without, which is given.
    pub fn settle(&self, ended_in: Option<&Utf8Path>) -> Option<Utf8PathBuf> {
        let ended_in = ended_in?;
        if self.roots.iter().any(|root| ended_in.starts_with(root)) {
            self.lock().cwd = Some(ended_in.to_owned());
            return None;
        }
        let first = self.roots.first().cloned()?;
        self.lock().cwd = Some(first.clone());
        Some(first)
    }

    /// Told to the model before its next request.
    pub fn notice(&self, text: String) {
        self.lock().notices.push(text);
    }

    /// What was noted since the last time.
    pub fn take_notices(&self) -> Vec<String> {
        std::mem::take(&mut self.lock().notices)
    }

    /// Ends everything that still runs.
    pub fn stop_all(&self) {
        for task in self.lock().tasks.values() {
            task.stop();
        }
    }

    async fn follow(&self, task: &Task, process: Process, places: Places, begun: SystemTime) {
        let stop = task.stopping();
        let ended = process.hear(|bytes| task.take(bytes), stop.cancelled()).await;
        let changes = match task.mode() {
            TrialMode::Overlay => self.changes(begun).await,
            TrialMode::Real => Vec::new(),
        };
        let cwd = places.told_cwd();
        drop(places);
        let how = match ended {
            Ended::Refused(refusal) => How::Refused(refusal),
            Ended::Exited(_) if task.is_flood() => How::Flood,
            Ended::Exited(_) if stop.is_cancelled() => How::Stopped,
            Ended::Exited(exit) => How::Exited(exit),
        };
        task.end(how, changes, cwd);
    }

    /// Puts what is pending into the trees, and gives them as they are mounted.
    async fn put(&self, views: Vec<FileView>) -> Result<Vec<(Utf8PathBuf, Utf8PathBuf)>, Refusal> {
        let mut trees = self.trees.clone().lock_owned().await;
        let (roots, folder) = (self.roots.clone(), self.folder.clone());
        let putting = tokio::task::spawn_blocking(move || {
            if trees.is_none() {
                *trees = Some(made(&roots, &folder)?);
            }
            let trees = trees.as_mut().map(Vec::as_mut_slice).unwrap_or_default();
            for tree in &mut *trees {
                tree.put(&views)?;
            }
            Ok(trees.iter().map(|tree| (tree.root().to_owned(), tree.upper().to_owned())).collect())
        });
        let put: io::Result<_> = putting.await.unwrap_or_else(|error| Err(io::Error::other(error)));
        put.map_err(|error| failed("trial tree", error))
    }

    async fn changes(&self, begun: SystemTime) -> Vec<TreeChange> {
        let mut trees = self.trees.clone().lock_owned().await;
        let rule = self.settings.text;
        let looking = tokio::task::spawn_blocking(move || {
            let trees = trees.iter_mut().flatten();
            trees.flat_map(|tree| tree.changes(rule, begun)).collect()
        });
        looking.await.unwrap_or_default()
    }

    fn order(
        &self,
        text: &str,
        network: Network,
        trees: Vec<(Utf8PathBuf, Utf8PathBuf)>,
        places: &Places,
    ) -> Result<Order, Refusal> {
        let is_walled = !trees.is_empty();
        let mut environment = sandbox::environment(variables(), is_walled);
        if is_walled {
            environment.push(("TMPDIR".to_owned(), TEMPORARY.to_owned()));
        }
        let tree = |(number, (at, upper)): (usize, (Utf8PathBuf, Utf8PathBuf))| {
            let work = places.folder.join(format!("work{number}"));
            fs::create_dir(&work).map(|()| Tree::Overlay { at, upper, work })
        };
        let trees: io::Result<Vec<Tree>> = trees.into_iter().enumerate().map(tree).collect();
        let trees = trees.map_err(|error| failed("folder of the command", error))?;
        // Within walls the folder has another name.
        let seen = if is_walled { Utf8Path::new(TEMPORARY) } else { &places.temporary };
        let told = seen.join(&places.cwd);
        let (script, argument) = if text.len() > LONGEST_ARGUMENT {
            let written = fs::write(places.temporary.join(&places.command), text);
            written.map_err(|error| failed("folder of the command", error))?;
            (SCRIPT_OF_FILE, seen.join(&places.command).into_string())
        } else {
            (SCRIPT, text.to_owned())
        };
        let words = [SHELL, "-c", script, SHELL, told.as_str(), &argument];
        let walls = if is_walled {
            Walls::Namespaces(Namespaces {
                trees,
                temporary: places.temporary.clone(),
                scratch: places.folder.join("scratch"),
                hidden: sandbox::hidden(self.settings.home.as_deref(), &self.settings.own),
                writable: self.settings.writable.clone(),
                network,
            })
        } else {
            Walls::Open
        };
        Ok(Order {
            argv: words.map(str::to_owned).to_vec(),
            cwd: self.cwd(),
            environment,
            walls,
            limits: self.settings.limits,
        })
    }

    fn places(&self, number: u64) -> io::Result<Places> {
        let folder = self.folder.join("commands").join(number.to_string());
        fs::create_dir_all(folder.join("scratch"))?;
        let temporary = self.folder.join("tmp");
        fs::create_dir_all(&temporary)?;
        let name = |what: &str| format!(".{what}-{number}");
        Ok(Places { folder, temporary, cwd: name("cwd"), command: name("command") })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Shell {
    fn drop(&mut self) {
        self.stop_all();
    }
}

impl Places {
    /// Where the command said that it was at its end.
    fn told_cwd(&self) -> Option<Utf8PathBuf> {
        let told = fs::read_to_string(self.temporary.join(&self.cwd)).ok()?;
        Some(Utf8PathBuf::from(told.trim_end_matches('\n'))).filter(|cwd| cwd.is_absolute())
    }
}

impl Drop for Places {
    fn drop(&mut self) {
        for name in [&self.cwd, &self.command] {
            // It need not have been made.
            let _ = fs::remove_file(self.temporary.join(name));
        }
        // What the overlay leaves in its folder can't be entered.
        if let Err(error) = remove_all(&self.folder) {
            tracing::debug!(%error, "the folder of a command stays");
        }
    }
}

fn made(roots: &[Utf8PathBuf], folder: &Utf8Path) -> io::Result<Vec<OverlayTree>> {
    let is_within = |root: &&Utf8PathBuf| roots.iter().any(|other| other != *root && root.starts_with(other));
    let outer = roots.iter().filter(|root| !is_within(root));
    outer
        .enumerate()
        .map(|(number, root)| OverlayTree::new(root, &folder.join(format!("tree/{number}"))))
        .collect()
}

fn remove_all(folder: &Utf8Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    for entry in folder.read_dir_utf8()?.flatten() {
        let inner = entry.path().join("work");
        if inner.is_dir() {
            fs::set_permissions(&inner, fs::Permissions::from_mode(0o700))?;
        }
    }
    fs::remove_dir_all(folder)
}

fn variables() -> impl Iterator<Item = (String, String)> {
    // What is no UTF-8 is nothing that a command needs.
    std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
}

fn failed(step: &str, error: io::Error) -> Refusal {
    Refusal { step: step.to_owned(), cause: error.to_string() }
}
