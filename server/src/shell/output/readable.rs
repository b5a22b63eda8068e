//! Bytes of an output as text that no screen and no model stumbles over.

/// `bytes` as text, and whether some of them were no UTF-8. Control characters are shown as pictures of themselves; colours
/// are left out.
pub(super) fn readable(bytes: &[u8]) -> (String, bool) {
    let mut text = String::with_capacity(bytes.len());
    let mut lossy = false;
    for chunk in bytes.utf8_chunks() {
        push_safe(&mut text, chunk.valid());
        if !chunk.invalid().is_empty() {
            lossy = true;
            text.push(char::REPLACEMENT_CHARACTER);
        }
    }
    (text, lossy)
}

/// The first `most` characters; bad bytes count as one.
pub(super) fn first_chars(bytes: &[u8], most: usize) -> &[u8] {
    let length = lengths(bytes).take(most).sum();
    bytes.get(..length).unwrap_or(bytes)
}

/// The last `most` characters. `bytes` may begin within one.
pub(super) fn last_chars(bytes: &[u8], most: usize) -> &[u8] {
    let is_inside = |byte: &&u8| **byte & 0b1100_0000 == 0b1000_0000;
    let begin = bytes.iter().take(3).take_while(is_inside).count();
    let bytes = bytes.get(begin..).unwrap_or_default();
    let skipped = lengths(bytes).count().saturating_sub(most);
    let begin: usize = lengths(bytes).take(skipped).sum();
    bytes.get(begin..).unwrap_or_default()
}

/// How many bytes at the end may be the beginning of a character.
pub(super) fn unfinished(bytes: &[u8]) -> usize {
    match std::str::from_utf8(bytes) {
        Err(error) if error.error_len().is_none() => bytes.len() - error.valid_up_to(),
        Ok(_) => 0,
        // Bad bytes before: only the last few count.
        Err(_) => {
            let tail = bytes.get(bytes.len().saturating_sub(3)..).unwrap_or_default();
            let begins = (0..tail.len()).filter_map(|at| tail.get(at..)).find(|end| {
                matches!(std::str::from_utf8(end), Err(error) if error.error_len().is_none() && error.valid_up_to() == 0)
            });
            begins.map_or(0, <[u8]>::len)
        }
    }
}

fn lengths(bytes: &[u8]) -> impl Iterator<Item = usize> + '_ {
    bytes.utf8_chunks().flat_map(|chunk| {
        let invalid = chunk.invalid().len();
        chunk.valid().chars().map(char::len_utf8).chain((invalid > 0).then_some(invalid))
    })
}

fn push_safe(text: &mut String, valid: &str) {
    let mut rest = valid;
    while let Some(c) = rest.chars().next() {
        rest = rest.get(c.len_utf8()..).unwrap_or_default();
        match c {
            '\n' | '\t' | '\r' => text.push(c),
            '\u{1b}' => match after_colour(rest) {
                Some(after) => rest = after,
                None => text.push('␛'),
            },
            '\u{7f}' => text.push('␡'),
            // U+2400 and so on are the pictures of the control characters.
            c if (c as u32) < 0x20 => text.extend(char::from_u32(0x2400 + c as u32)),
            c => text.push(c),
        }
    }
}

/// Behind `[`, digits and the letter of a control sequence (ECMA-48, CSI).
fn after_colour(rest: &str) -> Option<&str> {
    let sequence = rest.strip_prefix('[')?;
    let end = sequence.find(|c: char| !matches!(c, '0'..='?' | ' '..='/'))?;
    let (_, end) = sequence.split_at(end);
    end.strip_prefix(|c: char| matches!(c, '@'..='~'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(bytes: &[u8], text: &str, lossy: bool) {
        assert_eq!(readable(bytes), (text.to_owned(), lossy));
    }

    #[test]
    fn what_is_no_text_is_shown_as_something_that_is() {
        check(b"plain\ttext\r\n", "plain\ttext\r\n", false);
        check(b"\xff\xfe\0A", "\u{fffd}\u{fffd}␀A", true);
        check("😀ß".as_bytes(), "😀ß", false);
        check(b"\x1b[1;32mgreen\x1b[0m \x1b]0;title\x07\x7f", "green ␛]0;title␇␡", false);
        check(b"\x1b[12", "␛[12", false);
    }

    #[test]
    fn bad_bytes_count_as_characters() {
        assert_eq!(first_chars(b"a\xffb\xffc", 3), b"a\xffb");
        assert_eq!(last_chars(b"a\xffb\xffc", 3), b"b\xffc");
        assert_eq!(last_chars("xß".as_bytes(), 5), "xß".as_bytes());
        assert_eq!(last_chars(&"ß!".as_bytes()[1..], 5), b"!");
    }
}
