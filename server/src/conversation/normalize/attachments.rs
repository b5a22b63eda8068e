//! Where attachments stand: never between a call and its result, nor between two results.

use super::{ContentBlock, Message};

/// The records with each attachment moved up until it stands right after a tool result or an answer, or first of all.
/// Attachments keep their order among themselves.
pub(super) fn moved_up(messages: &[Message]) -> Vec<&Message> {
    let mut ordered: Vec<&Message> = Vec::with_capacity(messages.len());
    // What has come since the last place an attachment may stop at.
    let mut behind: Vec<&Message> = Vec::new();
    for message in messages {
        match message {
            Message::Attachment(_) => ordered.push(message),
            Message::Assistant(_) => {
                ordered.append(&mut behind);
                ordered.push(message);
            }
            Message::User(user) if user.content.iter().any(is_result) => {
                ordered.append(&mut behind);
                ordered.push(message);
            }
            Message::User(_) | Message::System(_) | Message::Progress(_) => behind.push(message),
        }
    }
    ordered.append(&mut behind);
    ordered
}

fn is_result(block: &ContentBlock) -> bool {
    matches!(block, ContentBlock::ToolResult { .. })
}
