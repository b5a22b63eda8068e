//! Images the Messages API would refuse, and with them the whole request.

use super::{ApiMessage, ContentBlock};
use crate::conversation::{ImageSource, ToolResultContent};

/// Bytes of base64 in one image (Messages API, "Vision": request limits).
const LARGEST_IMAGE: usize = 10 * 1024 * 1024;

/// Images in one request (Messages API, "Vision": request limits, of the smaller windows).
const MOST_IMAGES: usize = 100;

const TOO_MANY: &str = "[An older image was left out: a model takes 100 at a time.]";

const MEDIA_TYPES: [&str; 4] = ["image/jpeg", "image/png", "image/gif", "image/webp"];

/// What stands in for an image that can't be sent, or `None` if it can.
pub(super) fn refusal(image: &ImageSource) -> Option<String> {
    if image.data.is_empty() {
        Some("[An image was left out: it is empty.]".to_owned())
    } else if image.data.len() > LARGEST_IMAGE {
        Some("[An image was left out: it is larger than the 10 MB a model takes.]".to_owned())
    } else if MEDIA_TYPES.contains(&image.media_type.as_str()) {
        None
    } else {
        Some(format!("[An image was left out: no model takes {}.]", image.media_type))
    }
}

/// Messages with as many images as may be sent: the newest ones.
pub(super) fn within_limits(mut messages: Vec<ApiMessage>) -> Vec<ApiMessage> {
    let mut left = MOST_IMAGES;
    let mut is_too_many = || {
        let none_left = left == 0;
        left = left.saturating_sub(1);
        none_left
    };
    for block in messages.iter_mut().rev().flat_map(|message| message.content.iter_mut().rev()) {
        match block {
            ContentBlock::Image(_) if is_too_many() => *block = ContentBlock::text(TOO_MANY),
            ContentBlock::ToolResult { content, .. } => {
                for part in content.iter_mut().rev() {
                    if matches!(part, ToolResultContent::Image(_)) && is_too_many() {
                        *part = ToolResultContent::Text(TOO_MANY.to_owned());
                    }
                }
            }
            _ => {}
        }
    }
    messages
}
