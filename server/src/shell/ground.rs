//! What this machine lets a command run on, and behind which walls: found out by trying.

use std::fs;
use std::path::PathBuf;

use camino::{Utf8Path, Utf8PathBuf};

use super::order::{CallFilter, Exit, FILTER, Limits, Namespaces, Network, Order, Rights, Tree, Walls};
use super::process::{Ended, Process};
use super::{Refusal, TrialMode};
use crate::config::TrialTreeChoice;

/// What commands run on here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ground {
    pub mode: TrialMode,
    pub walls: WallKind,
    /// Off without walls, and where the kernel or this program has none.
    pub filter: CallFilter,
    /// Why it is no better; `None`: there is nothing better.
    pub why: Option<String>,
}

impl Ground {
    /// Whether a command here can get at the files themselves.
    pub fn is_exposed(&self) -> bool {
        matches!(self.mode, TrialMode::Direct | TrialMode::Real) || self.walls == WallKind::Open
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WallKind {
    /// A file system, processes and a network of the command's own.
    Namespaces,
    /// Rights on files alone.
    Rights,
    /// None: this system has neither.
    Open,
}

/// The best that is tried: less than all, by setting or for a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Best {
    pub mode: TrialMode,
    pub walls: WallKind,
}

impl Best {
    pub const ALL: Self = Self { mode: TrialMode::Overlay, walls: WallKind::Namespaces };

    /// What the setting `shell.trial_tree` leaves.
    pub const fn of(choice: TrialTreeChoice) -> Self {
        match choice {
            TrialTreeChoice::Auto | TrialTreeChoice::Overlay => Self::ALL,
            TrialTreeChoice::Copy => Self { mode: TrialMode::Copy, ..Self::ALL },
            TrialTreeChoice::Direct => Self { mode: TrialMode::Direct, ..Self::ALL },
        }
    }
}

/// Why commands don't run here at all, though they could: the setting wants an overlay and nothing less.
pub fn not_as_wanted(choice: TrialTreeChoice, ground: &Ground) -> Option<String> {
    let wanted = match choice {
        TrialTreeChoice::Auto | TrialTreeChoice::Copy | TrialTreeChoice::Direct => return None,
        TrialTreeChoice::Overlay => TrialMode::Overlay,
    };
    (ground.mode != wanted).then(|| {
        let why = ground.why.as_deref().unwrap_or("no reason is known");
        format!(
            "`shell.trial_tree` is \"{}\", which can't be had here: {why}. With \"auto\" commands run on the next best, \
             which is \"{}\"",
            choice.name(),
            ground.mode.name()
        )
    })
}

/// Tries them, the best first, in the empty folder `folder`, for a workspace of these roots.
pub async fn ground(program: &PathBuf, folder: &Utf8Path, roots: &[Utf8PathBuf], best: Best) -> Ground {
    let mut why = Vec::new();
    if best.walls == WallKind::Namespaces {
        if best.mode == TrialMode::Overlay {
            match attempt(program, folder, &Try::Overlay(roots)).await {
                Ok(lacking) => return found(TrialMode::Overlay, WallKind::Namespaces, lacking, why),
                Err(refusal) => why.push(format!("no overlay ({refusal})")),
            }
        }
        match attempt(program, folder, &Try::Namespaces).await {
            Ok(lacking) => return found(copy_at_most(best), WallKind::Namespaces, lacking, why),
            Err(refusal) => why.push(format!("no namespaces ({refusal})")),
        }
    }
    if best.walls != WallKind::Open {
        match attempt(program, folder, &Try::Rights).await {
            Ok(lacking) => return found(copy_at_most(best), WallKind::Rights, lacking, why),
            Err(refusal) => why.push(format!("no Landlock ({refusal})")),
        }
    }
    let (mode, walls, filter) = (copy_at_most(best), WallKind::Open, CallFilter::Off);
    Ground { mode, walls, filter, why: reasons(&why) }
}

/// `lacking`: why there is no filter of system calls.
fn found(mode: TrialMode, walls: WallKind, lacking: Option<Refusal>, mut why: Vec<String>) -> Ground {
    let filter = if lacking.is_none() { CallFilter::On } else { CallFilter::Off };
    why.extend(lacking.map(|refusal| format!("no filter of system calls ({})", refusal.cause)));
    Ground { mode, walls, filter, why: reasons(&why) }
}

enum Try<'r> {
    /// Over each of these, whose file systems may refuse it.
    Overlay(&'r [Utf8PathBuf]),
    Namespaces,
    Rights,
}

fn copy_at_most(best: Best) -> TrialMode {
    match best.mode {
        TrialMode::Overlay | TrialMode::Copy => TrialMode::Copy,
        TrialMode::Direct | TrialMode::Real => TrialMode::Direct,
    }
}

fn reasons(why: &[String]) -> Option<String> {
    (!why.is_empty()).then(|| why.join(", "))
}

/// With the filter of system calls, or without it if that is all that can't be had: the answer says why then.
async fn attempt(program: &PathBuf, folder: &Utf8Path, what: &Try<'_>) -> Result<Option<Refusal>, Refusal> {
    match try_out(program, folder, what, CallFilter::On).await {
        Ok(()) => Ok(None),
        Err(lacking) if lacking.step == FILTER => {
            try_out(program, folder, what, CallFilter::Off).await.map(|()| Some(lacking))
        }
        Err(refusal) => Err(refusal),
    }
}

async fn try_out(
    program: &PathBuf,
    folder: &Utf8Path,
    what: &Try<'_>,
    filter: CallFilter,
) -> Result<(), Refusal> {
    let failed = |error: std::io::Error| Refusal { step: "folder".to_owned(), cause: error.to_string() };
    let [lower, upper, work, temporary, scratch] =
        ["lower", "upper", "work", "tmp", "scratch"].map(|name| folder.join(name));
    for made in [&lower, &upper, &work, &temporary, &scratch] {
        fs::create_dir_all(made).map_err(failed)?;
    }
    let spaces = |trees| {
        Walls::Namespaces(Namespaces {
            trees,
            temporary: temporary.clone(),
            scratch: scratch.clone(),
            hidden: Vec::new(),
            writable: Vec::new(),
            network: Network::None,
            running: None,
            neighbour: None,
        })
    };
    let walls = match what {
        Try::Overlay(roots) => {
            let over = |(number, at): (usize, &Utf8PathBuf)| {
                let [upper, work] = [&upper, &work].map(|made| made.join(number.to_string()));
                fs::create_dir_all(&upper).and_then(|()| fs::create_dir_all(&work)).map_err(failed)?;
                Ok(Tree::Overlay { at: at.clone(), upper, work })
            };
            let trees = std::iter::once(&lower).chain(*roots).enumerate().map(over);
            spaces(trees.collect::<Result<_, Refusal>>()?)
        }
        Try::Namespaces => spaces(vec![Tree::Copy { at: lower, copy: upper }]),
        Try::Rights => {
            Walls::Rights(Rights { writable: vec![upper], hidden: Vec::new(), network: Network::None })
        }
    };
    let order = Order {
        // Nothing: a program could be missing where the walls are not.
        argv: Vec::new(),
        cwd: "/".into(),
        environment: Vec::new(),
        walls,
        filter,
        limits: Limits::default(),
    };
    match Process::start(program, &order).await?.hear(|_| {}, std::future::pending()).await {
        Ended::Exited(Exit::Code(0)) => Ok(()),
        Ended::Exited(exit) => {
            Err(Refusal { step: "try".to_owned(), cause: format!("exit code {}", exit.code()) })
        }
        Ended::Refused(refusal) => Err(refusal),
    }
}
