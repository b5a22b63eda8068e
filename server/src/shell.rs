//! Shell commands: what they consist of, and where they run.

pub mod command;
#[cfg(target_os = "linux")]
mod confined;
mod ground;
mod order;
mod output;
mod process;
mod sandbox;
mod session;
mod task;
mod trial_tree;

#[cfg(target_os = "linux")]
pub use confined::run_if_asked;
pub use ground::{Best, Ground, WallKind, ground, not_as_wanted};
pub use order::{CallFilter, Exit, Limits, Network};
pub use output::{Caps, Shown};
pub use process::Refusal;
pub use sandbox::secret_places;
pub use session::{Notice, Request, Sandbox, Shell, ShellSettings, Times};
pub use task::{How, Outcome, StopOnDrop, Task};
pub use trial_tree::{
    Aside, Before, ChangeKind, FileContent, FileView, LARGEST_KEPT, TextRule, TreeChange, Whole,
};

/// Bytes that a copy of a workspace may have; a larger one is not copied.
pub const LARGEST_COPY: u64 = 2 << 30;

/// This program's own file. It may be replaced by a newer one while this runs.
pub fn own_program() -> std::path::PathBuf {
    if cfg!(target_os = "linux") {
        return "/proc/self/exe".into();
    }
    std::env::current_exe().unwrap_or_else(|_| "copydesk".into())
}

/// What the program is called with to build the walls around a command.
const CONFINE: &str = "__confine";

/// What a command runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrialMode {
    /// A layer over the real folder.
    Overlay,
    /// A copy of it.
    Copy,
    /// The real files, since neither can be had here.
    Direct,
    /// The real files, without any walls: the user has said so.
    Real,
}

impl TrialMode {
    /// One word for it, as in results and in `copydesk doctor`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Overlay => "overlay",
            Self::Copy => "copy",
            Self::Direct => "direct",
            Self::Real => "none",
        }
    }
}
