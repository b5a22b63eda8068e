//! What a person, or a client in their name, changes of what is asked, together with an answer.

use super::behavior::{Behavior, Source};
use super::policy::{Policy, SettledRule};
use super::{PermissionMode, Rule};

/// One change of what is asked from then on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PermissionUpdate {
    pub what: Update,
    pub keep: Keep,
}

/// What is changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Update {
    /// The rules of this behaviour.
    Rules { how: How, behavior: Behavior, rules: Vec<Rule> },
    /// The session's mode.
    Mode(PermissionMode),
    /// Folders that count as if they were in the workspace: absolute, or from its first root.
    Folders { how: How, folders: Vec<String> },
}

/// What becomes of those that there were.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// They stay, and these come beside them.
    Add,
    /// In the place of all that the session was given so far of this kind.
    Replace,
    /// These go, of what the session was given.
    Remove,
}

/// For how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// Until the session ends.
    Session,
    /// In this file of settings.
    File(SettingsFile),
}

/// A file that rules are kept in for good.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SettingsFile {
    /// `~/.claude/settings.json`
    User,
    /// `.claude/settings.json`
    Project,
    /// `.claude/settings.local.json`
    Local,
}

impl Policy {
    /// Changes what the session was given. An error is text for a person: nothing was changed.
    pub fn change_rules(&mut self, how: How, behavior: Behavior, rules: &[Rule]) -> Result<(), String> {
        let starts = self.starts();
        let settled = |rule: &Rule| {
            SettledRule::new(behavior, rule.clone(), Source::Session, "given in this session", &starts)
        };
        let settled: Vec<SettledRule> = rules.iter().map(settled).collect::<Result<_, _>>()?;
        let is_given = |rule: &SettledRule| rule.source == Source::Session && rule.behavior == behavior;
        match how {
            How::Add => {}
            How::Replace => self.rules.retain(|rule| !is_given(rule)),
            How::Remove => {
                self.rules.retain(|rule| !is_given(rule) || !rules.contains(&rule.rule));
                return Ok(());
            }
        }
        self.rules.extend(settled);
        Ok(())
    }

    /// Folders that count as if they were in the workspace, for the session. An error is text for a person.
    pub fn change_folders(&mut self, how: How, folders: &[String]) -> Result<(), String> {
        let cwd = self.starts().cwd;
        let folders: Vec<_> = folders.iter().map(|folder| cwd.join(folder)).collect();
        if let Some(missing) = folders.iter().find(|folder| how != How::Remove && !folder.as_path().is_dir())
        {
            return Err(format!("There is no folder {missing}, so nothing in it was opened to the session."));
        }
        match how {
            How::Add => self.more_folders.extend(folders),
            How::Replace => self.more_folders = folders,
            How::Remove => self.more_folders.retain(|folder| !folders.contains(folder)),
        }
        Ok(())
    }
}
