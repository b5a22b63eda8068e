//! Bytes of a closed file to text and back, so that what is not edited keeps every byte.

use encoding_rs::{EncoderResult, UTF_8, UTF_16BE, UTF_16LE};

/// How a file's text is written in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Encoding {
    charset: &'static encoding_rs::Encoding,
    bom: bool,
}

/// Why bytes are no text that can be kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum NotText {
    Binary,
    /// Some text, but decoding and encoding it again would not give the same bytes.
    Unfaithful {
        encoding: String,
    },
}

impl Encoding {
    const PLAIN: Self = Self { charset: UTF_8, bom: false };

    /// Nothing in the file says it.
    pub(super) fn is_guessed(self) -> bool {
        !self.bom && self.charset != UTF_8
    }

    #[must_use]
    pub fn name(self) -> String {
        format!("{}{}", self.charset.name(), if self.bom { " with BOM" } else { "" })
    }

    /// `text` in bytes, with the byte order mark if the file has one. A mark at the head of `text` itself is not doubled.
    ///
    /// # Errors
    /// The first character that the encoding does not have.
    pub(super) fn encode(self, text: &str) -> Result<Vec<u8>, char> {
        let text = if self.bom { text.strip_prefix('\u{feff}').unwrap_or(text) } else { text };
        let mut bytes = self.mark().to_vec();
        if self.charset == UTF_16LE {
            bytes.extend(text.encode_utf16().flat_map(u16::to_le_bytes));
        } else if self.charset == UTF_16BE {
            bytes.extend(text.encode_utf16().flat_map(u16::to_be_bytes));
        } else if self.charset == UTF_8 {
            bytes.extend_from_slice(text.as_bytes());
        } else {
            bytes.append(&mut encode_legacy(self.charset, text)?);
        }
        Ok(bytes)
    }

    /// Two bytes for most characters, so that to programs that read lines of bytes it is no text.
    #[must_use]
    pub fn is_utf16(self) -> bool {
        self.charset == UTF_16LE || self.charset == UTF_16BE
    }

    #[must_use]
    pub const fn has_mark(self) -> bool {
        self.bom
    }

    /// A piece of the text in bytes; the mark is there if the piece begins with it.
    ///
    /// # Errors
    /// The first character that the encoding does not have.
    pub fn encode_piece(self, piece: &str) -> Result<Vec<u8>, char> {
        Self { bom: false, ..self }.encode(piece)
    }

    fn mark(self) -> &'static [u8] {
        match self.bom {
            false => b"",
            true if self.charset == UTF_16LE => b"\xff\xfe",
            true if self.charset == UTF_16BE => b"\xfe\xff",
            true => b"\xef\xbb\xbf",
        }
    }
}

/// How the text of a file of these bytes is written; `None` if they are no text that can be kept exactly.
#[must_use]
pub fn encoding_of(bytes: &[u8]) -> Option<Encoding> {
    decode(bytes.to_vec()).ok().map(|(_, encoding)| encoding)
}

/// The text of `bytes`, without a byte order mark, and how it was written.
pub(super) fn decode(bytes: Vec<u8>) -> Result<(String, Encoding), NotText> {
    if let Some((charset, length)) = encoding_rs::Encoding::for_bom(&bytes) {
        let encoding = Encoding { charset, bom: true };
        let body = bytes.get(length..).unwrap_or_default();
        return faithful(&bytes, body, encoding);
    }
    if bytes.contains(&0) {
        return Err(NotText::Binary);
    }
    match String::from_utf8(bytes) {
        Ok(text) => Ok((text, Encoding::PLAIN)),
        Err(error) => decode_legacy(&error.into_bytes()),
    }
}

/// The encodings from before Unicode have no mark; the detector names the likeliest, and its guess is taken only if it gives
/// back every byte.
fn decode_legacy(bytes: &[u8]) -> Result<(String, Encoding), NotText> {
    let is_control = |byte: &u8| *byte < 0x20 && !b"\t\n\r\x0c\x1b".contains(byte);
    if bytes.iter().any(is_control) {
        return Err(NotText::Binary);
    }
    let mut detector = chardetng::EncodingDetector::new(chardetng::Iso2022JpDetection::Deny);
    detector.feed(bytes, true);
    let charset = detector.guess(None, chardetng::Utf8Detection::Deny);
    faithful(bytes, bytes, Encoding { charset, bom: false })
}

