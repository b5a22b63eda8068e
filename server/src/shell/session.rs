//! The commands of one session: on its trial tree, in the sandbox, each a task of its own.

mod lease;
mod places;

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use camino::{Utf8Component, Utf8Path, Utf8PathBuf};
use tokio::sync::OnceCell;

use self::lease::Lease;
use self::places::{Places, Slots};
use super::ground::{Best, Ground, WallKind, ground, not_as_wanted};
use super::order::{CallFilter, Limits, Namespaces, Network, Order, Rights, Walls};
use super::output::{Caps, Output};
use super::process::{Ended, Process};
use super::task::{How, Task};
use super::trial_tree::{FileView, TextRule, Trees, is_ignored, outer};
use super::{Refusal, TrialMode, sandbox};
use crate::config::TrialTreeChoice;

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
    /// Folders of the workspace, below its roots, of which commands have the real ones, if git ignores them.
    pub pass_through: Vec<Utf8PathBuf>,
    /// Variables that commands get though they sound secret.
    pub passed: Vec<String>,
    pub network: Network,
    pub times: Times,
    pub limits: Limits,
    pub caps: Caps,
    pub text: TextRule,
    /// On what commands run.
    pub trial_tree: TrialTreeChoice,
    /// Less than that choice would take.
    pub best: Best,
    /// Bytes that a copy of the workspace may have.
    pub largest_copy: u64,
}

/// How long a command may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Times {
    /// If nobody says how long.
    pub usual: Duration,
    pub longest: Duration,
}

impl Default for Times {
    fn default() -> Self {
        Self { usual: Duration::from_secs(120), longest: Duration::from_secs(600) }
    }
}

/// A command to run.
#[derive(Clone, Debug)]
pub struct Request {
    /// Names what is saved of it: the tool call's.
    pub id: String,
    pub text: String,
    /// Files as the agent has them where that may differ from the disk.
    pub views: Vec<FileView>,
    /// Files that it must not read, where the walls can keep it from them.
    pub hidden: Vec<Utf8PathBuf>,
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
    ground: OnceCell<Ground>,
    lease: OnceCell<Lease>,
    slots: Slots,
    trees: Arc<tokio::sync::Mutex<Option<Trees>>>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    cwd: Option<Utf8PathBuf>,
    started: u64,
    tasks: BTreeMap<String, Arc<Task>>,
    notices: Vec<String>,
}

const SHELL: &str = "bash";
/// Longer ones go into a file: a system takes no argument of more than 128 KiB.
const LONGEST_ARGUMENT: usize = 100_000;
/// Tells at the end where it is, and runs what `CLAUDE_ENV_FILE` names before.
const BEFORE: &str = r#"__cwd=$1; trap 'pwd -P >"$__cwd"' EXIT
if [ -n "${CLAUDE_ENV_FILE-}" ] && [ -r "$CLAUDE_ENV_FILE" ]; then . "$CLAUDE_ENV_FILE"; fi
"#;
const RUN_ARGUMENT: &str = r#"eval "$2""#;
const RUN_FILE: &str = r#". "$2""#;
/// Where the temporary folder is for a command in namespaces.
const TEMPORARY: &str = "/tmp";

impl Shell {
    /// For the roots of a workspace, links followed; what it makes is below `folder`.
    pub fn new(settings: Arc<ShellSettings>, roots: Vec<Utf8PathBuf>, folder: Utf8PathBuf) -> Self {
        Self {
            settings,
            roots,
            folder,
            ground: OnceCell::new(),
            lease: OnceCell::new(),
            slots: Slots::default(),
            trees: Arc::default(),
            state: Mutex::default(),
        }
    }

    /// How long commands may take here.
    pub fn times(&self) -> Times {
        self.settings.times
    }

    /// How much of what they write is kept and shown.
    pub fn caps(&self) -> Caps {
        self.settings.caps
    }

    /// Where the next command begins.
    pub fn cwd(&self) -> Utf8PathBuf {
        let root = || self.roots.first().cloned().unwrap_or_else(|| "/".into());
        self.lock().cwd.clone().unwrap_or_else(root)
    }

