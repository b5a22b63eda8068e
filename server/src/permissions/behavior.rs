//! What a rule says of a call, and whose word it is.

/// What a rule says of a call it matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Behavior {
    Deny,
    Ask,
    Allow,
}

impl Behavior {
    /// The list of `permissions` in a file of settings that holds such rules.
    pub const fn list(self) -> &'static str {
        match self {
            Self::Deny => "deny",
            Self::Ask => "ask",
            Self::Allow => "allow",
        }
    }
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
    /// `.claude/settings.json`: part of the workspace, so its allow rules need trust.
    Project,
    /// `~/.claude/settings.json`, and the configuration of this program.
    User,
}
