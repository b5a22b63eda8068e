//! The file-state cache and the disk: what every file of the workspace says right now, saved or not.

mod change;
mod decoded;
mod disk;
mod document;
mod encoding;
mod file_state;
mod kept;
mod links;
mod looks;
mod paths;
mod place;
mod position;
mod seen;
mod snapshot;
mod straight;
mod text;
mod uri;
pub mod walk;
mod watch;
mod workspace;

pub use disk::{DiskFile, Expected, Intended, Kind, Part, WriteError, text_of};
pub use encoding::{Encoding, encoding_of};
pub use file_state::{Changed, Closed, ContentChange, FileStateCache, Ignored, OpenDocument, Opened};
pub use kept::Kept;
pub use paths::{AbsPath, PathCase};
pub use place::{Place, Places};
pub use position::{byte_range, lsp_range, offset, position, text_edits};
pub use seen::{Begun, Seen, SeenFile};
pub use snapshot::{ReadError, Snapshot, Stamp};
pub use straight::{Ground, names_in};
pub use text::{Change, Text};
pub use uri::{from_path, to_path};
pub use watch::{DiskWatch, POLL_PERIOD};
pub use workspace::Workspace;
