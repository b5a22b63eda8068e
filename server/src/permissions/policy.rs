//! All that calls are judged by: the rules with where they came from, the mode, and the folders that are open.

use std::sync::Arc;

use super::matching::Subject;
use super::{Call, PermissionMode, Rule, Starts};
use crate::documents::{AbsPath, Workspace};

/// What a rule says of a call it matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Behavior {
    Deny,
    Ask,
    Allow,
}

/// Where a rule came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Source {
    /// The file of whoever manages the machine.
    Managed,
    CommandLine,
    /// What the person granted in this session.
    Session,
    /// `.claude/settings.local.json`
    Local,
    /// `.claude/settings.json` and `.copydesk/config.toml`: part of the workspace, so its allow rules need trust.
    Project,
    /// `~/.claude/settings.json` and the user's own configuration.
    User,
}

/// A rule that is in force.
#[derive(Clone, Debug)]
pub struct SettledRule {
    pub behavior: Behavior,
    pub rule: Rule,
    pub source: Source,
    /// Where it is written, for people.
    pub origin: String,
    subject: Subject,
}

impl SettledRule {
    /// An error says why the rule can't be followed.
    pub fn new(
        behavior: Behavior,
        rule: Rule,
        source: Source,
        origin: impl Into<String>,
        starts: &Starts,
    ) -> Result<Self, String> {
        let subject = Subject::of(&rule, behavior, starts)?;
        Ok(Self { behavior, rule, source, origin: origin.into(), subject })
    }
}

/// All that a call is judged by.
#[derive(Clone, Debug)]
pub struct Policy {
    pub mode: PermissionMode,
    pub rules: Vec<SettledRule>,
    pub workspace: Arc<Workspace>,
    pub home: Option<AbsPath>,
    /// Why it is not known what is forbidden: rules and files that can't be read. What would be allowed is asked then.
    pub unread_denials: Vec<String>,
}

impl Policy {
    /// No rules, in the default mode.
    pub fn of(workspace: Arc<Workspace>) -> Self {
        Self {
            mode: PermissionMode::Default,
            rules: Vec::new(),
            workspace,
            home: None,
            unread_denials: Vec::new(),
        }
    }

    /// Allows what `rules` say until the session ends.
    pub fn grant(&mut self, rules: Vec<Rule>) {
        let starts = self.starts();
        let granted = |rule: Rule| {
            SettledRule::new(Behavior::Allow, rule, Source::Session, "granted in this session", &starts).ok()
        };
        let rules: Vec<_> = rules.into_iter().filter_map(granted).collect();
        self.rules.extend(rules);
    }

    /// Where patterns for files start in a rule that belongs to the session.
    pub fn starts(&self) -> Starts {
        let root = self.workspace.roots.first().cloned().unwrap_or_else(AbsPath::root);
        Starts { settings: root.clone(), cwd: root, home: self.home.clone(), case: self.workspace.case() }
    }

    /// Whether every call of the tool that has these names is denied, so that a model need not be told of it.
    pub fn denies_whole(&self, tool: &str, aliases: &[&str]) -> bool {
        self.rules.iter().any(|settled| {
            settled.behavior == Behavior::Deny
                && settled.rule.spec.is_none()
                && (settled.rule.tool == tool || aliases.contains(&settled.rule.tool.as_str()))
        })
    }

    /// The first rule of this behaviour that matches `call`.
    pub(super) fn matching(&self, behavior: Behavior, call: &Call) -> Option<&SettledRule> {
        self.rules
            .iter()
            .filter(|settled| settled.behavior == behavior)
            .find(|settled| settled.subject.matches(settled.behavior, call))
    }
}
