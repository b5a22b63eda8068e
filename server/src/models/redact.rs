//! Keys out of any text that a person, a log or a model may see.

use crate::config::ApiKey;

/// Stands where a key stood.
const MARK: &str = "[key]";

/// That many characters of a key in a row are taken for the key.
const TELLING: usize = 8;
/// A key that is shorter than that counts only where it stands alone, and one that is shorter than this is none: it says
/// that a server of one's own wants to see something.
const SHORTEST: usize = 4;

/// `text` without `key`: not whole, not a telling piece of it, and not in base64. Of a short key, without the whole word.
pub(super) fn redacted(text: &str, key: &ApiKey) -> String {
    let key = key.expose().trim();
    if key.is_empty() {
        return text.to_owned();
    }
    match key.chars().count() {
        TELLING.. => without_pieces(&without_pieces(text, &base64(key.as_bytes())), key),
        SHORTEST.. => without_words(text, key),
        _ => text.to_owned(),
    }
}

/// Replaces `secret` where no letter and no digit stands beside it.
fn without_words(text: &str, secret: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(secret) {
        clean.push_str(before);
        let stands_alone =
            !clean.ends_with(char::is_alphanumeric) && !after.starts_with(char::is_alphanumeric);
        clean.push_str(if stands_alone { MARK } else { secret });
        rest = after;
    }
    clean + rest
}

/// Replaces each stretch of `text` that repeats at least `TELLING` characters of `secret`.
fn without_pieces(text: &str, secret: &str) -> String {
    let (text, secret): (Vec<char>, Vec<char>) = (text.chars().collect(), secret.chars().collect());
    let mut clean = String::with_capacity(text.len());
    let mut rest = text.as_slice();
    while let Some(first) = rest.first() {
        let repeated = longest_piece(rest, &secret);
        if repeated >= TELLING {
            clean.push_str(MARK);
            rest = rest.get(repeated..).unwrap_or_default();
        } else {
            clean.push(*first);
            rest = rest.get(1..).unwrap_or_default();
        }
    }
    clean
}

/// How many characters `text` begins with that stand in a row somewhere in `secret`.
fn longest_piece(text: &[char], secret: &[char]) -> usize {
    (0..secret.len())
        .map(|from| secret.iter().skip(from).zip(text).take_while(|(one, other)| one == other).count())
        .max()
        .unwrap_or(0)
}

/// Standard base64 without padding, which is how it begins with or without.
fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut encoded = String::new();
    for group in bytes.chunks(3) {
        let mut bits = 0_u32;
        for at in 0..3 {
            bits = bits << 8 | u32::from(group.get(at).copied().unwrap_or(0));
        }
        for sextet in 0..=group.len() {
            let at = (bits >> (18 - 6 * sextet)) & 63;
            encoded.extend(ALPHABET.get(at as usize).map(|&byte| char::from(byte)));
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "sk-ant-FAKE-0123456789abcdef";

    #[track_caller]
    fn check(text: &str, wanted: &str) {
        assert_eq!(redacted(text, &ApiKey::new(KEY)), wanted);
    }

    #[test]
    fn the_key_goes_whole_in_pieces_and_encoded() {
        check("bad key sk-ant-FAKE-0123456789abcdef!", "bad key [key]!");
        check("bad key sk-ant-FAKE-0123…", "bad key [key]…");
        check("bad key FAKE-0123456…", "bad key [key]…");
        check("Basic c2stYW50LUZBS0UtMDEyMzQ1Njc4OWFiY2RlZg==", "Basic [key]==");
    }

    #[test]
    fn other_text_stays() {
        check(
            "prompt is too long: 205123 tokens > 200000 maximum",
            "prompt is too long: 205123 tokens > 200000 maximum",
        );
        check("größe sk-ant", "größe sk-ant");
        assert_eq!(redacted("text", &ApiKey::new("")), "text");
    }

    #[test]
    fn a_short_key_is_no_part_of_a_word() {
        let redacted = |text: &str, key: &str| redacted(text, &ApiKey::new(key));
        assert_eq!(redacted("max_tokens exceeds text: x", "x"), "max_tokens exceeds text: x");
        assert_eq!(redacted("bad key 'none', nonetheless", "none"), "bad key '[key]', nonetheless");
        assert_eq!(redacted("ollama/ollamas ollama", "ollama"), "[key]/ollamas [key]");
        assert_eq!(redacted("bad key 12345678", "12345678"), "bad key [key]");
    }
}
