//! The file-state cache and the disk: what every file of the workspace says right now, saved or not.

mod file_state;
mod paths;
mod seen;
mod snapshot;
mod text;
mod workspace;

pub use file_state::{Changed, Closed, ContentChange, FileStateCache, Ignored, OpenDocument, Opened};
pub use paths::AbsPath;
pub use seen::{Seen, SeenFile};
pub use snapshot::{ReadError, Snapshot, Stamp};
pub use text::{Change, Text};
pub use workspace::Workspace;