    /// What commands run on here, found out the first time it is asked.
    pub async fn ground(&self) -> &Ground {
        let find = async {
            let trial = self.folder.join("ground");
            let roots: Vec<Utf8PathBuf> = outer(&self.roots).cloned().collect();
            let found = ground(&self.settings.program, &trial, &roots, self.settings.best).await;
            let _ = fs::remove_dir_all(&trial);
            let (roots, most) = (self.roots.clone(), self.settings.largest_copy);
            let fits = move || Trees::fits_a_copy(&roots, most);
            match found.mode {
                TrialMode::Copy if !tokio::task::spawn_blocking(fits).await.unwrap_or_default() => {
                    let why =
                        found.why.into_iter().chain(["the workspace is too large to be copied".to_owned()]);
                    Ground { mode: TrialMode::Direct, why: Some(why.collect::<Vec<_>>().join(", ")), ..found }
                }
                TrialMode::Overlay | TrialMode::Copy | TrialMode::Direct | TrialMode::Real => found,
            }
        };
        self.ground.get_or_init(|| find).await
    }

    /// The ground, unless the user wants commands to run on another or not at all.
    pub async fn ground_as_wanted(&self) -> Result<&Ground, Refusal> {
        let ground = self.ground().await;
        match not_as_wanted(self.settings.trial_tree, ground) {
            Some(cause) => Err(Refusal { step: "trial tree".to_owned(), cause }),
            None => Ok(ground),
        }
    }

    /// What is known of the ground, if somebody has asked.
    pub fn known_ground(&self) -> Option<&Ground> {
        self.ground.get()
    }

    /// A command that was started, by its id.
    pub fn task(&self, id: &str) -> Option<Arc<Task>> {
        self.lock().tasks.get(id).cloned()
    }

    /// The ids of all, in order.
    pub fn tasks(&self) -> Vec<String> {
        self.lock().tasks.keys().cloned().collect()
    }

    /// Starts a command. Once it is started it needs nobody to hear it.
    pub async fn start(self: &Arc<Self>, request: Request) -> Result<Arc<Task>, Refusal> {
        let begun = SystemTime::now();
        let number = {
            let mut state = self.lock();
            state.started += 1;
            state.started
        };
        let ground = match request.sandbox {
            Sandbox::Walled => self.ground_as_wanted().await?.clone(),
            Sandbox::Without => Ground {
                mode: TrialMode::Real,
                walls: WallKind::Open,
                filter: CallFilter::Off,
                why: Some("the sandbox was switched off for this command".to_owned()),
            },
        };
        self.hold().await.map_err(|error| failed("folder of the session", &error))?;
        let places =
            self.slots.take(&self.folder).map_err(|error| failed("folder of the command", &error))?;
        let order = self.order(&request, &ground, &places).await?;
        let process = Process::start(&self.settings.program, &order).await?;
        let saved = self.folder.join("tool-results").join(format!("{}.txt", request.id));
        let output = Output::new(self.settings.caps, Some(saved));
        let task = Arc::new(Task::new(format!("b{number}"), request.text, ground, output));
        self.lock().tasks.insert(task.id().to_owned(), task.clone());
        // The shell ends its commands when it is gone, so they must not keep it.
        let (shell, heard) = (Arc::downgrade(self), task.clone());
        tokio::spawn(async move {
            let stop = heard.stopping();
            let ended = process.hear(|bytes| heard.take(bytes), stop.cancelled()).await;
            match shell.upgrade() {
                Some(shell) => shell.over(&heard, ended, places, begun).await,
                None => heard.end(how(&heard, ended), Vec::new(), None),
            }
        });
        Ok(task)
    }

    /// Takes over the folder that a command ended in, if it lies in the workspace. Else the next one begins at the first
    /// root, which is given.
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

    /// Another command than this one still runs, on the same trees.
    pub fn another_runs(&self, task: &Task) -> bool {
        self.lock().tasks.values().any(|other| other.id() != task.id() && other.outcome().is_none())
    }

    /// Ends what still runs in the background, and gives it once what it changed is taken care of.
    pub async fn end_background(&self) -> Vec<Arc<Task>> {
        let in_background: Vec<Arc<Task>> =
            self.lock().tasks.values().filter(|task| task.is_in_background()).cloned().collect();
        let running: Vec<Arc<Task>> =
            in_background.iter().filter(|task| task.outcome().is_none()).cloned().collect();
        for task in &running {
            task.stop();
        }
        for task in &in_background {
            task.until_taken_care_of().await;
        }
        running
    }

    /// Ends everything that still runs.
    pub fn stop_all(&self) {
        for task in self.lock().tasks.values() {
            task.stop();
        }
    }

