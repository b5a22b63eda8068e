//! The rules that are written down: where they stand, what they say now, and a place for new ones.

mod saving;
mod trust;
mod written;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use camino::Utf8PathBuf;

use self::trust::Demands;
pub use self::written::{TrustBy, Written};

use super::behavior::{Behavior, Source};
use super::matching::{misspelt, unknown};
use super::settings::{self, Said};
use super::{PermissionMode, Rule, Starts};
use crate::documents::{AbsPath, PathCase};

/// Where rules are looked for, and what is said elsewhere.
#[derive(Clone, Debug)]
pub struct Places {
    /// The workspace's first root.
    pub root: Option<AbsPath>,
    pub home: Option<AbsPath>,
    pub case: PathCase,
    /// The file of whoever manages the machine.
    pub managed: Option<Utf8PathBuf>,
    /// Where it is kept which workspaces are trusted. Never in a workspace.
    pub trusted: Option<Utf8PathBuf>,
    /// From this program's own settings and its command line.
    pub own: OwnRules,
}

/// What this program's own configuration says.
#[derive(Clone, Debug, Default)]
pub struct OwnRules {
    pub rules: Vec<OwnRule>,
    pub mode: Option<PermissionMode>,
    pub more_folders: Vec<String>,
    /// Workspaces that are trusted by it.
    pub trusted: Vec<String>,
    /// What could not be read there and may have forbidden something.
    pub unread_denials: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnRule {
    pub behavior: Behavior,
    pub written: String,
    pub source: Source,
    /// Where it is written, for people.
    pub origin: String,
}

/// The file of whoever manages the machine, on Linux.
pub const MANAGED_FILE: &str = "/etc/claude-code/managed-settings.json";
const PROJECT_FILE: &str = ".claude/settings.json";
const LOCAL_FILE: &str = ".claude/settings.local.json";

/// All that is written down, read again when it has changed. Cheap to clone.
#[derive(Clone, Debug)]
pub struct RuleBook {
    places: Arc<Places>,
    read: Arc<Mutex<Option<Read>>>,
    /// What the person knows of what the workspace asks for.
    known: Arc<Mutex<Known>>,
}

#[derive(Debug, Default)]
struct Known {
    /// What they were told that waits for their trust.
    told: Demands,
    /// What there was when this process began to look: that is what a folder is trusted with whose name the person has
    /// written down.
    begun_with: Option<Demands>,
}

#[derive(Debug)]
struct Read {
    stamps: Vec<Option<Stamp>>,
    written: Arc<Written>,
}

/// What of the workspace's settings counts that needs trust.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Trust {
    None,
    /// What they asked for when the person said so.
    Given(Demands),
    /// The person has written the folder down: that, and what they asked for when this process began to look.
    AsItBegan(Demands),
}

/// What tells one state of a file from another.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Stamp {
    modified: Option<SystemTime>,
    length: u64,
}

impl RuleBook {
    pub fn new(places: Places) -> Self {
        Self { places: Arc::new(places), read: Arc::default(), known: Arc::default() }
    }

    /// Nothing is written, and nothing can be.
    pub fn empty() -> Self {
        Self::new(Places {
            root: None,
            home: None,
            case: PathCase::Sensitive,
            managed: None,
            trusted: None,
            own: OwnRules::default(),
        })
    }

    /// What is written now. Looks at four files, and reads them if one has changed.
    pub fn current(&self) -> Arc<Written> {
        let stamps: Vec<Option<Stamp>> = self.files().iter().map(|(path, _)| stamp(path)).collect();
        let mut read = self.lock();
        if let Some(known) = read.as_ref().filter(|known| known.stamps == stamps) {
            return known.written.clone();
        }
        let written = Arc::new(self.read_all());
        *read = Some(Read { stamps, written: written.clone() });
        written
    }

    /// Trusts this workspace from now on with what its settings ask for, or no longer. Of what waits, only that counts which
    /// the person was told of, if they were told of anything. An error is for the person.
    pub fn set_trust(&self, trusted: bool) -> Result<(), String> {
        let (Some(root), Some(file)) = (&self.places.root, &self.places.trusted) else {
            return Err("There is no folder that could be trusted.".to_owned());
        };
        let written = self.current();
        let told = std::mem::take(&mut self.known().told);
        let is_known = |demand: &&String| {
            told.is_empty() || told.contains(*demand) || !written.waiting_for_trust.contains(demand)
        };
        let demands =
            written.demands.iter().filter(is_known).map(|demand| trust::on_one_line(demand)).collect();
        trust::set(file, root, trusted.then_some(demands))?;
        *self.lock() = None;
        Ok(())
    }

