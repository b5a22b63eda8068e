//! Shell commands: what they consist of, and where they run.

pub mod command;
#[cfg(target_os = "linux")]
mod confined;
mod order;
mod output;
mod process;
mod sandbox;
mod session;
mod task;
mod trial_tree;

#[cfg(target_os = "linux")]
pub use confined::run_if_asked;
pub use order::{Exit, Limits, Network};
pub use output::{Caps, Shown};
pub use process::Refusal;
pub use session::{Request, Sandbox, Shell, ShellSettings};
pub use task::{How, Outcome, StopOnDrop, Task};
pub use trial_tree::{ChangeKind, FileView, TextRule, TreeChange, Whole};

/// What the program is called with to build the walls around a command.
const CONFINE: &str = "__confine";

/// What a command runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrialMode {
    /// A layer over the real folder.
    Overlay,
    /// The real files.
    Real,
}
