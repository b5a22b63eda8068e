//! Images the Messages API would refuse, and with them the whole request.

use super::{ApiMessage, ContentBlock, Message};
use crate::conversation::{ImageSource, ToolResultContent};

/// Bytes of base64 in one image (Messages API, "Vision": request limits).
const LARGEST_IMAGE: usize = 10 * 1024 * 1024;

/// Images in one request (Messages API, "Vision": request limits, of the smaller windows).
const MOST_IMAGES: usize = 100;

/// Points along each side of an image (Messages API, "Vision": image size).
const LONGEST_SIDE: u32 = 8_000;

/// The same in a request with more images than so many.
const FEW_IMAGES: usize = 20;
const LONGEST_SIDE_AMONG_MANY: u32 = 2_000;

const TOO_MANY: &str = "[An older image was left out: a model takes 100 at a time.]";

const MEDIA_TYPES: [&str; 4] = ["image/jpeg", "image/png", "image/gif", "image/webp"];

/// What stands in for an image that can't be sent, or `None` if it can.
pub(super) fn refusal(image: &ImageSource) -> Option<String> {
    if image.data.is_empty() {
        Some("[An image was left out: it is empty.]".to_owned())
    } else if image.data.len() > LARGEST_IMAGE {
        Some("[An image was left out: it is larger than the 10 MB a model takes.]".to_owned())
    } else if MEDIA_TYPES.contains(&image.media_type.as_str()) {
        too_long(image, LONGEST_SIDE)
    } else {
        Some(format!("[An image was left out: no model takes {}.]", image.media_type))
    }
}

fn too_long(image: &ImageSource, most: u32) -> Option<String> {
    let (width, height) = image.size()?;
    (width.max(height) > most).then(|| {
        format!(
            "[An image was left out: it has {width} by {height} points, and a model takes {most} along each side.]"
        )
    })
}

/// Whether those limits may matter where there are so many images.
pub(super) const fn are_many(number: usize) -> bool {
    number > FEW_IMAGES
}

/// Images in `records`, whether they can be sent or not.
pub(super) fn number_in(records: &[Message]) -> usize {
    let of_result = |part: &ToolResultContent| matches!(part, ToolResultContent::Image(_));
    let of_block = |block: &ContentBlock| match block {
        ContentBlock::Image(_) => 1,
        ContentBlock::ToolResult { content, .. } => content.iter().filter(|part| of_result(part)).count(),
        _ => 0,
    };
    let of_record = |record: &Message| match record {
        Message::User(user) => user.content.iter().map(of_block).sum(),
        Message::Assistant(_) | Message::System(_) | Message::Attachment(_) | Message::Progress(_) => 0,
    };
    records.iter().map(of_record).sum()
}

/// Messages with as many images as may be sent, the newest ones, and none that is too large among so many.
pub(super) fn within_limits(mut messages: Vec<ApiMessage>) -> Vec<ApiMessage> {
    let mut number = 0;
    left_out(&mut messages, |_| {
        number += 1;
        (number > MOST_IMAGES).then(|| TOO_MANY.to_owned())
    });
    if are_many(number) {
        left_out(&mut messages, |image| too_long(image, LONGEST_SIDE_AMONG_MANY));
    }
    messages
}

/// Puts words in the place of each image that `refusal` has some for; the newest come first.
fn left_out(messages: &mut [ApiMessage], mut refusal: impl FnMut(&ImageSource) -> Option<String>) {
    for block in messages.iter_mut().rev().flat_map(|message| message.content.iter_mut().rev()) {
        match block {
            ContentBlock::Image(image) => {
                if let Some(why) = refusal(image) {
                    *block = ContentBlock::text(why);
                }
            }
            ContentBlock::ToolResult { content, .. } => {
                for part in content.iter_mut().rev() {
                    let ToolResultContent::Image(image) = part else { continue };
                    if let Some(why) = refusal(image) {
                        *part = ToolResultContent::Text(why);
                    }
                }
            }
            _ => {}
        }
    }
}
