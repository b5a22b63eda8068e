//! What a conversation is made of. Plain values: how a vendor writes them on the wire is that vendor's folder's affair.

mod block;
mod ids;
mod message;

pub use block::{ContentBlock, ImageSource, ToolResultContent};
pub use ids::{MessageId, SessionId, TaskId, ToolUseId};
pub use message::{
    ApiMessage, AssistantMessage, Attachment, AttachmentKind, Message, ProgressMessage, Role, StopReason,
    SystemKind, SystemMessage, Usage, UserMessage,
};
