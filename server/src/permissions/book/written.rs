//! What is written down, all places together.

use camino::Utf8PathBuf;

use crate::documents::AbsPath;
use crate::permissions::{PermissionMode, Policy, SettledRule};

/// What all places say together.
#[derive(Clone, Debug, Default)]
pub struct Written {
    pub rules: Vec<SettledRule>,
    /// What can't be read, for the person.
    pub problems: Vec<String>,
    pub unread_denials: Vec<String>,
    /// The mode a session begins in.
    pub mode: Option<PermissionMode>,
    pub more_folders: Vec<AbsPath>,
    /// Permissions must not be bypassed: who says so.
    pub forbids_bypass: Option<String>,
    /// The person trusts the folder with what its settings asked for then.
    pub trusted: bool,
    /// What of the workspace's settings does not count as long as it is not trusted.
    pub waiting_for_trust: Vec<String>,
    /// All that they ask for which needs trust, whether or not they have it.
    pub(super) demands: Vec<String>,
    /// The files that were looked for, and whether they are there.
    pub files: Vec<(Utf8PathBuf, bool)>,
}

/// How the person can trust a folder from where they are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TrustBy {
    /// In an editor.
    #[default]
    Command,
    /// At a terminal.
    Flag,
}

impl TrustBy {
    /// What does it, in a word.
    pub(in crate::permissions) const fn word(self) -> &'static str {
        match self {
            Self::Command => "`copydesk.trust`",
            Self::Flag => "`--trust`",
        }
    }
}

impl Written {
    /// What of the workspace's settings does not count yet, in a sentence for the person; `None`: nothing.
    pub fn waiting(&self, by: TrustBy) -> Option<String> {
        let how = match by {
            TrustBy::Command => {
                "choose \"Trust this folder\" in the menu of code actions, or run `copydesk.trust`"
            }
            TrustBy::Flag => {
                "add `--trust`, as in `copydesk run --trust \"…\"`, or for good name it in `permissions.trusted_folders` of \
                 your config.toml"
            }
        };
        let demands = self.waiting_for_trust.join(", ");
        match (self.waiting_for_trust.is_empty(), self.trusted) {
            (true, _) => None,
            (false, false) => Some(format!(
                "the settings of this folder ask for what does not count until you trust it: {demands}. To trust it, {how}."
            )),
            (false, true) => Some(format!(
                "the settings of this folder have changed since you trusted it, and ask for what does not count until you \
                 trust it again: {demands}. For that, {how}."
            )),
        }
    }

    /// `policy` with all that is written.
    pub fn policy(&self, policy: Policy) -> Policy {
        let (mut rules, mut more_folders) = (self.rules.clone(), self.more_folders.clone());
        rules.extend(policy.rules);
        more_folders.extend(policy.more_folders);
        Policy { rules, more_folders, unread_denials: self.unread_denials.clone(), ..policy }
    }
}
