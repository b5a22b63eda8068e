//! Which calls a rule is about, tool by tool.

use super::paths::{PathSpec, Starts};
use super::{Access, Behavior, Call, Rule};
use crate::documents::AbsPath;

/// What one rule speaks of.
#[derive(Clone, Debug)]
pub(super) enum Subject {
    /// Every call of the tool.
    Tool(String),
    /// Reading these files.
    Read(PathSpec),
    /// Changing these files.
    Edit(PathSpec),
    /// A command that is written so.
    Command(String),
}

impl Subject {
    pub(super) fn of(rule: &Rule, behavior: Behavior, starts: &Starts) -> Result<Self, String> {
        let Some(spec) = &rule.spec else { return Ok(Self::Tool(rule.tool.clone())) };
        match rule.tool.as_str() {
            "Read" | "Grep" | "Glob" | "LSP" => Ok(Self::Read(PathSpec::new(spec, behavior, starts)?)),
            "Edit" | "Write" | "NotebookEdit" => Ok(Self::Edit(PathSpec::new(spec, behavior, starts)?)),
            "Bash" => Ok(Self::Command(spec.clone())),
            tool => Err(format!("`{tool}` has no such rules")),
        }
    }

    pub(super) fn matches(&self, behavior: Behavior, call: &Call) -> bool {
        match (self, &call.access) {
            (Self::Tool(tool), _) => call.is_named(tool),
            // What must not be read must not be changed either: the change would show it. Leave to change is leave to read.
            (Self::Read(spec), Access::Read(paths)) | (Self::Edit(spec), Access::Edit(paths)) => {
                covers(spec, behavior, paths)
            }
            (Self::Read(spec), Access::Edit(paths)) => {
                behavior == Behavior::Deny && covers(spec, behavior, paths)
            }
            (Self::Edit(spec), Access::Read(paths)) => {
                behavior == Behavior::Allow && covers(spec, behavior, paths)
            }
            (Self::Command(spec), Access::Command { text, .. }) => spec == text,
            (Self::Read(_) | Self::Edit(_) | Self::Command(_), _) => false,
        }
    }
}

/// An allow rule must cover every path, and another any of them.
fn covers(spec: &PathSpec, behavior: Behavior, paths: &[AbsPath]) -> bool {
    match behavior {
        Behavior::Allow => !paths.is_empty() && paths.iter().all(|path| spec.covers(path)),
        Behavior::Deny | Behavior::Ask => paths.iter().any(|path| spec.covers(path)),
    }
}
