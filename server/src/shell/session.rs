//! The commands of one session: on its trial tree, in the sandbox, each a task of its own.

mod command_order;
mod lease;
mod places;

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use tokio::sync::OnceCell;

use self::lease::Lease;
use self::places::{Places, Slots, ToldIn};
use super::ground::{Best, Ground, WallKind, ground, not_as_wanted};
use super::order::{CallFilter, Limits, Network};
use super::output::{Caps, Output};
use super::process::{Ended, Process};
use super::task::{How, Task};
use super::trial_tree::{FileView, TextRule, TreeChange, Trees, led_by, outer};
use super::{Refusal, TrialMode};
use crate::config::{CommandNumber, TrialTreeChoice};

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
        let milliseconds = |number: CommandNumber| Duration::from_millis(number.usual());
        Self {
            usual: milliseconds(CommandNumber::DefaultTimeout),
            longest: milliseconds(CommandNumber::LongestTimeout),
        }
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
    lease: OnceCell<Arc<Lease>>,
    slots: Slots,
    trees: Arc<tokio::sync::Mutex<Option<Trees>>>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    cwd: Option<Utf8PathBuf>,
    started: u64,
    tasks: BTreeMap<String, Arc<Task>>,
    notices: Vec<Notice>,
}

/// What came of commands that nobody waits for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Notice {
    /// For the model.
    pub text: String,
    /// For the person.
    pub notes: Vec<String>,
}

/// The trial trees of the session, below its folder.
const TREE: &str = "tree";

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

    /// Where `path` leads by links that commands have made in the trial tree; `None`: through none of them.
    pub fn led_by_links(&self, path: &Utf8Path) -> Option<Utf8PathBuf> {
        led_by(path, &self.roots, &self.folder.join(TREE))
    }

    /// The folder for what commands made and somebody has yet to decide on. It goes with the trial tree.
    pub fn keeping_folder(&self) -> Utf8PathBuf {
        self.folder.join(TREE).join("kept")
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
        let told_in = match ground.walls {
            WallKind::Namespaces | WallKind::Rights => ToldIn::Temporary,
            WallKind::Open => ToldIn::Own,
        };
        let places = self.slots.take(&self.folder, told_in);
        let places = places.map_err(|error| failed("folder of the command", &error))?;
        let order = self.order(&request, &ground, &places).await?;
        let process = Process::start(&self.settings.program, &order).await?;
        let saved = self.folder.join("tool-results").join(format!("{}.txt", request.id));
        let output = Output::new(self.settings.caps, Some(saved));
        let task = Arc::new(Task::new(format!("b{number}"), (request.text, process.id()), ground, output));
        self.lock().tasks.insert(task.id().to_owned(), task.clone());
        // The shell ends its commands when it is gone, so they must not keep it.
        let (shell, heard) = (Arc::downgrade(self), task.clone());
        tokio::spawn(async move {
            let stop = heard.stopping();
            let ended = process.hear(|bytes| heard.take(bytes), stop.cancelled()).await;
            match shell.upgrade() {
                Some(shell) => shell.over(&heard, ended, places).await,
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

    /// Told before the model's next request.
    pub fn notice(&self, notice: Notice) {
        self.lock().notices.push(notice);
    }

    /// What was noted since the last time.
    pub fn take_notices(&self) -> Vec<Notice> {
        std::mem::take(&mut self.lock().notices)
    }

    /// Another command than this one still runs, on the same trees.
    pub fn another_runs(&self, task: &Task) -> bool {
        self.lock().tasks.values().any(|other| other.id() != task.id() && other.outcome().is_none())
    }

    /// What commands in the background have changed since somebody looked, and which of them still run. What those changed
    /// that have ended is taken care of first.
    pub async fn unseen(&self) -> (Vec<Arc<Task>>, Vec<TreeChange>) {
        let in_background = self.in_background();
        let (running, over): (Vec<_>, Vec<_>) =
            in_background.into_iter().partition(|task| task.outcome().is_none());
        for task in over {
            task.until_taken_care_of().await;
        }
        if running.is_empty() {
            return (running, Vec::new());
        }
        let rule = self.settings.text;
        let changes = self.with_trees(move |trees| Ok(trees.changes(rule))).await.unwrap_or_default();
        (running, changes)
    }

    /// Ends what still runs in the background, and gives it once what it changed is taken care of.
    pub async fn end_background(&self) -> Vec<Arc<Task>> {
        let in_background = self.in_background();
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

    /// Ends what runs in the background, and removes the trial trees and what else only commands need, since the program is
    /// about to end. While a command still runs nothing is removed: that is left to the next program.
    pub async fn leave(&self) {
        self.end_background().await;
        let Ok(trees) = self.trees.clone().try_lock_owned() else { return };
        let Some(lease) = self.lease.get().cloned() else { return };
        if self.lock().tasks.values().any(|task| task.outcome().is_none()) {
            return;
        }
        let folder = self.folder.clone();
        let removing = tokio::task::spawn_blocking(move || {
            lease.remove(&folder);
            drop(trees);
        });
        if let Err(error) = removing.await {
            tracing::debug!(%error, "what the session left stays");
        }
    }

    /// Ends everything that still runs.
    pub fn stop_all(&self) {
        for task in self.lock().tasks.values() {
            task.stop();
        }
    }

    /// Looks at what a command left, and lets everybody know that it is over.
    async fn over(&self, task: &Task, ended: Ended, places: Places) {
        let has_run = !matches!(ended, Ended::Refused(_));
        let (changes, cwd) = if has_run {
            let (rule, told) = (self.settings.text, places.told_cwd());
            let looked = self.with_trees(move |trees| {
                let cwd = told.map(|cwd| trees.real_path(&cwd));
                Ok((trees.changes(rule), cwd))
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
            Ok(Arc::new(lease))
        };
        self.lease.get_or_try_init(|| take).await.map(|_| ())
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

    fn in_background(&self) -> Vec<Arc<Task>> {
        self.lock().tasks.values().filter(|task| task.is_in_background()).cloned().collect()
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

fn how(task: &Task, ended: Ended) -> How {
    match ended {
        Ended::Refused(refusal) => How::Refused(refusal),
        Ended::Exited(_) if task.is_flood() => How::Flood,
        Ended::Exited(_) if task.stopping().is_cancelled() => How::Stopped,
        Ended::Exited(exit) => How::Exited(exit),
    }
}

fn failed(step: &str, error: &io::Error) -> Refusal {
    Refusal { step: step.to_owned(), cause: error.to_string() }
}