    /// Looks at what a command left, and lets everybody know that it is over.
    async fn over(&self, task: &Task, ended: Ended, places: Places, begun: SystemTime) {
        let has_run = !matches!(ended, Ended::Refused(_));
        let (changes, cwd) = if has_run {
            let (rule, told) = (self.settings.text, places.told_cwd());
            let looked = self.with_trees(move |trees| {
                let cwd = told.map(|cwd| trees.real_path(&cwd));
                Ok((trees.changes(rule, begun), cwd))
            });
            looked.await.unwrap_or_default()
        } else {
            (Vec::new(), None)
        };
        drop(places);
        task.end(how(task, ended), changes, cwd);
    }

    /// Makes the session's folder its own before the first command, and removes what sessions that are over left beside it.
    async fn hold(&self) -> io::Result<()> {
        let take = async {
            let folder = self.folder.clone();
            let taken = tokio::task::spawn_blocking({
                let folder = folder.clone();
                move || Lease::take(&folder)
            });
            let lease = taken.await.unwrap_or_else(|error| Err(io::Error::other(error)))?;
            // Nobody waits for it: it may take its time.
            tokio::task::spawn_blocking(move || folder.parent().map(lease::remove_left_over));
            Ok(lease)
        };
        self.lease.get_or_try_init(|| take).await.map(|_| ())
    }

    /// Puts what is pending into the trees, and says how the command is to be run on them.
    async fn order(&self, request: &Request, ground: &Ground, places: &Places) -> Result<Order, Refusal> {
        let (mode, roots) = (ground.mode, self.roots.clone());
        let views = match ground.walls {
            // A right on a folder is one on all that is in it: what must not be read there is not there.
            WallKind::Rights => without(&request.views, &request.hidden),
            WallKind::Namespaces | WallKind::Open => request.views.clone(),
        };
        let (folder, work, begin) = (self.folder.join("tree"), places.folder.clone(), self.cwd());
        let is_seen_at_its_place = ground.walls == WallKind::Namespaces;
        let put = self.with_trees(move |trees| {
            if mode == TrialMode::Real {
                return Ok((Vec::new(), Vec::new(), begin));
            }
            trees.begin(mode, &roots, &folder)?;
            trees.put(&views)?;
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
        let (run, argument) = if request.text.len() > LONGEST_ARGUMENT {
            let written = places.write_command(&request.text);
            let name = written.map_err(|error| failed("folder of the command", &error))?;
            (RUN_FILE, seen.join(name).into_string())
        } else {
            (RUN_ARGUMENT, request.text.clone())
        };
        let told = seen.join(&places.cwd);
        let script = format!("{BEFORE}{run}");
        let words = [SHELL, "-c", &script, SHELL, told.as_str(), &argument];
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
            }),
            WallKind::Rights => {
                let writable = [writable, copies, vec![places.temporary.clone()]].concat();
                Walls::Rights(Rights { writable, hidden, network })
            }
            WallKind::Open => Walls::Open,
        };
        let argv = words.map(str::to_owned).to_vec();
        Ok(Order { argv, cwd, environment, walls, filter: ground.filter, limits: self.settings.limits })
    }

    /// Works on the trees, one at a time, beside the threads that answer messages.
    async fn with_trees<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Trees) -> io::Result<T> + Send + 'static,
    ) -> io::Result<T> {
        let mut trees = self.trees.clone().lock_owned().await;
        let working = tokio::task::spawn_blocking(move || work(trees.get_or_insert_default()));
        working.await.unwrap_or_else(|error| Err(io::Error::other(error)))
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
    others.chain(hidden.iter().map(|path| FileView { path: path.clone(), bytes: None })).collect()
}

fn how(task: &Task, ended: Ended) -> How {
    match ended {
        Ended::Refused(refusal) => How::Refused(refusal),
        Ended::Exited(_) if task.is_flood() => How::Flood,
        Ended::Exited(_) if task.stopping().is_cancelled() => How::Stopped,
        Ended::Exited(exit) => How::Exited(exit),
    }
}

fn variables() -> impl Iterator<Item = (String, String)> {
    // What is no UTF-8 is nothing that a command needs.
    std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
}

fn failed(step: &str, error: &io::Error) -> Refusal {
    Refusal { step: step.to_owned(), cause: error.to_string() }
}
