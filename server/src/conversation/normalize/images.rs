//! Images the Messages API would refuse, and with them the whole request.

use crate::conversation::ImageSource;

/// Bytes of base64 in one image (Messages API, "Vision": request limits).
const LARGEST_IMAGE: usize = 10 * 1024 * 1024;

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
