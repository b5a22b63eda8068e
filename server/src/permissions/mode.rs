//! The permission mode of a session: how much is asked.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// How calls are judged that no deny and no ask rule speaks of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PermissionMode {
    /// What no rule allows is asked.
    #[default]
    Default,
    /// The agent's changes to files of the workspace are accepted as they come.
    AcceptEdits,
    /// Nothing but reading, and writing the plan.
    Plan,
    /// What would be asked is denied.
    DontAsk,
    /// Nothing is asked but what a rule says to ask; what a rule denies stays denied.
    BypassPermissions,
}

impl PermissionMode {
    pub const ALL: [Self; 5] =
        [Self::Default, Self::AcceptEdits, Self::Plan, Self::DontAsk, Self::BypassPermissions];

    /// As settings and the protocol write it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::AcceptEdits => "acceptEdits",
            Self::Plan => "plan",
            Self::DontAsk => "dontAsk",
            Self::BypassPermissions => "bypassPermissions",
        }
    }

    /// The mode that `written` names.
    pub fn named(written: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mode| mode.name() == written)
    }
}

/// The mode of one session. Cheap to clone; every clone is the same mode.
#[derive(Clone, Debug)]
pub struct SessionMode {
    inner: Arc<Mutex<Inner>>,
}

#[derive(Debug)]
struct Inner {
    now: PermissionMode,
    /// What the plan mode took the place of.
    before_plan: PermissionMode,
    /// Why bypassing can't be switched on; `None`: it can.
    no_bypass: Option<String>,
}

impl SessionMode {
    /// `no_bypass`: why this session must not bypass permissions; `None` if it was started with the leave to.
    pub fn new(mode: PermissionMode, no_bypass: Option<String>) -> Self {
        let before_plan = if mode == PermissionMode::Plan { PermissionMode::Default } else { mode };
        Self { inner: Arc::new(Mutex::new(Inner { now: mode, before_plan, no_bypass })) }
    }

    pub fn get(&self) -> PermissionMode {
        self.lock().now
    }

    /// Changes the mode. An error is text for a person.
    pub fn set(&self, mode: PermissionMode) -> Result<(), String> {
        let mut inner = self.lock();
        if mode == PermissionMode::BypassPermissions
            && let Some(why) = &inner.no_bypass
        {
            return Err(why.clone());
        }
        if mode == PermissionMode::Plan && inner.now != PermissionMode::Plan {
            inner.before_plan = inner.now;
        }
        inner.now = mode;
        Ok(())
    }

    /// Goes back to the mode before planning, and says which. Outside of planning, nothing changes.
    pub fn leave_plan(&self) -> PermissionMode {
        let mut inner = self.lock();
        if inner.now == PermissionMode::Plan {
            inner.now = inner.before_plan;
        }
        inner.now
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for SessionMode {
    fn default() -> Self {
        Self::new(PermissionMode::Default, Some(NOT_STARTED_WITH_IT.to_owned()))
    }
}

/// How the sessions of this process begin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Beginning {
    pub mode: PermissionMode,
    /// Why no session may bypass permissions; `None`: they may.
    pub no_bypass: Option<String>,
}

impl Beginning {
    /// In the mode that is `wanted`, unless bypassing is wanted and must not be: `forbidden_by` names the settings that
    /// say so, `unconfined_root` that the process may do anything to the machine.
    pub fn new(wanted: Option<PermissionMode>, forbidden_by: Option<&str>, unconfined_root: bool) -> Self {
        let wanted = wanted.unwrap_or_default();
        if wanted != PermissionMode::BypassPermissions {
            return Self { mode: wanted, no_bypass: Some(NOT_STARTED_WITH_IT.to_owned()) };
        }
        let no_bypass = match forbidden_by {
            Some(settings) => Some(format!("Permissions can't be bypassed: {settings} forbids it.")),
            None if unconfined_root => Some(
                "Permissions can't be bypassed as root outside of a container: start copydesk as another user.".to_owned(),
            ),
            None => None,
        };
        let mode = if no_bypass.is_some() { PermissionMode::Default } else { wanted };
        Self { mode, no_bypass }
    }
}

/// Why a session can't begin to bypass permissions in its midst.
pub const NOT_STARTED_WITH_IT: &str = "Permissions can be bypassed only in a session that was started with `--permission-mode bypassPermissions`.";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mode_is_found_by_its_name() {
        for mode in PermissionMode::ALL {
            assert_eq!(PermissionMode::named(mode.name()), Some(mode));
        }
        assert_eq!(PermissionMode::named("auto"), None);
    }

    #[test]
    fn bypassing_needs_leave_from_the_start() {
        let refused = SessionMode::default();
        assert_eq!(refused.set(PermissionMode::BypassPermissions), Err(NOT_STARTED_WITH_IT.to_owned()));
        assert_eq!(refused.get(), PermissionMode::Default);
        let allowed = SessionMode::new(PermissionMode::Default, None);
        assert_eq!(allowed.set(PermissionMode::BypassPermissions), Ok(()));
        assert_eq!(allowed.get(), PermissionMode::BypassPermissions);
    }

    #[test]
    fn bypassing_is_refused_by_settings_and_to_root() {
        let begun = |forbidden_by, root| {
            let beginning = Beginning::new(Some(PermissionMode::BypassPermissions), forbidden_by, root);
            (beginning.mode.name(), beginning.no_bypass.is_some())
        };
        assert_eq!(begun(None, false), ("bypassPermissions", false));
        assert_eq!(begun(None, true), ("default", true));
        assert_eq!(begun(Some("managed-settings.json"), false), ("default", true));
        let plan = Beginning::new(Some(PermissionMode::Plan), None, false);
        assert_eq!((plan.mode, plan.no_bypass.as_deref()), (PermissionMode::Plan, Some(NOT_STARTED_WITH_IT)));
    }

    #[test]
    fn planning_ends_in_the_mode_it_began_in() {
        let mode = SessionMode::new(PermissionMode::AcceptEdits, None);
        mode.set(PermissionMode::Plan).unwrap();
        mode.set(PermissionMode::Plan).unwrap();
        assert_eq!(mode.leave_plan(), PermissionMode::AcceptEdits);
        assert_eq!(mode.leave_plan(), PermissionMode::AcceptEdits);
        let planning = SessionMode::new(PermissionMode::Plan, None);
        assert_eq!(planning.leave_plan(), PermissionMode::Default);
    }
}
