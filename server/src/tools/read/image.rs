//! An image as a model is shown it: as it is, or made smaller where it is larger than a model makes use of.

use std::io::Cursor;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use image::{DynamicImage, ImageFormat, ImageReader, Limits};
use serde_json::json;

use super::bytes;
use crate::conversation::{ImageSource, ToolResultContent};
use crate::documents::AbsPath;
use crate::tools::{ToolError, ToolResult, ToolUseContext};

/// Bytes of a file that is looked at.
const LARGEST_FILE: u64 = 50 * 1024 * 1024;
/// Pixels of an image that is decoded.
const MOST_PIXELS: u64 = 100_000_000;
/// Pixels along the longer side of what a model is shown.
const LONGEST_SIDE: u32 = 2_000;
/// An image with more bytes is shown as JPEG.
const LARGEST_SHOWN: usize = 500 * 1024;

pub(super) async fn show(path: AbsPath, context: ToolUseContext) -> Result<ToolResult, ToolError> {
    let name = context.workspace.display(&path);
    let bytes = bytes(&path, LARGEST_FILE, &context).await?;
    let made = tokio::task::spawn_blocking(move || shown(bytes)).await;
    let shown = made
        .unwrap_or_else(|_| Err("its data is broken".to_owned()))
        .map_err(|why| ToolError(format!("{name} can't be shown as an image: {why}.")))?;
    let (width, height) = shown.size;
    let reduced = shown
        .reduced_to
        .map_or(String::new(), |(width, height)| format!(", shown at {width} × {height} to save room"));
    let text = format!("{name}: {width} × {height} pixels{reduced}.");
    let data = json!({"type": "image", "file": {
        "filePath": path.as_str(), "type": shown.source.media_type, "width": width, "height": height,
    }});
    let content = vec![ToolResultContent::Text(text), ToolResultContent::Image(shown.source)];
    Ok(ToolResult { content, data, ..ToolResult::default() })
}

/// An image that no model takes and that is not decoded here.
pub(super) async fn foreign(path: AbsPath, context: ToolUseContext) -> Result<ToolResult, ToolError> {
    let name = context.workspace.display(&path);
    bytes(&path, LARGEST_FILE, &context).await?;
    Err(ToolError(format!(
        "{name} is an image in a format that models do not take: convert it to PNG or JPEG to look at it."
    )))
}

#[derive(Debug)]
struct Shown {
    /// Pixels of the file.
    size: (u32, u32),
    reduced_to: Option<(u32, u32)>,
    source: ImageSource,
}

fn shown(bytes: Vec<u8>) -> Result<Shown, String> {
    let format = image::guess_format(&bytes).ok().filter(|format| media_type(*format).is_some());
    let Some(format) = format else {
        return Err("it holds no PNG, JPEG, GIF or WebP image".to_owned());
    };
    let size = ImageReader::with_format(Cursor::new(&bytes), format)
        .into_dimensions()
        .map_err(|error| error.to_string())?;
    if u64::from(size.0) * u64::from(size.1) > MOST_PIXELS {
        return Err(format!("it has {} × {} pixels, more than can be made smaller here", size.0, size.1));
    }
    if bytes.len() <= LARGEST_SHOWN && size.0.max(size.1) <= LONGEST_SIDE {
        return Ok(Shown { size, reduced_to: None, source: source(format, &bytes) });
    }
    let mut reader = ImageReader::with_format(Cursor::new(&bytes), format);
    let mut limits = Limits::default();
    limits.max_alloc = Some(8 * MOST_PIXELS);
    reader.limits(limits);
    let decoded = reader.decode().map_err(|error| error.to_string())?;
    let reduced = if size.0.max(size.1) > LONGEST_SIDE {
        decoded.thumbnail(LONGEST_SIDE, LONGEST_SIDE)
    } else {
        decoded
    };
    let now = (reduced.width(), reduced.height());
    let source = encoded(&reduced, format)?;
    Ok(Shown { size, reduced_to: Some(now).filter(|now| *now != size), source })
}