fn faithful(bytes: &[u8], body: &[u8], encoding: Encoding) -> Result<(String, Encoding), NotText> {
    let unfaithful = || NotText::Unfaithful { encoding: encoding.name() };
    let text = encoding
        .charset
        .decode_without_bom_handling_and_without_replacement(body)
        .ok_or_else(unfaithful)?
        .into_owned();
    if text.contains('\0') {
        return Err(NotText::Binary);
    }
    if encoding.encode(&text).ok().as_deref() == Some(bytes) {
        Ok((text, encoding))
    } else {
        Err(unfaithful())
    }
}

fn encode_legacy(charset: &'static encoding_rs::Encoding, text: &str) -> Result<Vec<u8>, char> {
    let mut encoder = charset.new_encoder();
    let most = encoder.max_buffer_length_from_utf8_without_replacement(text.len()).unwrap_or(text.len() * 4);
    let mut bytes = Vec::with_capacity(most);
    match encoder.encode_from_utf8_to_vec_without_replacement(text, &mut bytes, true).0 {
        EncoderResult::Unmappable(character) => Err(character),
        EncoderResult::InputEmpty | EncoderResult::OutputFull => Ok(bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(bytes: &[u8], name: &str, text: &str) -> Encoding {
        let (got, encoding) = decode(bytes.to_vec()).unwrap();
        assert_eq!((encoding.name().as_str(), got.as_str()), (name, text));
        assert_eq!(encoding.encode(&got).unwrap(), bytes);
        encoding
    }

    #[test]
    fn unicode_with_and_without_a_mark() {
        check(b"", "UTF-8", "");
        check("ä中😀\r\n".as_bytes(), "UTF-8", "ä中😀\r\n");
        check(b"\xef\xbb\xbffirst\r\n", "UTF-8 with BOM", "first\r\n");
        check(b"\xff\xfea\0\n\0\x3d\xd8\x00\xde", "UTF-16LE with BOM", "a\n😀");
        check(b"\xfe\xff\0a\0\n\xd8\x3d\xde\x00", "UTF-16BE with BOM", "a\n😀");
    }

    #[test]
    fn a_mark_in_the_new_text_is_not_doubled() {
        let encoding = check(b"\xef\xbb\xbfx", "UTF-8 with BOM", "x");
        assert_eq!(encoding.encode("\u{feff}y").unwrap(), b"\xef\xbb\xbfy");
    }

    #[test]
    fn shift_jis_takes_new_japanese_text_in_its_own_bytes() {
        let encoding = check(
            b"\x90\xdd\x92\xe8=1\r\n\x96\xbc\x91O=\x91\xbe\x98Y\r\n",
            "Shift_JIS",
            "設定=1\r\n名前=太郎\r\n",
        );
        assert_eq!(encoding.encode("追加=二").unwrap(), b"\x92\xc7\x89\xc1=\x93\xf1");
        assert_eq!(encoding.encode("a😀b"), Err('😀'));
    }

    #[test]
    fn western_text() {
        check(
            b"caf\xe9 au lait, d\xe9j\xe0 vu, na\xefve\n",
            "windows-1252",
            "café au lait, déjà vu, naïve\n",
        );
    }

    #[test]
    fn binary_and_broken_bytes_are_refused() {
        assert_eq!(decode(b"\x89PNG\r\n\x1a\n\0\0".to_vec()).unwrap_err(), NotText::Binary);
        assert_eq!(decode(b"\x7fELF\x02\x01\xff".to_vec()).unwrap_err(), NotText::Binary);
        assert_eq!(
            decode(b"\xff\xfea\0\x00\xd8".to_vec()).unwrap_err(),
            NotText::Unfaithful { encoding: "UTF-16LE with BOM".into() },
        );
        assert_eq!(
            decode(b"\xef\xbb\xbfok\xff".to_vec()).unwrap_err(),
            NotText::Unfaithful { encoding: "UTF-8 with BOM".into() },
        );
    }
}
