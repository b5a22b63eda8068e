//! What a conversation is made of. Plain values: how a vendor writes them on the wire is that vendor's folder's affair.

mod advice;
mod block;
mod ids;
mod image;
mod message;
mod normalize;
mod tokens;
mod unparsed;

pub use advice::{ANOTHER_WAY, FINISH_PLAN, without_advice};
pub use block::{ContentBlock, ToolResultContent};
pub use ids::{MessageId, SessionId, TaskId, ToolUseId};
pub use image::ImageSource;
pub use message::{
    ApiMessage, AssistantMessage, Attachment, AttachmentKind, CompactMetadata, CompactTrigger, Message,
    ProgressMessage, Role, StopReason, SystemKind, SystemMessage, Usage, UserMessage,
};
pub use normalize::{Growing, normalize, normalize_for, without_blocks, without_thinking};
pub use tokens::{content_tokens, counted_tokens, estimate_tokens, text_tokens};
pub use unparsed::{Overlong, as_overlong, overlong_input, raw_of_unparsed, unparsed_input};