/// In its own format if that is small enough, else as JPEG.
fn encoded(image: &DynamicImage, format: ImageFormat) -> Result<ImageSource, String> {
    let lossless = if format == ImageFormat::Jpeg { ImageFormat::Jpeg } else { ImageFormat::Png };
    let written = write(image, lossless)?;
    if written.len() <= LARGEST_SHOWN || lossless == ImageFormat::Jpeg {
        return Ok(source(lossless, &written));
    }
    let opaque = DynamicImage::ImageRgb8(image.to_rgb8());
    Ok(source(ImageFormat::Jpeg, &write(&opaque, ImageFormat::Jpeg)?))
}

fn write(image: &DynamicImage, format: ImageFormat) -> Result<Vec<u8>, String> {
    let mut out = Cursor::new(Vec::new());
    image.write_to(&mut out, format).map_err(|error| error.to_string())?;
    Ok(out.into_inner())
}

fn source(format: ImageFormat, bytes: &[u8]) -> ImageSource {
    let media_type = media_type(format).unwrap_or("image/png").to_owned();
    ImageSource { media_type, data: STANDARD.encode(bytes) }
}

/// Of the formats that models take.
fn media_type(format: ImageFormat) -> Option<&'static str> {
    match format {
        ImageFormat::Png => Some("image/png"),
        ImageFormat::Jpeg => Some("image/jpeg"),
        ImageFormat::Gif => Some("image/gif"),
        ImageFormat::WebP => Some("image/webp"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(width: u32, height: u32, format: ImageFormat) -> Vec<u8> {
        // Noise, which no format makes small.
        let mut state = 1_u32;
        let image = image::RgbImage::from_fn(width, height, |_, _| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let [a, b, c, _] = state.to_be_bytes();
            image::Rgb([a, b, c])
        });
        write(&DynamicImage::ImageRgb8(image), format).unwrap()
    }

    #[track_caller]
    fn check(bytes: Vec<u8>, media_type: &str, reduced_to: Option<(u32, u32)>) {
        let shown = shown(bytes).unwrap();
        assert_eq!((shown.source.media_type.as_str(), shown.reduced_to), (media_type, reduced_to));
        let data = STANDARD.decode(shown.source.data).unwrap();
        assert_eq!(super::media_type(image::guess_format(&data).unwrap()), Some(media_type));
    }

    #[test]
    fn a_small_image_goes_as_it_is() {
        for (format, kind) in [
            (ImageFormat::Png, "image/png"),
            (ImageFormat::Jpeg, "image/jpeg"),
            (ImageFormat::WebP, "image/webp"),
        ] {
            let bytes = picture(20, 10, format);
            assert_eq!(STANDARD.decode(shown(bytes.clone()).unwrap().source.data).unwrap(), bytes);
            check(bytes, kind, None);
        }
    }

    #[test]
    fn a_large_image_is_made_smaller() {
        check(picture(4_000, 20, ImageFormat::Png), "image/png", Some((2_000, 10)));
        check(picture(600, 600, ImageFormat::Png), "image/jpeg", None);
    }

    #[track_caller]
    fn refused(bytes: Vec<u8>, want: &str) {
        let error = shown(bytes).unwrap_err();
        assert!(error.contains(want), "{error}");
    }

    #[test]
    fn what_can_not_be_shown_is_told() {
        refused(b"no image".to_vec(), "it holds no PNG, JPEG, GIF or WebP image");
        let mut cut = picture(600, 600, ImageFormat::Png);
        cut.truncate(600_000);
        refused(cut, "");
        // The header of a PNG that claims a billion pixels.
        let mut vast = picture(1, 1, ImageFormat::Png);
        vast[16..24].copy_from_slice(&[0, 0, 0x80, 0, 0, 0, 0x80, 0]);
        assert!(shown(vast).is_err());
    }
}