    /// What of the workspace's settings does not count yet, in a sentence for the person; `None` if there is nothing that
    /// they were not told already.
    pub fn newly_waiting(&self, by: TrustBy) -> Option<String> {
        let written = self.current();
        let mut known = self.known();
        let waiting: Demands = written.waiting_for_trust.iter().cloned().collect();
        let is_new = !waiting.is_subset(&known.told);
        known.told = waiting;
        drop(known);
        written.waiting(by).filter(|_| is_new)
    }

    fn read_all(&self) -> Written {
        let mut managed_mode = None;
        let trust = self.trust();
        let mut all = Written { trusted: trust != Trust::None, ..Written::default() };
        let own = self.own();
        for (path, source) in self.files() {
            let Some(source) = source else { continue };
            let said = self.read_file(&path, source);
            all.files.push((path.clone(), said.is_some()));
            let Some(said) = said else { continue };
            if source == Source::Managed {
                managed_mode = said.mode;
            }
            self.take(&mut all, said, source, path.as_str(), &trust);
        }
        self.take(&mut all, own, Source::User, "the configuration", &trust);
        self.known().begun_with.get_or_insert_with(|| all.demands.iter().cloned().collect());
        // The command line stands above the files, but not above who manages the machine.
        all.mode = match (managed_mode, self.places.own.mode) {
            (Some(mode), _) | (None, Some(mode)) => Some(mode),
            (None, None) => all.mode,
        };
        all
    }

    /// In the order of precedence; the last is where trust is kept.
    fn files(&self) -> Vec<(Utf8PathBuf, Option<Source>)> {
        let places = &self.places;
        let below = |folder: &Option<AbsPath>, name: &str| {
            folder.as_ref().map(|it| it.join(name).as_path().to_owned())
        };
        let mut files = vec![
            (places.managed.clone(), Some(Source::Managed)),
            (below(&places.root, LOCAL_FILE), Some(Source::Local)),
            (below(&places.root, PROJECT_FILE), Some(Source::Project)),
        ];
        if places.home != places.root {
            files.push((below(&places.home, PROJECT_FILE), Some(Source::User)));
        }
        files.push((places.trusted.clone(), None));
        files.into_iter().filter_map(|(path, source)| Some((path?, source))).collect()
    }

    /// `None`: there is no such file.
    fn read_file(&self, path: &Utf8PathBuf, source: Source) -> Option<Said> {
        /// No settings are longer.
        const LONGEST: u64 = 1_000_000;
        let unread = |why: &str| {
            let mut said = Said::default();
            said.unread(format!("{path} can't be read, so nothing of it counts: {why}."));
            Some(said)
        };
        let metadata = match std::fs::metadata(path) {
            Ok(metadata) => metadata,
            Err(error)
                if matches!(
                    error.kind(),
                    std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory
                ) =>
            {
                return None;
            }
            Err(error) => return unread(&error.to_string()),
        };
        if !metadata.is_file() || metadata.len() > LONGEST {
            return unread("it is no file of settings");
        }
        match std::fs::read_to_string(path) {
            Ok(text) => Some(settings::read(&text, source, path.as_str(), &self.starts(source))),
            Err(error) => unread(&error.to_string()),
        }
    }

    fn own(&self) -> Said {
        let own = &self.places.own;
        // On the command line a folder starts where the command does.
        let cwd = self.starts(Source::CommandLine).cwd;
        let folders = own.more_folders.iter().map(|written| self.folder(written, &cwd).to_string());
        let mut said = Said { more_folders: folders.collect(), ..Said::default() };
        for rule in &own.rules {
            said.rule(&rule.written, rule.behavior, rule.source, &rule.origin, &self.starts(rule.source));
            // This file is nobody else's, so a tool that is none here is none anywhere.
            let tool = Rule::parse(&rule.written).ok().map(|rule| rule.tool);
            let nowhere = tool.filter(|tool| misspelt(tool).is_none()).and_then(|tool| unknown(&tool));
            said.problems.extend(nowhere.map(|why| format!("{}: `{}`: {why}.", rule.origin, rule.written)));
        }
        // The configuration itself says what is wrong with it.
        said.unread_denials.extend(own.unread_denials.iter().cloned());
        said
    }

