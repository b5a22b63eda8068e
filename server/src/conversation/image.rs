//! An image as it stands in a conversation, and what its first bytes tell of it.

/// An image, inline.
#[derive(Clone, Debug, PartialEq)]
pub struct ImageSource {
    /// Such as `image/png`.
    pub media_type: String,
    /// Base64.
    pub data: String,
}

/// Characters of base64 in which the size stands, even behind what cameras write in front of it.
const HEAD: usize = 256 * 1024;

impl ImageSource {
    /// Whether `data` is base64 (RFC 4648, section 4: padded, without line breaks) and says something.
    pub fn is_legal(&self) -> bool {
        let bytes = self.data.as_bytes();
        let padding = bytes.iter().rev().take(2).take_while(|&&byte| byte == b'=').count();
        let (digits, _) = bytes.split_at(bytes.len() - padding);
        !digits.is_empty()
            && bytes.len().is_multiple_of(4)
            && digits.iter().all(|&byte| digit(byte).is_some())
    }

    /// Width and height in points, as PNG, GIF, JPEG and WebP say them; `None` if the image does not.
    pub fn size(&self) -> Option<(u32, u32)> {
        let head = self.data.as_bytes();
        let bytes = decoded(head.get(..HEAD).unwrap_or(head));
        png(&bytes).or_else(|| gif(&bytes)).or_else(|| webp(&bytes)).or_else(|| jpeg(&bytes))
    }
}

fn digit(byte: u8) -> Option<u8> {
    match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    }
}

/// The bytes up to the first character that is no base64.
fn decoded(base64: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(base64.len() / 4 * 3);
    for four in base64.chunks(4) {
        let digits: Vec<u32> = four.iter().map_while(|&byte| digit(byte)).map(u32::from).collect();
        let bits = digits.iter().fold(0, |bits, digit| (bits << 6) | digit) << (6 * (4 - digits.len()));
        bytes.extend(bits.to_be_bytes().into_iter().skip(1).take(digits.len() * 3 / 4));
        if digits.len() < 4 {
            break;
        }
    }
    bytes
}

/// PNG specification, 5.2 and 11.2.2.
fn png(bytes: &[u8]) -> Option<(u32, u32)> {
    bytes.strip_prefix(b"\x89PNG\r\n\x1a\n")?;
    Some((big(bytes.get(16..20)?), big(bytes.get(20..24)?)))
}

/// GIF89a, 17 and 18.
fn gif(bytes: &[u8]) -> Option<(u32, u32)> {
    let rest = bytes.strip_prefix(b"GIF87a").or_else(|| bytes.strip_prefix(b"GIF89a"))?;
    Some((little(rest.get(..2)?), little(rest.get(2..4)?)))
}

/// RFC 9649, section 2: the three forms of the first chunk.
fn webp(bytes: &[u8]) -> Option<(u32, u32)> {
    bytes.strip_prefix(b"RIFF")?;
    let chunk = bytes.get(8..)?.strip_prefix(b"WEBP")?;
    let (form, data) = (chunk.get(..4)?, chunk.get(8..)?);
    match form {
        b"VP8 " => Some((little(data.get(6..8)?) & 0x3fff, little(data.get(8..10)?) & 0x3fff)),
        b"VP8L" => {
            let bits = little(data.get(1..5)?);
            Some(((bits & 0x3fff) + 1, ((bits >> 14) & 0x3fff) + 1))
        }
        b"VP8X" => Some((little(data.get(4..7)?) + 1, little(data.get(7..10)?) + 1)),
        _ => None,
    }
}

/// ITU T.81, B.2.2: the frame header, behind segments that say how long they are.
fn jpeg(bytes: &[u8]) -> Option<(u32, u32)> {
    let mut rest = bytes.strip_prefix(b"\xff\xd8")?;
    loop {
        let marker = *rest.strip_prefix(b"\xff")?.first()?;
        match marker {
            0xff => rest = rest.get(1..)?,
            0xc0..=0xc3 | 0xc5..=0xc7 | 0xc9..=0xcb | 0xcd..=0xcf => {
                return Some((big(rest.get(7..9)?), big(rest.get(5..7)?)));
            }
            _ => rest = rest.get(2 + usize::try_from(big(rest.get(2..4)?)).ok()?..)?,
        }
    }
}

/// Four bytes at most.
fn big(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0, |number, byte| (number << 8) | u32::from(*byte))
}

fn little(bytes: &[u8]) -> u32 {
    bytes.iter().rev().fold(0, |number, byte| (number << 8) | u32::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image(data: &str) -> ImageSource {
        ImageSource { media_type: "image/png".to_owned(), data: data.to_owned() }
    }

    #[test]
    fn only_base64_is_legal() {
        for legal in ["AAAA", "AA==", "AAA=", "ab+/09zZ"] {
            assert!(image(legal).is_legal(), "{legal}");
        }
        for illegal in
            ["", "====", "A", "AAA", "A===", "AA=A", "AA\nA", "AA-_", "data:image/png;base64,AAAA", "Ä=="]
        {
            assert!(!image(illegal).is_legal(), "{illegal}");
        }
    }

    #[track_caller]
    fn check(data: &str, wanted: Option<(u32, u32)>) {
        assert_eq!(image(data).size(), wanted);
    }

    #[test]
    fn every_kind_tells_its_size() {
        check("iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSnc", Some((8, 8)));
        check("iVBORw0KGgoAAAANSUhEUgAAIygAAAABCAIAAAA=", Some((9_000, 1)));
        check("R0lGODlhLAEKAPAAAA==", Some((300, 10)));
        check("UklGRiQAAABXRUJQVlA4IBgAAAAwAQCdASoQACAAAwA0JaQ=", Some((16, 32)));
        check("UklGRhoAAABXRUJQVlA4TA0AAAAvDwACAAcQEf0=", Some((16, 9)));
        check("UklGRiQAAABXRUJQVlA4WAoAAAAQAAAA54MALwEAQUxQSA==", Some((33_768, 304)));
        check("/9j/4AAQSkZJRgABAQEASABIAAD/wAARCAAKABQDASIAAhEBAxEB", Some((20, 10)));
    }

    #[test]
    fn what_is_no_image_or_breaks_off_tells_none() {
        check("", None);
        check("AAAA", None);
        check("iVBORw0KGgoAAAANSUhEUgAAAA", None);
        check("/9j/4AAQ", None);
        check("/9j//////w==", None);
    }
}
