//! The chat file `.copydesk/chat.md`: the conversation as Markdown, and a place to write back.

mod actor;
mod file;
mod paragraphs;
mod transcript;
mod writer;

pub use actor::{Chat, ChatParts};

use crate::documents::{AbsPath, Workspace};

/// Relative to a root, as `Workspace::display` shows it, whatever links lead there.
const CHAT: &str = ".copydesk/chat.md";

/// Where the chat of this workspace is, whether it exists or not.
pub fn chat_path(workspace: &Workspace) -> Option<AbsPath> {
    super::own_folder(workspace).map(|folder| folder.join("chat.md"))
}

pub fn is_chat_file(path: &AbsPath, workspace: &Workspace) -> bool {
    workspace.display(path) == CHAT
}