    /// Joins what one place says to the rest; what a workspace may not say before it is trusted waits.
    fn take(&self, all: &mut Written, said: Said, source: Source, origin: &str, trust: &Trust) {
        // Whoever made the folder may have put the local file there too.
        let is_of_workspace = matches!(source, Source::Project | Source::Local);
        let counts = |all: &mut Written, demand: String| {
            let counts = !is_of_workspace || self.counts(&demand, trust);
            if is_of_workspace {
                all.demands.push(demand.clone());
            }
            if !counts {
                all.waiting_for_trust.push(demand);
            }
            counts
        };
        for rule in said.rules {
            if rule.behavior != Behavior::Allow || counts(all, allowing(&rule.rule)) {
                all.rules.push(rule);
            }
        }
        all.problems.extend(said.problems);
        all.unread_denials.extend(said.unread_denials);
        let Starts { settings: base, .. } = self.starts(source);
        for written in &said.more_folders {
            let folder = self.folder(written, &base);
            if counts(all, format!("the folder {folder}")) {
                all.more_folders.push(folder);
            }
        }
        if let Some(mode) = said.mode {
            let strict =
                matches!(mode, PermissionMode::Default | PermissionMode::Plan | PermissionMode::DontAsk);
            if is_of_workspace && mode == PermissionMode::BypassPermissions {
                all.problems.push(format!(
                    "{origin}: a workspace can't have permissions bypassed, so it does not count."
                ));
            } else if strict || counts(all, format!("the mode {}", mode.name())) {
                all.mode = all.mode.or(Some(mode));
            }
        }
        if said.forbids_bypass && all.forbids_bypass.is_none() {
            all.forbids_bypass = Some(origin.to_owned());
        }
    }

    fn folder(&self, written: &str, base: &AbsPath) -> AbsPath {
        match (written.strip_prefix("~/"), &self.places.home) {
            (Some(rest), Some(home)) => home.join(rest),
            _ => base.join(written),
        }
    }

    fn starts(&self, source: Source) -> Starts {
        let places = &self.places;
        let cwd = places.root.clone().unwrap_or_else(AbsPath::root);
        let settings = match source {
            Source::User => places.home.as_ref().map(|home| home.join(".claude")),
            Source::Managed => Some(AbsPath::root()),
            Source::CommandLine | Source::Session | Source::Local | Source::Project => None,
        };
        Starts {
            settings: settings.unwrap_or_else(|| cwd.clone()),
            cwd,
            home: places.home.clone(),
            case: places.case,
        }
    }

    fn trust(&self) -> Trust {
        let places = &self.places;
        let Some(root) = &places.root else { return Trust::None };
        let given = places.trusted.as_ref().and_then(|file| trust::of(file, root));
        let written = places.own.trusted.iter().map(|written| self.folder(written, root));
        match (trust::covers(written, root), given) {
            (true, given) => Trust::AsItBegan(given.unwrap_or_default()),
            (false, Some(given)) => Trust::Given(given),
            (false, None) => Trust::None,
        }
    }

    fn counts(&self, demand: &str, trust: &Trust) -> bool {
        match trust {
            Trust::None => false,
            Trust::Given(given) => given.contains(&trust::on_one_line(demand)),
            Trust::AsItBegan(given) => {
                given.contains(&trust::on_one_line(demand))
                    || self.known().begun_with.as_ref().is_none_or(|begun_with| begun_with.contains(demand))
            }
        }
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock(&self) -> MutexGuard<'_, Option<Read>> {
        self.read.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a rule that allows something is as a demand.
fn allowing(rule: &Rule) -> String {
    format!("allow {rule}")
}

fn stamp(path: &Utf8PathBuf) -> Option<Stamp> {
    let metadata = std::fs::metadata(path).ok()?;
    Some(Stamp { modified: metadata.modified().ok(), length: metadata.len() })
}

#[cfg(test)]
mod tests;
