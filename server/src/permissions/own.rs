//! What this process has of rules: its own configuration, the folders it works in, and who it runs as.

use std::path::PathBuf;

use camino::Utf8PathBuf;
use etcetera::BaseStrategy as _;

use super::PermissionMode;
use super::behavior::{Behavior, Source};
use super::book::{MANAGED_FILE, OwnRule, OwnRules, Places};
use crate::config::{Origin, PermissionSettings};
use crate::documents::{AbsPath, PathCase};

impl Places {
    /// This process's, in a workspace with this first root.
    pub fn of_process(root: Option<AbsPath>, settings: &PermissionSettings) -> Self {
        let absolute = |path: PathBuf| AbsPath::new(Utf8PathBuf::from_path_buf(path).ok()?);
        let state = etcetera::choose_base_strategy()
            .ok()
            .map(|strategy| strategy.state_dir().unwrap_or_else(|| strategy.data_dir()))
            .and_then(|folder| Utf8PathBuf::from_path_buf(folder).ok());
        Self {
            root,
            home: etcetera::home_dir().ok().and_then(absolute),
            case: PathCase::usual(),
            managed: Some(Utf8PathBuf::from(MANAGED_FILE)),
            trusted: state.map(|folder| folder.join("copydesk").join("trusted-folders")),
            own: OwnRules::of(settings),
        }
    }
}

impl OwnRules {
    pub fn of(settings: &PermissionSettings) -> Self {
        let lists = [
            (Behavior::Deny, &settings.deny),
            (Behavior::Ask, &settings.ask),
            (Behavior::Allow, &settings.allow),
        ];
        let rules = lists.into_iter().flat_map(|(behavior, rules)| {
            rules.iter().map(move |rule| OwnRule {
                behavior,
                written: rule.value.clone(),
                source: source(&rule.origin),
                origin: rule.origin.to_string(),
            })
        });
        let texts =
            |list: &[crate::config::Setting<String>]| list.iter().map(|text| text.value.clone()).collect();
        Self {
            rules: rules.collect(),
            mode: settings.mode.value.and_then(PermissionMode::named),
            more_folders: texts(&settings.more_folders),
            trusted: texts(&settings.trusted_folders),
            unread_denials: settings.unread.clone(),
        }
    }
}

/// Whether this process may do anything to the machine: root, and in no container.
pub fn is_unconfined_root() -> bool {
    #[cfg(unix)]
    let is_root = rustix::process::geteuid().is_root();
    #[cfg(not(unix))]
    let is_root = false;
    let marks = ["/.dockerenv", "/run/.containerenv"];
    let in_container = std::env::var_os("IS_SANDBOX").is_some_and(|value| value == "1")
        || marks.iter().any(|mark| std::path::Path::new(mark).exists());
    is_root && !in_container
}

const fn source(origin: &Origin) -> Source {
    match origin {
        Origin::CommandLine { .. } => Source::CommandLine,
        Origin::WorkspaceFile { .. } => Source::Project,
        Origin::Default | Origin::UserFile { .. } | Origin::Editor | Origin::Environment { .. } => {
            Source::User
        }
    }
}
