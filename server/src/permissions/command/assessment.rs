//! What is known of a command line before it runs.

use super::suggestions;
use crate::documents::AbsPath;
use crate::permissions::read_only::Shows;

/// What a command line would do. It runs without a question only if `ask` is empty and **every** part is read-only or allowed
/// by a rule; **any** part that a deny or ask rule speaks of decides for the whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assessment {
    pub parts: Vec<Part>,
    /// Why nothing but a person can allow it, in a sentence for the person.
    pub ask: Option<String>,
    /// Nothing is changed and no program is started but those of the read-only tables. What is read may still lie outside.
    pub read_only: bool,
    /// What the command reads, where it says so: of every part.
    pub reads: Vec<PathWord>,
    /// What the command writes: targets of redirections, and the operands of tools whose work is to change files.
    pub edits: Vec<PathWord>,
    /// Those of them that something else takes the place of, whatever they hold: targets of `>`, and of tools such as cp.
    pub replaces: Vec<PathWord>,
    /// Rules an "always" would save, whole (`Bash(cargo test:*)`), at most five. Empty if none would be wise.
    pub suggestions: Vec<String>,
    /// Why none would be, in a sentence for the person, where that does not show.
    pub unoffered: Option<String>,
}

/// One simple command of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// As it stands in the text.
    pub source: String,
    /// It changes nothing, redirections aside: no rule is needed to let it run, if what it reads may be read.
    pub read_only: bool,
    /// What it reads, where it says so.
    pub reads: Vec<PathWord>,
    pub(in crate::permissions) shows: Shows,
    /// The spellings an allow rule has to fit one of.
    pub(super) exact: Vec<String>,
    /// More spellings that a deny or ask rule may fit.
    pub(super) wider: Vec<String>,
    /// Only a rule that names the whole command allows it, since its arguments say what else runs.
    pub(super) whole_only: bool,
    /// A shell, which may run what a here-document says.
    pub(super) starts_shell: bool,
}

impl Part {
    /// As a rule can name it whole, if it can.
    pub(in crate::permissions) fn spelled(&self) -> Option<&str> {
        let fits = |spelled: &&String| {
            !spelled.is_empty() && !spelled.contains(['*', '\n']) && spelled.len() <= suggestions::LONGEST
        };
        self.exact.first().filter(fits).map(String::as_str)
    }

    /// Whether git is what it starts, wrappers aside.
    pub(in crate::permissions) fn is_git(&self) -> bool {
        self.exact.iter().any(|spelled| spelled == "git" || spelled.starts_with("git "))
    }
}

/// A path that a command names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathWord {
    /// As it stands in the command.
    pub source: String,
    /// Resolved against the folder the command runs in; `None` if that can't be told from the text.
    pub path: Option<AbsPath>,
    /// It stands for whatever fits it; then `path` is the folder that all of that lies in.
    pub pattern: bool,
}

/// Which way a rule decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    Allow,
    DenyOrAsk,
}
